import { describe, expect, test } from 'vitest'
import type { Facts, Redeemable } from './schema/index.ts'
import { discountsOrReasons, evaluateChecked } from './testing/evaluated.ts'
import { amountOff, facts, giftCard, loyaltyCard, noon, on, percentOff, tier, voucher } from './testing/shop.ts'

const earlier = '2025-02-26T11:59:59.999Z'
const later = '2025-02-26T12:00:00.001Z'
const campaign = { id: 'camp_1', active: true }
const off = { id: 'camp_1', active: false }
const ten = percentOff(10)
/** A Wednesday is day 3. */
const onThursday = { validity_day_of_week: [4] }
const inTheMorning = { validity_hours: { daily: [{ start_time: '08:00', expiration_time: '11:00' }] } }
const forAnHour = {
  start_date: '2025-02-26T10:00:00.000Z',
  validity_timeframe: { interval: 'P1D', duration: 'PT1H' },
}

const refusalKey = (redeemable: Redeemable, more: Partial<Facts> = {}) => {
  const [key] = discountsOrReasons(
    evaluateChecked(facts({ order: { amount: 1000 }, redeemables: [redeemable], ...more } as never)),
  )
  return typeof key === 'number' ? null : key
}

describe('voucher checks', () => {
  test.each<[string, Redeemable, string | null]>([
    ['is usable', voucher('V', ten, { campaign }), null],
    ['is unknown', { kind: 'unknown', object: 'voucher', id: 'V' }, 'not_found'],
    ['is switched off', voucher('V', ten, { active: false }), 'voucher_disabled'],
    ['its campaign is switched off', voucher('V', ten, { campaign: off }), 'voucher_disabled'],
    ['starts now', voucher('V', ten, { start_date: noon }), null],
    ['starts later', voucher('V', ten, { start_date: later }), 'voucher_not_active'],
    ['ends now', voucher('V', ten, { expiration_date: noon }), null],
    ['is expired', voucher('V', ten, { expiration_date: earlier }), 'voucher_expired'],
    ['is for other days', voucher('V', ten, onThursday), 'voucher_not_active_now'],
    ['is for other hours', voucher('V', ten, inTheMorning), 'voucher_not_active_now'],
    ['is between two windows', voucher('V', ten, forAnHour), 'voucher_not_active_now'],
    [
      'dates of its campaign do not matter',
      voucher('V', ten, { campaign: { ...campaign, expiration_date: earlier } }),
      null,
    ],
    ['has one redemption left', voucher('V', ten, { quantity: 3, redeemed_quantity: 2 }), null],
    ['is used up', voucher('V', ten, { quantity: 3, redeemed_quantity: 3 }), 'quantity_exceeded'],
    [
      'other sessions hold the last redemption',
      voucher('V', ten, { quantity: 3, redeemed_quantity: 2, locked_quantity: 1 }),
      'quantity_exceeded',
    ],
    ['has a quantity of 0', voucher('V', ten, { quantity: 0 }), 'quantity_exceeded'],
    ['is an unpublished referral code', voucher('V', ten, { referral: { referrer_id: null } }), 'not_published'],
    ['is a referral code', voucher('V', ten, { referral: { referrer_id: 'cust_1' } }), null],
  ])('%s', (_, redeemable, key) => {
    expect(refusalKey(redeemable)).toBe(key)
  })

  test('the referrer cannot redeem their own referral code', () => {
    const code = voucher('V', ten, { referral: { referrer_id: 'cust_1' } })
    expect(refusalKey(code, { customer: { id: 'cust_1' } })).toBe('referrer_not_permitted_to_redeem')
    expect(refusalKey(code, { customer: { id: 'cust_2' } })).toBe(null)
  })

  test('reports the first failed check', () => {
    const rule = {
      id: 'val_1',
      rules: { '1': { name: 'order.amount', conditions: { $more_than: [9999] } }, logic: '1' },
    }
    // Each case fixes the problem reported in the previous one.
    const steps: Array<[Partial<Parameters<typeof giftCard>[2]>, string]> = [
      [{ active: false }, 'voucher_disabled'],
      [{ active: true }, 'voucher_not_active'],
      [{ start_date: null }, 'voucher_expired'],
      [{ expiration_date: null }, 'voucher_not_active_now'],
      [{ validity_day_of_week: null }, 'quantity_exceeded'],
      [{ quantity: null }, 'missing_order_items_amount'],
      [{ gift: { balance: 100 } }, 'gift_amount_exceeded'],
      [{ credits: 100 }, 'order_rules_violated'],
    ]
    let broken = giftCard('G', 100, {
      start_date: later,
      expiration_date: earlier,
      ...onThursday,
      quantity: 1,
      redeemed_quantity: 1,
      gift: { balance: 100, effect: 'APPLY_TO_ITEMS' },
      credits: 200,
      rules: [rule],
    })
    for (const [mended, key] of steps) {
      broken = { ...broken, ...mended }
      expect(refusalKey(broken)).toBe(key)
    }
  })

  test('the refusal contains the voucher code', () => {
    const [outcome] = evaluateChecked(facts({ redeemables: [voucher('SPRING', ten, { active: false })] })).redeemables
    expect(outcome).toEqual({
      status: 'INAPPLICABLE',
      object: 'voucher',
      id: 'SPRING',
      reason: { key: 'voucher_disabled', message: 'voucher is disabled', details: 'SPRING' },
    })
  })
})

describe('promotion tier checks', () => {
  test.each<[string, Redeemable, string | null]>([
    ['is usable', tier('T', ten, { campaign }), null],
    ['is unknown', { kind: 'unknown', object: 'promotion_tier', id: 'T' }, 'not_found'],
    ['is switched off', tier('T', ten, { active: false }), 'promotion_inactive'],
    ['has no discount', tier('T', null), 'promotion_inactive'],
    ['its campaign is switched off', tier('T', ten, { campaign: off }), 'promotion_inactive'],
    ['starts later', tier('T', ten, { start_date: later }), 'promotion_inactive'],
    ['is expired', tier('T', ten, { expiration_date: earlier }), 'promotion_inactive'],
    [
      'its campaign is expired',
      tier('T', ten, { campaign: { ...campaign, expiration_date: earlier } }),
      'promotion_inactive',
    ],
    [
      'its campaign starts later',
      tier('T', ten, { campaign: { ...campaign, start_date: later } }),
      'promotion_inactive',
    ],
    ['is for other days', tier('T', ten, onThursday), 'promotion_not_active_now'],
    [
      'its campaign is for other hours',
      tier('T', ten, { campaign: { ...campaign, ...inTheMorning } }),
      'promotion_not_active_now',
    ],
    [
      'dates are checked before hours',
      tier('T', ten, { ...onThursday, campaign: { ...campaign, expiration_date: earlier } }),
      'promotion_inactive',
    ],
  ])('%s', (_, redeemable, key) => {
    expect(refusalKey(redeemable)).toBe(key)
  })

  test('the refusal has the message and details of the contract', () => {
    const [outcome] = evaluateChecked(facts({ redeemables: [tier('promo_1', ten, { active: false })] })).redeemables
    expect(outcome).toMatchObject({ reason: { details: 'Promotion Tier with id: promo_1 is disabled.' } })
  })
})

describe('rules that depend on the calculation', () => {
  const floor = {
    id: 'val_1',
    rules: { '1': { name: 'order.total_amount', conditions: { $more_than: [500] } }, logic: '1' },
  }

  test('E5: a rule on the total after the discount is evaluated after the discount', () => {
    const order = { amount: 5000 }
    expect(refusalKey(voucher('A', amountOff(4600), { rules: [floor] }), { order })).toBe('order_rules_violated')
    expect(refusalKey(voucher('A', amountOff(4400), { rules: [floor] }), { order })).toBe(null)
  })

  test('a redeemable that fails after its calculation does not change the order', () => {
    const verdict = evaluateChecked(
      facts({
        order: { amount: 5000 },
        rules: { redeemables_application_mode: 'PARTIAL' },
        redeemables: [voucher('A', amountOff(4600), { rules: [floor] }), voucher('B', percentOff(10))],
      }),
    )
    expect(discountsOrReasons(verdict)).toEqual(['order_rules_violated', 500])
    expect(verdict.order?.total_amount).toBe(4500)
  })

  test('E4: rules read the current amount and the initial amount', () => {
    const rules = [
      {
        id: 'val_1',
        rules: {
          '1': { name: 'order.amount', conditions: { $more_than_or_equal: [11_000] } },
          '2': { name: 'order.initial_amount', conditions: { $less_than: [13_000] } },
          logic: '1 and 2',
        },
      },
    ]
    const coupon = voucher('C', percentOff(10), { rules })
    const gift = giftCard('G', 1500)
    const order = { amount: 12_000 }
    expect(discountsOrReasons(evaluateChecked(facts({ order, redeemables: [coupon, gift] })))).toEqual([1200, 1500])
    expect(discountsOrReasons(evaluateChecked(facts({ order, redeemables: [gift, coupon] })))).toEqual([
      1500,
      'order_rules_violated',
    ])
  })

  test('reports the data that a rule needs when the request lacks it', () => {
    const needs = (name: string, conditions: Record<string, unknown>) => [
      { id: 'val_1', rules: { '1': { name, property: 'x', conditions }, logic: '1' } },
    ]
    const code = (name: string, conditions: Record<string, unknown>) =>
      voucher('V', ten, { rules: needs(name, conditions) })
    expect(refusalKey(code('customer.metadata', { $is: ['y'] }))).toBe('missing_customer')
    expect(refusalKey(code('order.amount', { $more_than: [1] }), { order: null })).toBe('missing_order')
    expect(refusalKey(code('order.amount', { $more_than: [1] }), { order: {} })).toBe('missing_amount')
    const any = { $is: [{ id: 'A', object: 'product' }] }
    expect(refusalKey(code('order.items.any', any), { order: { amount: 5 } })).toBe('missing_order_items')
  })
})

test('a discount is applicable without an order, and its formulas may have a value', () => {
  const discount = amountOff(100, { amount_off_formula: '2 + 3' })
  const verdict = evaluateChecked(
    facts({ redeemables: [voucher('V', discount), voucher('P', ten, { rules: [on('A')] })] }),
  )
  expect(verdict.valid).toBe(true)
  expect(verdict).not.toHaveProperty('order')
  expect(verdict.redeemables).toMatchObject([
    { status: 'APPLICABLE', discount: { amount_off: 500, is_dynamic: true }, has_effect: true, discounted_goods: [] },
    { status: 'APPLICABLE', applicable_to: { data: [{ id: 'A' }] } },
  ])
  expect(verdict.redeemables[0]).not.toHaveProperty('order')
})

test('voucher checks of a loyalty card come before checks of its points', () => {
  expect(refusalKey(loyaltyCard('L', 100, { active: false, reward: null }))).toBe('voucher_disabled')
  expect(refusalKey(loyaltyCard('L', 100, { quantity: 1, redeemed_quantity: 1 }))).toBe('quantity_exceeded')
})
