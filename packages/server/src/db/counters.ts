import { sql } from 'kysely'
import type { Db } from './connect.ts'

export interface Spending {
  /** What is counted, for example `campaign:camp_1:redemptions`. Each name at most once. */
  name: string
  /** How much to add; negative gives back. */
  by: number
  /** The sum may not exceed this; null counts without a limit. Giving back ignores it. */
  ceiling: number | null
}

/**
 * Adds to counters, all or none, and answers the names that had no room (empty: everything was added).
 *
 * The statement that spends a limit also checks it; rows are taken in the order of their names, so two calls that share
 * counters never wait for each other in a circle. With a refusal the caller undoes its transaction.
 */
export async function spend(db: Db, project_id: string, spendings: readonly Spending[]): Promise<string[]> {
  const refused: string[] = []
  for (const run of runsInOrder(spendings)) {
    if ((run[0] as Spending).by < 0) await giveBack(db, project_id, run)
    else refused.push(...(await add(db, project_id, run)))
  }
  return refused
}

/**
 * Splits what is to be done, in the byte order of the names, into stretches that only add and stretches that only give
 * back. One statement cannot do both: an `insert … on conflict` checks the row it proposes before it finds the conflict,
 * and no counter may begin below zero.
 */
function runsInOrder(spendings: readonly Spending[]): Spending[][] {
  const runs: Spending[][] = []
  const ordered = spendings
    .filter(({ by }) => by !== 0)
    .sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
  for (const spending of ordered) {
    const last = runs.at(-1)
    if (last !== undefined && Math.sign((last[0] as Spending).by) === Math.sign(spending.by)) last.push(spending)
    else runs.push([spending])
  }
  return runs
}

async function add(db: Db, project_id: string, spendings: readonly Spending[]): Promise<string[]> {
  const names = spendings.map(({ name }) => name)
  const amounts = spendings.map(({ by }) => by)
  const ceilings = spendings.map(({ ceiling }) => ceiling)
  const { rows } = await sql<{ name: string }>`
    insert into counters as c (project_id, name, used, ceiling)
    select ${project_id}, s.name, s.by, s.ceiling
    from unnest(${names}::text[], ${amounts}::bigint[], ${ceilings}::bigint[]) as s (name, by, ceiling)
    where s.ceiling is null or s.by <= s.ceiling
    order by s.name collate "C"
    on conflict (project_id, name) do update
      set used = c.used + excluded.used, ceiling = excluded.ceiling
      where excluded.ceiling is null or c.used + excluded.used <= excluded.ceiling
    returning name`.execute(db)
  const added = new Set(rows.map(({ name }) => name))
  return names.filter((name) => !added.has(name))
}

/** There is always room to give back, also under a ceiling that was lowered below what is used. */
async function giveBack(db: Db, project_id: string, spendings: readonly Spending[]): Promise<void> {
  const names = spendings.map(({ name }) => name)
  const amounts = spendings.map(({ by }) => by)
  const { rows } = await sql`
    with s as (select * from unnest(${names}::text[], ${amounts}::bigint[]) as s (name, by)),
    held as materialized (
      select c.name from counters c
      where c.project_id = ${project_id} and c.name in (select s.name from s)
      order by c.name for update
    )
    update counters c set used = c.used + s.by
    from held join s on s.name collate "C" = held.name
    where c.project_id = ${project_id} and c.name = held.name
    returning 1`.execute(db)
  // Our own mistake, as is giving back more than was used, which the table refuses.
  if (rows.length < spendings.length) throw new Error(`One of ${names.join(', ')} gives back what was never used`)
}
