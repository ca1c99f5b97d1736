import { Int } from '@guerdon/engine/schema'
import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Ctx } from '../../core/context.ts'
import type { CampaignType } from '../../core/db/tables.ts'
import { summed } from '../../core/db/tallies.ts'
import { grossUsageOf } from '../../core/db/usage.ts'
import { CalendarDate } from '../../core/events/shapes.ts'
import { invalidQuery } from '../../core/http/errors.ts'
import { toCampaign } from './campaign.ts'
import { Campaign } from './schema.ts'
import type { StoredCampaign } from './store.ts'
import { type Figure, figures } from './summary-figures.ts'

export const CampaignSummaryQuery = Type.Object({
  start_date: Type.Optional(CalendarDate),
  end_date: Type.Optional(CalendarDate),
})
export type CampaignSummaryQuery = Static<typeof CampaignSummaryQuery>

const sums = ['redemptions', 'rollbacks', 'validations', 'publications'] as const

/** Figures summed up from the redemptions themselves. */
const usageFigures = [
  'redemptions_succeeded',
  'orders_amount',
  'discounted_amount',
  'amount_redeemed',
  'points_redeemed',
] as const

type SummaryFigure = Figure | (typeof usageFigures)[number]

/** Figures of a campaign over a range of days or its whole life; the campaign type decides which members are present. */
export const CampaignSummary = Type.Object({
  object: Type.Literal('campaign_summary'),
  campaign: Campaign,
  ...(Object.fromEntries([...sums, ...usageFigures, ...figures].map((name) => [name, Type.Optional(Int())])) as Record<
    SummaryFigure | (typeof sums)[number],
    ReturnType<typeof Type.Optional<ReturnType<typeof Int>>>
  >),
})
export type CampaignSummary = Static<typeof CampaignSummary>

const commonFigures: readonly SummaryFigure[] = [
  'redemptions_succeeded',
  'redemptions_failed',
  'rollbacks_succeeded',
  'rollbacks_failed',
  'validations_succeeded',
  'validations_failed',
  'orders_amount',
  'orders_rolledback_amount',
]
const voucherFigures: readonly SummaryFigure[] = [
  'vouchers_created',
  'vouchers_deleted',
  'publications_succeeded',
  'publications_failed',
]
const discountFigures: readonly SummaryFigure[] = ['discounted_amount', 'rolledback_discounted_amount']

/** The figures of each campaign type (docs/reference/campaigns.md#campaign-summary). */
const figuresByType: Readonly<Record<CampaignType, readonly SummaryFigure[]>> = {
  PROMOTION: [...commonFigures, ...discountFigures],
  DISCOUNT_COUPONS: [...commonFigures, ...voucherFigures, ...discountFigures],
  REFERRAL_PROGRAM: [...commonFigures, ...voucherFigures, 'referred_customers'],
  GIFT_VOUCHERS: [
    ...commonFigures,
    ...voucherFigures,
    'amount_redeemed',
    ...figures.filter((name) => name === 'created_vouchers_amount' || name.startsWith('amount_')),
  ],
  LOYALTY_PROGRAM: [
    ...commonFigures,
    ...voucherFigures,
    'points_redeemed',
    ...figures.filter((name) => name === 'created_vouchers_points' || /^(pending_)?points_/.test(name)),
  ],
}

/** Sums up the figures of a campaign from start_date to end_date, both included. */
export async function summaryOf(
  ctx: Ctx,
  campaign: StoredCampaign,
  { start_date, end_date }: CampaignSummaryQuery,
): Promise<CampaignSummary> {
  if (start_date !== undefined && end_date !== undefined && end_date < start_date)
    throw invalidQuery('Property .end_date must not be earlier than .start_date')
  const prefix = `campaign/${campaign.id}/`
  const { rows } = await sql<{ name: string; sum: number }>`
    select split_part(name, '/', 4) as name, ${summed} as sum from tallies
    where project_id = ${ctx.project_id}
      and name >= ${`${prefix}${start_date ?? '0'}`} and name < ${`${prefix}${end_date ?? '9999-12-31'}0`}
    group by 1`.execute(ctx.db)
  const usage = await grossUsageOf(ctx.db, ctx.project_id, campaign.id, {
    ...(start_date === undefined ? {} : { start_date }),
    ...(end_date === undefined ? {} : { end_date }),
  })
  const valueByName = new Map<string, number>([
    ...rows.map(({ name, sum }) => [name, sum] as const),
    ['redemptions_succeeded', usage.redemptions],
    ['orders_amount', usage.orders_amount],
    ['discounted_amount', usage.discounted_amount],
    ['amount_redeemed', usage.credits],
    ['points_redeemed', usage.credits],
  ])
  const summary = Object.fromEntries(
    figuresByType[campaign.campaign_type].map((name) => [name, valueByName.get(name) ?? 0]),
  )
  for (const name of sums)
    if (`${name}_succeeded` in summary)
      summary[name] = (summary[`${name}_succeeded`] ?? 0) + (summary[`${name}_failed`] ?? 0)
  return { object: 'campaign_summary', campaign: { ...toCampaign(campaign), categories: [] }, ...summary }
}
