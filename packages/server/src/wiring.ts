import { onLocationShapeChanged, onMetadataSchemaChanged, onTimezoneChanged } from './audience/segments/recompute.ts'
import { segmentsReferencingLocation } from './audience/segments/referencing.ts'
import {
  collectionsReferencingGoods,
  collectionsReferencingLocation,
} from './catalogue/product-collections/referencing.ts'
import type { Assignables, Reactions, References, Wiring } from './core/reactions.ts'
import { assignableCampaign } from './incentives/campaigns/assignable.ts'
import { assignablePromotionTier } from './incentives/promotions/assignable.ts'
import { assignableVoucher } from './incentives/vouchers/assignable.ts'
import { eraseHoldings } from './incentives/vouchers/erase-holdings.ts'
import { assignableEarningRule } from './loyalty/earning-rules/assignable.ts'
import { earningRulesReferencing } from './loyalty/earning-rules/referencing.ts'
import { forgetMembers, leaveProgram } from './loyalty/points/leave.ts'
import { onCodesPublished, onOrderCanceled, onOrderPaid, onSegmentsEntered } from './loyalty/points/member-changes.ts'
import { applyDueChangesToProgram, reviewMembers } from './loyalty/points/review.ts'
import { eraseProgram } from './loyalty/programs/erase.ts'
import { referralProgramsReferencing, referralTiersReferencing } from './loyalty/referrals/referencing.ts'
import { deleteReferralTiersOf } from './loyalty/referrals/tier-store.ts'
import { assignableRewardAssignment } from './loyalty/reward-assignments/assignable.ts'
import { deleteRewardAssignmentsIn } from './loyalty/reward-assignments/remove.ts'
import { onUsageReached } from './monitoring/usage/on-usage-reached.ts'
import { convertPaidOrder } from './redemptions/convert-paid-order.ts'
import { redeemAutomatically } from './redemptions/redeem-automatically.ts'
import {
  deleteCounted,
  deleteRedemptionsOf,
  deleteSomeRedemptionsIn,
  eraseCustomerFromRedemptions,
} from './redemptions/store.ts'
import { discountsReferencing } from './rules/terms/referencing.ts'
import {
  rulesReferencingCollection,
  rulesReferencingGoods,
  rulesReferencingSegment,
} from './rules/validation-rules/referencing.ts'
import { keepOwedExact } from './statistics/sums/on-vouchers-erased.ts'

/** For each reaction that a module calls, the functions of higher modules that handle it. */
const reactions: Reactions = {
  // core/http/reactions.ts
  usageReached: onUsageReached,

  // account/reactions.ts
  timezoneChanged: onTimezoneChanged,

  // definitions/reactions.ts
  metadataSchemaChanged: onMetadataSchemaChanged,
  locationShapeChanged: onLocationShapeChanged,

  // audience/reactions.ts
  segmentsEntered: onSegmentsEntered,
  customerErased: async (ctx, id) => {
    const holdingEvents = await eraseHoldings(ctx, id)
    const redemptionEvents = await eraseCustomerFromRedemptions(ctx, id)
    return holdingEvents + redemptionEvents
  },

  // orders/reactions.ts
  orderPaid: async (ctx, order, event, goods) => {
    await convertPaidOrder(ctx, order)
    await onOrderPaid(ctx, order, event, goods)
  },
  orderCanceled: onOrderCanceled,

  // incentives/reactions.ts
  codesPublished: onCodesPublished,
  voucherDeleting: leaveProgram,
  campaignVouchersDeleting: forgetMembers,
  vouchersErased: async (ctx, ids) => {
    await keepOwedExact(ctx, ids)
    await deleteRedemptionsOf(ctx, ids)
  },
  campaignDeleted: async (ctx, id) => {
    await deleteRewardAssignmentsIn(ctx, id)
    await deleteReferralTiersOf(ctx, id)
    await eraseProgram(ctx, id)
  },
  campaignErasing: deleteSomeRedemptionsIn,
  campaignErased: (ctx, id) => deleteCounted(ctx, [id]),
  tierSettingsChanging: applyDueChangesToProgram,
  tierRecalculationRequested: (ctx, campaignId) => reviewMembers(ctx, campaignId, 'settings'),
  // The redemptions of a deleted tier stay: they belong to the history of its campaign.
  promotionTiersDeleted: deleteCounted,

  // loyalty/reactions.ts
  rewardDue: redeemAutomatically,
}

/**
 * For each kind of object, the functions that find references to it. Before a request deletes such an object they are called in
 * this order, and the first that finds a reference rejects the request (core/in-use.ts).
 */
const references: References = {
  location: [segmentsReferencingLocation, collectionsReferencingLocation],
  custom_event_schema: [earningRulesReferencing, referralProgramsReferencing],
  segment: [rulesReferencingSegment, earningRulesReferencing, referralTiersReferencing],
  products_collection: [rulesReferencingCollection],
  goods: [rulesReferencingGoods, collectionsReferencingGoods, earningRulesReferencing, discountsReferencing],
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
