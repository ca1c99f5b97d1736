import { sql } from 'kysely'
import { newId } from '../lib/ids.ts'
import type { Db } from './database.ts'

/**
 * What is counted, because counting its rows would take long: the rows of a project, what belongs to one campaign
 * (`campaign/camp_1/vouchers`), and its figures of one day (`campaign/camp_1/2026-01-31/publications_succeeded`).
 */
export type Tally =
  | 'customers'
  | 'orders'
  | 'vouchers'
  | 'codes'
  | 'publications'
  | 'redemptions'
  | `campaign/${string}`

/**
 * Notes that a project has so many rows more, or fewer, in the transaction that adds or removes them. Every change is a
 * row of its own: two writers never wait for each other, and a sum sees exactly what has been committed.
 */
export async function tally(db: Db, projectId: string, name: Tally, delta: number): Promise<void> {
  await tallyMany(db, projectId, [[name, delta]])
}

/** Several changes with one statement. */
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

/** The number of rows, as an expression of a statement: `pageOf(query, page, { total: tallyOf(project_id, 'customers') })`. */
export const tallyOf = (projectId: string, name: Tally) =>
  sql<number>`(select ${summed} from tallies where project_id = ${projectId} and name = ${name})`

/** Sums of amounts may be more than a number of JSON carries: nobody reads more than that. */
export const summed = sql<number>`least(greatest(coalesce(sum(delta), 0), -9007199254740991), 9007199254740991)::bigint`

/**
 * Replaces up to so many changes by the sum of those that belong together, and answers how many it took: fewer than
 * asked for when no more are left. Rows that somebody else is folding are left to them. It is one statement, so that
 * whoever adds a tally up sees either the changes or their sum. Changes are never changed, so that a row is where it is.
 */
export async function foldTallies(db: Db, rowsMax: number): Promise<number> {
  const { rows } = await sql<{ folded: number }>`
    with held as materialized (
      select t.ctid as place from tallies t
      join (select project_id, name from tallies group by project_id, name having count(*) > 1) many
        on many.project_id = t.project_id and many.name = t.name
      limit ${rowsMax} for update of t skip locked
    ), gone as (
      delete from tallies t using held where t.ctid = held.place returning t.project_id, t.name, t.delta
    ), kept as (
      insert into tallies (project_id, name, id, delta)
      select project_id, name, ${newId('background_run')}, sum(delta) from gone group by project_id, name
    )
    select count(*) as folded from gone`.execute(db)
  return rows[0]?.folded ?? 0
}
