import { segmentsNamingLocation } from './audience/segments/naming.ts'
import { collectionsNamingGoods, collectionsNamingLocation } from './catalogue/product-collections/naming.ts'
import type { Assignables, Reactions, References, Wiring } from './core/reactions.ts'
import { assignableCampaign } from './incentives/campaigns/assignable.ts'
import { assignablePromotionTier } from './incentives/promotions/assignable.ts'
import { assignableVoucher } from './incentives/vouchers/assignable.ts'
import { assignableEarningRule } from './loyalty/earning-rules/assignable.ts'
import { earningRulesNaming } from './loyalty/earning-rules/naming.ts'
import { referralProgramsNaming, referralTiersNaming } from './loyalty/referrals/naming.ts'
import { assignableRewardAssignment } from './loyalty/reward-assignments/assignable.ts'
import { discountsNaming } from './rules/terms/naming.ts'
import { rulesNamingCollection, rulesNamingGoods, rulesNamingSegment } from './rules/validation-rules/naming.ts'

/** What follows from what: each moment that a module announces, and the functions of higher modules that react to it. */
const reactions: Reactions = {}

/**
 * For each kind of thing, the functions that find which objects name it. Before a request deletes the thing, they are asked in
 * this order, and the first that finds something refuses (core/in-use.ts).
 */
const references: References = {
  location: [segmentsNamingLocation, collectionsNamingLocation],
  custom_event_schema: [earningRulesNaming, referralProgramsNaming],
  segment: [rulesNamingSegment, earningRulesNaming, referralTiersNaming],
  products_collection: [rulesNamingCollection],
  goods: [rulesNamingGoods, collectionsNamingGoods, earningRulesNaming, discountsNaming],
}

/** What a validation rule can be assigned to. */
const assignables: Assignables = {
  voucher: assignableVoucher,
  campaign: assignableCampaign,
  promotion_tier: assignablePromotionTier,
  earning_rule: assignableEarningRule,
  reward_assignment: assignableRewardAssignment,
}

export const wiring: Wiring = { reactions, references, assignables }
