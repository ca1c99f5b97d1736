import { type Static, Type } from 'typebox'
import { Catalogue } from './catalogue.ts'
import { Amount, Instant, Int, MapOf, Maybe, Metadata, Nullable, OneOf, variants } from './common.ts'
import { Discount, GiftEffect } from './discount.ts'
import { OrderFacts } from './order.ts'
import { ValidationRule } from './rule.ts'
import { StackingRules } from './stacking.ts'
import { Validity } from './validity.ts'

/** The customer of the request: stored data overlaid with what was sent. */
export const CustomerFacts = Type.Object({
  id: Maybe(Type.String()),
  source_id: Maybe(Type.String()),
  birthdate: Maybe(Type.String()),
  metadata: Maybe(Metadata),
  /** Current segments of the customer. */
  segments: Maybe(Type.Array(Type.String())),
  loyalty_tiers: Maybe(Type.Array(Type.String())),
})
export type CustomerFacts = Static<typeof CustomerFacts>

/** The caller: the login of a dashboard user, or the application id of an API key. */
export const CallerFacts = Type.Object({ user_login: Maybe(Type.String()), api_key: Maybe(Type.String()) })
export type CallerFacts = Static<typeof CallerFacts>

export const CampaignFacts = Type.Object({ id: Type.String(), active: Type.Boolean(), ...Validity.properties })
export type CampaignFacts = Static<typeof CampaignFacts>

/**
 * Usage counters by the name of the rule that compares them (docs/reference/rules.md#counters), without the current
 * redemption.
 */
export const Counters = MapOf(Amount)

/**
 * Units discounted so far, by lifetime limit and counter key: the id of the entry (`prod_1`, `pc_1`); for limits per
 * product of a collection, the ids of the entry and of the good (`pc_1/prod_1`).
 */
export const UnitsUsed = MapOf(MapOf(Amount))

const redeemable = {
  object: OneOf(['voucher', 'promotion_tier']),
  /** As sent; repeated in responses. */
  id: Type.String(),
  /** The id in the database. */
  resource_id: Type.String(),
  campaign: Maybe(CampaignFacts),
  /** The redeemable's own category, else that of its campaign. */
  category: Maybe(Type.Object({ id: Type.String(), hierarchy: Int() })),
  active: Type.Boolean(),
  ...Validity.properties,
  metadata: Maybe(Metadata),
  /** All rules that must hold: those of the campaign first, then the redeemable's own. */
  rules: Maybe(Type.Array(ValidationRule)),
  counters: Maybe(Counters),
  units_used: Maybe(UnitsUsed),
}

const voucher = {
  ...redeemable,
  code: Type.String(),
  /** Maximum number of redemptions; null means unlimited. */
  quantity: Nullable(Amount),
  redeemed_quantity: Amount,
  /** Redemptions held by other sessions. */
  locked_quantity: Maybe(Amount),
  publish_count: Maybe(Amount),
  /** Metadata of the latest publication. */
  publication_metadata: Maybe(Metadata),
  /** Ids of the holders. */
  holders: Maybe(Type.Array(Type.String())),
}

export const DiscountVoucher = Type.Object({
  kind: Type.Literal('discount_voucher'),
  ...voucher,
  /** Absent for a referral code with another kind of reward. */
  discount: Maybe(Discount),
  /** For a referral code: the referrer, or null while it is not published. */
  referral: Maybe(Type.Object({ referrer_id: Nullable(Type.String()) })),
})
export type DiscountVoucher = Static<typeof DiscountVoucher>

export const GiftVoucher = Type.Object({
  kind: Type.Literal('gift_voucher'),
  ...voucher,
  gift: Type.Object({ balance: Amount, effect: Maybe(GiftEffect) }),
  /** Credits held by other sessions. */
  locked_credits: Maybe(Amount),
  /** Credits that the request wants to spend; absent means as many as the order needs. */
  credits: Maybe(Amount),
})
export type GiftVoucher = Static<typeof GiftVoucher>

/** The reward to buy with points. */
export const RewardFacts = variants('type', [
  Type.Object({
    type: Type.Literal('COIN'),
    id: Type.String(),
    assignment_id: Maybe(Type.String()),
    /** Major units of currency that `points_ratio` points buy. */
    exchange_ratio: Type.Number({ exclusiveMinimum: 0 }),
    points_ratio: Int({ minimum: 1 }),
  }),
  Type.Object({
    type: Type.Literal('MATERIAL'),
    id: Type.String(),
    assignment_id: Maybe(Type.String()),
    price: Amount,
    /** Total stock; null means unlimited. */
    stock: Maybe(Amount),
    redeemed: Maybe(Amount),
  }),
  Type.Object({
    type: Type.Literal('CAMPAIGN'),
    id: Type.String(),
    assignment_id: Maybe(Type.String()),
    price: Amount,
  }),
  /** Requested by id, but not assigned to the program of the card. */
  Type.Object({ type: Type.Literal('UNKNOWN'), id: Type.String() }),
])
export type RewardFacts = Static<typeof RewardFacts>

export const LoyaltyCard = Type.Object({
  kind: Type.Literal('loyalty_card'),
  ...voucher,
  balance: Amount,
  /** Points held by other sessions. */
  locked_points: Maybe(Amount),
  /** Null while the card is not published. */
  holder_id: Nullable(Type.String()),
  /** Absent when the request has none. */
  reward: Maybe(RewardFacts),
  /** Points that the request wants to spend on a COIN reward. */
  points: Maybe(Amount),
})
export type LoyaltyCard = Static<typeof LoyaltyCard>

export const PromotionTier = Type.Object({
  kind: Type.Literal('promotion_tier'),
  ...redeemable,
  discount: Maybe(Discount),
})
export type PromotionTier = Static<typeof PromotionTier>

/** A redeemable of the request that does not exist. An unknown promotion stack is one of these, in place of its tiers. */
export const UnknownRedeemable = Type.Object({
  kind: Type.Literal('unknown'),
  object: OneOf(['voucher', 'promotion_tier', 'promotion_stack']),
  id: Type.String(),
})

export const Redeemable = variants('kind', [
  DiscountVoucher,
  GiftVoucher,
  LoyaltyCard,
  PromotionTier,
  UnknownRedeemable,
])
export type Redeemable = Static<typeof Redeemable>
export type KnownRedeemable = Exclude<Redeemable, { kind: 'unknown' }>

/** The complete input of an evaluation: the same facts always give the same verdict. */
export const Facts = Type.Object({
  now: Instant,
  /** Time zone of the project: an IANA name or `GMT±h[:mm]`. */
  timezone: Type.String(),
  order: Maybe(OrderFacts),
  customer: Maybe(CustomerFacts),
  caller: Maybe(CallerFacts),
  /** Metadata of the redemption. */
  metadata: Maybe(Metadata),
  catalogue: Maybe(Catalogue),
  stacking_rules: StackingRules,
  redeemables: Type.Array(Redeemable),
  /**
   * The redeemables are the tiers of one promotion stack: they keep their order and have no stacking limits
   * (docs/reference/stacking.md#request-checks).
   */
  is_promotion_stack: Maybe(Type.Boolean()),
})
export type Facts = Static<typeof Facts>
