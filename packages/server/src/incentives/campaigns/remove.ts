import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { recordDeletion } from '../../core/db/configuration.ts'
import type { CampaignRow } from '../../core/db/tables.ts'
import { tally, tallyMany } from '../../core/db/tallies.ts'
import { deleteBinEntriesOf, deleteBinEntryOf, insertBinEntry } from '../../core/db/trash-bin.ts'
import { emit } from '../../core/events/emit.ts'
import { defineAsyncAction, startAsyncAction } from '../../core/jobs/async-action.ts'
import type { Id } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { deleteAssignmentsOf } from '../../rules/validation-rules/unassign.ts'
import { deleteTiersAndStacksOf } from '../promotions/remove-tier.ts'
import { destroyVouchers } from '../vouchers/remove.ts'
import { campaignSerialKey } from './generate.ts'
import { showCampaign } from './show.ts'
import { getCampaign, refuseProtected, type StoredCampaign, updateCampaign } from './store.ts'
import { countInSummary } from './summary-figures.ts'

type CampaignId = CampaignRow['id']

/**
 * Deletes a campaign that the caller has locked (docs/reference/campaigns.md#delete-a-campaign). From now on neither it
 * nor its vouchers can be read; a background job deletes the voucher rows or marks them as binned.
 */
export async function removeCampaign(
  ctx: Ctx,
  campaign: StoredCampaign,
  force: boolean,
): Promise<{ async_action_id: Id<'async_action'> }> {
  refuseProtected(campaign)
  const { id, name } = campaign
  // Read the count again: a request that waited for the lock has a count from before the wait.
  const { vouchers_count } = await getCampaign(ctx, id)
  const campaignView = await showCampaign(ctx, campaign)
  await deleteAssignmentsOf(ctx, 'campaign', [id])
  // Delete its reward assignments and referral tiers at once: no request could remove them later, and they would keep the
  // rewards in use.
  await ctx.reactions.campaignDeleted(ctx, id)
  await updateCampaign(ctx, id, { deleted_at: ctx.now })
  if (!force)
    await insertBinEntry(ctx, {
      resource_type: 'campaign',
      resource_id: id,
      resource_name: name,
      resource_parent_id: null,
    })
  await tallyMany(ctx.db, ctx.project_id, [
    ['vouchers', -vouchers_count],
    [`campaign/${id}/vouchers`, -vouchers_count],
  ])
  await countInSummary(ctx, id, { vouchers_deleted: vouchers_count })
  await emit(ctx, 'campaign.deleted', id, { campaign: campaignView, deleted_at: ctx.now })
  return startAsyncAction(ctx, deleteVouchers, { campaign_id: id, force })
}

/** Deletes a campaign in the bin for good: a small one immediately, a large one in a job. */
export async function destroyCampaign(ctx: Ctx, campaignId: string): Promise<void> {
  const id = campaignId as CampaignId
  const codes = await nextCodes(ctx, id, '', limits.codes_deleted_at_once)
  if (codes.length === limits.codes_deleted_at_once) {
    await startAsyncAction(ctx, deleteVouchers, { campaign_id: id, force: true })
    return
  }
  await ctx.reactions.campaignVouchersDeleting(ctx, codes)
  await destroyVouchers(ctx, codes)
  if (!(await ctx.reactions.campaignErasing(ctx, id))) {
    await startAsyncAction(ctx, deleteVouchers, { campaign_id: id, force: true })
    return
  }
  await eraseCampaign(ctx, id)
}

/** Moves the vouchers of a deleted campaign into the bin, or deletes them for good. */
export const deleteVouchers = defineAsyncAction<
  { campaign_id: CampaignId; force: boolean },
  { after: string; gone: number; total: number }
>({
  type: 'CAMPAIGN.VOUCHERS_DELETE',
  serialKey: campaignSerialKey,
  begin: async (ctx, { campaign_id }) => ({ after: '', gone: 0, total: await countCodes(ctx, campaign_id) }),
  async step(ctx, { campaign_id, force }, { after, gone, total }) {
    const codes = await nextCodes(ctx, campaign_id, after, limits.codes_deleted_at_once)
    await ctx.reactions.campaignVouchersDeleting(ctx, codes)
    const done = force ? codes.length : await binCodes(ctx, codes)
    if (force) await destroyVouchers(ctx, codes)
    const isLast = codes.length < limits.codes_deleted_at_once
    return {
      state: { after: codes.at(-1) ?? after, gone: gone + codes.length, total },
      progress: ((gone + codes.length) / total) * 100,
      done,
      failed: [],
      finished: isLast && (!force || (await ctx.reactions.campaignErasing(ctx, campaign_id))),
    }
  },
  async finish(ctx, { campaign_id, force }, { done_count }) {
    if (force) await eraseCampaign(ctx, campaign_id)
    return { message: `Deleted ${done_count} vouchers.`, done_count }
  },
})

/** All vouchers to process, including those binned earlier. */
async function countCodes({ db, project_id }: Ctx, id: CampaignId): Promise<number> {
  const { count } = await db
    .selectFrom('vouchers')
    .where('project_id', '=', project_id)
    .where('campaign_id', '=', id)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

async function nextCodes({ db, project_id }: Ctx, id: CampaignId, after: string, count: number): Promise<string[]> {
  const rows = await db
    .selectFrom('vouchers')
    .where('project_id', '=', project_id)
    .where('campaign_id', '=', id)
    .where('id', '>', after as `v_${string}`)
    .orderBy('id')
    .limit(count)
    .select('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Marks vouchers as binned with their campaign; returns how many were not binned before. */
async function binCodes(ctx: Ctx, ids: readonly string[]): Promise<number> {
  await deleteAssignmentsOf(ctx, 'voucher', ids)
  const { numAffectedRows = 0n } = await sql`
    update vouchers set deleted_at = ${ctx.now}::timestamptz
    where project_id = ${ctx.project_id} and id = any(${ids}::text[]) and deleted_at is null`.execute(ctx.db)
  return Number(numAffectedRows)
}

/** Deletes the rows of a campaign whose vouchers are gone; its name is free from now on. */
async function eraseCampaign(ctx: Ctx, id: CampaignId): Promise<void> {
  const { db, project_id } = ctx
  await deleteTiersAndStacksOf(ctx, id)
  await deleteBinEntriesOf(ctx, { campaign_id: id })
  await deleteBinEntryOf(ctx, 'campaign', id)
  const { numAffectedRows = 0n } =
    await sql`delete from publications where project_id = ${project_id} and campaign_id = ${id}`.execute(db)
  await tally(db, project_id, 'publications', -Number(numAffectedRows))
  await ctx.reactions.campaignErased(ctx, id)
  await sql`delete from tallies where project_id = ${project_id} and name ^@ ${`campaign/${id}/`}`.execute(db)
  await recordDeletion(db, project_id, 'campaign', id)
  await db.deleteFrom('campaigns').where('project_id', '=', project_id).where('id', '=', id).execute()
}
