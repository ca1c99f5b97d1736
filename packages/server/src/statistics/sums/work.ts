import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Runtime } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import { inTransaction, type Trx } from '../../core/db/transaction.ts'
import { newId } from '../../core/lib/ids.ts'
import { addUp } from './add-up.ts'
import { sourceNames } from './sources.ts'

/** Longer than the second of other watches: answers read what is not added up yet, so that nobody waits for it. */
const tickMs = 2_000

/** How long a rebuild waits while another process adds up the same project. */
const turnMs = 50

/** Adds new rows to the sums of all projects, on every node; nodes take turns per project. */
export function watchStatistics({ jobs, database }: Runtime): void {
  jobs.watch('statistics', (signal) => addUpAll(database.db, signal), { tick_ms: tickMs })
}

/** One batch for each project that has rows to add. Returns whether there may be more. */
export async function addUpAll(db: Db, signal?: AbortSignal): Promise<boolean> {
  let hasMore = false
  for (const projectId of await listProjectsWithWork(db)) {
    if (signal?.aborted) return false
    hasMore = (await addUp(db, projectId)) || hasMore
  }
  return hasMore
}

/**
 * Throws the sums of a project away and adds up all its rows again, beside nodes that serve. It is never needed to keep them exact: after
 * rows were written past the service, for instance by hand, it makes them agree again. Returns when all is added up that no running
 * transaction holds back. If it is interrupted, the nodes go on with it.
 */
export async function rebuildStatistics(db: Db, projectId: string): Promise<void> {
  await inTransaction(db, (trx) => forgetSums(trx, projectId))
  for (;;) {
    if (await addUp(db, projectId)) continue
    const history = await db
      .selectFrom('statistics_history')
      .where('project_id', '=', projectId)
      .select('source')
      .executeTakeFirst()
    if (history === undefined) return
    await setTimeout(turnMs) // a node that serves is at it
  }
}

async function forgetSums(trx: Trx, projectId: string): Promise<void> {
  await sql`insert into statistics_progress (project_id) values (${projectId}) on conflict do nothing`.execute(trx)
  await sql`select from statistics_progress where project_id = ${projectId} for update`.execute(trx)
  for (const table of ['statistics_sums', 'statistics_refusals', 'statistics_orders', 'statistics_history'])
    await sql`delete from ${sql.table(table)} where project_id = ${projectId}`.execute(trx)
  await sql`update statistics_progress set ${sql.join(sourceNames.map((source) => sql`${sql.ref(`${source}_to`)} = 0`))}
    where project_id = ${projectId}`.execute(trx)
  await trx
    .insertInto('statistics_history')
    .values(sourceNames.map((source) => ({ project_id: projectId, source })))
    .execute()
  // What was erased is no longer in the postings, and must not be subtracted from their sum. A difference is added, in one statement: others
  // may fold the tallies meanwhile, or delete cards, which adds one.
  await sql`insert into tallies (project_id, name, id, delta)
    select ${projectId}, name, ${newId('background_run')}, coalesce(right_sum, 0) - coalesce(stored_sum, 0) from (
      select name, sum(delta) as stored_sum from tallies where project_id = ${projectId} and name ^@ 'owed/' group by name) stored
    full join (
      select 'owed/' || coalesce(v.campaign_id, '') || case v.type when 'GIFT_VOUCHER' then '/gift_cards' else '/points' end as name,
        sum(case when p.destination = v.id then -p.amount when p.source = v.id then p.amount else 0 end) as right_sum
      from vouchers v join postings p on p.project_id = v.project_id and p.voucher_id = v.id and p.created_at <= v.deleted_at
      where v.project_id = ${projectId} and v.deleted_at is not null and v.credits_added is not null
      group by 1) found using (name)
    where coalesce(right_sum, 0) <> coalesce(stored_sum, 0)`.execute(trx)
}

async function listProjectsWithWork(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select p.id from projects p left join statistics_progress s on s.project_id = p.id
    where p.deleted_at is null and (
      exists (select from statistics_history h where h.project_id = p.id)
      ${sql.join(
        sourceNames.map(
          (source) => sql`or exists (select from ${sql.table(source)} r
            where r.project_id = p.id and r.position > 0 and r.position > coalesce(s.${sql.ref(`${source}_to`)}, 0))`,
        ),
        sql` `,
      )})`.execute(db)
  return rows.map(({ id }) => id)
}
