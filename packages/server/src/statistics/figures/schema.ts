import { Instant, Int, Nullable, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { CampaignType } from '../../core/events/shapes.ts'
import { type Figure, figures } from '../sums/figures.ts'
import { intervals } from '../sums/ranges.ts'

const described = (description: string) => ({ ...Int(), description })

/** What each figure counts, in the words of the OpenAPI document. */
const descriptions: Record<Figure, string> = {
  redemptions: 'Codes and tiers that were redeemed, including those rolled back later.',
  failed_redemptions: 'Redemptions that were refused.',
  rolled_back_redemptions: 'Redemptions that were rolled back, at the time of the rollback.',
  discount_amount: 'Discounts of the redemptions, in cents; credits and points that paid for an order are no discount.',
  rolled_back_discount_amount: 'Discounts of the redemptions that were rolled back, at the time of the rollback.',
  orders: 'Paid orders with a discount. Of a campaign: its redemptions in an order.',
  order_amount: 'Their amount before all discounts, in cents.',
  discounted_order_amount: 'Their amount after all discounts; of a campaign, after its own.',
  orders_without_discount: 'Paid orders without a discount; of a campaign always 0.',
  order_amount_without_discount: 'Their amount, in cents.',
  published_codes: 'Codes that were given to customers.',
  points_earned: 'Points that were credited to cards, also by hand and as their initial value.',
  points_spent: 'Points that were redeemed.',
  points_returned: 'Points that rollbacks gave back.',
  points_expired: 'Points that expired.',
  points_removed: 'Points that were taken away by hand.',
  points_pending: 'By how much the pending points have changed.',
  points_owed: 'By how much the points on cards have changed.',
  gift_cards_issued: 'Credits that were put on gift cards, less those that were taken away, in cents.',
  gift_cards_spent: 'Credits of gift cards that were redeemed.',
  gift_cards_returned: 'Credits that rollbacks gave back.',
  gift_cards_owed: 'By how much the credits on gift cards have changed.',
}

const figureProperties = Object.fromEntries(
  figures.map((name) => [name, described(descriptions[name])]),
) as unknown as Record<Figure, ReturnType<typeof Int>>

export const StatisticsFigures = Type.Object(figureProperties)
export type StatisticsFigures = Static<typeof StatisticsFigures>

export const StatisticsPoint = Type.Object({
  from: { ...Instant, description: 'The beginning of the hour, day, week or month, or `from` of the range.' },
  ...figureProperties,
})
export type StatisticsPoint = Static<typeof StatisticsPoint>

export const StatisticsQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      description: 'A date of the project, from its beginning, or an instant. Default: 30 days with today.',
    }),
  ),
  to: Type.Optional(
    Type.String({
      description: 'A date of the project, to its end, or an instant that is not in the range. Default: now.',
    }),
  ),
  interval: Type.Optional({ ...OneOf(intervals), default: 'day' } as ReturnType<typeof OneOf<typeof intervals>>),
})
export type StatisticsQuery = Static<typeof StatisticsQuery>

/** What all statistics have in common. */
const common = {
  object: Type.Literal('statistics'),
  from: { ...Instant, description: 'The range asked for, in whole quarters of an hour.' } as typeof Instant,
  to: Instant,
  interval: OneOf(intervals),
  timezone: Type.String({
    description: 'The time zone of the project, whose hours, days, weeks and months these are.',
  }),
  currency: Nullable(Type.String()),
  updated_at: {
    ...Instant,
    description: 'The moment up to which everything is counted: now, or a little earlier while much is going on.',
  } as typeof Instant,
  is_complete: Type.Boolean({
    description: 'False while the service, after an upgrade, adds up what happened before it.',
  }),
  totals: StatisticsFigures,
  previous: StatisticsFigures,
  series: Type.Array(StatisticsPoint),
  all_time: StatisticsFigures,
  owed: Type.Object({
    points: described('Points on all cards that exist.'),
    gift_cards: described('Credits on all gift cards that exist, in cents.'),
  }),
}

const CampaignOfStatistics = Type.Object({ id: Type.String(), name: Type.String(), campaign_type: CampaignType })

const RankedCampaign = Type.Object({
  id: Type.String(),
  name: Nullable(Type.String({ description: 'Null: the campaign was deleted.' })),
  campaign_type: Nullable(CampaignType),
  redemptions: Int(),
  discount_amount: Int(),
  order_amount: Int(),
})
export type RankedCampaign = Static<typeof RankedCampaign>

export const StatisticsOverview = Type.Object({
  ...common,
  campaigns: Type.Array(RankedCampaign, { description: 'The ten with the highest discounts.' }),
  campaigns_by_order_amount: Type.Array(RankedCampaign, {
    description: 'The ten with the highest amount of orders in which they were redeemed.',
  }),
  refusals: Type.Array(Type.Object({ reason: Type.String({ description: 'The key of the refusal.' }), count: Int() }), {
    description: 'The ten most frequent reasons why redemptions were refused.',
  }),
})
export type StatisticsOverview = Static<typeof StatisticsOverview>

export const CampaignStatistics = Type.Object({
  ...common,
  campaign: CampaignOfStatistics,
  vouchers_count: described('Codes of the campaign that exist.'),
})

export const LoyaltyStatistics = Type.Object({
  ...common,
  campaign: CampaignOfStatistics,
  pending: described('Pending points of all cards.'),
  vouchers_count: described('Cards that exist.'),
  members: described('Cards with a holder; not more than 50,000 are counted.'),
  tiers: Nullable(
    Type.Array(Type.Object({ id: Nullable(Type.String()), name: Nullable(Type.String()), members: Int() }), {
      description: 'Members of each tier, and of none (null).',
    }),
  ),
})
