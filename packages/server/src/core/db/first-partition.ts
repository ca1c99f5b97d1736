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
import { inTransaction } from './transaction.ts'

const dayMs = 86_400_000
/** The first partition ends at the beginning of a period, at least so long after it was decided. */
const aheadMs = 7 * dayMs
/** So long before that moment the end is decided anew, if the partition has not been closed by then. */
const marginMs = 2 * dayMs

/**
 * Gives the first partition an end. A migration makes a large table the default partition of the table with its name, which takes a
 * moment whatever its size: PostgreSQL allows no further partitions before it knows that none of their rows is in there. A constraint
 * tells it. The rows are read to validate that, while requests read and write; then the table changes its place within a moment.
 *
 * While they are read, a row from after the end is refused: of a node whose clock is a week ahead. No other row is, because a constraint
 * that is not needed in time is given up.
 */
export async function closeFirstPartitions(db: Db, tables: PartitionedTables, now: number): Promise<void> {
  for (const { name, table, is_default } of await listPartitions(db, tables))
    if (is_default && name === beforeOf(table)) await closeFirst(db, tables, table, now)
}

async function closeFirst(db: Db, tables: PartitionedTables, table: string, now: number): Promise<void> {
  const first = sql.table(beforeOf(table))
  let end = await findEnd(db, tables, table)
  if (end !== null && end.at < now + marginMs) {
    await giveUp(db, table)
    end = null
  }
  end ??= await decideEnd(db, tables, table, now)
  if (!end.is_validated)
    await inTransaction(db, async (trx) => {
      await sql`set local statement_timeout = 0`.execute(trx)
      await sql`alter table ${first} validate constraint ${sql.ref(constraintOf(table))}`.execute(trx)
    }).catch(async (error: unknown) => {
      await giveUp(db, table)
      throw error
    })
  const bound = sql.lit(tables.boundAt(end.at))
  await withShortLocks(db, async (trx) => {
    if ((await findEnd(trx, tables, table)) === null) return // another node was faster
    await sql`alter table ${sql.table(table)} detach partition ${first}`.execute(trx)
    await sql`alter table ${sql.table(table)} attach partition ${first} for values from (minvalue) to (${bound})`.execute(
      trx,
    )
    await sql`alter table ${first} drop constraint ${sql.ref(constraintOf(table))}`.execute(trx)
    await createPartition(trx, tables, table, defaultOf(table))
    await sql`alter table ${sql.table(table)} attach partition ${sql.table(defaultOf(table))} default`.execute(trx)
  })
}

/** With its end as the digits of a moment, of which each node can tell whether it comes too soon. */
const constraintOf = (table: string): string => `${table}_before_end`

interface End {
  at: number
  is_validated: boolean
}

async function findEnd(db: Db, { key }: PartitionedTables, table: string): Promise<End | null> {
  const { rows } = await sql<{ text: string; is_validated: boolean }>`
    select pg_get_constraintdef(oid) as text, convalidated as is_validated from pg_constraint
    where conrelid = to_regclass(${beforeOf(table)}) and conname = ${constraintOf(table)}`.execute(db)
  if (rows[0] === undefined) return null
  const [, digits] = /< '\w*?([0-9a-f]{11})'/.exec(rows[0].text) ?? []
  if (digits === undefined) throw new Error(`Constraint ${constraintOf(table)} does not compare ${key} with a moment`)
  return { at: Number.parseInt(digits, 16), is_validated: rows[0].is_validated }
}

async function decideEnd(db: Db, tables: PartitionedTables, table: string, now: number): Promise<End> {
  const { period, boundAt } = tables
  const soonest = now + aheadMs
  const at = period.startOf(soonest) < soonest ? period.after(period.startOf(soonest)) : soonest
  const key = sql.raw(tables.key)
  return withShortLocks(db, async (trx) => {
    const decided = await findEnd(trx, tables, table) // by another node
    if (decided !== null) return decided
    await sql`alter table ${sql.table(beforeOf(table))} add constraint ${sql.ref(constraintOf(table))}
      check (${key} is not null and ${key} < ${sql.lit(boundAt(at))}) not valid`.execute(trx)
    return { at, is_validated: false }
  })
}

const giveUp = (db: Db, table: string): Promise<unknown> =>
  withShortLocks(db, (trx) =>
    sql`alter table ${sql.table(beforeOf(table))} drop constraint if exists ${sql.ref(constraintOf(table))}`.execute(
      trx,
    ),
  )
