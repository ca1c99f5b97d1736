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
import { findCampaign, lockCampaignIfExists, type StoredCampaign } from './store.ts'
import { figureTallies } from './summary-figures.ts'
import { templateOf } from './voucher-template.ts'

/**
 * Jobs with the same key run one at a time, in the order of creation
 * (docs/reference/async-actions.md#jobs-of-one-campaign).
 */
export const campaignSerialKey = ({ campaign_id }: { campaign_id: string }): string => `campaign ${campaign_id}`

/**
 * Generates the first vouchers of a campaign: one immediately, several in a job
 * (docs/reference/campaigns.md#create-a-campaign).
 */
export async function startGenerating(ctx: Ctx, campaign: StoredCampaign, count: number): Promise<void> {
  if (count === 0) return
  const config = campaign.voucher?.code_config as CodeConfig
  if (count > 1) {
    await generateInBackground(ctx, campaign, templateOf(campaign), config, count)
    return
  }
  await refuseBeyondLimit(ctx, campaign, 1)
  await makeAll(ctx, templateOf(campaign), config, 1)
  await completeFirstVoucher(ctx, campaign)
}

/** Counts the single first voucher of a campaign and emits the completion event. */
export async function completeFirstVoucher(ctx: Ctx, campaign: StoredCampaign): Promise<void> {
  await countMade(ctx, templateOf(campaign), 1)
  await emit(ctx, 'campaign.vouchers.generation.completed', campaign.id, {
    campaign: toSimpleCampaign(campaign),
    count: 1,
    completed_at: ctx.now,
  })
}

/**
 * Starts a job that generates vouchers. Limit and code space are checked first, so an impossible request is refused at
 * once.
 */
export async function generateInBackground(
  ctx: Ctx,
  campaign: StoredCampaign,
  template: VoucherTemplate,
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
  return startAsyncAction(ctx, generateVouchers, { campaign_id: campaign.id, mould: template, config, count })
}

/**
 * The maximum number of vouchers in a campaign, not counting those created by publications
 * (docs/reference/codes.md#how-many-codes-a-campaign-may-have).
 */
export const vouchersMax = ({ project }: Ctx): number =>
  project.limits?.campaign_vouchers ?? limits.campaign_vouchers_max

/**
 * Refuses vouchers beyond the limit. The caller has locked the campaign, so two requests cannot both take the last free
 * place.
 */
export async function refuseBeyondLimit(ctx: Ctx, campaign: StoredCampaign, count: number): Promise<void> {
  if ((await remainingCapacity(ctx, campaign)) < count)
    throw invalidCampaign(`A campaign can have at most ${vouchersMax(ctx)} vouchers`)
}

/**
 * How many vouchers may still be added, minus those that jobs have yet to create. Reads the tallies again: a request that
 * waited for the campaign lock has a count from before the wait.
 */
export async function remainingCapacity(ctx: Ctx, { id, vouchers_pending }: StoredCampaign): Promise<number> {
  const { rows } = await sql<{ counted: number }>`
    select coalesce(sum(case name when ${automaticTally(id)} then -delta else delta end), 0)::bigint as counted
    from tallies where project_id = ${ctx.project_id} and name in (${automaticTally(id)}, ${`campaign/${id}/vouchers`})`.execute(
    ctx.db,
  )
  return vouchersMax(ctx) - (rows[0]?.counted ?? 0) - vouchers_pending
}

/** The tally of vouchers that publications created. */
export const automaticTally = (campaignId: string) => `campaign/${campaignId}/automatic` as const

/** Counts new vouchers for the project, the campaign and the day. */
export async function countMade(
  ctx: Ctx,
  template: Pick<VoucherTemplate, 'campaign_id' | 'type' | 'credits'>,
  count: number,
) {
  await countMany(ctx, template, count, (template.credits ?? 0) * count)
}

/** The same for vouchers with different credits, given their sum. */
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
  /** No free codes are left. The vouchers of this step are committed; the next step fails the job. */
  isExhausted?: boolean
}

/** Generates vouchers in batches of `codes_at_once`. Committed batches stay if the job runs out of free codes. */
export const generateVouchers = defineAsyncAction<GenerateInput, GenerateState>({
  type: 'CAMPAIGN.VOUCHERS_GENERATE',
  serialKey: campaignSerialKey,
  async begin(ctx, { campaign_id }) {
    await jobBegun(ctx, campaign_id, 'IN_PROGRESS')
    return { made: 0 }
  },
  async step(ctx, { campaign_id, mould: template, config, count }, { made, isExhausted = false }) {
    if (isExhausted) throw exhausted()
    // If the campaign was deleted while the job was queued, create nothing: the vouchers would be deleted right after.
    const campaignExists = await lockCampaignIfExists(ctx, campaign_id)
    const wanted = campaignExists ? Math.min(limits.codes_at_once, count - made) : 0
    const { length: created } = await makeVouchers(ctx, template, config, wanted)
    await countMade(ctx, template, created)
    await vouchersArrived(ctx, campaign_id, created)
    const isDoubled = Math.floor(Math.log2(made + created)) > Math.floor(Math.log2(made))
    if (isDoubled) await analyzeIfGrown(ctx.db, ctx.project_id, 'vouchers')
    const state = { made: made + created, isExhausted: created < wanted }
    return {
      state,
      progress: (state.made / count) * 100,
      done: created,
      failed: [],
      finished: state.made === count || !campaignExists,
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
  async onFailed(ctx, { campaign_id, count }, state) {
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
