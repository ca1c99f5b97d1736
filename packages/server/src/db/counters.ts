import { sql } from 'kysely'
import type { Db } from './connect.ts'

export interface Spending {
  /** What is counted, for example `campaign:camp_1:redemptions`. Each name at most once. */
  name: string
  /** How much to add; negative gives back. */
  by: number
  /** The sum may not exceed this; null counts without a limit. */
  ceiling: number | null
}

/**
 * Adds to counters, all or none, and answers the names that had no room (empty: everything was added).
 *
 * The statement that spends a limit also checks it; rows are taken in the order of their names, so two calls that share
 * counters never wait for each other in a circle. With a refusal the caller undoes its transaction.
 */
export async function spend(db: Db, project_id: string, spendings: readonly Spending[]): Promise<string[]> {
  if (spendings.length === 0) return []
  const names = spendings.map(({ name }) => name)
  const { rows } = await sql<{ name: string }>`
    insert into counters as c (project_id, name, used, ceiling)
    select ${project_id}, s.name, s.by, s.ceiling
    from unnest(${names}::text[], ${spendings.map(({ by }) => by)}::bigint[], ${spendings.map(({ ceiling }) => ceiling)}::bigint[])
      as s (name, by, ceiling)
    where s.ceiling is null or s.by <= s.ceiling
    order by s.name collate "C"
    on conflict (project_id, name) do update
      set used = c.used + excluded.used, ceiling = excluded.ceiling
      where excluded.ceiling is null or c.used + excluded.used <= excluded.ceiling
    returning name`.execute(db)
  const added = new Set(rows.map(({ name }) => name))
  return names.filter((name) => !added.has(name))
}
