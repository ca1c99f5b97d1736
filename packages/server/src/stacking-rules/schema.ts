import { Instant, Int, MapOf, Nullable, OneOf, partial } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { listOf } from '../lib/list.ts'

const CategoryIds = Type.Array(Type.String(), { maxItems: 1_000 })

const rules = {
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

/** What may be combined with what, and how; the body of creation and update. */
export const StackingRulesBody = partial(rules)
export type StackingRulesBody = Static<typeof StackingRulesBody>

/** A complete set of rules. */
export const StackingRules = Type.Object(rules)
export type StackingRules = Static<typeof StackingRules>

export const StoredStackingRules = Type.Object({
  id: Type.String(),
  ...rules,
  created_at: Instant,
  updated_at: Nullable(Instant),
})
export type StoredStackingRules = Static<typeof StoredStackingRules>

export const StackingRulesList = listOf('data', StoredStackingRules, { total: true })
