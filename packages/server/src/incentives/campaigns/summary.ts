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

/** What is added up from the redemptions themselves. */
const used = [
  'redemptions_succeeded',
  'orders_amount',
  'discounted_amount',
  'amount_redeemed',
  'points_redeemed',
] as const

type Shown = Figure | (typeof used)[number]

/** What came of a campaign, over some days or all of them; which members there are depends on its type. */
export const CampaignSummary = Type.Object({
  object: Type.Literal('campaign_summary'),
  campaign: Campaign,
  ...(Object.fromEntries([...sums, ...used, ...figures].map((name) => [name, Type.Optional(Int())])) as Record<
    Shown | (typeof sums)[number],
    ReturnType<typeof Type.Optional<ReturnType<typeof Int>>>
  >),
})
export type CampaignSummary = Static<typeof CampaignSummary>

const always: readonly Shown[] = [
  'redemptions_succeeded',
  'redemptions_failed',
  'rollbacks_succeeded',
  'rollbacks_failed',
  'validations_succeeded',
  'validations_failed',
  'orders_amount',
  'orders_rolledback_amount',
]
const codes: readonly Shown[] = [
  'vouchers_created',
  'vouchers_deleted',
  'publications_succeeded',
  'publications_failed',
]
const discounts: readonly Shown[] = ['discounted_amount', 'rolledback_discounted_amount']

/** Which figures a type of campaign has (docs/reference/campaigns.md#campaign-summary). */
const shown: Readonly<Record<CampaignType, readonly Shown[]>> = {
  PROMOTION: [...always, ...discounts],
  DISCOUNT_COUPONS: [...always, ...codes, ...discounts],
  REFERRAL_PROGRAM: [...always, ...codes, 'referred_customers'],
  GIFT_VOUCHERS: [
    ...always,
    ...codes,
    'amount_redeemed',
    ...figures.filter((name) => name === 'created_vouchers_amount' || name.startsWith('amount_')),
  ],
  LOYALTY_PROGRAM: [
    ...always,
    ...codes,
    'points_redeemed',
    ...figures.filter((name) => name === 'created_vouchers_points' || /^(pending_)?points_/.test(name)),
  ],
}

/** Adds up the figures of a campaign, from one day to another, both included. */
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
  const counted = new Map<string, number>([
    ...rows.map(({ name, sum }) => [name, sum] as const),
    ['redemptions_succeeded', usage.redemptions],
    ['orders_amount', usage.orders_amount],
    ['discounted_amount', usage.discounted_amount],
    ['amount_redeemed', usage.credits],
    ['points_redeemed', usage.credits],
  ])
  const summary = Object.fromEntries(shown[campaign.campaign_type].map((name) => [name, counted.get(name) ?? 0]))
  for (const name of sums)
    if (`${name}_succeeded` in summary)
      summary[name] = (summary[`${name}_succeeded`] ?? 0) + (summary[`${name}_failed`] ?? 0)
  return { object: 'campaign_summary', campaign: { ...toCampaign(campaign), categories: [] }, ...summary }
}
