import { describe, expect, test } from 'vitest'
import type { ApplicableEntry, Discount, OrderFacts, StackingRules, ValidationRule } from '../schema/index.ts'
import {
  applicable,
  discountsOrReasons,
  evaluateChecked,
  fieldOfLines,
  lineDiscounts,
  orderOf,
} from '../testing/evaluated.ts'
import {
  amountOff,
  covering,
  facts,
  fixedPrice,
  line,
  on,
  order,
  percentOff,
  unitsOff,
  voucher,
} from '../testing/shop.ts'
import { effectOf } from './index.ts'

const everything: ApplicableEntry = { object: 'products_collection', id: 'pc_a11pr0dUc75' }
const toItems = { effect: 'APPLY_TO_ITEMS' } as const
const toOrder = { effect: 'APPLY_TO_ORDER' } as const
const byQuantity = { effect: 'APPLY_TO_ITEMS_BY_QUANTITY' } as const
const spread = { effect: 'APPLY_TO_ITEMS_PROPORTIONALLY' } as const
const spreadByQuantity = { effect: 'APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY' } as const
const initial: Partial<StackingRules> = { discount_calculation_mode: 'INITIAL_AMOUNT' }

/** One discount on an order, with the entry it is limited to. */
const one = (given: OrderFacts | null, discount: Discount, ...entries: ApplicableEntry[]) =>
  facts({
    order: given,
    redeemables: [voucher('V', discount, { rules: entries.length === 0 ? [] : [on(...entries)] })],
  })

/** Cart K of docs/reference/examples-discounts.md. */
const cartK = () => order(line('A', 3, 1200), line('B', 2, 2500), line('C', 1, 900))

describe('default effect of a discount', () => {
  const goods = { is_defined: true }
  const nothing = { is_defined: false }

  test.each([
    [amountOff(1), goods, 'APPLY_TO_ITEMS'],
    [amountOff(1), nothing, 'APPLY_TO_ORDER'],
    [percentOff(1), goods, 'APPLY_TO_ITEMS'],
    [percentOff(1), nothing, 'APPLY_TO_ORDER'],
    [fixedPrice(1), goods, 'APPLY_TO_ITEMS'],
    [fixedPrice(1), nothing, 'APPLY_TO_ORDER'],
    [percentOff(1, toOrder), goods, 'APPLY_TO_ORDER'],
    [unitsOff(1, 'mug'), goods, 'ADD_MISSING_ITEMS'],
    [{ type: 'UNIT', units: [] } as Discount, nothing, 'ADD_MANY_ITEMS'],
  ])('%j with %j is %s', (discount, coverage, effect) => {
    expect(effectOf(discount, coverage)).toBe(effect)
  })

  test.each<[string, ValidationRule]>([
    ['included goods', on('A')],
    ['excluded goods', covering({ excluded: [{ object: 'product', id: 'B' }] })],
    ['all goods', covering({ included_all: true })],
  ])('a rule about %s makes it APPLY_TO_ITEMS', (_, rule) => {
    const verdict = evaluateChecked(
      facts({ order: cartK(), redeemables: [voucher('V', percentOff(10), { rules: [rule] })] }),
    )
    expect(applicable(verdict.redeemables[0]).discount?.effect).toBe('APPLY_TO_ITEMS')
    expect(orderOf(verdict)).toMatchObject({ discount_amount: 0 })
  })
})

describe('a percentage', () => {
  test.each([
    ['12.5 % of 99.99 is 12.49875', 9999, percentOff(12.5), 1250],
    ['33.333 % of 10.00 is 3.3333', 1000, percentOff(33.333), 333],
    ['half a cent goes up: 5 % of 0.50 is 0.025', 50, percentOff(5), 3],
    ['100 % is all', 9999, percentOff(100), 9999],
    ['0 % is nothing', 9999, percentOff(0), 0],
    ['is capped by amount_limit', 40_000, percentOff(30, { amount_limit: 9000 }), 9000],
    [
      'is capped by aggregated_amount_limit',
      40_000,
      percentOff(30, { amount_limit: 9000, aggregated_amount_limit: 8000 }),
      8000,
    ],
    ['a limit of 89.995 is 90.00', 40_000, percentOff(30, { amount_limit: 8999.5 }), 9000],
    ['the limit comes after rounding: 12.50 is not above 12.50', 9999, percentOff(12.5, { amount_limit: 1250 }), 1250],
    ['of an amount of 0 is 0', 0, percentOff(50), 0],
  ])('of an order: %s', (_, amount, discount, expected) => {
    const verdict = evaluateChecked(one({ amount }, discount))
    expect(orderOf(verdict)).toMatchObject({ discount_amount: expected, total_amount: amount - expected })
  })

  test('of lines is rounded per line', () => {
    const given = one(order(line('A', 1, 1333), line('B', 1, 2667), line('C', 3, 335)), percentOff(7.5, toItems))
    expect(lineDiscounts(evaluateChecked(given))).toEqual([100, 200, 75]) // 99.975, 200.025, 75.375
  })

  test('of some units is rounded once, at the end', () => {
    const thirds = (amount: number, percent: number, quantityLimit: number) =>
      lineDiscounts(
        evaluateChecked(
          one({ items: [{ quantity: 3, amount }] }, percentOff(percent, toItems), {
            ...everything,
            quantity_limit: quantityLimit,
          }),
        ),
      )
    expect(thirds(1000, 10, 2)).toEqual([67]) // 66.67
    expect(thirds(14, 10, 1)).toEqual([0]) // 0.4667; 10 % of 5 (4.67, rounded too early) would be 0.5, so 1
  })

  test('of lines is capped per line and in total; the strictest cap wins', () => {
    const lines = () => order(line('A', 1, 6000), line('B', 1, 2500), line('C', 3, 1500))
    const limited = percentOff(40, { ...toItems, amount_limit: 1500, aggregated_amount_limit: 3500 })
    expect(lineDiscounts(evaluateChecked(one(lines(), limited)))).toEqual([1500, 1000, 1000])
    const entry = { ...everything, amount_limit: 1200, aggregated_amount_limit: 2500 }
    expect(lineDiscounts(evaluateChecked(one(lines(), limited, entry)))).toEqual([1200, 1000, 300])
  })

  test('aggregated limits are per entry', () => {
    const entries: ApplicableEntry[] = [
      { object: 'product', id: 'A', aggregated_amount_limit: 100 },
      { object: 'product', id: 'B', aggregated_amount_limit: 200 },
    ]
    expect(lineDiscounts(evaluateChecked(one(cartK(), percentOff(10), ...entries)))).toEqual([100, 200, 0])
  })

  test('applies to the discounted amount or to the initial amount, by mode', () => {
    const two = (rules: Partial<StackingRules>, second: Discount) =>
      evaluateChecked(
        facts({
          order: order(line('A', 2, 500)),
          rules,
          redeemables: [voucher('1', amountOff(400, toItems)), voucher('2', second)],
        }),
      )
    expect(discountsOrReasons(two({}, percentOff(50, toItems)))).toEqual([400, 300])
    expect(discountsOrReasons(two(initial, percentOff(50, toItems)))).toEqual([400, 500])
    expect(discountsOrReasons(two(initial, percentOff(80, toItems)))).toEqual([400, 600]) // 8.00, but only 6.00 are left
    expect(discountsOrReasons(two({}, percentOff(50, toOrder)))).toEqual([400, 300])
    expect(discountsOrReasons(two(initial, percentOff(50, toOrder)))).toEqual([400, 500])
    expect(discountsOrReasons(two(initial, percentOff(80, toOrder)))).toEqual([400, 600])
  })

  test('a category can override the calculation mode', () => {
    const two = (rules: Partial<StackingRules>) =>
      discountsOrReasons(
        evaluateChecked(
          facts({
            order: { amount: 1000 },
            rules,
            redeemables: [
              voucher('1', amountOff(400)),
              voucher('2', percentOff(50), { category: { id: 'cat_1', hierarchy: 0 } }),
            ],
          }),
        ),
      )
    expect(two({ initial_amount_mode_categories: ['cat_1'] })).toEqual([400, 500])
    expect(two({ ...initial, discounted_amount_mode_categories: ['cat_1'] })).toEqual([400, 300])
    expect(two({ ...initial, initial_amount_mode_categories: [], discounted_amount_mode_categories: ['x'] })).toEqual([
      400, 500,
    ])
  })

  test('of the initial amount excludes free units', () => {
    // Four mugs at 2.50, one of them free: 50 % of 10.00 × 3/4; 7.50 are left to pay.
    const stored = { ...line('mug', 4, 250), free_quantity: 1, discount_amount: 250 }
    const given = facts({
      order: { items: [stored] },
      rules: initial,
      redeemables: [voucher('P', percentOff(50, toItems))],
    })
    expect(orderOf(evaluateChecked(given)).items_applied_discount_amount).toBe(375)
    // The same for the discounted amount; less after a discount of 1.00 on the paid units.
    const less = { ...stored, discount_amount: 350 }
    const left = (rules: Partial<StackingRules>) =>
      discountsOrReasons(
        evaluateChecked(
          facts({ order: { items: [less] }, rules, redeemables: [voucher('P', percentOff(50, toItems))] }),
        ),
      )
    expect(left({})).toEqual([325])
    expect(left(initial)).toEqual([375])
  })

  test('of the initial order amount uses the amount before units were added', () => {
    const stored: OrderFacts | null = {
      amount: 3000,
      initial_amount: 2000,
      items: [{ ...line('mug', 2, 1500), free_quantity: 1, discount_amount: 1500, discount_quantity: 1 }],
    }
    const of = (rules: Partial<StackingRules>) =>
      discountsOrReasons(evaluateChecked(facts({ order: stored, rules, redeemables: [voucher('P', percentOff(10))] })))
    expect(of({})).toEqual([150]) // of 15.00 to pay
    expect(of(initial)).toEqual([200])
  })

  test('by unit: one unit of the most expensive, every third from the cheapest', () => {
    const xyz = () => order(line('X', 2, 300), line('Y', 3, 500), line('Z', 2, 800))
    const dear = { ...everything, effect: 'APPLY_TO_MOST_EXPENSIVE', target: 'UNIT' } as const
    expect(lineDiscounts(evaluateChecked(one(xyz(), percentOff(50), dear)))).toEqual([0, 0, 400])
    const third = {
      ...everything,
      effect: 'APPLY_FROM_CHEAPEST',
      target: 'UNIT',
      skip_initially: 1,
      repeat: 3,
    } as const
    expect(lineDiscounts(evaluateChecked(one(xyz(), percentOff(20), third)))).toEqual([60, 100, 0])
  })
})

describe('an amount off the order', () => {
  test.each([
    ['is capped by the order amount', 750, amountOff(1000), 750],
    ['is capped by aggregated_amount_limit', 5000, amountOff(1000, { aggregated_amount_limit: 600 }), 600],
    ['is rounded before use', 5000, amountOff(99.5), 100],
    ['of 0 has no effect', 5000, amountOff(0), 0],
  ])('%s', (_, amount, discount, expected) => {
    expect(discountsOrReasons(evaluateChecked(one({ amount }, discount)))).toEqual([expected])
  })

  test('has no effect on an order with nothing to pay', () => {
    expect(evaluateChecked(one({ amount: 0 }, amountOff(100))).redeemables).toMatchObject([{ has_effect: false }])
  })

  test('does not change an order of unknown amount, and counts as an effect', () => {
    const verdict = evaluateChecked(one(order(line('A', 1)), amountOff(100)))
    expect(verdict.redeemables).toMatchObject([{ status: 'APPLICABLE', has_effect: true }])
    expect(orderOf(verdict)).not.toHaveProperty('discount_amount')
  })
})

describe('an amount off lines', () => {
  test('applies once per line, whatever its quantity', () => {
    expect(lineDiscounts(evaluateChecked(one(cartK(), amountOff(700, toItems))))).toEqual([700, 700, 700])
  })

  test('never exceeds the line or its selected units', () => {
    expect(lineDiscounts(evaluateChecked(one(cartK(), amountOff(4000, toItems))))).toEqual([3600, 4000, 900])
    const oneUnit = { ...everything, effect: 'APPLY_TO_CHEAPEST', target: 'UNIT' } as const
    expect(lineDiscounts(evaluateChecked(one(order(line('A', 3, 1200)), amountOff(4000, toItems), oneUnit)))).toEqual([
      1200,
    ])
  })

  test('a later line gets the rest of the limit', () => {
    const lines = () => order(line('A', 1, 6000), line('B', 1, 2500), line('C', 3, 1500))
    expect(
      lineDiscounts(evaluateChecked(one(lines(), amountOff(2000, { ...toItems, aggregated_amount_limit: 5000 })))),
    ).toEqual([2000, 2000, 1000])
    expect(
      lineDiscounts(evaluateChecked(one(lines(), amountOff(2000, { ...toItems, aggregated_amount_limit: 1000 })))),
    ).toEqual([1000, 0, 0])
  })

  test('limits of an entry are used up in the order of application', () => {
    const entry = { ...everything, effect: 'APPLY_FROM_CHEAPEST', aggregated_amount_limit: 1000 } as const
    // C 9.00, A 12.00, B 25.00 a unit: 7.00, then 3.00, then nothing.
    expect(lineDiscounts(evaluateChecked(one(cartK(), amountOff(700), entry)))).toEqual([300, 0, 700])
    const each = { ...everything, amount_limit: 500 }
    expect(lineDiscounts(evaluateChecked(one(cartK(), amountOff(700), each)))).toEqual([500, 500, 500])
  })

  test('is capped by the amount to pay: 90 % off, then 20.00 off a line', () => {
    const given = facts({
      order: order(line('A', 1, 5000), line('B', 1, 1000)),
      redeemables: [
        voucher('1', percentOff(90, toOrder)),
        voucher('2', amountOff(2000, toItems), { rules: [on('A')] }),
      ],
    })
    expect(discountsOrReasons(evaluateChecked(given))).toEqual([5400, 600])
  })

  test('is capped by a sent order amount below the lines; above them, by the lines', () => {
    const lines = order(line('A', 1, 1000), line('B', 1, 1000))
    expect(lineDiscounts(evaluateChecked(one({ ...lines, amount: 1500 }, amountOff(900, toItems))))).toEqual([900, 600])
    expect(orderOf(evaluateChecked(one({ ...lines, amount: 9000 }, percentOff(100, toItems))))).toMatchObject({
      items_discount_amount: 2000,
      total_amount: 7000,
    })
  })

  test('a line of unknown amount gets nothing', () => {
    const given = one({ amount: 1000, items: [line('A', 1), line('B', 1, 400)] }, amountOff(300, toItems))
    expect(lineDiscounts(evaluateChecked(given))).toEqual([0, 300])
  })

  test('without a matching line it is applicable without effect', () => {
    const verdict = evaluateChecked(one(cartK(), amountOff(700), { object: 'product', id: 'X' }))
    expect(verdict).toMatchObject({ valid: true, redeemables: [{ status: 'APPLICABLE', has_effect: false }] })
  })
})

describe('an amount off each unit', () => {
  test('is limited to two units per line', () => {
    const verdict = evaluateChecked(
      one(
        cartK(),
        amountOff(500, byQuantity),
        { object: 'product', id: 'A', quantity_limit: 2 },
        { object: 'product', id: 'B' },
      ),
    )
    expect(lineDiscounts(verdict)).toEqual([1000, 1000, 0])
    expect(fieldOfLines(verdict, 'discount_quantity')).toEqual([2, 2, undefined])
  })

  test('never makes a unit price negative', () => {
    expect(lineDiscounts(evaluateChecked(one(order(line('A', 4, 300)), amountOff(500, byQuantity))))).toEqual([1200])
    // 10.00 / 3 = 3.33…: two units of that are 6.67.
    const thirds = one({ items: [{ quantity: 3, amount: 1000 }] }, amountOff(500, byQuantity), {
      ...everything,
      quantity_limit: 2,
    })
    expect(lineDiscounts(evaluateChecked(thirds))).toEqual([667])
    // 3.33 is less than 3.33…, so the full amount is deducted.
    const exact = one({ items: [{ quantity: 3, amount: 1000 }] }, amountOff(333, byQuantity), {
      ...everything,
      quantity_limit: 2,
    })
    expect(lineDiscounts(evaluateChecked(exact))).toEqual([666])
  })

  test('is capped by the remaining unit price: 3.00 − 1.00, then 5.00 off', () => {
    const given = facts({
      order: order(line('A', 4, 300)),
      redeemables: [voucher('1', amountOff(100, byQuantity)), voucher('2', amountOff(500, byQuantity))],
    })
    expect(discountsOrReasons(evaluateChecked(given))).toEqual([400, 800])
  })

  test('free units get no discount', () => {
    const stored = { ...line('A', 4, 300), free_quantity: 1, discount_amount: 300 }
    expect(discountsOrReasons(evaluateChecked(one({ items: [stored] }, amountOff(50, byQuantity))))).toEqual([150])
  })

  test('is exact for many units of a small amount', () => {
    const entry = { ...everything, quantity_limit: 500_000_000 }
    const given = one({ items: [{ quantity: 1_000_000_001, amount: 1000 }] }, amountOff(1, byQuantity), entry)
    expect(lineDiscounts(evaluateChecked(given))).toEqual([500]) // 499.9999995
    const large = one({ items: [line('A', 1_000_000, 100_000)] }, percentOff(50, toItems), {
      ...everything,
      quantity_limit: 333_333,
    })
    expect(lineDiscounts(evaluateChecked(large))).toEqual([16_666_650_000]) // half of 333,333 × 1,000.00
  })
})

describe('an amount split over lines', () => {
  test('in proportion to amounts, exact to the cent', () => {
    const lines = order(line('A', 1, 1999), line('B', 1, 3001), line('C', 1, 501))
    expect(lineDiscounts(evaluateChecked(one(lines, amountOff(1000, spread))))).toEqual([363, 546, 91])
    expect(lineDiscounts(evaluateChecked(one(lines, amountOff(9999, spread))))).toEqual([1999, 3001, 501])
    expect(
      lineDiscounts(evaluateChecked(one(lines, amountOff(1000, { ...spread, aggregated_amount_limit: 10 })))),
    ).toEqual([4, 5, 1])
  })

  test('over selected units in proportion to their value', () => {
    const lines = order(line('A', 4, 100), line('B', 2, 300))
    const entry = { ...everything, target: 'UNIT', repeat: 2 } as const // two of A: 2.00, one of B: 3.00
    expect(lineDiscounts(evaluateChecked(one(lines, amountOff(100, spread), entry)))).toEqual([40, 60])
    expect(lineDiscounts(evaluateChecked(one(lines, amountOff(9999, spread), entry)))).toEqual([200, 300])
  })

  test('by quantity; the excess of a line without capacity goes to the others', () => {
    const lines = order(line('A', 1, 100), line('B', 2, 1200), line('C', 4, 900))
    expect(lineDiscounts(evaluateChecked(one(lines, amountOff(1000, spreadByQuantity))))).toEqual([100, 300, 600])
    expect(lineDiscounts(evaluateChecked(one(lines, amountOff(70, spreadByQuantity))))).toEqual([10, 20, 40])
    expect(lineDiscounts(evaluateChecked(one(lines, amountOff(99_999, spreadByQuantity))))).toEqual([100, 2400, 3600])
  })

  test('in INITIAL_AMOUNT mode the weights are initial amounts', () => {
    const two = (rules: Partial<StackingRules>) =>
      evaluateChecked(
        facts({
          order: order(line('A', 1, 1000), line('B', 1, 1000)),
          rules,
          redeemables: [voucher('1', amountOff(500), { rules: [on('A')] }), voucher('2', amountOff(300, spread))],
        }),
      )
    expect(fieldOfLines(two({}), 'discount_amount')).toEqual([600, 200]) // 5.00 and 10.00: one third, two thirds
    expect(fieldOfLines(two(initial), 'discount_amount')).toEqual([650, 150])
  })

  test('limits of an entry apply after the split', () => {
    const entry = { ...everything, amount_limit: 200 }
    const lines = order(line('A', 1, 1000), line('B', 1, 3000))
    expect(lineDiscounts(evaluateChecked(one(lines, amountOff(400, spread), entry)))).toEqual([100, 200])
  })
})

describe('a fixed price', () => {
  test.each([
    ['a new total', 7290, 5000, 2290],
    ['never raises the total', 4200, 5000, 0],
    ['of 0 makes the order free', 4200, 0, 4200],
  ])('for an order: %s', (_, amount, fixed, expected) => {
    expect(discountsOrReasons(evaluateChecked(one({ amount }, fixedPrice(fixed))))).toEqual([expected])
  })

  test('for units', () => {
    const price = fixedPrice(999, toItems)
    const verdict = evaluateChecked(one(order(line('A', 4, 1250)), price, { ...everything, quantity_limit: 3 }))
    expect(lineDiscounts(verdict)).toEqual([753]) // 3 × 12.50 − 3 × 9.99
    expect(fieldOfLines(verdict, 'discount_quantity')).toEqual([undefined])
    expect(lineDiscounts(evaluateChecked(one(order(line('A', 4, 500)), price)))).toEqual([0])
  })

  test('of an entry takes precedence over that of the discount', () => {
    const entries: ApplicableEntry[] = [
      { object: 'product', id: 'A', price: 1000 },
      { object: 'product', id: 'B', price: 3000, price_formula: 'ORDER_ITEM_PRICE / 2' },
      { object: 'product', id: 'C', price: 800, price_formula: 'CUSTOMER_METADATA("nothing")' },
    ]
    // A 3 × 2.00, B 2 × 12.50, C 1.00 (its formula has no value)
    expect(lineDiscounts(evaluateChecked(one(cartK(), fixedPrice(0, toItems), ...entries)))).toEqual([600, 2500, 100])
    const all = covering({ included: [{ object: 'product', id: 'A', price: 1000 }], included_all: true })
    const given = facts({ order: cartK(), redeemables: [voucher('F', fixedPrice(800, toItems), { rules: [all] })] })
    expect(lineDiscounts(evaluateChecked(given))).toEqual([600, 3400, 100])
  })

  test('of the initial amount is capped by the amount to pay', () => {
    const two = (rules: Partial<StackingRules>, effect: typeof toItems | typeof toOrder) =>
      discountsOrReasons(
        evaluateChecked(
          facts({
            order: order(line('A', 2, 1000)),
            rules,
            redeemables: [
              voucher('1', amountOff(600, effect)),
              voucher('2', fixedPrice(effect === toItems ? 500 : 1000, effect)),
            ],
          }),
        ),
      )
    expect(two({}, toItems)).toEqual([600, 400]) // 14.00 → 2 × 5.00
    expect(two(initial, toItems)).toEqual([600, 1000]) // 20.00 → 10.00, and 14.00 are left
    expect(two({}, toOrder)).toEqual([600, 400])
    expect(two(initial, toOrder)).toEqual([600, 1000])
  })

  test('a missing price is not 0.00', () => {
    const formula = 'CUSTOMER_METADATA("my_price")'
    const none = { type: 'FIXED', fixed_amount_formula: formula } as const
    expect(discountsOrReasons(evaluateChecked(one(cartK(), { ...none, effect: 'APPLY_TO_ORDER' })))).toEqual([0])
    expect(discountsOrReasons(evaluateChecked(one(cartK(), { ...none, effect: 'APPLY_TO_ITEMS' })))).toEqual([0])
    expect(
      discountsOrReasons(evaluateChecked(one(cartK(), { type: 'FIXED' }, { object: 'product', id: 'A', price: 1100 }))),
    ).toEqual([300])
    expect(discountsOrReasons(evaluateChecked(one(cartK(), { type: 'FIXED' })))).toEqual([0])
  })
})

describe('counted units', () => {
  const limited = { ...everything, quantity_limit: 2 }
  const byUnit = { ...everything, target: 'UNIT', repeat: 2 } as const
  const lifetime = { ...everything, product_campaign_quantity_limit: 2 }

  test.each<[string, Discount, ApplicableEntry, number | undefined]>([
    ['by quantity: always counted', amountOff(10, byQuantity), everything, 3],
    ['by quantity, as limited', amountOff(10, byQuantity), limited, 2],
    ['a percentage of whole lines: not counted', percentOff(10), everything, undefined],
    ['a percentage with a limit on units', percentOff(10), limited, 2],
    ['a percentage with a limit over all redemptions', percentOff(10), lifetime, 2],
    ['a percentage of single units', percentOff(10), byUnit, 2],
    ['an amount off lines: not counted', amountOff(10), everything, undefined],
    ['an amount off single units', amountOff(10), byUnit, 2],
    ['a split amount over single units', amountOff(10, spread), byUnit, 2],
    ['a fixed price: not counted', fixedPrice(10), limited, undefined],
    ['a fixed price for single units: not counted', fixedPrice(10), byUnit, undefined],
  ])('%s', (_, discount, entry, expected) => {
    const [item] = orderOf(evaluateChecked(one(order(line('A', 3, 100)), discount, entry))).items
    expect(item?.discount_quantity).toBe(expected)
    expect(item?.applied_discount_quantity).toBe(expected)
  })

  test('overlapping counts keep the larger one', () => {
    const given = facts({
      order: order(line('A', 5, 100)),
      redeemables: [
        voucher('1', percentOff(10), { rules: [on({ ...everything, quantity_limit: 3 })] }),
        voucher('2', percentOff(10), { rules: [on({ ...everything, quantity_limit: 2 })] }),
        voucher('3', percentOff(10), { rules: [on({ ...everything, quantity_limit: 4 })] }),
      ],
    })
    const verdict = evaluateChecked(given)
    expect(
      verdict.redeemables.map((outcome) => {
        const [item] = applicable(outcome).order?.items ?? []
        return [item?.applied_discount_quantity, item?.discount_quantity]
      }),
    ).toEqual([
      [3, 3],
      [2, 3],
      [4, 4],
    ])
    expect(fieldOfLines(verdict, 'applied_discount_quantity')).toEqual([4])
  })

  test('units without a discount are not counted', () => {
    const given = facts({
      order: order(line('A', 5, 100)),
      redeemables: [voucher('1', percentOff(100)), voucher('2', amountOff(10, byQuantity))],
    })
    expect(evaluateChecked(given).redeemables[1]).toMatchObject({ has_effect: false })
    expect(fieldOfLines(evaluateChecked(given), 'discount_quantity')).toEqual([undefined])
  })
})

describe('a formula', () => {
  test('is evaluated per line for values per line', () => {
    const half = 'ORDER_ITEM_PRICE / 2'
    const formula = { amount_off_formula: half }
    expect(lineDiscounts(evaluateChecked(one(cartK(), amountOff(10, { ...toItems, ...formula }))))).toEqual([
      600, 1250, 450,
    ])
    expect(lineDiscounts(evaluateChecked(one(cartK(), amountOff(10, { ...byQuantity, ...formula }))))).toEqual([
      1800, 2500, 450,
    ])
    const percent = percentOff(10, { ...toItems, percent_off_formula: 'ORDER_ITEM_UNITS_QUANTITY * 10' })
    expect(lineDiscounts(evaluateChecked(one(cartK(), percent)))).toEqual([1080, 1000, 90])
    expect(applicable(evaluateChecked(one(cartK(), percent)).redeemables[0]).discount).toEqual({
      type: 'PERCENT',
      effect: 'APPLY_TO_ITEMS',
      percent_off: 10,
      is_dynamic: true,
    })
    const fixed = fixedPrice(10, { ...toItems, fixed_amount_formula: half })
    expect(lineDiscounts(evaluateChecked(one(cartK(), fixed)))).toEqual([1800, 2500, 450])
  })

  test('falls back to the static value per line', () => {
    const given = one(
      { items: [{ ...line('A', 1, 1000), metadata: { off: 2 } }, line('B', 1, 1000)] },
      amountOff(50, { ...toItems, amount_off_formula: 'ORDER_ITEM_METADATA("off")' }),
    )
    expect(lineDiscounts(evaluateChecked(given))).toEqual([200, 50])
  })

  test.each<[string, Discount]>([
    ['off the order', amountOff(70, { ...toOrder, amount_off_formula: 'ORDER_ITEM_PRICE' })],
    ['that is split', amountOff(70, { ...spread, amount_off_formula: 'ORDER_ITEM_PRICE' })],
    ['that is split by quantity', amountOff(70, { ...spreadByQuantity, amount_off_formula: 'ORDER_ITEM_PRICE' })],
  ])('has no line for an amount %s, so the static value is used', (_, discount) => {
    const verdict = evaluateChecked(one(cartK(), discount))
    expect(discountsOrReasons(verdict)).toEqual([70])
    expect(applicable(verdict.redeemables[0]).discount).toMatchObject({ amount_off: 70, is_dynamic: false })
  })

  test('may be calculable where there is no line', () => {
    const formula = 'DEFAULT_TO(ORDER_ITEM_PRICE;3)'
    const whole = amountOff(70, { ...toOrder, amount_off_formula: formula })
    expect(discountsOrReasons(evaluateChecked(one(cartK(), whole)))).toEqual([300])
    expect(lineDiscounts(evaluateChecked(one(cartK(), { ...whole, effect: 'APPLY_TO_ITEMS' } as Discount)))).toEqual([
      1200, 2500, 900,
    ])
    const percent = percentOff(7, { ...toOrder, percent_off_formula: 'DEFAULT_TO(ORDER_ITEM_PRICE;50)' })
    expect(discountsOrReasons(evaluateChecked(one(cartK(), percent)))).toEqual([4750])
  })

  test('with a syntax error is ignored', () => {
    const given = one(cartK(), amountOff(70, { amount_off_formula: '1 +' }))
    expect(applicable(evaluateChecked(given).redeemables[0]).discount).toMatchObject({
      amount_off: 70,
      is_dynamic: false,
    })
  })
})

describe('bundles multiply', () => {
  /** Three complete bundles of one pot and two lids. */
  const sets = (limit = 9): ValidationRule => {
    const demand = (id: string, quantity: number) => ({
      name: 'order.items.any',
      conditions: { $is: [{ id, object: 'product', type: 'product_or_sku' }] },
      rules: { '1': { name: 'order.items.aggregated_quantity', conditions: { $is: [quantity] } }, logic: '1' },
    })
    return {
      id: 'val_set',
      rules: {},
      bundle_rules: { '1': demand('pot', 1), '2': demand('lid', 2), limit, logic: '1 and 2' },
    }
  }
  const kitchen = () => order(line('pot', 3, 2000), line('lid', 7, 500)) // 60.00 + 35.00
  const bundled = (discount: Discount, entry?: ApplicableEntry) =>
    evaluateChecked(
      facts({
        order: kitchen(),
        products: [{ id: 'pan', price: 1000 }],
        redeemables: [voucher('B', discount, { rules: [sets(), ...(entry === undefined ? [] : [on(entry)])] })],
      }),
    )
  const twoUnits = { ...everything, quantity_limit: 2, aggregated_quantity_limit: 3 }

  test.each<[string, Discount, ApplicableEntry | undefined, number[]]>([
    ['an amount off the order', amountOff(100, toOrder), undefined, [0, 0]],
    ['an amount off lines', amountOff(100, toItems), undefined, [300, 300]],
    ['an amount split over lines', amountOff(95, spread), undefined, [180, 105]],
    ['a split amount by quantity', amountOff(100, spreadByQuantity), undefined, [90, 210]],
    ['a percentage', percentOff(5, toItems), undefined, [900, 525]],
    ['a percentage, up to 100', percentOff(40, toItems), undefined, [6000, 3500]],
    ['a percentage, not its units', percentOff(5, toItems), twoUnits, [600, 75]],
    ['the unit cap of an amount off each unit, not the amount', amountOff(100, byQuantity), twoUnits, [300, 600]],
    ['not an amount off each unit without unit caps', amountOff(100, byQuantity), undefined, [300, 700]],
    ['the unit cap of a fixed price', fixedPrice(100, toItems), twoUnits, [5700, 2400]],
    ['not a fixed price without unit caps', fixedPrice(100, toItems), undefined, [5700, 2800]],
  ])('%s', (_, discount, entry, expected) => {
    const verdict = bundled(discount, entry)
    expect(lineDiscounts(verdict)).toEqual(expected)
    expect(verdict.redeemables).toMatchObject([{ bundle: { quantity: 3, limit: 9 } }])
  })

  test('on the order: the amount and the percentage, not a fixed total', () => {
    expect(discountsOrReasons(bundled(amountOff(100, toOrder)))).toEqual([300])
    expect(discountsOrReasons(bundled(percentOff(5, toOrder)))).toEqual([1425])
    expect(discountsOrReasons(bundled(percentOff(50, toOrder)))).toEqual([9500])
    expect(discountsOrReasons(bundled(fixedPrice(5000, toOrder)))).toEqual([4500])
    expect(applicable(bundled(percentOff(5, toOrder)).redeemables[0]).discount?.percent_off).toBe(15)
    expect(applicable(bundled(percentOff(40, toOrder)).redeemables[0]).discount?.percent_off).toBe(100)
    expect(applicable(bundled(amountOff(100, toOrder)).redeemables[0]).discount?.amount_off).toBe(300)
  })

  test('free units', () => {
    expect(orderOf(bundled(unitsOff(2, 'pan'))).items[2]).toMatchObject({
      quantity: 6,
      amount: 6000,
      discount_amount: 6000,
    })
    const many: Discount = { type: 'UNIT', units: [{ unit_type: 'pan', unit_off: 1 }] }
    expect(orderOf(bundled(many)).items[2]).toMatchObject({ quantity: 3 })
    const same = unitsOff(1, 'pc_a11pr0dUc75', { effect: 'ADD_SAME_ITEMS' })
    expect(fieldOfLines(bundled(same), 'quantity')).toEqual([6, 10])
  })

  test('the unit caps of a replacement, not the units per replaced unit', () => {
    const replaced = bundled(unitsOff(1, 'pan', { effect: 'REPLACE_ITEMS' }), twoUnits)
    // At most nine units in total, six per line: three pots and six lids.
    expect(fieldOfLines(replaced, 'quantity')).toEqual([0, 1, 9])
  })

  test('an amount beyond the safe integers is capped', () => {
    expect(discountsOrReasons(bundled(amountOff(Number.MAX_SAFE_INTEGER, toOrder)))).toEqual([9500])
    expect(discountsOrReasons(bundled(amountOff(Number.MAX_SAFE_INTEGER, spreadByQuantity)))).toEqual([9500])
    expect(discountsOrReasons(bundled(amountOff(Number.MAX_SAFE_INTEGER, spread)))).toEqual([9500])
  })

  test('an incomplete bundle is refused, with the missing units', () => {
    const given = facts({
      order: order(line('pot', 1, 2000), line('lid', 1, 500)),
      redeemables: [voucher('B', percentOff(5), { rules: [{ ...sets(), error: { message: 'Take two lids' } }] })],
    })
    expect(evaluateChecked(given)).toMatchObject({
      valid: false,
      redeemables: [
        {
          status: 'INAPPLICABLE',
          reason: {
            key: 'order_rules_violated',
            details: 'Discount Coupon cannot be redeemed because of violated validation rules: val_set',
            error: { message: 'Take two lids' },
          },
          bundle: { quantity: 0, missing: [{ id: 'lid', item_quantity: 1 }] },
        },
      ],
    })
  })
})
