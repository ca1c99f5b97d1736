import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import { ConcurrencyLimit } from '../../core/lib/concurrency-limit.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'

/** The keys by which rows are looked up. */
export interface LookupKeys {
  code_keys: readonly string[]
  customer_sources: readonly string[]
  customer_ids: readonly string[]
  product_sources: readonly string[]
  product_ids: readonly string[]
  sku_sources: readonly string[]
  sku_ids: readonly string[]
}

type LoadRows<Rows> = (db: Db, projectId: string, now: Instant, keys: LookupKeys) => Promise<Rows>

/** Picks the rows of one request out of those of its batch. */
type PickRows<Rows> = (rows: Rows) => (keys: LookupKeys) => Rows

interface QueuedLookup<Rows> {
  keys: LookupKeys
  now: Instant
  resolve(rows: Rows): void
  reject(error: unknown): void
}

/**
 * Batches the lookups of concurrent requests. An idle batcher starts at once; while a batch is in flight, lookups of the same
 * project queue up and become the next batch, which reads a row only once for all of them. The busier the database, the
 * larger the batches and the less a lookup costs.
 *
 * A batch reads the rows of all its lookups; `pickRows` returns to each request those that it would have found on its own.
 */
export function newLookupBatcher<Rows>(loadRows: LoadRows<Rows>, pickRows: PickRows<Rows>) {
  const batchers = new WeakMap<Db, LookupBatcher<Rows>>()
  return ({ project_id, now }: Pick<Ctx, 'project_id' | 'now'>, db: Db, keys: LookupKeys): Promise<Rows> => {
    const batcher = batchers.get(db) ?? new LookupBatcher(db, loadRows, pickRows)
    batchers.set(db, batcher)
    return batcher.lookUp(project_id, keys, now)
  }
}

class LookupBatcher<Rows> {
  readonly #db: Db
  readonly #loadRows: LoadRows<Rows>
  readonly #pickRows: PickRows<Rows>
  /** By project. */
  readonly #queues = new Map<string, QueuedLookup<Rows>[]>()
  readonly #batches = new ConcurrencyLimit(limits.lookup_batches_max, () => this.#startBatch())

  constructor(db: Db, loadRows: LoadRows<Rows>, pickRows: PickRows<Rows>) {
    this.#db = db
    this.#loadRows = loadRows
    this.#pickRows = pickRows
  }

  lookUp(projectId: string, keys: LookupKeys, now: Instant): Promise<Rows> {
    if (this.#batches.hasFreeSlot()) return this.#load(projectId, keys, now)
    return new Promise((resolve, reject) => {
      const lookup = { keys, now, resolve, reject }
      const queue = this.#queues.get(projectId)
      if (queue === undefined) this.#queues.set(projectId, [lookup])
      else queue.push(lookup)
    })
  }

  #load(projectId: string, keys: LookupKeys, now: Instant): Promise<Rows> {
    return this.#batches.run(() => this.#loadRows(this.#db, projectId, now, keys))
  }

  /** Takes the project that waits longest. Lookups beyond the size of a batch go to the end of the line. */
  #startBatch(): void {
    if (!this.#batches.hasFreeSlot()) return
    const first = this.#queues.entries().next()
    if (first.done) return
    const [projectId, queue] = first.value
    this.#queues.delete(projectId)
    const batch = queue.slice(0, limits.lookup_batch_size_max)
    const rest = queue.slice(limits.lookup_batch_size_max)
    if (rest.length > 0) this.#queues.set(projectId, rest)
    const now = batch.reduce((latest, lookup) => (lookup.now > latest ? lookup.now : latest), '') as Instant
    this.#load(projectId, mergeKeys(batch.map(({ keys }) => keys)), now).then(
      (rows) => {
        const rowsFor = batch.length === 1 ? () => rows : this.#pickRows(rows)
        for (const { keys, resolve } of batch) resolve(rowsFor(keys))
      },
      (error: unknown) => {
        for (const { reject } of batch) reject(error)
      },
    )
  }
}

/** The union of several lookups, each key once. */
export function mergeKeys(lookups: readonly LookupKeys[]): LookupKeys {
  const [only] = lookups
  if (lookups.length === 1) return only as LookupKeys
  const union = (kind: keyof LookupKeys) => [...new Set(lookups.flatMap((keys) => keys[kind]))]
  return {
    code_keys: union('code_keys'),
    customer_sources: union('customer_sources'),
    customer_ids: union('customer_ids'),
    product_sources: union('product_sources'),
    product_ids: union('product_ids'),
    sku_sources: union('sku_sources'),
    sku_ids: union('sku_ids'),
  }
}
