import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { timeDigitsAt } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'
import type { Db } from './database.ts'
import type { Period } from './periods.ts'
import { inTransaction, sqlState, type Trx } from './transaction.ts'

/** Tables that are cut into partitions by the time in their ids, all at the same moments (docs/decisions/0081-growth.md). */
export interface PartitionedTables {
  /** In the order in which requests lock them. */
  names: readonly string[]
  period: Period
  /**
   * What the bounds are compared with. Of an expression PostgreSQL allows no primary key of the whole table: each partition gets its
   * own, which is as good, because an id says in which partition it is.
   */
  key: 'id' | 'right(id, 18)'
  /** No key of this moment or later sorts before it. It ends with the digits of the moment. */
  boundAt(at: number): string
  /**
   * Whether a default partition takes what no other one does, so that no insert fails. New partitions take their rows out of it. Tables
   * without one make the partition when an insert misses it.
   */
  has_default: boolean
  /** Storage parameters of a partition: the table itself can have none. */
  storage?: string
}

export interface Partition {
  name: string
  table: string
  /** False: somebody detached it to drop it, and was interrupted. */
  is_attached: boolean
  is_default: boolean
  /** Unix milliseconds; infinite: unbounded, or unknown because somebody detached it by hand. */
  from: number
  to: number
}

export async function listPartitions(db: Db, { names, period }: PartitionedTables): Promise<Partition[]> {
  const { rows } = await sql<{ name: string; table: string; bound: string | null; comment: string | null }>`
    select c.relname::text as name, t.name as table, pg_get_expr(c.relpartbound, c.oid) as bound, obj_description(c.oid, 'pg_class') as comment
    from unnest(${names}::text[]) with ordinality t (name, place)
    join pg_class c on c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
      and c.relname ~ ('^' || t.name || '_([0-9]+|before|default)$')
    order by t.place, c.relname`.execute(db)
  return rows.map(({ name, table, bound, comment }): Partition => {
    const from = period.startNamed(name.slice(table.length + 1))
    return {
      name,
      table,
      is_attached: bound !== null,
      is_default: bound === 'DEFAULT' || name === defaultOf(table),
      from: from ?? Number.NEGATIVE_INFINITY,
      to: from === null ? endIn(bound ?? comment) : period.after(from),
    }
  })
}

const boundTo = (digits: string): string => `TO ('${digits}')`

/** `FOR VALUES FROM (MINVALUE) TO ('19c2a8d5c00')` → the moment of these digits. */
function endIn(bound: string | null): number {
  const [, digits] = /TO \('\w*?([0-9a-f]{11})'\)$/.exec(bound ?? '') ?? []
  return digits === undefined ? Number.POSITIVE_INFINITY : Number.parseInt(digits, 16)
}

/** The partition with what was there before the table had partitions, or is older than all others. */
export const beforeOf = (table: string): string => `${table}_before`
export const defaultOf = (table: string): string => `${table}_default`

/** Advisory lock, the same number on every node: one node at a time changes partitions. */
const partitionLock = 7_309_453_618

/**
 * Makes the partitions of these moments that do not exist. A new table is attached, instead of made as a partition: that locks out neither
 * readers nor writers of the others.
 */
export async function makePartitions(db: Db, tables: PartitionedTables, moments: readonly number[]): Promise<void> {
  const starts = [...new Set(moments.map(tables.period.startOf))].sort((a, b) => a - b)
  const missing = async (from: Db) => missingOf(tables, starts, await listPartitions(from, tables))
  const found = await missing(db)
  const inUse = new Set<string>()
  for (const { is_detached, ...range } of found)
    if (is_detached && !(await proveRange(db, tables, range))) inUse.add(range.name)
  // Each table for itself: others read and write them in different orders.
  for (const table of new Set(found.map((range) => range.table)))
    await withShortLocks(db, async (trx) => {
      for (const { is_detached, ...range } of await missing(trx)) {
        if (range.table !== table || inUse.has(range.name)) continue
        if (!is_detached) await createPartition(trx, tables, table, range.name)
        await attachPartition(trx, tables, range)
        if (is_detached) await dropProof(trx, range)
      }
    })
}

interface Range {
  table: string
  name: string
  from: number
  to: number
}

interface Missing extends Range {
  is_detached: boolean
}

function missingOf({ names, period }: PartitionedTables, starts: readonly number[], found: Partition[]): Missing[] {
  return names.flatMap((table) => {
    const own = found.filter((partition) => partition.table === table)
    // Everything is still in one partition, which must be closed first (first-partition.ts).
    if (own.some(({ name, is_default }) => is_default && name === beforeOf(table))) return []
    return starts.flatMap((start) => {
      const name = `${table}_${period.nameOf(start)}`
      const isThere = own.some(
        ({ is_attached, is_default, from, to }) => is_attached && !is_default && from <= start && start < to,
      )
      const isDetached = own.some((partition) => partition.name === name)
      return isThere ? [] : [{ table, name, from: start, to: period.after(start), is_detached: isDetached }]
    })
  })
}

export async function createPartition(trx: Trx, { key, storage }: PartitionedTables, table: string, name: string) {
  const options = storage === undefined ? sql`` : sql`with (${sql.raw(storage)})`
  await sql`create table ${sql.table(name)} (like ${sql.table(table)} including all) ${options}`.execute(trx)
  if (key !== 'id') await sql`alter table ${sql.table(name)} add primary key (project_id, id)`.execute(trx)
}

/** Of the constraint that says which keys a table has. */
const proofOf = (name: string) => sql.ref(`${name}_range`)

/**
 * A table that was detached has the rows of a month. PostgreSQL need not read them while it attaches the table, which locks out writers,
 * if a constraint says in which range they are: it reads them now. False: somebody uses the table, such as an archive.
 */
async function proveRange(db: Db, tables: PartitionedTables, range: Range): Promise<boolean> {
  try {
    if (!(await declareRange(db, tables, range))) return true
    await inTransaction(db, async (trx) => {
      await sql`set local statement_timeout = 0`.execute(trx)
      await sql`alter table ${sql.table(range.name)} validate constraint ${proofOf(range.name)}`.execute(trx)
    })
    return true
  } catch (error) {
    if (isGone(error)) return true // another node was faster
    if (isLocked(error)) return false
    throw error
  }
}

/** False: another node was faster, and has attached the table. */
function declareRange(db: Db, { key, boundAt }: PartitionedTables, { name, from, to }: Range): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    await sql`set local lock_timeout = ${sql.lit(limits.partition_lock_ms)}`.execute(trx)
    await sql`lock table ${sql.table(name)} in access exclusive mode`.execute(trx)
    const { rows } = await sql`select from pg_class where oid = to_regclass(${name}) and not relispartition`.execute(
      trx,
    )
    if (rows.length === 0) return false
    await dropProof(trx, { name })
    const column = sql.raw(key)
    await sql`alter table ${sql.table(name)} add constraint ${proofOf(name)}
      check (${column} is not null and ${column} >= ${sql.lit(boundAt(from))} and ${column} < ${sql.lit(boundAt(to))}) not valid`.execute(
      trx,
    )
    return true
  })
}

const dropProof = (trx: Trx, { name }: Pick<Range, 'name'>): Promise<unknown> =>
  sql`alter table ${sql.table(name)} drop constraint if exists ${proofOf(name)}`.execute(trx)

async function attachPartition(trx: Trx, tables: PartitionedTables, { table, name, from, to }: Range): Promise<void> {
  const [first, end] = [tables.boundAt(from), tables.boundAt(to)]
  if (tables.has_default) {
    const [parent, rest, key] = [sql.table(table), sql.table(defaultOf(table)), sql.raw(tables.key)]
    const inRange = sql`${key} >= ${first} and ${key} < ${end}`
    const countToMove = async (): Promise<number> =>
      (await sql`select from ${rest} where ${inRange} limit ${sql.lit(fewRows + 1)}`.execute(trx)).rows.length
    // An import of years takes long to move, so that nobody waits for it; its own rows alone are concerned: those on their way are sent
    // again (isOvertaken), and a list that is being read may leave out some.
    if ((await countToMove()) > fewRows) await sql`set local statement_timeout = 0`.execute(trx)
    else {
      // A row on its way into the default partition would be refused afterwards, so writers wait.
      await sql`lock table only ${parent} in share row exclusive mode`.execute(trx)
      // A reader that looked up the partitions before would miss the rows that moved, so readers wait too, where there are any.
      if ((await countToMove()) > 0) await sql`lock table only ${parent} in access exclusive mode`.execute(trx)
    }
    // Nobody reads it while rows change their place. The triggers of the table do not see that: nothing is sent again.
    await sql`lock table ${rest} in access exclusive mode`.execute(trx)
    await sql`with moved as (delete from ${rest} where ${inRange} returning *)
      insert into ${sql.table(name)} select * from moved`.execute(trx)
  }
  await sql`alter table ${sql.table(table)} attach partition ${sql.table(name)}
    for values from (${sql.lit(first)}) to (${sql.lit(end)})`.execute(trx)
}

/** They are moved in a tenth of a second. */
const fewRows = 5_000

/** Rows that no partition was made for move into partitions of their own, at most so many at a time. */
const spreadMax = 24

/**
 * Makes partitions for what is in the default partition: ids of a clock that was far ahead, and rows that an import brought from a time
 * before the first partition.
 */
export async function spreadDefault(db: Db, tables: PartitionedTables): Promise<void> {
  if (!tables.has_default) return
  for (const table of tables.names)
    for (let made = 0; made < spreadMax; made += 1) {
      const first = await findFirstInDefault(db, tables, table)
      if (first === null) break
      await makePartitions(db, tables, [first])
    }
}

async function findFirstInDefault(db: Db, { key }: PartitionedTables, table: string): Promise<number | null> {
  const { rows: found } = await sql`select from pg_class
    where relnamespace = current_schema()::regnamespace and relname = ${defaultOf(table)}`.execute(db)
  if (found.length === 0) return null
  const { rows } = await sql<{ digits: string | null }>`
    select min(left(right(${sql.raw(key)}, 18), 11)) as digits from ${sql.table(defaultOf(table))}
    where ${sql.raw(key)} ~ '[0-9a-f]{18}$'`.execute(db)
  const digits = rows[0]?.digits ?? null
  return digits === null ? null : Number.parseInt(digits, 16)
}

/**
 * Detaching locks the whole table for a moment, and while it waits for that lock, everything else waits behind it. So it waits only
 * briefly and tries again. `drop` follows in a transaction of its own, because it takes longer and by then nobody uses the partition.
 */
export async function detachPartition(
  db: Db,
  { name, table, is_attached, from, to }: Partition,
  before: (trx: Trx) => Promise<unknown> = async () => {},
): Promise<void> {
  if (!is_attached) return
  try {
    await withShortLocks(db, async (trx) => {
      await before(trx)
      await sql`alter table ${sql.table(table)} detach partition ${sql.table(name)}`.execute(trx)
      // A month says its end in its name. What comes first does not, and must be known if `drop` is interrupted.
      if (!Number.isFinite(from) && Number.isFinite(to))
        await sql`comment on table ${sql.table(name)} is ${sql.lit(boundTo(timeDigitsAt(to)))}`.execute(trx)
    })
  } catch (error) {
    if (!isGone(error)) throw error // by another node
  }
}

export async function dropPartition(db: Db, partition: Partition): Promise<void> {
  await detachPartition(db, partition)
  await sql`drop table if exists ${sql.table(partition.name)}`.execute(db)
}

const tries = 5

/**
 * A transaction that changes partitions, on one node at a time. It waits only briefly for the locks of tables, gives way to others, and
 * tries again.
 */
export async function withShortLocks<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await inTransaction(db, async (trx) => {
        await sql`select pg_advisory_xact_lock(${sql.lit(partitionLock)})`.execute(trx)
        await sql`set local lock_timeout = ${sql.lit(limits.partition_lock_ms)}`.execute(trx)
        return work(trx)
      })
    } catch (error) {
      if (!isLocked(error) || attempt === tries) throw error
      await wait(limits.partition_lock_ms * attempt)
    }
}

const lockNotAvailable = '55P03'
/** Others used a table for too long. */
export const isLocked = (error: unknown): boolean => sqlState(error) === lockNotAvailable
/** Undefined table, or a table that is no partition any more. */
const isGone = (error: unknown): boolean => sqlState(error) === '42P01'
