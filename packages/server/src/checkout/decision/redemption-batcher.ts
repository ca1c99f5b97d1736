import type { Configuration } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import type { Changes } from '../../core/db/checkout-changes.ts'
import type { Db } from '../../core/db/database.ts'
import { sqlState } from '../../core/db/transaction.ts'
import { ApiError } from '../../core/http/errors.ts'
import type { StoredReplyResult } from '../../core/http/operation.ts'
import { ConcurrencyLimit } from '../../core/lib/concurrency-limit.ts'
import { limits } from '../../core/lib/limits.ts'
import type { CheckoutRows } from './checkout-rows.ts'
import { conflictingRow, type Decision, type TransactionalDecision } from './decide.ts'
import { comparesCounters, withDetails } from './details.ts'
import { assembleCheckout, type Checkout } from './facts.ts'
import type { LookupKeys } from './lookup-batcher.ts'
import { isBatchable, type Payload, payloadOf } from './payload.ts'
import type { CheckoutRequest } from './request.ts'
import { loadBatch, type Rows, rowsForRequest } from './rows.ts'
import { saveBatch, saveCheckout } from './save.ts'

/** A redemption that waits for its batch. */
interface QueuedRedemption {
  ctx: Ctx
  request: CheckoutRequest
  keys: LookupKeys
  decide(checkout: Checkout): Decision<unknown> | TransactionalDecision<unknown>
  /** The path without a batch: for a redemption that cannot be batched, and after a conflict. */
  decideAlone(): Promise<unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * Batches concurrent redemptions of one project. The batch is evaluated in memory, each redemption against the state left by
 * the previous one, and saved in one transaction: two round trips and one commit for all, and no version conflicts on a shared
 * code. An idle batcher starts at once; while a batch is in flight, the next one waits until it is as large.
 *
 * A batch saves only decisions that depend on nothing but voucher rows and add to sums (`isBatchable`). All others are saved on
 * their own, and a redemption that loses a version conflict is decided again by `decideAlone`. So a batch never decides
 * anything differently from `decideAndSave`.
 */
export function decideInBatch<Result>(
  ctx: Ctx,
  request: CheckoutRequest,
  keys: LookupKeys,
  decide: (checkout: Checkout) => Decision<Result> | TransactionalDecision<Result>,
  decideAlone: () => Promise<Result | StoredReplyResult | ApiError>,
): Promise<Result | StoredReplyResult | ApiError> {
  const batcher = batchers.get(ctx.db) ?? new RedemptionBatcher(ctx.db)
  batchers.set(ctx.db, batcher)
  return new Promise((resolve, reject) => {
    batcher.enqueue({
      ctx,
      request,
      keys,
      decide,
      decideAlone,
      resolve: resolve as QueuedRedemption['resolve'],
      reject,
    })
  })
}

const batchers = new WeakMap<Db, RedemptionBatcher>()

class RedemptionBatcher {
  readonly #db: Db
  /** By project. */
  readonly #queues = new Map<string, QueuedRedemption[]>()
  /** By project: the number of redemptions in its batches in flight. */
  readonly #inFlightByProject = new Map<string, number>()
  /** Codes that a batch in flight may change. A redemption of such a code stays queued, or it would conflict with that batch. */
  readonly #codesInFlight = new Set<string>()
  readonly #batches = new ConcurrencyLimit(limits.redemption_batches_max, () => this.#startBatches())

  constructor(db: Db) {
    this.#db = db
  }

  enqueue(redemption: QueuedRedemption): void {
    const { project_id } = redemption.ctx
    const queue = this.#queues.get(project_id)
    if (queue === undefined) this.#queues.set(project_id, [redemption])
    else queue.push(redemption)
    this.#startBatches()
  }

  #startBatches(): void {
    for (const projectId of [...this.#queues.keys()]) {
      if (!this.#batches.hasFreeSlot()) return
      // The next batch must be as large as those in flight: otherwise the first redemption to arrive would be a batch of one,
      // and all that arrive just after it would have to wait.
      if ((this.#queues.get(projectId)?.length ?? 0) < this.#inFlight(projectId)) continue
      const batch = this.#takeBatch(projectId)
      if (batch.length > 0) void this.#runBatch(projectId, batch)
    }
  }

  /**
   * Takes the next batch off the queue of a project: the oldest redemptions that fit, without those whose code is in flight. The
   * first redemption always fits, even if its order has more lines than a batch may have. The rest of the queue goes behind the
   * queues of the other projects.
   */
  #takeBatch(projectId: string): QueuedRedemption[] {
    const queue = this.#queues.get(projectId) ?? []
    const batch: QueuedRedemption[] = []
    const rest: QueuedRedemption[] = []
    let batchLines = 0
    for (const redemption of queue) {
      const isFree = redemption.keys.code_keys.every((key) => !this.#codesInFlight.has(`${projectId} ${key}`))
      const orderLines = redemption.request.order?.items?.length ?? 0
      const fits =
        batch.length < limits.redemption_batch_size_max && batchLines + orderLines <= limits.redemption_batch_lines_max
      if (isFree && (fits || batch.length === 0)) {
        batch.push(redemption)
        batchLines += orderLines
      } else rest.push(redemption)
    }
    this.#queues.delete(projectId)
    if (rest.length > 0) this.#queues.set(projectId, rest)
    return batch
  }

  async #runBatch(projectId: string, batch: readonly QueuedRedemption[]): Promise<void> {
    const codes = [...new Set(batch.flatMap(({ keys }) => keys.code_keys))].map((key) => `${projectId} ${key}`)
    for (const key of codes) this.#codesInFlight.add(key)
    this.#addInFlight(projectId, batch.length)
    try {
      await this.#batches.run(
        () =>
          decideBatch(this.#db, projectId, batch).finally(() => {
            for (const key of codes) this.#codesInFlight.delete(key)
          }),
        () => this.#addInFlight(projectId, -batch.length),
      )
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  #inFlight(projectId: string): number {
    return this.#inFlightByProject.get(projectId) ?? 0
  }

  #addInFlight(projectId: string, count: number): void {
    const total = this.#inFlight(projectId) + count
    if (total === 0) this.#inFlightByProject.delete(projectId)
    else this.#inFlightByProject.set(projectId, total)
  }
}

/** A decision whose changes are not saved yet. */
interface UnsavedDecision {
  redemption: QueuedRedemption
  result: unknown
  changes: Changes
}

/** Loads, evaluates and saves a batch; redemptions that cannot be decided in it are decided individually. */
async function decideBatch(db: Db, projectId: string, batch: readonly QueuedRedemption[]): Promise<void> {
  const { ctx } = batch.at(-1) as QueuedRedemption
  const configuration = ctx.configurations.cached(projectId)
  const rows = await loadBatch(
    db,
    projectId,
    ctx.now,
    batch.map(({ keys }) => keys),
  )
  // The cached configuration determined which rows to load: those of an outdated one may be too few.
  if (rows.config_version !== configuration.version) {
    await ctx.configurations.atLeast(db, projectId, rows.config_version)
    return decideIndividually(batch)
  }
  const state = new BatchState()
  const batchable: Array<UnsavedDecision & { payload: Payload }> = []
  const separate: UnsavedDecision[] = []
  for (const [redemption, checkoutRows] of await loadDetails(db, configuration, rows, batch)) {
    const { ctx, request, decide, resolve, reject } = redemption
    try {
      const decision = decide(assembleCheckout(ctx, request, state.applyTo(checkoutRows)))
      if ('issueRewards' in decision) decideIndividually([redemption])
      else if (decision.changes === null) resolve(decision.result)
      else {
        const { result, changes } = decision
        // `BatchState` does not update counters that rules compare: they would have to be counted again after each decision.
        if (Object.keys(checkoutRows.counted).length > 0 || !isBatchable(changes))
          separate.push({ redemption, result, changes })
        else {
          batchable.push({ redemption, result, changes, payload: payloadOf(ctx, changes) })
          state.record(changes, checkoutRows)
        }
      }
    } catch (error) {
      reject(error)
    }
  }
  const isSaved = await saveOrDecideAlone(batchable, () =>
    saveBatch(
      ctx,
      db,
      batchable.map(({ payload }) => payload),
    ),
  )
  // The separate decisions were evaluated against the state after the batch: if that was not saved, they must be decided again.
  if (!isSaved) return decideIndividually(separate.map(({ redemption }) => redemption))
  for (const decision of separate)
    void saveOrDecideAlone([decision], () => saveCheckout(decision.redemption.ctx, db, decision.changes))
}

/**
 * Completes the rows of each redemption. One whose rules compare counters is decided individually, because its decision could not
 * be saved with the batch; in a batch of one that makes no difference.
 */
async function loadDetails(
  db: Db,
  configuration: Configuration,
  batchRows: Rows,
  batch: readonly QueuedRedemption[],
): Promise<Array<[QueuedRedemption, CheckoutRows]>> {
  const rowsFor = batch.length === 1 ? () => batchRows : rowsForRequest(batchRows)
  const loaded = await Promise.all(
    batch.map(async (redemption): Promise<Array<[QueuedRedemption, CheckoutRows]>> => {
      const { ctx, request, keys } = redemption
      try {
        const rows = rowsFor(keys)
        if (batch.length > 1 && comparesCounters(ctx, request, configuration, rows)) {
          decideIndividually([redemption])
          return []
        }
        return [[redemption, await withDetails(ctx, request, configuration, rows, db)]]
      } catch (error) {
        redemption.reject(error)
        return []
      }
    }),
  )
  return loaded.flat()
}

/**
 * Returns whether the decisions were saved. After a conflict, or where the database rejects several of them together, nothing
 * was saved, and each redemption is decided individually.
 */
async function saveOrDecideAlone(decisions: readonly UnsavedDecision[], save: () => Promise<void>): Promise<boolean> {
  if (decisions.length === 0) return true
  try {
    await save()
    for (const { redemption, result } of decisions) redemption.resolve(result)
    return true
  } catch (error) {
    if (isConflict(error) || (decisions.length > 1 && isRejectedByDatabase(error)))
      decideIndividually(decisions.map(({ redemption }) => redemption))
    else for (const { redemption } of decisions) redemption.reject(error)
    return false
  }
}

function decideIndividually(redemptions: readonly QueuedRedemption[]): void {
  for (const { decideAlone, resolve, reject } of redemptions) decideAlone().then(resolve, reject)
}

/** Nothing was saved: another transaction changed a row first, or holds its lock. */
const isConflict = (error: unknown): boolean =>
  conflictingRow(error) !== null || (error instanceof ApiError && error.key === 'multiple_requests')

/** The database refused a value or a size, of one redemption or of the whole batch. */
const isRejectedByDatabase = (error: unknown): boolean =>
  error instanceof RangeError || /^(22|23|54)/.test(sqlState(error) ?? '')

/** The rows of a batch as the decisions so far leave them: the next redemption is evaluated against these. */
class BatchState {
  /** By voucher id: redemptions added in this batch. */
  readonly #redemptionsAdded = new Map<string, number>()
  readonly #customers = new Map<string, CheckoutRows['customers'][number]>()

  /** The loaded rows, with the changes recorded so far. */
  applyTo(rows: CheckoutRows): CheckoutRows {
    const customers = rows.customers.map((customer) => this.#customers.get(customer.id) ?? customer)
    const { caller } = rows
    return {
      ...rows,
      vouchers: rows.vouchers.map((voucher) => {
        const added = this.#redemptionsAdded.get(voucher.id)
        return added === undefined ? voucher : { ...voucher, redeemed_quantity: voucher.redeemed_quantity + added }
      }),
      customers,
      caller: caller === null ? null : (this.#customers.get(caller.id) ?? caller),
    }
  }

  /** Records the changes of a decision that will be saved with the batch. */
  record({ vouchers = [], customers = [] }: Changes, rows: CheckoutRows): void {
    for (const { id, quantity = 0 } of vouchers)
      this.#redemptionsAdded.set(id, (this.#redemptionsAdded.get(id) ?? 0) + quantity)
    for (const change of customers) {
      const customer = this.#customers.get(change.id) ?? rows.customers.find(({ id }) => id === change.id)
      if (customer === undefined || 'row' in change) continue
      const figures = Object.fromEntries(
        Object.entries(change.add ?? {}).map(([figure, by]) => [figure, customer[figure as 'redeemed_points'] + by]),
      )
      const { latest } = change
      this.#customers.set(change.id, {
        ...customer,
        ...figures,
        ...(latest === undefined ? {} : { last_order_amount: latest.amount, last_order_date: latest.date }),
      })
    }
  }
}
