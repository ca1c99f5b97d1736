import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { analyzeIfGrown } from '../../core/db/statistics.ts'
import type { CampaignRow, CodeConfig } from '../../core/db/tables.ts'
import { tallyMany } from '../../core/db/tallies.ts'
import { emit } from '../../core/events/emit.ts'
import { defineAsyncAction, startAsyncAction } from '../../core/jobs/async-action.ts'
import type { Id } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { exhausted, makeAll, makeVouchers, refuseUnlessPossible, type VoucherTemplate } from '../vouchers/make.ts'
import { toSimpleCampaign } from './campaign.ts'
import { invalidCampaign } from './define.ts'
import { jobBegun, jobOver, jobStarted, vouchersArrived } from './status.ts'
import { findCampaign, holdCampaign, type StoredCampaign } from './store.ts'
import { figureTallies } from './summary-figures.ts'
import { templateOf } from './voucher-template.ts'

/** Jobs of one campaign run one after another, in the order of arrival (docs/reference/async-actions.md#jobs-of-one-campaign). */
export const campaignSerialKey = ({ campaign_id }: { campaign_id: string }): string => `campaign ${campaign_id}`

/** The first codes of a campaign: one is made at once, more in the background (docs/reference/campaigns.md#create-a-campaign). */
export async function startGenerating(ctx: Ctx, campaign: StoredCampaign, count: number): Promise<void> {
  if (count === 0) return
  const config = campaign.voucher?.code_config as CodeConfig
  if (count > 1) {
    await generateInBackground(ctx, campaign, templateOf(campaign), config, count)
    return
  }
  await refuseBeyondLimit(ctx, campaign, 1)
  await makeAll(ctx, templateOf(campaign), config, 1)
  await makeFirst(ctx, campaign)
}

/** Counts the one code that a campaign begins with, and tells of it. */
export async function makeFirst(ctx: Ctx, campaign: StoredCampaign): Promise<void> {
  await countMade(ctx, templateOf(campaign), 1)
  await emit(ctx, 'campaign.vouchers.generation.completed', campaign.id, {
    campaign: toSimpleCampaign(campaign),
    count: 1,
    completed_at: ctx.now,
  })
}

/** Starts a job that makes codes; whether they can be made is known before it starts. */
export async function generateInBackground(
  ctx: Ctx,
  campaign: StoredCampaign,
  mould: VoucherTemplate,
  config: CodeConfig,
  count: number,
): Promise<{ async_action_id: Id<'async_action'> }> {
  await refuseBeyondLimit(ctx, campaign, count)
  await refuseUnlessPossible(ctx, config, count)
  await jobStarted(ctx, campaign.id, 'IN_PROGRESS', count)
  await emit(ctx, 'campaign.vouchers.generation.started', campaign.id, {
    campaign: toSimpleCampaign(campaign),
    count,
    started_at: ctx.now,
  })
  return startAsyncAction(ctx, generateVouchers, { campaign_id: campaign.id, mould, config, count })
}

/**
 * The most codes that a campaign may have besides those that publications made
 * (docs/reference/codes.md#how-many-codes-a-campaign-may-have).
 */
export const vouchersMax = ({ project }: Ctx): number =>
  project.limits?.campaign_vouchers ?? limits.campaign_vouchers_max

/** Refuses what would make a campaign too large. The caller holds it alone, so that two cannot both be the last. */
export async function refuseBeyondLimit(ctx: Ctx, campaign: StoredCampaign, count: number): Promise<void> {
  if ((await roomIn(ctx, campaign)) < count)
    throw invalidCampaign(`A campaign can have at most ${vouchersMax(ctx)} vouchers`)
}

/**
 * How many codes a campaign has room for, those that jobs will still make taken off. They are counted now: whoever waited
 * for the campaign was handed a count from before the wait.
 */
export async function roomIn(ctx: Ctx, { id, vouchers_pending }: StoredCampaign): Promise<number> {
  const { rows } = await sql<{ counted: number }>`
    select coalesce(sum(case name when ${automaticTally(id)} then -delta else delta end), 0)::bigint as counted
    from tallies where project_id = ${ctx.project_id} and name in (${automaticTally(id)}, ${`campaign/${id}/vouchers`})`.execute(
    ctx.db,
  )
  return vouchersMax(ctx) - (rows[0]?.counted ?? 0) - vouchers_pending
}

/** How many codes of a campaign were made by publications. */
export const automaticTally = (campaignId: string) => `campaign/${campaignId}/automatic` as const

/** Counts new codes: of the project, of the campaign, of the day. */
export async function countMade(
  ctx: Ctx,
  mould: Pick<VoucherTemplate, 'campaign_id' | 'type' | 'credits'>,
  count: number,
) {
  await countMany(ctx, mould, count, (mould.credits ?? 0) * count)
}

/** The same where the credits differ; their sum is given. */
export async function countMany(
  ctx: Ctx,
  { campaign_id, type }: Pick<VoucherTemplate, 'campaign_id' | 'type'>,
  count: number,
  credits: number,
): Promise<void> {
  await tallyMany(ctx.db, ctx.project_id, [
    ['vouchers', count],
    ['codes', count],
    ...(campaign_id === null
      ? []
      : [
          [`campaign/${campaign_id}/vouchers`, count] as const,
          ...figureTallies(ctx, campaign_id, {
            vouchers_created: count,
            ...(type === 'GIFT_VOUCHER' ? { created_vouchers_amount: credits } : {}),
            ...(type === 'LOYALTY_CARD' ? { created_vouchers_points: credits } : {}),
          }),
        ]),
  ])
}

interface GenerateInput {
  campaign_id: CampaignRow['id']
  mould: VoucherTemplate
  config: CodeConfig
  count: number
}

interface GenerateState {
  made: number
  /** There are no more codes to be had. What the step before made is kept, then the job fails. */
  isExhausted?: boolean
}

/** Makes codes a thousand at a time. What is made stays, should there be no more codes to be had in the middle of it. */
export const generateVouchers = defineAsyncAction<GenerateInput, GenerateState>({
  type: 'CAMPAIGN.VOUCHERS_GENERATE',
  lane: campaignSerialKey,
  async begin(ctx, { campaign_id }) {
    await jobBegun(ctx, campaign_id, 'IN_PROGRESS')
    return { made: 0 }
  },
  async step(ctx, { campaign_id, mould, config, count }, { made, isExhausted = false }) {
    if (isExhausted) throw exhausted()
    // Deleted while it waited: its codes would be deleted right after.
    const isThere = await holdCampaign(ctx, campaign_id)
    const wanted = isThere ? Math.min(limits.codes_at_once, count - made) : 0
    const { length: arrived } = await makeVouchers(ctx, mould, config, wanted)
    await countMade(ctx, mould, arrived)
    await vouchersArrived(ctx, campaign_id, arrived)
    const isDoubled = Math.floor(Math.log2(made + arrived)) > Math.floor(Math.log2(made))
    if (isDoubled) await analyzeIfGrown(ctx.db, ctx.project_id, 'vouchers')
    const state = { made: made + arrived, isExhausted: arrived < wanted }
    return {
      state,
      progress: (state.made / count) * 100,
      done: arrived,
      failed: [],
      finished: state.made === count || !isThere,
    }
  },
  async finish(ctx, { campaign_id, count }, { done_count }) {
    const campaign = await findCampaign(ctx, campaign_id)
    await vouchersArrived(ctx, campaign_id, count - done_count)
    await jobOver(ctx, campaign_id)
    if (campaign !== undefined)
      await emit(ctx, 'campaign.vouchers.generation.completed', campaign_id, {
        campaign: toSimpleCampaign(campaign),
        count: done_count,
        completed_at: ctx.now,
      })
    return { message: `Generated ${done_count} vouchers.`, done_count }
  },
  async broken(ctx, { campaign_id, count }, state) {
    const campaign = await findCampaign(ctx, campaign_id)
    await vouchersArrived(ctx, campaign_id, count - (state?.made ?? 0))
    await jobOver(ctx, campaign_id, { failed: true })
    if (campaign !== undefined)
      await emit(ctx, 'campaign.vouchers.generation.failed', campaign_id, {
        campaign: toSimpleCampaign(campaign),
        count: state?.made ?? 0,
        failed_at: ctx.now,
        reason: 'Not all codes could be made.',
      })
  },
})
