const discounts = [
  'apply_to_order',
  'apply_to_items',
  'apply_to_items_proportionally',
  'apply_to_items_proportionally_by_quantity',
  'apply_to_items_by_quantity',
  'fixed.apply_to_items',
  'percent.apply_to_items',
] as const

const withDiscounts = <const Place extends string>(place: Place) =>
  [place, ...discounts.map((discount) => `${place}.discount.${discount}` as const)] as const

const withGifts = <const Place extends string>(place: Place) =>
  [place, `${place}.gift.apply_to_order`, `${place}.gift.apply_to_items`] as const

/** The intended use of a rule: a label without effect (docs/reference/rules.md#context-types). */
export const contextTypes = [
  'global',
  'campaign.loyalty_program',
  'voucher.loyalty_card',
  'reward_assignment.pay_with_points',

  'earning_rule.order.paid',
  'earning_rule.custom_event',
  'earning_rule.customer.segment.entered',
  'earning_rule.customer.tier.joined',
  'earning_rule.customer.tier.left',
  'earning_rule.customer.tier.upgraded',
  'earning_rule.customer.tier.downgraded',
  'earning_rule.customer.tier.prolonged',

  'distribution.custom_event',
  'distribution.order.paid',
  'distribution.order.created',
  'distribution.order.canceled',
  'distribution.order.updated',

  ...withDiscounts('campaign.discount_coupons'),
  ...withDiscounts('campaign.referral_program'),
  ...withDiscounts('campaign.promotion'),
  ...withDiscounts('voucher.discount_voucher'),
  ...withGifts('campaign.gift_vouchers'),
  ...withGifts('voucher.gift_voucher'),
] as const

export type ContextType = (typeof contextTypes)[number]

export const isContextType = (text: string): text is ContextType => (contextTypes as readonly string[]).includes(text)
