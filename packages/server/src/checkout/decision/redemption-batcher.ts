import type { Configuration } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import type { Changes } from '../../core/db/checkout-changes.ts'
import type { Db } from '../../core/db/database.ts'
import { sqlState } from '../../core/db/transaction.ts'
import { ApiError } from '../../core/http/errors.ts'
import type { StoredReplyResult } from '../../core/http/operation.ts'
import { limits } from '../../core/lib/limits.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import { conflictingRow, type Decision, type TransactionalDecision } from './decide.ts'
import { counts, withDetails } from './details.ts'
import { assembleCheckout, type Checkout } from './facts.ts'
import type { CheckoutRows } from './loaded.ts'
import type { LookupKeys } from './lookup-batcher.ts'
import { canGoTogether, type Payload, payloadOf } from './payload.ts'
import type { CheckoutRequest } from './request.ts'
import { loadTogether, type Rows, rowsForRequest } from './rows.ts'
import { saveCheckout, saveTogether } from './save.ts'

/** One who wants to redeem. */
interface QueuedRedemption {
  ctx: Ctx
  request: CheckoutRequest
  keys: LookupKeys
  decide(it: Checkout): Decision<unknown> | TransactionalDecision<unknown>
  /** The other way, for whoever cannot go together or was outrun. */
  decideAlone(): Promise<unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * Decides redemptions that come at the same time one after the other, each on what those before it leave, and writes them in
 * one transaction. They share the trips and the commit, and those who want the same code do not outrun each other. Whoever
 * comes while nothing is under way does not wait for anybody; a second batcher sets out as soon as it is as large as the first.
 *
 * Only what relies on nothing but rows of codes goes this way; all else, and whatever somebody outside was faster with, is
 * decided alone. So nothing is decided here that would be decided otherwise there.
 */
export function decideInBatch<Result>(
  ctx: Ctx,
  request: CheckoutRequest,
  keys: LookupKeys,
  decide: (it: Checkout) => Decision<Result> | TransactionalDecision<Result>,
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
  readonly #waiting = new Map<string, QueuedRedemption[]>()
  /** By project, how many of it are under way. */
  readonly #inFlightByProject = new Map<string, number>()
  /** Codes that somebody under way may change: whoever wants them too goes after that. */
  readonly #codesInFlight = new Set<string>()
  readonly #batches = new ConcurrencyLimit(limits.redemption_batches_max, () => this.#startBatches())

  constructor(db: Db) {
    this.#db = db
  }

  enqueue(one: QueuedRedemption): void {
    const { project_id } = one.ctx
    const others = this.#waiting.get(project_id)
    if (others === undefined) this.#waiting.set(project_id, [one])
    else others.push(one)
    this.#startBatches()
  }

  #startBatches(): void {
    for (const projectId of [...this.#waiting.keys()]) {
      if (!this.#batches.hasFreeSlot()) return
      // Who came first would go by itself, and all who come a moment later would have to wait for it.
      if ((this.#waiting.get(projectId)?.length ?? 0) < this.#inFlight(projectId)) continue
      const group = this.#takeBatch(projectId)
      if (group.length > 0) void this.#runBatch(projectId, group)
    }
  }

  /** Whose project waits longest goes first next time, too, unless all of it goes now. */
  #takeBatch(projectId: string): QueuedRedemption[] {
    const waiting = this.#waiting.get(projectId) ?? []
    const group: QueuedRedemption[] = []
    const rest: QueuedRedemption[] = []
    let lines = 0
    for (const one of waiting) {
      const isFree = one.keys.code_keys.every((key) => !this.#codesInFlight.has(`${projectId} ${key}`))
      const ownLines = one.request.order?.items?.length ?? 0
      const fits =
        group.length < limits.redemption_batch_size_max && lines + ownLines <= limits.redemption_batch_lines_max
      if (isFree && (fits || group.length === 0)) {
        group.push(one)
        lines += ownLines
      } else rest.push(one)
    }
    this.#waiting.delete(projectId)
    if (rest.length > 0) this.#waiting.set(projectId, rest)
    return group
  }

  async #runBatch(projectId: string, group: readonly QueuedRedemption[]): Promise<void> {
    const codes = [...new Set(group.flatMap(({ keys }) => keys.code_keys))].map((key) => `${projectId} ${key}`)
    for (const key of codes) this.#codesInFlight.add(key)
    this.#addInFlight(projectId, group.length)
    try {
      await this.#batches.run(
        () =>
          decideAll(this.#db, projectId, group).finally(() => {
            for (const key of codes) this.#codesInFlight.delete(key)
          }),
        () => this.#addInFlight(projectId, -group.length),
      )
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  #inFlight(projectId: string): number {
    return this.#inFlightByProject.get(projectId) ?? 0
  }

  #addInFlight(projectId: string, more: number): void {
    const all = this.#inFlight(projectId) + more
    if (all === 0) this.#inFlightByProject.delete(projectId)
    else this.#inFlightByProject.set(projectId, all)
  }
}

/** A decision that is still to be written. */
interface Decided {
  one: QueuedRedemption
  result: unknown
  changes: Changes
}

/** Decides and writes what can be, and lets the others go alone. */
async function decideAll(db: Db, projectId: string, group: readonly QueuedRedemption[]): Promise<void> {
  const { ctx } = group.at(-1) as QueuedRedemption
  const configuration = ctx.configurations.known(projectId)
  const rows = await loadTogether(
    db,
    projectId,
    ctx.now,
    group.map(({ keys }) => keys),
  )
  // What is in memory says what has to be asked for: what was asked for by an old configuration is not enough.
  if (rows.config_version !== configuration.version) {
    await ctx.configurations.atLeast(db, projectId, rows.config_version)
    return decideIndividually(group)
  }
  const state = new BatchState()
  const together: Array<Decided & { payload: Payload }> = []
  const single: Decided[] = []
  for (const [one, loaded] of await loadedFor(db, configuration, rows, group)) {
    const { ctx, request, decide, resolve, reject } = one
    try {
      const decision = decide(assembleCheckout(ctx, request, state.applyTo(loaded)))
      if ('issue' in decision) decideIndividually([one])
      else if (decision.changes === null) resolve(decision.result)
      else {
        const { result, changes } = decision
        // What was counted would have to be counted again after each of them.
        if (Object.keys(loaded.counted).length > 0 || !canGoTogether(changes)) single.push({ one, result, changes })
        else {
          together.push({ one, result, changes, payload: payloadOf(ctx, changes) })
          state.record(changes, loaded)
        }
      }
    } catch (error) {
      reject(error)
    }
  }
  const isWritten = await write(together, () =>
    saveTogether(
      ctx,
      db,
      together.map(({ payload }) => payload),
    ),
  )
  // Who relies on more is written after the others, unless it may have relied on what they did not come to do.
  if (!isWritten) return decideIndividually(single.map(({ one }) => one))
  for (const it of single) void write([it], () => saveCheckout(it.one.ctx, db, it.changes))
}

/** All that each of them needs to know. Whose rules count something is better off alone, unless nobody is with it anyway. */
async function loadedFor(
  db: Db,
  configuration: Configuration,
  rows: Rows,
  group: readonly QueuedRedemption[],
): Promise<Array<[QueuedRedemption, CheckoutRows]>> {
  const takeOwn = group.length === 1 ? () => rows : rowsForRequest(rows)
  const found = await Promise.all(
    group.map(async (one): Promise<Array<[QueuedRedemption, CheckoutRows]>> => {
      const { ctx, request, keys } = one
      try {
        const own = takeOwn(keys)
        if (group.length > 1 && counts(ctx, request, configuration, own)) {
          decideIndividually([one])
          return []
        }
        return [[one, await withDetails(ctx, request, configuration, own, db)]]
      } catch (error) {
        one.reject(error)
        return []
      }
    }),
  )
  return found.flat()
}

/** Answers whether it was written. Whoever was outrun, or cannot be written with the others, goes alone; nothing was written then. */
async function write(decided: readonly Decided[], save: () => Promise<void>): Promise<boolean> {
  if (decided.length === 0) return true
  try {
    await save()
    for (const { one, result } of decided) one.resolve(result)
    return true
  } catch (error) {
    if (isConflict(error) || (decided.length > 1 && isRejectedByDatabase(error)))
      decideIndividually(decided.map(({ one }) => one))
    else for (const { one } of decided) one.reject(error)
    return false
  }
}

function decideIndividually(group: readonly QueuedRedemption[]): void {
  for (const { decideAlone, resolve, reject } of group) decideAlone().then(resolve, reject)
}

/** Nothing was written: somebody else was faster, or holds a row. */
const isConflict = (error: unknown): boolean =>
  conflictingRow(error) !== null || (error instanceof ApiError && error.key === 'multiple_requests')

/** The database has refused a value or a size that one of them has, or all of them together. */
const isRejectedByDatabase = (error: unknown): boolean =>
  error instanceof RangeError || /^(22|23|54)/.test(sqlState(error) ?? '')

/** What is left of the rows after each decision. */
class BatchState {
  /** By id: how often it was redeemed, and what was added to it. */
  readonly #vouchers = new Map<string, number>()
  readonly #customers = new Map<string, CheckoutRows['customers'][number]>()

  applyTo(loaded: CheckoutRows): CheckoutRows {
    const customers = loaded.customers.map((customer) => this.#customers.get(customer.id) ?? customer)
    const { caller } = loaded
    return {
      ...loaded,
      vouchers: loaded.vouchers.map((voucher) => {
        const redeemed = this.#vouchers.get(voucher.id)
        return redeemed === undefined
          ? voucher
          : { ...voucher, redeemed_quantity: voucher.redeemed_quantity + redeemed }
      }),
      customers,
      caller: caller === null ? null : (this.#customers.get(caller.id) ?? caller),
    }
  }

  record({ vouchers = [], customers = [] }: Changes, { customers: known }: CheckoutRows): void {
    for (const { id, quantity = 0 } of vouchers) this.#vouchers.set(id, (this.#vouchers.get(id) ?? 0) + quantity)
    for (const change of customers) {
      const customer = this.#customers.get(change.id) ?? known.find(({ id }) => id === change.id)
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
