import type { Schemas } from '../api/client.ts'
import type { Format } from '../ui/format.tsx'

/** What a use of a code or a promotion, or its rollback, is refused for: in a list, and as a sentence. */
const ofUses: Record<string, [name: string, sentence: string]> = {
  quantity_exceeded: ['Used up', 'It had been used as often as it may be.'],
  voucher_expired: ['Expired', 'This code had expired.'],
  voucher_not_active: ['Not valid yet', 'This code was not valid yet.'],
  voucher_not_active_now: [
    'Not valid at that hour or day',
    'This code is not valid on that day of the week or at that hour.',
  ],
  voucher_disabled: ['Switched off', 'This code, or its campaign, was switched off.'],
  not_found: ['No such code', 'There is no such code.'],
  order_rules_violated: ['The order does not qualify', 'The order did not meet the conditions.'],
  customer_rules_violated: ['The customer does not qualify', 'The customer did not meet the conditions.'],
  redemption_rules_violated: ['A limit or condition of use', 'A limit or a condition of its use was not met.'],
  gift_amount_exceeded: ['Gift card holds too little', 'There was not enough left on the gift card.'],
  loyalty_card_points_exceeded: ['Too few points', 'There were not enough points on the card.'],
  loyalty_card_not_active: ['Loyalty card is not active', 'The loyalty card was not active.'],
  reward_out_of_stock: ['Reward out of stock', 'The reward was out of stock.'],
  referrer_not_permitted_to_redeem: ['Own referral code', 'Nobody can use a referral code of their own.'],
  not_published: ['Not given to a customer yet', 'This code had not been given to a customer yet.'],
  promotion_inactive: ['Promotion is not running', 'The promotion was not running.'],
  promotion_not_active_now: [
    'Promotion not running at that time',
    'The promotion was not running at that hour or on that day.',
  ],
  campaign_not_active: ['Campaign is not running', 'The campaign was not running.'],
  missing_customer: ['No customer was given', 'It depends on the customer, and none was given.'],
  missing_order: ['No order was given', 'It depends on the order, and none was given.'],
  missing_amount: ['Order without an amount', 'The order had no amount.'],
  missing_order_items: ['Order without lines', 'It depends on the lines of the order, and there were none.'],
  missing_order_items_amount: ['Nothing in the order it applies to', 'Nothing in the order is what it applies to.'],
  missing_reward: ['No reward was chosen', 'Points buy a reward, and none was chosen.'],
  invalid_gift: [
    'Wrong amount of credits',
    'Credits of a gift card are a whole number of cents, and something else was sent.',
  ],
  no_effect: ['Takes nothing off', 'It would have taken nothing off this order.'],
  exclusion_rules_not_met: ['Cannot be combined', 'It cannot be combined with the other codes of the order.'],
  preceding_validation_failed: ['Another code was refused first', 'Another code of the same order was refused first.'],
  applicable_redeemables_limit_exceeded: [
    'Too many codes at once',
    'The order already had as many codes as the stacking rules allow.',
  ],
  applicable_redeemables_per_category_limit_exceeded: [
    'Too many codes of one category',
    'The order already had as many codes of one category as the stacking rules allow.',
  ],
  applicable_exclusive_redeemables_limit_exceeded: [
    'Too many exclusive codes',
    'The order already had as many exclusive codes as the stacking rules allow.',
  ],
  applicable_exclusive_redeemables_per_category_limit_exceeded: [
    'Too many exclusive codes of one category',
    'The order already had as many exclusive codes of one category as the stacking rules allow.',
  ],
  already_rolled_back: ['Already rolled back', 'It had been rolled back before.'],
  invalid_redemption: ['Cannot be rolled back', 'It can no longer be rolled back: three months have passed.'],
  multiple_requests: ['Another request was changing it', 'Another request was changing the same thing at that moment.'],
}

/** What giving a code to a customer is refused for. */
const ofPublications: Record<string, [name: string, sentence: string]> = {
  voucher_already_published: ['Given before', 'The code had been given to somebody before.'],
  voucher_cannot_be_published: ['Has one already', 'The customer has a code of this campaign already.'],
  no_voucher_suitable_for_publication: ['No code left', 'There was no code left that could be given.'],
}

const refusals = new Map(Object.entries({ ...ofUses, ...ofPublications }))

/** The keys that a refused redemption can have, for a list to choose from. */
export const refusalKeys = () => Object.keys(ofUses)

/** Why something was refused, in the few words of a list: `quantity_exceeded` is "Used up". */
export function refusalName(key: string): string {
  return refusals.get(key)?.[0] ?? capital(key.replaceAll('_', ' '))
}

/** What is known of the code that was refused; each part makes its sentence more exact. */
export interface RefusedObject {
  exists?: boolean
  used?: number | undefined
  allowed?: number | null | undefined
  /** Already written for a person. */
  startsOn?: string | undefined
  endsOn?: string | undefined
  balance?: string | undefined
}

interface Refusal {
  key?: string | undefined
  /** The service's own words, for what is not listed here. */
  message?: string | undefined
}

/** Why something was refused, as a sentence with what is known. */
export function refusalSentence({ key = '', message }: Refusal, object: RefusedObject = {}): string {
  const known = exactSentence(key, object) ?? refusals.get(key)?.[1]
  if (known !== undefined) return known
  const text = capital(message || key.replaceAll('_', ' ') || 'no reason was given')
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function exactSentence(key: string, object: RefusedObject): string | undefined {
  const { exists, used = 0, allowed, startsOn, endsOn, balance } = object
  switch (key) {
    case 'quantity_exceeded':
      // The numbers are of today: after a rollback, or with a new limit, they are no reason.
      return typeof allowed === 'number' && used >= allowed
        ? `This code has been used ${used.toLocaleString('en-GB')} of ${allowed.toLocaleString('en-GB')} times.`
        : undefined
    case 'voucher_expired':
      return endsOn && `This code expired on ${endsOn}.`
    case 'voucher_not_active':
      return startsOn && `This code is valid from ${startsOn}.`
    case 'gift_amount_exceeded':
      return balance && `The gift card holds ${balance}, less than was asked for.`
    case 'loyalty_card_points_exceeded':
      return balance && `The card holds ${balance}, fewer than were asked for.`
    case 'not_found':
      return exists ? 'Something that was sent with it, or that it refers to, does not exist.' : undefined
    default:
      return undefined
  }
}

/** Events can hold less of a code than lists do. */
type Code = Partial<Pick<Schemas['Voucher'], 'start_date' | 'expiration_date' | 'redemption'>>

/** What a refusal can say about a code, as it is now. */
export function refusedCode(
  { start_date, expiration_date, redemption }: Code,
  format: Pick<Format, 'dateTime'>,
): RefusedObject {
  return {
    exists: true,
    used: redemption?.redeemed_quantity,
    allowed: redemption?.quantity,
    ...(start_date && { startsOn: format.dateTime(start_date) }),
    ...(expiration_date && { endsOn: format.dateTime(expiration_date) }),
  }
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
