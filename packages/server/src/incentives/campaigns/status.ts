import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CampaignRow, CampaignStatus } from '../../core/db/tables.ts'

// The jobs of a campaign run one at a time (docs/reference/async-actions.md#jobs-of-one-campaign); its status is that of
// the running job.

type CampaignId = CampaignRow['id']

/** Records a job that this transaction queued, with the number of vouchers it will create. */
export async function jobStarted(
  { db, project_id }: Ctx,
  id: CampaignId,
  status: CampaignStatus,
  vouchers = 0,
): Promise<void> {
  await db
    .updateTable('campaigns')
    .set({
      status,
      jobs_pending: sql`jobs_pending + 1`,
      vouchers_pending: sql`vouchers_pending + ${vouchers}`,
    })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .execute()
}

/** Records that a queued job starts to run. */
export async function jobBegun({ db, project_id }: Ctx, id: CampaignId, status: CampaignStatus): Promise<void> {
  await db.updateTable('campaigns').set({ status }).where('project_id', '=', project_id).where('id', '=', id).execute()
}

/** Records that `count` pending vouchers of a job are created, or will never be. */
export async function vouchersArrived({ db, project_id }: Ctx, id: CampaignId, count: number): Promise<void> {
  await db
    .updateTable('campaigns')
    .set({ vouchers_pending: sql`greatest(0, vouchers_pending - ${count})` })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .execute()
}

/** Records the end of a job. The campaign is DONE only when no other job is pending. */
export async function jobOver(
  { db, project_id }: Ctx,
  id: CampaignId,
  { failed = false }: { failed?: boolean } = {},
): Promise<void> {
  await db
    .updateTable('campaigns')
    .set({
      jobs_pending: sql`greatest(0, jobs_pending - 1)`,
      status: failed ? 'FAILED' : sql<CampaignStatus>`case when jobs_pending <= 1 then 'DONE' else status end`,
    })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .execute()
}
