import { describe, expect, test } from 'vitest'
import type { ApplicableEntry, Facts, GiftVoucher, LoyaltyCard, OrderFacts, Redeemable } from '../schema/index.ts'
import { applicable, discountsOrReasons, evaluateChecked, lineDiscounts, orderOf } from '../testing/evaluated.ts'
import { amountOff, facts, giftCard, line, loyaltyCard, on, order, percentOff, voucher } from '../testing/shop.ts'

const everything: ApplicableEntry = { object: 'products_collection', id: 'pc_a11pr0dUc75' }
const given = (givenOrder: OrderFacts | null, ...redeemables: Redeemable[]) => facts({ order: givenOrder, redeemables })

describe('gift card', () => {
  const card = (balance: number, more: Partial<GiftVoucher> = {}) => giftCard('G', balance, more)

  test.each<[string, GiftVoucher, number | string]>([
    ['pays as much as it can', card(700), 700],
    ['pays no more than the order costs', card(5000), 1000],
    ['pays the requested credits', card(5000, { credits: 300 }), 300],
    ['pays no more than the order costs, even if more was requested', card(5000, { credits: 3000 }), 1000],
    ['with all its credits', card(300, { credits: 300 }), 300],
    ['refuses more than its balance', card(299, { credits: 300 }), 'gift_amount_exceeded'],
    [
      'refuses more than its balance less what other sessions hold',
      card(500, { credits: 300, locked_credits: 201 }),
      'gift_amount_exceeded',
    ],
    ['pays with its balance less what other sessions hold', card(500, { locked_credits: 201 }), 299],
    ['pays nothing when other sessions hold more than its balance', card(500, { locked_credits: 900 }), 0],
    ['pays nothing when empty', card(0), 0],
    ['pays nothing when 0 credits are requested', card(500, { credits: 0 }), 0],
  ])('%s', (_, gift, expected) => {
    const verdict = evaluateChecked(given({ amount: 1000 }, gift))
    expect(discountsOrReasons(verdict)).toEqual([expected])
    if (typeof expected === 'string') return
    expect(verdict.redeemables).toMatchObject([
      { gift: { balance: gift.gift.balance, credits: expected }, has_effect: expected > 0 },
    ])
    expect(orderOf(verdict)).toMatchObject({ applied_discount_amount: expected, total_amount: 1000 - expected })
  })

  test('spends only what is applied: 5.00 of 8.00 when 5.00 are left to pay', () => {
    const verdict = evaluateChecked(given({ amount: 1000 }, voucher('A', amountOff(500)), card(900, { credits: 800 })))
    expect(verdict.redeemables[1]).toMatchObject({ gift: { credits: 500 } })
  })

  test.each<[string, OrderFacts | null, Partial<GiftVoucher>, string | number]>([
    ['without an order requires the credits', null, {}, 'missing_order'],
    ['without an order amount requires the credits', order(line('a', 1)), {}, 'missing_amount'],
    ['without an order spends the requested credits', null, { credits: 200 }, 200],
    ['without an order amount spends the requested credits', order(line('a', 1)), { credits: 200 }, 200],
    ['without an order refuses more than its balance', null, { credits: 900 }, 'gift_amount_exceeded'],
  ])('%s', (_, givenOrder, more, expected) => {
    const [outcome] = evaluateChecked(given(givenOrder, card(500, more))).redeemables
    if (typeof expected === 'string') expect(outcome).toMatchObject({ reason: { key: expected } })
    else expect(outcome).toMatchObject({ status: 'APPLICABLE', gift: { credits: expected }, has_effect: true })
  })

  describe('with effect APPLY_TO_ITEMS', () => {
    const forItems = (balance: number, more: Partial<GiftVoucher> = {}) =>
      card(balance, { ...more, gift: { balance, effect: 'APPLY_TO_ITEMS' } })
    const three = () => order(line('A', 2, 300), line('B', 1, 1800), line('other', 1, 5000))

    test('pays line by line', () => {
      const verdict = evaluateChecked(given(three(), forItems(9000, { credits: 2000, rules: [on('A', 'B')] })))
      expect(lineDiscounts(verdict)).toEqual([600, 1400, 0])
      expect(orderOf(verdict)).toMatchObject({ discount_amount: 0, items_discount_amount: 2000, total_amount: 5400 })
      expect(verdict.redeemables).toMatchObject([{ gift: { credits: 2000 }, discounted_goods: ['A', 'B'] }])
    })

    test('spends only the amount of the lines', () => {
      const verdict = evaluateChecked(given(three(), forItems(9000, { rules: [on('A', 'B')] })))
      expect(verdict.redeemables).toMatchObject([{ gift: { credits: 2400 } }])
    })

    test('pays for the selected units, and at most the amount to pay', () => {
      const entry = { ...everything, quantity_limit: 1, effect: 'APPLY_FROM_CHEAPEST' } as const
      expect(lineDiscounts(evaluateChecked(given(three(), forItems(9000, { rules: [on(entry)] }))))).toEqual([
        300, 1800, 5000,
      ])
      const little = { ...three(), amount: 500 }
      expect(lineDiscounts(evaluateChecked(given(little, forItems(9000))))).toEqual([500, 0, 0])
      const discounted = given(three(), voucher('P', percentOff(50, { effect: 'APPLY_TO_ITEMS' })), forItems(9000))
      expect(discountsOrReasons(evaluateChecked(discounted))).toEqual([3700, 3700])
    })

    test.each<[string, OrderFacts | null, Partial<GiftVoucher>]>([
      ['an order without a covered line', order(line('X', 1, 100)), { rules: [on('A')] }],
      ['an order without a line of known amount', { amount: 500, items: [line('A', 1)] }, {}],
      ['an order without lines', { amount: 500 }, {}],
      ['an order without amounts', order(line('A', 1)), {}],
      ['an order without anything', {}, {}],
      ['an order without amounts, even with requested credits,', order(line('A', 1)), { credits: 100 }],
    ])('%s is refused', (_, givenOrder, more) => {
      expect(discountsOrReasons(evaluateChecked(given(givenOrder, forItems(900, more))))).toEqual([
        'missing_order_items_amount',
      ])
    })

    test('covers lines included by rules, and is refused when none of them has an amount', () => {
      const picks = {
        id: 'val_1',
        rules: {
          '1': {
            name: 'product.id',
            conditions: { $is: ['A'] },
            rules: { '1': { name: 'product.discount_applicable', conditions: { $is: [true] } }, logic: '1' },
          },
          logic: '1',
        },
      }
      const lines = { items: [line('A', 1, 300), line('B', 1, 1800)] }
      expect(lineDiscounts(evaluateChecked(given(lines, forItems(9000, { rules: [picks] }))))).toEqual([300, 0])
      const unknown = { items: [line('A', 1), line('B', 1, 1800)] }
      expect(discountsOrReasons(evaluateChecked(given(unknown, forItems(9000, { rules: [picks] }))))).toEqual([
        'missing_order_items_amount',
      ])
    })
  })
})

describe('loyalty card', () => {
  const coin = { type: 'COIN', id: 'rew_1', exchange_ratio: 3, points_ratio: 40 } as const // 40 points are 3.00
  const material = { type: 'MATERIAL', id: 'rew_2', price: 100 } as const
  const card = (balance: number, more: Partial<LoyaltyCard> = {}) =>
    loyaltyCard('L', balance, { reward: coin, ...more })
  const customer = { id: 'cust_1' }

  test.each<[string, LoyaltyCard, number, [points: number, discount: number] | string]>([
    ['500 points requested, 9 units needed', card(1000, { points: 500 }), 2500, [360, 2500]],
    ['100 points are 2 units', card(1000, { points: 100 }), 2500, [80, 600]],
    ['limited by the balance', card(150), 2500, [120, 900]],
    ['none for an order with nothing to pay', card(150), 0, [0, 0]],
    ['less than one unit requested', card(1000, { points: 39 }), 2500, 'invalid_payload'],
    ['a balance of less than one unit', card(39), 2500, 'loyalty_card_points_exceeded'],
    ['more requested than the balance', card(100, { points: 120 }), 2500, 'loyalty_card_points_exceeded'],
    [
      'more requested than other sessions leave',
      card(100, { points: 80, locked_points: 21 }),
      2500,
      'loyalty_card_points_exceeded',
    ],
  ])('pays with points: %s', (_, givenCard, amount, expected) => {
    const verdict = evaluateChecked(given({ amount }, givenCard))
    if (typeof expected === 'string') {
      expect(discountsOrReasons(verdict)).toEqual([expected])
      return
    }
    const [points, discount] = expected
    expect(verdict.redeemables).toMatchObject([{ loyalty_card: { points }, has_effect: points > 0 }])
    expect(orderOf(verdict)).toMatchObject({ applied_discount_amount: discount, total_amount: amount - discount })
  })

  test('pays the amount left by preceding redeemables: 25.00 − 20.00', () => {
    const verdict = evaluateChecked(given({ amount: 2500 }, voucher('A', amountOff(2000)), card(1000)))
    expect(discountsOrReasons(verdict)).toEqual([2000, 500])
    expect(applicable(verdict.redeemables[1]).loyalty_card).toEqual({ points: 80 }) // two units, the second not in full
  })

  test.each<[string, OrderFacts | null, Partial<LoyaltyCard>, Facts['customer'], string]>([
    ['no reward', { amount: 100 }, { reward: null }, null, 'missing_reward'],
    ['a reward of another program', { amount: 100 }, { reward: { type: 'UNKNOWN', id: 'rew_9' } }, null, 'not_found'],
    ['the card is not published', { amount: 100 }, { holder_id: null }, null, 'not_published'],
    ['another customer holds the card', { amount: 100 }, {}, { id: 'cust_2' }, 'invalid_customer'],
    ['an unknown customer', { amount: 100 }, {}, { source_id: 'new' }, 'invalid_customer'],
    ['no order to pay', null, {}, customer, 'missing_order'],
    ['an order without an amount', order(line('a', 1)), {}, customer, 'missing_amount'],
    [
      'the reward is out of stock',
      null,
      { reward: { ...material, stock: 3, redeemed: 3 } },
      customer,
      'reward_out_of_stock',
    ],
    [
      'the price exceeds the balance',
      null,
      { reward: { ...material, price: 1001 } },
      customer,
      'loyalty_card_points_exceeded',
    ],
    [
      'out of stock and too expensive',
      null,
      { reward: { ...material, price: 9999, stock: 0 } },
      customer,
      'reward_out_of_stock',
    ],
    ['no reward and no holder', null, { reward: null, holder_id: null }, customer, 'missing_reward'],
  ])('is refused: %s', (_, givenOrder, more, who, key) => {
    const verdict = evaluateChecked(
      facts({ order: givenOrder, customer: who ?? null, redeemables: [card(1000, more)] }),
    )
    expect(discountsOrReasons(verdict)).toEqual([key])
  })

  test('buys a reward without changing the order, even without an order', () => {
    const campaign = { type: 'CAMPAIGN', id: 'rew_3', price: 250 } as const
    for (const [reward, points] of [
      [material, 100],
      [campaign, 250],
      [{ ...material, stock: 3, redeemed: 2 }, 100],
    ] as const) {
      const verdict = evaluateChecked(given({ amount: 700 }, card(1000, { reward })))
      expect(verdict.redeemables).toMatchObject([{ loyalty_card: { points }, has_effect: true }])
      expect(orderOf(verdict)).toMatchObject({ total_amount: 700, total_applied_discount_amount: 0 })
      expect(evaluateChecked(given(null, card(1000, { reward }))).valid).toBe(true)
    }
  })
})
