import { describe, expect, test } from 'vitest'
import { evaluate } from './evaluate.ts'
import type { ApplicableEntry, Facts, OrderFacts, Redeemable, Step } from './schema/index.ts'
import {
  applicable,
  deepFreeze,
  discountsOrReasons,
  evaluateChecked,
  lineDiscounts,
  orderOf,
} from './testing/evaluated.ts'
import {
  amountOff,
  category,
  facts,
  fixedPrice,
  giftCard,
  line,
  loyaltyCard,
  on,
  order,
  percentOff,
  product,
  sku,
  storedSku,
  unitsOff,
  voucher,
} from './testing/shop.ts'

const everything: ApplicableEntry = { object: 'products_collection', id: 'pc_a11pr0dUc75' }
const toItems = { effect: 'APPLY_TO_ITEMS' } as const

/** A rule on one number. */
const rule = (name: string, conditions: Record<string, unknown>) => ({
  id: 'val_1',
  rules: { '1': { name, conditions }, logic: '1' },
})

describe('a verdict', () => {
  test('has an outcome for each redeemable and the order after all of them', () => {
    const given = facts({
      order: { ...order(line('cup', 2, 1450), line('tray', 1, 3890)), metadata: { channel: 'web' } },
      redeemables: [voucher('CUP20', percentOff(20), { rules: [on('cup')] }), voucher('SIX', amountOff(600))],
    })
    const items = [
      {
        object: 'order_item',
        product_id: 'cup',
        quantity: 2,
        initial_quantity: 2,
        price: 1450,
        amount: 2900,
        initial_amount: 2900,
        discount_amount: 580,
        applied_discount_amount: 580,
        subtotal_amount: 2320,
      },
      {
        object: 'order_item',
        product_id: 'tray',
        quantity: 1,
        initial_quantity: 1,
        price: 3890,
        amount: 3890,
        initial_amount: 3890,
        subtotal_amount: 3890,
      },
    ]
    expect(evaluateChecked(given)).toMatchObject({
      valid: true,
      redeemables: [
        {
          status: 'APPLICABLE',
          object: 'voucher',
          id: 'CUP20',
          order: {
            amount: 6790,
            initial_amount: 6790,
            discount_amount: 0,
            items_discount_amount: 580,
            total_discount_amount: 580,
            total_amount: 6210,
            applied_discount_amount: 0,
            items_applied_discount_amount: 580,
            total_applied_discount_amount: 580,
            items,
            metadata: { channel: 'web' },
          },
          discount: { type: 'PERCENT', effect: 'APPLY_TO_ITEMS', percent_off: 20, is_dynamic: false },
          has_effect: true,
          discounted_goods: ['cup'],
        },
        {
          order: {
            discount_amount: 600,
            items_discount_amount: 580,
            applied_discount_amount: 600,
            items_applied_discount_amount: 0,
          },
          discount: { type: 'AMOUNT', effect: 'APPLY_TO_ORDER', amount_off: 600, is_dynamic: false },
          discounted_goods: [],
        },
      ],
      order: { total_amount: 5610, applied_discount_amount: 600, items_applied_discount_amount: 580, items },
    })
  })

  test('is deterministic, byte for byte', () => {
    const given = facts({
      order: order(line('a', 3, 333), line('b', 1, 1000)),
      redeemables: [voucher('1', percentOff(33.3, toItems)), voucher('2', amountOff(77.5)), giftCard('G', 300)],
    })
    expect(JSON.stringify(evaluate(given, { explain: true }))).toBe(
      JSON.stringify(evaluate(JSON.parse(JSON.stringify(given)) as Facts, { explain: true })),
    )
  })

  test('does not change when an explanation is requested', () => {
    const given = facts({
      order: order(line('a', 3, 333)),
      redeemables: [
        voucher('1', percentOff(33.3)),
        voucher('X', amountOff(5), { active: false }),
        voucher('3', amountOff(5)),
      ],
    })
    const { redeemables, ...verdict } = evaluateChecked(given, { explain: true })
    expect({ ...verdict, redeemables: redeemables.map(({ explanation: _, ...outcome }) => outcome) }).toEqual(
      evaluateChecked(given),
    )
    expect(redeemables.every(({ explanation }) => explanation !== undefined)).toBe(true)
    expect(JSON.stringify(evaluateChecked(given))).not.toContain('explanation')
  })
})

describe('counters change within a request', () => {
  const campaign = { id: 'camp_1', active: true }
  const code = (id: string, name: string, most: number, more: Partial<Parameters<typeof voucher>[2]> = {}) =>
    voucher(id, amountOff(500), {
      campaign,
      rules: [rule(name, { $less_than_or_equal: [most] })],
      counters: { [name]: 1 },
      ...more,
    })
  const partial = { redeemables_application_mode: 'PARTIAL' } as const
  const run = (...redeemables: Redeemable[]) =>
    discountsOrReasons(
      evaluateChecked(facts({ order: { amount: 10_000 }, customer: { id: 'cust_1' }, rules: partial, redeemables })),
    )

  test.each([
    'campaign.redemptions.count',
    'campaign.redemptions.count.daily',
    'campaign.redemptions.count.weekly',
    'campaign.redemptions.count.monthly',
    'campaign.redemptions.customers_count',
    'campaign.redemptions.customers_count.daily',
    'campaign.redemptions.customers_count.weekly',
    'campaign.redemptions.customers_count.monthly',
  ])('%s: with one stored, two more of three are accepted', (name) => {
    expect(run(code('1', name, 3), code('2', name, 3), code('3', name, 3))).toEqual([
      500,
      500,
      'redemption_rules_violated',
    ])
  })

  test('only for the same campaign, and only by accepted redeemables', () => {
    const name = 'campaign.redemptions.count'
    const other = { id: 'camp_2', active: true }
    expect(run(code('1', name, 2, { campaign: other }), code('2', name, 2))).toEqual([500, 500])
    expect(run(code('1', name, 2, { active: false }), code('2', name, 2))).toEqual(['voucher_disabled', 500])
    const alone = { campaign: null } // a voucher without a campaign counts as its own campaign
    expect(run(code('1', name, 2, alone), code('2', name, 2, alone))).toEqual([500, 500])
  })

  test('discounted amount: 0.01 before, 5.00 now, 5.00 more', () => {
    const name = 'campaign.orders.amount_discounted'
    expect(run(code('1', name, 1001), code('2', name, 1001), code('3', name, 1001))).toEqual([
      500,
      500,
      'redemption_rules_violated',
    ])
    expect(run(code('1', name, 1000), code('2', name, 1000))).toEqual([500, 'redemption_rules_violated'])
  })

  test('order amounts', () => {
    const name = 'campaign.orders.amount'
    expect(run(code('1', name, 20_001), code('2', name, 20_001), code('3', name, 20_001))).toEqual([
      500,
      500,
      'redemption_rules_violated',
    ])
  })

  test('gift card credits', () => {
    const name = 'redemption.gift.amount'
    const card = (id: string) =>
      giftCard(id, 400, { campaign, rules: [rule(name, { $less_than_or_equal: [801] })], counters: { [name]: 1 } })
    expect(run(card('1'), card('2'), card('3'))).toEqual([400, 400, 'redemption_rules_violated'])
  })
})

describe('application mode ONCE', () => {
  const once = { redeemables_products_application_mode: 'ONCE' } as const
  const cupAndTray = () => order(line('cup', 2, 1450), line('tray', 1, 3890))

  test('later redeemables skip a discounted good on all its lines', () => {
    const redeemables = [voucher('1', percentOff(20), { rules: [on('cup')] }), voucher('2', amountOff(500, toItems))]
    expect(discountsOrReasons(evaluateChecked(facts({ order: cupAndTray(), redeemables })))).toEqual([580, 1000])
    expect(discountsOrReasons(evaluateChecked(facts({ order: cupAndTray(), redeemables, rules: once })))).toEqual([
      580, 500,
    ])
    const twoLines = order(line('cup', 1, 1000), line('cup', 1, 2000), line('tray', 1, 500))
    const cheapest = voucher('1', percentOff(20), { rules: [on({ ...everything, effect: 'APPLY_TO_MOST_EXPENSIVE' })] })
    const verdict = evaluateChecked(
      facts({ order: twoLines, redeemables: [cheapest, voucher('2', percentOff(10, toItems))], rules: once }),
    )
    expect(lineDiscounts(verdict)).toEqual([0, 400, 50])
  })

  test('order-level discounts neither mark goods nor are restricted', () => {
    const redeemables = [
      voucher('1', percentOff(10)),
      voucher('2', percentOff(20, toItems)),
      voucher('3', percentOff(10)),
      giftCard('G', 100),
    ]
    expect(discountsOrReasons(evaluateChecked(facts({ order: cupAndTray(), redeemables, rules: once })))).toEqual([
      679, 1358, 475, 100,
    ])
  })

  test('a good without an actual discount stays available', () => {
    const redeemables = [voucher('1', fixedPrice(9999, toItems)), voucher('2', percentOff(10, toItems))]
    expect(discountsOrReasons(evaluateChecked(facts({ order: cupAndTray(), redeemables, rules: once })))).toEqual([
      0, 679,
    ])
  })

  test('two SKUs of a product are two goods; a line without ids is a good of its own', () => {
    const items = [
      storedSku(sku('s', { product_id: 'tea' }), 1, 100),
      storedSku(sku('m', { product_id: 'tea' }), 1, 100),
      { price: 100 },
      { price: 100 },
    ]
    const redeemables = [
      voucher('1', percentOff(50), { rules: [on({ object: 'sku', id: 's' })] }),
      voucher('2', percentOff(10), {
        rules: [on({ ...everything, effect: 'APPLY_TO_EVERY', skip_initially: 1, repeat: 9 })],
      }),
      voucher('3', percentOff(20, toItems)),
    ]
    // 2: the second of m and the two lines without ids; 3: the rest.
    expect(lineDiscounts(evaluateChecked(facts({ order: { items }, redeemables, rules: once })))).toEqual([
      50, 20, 10, 20,
    ])
  })
})

describe('an explanation', () => {
  const steps = (given: Facts, i = 0): Step[] =>
    evaluateChecked(given, { explain: true }).redeemables[i]?.explanation?.steps ?? []
  const one = (
    redeemable: Redeemable,
    given: OrderFacts | null = { amount: 9999 },
    more: Partial<Parameters<typeof facts>[0]> = {},
  ) => facts({ order: given, ...more, redeemables: [redeemable] })
  const active = { step: 'check', check: 'active', expected: true, actual: true, passed: true }

  test('of a percentage has base, exact value, rounding and cut', () => {
    expect(
      evaluateChecked(one(voucher('P', percentOff(12.5, { amount_limit: 1000, aggregated_amount_limit: 900 }))), {
        explain: true,
      }).redeemables[0]?.explanation,
    ).toEqual({
      object: 'voucher',
      id: 'P',
      status: 'APPLICABLE',
      amount: 900,
      steps: [
        active,
        {
          step: 'amount',
          base: '9999',
          exact: '1249.875',
          rounded: 1250,
          cuts: [
            { by: 'amount_limit', to: 1000 },
            { by: 'aggregated_amount_limit', to: 900 },
          ],
          amount: 900,
        },
      ],
    })
  })

  test('of lines has a base per line, and every cut in order', () => {
    const entry = { ...everything, amount_limit: 240, aggregated_amount_limit: 500 }
    const given = one(
      voucher('P', percentOff(40, { ...toItems, amount_limit: 300, aggregated_amount_limit: 450 }), {
        rules: [on(entry)],
      }),
      { amount: 470, items: [line('a', 1, 1000), { ...line('b', 1, 500), discount_amount: 400 }, line('c', 3, 200)] },
    )
    expect(steps(given).slice(1)).toEqual([
      {
        step: 'amount',
        line: 0,
        base: '1000',
        exact: '400',
        rounded: 400,
        cuts: [
          { by: 'amount_limit', to: 300 },
          { by: 'applicable_to.amount_limit', to: 240 },
          { by: 'total_amount', to: 70 },
        ],
        amount: 70,
      },
      {
        step: 'amount',
        line: 1,
        base: '100',
        exact: '40',
        rounded: 40,
        cuts: [{ by: 'total_amount', to: 0 }],
        amount: 0,
      },
      {
        step: 'amount',
        line: 2,
        base: '600',
        exact: '240',
        rounded: 240,
        cuts: [{ by: 'total_amount', to: 0 }],
        amount: 0,
      },
    ])
    const shared = one(
      voucher('A', amountOff(300, { ...toItems, aggregated_amount_limit: 450 }), { rules: [on(entry)] }),
      {
        items: [
          line('a', 1, 1000),
          { ...line('b', 1, 500), discount_amount: 400 },
          line('c', 1, 900),
          line('d', 1, 900),
        ],
      },
    )
    const cuts = steps(shared).flatMap((step) => (step.step === 'amount' ? [step.cuts] : []))
    expect(cuts).toEqual([
      [{ by: 'applicable_to.amount_limit', to: 240 }],
      [], // the line has 1.00 left to pay, which caps the raw amount already
      [
        { by: 'applicable_to.amount_limit', to: 240 },
        { by: 'applicable_to.aggregated_amount_limit', to: 160 },
        { by: 'aggregated_amount_limit', to: 110 },
      ],
      [
        { by: 'applicable_to.amount_limit', to: 240 },
        { by: 'applicable_to.aggregated_amount_limit', to: 50 },
        { by: 'aggregated_amount_limit', to: 0 },
      ],
    ])
  })

  test('of some units has their exact value', () => {
    const given = one(voucher('P', percentOff(10), { rules: [on({ ...everything, quantity_limit: 1 })] }), {
      items: [{ quantity: 3, amount: 1000 }],
    })
    expect(steps(given).slice(1)).toEqual([
      { step: 'limit', limit: 'quantity_limit', used: 0, allowed: 1, passed: true },
      { step: 'amount', line: 0, base: '1000/3', exact: '100/3', rounded: 33, cuts: [], amount: 33 },
    ])
  })

  test('has every limit with used and allowed quantity', () => {
    const limit = 'product_campaign_quantity_limit'
    const entry = { ...everything, aggregated_quantity_limit: 3, [limit]: 5 }
    const given = one(
      voucher('Q', amountOff(10, { effect: 'APPLY_TO_ITEMS_BY_QUANTITY' }), {
        quantity: 9,
        redeemed_quantity: 2,
        locked_quantity: 1,
        rules: [on(entry)],
        units_used: { [limit]: { pc_a11pr0dUc75: 3 } },
      }),
      order(line('a', 1, 100), line('b', 4, 100), line('c', 1, 100)),
    )
    expect(steps(given).filter(({ step }) => step === 'limit')).toEqual([
      { step: 'limit', limit: 'redemption.quantity', used: 3, allowed: 9, passed: true },
      { step: 'limit', limit: 'aggregated_quantity_limit', used: 0, allowed: 3, passed: true },
      { step: 'limit', limit, used: 3, allowed: 5, passed: true },
      { step: 'limit', limit: 'aggregated_quantity_limit', used: 1, allowed: 3, passed: true },
      { step: 'limit', limit, used: 4, allowed: 5, passed: true },
      { step: 'limit', limit: 'aggregated_quantity_limit', used: 2, allowed: 3, passed: true },
      { step: 'limit', limit, used: 5, allowed: 5, passed: false },
    ])
  })

  test('of cards has credits and points', () => {
    expect(steps(one(giftCard('G', 500, { credits: 300, locked_credits: 50 }))).at(-2)).toEqual({
      step: 'limit',
      limit: 'gift.balance',
      used: 300,
      allowed: 450,
      passed: true,
    })
    expect(steps(one(giftCard('G', 500, { credits: 900 }))).at(-1)).toEqual({
      step: 'limit',
      limit: 'gift.balance',
      used: 900,
      allowed: 500,
      passed: false,
    })
    const coin = { type: 'COIN', id: 'rew_1', exchange_ratio: 3, points_ratio: 40 } as const
    const card = (balance: number, more: object = {}) => one(loyaltyCard('L', balance, { reward: coin, ...more }))
    const balance = { step: 'limit', limit: 'loyalty_card.balance' }
    expect(steps(card(100)).filter(({ step }) => step === 'limit')).toEqual([
      { ...balance, used: 80, allowed: 100, passed: true },
    ])
    expect(steps(card(39)).at(-1)).toEqual({ ...balance, used: 40, allowed: 39, passed: false })
    expect(steps(card(100, { points: 200 })).at(-1)).toEqual({ ...balance, used: 200, allowed: 100, passed: false })
    const material = { type: 'MATERIAL', id: 'rew_2', price: 70, stock: 2, redeemed: 2 } as const
    expect(steps(card(100, { reward: material })).at(-1)).toEqual({
      step: 'limit',
      limit: 'reward.stock',
      used: 2,
      allowed: 2,
      passed: false,
    })
    expect(steps(card(100, { reward: { ...material, stock: 3 } })).slice(-2)).toEqual([
      { step: 'limit', limit: 'reward.stock', used: 2, allowed: 3, passed: true },
      { ...balance, used: 70, allowed: 100, passed: true },
    ])
  })

  test('of a gift card on items has the amount per line', () => {
    const given = one(
      giftCard('G', 500, { gift: { balance: 500, effect: 'APPLY_TO_ITEMS' } }),
      order(line('a', 1, 300), line('b', 1, 300)),
    )
    expect(steps(given).filter(({ step }) => step === 'amount')).toEqual([
      { step: 'amount', line: 0, rounded: 300, cuts: [], amount: 300 },
      { step: 'amount', line: 1, rounded: 300, cuts: [{ by: 'credits', to: 200 }], amount: 200 },
    ])
  })

  test('of unit discounts has freed, added, replaced and received units', () => {
    const products = [product('mug', { price: 150 })]
    expect(steps(one(voucher('U', unitsOff(3, 'mug')), order(line('mug', 1, 100)), { products })).slice(1)).toEqual([
      { step: 'units', line: 0, quantity: 1, how: 'freed', amount: 100 },
      { step: 'units', line: 0, quantity: 2, how: 'added', amount: 200 },
    ])
    const replace = voucher('R', unitsOff(1, 'mug', { effect: 'REPLACE_ITEMS' }), { rules: [on('cup')] })
    expect(steps(one(replace, order(line('cup', 2, 100)), { products })).slice(1)).toEqual([
      { step: 'units', line: 0, quantity: 2, how: 'replaced', amount: 200 },
      { step: 'units', line: 1, quantity: 2, how: 'received', amount: 100 },
    ])
  })

  test('of formulas has the result or the fault', () => {
    const amount = amountOff(70, { amount_off_formula: 'ORDER_AMOUNT / 3' })
    expect(steps(one(voucher('A', amount)))[1]).toEqual({
      step: 'formula',
      field: 'amount_off',
      formula: 'ORDER_AMOUNT / 3',
      value: '33.33',
    })
    const perLine = percentOff(10, { ...toItems, percent_off_formula: 'ORDER_ITEM_UNITS_QUANTITY' })
    expect(steps(one(voucher('P', perLine), order(line('a', 7, 100)))).slice(1)).toEqual([
      { step: 'formula', field: 'percent_off', formula: 'ORDER_ITEM_UNITS_QUANTITY', line: 0, value: '7' },
      { step: 'amount', line: 0, base: '700', exact: '49', rounded: 49, cuts: [], amount: 49 },
    ])
    for (const formula of ['CUSTOMER_METADATA("x")', '1 +', 'ORDER_ITEM_PRICE']) {
      expect(steps(one(voucher('A', amountOff(70, { amount_off_formula: formula }))))[1]).toMatchObject({
        step: 'formula',
        formula,
        fault: expect.any(String),
      })
    }
  })

  test('of a refusal ends with the failed step', () => {
    const late = one(
      voucher('X', percentOff(10), {
        start_date: '2025-01-01T00:00:00.000Z',
        expiration_date: '2025-02-01T00:00:00.000Z',
      }),
    )
    expect(evaluateChecked(late, { explain: true }).redeemables[0]?.explanation).toEqual({
      object: 'voucher',
      id: 'X',
      status: 'INAPPLICABLE',
      reason: { key: 'voucher_expired', message: 'voucher expired' },
      steps: [
        active,
        {
          step: 'check',
          check: 'start_date',
          expected: '2025-01-01T00:00:00.000Z',
          actual: '2025-02-26T12:00:00.000Z',
          passed: true,
        },
        {
          step: 'check',
          check: 'expiration_date',
          expected: '2025-02-01T00:00:00.000Z',
          actual: '2025-02-26T12:00:00.000Z',
          passed: false,
        },
      ],
    })
    const unknown = one({ kind: 'unknown', object: 'voucher', id: 'U' })
    expect(evaluateChecked(unknown, { explain: true }).redeemables[0]?.explanation).toMatchObject({
      status: 'INAPPLICABLE',
      reason: { key: 'not_found' },
      steps: [{ step: 'check', check: 'exists', expected: true, actual: false, passed: false }],
    })
  })

  test('of a skip names the stacking limit', () => {
    const given = facts({
      order: { amount: 100 },
      redeemables: [voucher('1', amountOff(5), category('G')), voucher('2', amountOff(5), category('G'))],
    })
    expect(evaluateChecked(given, { explain: true }).redeemables[1]?.explanation).toEqual({
      object: 'voucher',
      id: '2',
      status: 'SKIPPED',
      reason: {
        key: 'applicable_redeemables_per_category_limit_exceeded',
        message: 'Applicable redeemables limit per category exceeded',
      },
      steps: [
        { step: 'limit', limit: 'applicable_redeemables_per_category_limit', used: 1, allowed: 1, passed: false },
      ],
    })
    const nothing = facts({
      order: { amount: 100 },
      rules: { redeemables_no_effect_rule: 'SKIP' },
      redeemables: [voucher('0', amountOff(0))],
    })
    expect(steps(nothing)).toEqual([
      active,
      { step: 'amount', rounded: 0, cuts: [], amount: 0 },
      { step: 'check', check: 'effect', expected: true, actual: false, passed: false },
    ])
  })

  test('of a rule on the total has one step, at the point of its decision', () => {
    const rules = [
      {
        id: 'val_1',
        rules: {
          '1': { name: 'order.amount', conditions: { $more_than: [1] } },
          '2': { name: 'order.total_amount', conditions: { $more_than: [1] } },
          logic: '1 and 2',
        },
      },
    ]
    expect(
      steps(one(voucher('A', amountOff(70), { rules }))).map((step) =>
        step.step === 'rule' ? `${step.key} ${step.passed}` : step.step,
      ),
    ).toEqual(['check', '1 true', 'amount', '2 true'])
  })
})

test('facts are never mutated: they can be frozen', () => {
  const given = deepFreeze(
    facts({ order: order(line('a', 1, 100)), redeemables: [voucher('1', percentOff(10, toItems))] }),
  )
  expect(() => Object.assign(given.order!, { amount: 1 })).toThrow(TypeError)
  expect(orderOf(evaluate(given)).total_amount).toBe(90)
})

test('an amount that is too large refuses one redeemable, not the others', () => {
  const given = facts({
    order: order(line('mug', 1, 2 ** 52)),
    products: [product('mug', { price: 2 ** 52 })],
    rules: { redeemables_application_mode: 'PARTIAL', exclusive_categories: ['cat_x'] },
    redeemables: [
      voucher('U', unitsOff(2, 'mug', { effect: 'ADD_NEW_ITEMS' }), category('cat_x')),
      voucher('P', percentOff(50), category('cat_x')),
    ],
  })
  expect(discountsOrReasons(evaluateChecked(given))).toEqual(['invalid_amount', 2 ** 51])
  expect(applicable(evaluateChecked(given).redeemables[1]).order?.total_amount).toBe(2 ** 51)
})
