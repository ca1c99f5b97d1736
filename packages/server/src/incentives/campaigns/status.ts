import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CampaignRow, CampaignStatus } from '../../core/db/tables.ts'

// The jobs of a campaign run one after another (docs/reference/async-actions.md#jobs-of-one-campaign); its status says what the
// one at work does.

type CampaignId = CampaignRow['id']

/** A job was started in this transaction; so many codes will come of it. */
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

/** A job has its turn. */
export async function jobBegun({ db, project_id }: Ctx, id: CampaignId, status: CampaignStatus): Promise<void> {
  await db.updateTable('campaigns').set({ status }).where('project_id', '=', project_id).where('id', '=', id).execute()
}

/** So many of the codes that a job promised are made, or will never be. */
export async function vouchersArrived({ db, project_id }: Ctx, id: CampaignId, count: number): Promise<void> {
  await db
    .updateTable('campaigns')
    .set({ vouchers_pending: sql`greatest(0, vouchers_pending - ${count})` })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .execute()
}

/** A job is over. While others wait, the campaign is not done yet. */
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
