import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import { isRefusedContent, sqlState } from '../../core/db/transaction.ts'
import { ApiError } from '../../core/http/errors.ts'
import { ConcurrencyLimit } from '../../core/lib/concurrency-limit.ts'
import { limits } from '../../core/lib/limits.ts'
import { type BatchedPublication, batchable } from './batchable.ts'
import { type BatchedResult, NotBatchedError, publishBatch } from './publish-batch.ts'
import type { CreatePublication, Publication } from './schema.ts'

/** A publication that waits for its batch. */
interface QueuedPublication {
  request: BatchedPublication
  resolve(result: BatchedResult): void
  reject(error: unknown): void
}

/**
 * Publishes one voucher together with concurrent requests of its project: two statements and one commit for all of them. Undefined:
 * the request is not of the common kind, or another transaction holds what it needs; `publish` then answers it in a transaction of
 * its own. A batch never decides anything differently.
 */
export async function publishInBatch(
  ctx: Ctx,
  request: CreatePublication,
  options: { join_once?: boolean | undefined },
): Promise<Publication | undefined> {
  const batcher = batchers.get(ctx.db) ?? new PublicationBatcher(ctx.db)
  batchers.set(ctx.db, batcher)
  const batched = await batchable(ctx, request, options)
  if (batched === null || batcher.isExhausted(batched)) return undefined
  const result = await new Promise<BatchedResult>((resolve, reject) => {
    batcher.enqueue({ request: batched, resolve, reject })
  })
  if (result instanceof ApiError) throw result
  return result
}

const batchers = new WeakMap<Db, PublicationBatcher>()

/** How long a campaign without a free voucher is not looked at: an auto-update campaign creates each voucher when it is published. */
const exhaustedMs = 1_000
const exhaustedMax = 10_000

class PublicationBatcher {
  readonly #db: Db
  /** By project. */
  readonly #queues = new Map<string, QueuedPublication[]>()
  /** By project: the number of publications in its batches in flight. */
  readonly #inFlightByProject = new Map<string, number>()
  /** By campaign: until when its publications skip the batch. */
  readonly #exhaustedUntil = new Map<string, number>()
  readonly #batches = new ConcurrencyLimit(limits.publication_batches_max, () => this.#startBatches())

  constructor(db: Db) {
    this.#db = db
  }

  isExhausted({ wanted }: BatchedPublication): boolean {
    const until = 'campaign' in wanted ? this.#exhaustedUntil.get(wanted.campaign.id) : undefined
    return until !== undefined && performance.now() < until
  }

  enqueue(publication: QueuedPublication): void {
    const { project_id } = publication.request.ctx
    const queue = this.#queues.get(project_id)
    if (queue === undefined) this.#queues.set(project_id, [publication])
    else queue.push(publication)
    this.#startBatches()
  }

  #startBatches(): void {
    for (const [projectId, queue] of [...this.#queues]) {
      if (!this.#batches.hasFreeSlot()) return
      // The next batch must be as large as those in flight: otherwise the first publication to arrive would be a batch of one,
      // and all that arrive just after it would have to wait.
      if (queue.length < (this.#inFlightByProject.get(projectId) ?? 0)) continue
      this.#queues.delete(projectId)
      const rest = queue.slice(limits.publication_batch_size_max)
      if (rest.length > 0) this.#queues.set(projectId, rest) // behind the queues of the other projects
      void this.#runBatch(projectId, queue.slice(0, limits.publication_batch_size_max))
    }
  }

  async #runBatch(projectId: string, batch: readonly QueuedPublication[]): Promise<void> {
    this.#addInFlight(projectId, batch.length)
    try {
      const results = await this.#batches.run(
        () => this.#publish(batch.map(({ request }) => request)),
        () => this.#addInFlight(projectId, -batch.length),
      )
      for (const [index, { resolve }] of batch.entries()) resolve(results[index])
    } catch (error) {
      for (const { resolve, reject } of batch) {
        if (isNothingSaved(error)) resolve(undefined)
        else reject(error)
      }
    }
  }

  async #publish(batch: readonly BatchedPublication[]): Promise<BatchedResult[]> {
    try {
      const { results, taken } = await publishBatch(this.#db, batch)
      await this.#learn(batch, taken)
      return results
    } catch (error) {
      if (error instanceof NotBatchedError) await this.#learn(batch, error.taken)
      throw error
    }
  }

  /** Uses what a batch has seen for the next ones. Never fails, because the batch may be saved: the next one tries again. */
  async #learn([first]: readonly BatchedPublication[], { configVersion, exhausted }: NotBatchedError['taken']) {
    this.#skip(exhausted)
    const { ctx } = first as BatchedPublication
    if (configVersion > ctx.configurations.cached(ctx.project_id).version)
      await ctx.configurations.atLeast(this.#db, ctx.project_id, configVersion).catch(() => {})
  }

  /** Publications of these campaigns skip batches for a while. */
  #skip(campaignIds: readonly string[]): void {
    if (this.#exhaustedUntil.size > exhaustedMax) this.#exhaustedUntil.clear()
    for (const id of campaignIds) this.#exhaustedUntil.set(id, performance.now() + exhaustedMs)
  }

  #addInFlight(projectId: string, count: number): void {
    const total = (this.#inFlightByProject.get(projectId) ?? 0) + count
    if (total === 0) this.#inFlightByProject.delete(projectId)
    else this.#inFlightByProject.set(projectId, total)
  }
}

/**
 * Whether the batch is rolled back for certain, so that its requests may run again: a conflict with another transaction (GU001 of
 * `publication_write`, a lock timeout, a deadlock), or content of one request that the database refuses.
 */
const isNothingSaved = (error: unknown): boolean =>
  error instanceof NotBatchedError ||
  error instanceof RangeError ||
  isRefusedContent(error) ||
  ['GU001', '55P03', '40001', '40P01'].includes(sqlState(error) ?? '')
