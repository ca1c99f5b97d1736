import { type Static, Type } from 'typebox'
import { Int, MapOf, Nullable, OneOf } from './common.ts'

const CategoryIds = Type.Array(Type.String(), { maxItems: 1_000 })

/**
 * How redeemables may be combined (docs/reference/stacking.md#stacking-rules): the fields, for a complete set and for the
 * body of an update.
 */
export const stackingRules = {
  exclusive_categories: CategoryIds,
  joint_categories: CategoryIds,
  redeemables_limit: Int({ minimum: 1, maximum: 30 }),
  applicable_redeemables_limit: Int({ minimum: 1, maximum: 30 }),
  applicable_redeemables_per_category_limit: Nullable(Int({ minimum: 1, maximum: 30 })),
  applicable_redeemables_category_limits: MapOf(Int({ minimum: 1, maximum: 10 })),
  applicable_exclusive_redeemables_limit: Int({ minimum: 1, maximum: 5 }),
  applicable_exclusive_redeemables_per_category_limit: Nullable(Int({ minimum: 1, maximum: 5 })),
  discount_calculation_mode: OneOf(['INITIAL_AMOUNT', 'DISCOUNTED_AMOUNT']),
  initial_amount_mode_categories: CategoryIds,
  discounted_amount_mode_categories: CategoryIds,
  redeemables_application_mode: OneOf(['ALL', 'PARTIAL']),
  redeemables_sorting_rule: OneOf(['CATEGORY_HIERARCHY', 'REQUESTED_ORDER']),
  redeemables_products_application_mode: OneOf(['STACK', 'ONCE']),
  redeemables_no_effect_rule: OneOf(['REDEEM_ANYWAY', 'SKIP']),
  no_effect_skip_categories: CategoryIds,
  no_effect_redeem_anyway_categories: CategoryIds,
  redeemables_rollback_order_mode: OneOf(['WITH_ORDER', 'WITHOUT_ORDER']),
  grouped_redeemables_sorting_rule: OneOf(['JOINT_ALWAYS_LAST', 'SORTING_RULE_ORDER']),
}

/** A complete set of stacking rules. */
export const StackingRules = Type.Object(stackingRules)
export type StackingRules = Static<typeof StackingRules>
