import { sql } from 'kysely'
import { newId } from '../lib/ids.ts'
import type { Db } from './database.ts'
import type { VoucherType } from './tables.ts'
import { withinProjects } from './within-projects.ts'

/**
 * Counters, because counting rows would take too long: rows of a project, rows of one campaign (`campaign/camp_1/vouchers`),
 * and figures of a campaign on one day (`campaign/camp_1/2026-01-31/publications_succeeded`).
 */
export type Tally =
  | 'customers'
  | 'orders'
  | 'vouchers'
  | 'codes'
  | 'publications'
  | 'redemptions'
  | `campaign/${string}`
  | OwedTally

/**
 * What deleted cards of a campaign, or of none (`owed//points`), take away from what is owed to holders; the rest is a sum of postings
 * (statistics/sums/read.ts).
 */
export type OwedTally = `owed/${string}/${'points' | 'gift_cards'}`

export const owedTally = ({ campaign_id, type }: { campaign_id: string | null; type: VoucherType }): OwedTally =>
  `owed/${campaign_id ?? ''}/${type === 'GIFT_VOUCHER' ? 'gift_cards' : 'points'}`

/**
 * Adds `delta` to a counter, in the transaction that inserts or deletes the rows. Every change is a separate row: writers
 * never wait for each other, and the sum is exactly what has been committed.
 */
export async function tally(db: Db, projectId: string, name: Tally, delta: number): Promise<void> {
  await tallyMany(db, projectId, [[name, delta]])
}

/** Adds several deltas in one statement. */
export async function tallyMany(
  db: Db,
  projectId: string,
  deltas: ReadonlyArray<readonly [name: Tally, delta: number]>,
): Promise<void> {
  const changes = deltas.filter(([, delta]) => delta !== 0)
  if (changes.length === 0) return
  await db
    .insertInto('tallies')
    .values(changes.map(([name, delta]) => ({ project_id: projectId, name, id: newId('background_run'), delta })))
    .execute()
}

/** The value of a counter, as an SQL expression: `pageOf(query, page, { total: tallyOf(project_id, 'customers') })`. */
export const tallyOf = (projectId: string, name: Tally) =>
  sql<number>`(select ${summed} from tallies where project_id = ${projectId} and name = ${name})`

/** Sums of amounts may exceed the integers that JSON numbers represent exactly: they are capped there. */
export const summed = sql<number>`least(greatest(coalesce(sum(delta), 0), -9007199254740991), 9007199254740991)::bigint`

/**
 * Merges up to `rowsMax` changes into one row per counter and returns how many rows it merged: fewer than `rowsMax` when none
 * remain. Skips rows that another node has locked. It is one statement, so a concurrent sum sees either the changes or their
 * total. Rows are never updated, so their `ctid` is stable.
 */
export const foldTallies = (db: Db, rowsMax: number): Promise<number> =>
  withinProjects(db, sql`tallies group by project_id, name having count(*) > 1`, async (_, projectId) => {
    if (projectId !== null) {
      const { rows: one } = await sql<{ folded: number }>`
        select fold_tallies(${projectId}, ${newId('background_run')}, ${rowsMax}::int) as folded`.execute(db)
      return one[0]?.folded ?? 0
    }
    const { rows } = await sql<{ folded: number }>`
    with held as materialized (
      select t.ctid as place from tallies t
      join (select project_id, name from tallies group by project_id, name having count(*) > 1) many
        on many.project_id = t.project_id and many.name = t.name
      limit ${rowsMax} for update of t skip locked
    ), gone as (
      delete from tallies t using held where t.ctid = held.place
      returning t.project_id, t.name, t.delta
    ), kept as (
      insert into tallies (project_id, name, id, delta)
      select project_id, name, ${newId('background_run')}, sum(delta) from gone group by project_id, name
    )
    select count(*) as folded from gone`.execute(db)
    return rows[0]?.folded ?? 0
  })
