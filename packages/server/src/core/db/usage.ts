import { sql } from 'kysely'
import type { Db } from './database.ts'
import { withinProjects } from './within-projects.ts'

/** Usage of a campaign, a tier, or a code without a campaign. */
export interface Usage {
  redemptions: number
  /** Amount of the orders before any discount. */
  orders_amount: number
  discounted_amount: number
  credits: number
}

const noUsage: Usage = { redemptions: 0, orders_amount: 0, discounted_amount: 0, credits: 0 }

/** Usage minus rollbacks, for each of some ids. */
export async function netUsageOf(
  db: Db,
  projectId: string,
  scopeIds: readonly string[],
): Promise<(id: string) => Usage> {
  if (scopeIds.length === 0) return () => noUsage
  const { rows } = await sql<Usage & { scope_id: string }>`
    select scope_id, ${sql.join(columns.map((name) => sql`${cappedSum(sql`case when is_undone then -${name} else ${name} end`)} as ${name}`))}
    from usage where project_id = ${projectId} and scope_id = any(${scopeIds}::text[]) group by scope_id`.execute(db)
  const byId = new Map(rows.map(({ scope_id, ...usage }) => [scope_id, usage]))
  return (id) => byId.get(id) ?? noUsage
}

/** Usage of one id from one day to another, both included, without subtracting rollbacks. */
export async function grossUsageOf(
  db: Db,
  projectId: string,
  scopeId: string,
  { start_date, end_date }: { start_date?: string; end_date?: string },
): Promise<Usage> {
  const { rows } = await sql<Usage>`
    select ${sql.join(columns.map((name) => sql`${cappedSum(name)} as ${name}`))} from usage
    where project_id = ${projectId} and scope_id = ${scopeId} and not is_undone
      and day >= ${start_date ?? '-infinity'}::date and day <= ${end_date ?? 'infinity'}::date`.execute(db)
  return rows[0] ?? noUsage
}

const columns = (['redemptions', 'orders_amount', 'discounted_amount', 'credits'] as const).map((name) => sql.ref(name))

/** Sums of amounts may exceed the integers that JSON numbers represent exactly: they are capped there. */
const cappedSum = (value: ReturnType<typeof sql>) => sql`least(coalesce(sum(${value}), 0), 9007199254740991)::bigint`

/**
 * Merges up to `rowsMax` single rows into the sums of their days and returns how many it merged: fewer than `rowsMax` when none
 * remain. Skips rows that another node has locked. It is one statement, so a concurrent sum sees either the rows or their
 * total; sums are written in a fixed order, so two nodes that merge cannot deadlock.
 */
export const foldUsage = (db: Db, rowsMax: number): Promise<number> =>
  withinProjects(db, sql`usage where id <> ''`, async (_, projectId) => {
    if (projectId !== null) {
      const { rows: one } = await sql<{
        folded: number
      }>`select fold_usage(${projectId}, ${rowsMax}::int) as folded`.execute(db)
      return one[0]?.folded ?? 0
    }
    const { rows } = await sql<{ folded: number }>`
    with held as materialized (
      select ctid as place from usage where id <> '' order by project_id, scope_id, day, is_undone
      limit ${rowsMax} for update skip locked
    ), gone as (
      delete from usage u using held where u.ctid = held.place returning u.*
    ), kept as (
      insert into usage as u (project_id, scope_id, day, is_undone, id, redemptions, orders_amount, discounted_amount, credits)
      select project_id, scope_id, day, is_undone, '', sum(redemptions), sum(orders_amount), sum(discounted_amount), sum(credits)
      from gone group by project_id, scope_id, day, is_undone order by project_id, scope_id, day, is_undone
      on conflict (project_id, scope_id, day, is_undone, id) do update set redemptions = u.redemptions + excluded.redemptions,
        orders_amount = u.orders_amount + excluded.orders_amount,
        discounted_amount = u.discounted_amount + excluded.discounted_amount, credits = u.credits + excluded.credits
    )
    select count(*) as folded from gone`.execute(db)
    return rows[0]?.folded ?? 0
  })
