import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import type { ApiError } from '../../core/http/errors.ts'
import type { StoredReplyResult } from '../../core/http/operation.ts'
import { ConcurrencyLimit } from '../../core/lib/concurrency-limit.ts'
import { limits } from '../../core/lib/limits.ts'
import { ContendedCodes } from './contended-codes.ts'
import type { Decision, TransactionalDecision } from './decide.ts'
import { decideBatch, decideLockedBatch, type QueuedRedemption } from './decide-batch.ts'
import type { Checkout } from './facts.ts'
import type { LookupKeys } from './lookup-batcher.ts'
import type { CheckoutRequest } from './request.ts'

/**
 * Batches concurrent redemptions of one project. The batch is evaluated in memory, each redemption against the state left by
 * the previous one, and saved in one transaction: two round trips and one commit for all, and no version conflicts on a shared
 * code. An idle batcher starts at once; while a batch is in flight, the next one waits until it is as large.
 *
 * Where another node redeems the same code, its batch may be saved first. The batch that loses is decided again with its rows
 * locked, and so are the next batches with that code: nodes then take turns instead of rolling each other back
 * (docs/decisions/0057-lean-saves.md).
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
  readonly #contended = new ContendedCodes()
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
   * first redemption always fits, even if its order has more lines than a batch may have. Redemptions of contended codes have
   * batches of their own: the others need not wait for locks. The rest of the queue goes behind the queues of the other projects.
   */
  #takeBatch(projectId: string): QueuedRedemption[] {
    const queue = this.#queues.get(projectId) ?? []
    const batch: QueuedRedemption[] = []
    const rest: QueuedRedemption[] = []
    let batchLines = 0
    let isContended = false
    for (const redemption of queue) {
      const keys = redemption.keys.code_keys.map((key) => `${projectId} ${key}`)
      const isFree = keys.every((key) => !this.#codesInFlight.has(key))
      const orderLines = redemption.request.order?.items?.length ?? 0
      const fits =
        batch.length < limits.redemption_batch_size_max && batchLines + orderLines <= limits.redemption_batch_lines_max
      if (isFree && batch.length === 0) isContended = this.#contended.hasAny(keys)
      if (isFree && (batch.length === 0 || (fits && this.#contended.hasAny(keys) === isContended))) {
        batch.push(redemption)
        batchLines += orderLines
      } else rest.push(redemption)
    }
    this.#queues.delete(projectId)
    if (rest.length > 0) this.#queues.set(projectId, rest)
    return batch
  }

  async #runBatch(projectId: string, batch: readonly QueuedRedemption[]): Promise<void> {
    const codes = codesOf(projectId, batch)
    const isLocked = this.#contended.hasAny(codes)
    // Locked batches mostly wait for other nodes: redemptions of other codes must not wait until there are as many.
    const counted = isLocked ? 0 : batch.length
    for (const key of codes) this.#codesInFlight.add(key)
    this.#addInFlight(projectId, counted)
    try {
      await this.#batches.run(
        () =>
          this.#decide(projectId, batch, isLocked).finally(() => {
            for (const key of codes) this.#codesInFlight.delete(key)
          }),
        () => this.#addInFlight(projectId, -counted),
      )
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  async #decide(projectId: string, batch: readonly QueuedRedemption[], isLocked: boolean): Promise<void> {
    if (isLocked) return decideLockedBatch(this.#db, projectId, batch)
    const lost = await decideBatch(this.#db, projectId, batch)
    if (lost === null) return
    for (const key of lost.code_keys) this.#contended.add(`${projectId} ${key}`)
    await decideLockedBatch(this.#db, projectId, lost.redemptions)
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

const codesOf = (projectId: string, batch: readonly QueuedRedemption[]): string[] =>
  [...new Set(batch.flatMap(({ keys }) => keys.code_keys))].map((key) => `${projectId} ${key}`)
