/** Why something was refused, in the few words of a list: `quantity_exceeded` is "Used up". */
export function refusalName(key: string): string {
  return names[key] ?? capital(key.replaceAll('_', ' '))
}

/** What is known of the code that was refused; each part makes its sentence more exact. */
export interface RefusedObject {
  kind: 'code' | 'promotion'
  used?: number | undefined
  allowed?: number | null | undefined
  /** Already written for a person. */
  startsOn?: string | undefined
  endsOn?: string | undefined
  balance?: string | undefined
}

/** Why something was refused, as a sentence with what is known. `message` is the service's own, for what is not listed here. */
export function refusalSentence(key: string, message?: string, object: RefusedObject = { kind: 'code' }): string {
  const thing = object.kind === 'promotion' ? 'promotion' : 'code'
  const { used, allowed, startsOn, endsOn, balance } = object
  switch (key) {
    case 'quantity_exceeded':
      return typeof allowed === 'number' && used !== undefined
        ? `This ${thing} has been used ${used} of ${allowed} times.`
        : `This ${thing} has been used as often as it may be.`
    case 'voucher_expired':
      return endsOn ? `This code expired on ${endsOn}.` : 'This code has expired.'
    case 'voucher_not_active':
      return startsOn ? `This code is valid from ${startsOn}.` : 'This code is not valid yet.'
    case 'gift_amount_exceeded':
      return balance ? `The gift card holds ${balance}, less than was asked for.` : 'The gift card holds too little.'
    case 'loyalty_card_points_exceeded':
      return balance
        ? `The card holds ${balance}, fewer than were asked for.`
        : 'The card holds fewer points than were asked for.'
    default:
      return sentences[key] ?? (message ? withStop(capital(message)) : `${refusalName(key)}.`)
  }
}

/** The keys that a refused redemption can have, for a list to choose from. */
export const refusalKeys = () => Object.keys(names)

const names: Record<string, string> = {
  quantity_exceeded: 'Used up',
  voucher_expired: 'Expired',
  voucher_not_active: 'Not valid yet',
  voucher_not_active_now: 'Not valid at that hour or day',
  voucher_disabled: 'Switched off',
  not_found: 'No such code',
  order_rules_violated: 'The order does not qualify',
  customer_rules_violated: 'The customer does not qualify',
  redemption_rules_violated: 'A limit or condition of use',
  gift_amount_exceeded: 'Gift card holds too little',
  loyalty_card_points_exceeded: 'Too few points',
  loyalty_card_not_active: 'Loyalty card is not active',
  reward_out_of_stock: 'Reward out of stock',
  referrer_not_permitted_to_redeem: 'Own referral code',
  not_published: 'Not given to a customer yet',
  promotion_inactive: 'Promotion is not running',
  promotion_not_active_now: 'Promotion not running at that time',
  campaign_not_active: 'Campaign is not running',
  missing_customer: 'No customer was given',
  missing_order: 'No order was given',
  missing_amount: 'Order without an amount',
  missing_order_items: 'Order without lines',
  missing_order_items_amount: 'Nothing in the order it applies to',
  missing_reward: 'No reward was chosen',
  invalid_gift: 'Wrong amount of credits',
  no_effect: 'Takes nothing off',
  exclusion_rules_not_met: 'Cannot be combined',
  preceding_validation_failed: 'Another code was refused first',
  applicable_redeemables_limit_exceeded: 'Too many codes at once',
  applicable_redeemables_per_category_limit_exceeded: 'Too many codes of one category',
  applicable_exclusive_redeemables_limit_exceeded: 'Too many exclusive codes',
  applicable_exclusive_redeemables_per_category_limit_exceeded: 'Too many exclusive codes of one category',
  already_rolled_back: 'Already rolled back',
  invalid_redemption: 'Cannot be rolled back',
  multiple_requests: 'Another request was changing it',
}

const sentences: Record<string, string> = {
  voucher_not_active_now: 'This code is not valid on that day of the week or at that hour.',
  voucher_disabled: 'This code is switched off.',
  not_found: 'There is no such code.',
  order_rules_violated: 'The order did not meet the conditions.',
  customer_rules_violated: 'The customer did not meet the conditions.',
  redemption_rules_violated: 'A limit or a condition of its use was not met.',
  loyalty_card_not_active: 'The loyalty card is not active.',
  reward_out_of_stock: 'The reward was out of stock.',
  referrer_not_permitted_to_redeem: 'Nobody can use a referral code of their own.',
  not_published: 'This code has not been given to a customer yet.',
  promotion_inactive: 'The promotion was not running.',
  promotion_not_active_now: 'The promotion was not running at that hour or on that day.',
  campaign_not_active: 'The campaign was not running.',
  missing_customer: 'It depends on the customer, and none was given.',
  missing_order: 'It depends on the order, and none was given.',
  missing_amount: 'The order had no amount.',
  missing_order_items: 'It depends on the lines of the order, and there were none.',
  missing_order_items_amount: 'Nothing in the order is what it applies to.',
  missing_reward: 'Points buy a reward, and none was chosen.',
  no_effect: 'It would have taken nothing off this order.',
  exclusion_rules_not_met: 'It cannot be combined with the other codes of the order.',
  preceding_validation_failed: 'Another code of the same order was refused first.',
  applicable_redeemables_limit_exceeded: 'The order already had as many codes as the stacking rules allow.',
  already_rolled_back: 'It had been rolled back before.',
  invalid_redemption: 'It can no longer be rolled back: three months have passed.',
  multiple_requests: 'Another request was changing the same thing at that moment.',
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
const withStop = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)
