import type { Schemas } from '../../api/client.ts'
import type { Format } from '../../ui/format.tsx'

/** Why a code was refused, as a sentence for whoever is asked. Numbers of the day are in the redemption's explanation. */
const refusals: Record<string, string> = {
  voucher_disabled: 'The code, or its campaign, was switched off.',
  voucher_not_active: 'The code was not valid yet.',
  voucher_not_active_now: 'The code is not valid on this day or at this hour.',
  voucher_expired: 'The code had expired.',
  quantity_exceeded: 'The code had been used as often as it may be.',
  gift_amount_exceeded: 'There was not enough left on the gift card.',
  loyalty_card_points_exceeded: 'There were not enough points on the card.',
  loyalty_card_not_active: 'The loyalty card was not active.',
  reward_out_of_stock: 'The reward was out of stock.',
  referrer_not_permitted_to_redeem: 'A referral code cannot be used by the person it belongs to.',
  not_published: 'The code had not been given to anybody yet.',
  customer_rules_violated: 'The code is not for this customer.',
  order_rules_violated: 'The order did not meet the conditions of the code.',
  redemption_rules_violated: 'A limit or a condition of the code was not met.',
  promotion_inactive: 'The promotion was not active.',
  promotion_not_active_now: 'The promotion is not valid on this day or at this hour.',
  campaign_not_active: 'The campaign was not active.',
  missing_customer: 'The code needs a customer, and none was named.',
  invalid_customer: 'The code belongs to another customer.',
  missing_reward: 'No reward was chosen for the points.',
  missing_order: 'The code needs an order, and none was sent.',
  missing_amount: 'The order had no amount.',
  missing_order_items: 'The order had no items.',
  missing_order_items_amount: 'Nothing in the order can be paid with this card.',
  no_effect: 'The code would have changed nothing in this order.',
  exclusion_rules_not_met: 'The code cannot be combined with the others.',
  preceding_validation_failed: 'Another code of the same order was refused before it.',
  applicable_redeemables_limit_exceeded: 'More codes were used than one order may have.',
  applicable_redeemables_per_category_limit_exceeded: 'More codes of one category were used than one order may have.',
  applicable_exclusive_redeemables_limit_exceeded: 'The code can only be used alone.',
  applicable_exclusive_redeemables_per_category_limit_exceeded: 'The code can only be used alone in its category.',
  multiple_requests: 'The code was being used by another request at that moment.',
  not_found: 'Something the code refers to does not exist.',
  voucher_already_published: 'The code had been given to somebody before.',
  voucher_cannot_be_published: 'The customer has a code of this campaign already.',
  no_voucher_suitable_for_publication: 'There was no code left that could be given.',
  already_rolled_back: 'It had been rolled back before.',
}

type Code = Pick<Schemas['Voucher'], 'start_date' | 'expiration_date' | 'redemption'>

interface Refusal {
  key?: string | undefined
  message?: string | undefined
  /** The code that was refused: its limits and dates say more than the kind of refusal. */
  code?: Code | null | undefined
}

export function refusalWords({ key, message, code }: Refusal, format: Pick<Format, 'dateTime' | 'number'>): string {
  const known = key === undefined ? undefined : (withNumbers(key, code, format) ?? refusals[key])
  if (known !== undefined) return known
  const text = message ?? key?.replaceAll('_', ' ') ?? 'No reason was given'
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}

function withNumbers(key: string, code: Code | null | undefined, format: Pick<Format, 'dateTime' | 'number'>) {
  if (!code) return undefined
  const { start_date, expiration_date, redemption } = code
  if (key === 'voucher_expired' && expiration_date) return `The code expired on ${format.dateTime(expiration_date)}.`
  if (key === 'voucher_not_active' && start_date) return `The code is valid from ${format.dateTime(start_date)}.`
  if (key === 'quantity_exceeded' && redemption.quantity !== null) {
    const { quantity } = redemption
    return `The code had been used ${format.number(quantity)} of ${format.number(quantity)} times.`
  }
  return undefined
}
