import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import type { StatisticsSource } from '../../core/db/tables.ts'
import { inTransaction, type Trx } from '../../core/db/transaction.ts'
import { changesSql, countedOrdersSql } from './changes-sql.ts'
import { allTime, figures, grains } from './figures.ts'
import { sourceNames, walkKeys } from './sources.ts'

/** Rows of a table in one step; those that the same transaction wrote are not divided. */
const batchRows = 2_000

/**
 * Adds rows to the sums of a project that are not in them yet: a batch of each table. Returns whether there may be more. Exact
 * under concurrency (docs/decisions/0064-statistics-from-sums.md):
 *
 * - A row has the id of its transaction as its position. A batch ends before the oldest running transaction: of those before it,
 *   no row can still appear.
 * - One statement adds a batch to the sums and moves the position up to which they reach. Nodes take turns by locking the row of
 *   the progress, each before the snapshot of its statement.
 */
export async function addUp(db: Db, projectId: string, rowsMax = batchRows): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    if (!(await lockProgress(trx, projectId))) return false // another node is at it
    const walks = await trx
      .selectFrom('statistics_history')
      .where('project_id', '=', projectId)
      .select(['source', 'walked_to'])
      .execute()
    let hasMore = false
    for (const source of sourceNames) hasMore = (await addNewRows(trx, projectId, source, rowsMax)) || hasMore
    for (const { source, walked_to } of walks)
      hasMore = (await addOldRows(trx, projectId, source, walked_to, rowsMax)) || hasMore
    await sql`update statistics_progress set added_up_at = now() where project_id = ${projectId}`.execute(trx)
    return hasMore
  })
}

/** Whether nobody else has the row. */
async function lockProgress(trx: Trx, projectId: string): Promise<boolean> {
  const lock = async () => {
    const { rows } = await sql`
      select from statistics_progress where project_id = ${projectId} for update skip locked`.execute(trx)
    return rows.length > 0
  }
  if (await lock()) return true
  // Not inserted at first: `on conflict` waits for whoever is changing the row, and every worker of every node would hold a connection.
  const { rows: known } = await sql`select from statistics_progress where project_id = ${projectId}`.execute(trx)
  if (known.length > 0) return false
  await sql`insert into statistics_progress (project_id) values (${projectId}) on conflict do nothing`.execute(trx)
  return lock()
}

/** Adds the rows of the next transactions. Returns whether there may be more. */
async function addNewRows(trx: Trx, projectId: string, source: StatisticsSource, rowsMax: number): Promise<boolean> {
  const reached = sql.ref(`${source}_to`)
  // With the last transaction as a whole.
  const batch = (columns: RawBuilder<unknown>) => sql`
    select ${columns} from ${sql.table(source)} r
    where r.project_id = ${projectId} and r.position > 0 and r.position > (select reached from progress)
      and r.position < pg_snapshot_xmin(pg_current_snapshot())::text::bigint + (select shift from event_positions)
    order by r.position fetch first ${sql.lit(rowsMax)} rows with ties`
  const { rows } = await sql<{ found: number }>`
    with progress as materialized (select ${reached} as reached from statistics_progress where project_id = ${projectId}),
    next as materialized (
      select count(*) as found, max(position) as reach from (${batch(sql`r.position`)}) r
    ),
    ${added(projectId, source, batch(sql`r.*`))},
    moved as (
      update statistics_progress set ${reached} = next.reach from next
      where project_id = ${projectId} and next.reach is not null
    )
    select found from next`.execute(trx)
  return (rows[0]?.found ?? 0) >= rowsMax
}

/** Adds rows that were written before positions were, and forgets the walk after the last. Returns whether there may be more. */
async function addOldRows(
  trx: Trx,
  projectId: string,
  source: StatisticsSource,
  walkedTo: string,
  rowsMax: number,
): Promise<boolean> {
  const key = walkKeys[source]
  const batch = (columns: RawBuilder<unknown>) => sql`
    select ${columns} from ${sql.table(source)} r where r.project_id = ${projectId} and ${key} > ${walkedTo}
    order by ${key} fetch first ${sql.lit(rowsMax)} rows with ties`
  const { rows } = await sql<{ found: number }>`
    with next as materialized (select count(*) as found, max(key) as reach from (${batch(sql`${key} as key`)}) r),
    ${added(projectId, source, sql`select * from (${batch(sql`r.*`)}) r where r.position = 0`)},
    moved as (
      update statistics_history set walked_to = next.reach from next
      where project_id = ${projectId} and source = ${source} and next.reach is not null
    )
    select found from next`.execute(trx)
  // Not only when none are left: in a busy shop there always are, but new ones have a position.
  if ((rows[0]?.found ?? 0) >= rowsMax) return true
  await trx.deleteFrom('statistics_history').where('project_id', '=', projectId).where('source', '=', source).execute()
  return false
}

/** The parts of a statement that add some rows to the sums. */
function added(projectId: string, source: StatisticsSource, rows: RawBuilder<unknown>): RawBuilder<unknown> {
  const columns = sql.join(figures.map((name) => sql.ref(name)))
  const saved = sql`saved as (
      insert into statistics_sums as s (project_id, scope_id, grain, starts_at, ${columns})
      select ${projectId}, c.scope_id, g.grain, ${startOf}, ${sql.join(figures.map((name) => sql`sum(c.${sql.ref(name)})`))}
      from changes c cross join ${everyGrain} group by 2, 3, 4
      on conflict (project_id, scope_id, grain, starts_at) do update
        set ${sql.join(figures.map((name) => sql`${sql.ref(name)} = s.${sql.ref(name)} + excluded.${sql.ref(name)}`))}
    )`
  const parts = [sql`changes as materialized (${changesSql[source](projectId, rows)})`, saved]
  if (source === 'redemptions')
    parts.push(sql`refused as (
      insert into statistics_refusals as s (project_id, scope_id, grain, starts_at, reason, count)
      select ${projectId}, c.scope_id, g.grain, ${startOf}, c.reason, sum(c.failed_redemptions)
      from changes c cross join ${everyGrain} where c.reason is not null group by 2, 3, 4, 5
      on conflict (project_id, scope_id, grain, starts_at, reason) do update set count = s.count + excluded.count
    )`)
  if (source === 'orders')
    // The sums above are made of the rows as they were before this.
    parts.push(
      sql`counted as materialized (${countedOrdersSql(rows)})`,
      sql`kept as (
        insert into statistics_orders (project_id, order_id, is_discounted, amount, total_amount)
        select ${projectId}, id, is_discounted, amount, total_amount from counted where is_counted
        on conflict (project_id, order_id) do update set is_discounted = excluded.is_discounted, amount = excluded.amount,
          total_amount = excluded.total_amount
      )`,
      sql`uncounted as (
        delete from statistics_orders k using counted
        where k.project_id = ${projectId} and k.order_id = counted.id and not counted.is_counted
      )`,
    )
  return sql.join(parts)
}

const everyGrain = sql`unnest(${sql.lit(`{${[allTime, ...grains].join()}}`)}::int[]) g (grain)`
const startOf = sql`case g.grain when 0 then 'epoch' else date_bin(g.grain * interval '1 minute', c.starts_at, 'epoch') end`
