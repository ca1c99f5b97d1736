import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'

/** By what rows are found. */
export interface LookupKeys {
  code_keys: readonly string[]
  customer_sources: readonly string[]
  customer_ids: readonly string[]
  product_sources: readonly string[]
  product_ids: readonly string[]
  sku_sources: readonly string[]
  sku_ids: readonly string[]
}

type Ask<Rows> = (db: Db, projectId: string, now: Instant, names: LookupKeys) => Promise<Rows>

type OwnOf<Rows> = (rows: Rows) => (names: LookupKeys) => Rows

interface QueuedLookup<Rows> {
  names: LookupKeys
  now: Instant
  resolve(rows: Rows): void
  reject(error: unknown): void
}

/**
 * Asks for the rows of many calls at once. Whoever comes while nothing is under way does not wait; those who come while the
 * database is busy with others go together when it is not, and what several of them name is read once. The busier it is, the
 * less each of them costs.
 *
 * What is found is found for all of them; `ownOf` takes out of it what one of them would have found alone.
 */
export function newLookupBatcher<Rows>(ask: Ask<Rows>, ownOf: OwnOf<Rows>) {
  const underWay = new WeakMap<Db, LookupBatcher<Rows>>()
  return ({ project_id, now }: Pick<Ctx, 'project_id' | 'now'>, db: Db, names: LookupKeys): Promise<Rows> => {
    const gathering = underWay.get(db) ?? new LookupBatcher(db, ask, ownOf)
    underWay.set(db, gathering)
    return gathering.ask(project_id, names, now)
  }
}

class LookupBatcher<Rows> {
  readonly #db: Db
  readonly #ask: Ask<Rows>
  readonly #ownOf: OwnOf<Rows>
  readonly #waiting = new Map<string, QueuedLookup<Rows>[]>()
  readonly #trips = new ConcurrencyLimit(limits.lookup_batches_max, () => this.#next())

  constructor(db: Db, ask: Ask<Rows>, ownOf: OwnOf<Rows>) {
    this.#db = db
    this.#ask = ask
    this.#ownOf = ownOf
  }

  ask(projectId: string, names: LookupKeys, now: Instant): Promise<Rows> {
    if (this.#trips.hasFreeSlot()) return this.#trip(projectId, names, now)
    return new Promise((resolve, reject) => {
      const one = { names, now, resolve, reject }
      const others = this.#waiting.get(projectId)
      if (others === undefined) this.#waiting.set(projectId, [one])
      else others.push(one)
    })
  }

  #trip(projectId: string, names: LookupKeys, now: Instant): Promise<Rows> {
    return this.#trips.run(() => this.#ask(this.#db, projectId, now, names))
  }

  /** Whose project waits longest goes next, and to the end of the line if it has more than fit into one trip. */
  #next(): void {
    if (!this.#trips.hasFreeSlot()) return
    const first = this.#waiting.entries().next()
    if (first.done) return
    const [projectId, all] = first.value
    this.#waiting.delete(projectId)
    const together = all.slice(0, limits.lookup_batch_size_max)
    const rest = all.slice(limits.lookup_batch_size_max)
    if (rest.length > 0) this.#waiting.set(projectId, rest)
    const now = together.reduce((latest, one) => (one.now > latest ? one.now : latest), '') as Instant
    this.#trip(projectId, mergeKeys(together.map(({ names }) => names)), now).then(
      (rows) => {
        const own = together.length === 1 ? () => rows : this.#ownOf(rows)
        for (const { names, resolve } of together) resolve(own(names))
      },
      (error: unknown) => {
        for (const { reject } of together) reject(error)
      },
    )
  }
}

/** What any of them names. */
export function mergeKeys(several: readonly LookupKeys[]): LookupKeys {
  const [only] = several
  if (several.length === 1) return only as LookupKeys
  const of = (kind: keyof LookupKeys) => [...new Set(several.flatMap((names) => names[kind]))]
  return {
    code_keys: of('code_keys'),
    customer_sources: of('customer_sources'),
    customer_ids: of('customer_ids'),
    product_sources: of('product_sources'),
    product_ids: of('product_ids'),
    sku_sources: of('sku_sources'),
    sku_ids: of('sku_ids'),
  }
}
