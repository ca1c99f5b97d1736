import { sql } from 'kysely'
import type { Db } from './database.ts'
import {
  beforeOf,
  createPartition,
  defaultOf,
  listPartitions,
  type PartitionedTables,
  withShortLocks,
} from './partitions.ts'
import { inTransaction, sqlState, type Trx } from './transaction.ts'

const dayMs = 86_400_000
/** The first partition ends at the beginning of a period, at least so long after that was decided. */
const aheadMs = 7 * dayMs
/** So long before its end another one is decided, if the partition has not been closed by then. */
const marginMs = 2 * dayMs

/**
 * Gives the first partition an end. A migration makes a large table the default partition of the table that takes its name, which takes a
 * moment whatever its size: PostgreSQL allows no further partitions before it knows that none of their rows is in there. A constraint
 * tells it. To validate that, the rows are read, while requests read and write; then the partition gets its range within a moment.
 *
 * Meanwhile a row from after the end is refused: of a node whose clock is a week ahead. No other row ever is, because a constraint whose
 * end comes near is dropped.
 */
export async function closeFirstPartitions(db: Db, tables: PartitionedTables, now: number): Promise<void> {
  for (const table of tables.names) if (await isOpen(db, tables, table)) await closeFirst(db, tables, table, now)
}

/** Whether everything is still in the first partition. */
async function isOpen(db: Db, tables: PartitionedTables, table: string): Promise<boolean> {
  const partitions = await listPartitions(db, tables)
  return partitions.some(({ name, is_default }) => is_default && name === beforeOf(table))
}

async function closeFirst(db: Db, tables: PartitionedTables, table: string, now: number): Promise<void> {
  await dropLateEnds(db, now)
  const end = (await findEnds(db, table))[0] ?? (await decideEnd(db, tables, table, now))
  if (end === null || !(end.is_validated || (await validateEnd(db, tables, end, now)))) return
  await withShortLocks(db, async (trx) => {
    if ((await findEnds(trx, table))[0]?.at !== end.at) return // another node was faster
    const [first, rest] = [sql.table(beforeOf(table)), defaultOf(table)]
    await sql`alter table ${sql.table(table)} detach partition ${first}`.execute(trx)
    await sql`alter table ${sql.table(table)} attach partition ${first}
      for values from (minvalue) to (${sql.lit(tables.boundAt(end.at))})`.execute(trx)
    await sql`alter table ${first} drop constraint ${sql.ref(constraintOf(table))}`.execute(trx)
    await createPartition(trx, tables, table, rest)
    await moveBack(trx, table, rest)
    await sql`alter table ${sql.table(table)} attach partition ${sql.table(rest)} default`.execute(trx)
  })
}

/** Drops constraints that would soon refuse rows: called at every start too, since all nodes may have been stopped for weeks. */
export async function dropLateEnds(db: Db, now: number): Promise<void> {
  for (const { table, at } of await findEnds(db)) if (at < now + marginMs) await dropEnd(db, table)
}

/** The name of the constraint, which compares keys with the digits of the end. */
const constraintOf = (table: string): string => `${table}_before_end`
/** Rows that are already later than the end, until the partition is closed. */
const asideOf = (table: string): string => `${table}_ahead`

interface End {
  table: string
  at: number
  is_validated: boolean
}

async function findEnds(db: Db, table?: string): Promise<End[]> {
  const { rows } = await sql<{ table: string; text: string; is_validated: boolean }>`
    select left(conname, -11) as table, pg_get_constraintdef(oid) as text, convalidated as is_validated from pg_constraint
    where connamespace = current_schema()::regnamespace and contype = 'c' and conname like '%\\_before\\_end'
      and conrelid = to_regclass(left(conname, -4)) ${table === undefined ? sql`` : sql`and conname = ${constraintOf(table)}`}`.execute(
    db,
  )
  return rows.flatMap(({ text, ...end }) => {
    const [, digits] = /< '\w*?([0-9a-f]{11})'/.exec(text) ?? []
    return digits === undefined ? [] : [{ ...end, at: Number.parseInt(digits, 16) }]
  })
}

/** Returns null if another node has closed the partition meanwhile. */
async function decideEnd(db: Db, tables: PartitionedTables, table: string, now: number): Promise<End | null> {
  const { key, period, boundAt } = tables
  const at = period.after(period.startOf(now + aheadMs))
  return withShortLocks(db, async (trx) => {
    const [decided] = await findEnds(trx, table) // by another node
    if (decided !== undefined) return decided
    if (!(await isOpen(trx, tables, table))) return null
    await sql`alter table ${sql.table(beforeOf(table))} add constraint ${sql.ref(constraintOf(table))}
      check (${sql.raw(key)} is not null and ${sql.raw(key)} < ${sql.lit(boundAt(at))}) not valid`.execute(trx)
    return { table, at, is_validated: false }
  })
}

/** Returns false if another node has closed the partition or given up this end meanwhile. */
async function validateEnd(
  db: Db,
  { key, boundAt }: PartitionedTables,
  { table, at }: End,
  now: number,
): Promise<boolean> {
  const first = sql.table(beforeOf(table))
  // It gives up in time: while it reads, nobody could give up the end, beyond which rows are refused.
  const timeoutMs = Math.min(Math.max(Math.trunc(at - marginMs - now), 1_000), 2_147_483_647)
  const validate = () =>
    withTimeout(db, timeoutMs, (trx) =>
      sql`alter table ${first} validate constraint ${sql.ref(constraintOf(table))}`.execute(trx),
    )
  const validateOrMakeRoom = () =>
    validate().catch(async (error: unknown) => {
      if (sqlState(error) !== checkViolation) throw error
      // Of clocks that were far ahead: these few rows are out of sight until the partition is closed.
      await withTimeout(db, timeoutMs, async (trx) => {
        const aside = sql.table(asideOf(table))
        await sql`create table if not exists ${aside} (like ${first} including indexes)`.execute(trx)
        await sql`with later as (delete from ${first} where ${sql.raw(key)} >= ${boundAt(at)} returning *)
        insert into ${aside} select * from later`.execute(trx)
      })
      await validate()
    })
  try {
    await validateOrMakeRoom()
    return true
  } catch (error) {
    if (sqlState(error) === noSuchConstraint) return false
    throw error
  }
}

const checkViolation = '23514'
const noSuchConstraint = '42704'

const withTimeout = (db: Db, ms: number, work: (trx: Trx) => Promise<unknown>): Promise<void> =>
  inTransaction(db, async (trx) => {
    await sql`set local statement_timeout = ${sql.lit(ms)}`.execute(trx)
    await work(trx)
  })

const dropEnd = (db: Db, table: string): Promise<void> =>
  withShortLocks(db, async (trx) => {
    await sql`alter table ${sql.table(beforeOf(table))} drop constraint if exists ${sql.ref(constraintOf(table))}`.execute(
      trx,
    )
    await moveBack(trx, table, beforeOf(table))
  })

async function moveBack(trx: Trx, table: string, to: string): Promise<void> {
  const { rows } = await sql<{
    is_there: boolean
  }>`select to_regclass(${asideOf(table)}) is not null as is_there`.execute(trx)
  if (rows[0]?.is_there !== true) return
  await sql`insert into ${sql.table(to)} select * from ${sql.table(asideOf(table))}`.execute(trx)
  await sql`drop table ${sql.table(asideOf(table))}`.execute(trx)
}
