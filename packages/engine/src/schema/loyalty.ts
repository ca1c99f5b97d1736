import { type Static, Type } from 'typebox'
import { Catalogue } from './catalogue.ts'
import { Amount, Instant, Int, MapOf, Maybe, Metadata, Nullable, OneOf, variants } from './common.ts'
import { Formula } from './discount.ts'
import { CustomerFacts } from './facts.ts'
import { OrderFacts } from './order.ts'
import { Validity } from './validity.ts'

/** A calendar day in the project's time zone: `2025-02-26`. */
export const CalendarDate = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })

const MonthNumber = Int({ minimum: 1, maximum: 12 })

/** When points expire (docs/reference/points.md#expiration-rules). Months count from 1 here, but from 0 in tier settings. */
export const PointsExpirationRules = variants('period_type', [
  Type.Object({
    period_type: Type.Literal('MONTH'),
    period_value: Amount,
    rounding_type: Maybe(
      OneOf(['END_OF_MONTH', 'END_OF_QUARTER', 'END_OF_HALF_YEAR', 'END_OF_YEAR', 'PARTICULAR_MONTH']),
    ),
    rounding_value: Maybe(MonthNumber),
  }),
  Type.Object({
    period_type: Type.Literal('FIXED_DAY_OF_YEAR'),
    fixed_month: MonthNumber,
    fixed_day: Int({ minimum: 1, maximum: 31 }),
  }),
])
export type PointsExpirationRules = Static<typeof PointsExpirationRules>

/** How long points are pending before they become active. */
export const PendingPoints = Type.Object({
  period_type: Type.Literal('DAY'),
  period_value: Int({ minimum: 1, maximum: 90 }),
})
export type PendingPoints = Static<typeof PendingPoints>

const CalendarPeriod = OneOf(['MONTH', 'QUARTER', 'HALF_YEAR', 'YEAR'])
export type CalendarPeriod = Static<typeof CalendarPeriod>

const Extend = Type.String({ pattern: '^P(?=\\d)(\\d+Y)?(\\d+M)?(\\d+W)?(\\d+D)?$' })

const RoundingStrategy = Maybe(OneOf(['START', 'END']))

export const TierDateRounding = variants('type', [
  Type.Object({ type: CalendarPeriod, strategy: RoundingStrategy }),
  Type.Object({
    type: Type.Literal('CUSTOM'),
    strategy: RoundingStrategy,
    unit: Type.Literal('MONTH'),
    value: Int({ minimum: 0, maximum: 11 }),
  }),
])
export type TierDateRounding = Static<typeof TierDateRounding>

/** How a tier is gained and lost: `loyalty_tiers_expiration` of a campaign (docs/reference/loyalty-tiers.md#settings). */
export const TierExpiration = variants('qualification_type', [
  Type.Object({
    qualification_type: Type.Literal('BALANCE'),
    start_date: Maybe(Type.Object({ type: Type.Literal('IMMEDIATE') })),
    expiration_date: variants('type', [
      Type.Object({ type: Type.Literal('BALANCE_DROP') }),
      Type.Object({ type: Type.Literal('CUSTOM'), extend: Extend, rounding: Maybe(TierDateRounding) }),
    ]),
  }),
  Type.Object({
    qualification_type: Type.Literal('POINTS_IN_PERIOD'),
    qualification_period: CalendarPeriod,
    start_date: Type.Object({ type: OneOf(['IMMEDIATE', 'NEXT_PERIOD']) }),
    expiration_date: Type.Object({
      type: OneOf(['END_OF_PERIOD', 'END_OF_NEXT_PERIOD']),
      extend: Maybe(Extend),
    }),
  }),
])
export type TierExpiration = Static<typeof TierExpiration>

const Multiply = Type.Object({ type: Type.Literal('MULTIPLY'), multiplier: Type.Number({ minimum: 0 }) })
const Custom = Type.Object({ type: Type.Literal('CUSTOM'), points: Amount })

/** How a tier changes the points of an earning rule. */
export const EarningMapping = variants('type', [Multiply, Custom])
export type EarningMapping = Static<typeof EarningMapping>

/** How a tier changes the price of a reward. */
export const RewardMapping = variants('type', [Multiply, Custom, Type.Object({ type: Type.Literal('NOT_AVAILABLE') })])
export type RewardMapping = Static<typeof RewardMapping>

/** Both bounds are inclusive; without bounds it is the open range (docs/reference/loyalty-tiers.md#rank-and-ranges). */
export const TierRange = Type.Object({ from: Maybe(Amount), to: Maybe(Amount) })
export type TierRange = Static<typeof TierRange>

/** The fields of a tier that the engine needs. */
export const LoyaltyTier = Type.Object({
  id: Type.String(),
  points: TierRange,
  /** By id of the earning rule. */
  earning_rules: Maybe(MapOf(EarningMapping)),
  /** By id of the assignment or of the reward; the assignment takes precedence. */
  rewards: Maybe(MapOf(RewardMapping)),
})
export type LoyaltyTier = Static<typeof LoyaltyTier>

const points = { points: Amount, points_formula: Maybe(Formula) }
const share = { every: Int({ minimum: 1 }), ...points }
const property = { property: Type.String({ minLength: 1 }) }

const Good = {
  object: OneOf(['product', 'sku', 'products_collection']),
  id: Type.String({ minLength: 1 }),
}
export const EarningGood = Type.Object(Good)

const goods = {
  object: Maybe(Good.object),
  id: Maybe(Good.id),
  applicable_to: Maybe(Type.Array(EarningGood, { maxItems: 1_000 })),
}

export const FixedPoints = Type.Object({ type: Type.Literal('FIXED'), ...points })

const Proportional = <T extends string, P extends Record<string, ReturnType<typeof Type.Object>>>(kind: T, source: P) =>
  Type.Object({ type: Type.Literal('PROPORTIONAL'), calculation_type: Type.Literal(kind), ...source })

const proportions = variants('calculation_type', [
  Proportional('ORDER_AMOUNT', { order: Type.Object({ amount: Type.Object(share) }) }),
  Proportional('ORDER_TOTAL_AMOUNT', { order: Type.Object({ total_amount: Type.Object(share) }) }),
  Proportional('ORDER_METADATA', { order: Type.Object({ metadata: Type.Object({ ...share, ...property }) }) }),
  Proportional('ORDER_ITEMS_QUANTITY', { order_items: Type.Object({ quantity: Type.Object({ ...share, ...goods }) }) }),
  Proportional('ORDER_ITEMS_AMOUNT', { order_items: Type.Object({ amount: Type.Object({ ...share, ...goods }) }) }),
  Proportional('ORDER_ITEMS_SUBTOTAL_AMOUNT', {
    order_items: Type.Object({ subtotal_amount: Type.Object({ ...share, ...goods }) }),
  }),
  Proportional('CUSTOMER_METADATA', { customer: Type.Object({ metadata: Type.Object({ ...share, ...property }) }) }),
  Proportional('CUSTOM_EVENT_METADATA', {
    custom_event: Type.Object({ metadata: Type.Object({ ...share, ...property }) }),
  }),
])

/** Points per quantity of something. The outer tag is repeated here: two tags discriminate these variants. */
export const ProportionalPoints = Type.Unsafe<Static<typeof proportions>>({
  properties: { type: Type.Literal('PROPORTIONAL') },
  ...proportions,
})
export type ProportionalPoints = Static<typeof ProportionalPoints>

/** How many points an earning rule pays (docs/reference/earning-rules.md#base-points). */
export const EarningPoints = variants('type', [FixedPoints, ProportionalPoints])
export type EarningPoints = Static<typeof EarningPoints>

/** The fields of an earning rule that the engine needs. */
export const EarningRule = Type.Object({
  id: Type.String(),
  created_at: Instant,
  active: Type.Boolean(),
  ...Validity.properties,
  /** `order.paid`, `customer.segment.entered`, `customer.loyalty.tier.…`, or the name of a custom event. */
  event: Type.String(),
  custom_event: Maybe(Type.Object({ schema_id: Type.String() })),
  segment: Maybe(Type.Object({ id: Type.String() })),
  /** `__ANY__`, the default, is every tier of the rule's campaign. */
  loyalty_tier: Maybe(Type.Object({ id: Type.String() })),
  loyalty: EarningPoints,
  pending_points: Maybe(PendingPoints),
  expiration_rules: Maybe(PointsExpirationRules),
})
export type EarningRule = Static<typeof EarningRule>

/** The event, in the vocabulary of earning rules. */
export const EarningEvent = Type.Object({
  event: Type.String(),
  /** Of a custom event. */
  schema_id: Maybe(Type.String()),
  segment_id: Maybe(Type.String()),
  /** For a tier event: the tier that was entered, kept or left. */
  tier: Maybe(Type.Object({ id: Type.String(), campaign_id: Type.String() })),
})
export type EarningEvent = Static<typeof EarningEvent>

/** One event and one card, or the card that the customer would get by earning points. */
export const EarningFacts = Type.Object({
  now: Instant,
  timezone: Type.String(),
  event: EarningEvent,
  order: Maybe(OrderFacts),
  customer: Maybe(CustomerFacts),
  /** Of a custom event. */
  event_metadata: Maybe(Metadata),
  catalogue: Maybe(Catalogue),
  campaign: Type.Object({
    id: Type.String(),
    active: Type.Boolean(),
    ...Validity.properties,
    expiration_rules: Maybe(PointsExpirationRules),
  }),
  /** Null when earning points would enrol the customer. */
  card: Nullable(Type.Object({ active: Type.Boolean(), ...Validity.properties })),
  /** The holder's tier in the campaign when the event starts; for a tier event, after the change. */
  tier: Maybe(LoyaltyTier),
  rules: Type.Array(EarningRule),
  /** Rules that must not pay again: for this order and card, or because they already did in this request. */
  used_rules: Maybe(Type.Array(Type.String())),
})
export type EarningFacts = Static<typeof EarningFacts>

/** The points credited by one rule. */
export const Accrual = Type.Object({
  earning_rule_id: Type.String(),
  points: Int({ minimum: 1 }),
  /** The tier whose mapping was used. */
  loyalty_tier_id: Nullable(Type.String()),
  /** Null: immediately. */
  activates_at: Nullable(CalendarDate),
  /** For pending points: the date if they are activated on `activates_at`, not earlier. */
  expires_at: Nullable(CalendarDate),
  /** The rules behind `expires_at`; pending points keep them for their activation. */
  expiration_rules: Nullable(PointsExpirationRules),
})
export type Accrual = Static<typeof Accrual>

/** The tier of a customer. */
export const HeldTier = Type.Object({
  tier_id: Type.String(),
  start_date: CalendarDate,
  /** Last day of the tier; null means no expiration. */
  expiration_date: Nullable(CalendarDate),
})
export type HeldTier = Static<typeof HeldTier>

export const TierState = Type.Object({
  current: Nullable(HeldTier),
  /** A tier that the customer has earned but that has not started. */
  scheduled: Nullable(Type.Object({ tier_id: Type.String(), start_date: CalendarDate })),
})
export type TierState = Static<typeof TierState>

export const TierFacts = Type.Object({
  /** All tiers of the campaign, in any order. */
  tiers: Type.Array(LoyaltyTier),
  settings: Maybe(TierExpiration),
  state: TierState,
  today: CalendarDate,
  /** The current balance, or the points collected in the current period. */
  measure: Int(),
  /**
   * The change of the program that triggers this update, if any (docs/reference/loyalty-tiers.md#when-tiers-are-looked-at).
   */
  changed: Maybe(OneOf(['tiers', 'settings'])),
  /** Removed tiers: only their rank still matters. */
  removed_tiers: Maybe(Type.Array(LoyaltyTier)),
})
export type TierFacts = Static<typeof TierFacts>

export const TierEvent = Type.Object({
  type: OneOf(['joined', 'left', 'upgraded', 'downgraded', 'prolonged', 'expiration.changed']),
  date: CalendarDate,
  /** The tier that earning rules compare: entered, kept, or left. */
  tier_id: Type.String(),
  previous_tier_id: Nullable(Type.String()),
  /** The customer's tier after the event. */
  current: Nullable(HeldTier),
})
export type TierEvent = Static<typeof TierEvent>

export const TierMove = Type.Object({ state: TierState, events: Type.Array(TierEvent) })
export type TierMove = Static<typeof TierMove>

/** Points with the same expiration date. Gift credits are one lot that never expires. */
export const Lot = Type.Object({
  id: Type.String(),
  points: Amount,
  expires_at: Nullable(CalendarDate),
})
export type Lot = Static<typeof Lot>

export const Asset = OneOf(['points', 'credits'])
export type Asset = Static<typeof Asset>

/** A card and its lots that are not closed yet, including empty ones: one lot per date, and one that never expires. */
export const Account = Type.Object({ id: Type.String(), asset: Asset, lots: Type.Array(Lot) })
export type Account = Static<typeof Account>

/** The counterparty accounts of a card. */
export type SystemAccount = 'issued' | 'redeemed' | 'subtracted' | 'expired'

/** One movement between a card, by its id, and a `SystemAccount`. Postings are immutable: a reversal is another posting. */
export const Posting = Type.Object({
  from: Type.String(),
  to: Type.String(),
  amount: Int({ minimum: 1 }),
  asset: Asset,
  /** The lot of the card, and its expiration date. */
  lot: Type.String(),
  expires_at: Nullable(CalendarDate),
})
export type Posting = Static<typeof Posting>

/** A card after a change, and the postings of the change. */
export const Entry = Type.Object({ account: Account, postings: Type.Array(Posting) })
export type Entry = Static<typeof Entry>

/** Lifetime counters of a card (docs/reference/points.md#ledger). */
export const Totals = Type.Object({
  points: Int(),
  subtracted: Int(),
  redeemed: Int(),
  expired: Int(),
  /** Remaining points, ignoring redemptions: points − expired − subtracted. */
  total: Int(),
  balance: Int(),
})
export type Totals = Static<typeof Totals>
