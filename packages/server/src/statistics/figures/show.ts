import type { Ctx } from '../../core/context.ts'
import { toInstant } from '../../core/lib/instant.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import { wholeProject } from '../sums/figures.ts'
import { noFigures, plus, readSums, type Sums } from '../sums/read.ts'
import { askedRange } from './range.ts'
import type { StatisticsOverview, StatisticsPoint, StatisticsQuery } from './schema.ts'
import { countMembers, listCampaignNames } from './store.ts'

export async function overviewOf(ctx: Ctx, query: StatisticsQuery): Promise<StatisticsOverview> {
  const { shown, sums } = await statisticsOf(ctx, wholeProject, query)
  const named = await listCampaignNames(
    ctx,
    [...sums.campaigns, ...sums.campaigns_by_order_amount].map(({ id }) => id),
  )
  const ranked = (campaigns: Sums['campaigns']) =>
    campaigns.map(({ id, ...figures }) => ({
      id,
      name: named.get(id)?.name ?? null,
      campaign_type: named.get(id)?.campaign_type ?? null,
      ...figures,
    }))
  return {
    ...shown,
    campaigns: ranked(sums.campaigns),
    campaigns_by_order_amount: ranked(sums.campaigns_by_order_amount),
    refusals: sums.refusals,
  }
}

export async function campaignStatisticsOf(ctx: Ctx, campaign: StoredCampaign, query: StatisticsQuery) {
  const { shown } = await statisticsOf(ctx, campaign.id, query)
  const { id, name, campaign_type, vouchers_count } = campaign
  return { ...shown, campaign: { id, name, campaign_type }, vouchers_count }
}

export async function loyaltyStatisticsOf(ctx: Ctx, program: StoredCampaign, query: StatisticsQuery) {
  const statistics = await campaignStatisticsOf(ctx, program, query)
  const { members, tiers } = await countMembers(ctx, program.id)
  return { ...statistics, pending: statistics.all_time.points_pending, members, tiers }
}

async function statisticsOf(ctx: Ctx, scopeId: string, query: StatisticsQuery) {
  const { range, interval, points, previous } = askedRange(ctx, query)
  const sums = await readSums(ctx, { scope_id: scopeId, points: [previous, ...points], range })
  const [before = noFigures, ...figures] = sums.points
  const { timezone, currency } = ctx.project
  const shown = {
    object: 'statistics' as const,
    from: toInstant(range.from),
    to: toInstant(range.to),
    interval,
    timezone,
    currency,
    updated_at: sums.updated_at,
    is_complete: !sums.has_history_to_add,
    totals: figures.reduce(plus, noFigures),
    previous: before,
    series: points.map(
      ({ from }, place): StatisticsPoint => ({
        from: toInstant(from),
        ...(figures[place] ?? noFigures),
      }),
    ),
    all_time: sums.all_time,
    owed: sums.owed,
  }
  return { shown, sums }
}
