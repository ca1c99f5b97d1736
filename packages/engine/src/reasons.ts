import type { Reason } from './schema/index.ts'

/**
 * Every refusal of the engine and its message (docs/reference/validity.md#failure-keys and
 * docs/reference/stacking.md#order-of-application).
 */
const messages = {
  not_found: 'Resource not found',
  voucher_disabled: 'voucher is disabled',
  voucher_not_active: 'voucher is not active yet',
  voucher_not_active_now: 'voucher not active now',
  voucher_expired: 'voucher expired',
  quantity_exceeded: 'quantity exceeded',
  gift_amount_exceeded: 'gift amount exceeded',
  loyalty_card_points_exceeded: 'loyalty card points exceeded',
  reward_out_of_stock: 'Reward out of stock',
  referrer_not_permitted_to_redeem: 'voucher cannot be redeemed by referrer',
  not_published: 'Voucher is not published',
  customer_rules_violated: 'customer does not match validation rules',
  order_rules_violated: 'order does not match validation rules',
  redemption_rules_violated: 'redemption does not match validation rules',
  promotion_inactive: 'Inactive Promotion',
  promotion_not_active_now: 'promotion not active now',
  missing_customer: 'Missing customer',
  missing_reward: 'Missing reward',
  missing_order: 'Missing order',
  missing_amount: 'Missing order amount',
  missing_order_items: 'Missing order items',
  missing_order_items_amount: 'Missing applicable order items',
  invalid_customer: 'Customer must be a holder of a loyalty card.',
  invalid_amount: 'Invalid Amount',
  invalid_payload: 'Invalid payload',
  no_effect: 'Redeemable does not have any effect',
  exclusion_rules_not_met: 'Redeemable cannot be applied due to exclusion rules',
  preceding_validation_failed: 'Redeemable cannot be applied due to preceding validation failure',
  applicable_redeemables_limit_exceeded: 'Applicable redeemables limit exceeded',
  applicable_redeemables_per_category_limit_exceeded: 'Applicable redeemables limit per category exceeded',
  applicable_exclusive_redeemables_limit_exceeded: 'Applicable exclusive redeemables limit exceeded',
  applicable_exclusive_redeemables_per_category_limit_exceeded:
    'Applicable exclusive redeemables limit per category exceeded',
} as const

export type ReasonKey = keyof typeof messages

export function reason(key: ReasonKey, more: Partial<Omit<Reason, 'key' | 'message'>> = {}): Reason {
  return { key, message: messages[key], ...more }
}

/** Refusal for rules and discounts that take too many steps on this order (docs/reference/limits.md#evaluation). */
export const tooMuchWork = (): Reason =>
  reason('order_rules_violated', {
    details: 'Rules and discount take too many steps on this order',
  })

/** Refusal for an amount of a calculation above 2^53. */
export const tooLarge = (): Reason => reason('invalid_amount', { details: 'amount out of range' })

export function notFound(resourceType: string, resourceId: string): Reason {
  return reason('not_found', {
    details: `Cannot find ${resourceType} with id ${resourceId}`,
    resource_type: resourceType,
    resource_id: resourceId,
  })
}
