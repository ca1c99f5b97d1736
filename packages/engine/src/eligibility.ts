import type { Cart } from './cart.ts'
import { availableCredits, giftLines } from './discounts/gift-credits.ts'
import { availablePoints, priceInPoints } from './discounts/points.ts'
import type { Use } from './discounts/use.ts'
import type { EvaluationScope } from './evaluation-scope.ts'
import { notFound, type ReasonKey, reason } from './reasons.ts'
import type { GiftVoucher, KnownRedeemable, LoyaltyCard, Reason, Step, Validity } from './schema/index.ts'
import { money } from './sentence.ts'
import { instantText, whyNotValid } from './time/index.ts'

type Voucher = Exclude<KnownRedeemable, { kind: 'promotion_tier' }>

/**
 * Why a redeemable cannot be used at this time, independent of the order: inactive, outside its validity period, or
 * exhausted (docs/reference/validity.md#order-of-checks and docs/reference/calculated-order.md and
 * docs/reference/stacking.md).
 */
export function whyNotUsable(redeemable: KnownRedeemable, scope: EvaluationScope, trace: Step[] | null): Reason | null {
  return redeemable.kind === 'promotion_tier'
    ? whyNotPromotion(redeemable, scope, trace)
    : whyNotVoucher(redeemable, scope, trace)
}

function whyNotVoucher(voucher: Voucher, scope: EvaluationScope, trace: Step[] | null): Reason | null {
  const isActive = voucher.active && (voucher.campaign?.active ?? true)
  trace?.push({ step: 'check', check: 'active', expected: true, actual: isActive, passed: isActive })
  if (!isActive) return reason('voucher_disabled', { details: voucher.code })
  const failedCheck = whyNotInTime(voucher, scope, trace)
  if (failedCheck !== null) return reason(voucherDates[failedCheck], { details: voucher.code })
  return whyNotQuantity(voucher, trace) ?? whyNotReferral(voucher, scope, trace)
}

const voucherDates = {
  start_date: 'voucher_not_active',
  expiration_date: 'voucher_expired',
  validity_timeframe: 'voucher_not_active_now',
  validity_day_of_week: 'voucher_not_active_now',
  validity_hours: 'voucher_not_active_now',
} as const satisfies Record<string, ReasonKey>

function whyNotInTime(
  validity: Validity,
  { clock }: EvaluationScope,
  trace: Step[] | null,
): keyof typeof voucherDates | null {
  const fault = whyNotValid(validity, clock)
  if (trace !== null) {
    const actual = instantText(clock.at)
    for (const check of Object.keys(voucherDates) as Array<keyof typeof voucherDates>) {
      const expected = validity[check]
      if (expected != null) trace.push({ step: 'check', check, expected, actual, passed: check !== fault })
      if (check === fault) break
    }
  }
  return fault
}

function whyNotQuantity(voucher: Voucher, trace: Step[] | null): Reason | null {
  const { quantity, redeemed_quantity, locked_quantity } = voucher
  if (quantity === null) return null
  const used = redeemed_quantity + (locked_quantity ?? 0)
  const passed = used < quantity
  trace?.push({ step: 'limit', limit: 'redemption.quantity', used, allowed: quantity, passed })
  return passed ? null : reason('quantity_exceeded', { details: usedUp(voucher) })
}

/** "SUMMER: 2 of 3 redemptions are used, 1 is held by sessions" */
function usedUp({ code, quantity, redeemed_quantity, locked_quantity }: Voucher): string {
  const held = locked_quantity ? `, ${locked_quantity} ${locked_quantity === 1 ? 'is' : 'are'} held by sessions` : ''
  return `${code}: ${redeemed_quantity} of ${quantity} redemptions are used${held}`
}

function whyNotReferral(voucher: Voucher, { customer }: EvaluationScope, trace: Step[] | null): Reason | null {
  if (voucher.kind !== 'discount_voucher' || voucher.referral == null) return null
  const { referrer_id } = voucher.referral
  trace?.push({
    step: 'check',
    check: 'published',
    expected: true,
    actual: referrer_id !== null,
    passed: referrer_id !== null,
  })
  if (referrer_id === null) return reason('not_published', { details: voucher.code })
  const isReferrer = customer?.id === referrer_id
  trace?.push({
    step: 'check',
    check: 'redeemed by the referrer',
    expected: false,
    actual: isReferrer,
    passed: !isReferrer,
  })
  return isReferrer ? reason('referrer_not_permitted_to_redeem', { details: voucher.code }) : null
}

/** A promotion tier must be valid by its own dates and by those of its campaign. */
function whyNotPromotion(
  tier: Extract<KnownRedeemable, { kind: 'promotion_tier' }>,
  scope: EvaluationScope,
  trace: Step[] | null,
): Reason | null {
  const isActive = tier.active && tier.discount != null && (tier.campaign?.active ?? true)
  trace?.push({ step: 'check', check: 'active', expected: true, actual: isActive, passed: isActive })
  if (!isActive) return reason('promotion_inactive', { details: `Promotion Tier with id: ${tier.id} is disabled.` })
  const faults = [tier, ...(tier.campaign == null ? [] : [tier.campaign])].map((validity) =>
    whyNotInTime(validity, scope, trace),
  )
  if (faults.some((fault) => fault === 'start_date' || fault === 'expiration_date')) {
    return reason('promotion_inactive', { details: `Promotion Tier with id: ${tier.id} is disabled.` })
  }
  return faults.some((fault) => fault !== null) ? reason('promotion_not_active_now', { details: tier.id }) : null
}

/**
 * Requirements of gift cards and loyalty cards: a reward, a holder, an order, enough balance
 * (docs/reference/validity.md#order-of-checks and docs/reference/validations.md#validate-several and
 * docs/reference/sessions.md).
 */
export function whyNotPayable(cart: Cart | null, use: Use): Reason | null {
  const { redeemable } = use
  if (redeemable.kind === 'gift_voucher') return whyNotGift(cart, { ...use, redeemable })
  return redeemable.kind === 'loyalty_card' ? whyNotCard(cart, redeemable, use) : null
}

/** Qualification lists cards without spending them; a card without balance is not listed. */
export function whyNotShown(redeemable: KnownRedeemable): Reason | null {
  if (redeemable.kind === 'gift_voucher' && availableCredits(redeemable) === 0) {
    return reason('gift_amount_exceeded', { details: `${redeemable.code}: nothing is left` })
  }
  if (redeemable.kind === 'loyalty_card' && availablePoints(redeemable) === 0) {
    return reason('loyalty_card_points_exceeded', { details: `${redeemable.code}: no points are left` })
  }
  return null
}

function whyNotGift(cart: Cart | null, use: Use<GiftVoucher>): Reason | null {
  const { redeemable, trace } = use
  const { credits } = redeemable
  if (credits == null && cart === null) return reason('missing_order')
  if (cart !== null && redeemable.gift.effect === 'APPLY_TO_ITEMS') {
    const lines = giftLines(cart, { ...use, trace: null }).flatMap((entry) => entry.lines)
    if (!lines.some(({ line }) => line.amount !== null)) return reason('missing_order_items_amount')
  }
  if (credits == null && cart?.amount === null) return reason('missing_amount')
  if (credits == null) return null
  const available = availableCredits(redeemable)
  const passed = credits <= available
  trace?.push({ step: 'limit', limit: 'gift.balance', used: credits, allowed: available, passed })
  return passed
    ? null
    : reason('gift_amount_exceeded', {
        details: `${redeemable.code}: ${money(credits)} is needed, ${money(available)} is left`,
      })
}

function whyNotCard(cart: Cart | null, card: LoyaltyCard, { scope, trace }: Use): Reason | null {
  const { reward, holder_id, code } = card
  if (reward == null) return reason('missing_reward', { details: 'A reward is required when redeeming a LOYALTY_CARD' })
  if (reward.type === 'UNKNOWN') return notFound('reward', reward.id)
  if (holder_id === null) return reason('not_published', { details: code })
  const { customer } = scope
  const isHolder = customer === null || customer.id === holder_id
  trace?.push({ step: 'check', check: 'holder', expected: holder_id, actual: customer?.id ?? null, passed: isHolder })
  if (!isHolder) return reason('invalid_customer', { details: code })
  const price = priceInPoints(card, cart, trace)
  return 'key' in price ? price : null
}
