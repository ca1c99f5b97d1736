import { describe, expect, test } from 'vitest'
import { openCart } from './cart.ts'
import { openRun, scopeFor } from './run.ts'
import type { ApplicableEntry, OrderFacts, ValidationRule } from './schema/index.ts'
import { coverageOf, select } from './selection.ts'
import { applicable, discountsOrReasons, evaluateChecked, lineDiscounts } from './testing/evaluated.ts'
import {
  amountOff,
  category,
  covering,
  facts,
  line,
  on,
  order,
  percentOff,
  product,
  sku,
  storedSku,
  tier,
  unitsOff,
  voucher,
} from './testing/shop.ts'

const everything: ApplicableEntry = { object: 'products_collection', id: 'pc_a11pr0dUc75' }
const collections = {
  warm: {
    type: 'STATIC',
    products: ['mug', 'shirt', 'socks', 'poster'].map((id) => ({ id, object: 'product' })),
  },
} as const
const warm: ApplicableEntry = { object: 'products_collection', id: 'warm' }

/**
 * The selection of each entry: `2` is all of line 2, `2: 1 3` are its units 1 and 3. The last entry is the one without
 * goods.
 */
function selectionTexts(
  given: OrderFacts,
  rules: ValidationRule | ValidationRule[],
  blocked: string[] = [],
): string[][] {
  const run = openRun(facts({ order: given, redeemables: [], collections: collections as never }), false)
  const coverage = coverageOf([rules].flat())
  return select(openCart(given), coverage, run.scope, new Set(blocked)).map(({ lines }) =>
    lines.map(({ line: { item }, units, unit_numbers }) => {
      if (unit_numbers === null) return String(item.index)
      const { first, step } = unit_numbers
      return `${item.index}: ${Array.from({ length: units }, (_, i) => first + i * step).join(' ')}`
    }),
  )
}

/** Lines of docs/reference/examples-rules.md#e11-selection-by-line: the lamp is not in the collection. */
const e11 = () =>
  order(
    line('mug', 4, 900),
    line('shirt', 2, 2500),
    line('socks', 3, 400),
    line('poster', 3, 1500),
    line('lamp', 1, 7000),
  )

describe('lines selected by an entry', () => {
  test('E11: every second line from the most expensive, after the first', () => {
    const from = { ...warm, effect: 'APPLY_FROM_MOST_EXPENSIVE', skip_initially: 1, repeat: 2 } as const
    expect(selectionTexts(e11(), on(from))).toEqual([['3', '2']]) // 1, 3, 0, 2: the second and the fourth
    expect(selectionTexts(e11(), on({ ...from, effect: 'APPLY_TO_MOST_EXPENSIVE' }))).toEqual([['1']])
  })

  test('E12: the same by unit', () => {
    const from = { ...warm, effect: 'APPLY_FROM_MOST_EXPENSIVE', skip_initially: 1, repeat: 2, target: 'UNIT' } as const
    // 1 1 3 3 3 0 0 0 0 2 2 2: the 2nd, 4th, 6th, 8th, 10th and 12th
    expect(selectionTexts(e11(), on(from))).toEqual([['1: 2', '3: 2', '0: 1 3', '2: 1 3']])
    const given = facts({
      order: e11(),
      collections: collections as never,
      redeemables: [voucher('Q', amountOff(200, { effect: 'APPLY_TO_ITEMS_BY_QUANTITY' }), { rules: [on(from)] })],
    })
    expect(lineDiscounts(evaluateChecked(given))).toEqual([400, 200, 400, 200, 0])
    expect(applicable(evaluateChecked(given).redeemables[0]).applicable_to.data[0]).toMatchObject({
      order_item_indices: [1, 3, 0, 2],
      order_item_units: [
        { index: 1, units: [2] },
        { index: 3, units: [2] },
        { index: 0, units: [1, 3] },
        { index: 2, units: [1, 3] },
      ],
    })
  })

  const three = () => order(line('a', 1, 300), line('b', 1, 100), line('c', 1, 200))

  test.each<[NonNullable<ApplicableEntry['effect']>, string[]]>([
    ['APPLY_TO_EVERY', ['0', '1', '2']],
    ['APPLY_FROM_CHEAPEST', ['1', '2', '0']],
    ['APPLY_TO_CHEAPEST', ['1']],
    ['APPLY_FROM_MOST_EXPENSIVE', ['0', '2', '1']],
    ['APPLY_TO_MOST_EXPENSIVE', ['0']],
  ])('%s', (effect, lines) => {
    expect(selectionTexts(three(), on({ ...everything, effect }))).toEqual([lines])
  })

  test('lines are sorted by unit price, not by line amount', () => {
    const given = order(line('a', 10, 100), line('b', 1, 500))
    expect(selectionTexts(given, on({ ...everything, effect: 'APPLY_TO_MOST_EXPENSIVE' }))).toEqual([['1']])
    // Without a price, a unit costs its part of the amount: 10.00 / 3 is less than 3.34.
    const amounts = { items: [{ price: 334 }, { quantity: 3, amount: 1000 }] }
    expect(selectionTexts(amounts, on({ ...everything, effect: 'APPLY_TO_CHEAPEST' }))).toEqual([['1']])
    // A sent price is compared even if the amount implies another.
    const both = { items: [{ quantity: 2, price: 500, amount: 100 }, { price: 400 }] }
    expect(selectionTexts(both, on({ ...everything, effect: 'APPLY_TO_CHEAPEST' }))).toEqual([['1']])
  })

  test('on equal prices the lower subtotal comes first in both directions, then the earlier line', () => {
    const given = order(line('a', 3, 500), line('b', 2, 500), line('c', 2, 500))
    expect(selectionTexts(given, on({ ...everything, effect: 'APPLY_FROM_CHEAPEST' }))).toEqual([['1', '2', '0']])
    expect(selectionTexts(given, on({ ...everything, effect: 'APPLY_FROM_MOST_EXPENSIVE' }))).toEqual([['1', '2', '0']])
    const discounted = { items: [line('a', 1, 500), { ...line('b', 1, 500), discount_amount: 100 }] }
    expect(selectionTexts(discounted, on({ ...everything, effect: 'APPLY_TO_MOST_EXPENSIVE' }))).toEqual([['1']])
  })

  test('a line of unknown price comes last in both directions', () => {
    const given = order(line('a', 1), line('b', 1, 500), line('c', 1, 100))
    expect(selectionTexts(given, on({ ...everything, effect: 'APPLY_FROM_CHEAPEST' }))).toEqual([['2', '1', '0']])
    expect(selectionTexts(given, on({ ...everything, effect: 'APPLY_FROM_MOST_EXPENSIVE' }))).toEqual([['1', '2', '0']])
  })

  test('large prices are compared exactly', () => {
    // Thirds of 2^53 − 1 and of one less: as doubles the products are equal.
    const given = {
      amount: 1,
      items: [
        { quantity: 3, amount: 9_007_199_254_740_991 },
        { quantity: 3, amount: 9_007_199_254_740_990 },
      ],
    }
    expect(selectionTexts(given, on({ ...everything, effect: 'APPLY_TO_CHEAPEST' }))).toEqual([['1']])
    expect(selectionTexts(given, on({ ...everything, effect: 'APPLY_TO_MOST_EXPENSIVE' }))).toEqual([['0']])
  })

  test('APPLY_TO_CHEAPEST and APPLY_TO_MOST_EXPENSIVE ignore skip and repeat', () => {
    const only = { ...everything, effect: 'APPLY_TO_CHEAPEST', skip_initially: 1, repeat: 2 } as const
    expect(selectionTexts(three(), on(only))).toEqual([['1']])
    expect(selectionTexts(three(), on({ ...only, target: 'UNIT' }))).toEqual([['1: 1']])
  })

  test('lines without units, and lines of free units only, are ignored', () => {
    const given = { items: [line('a', 0, 10), { ...line('b', 2, 20), free_quantity: 2 }, line('c', 1, 30)] }
    expect(selectionTexts(given, on({ ...everything, effect: 'APPLY_TO_CHEAPEST' }))).toEqual([['2']])
    expect(selectionTexts(given, on({ ...everything, skip_initially: 1 }))).toEqual([[]])
  })

  test('skipping more than all lines selects nothing', () => {
    expect(selectionTexts(three(), on({ ...everything, skip_initially: 3 }))).toEqual([[]])
    expect(selectionTexts(three(), on({ ...everything, skip_initially: 3, target: 'UNIT' }))).toEqual([[]])
  })
})

describe('units selected by an entry', () => {
  test('are counted over lines: every third of 2 + 3 + 2, after the first', () => {
    const given = order(line('x', 2, 300), line('y', 3, 500), line('z', 2, 800))
    const entry = {
      ...everything,
      effect: 'APPLY_FROM_CHEAPEST',
      target: 'UNIT',
      skip_initially: 1,
      repeat: 3,
    } as const
    expect(selectionTexts(given, on(entry))).toEqual([['0: 2', '1: 3']]) // x2 and y3; z2 would be the eighth
    expect(selectionTexts(given, on({ ...entry, skip_initially: 0 }))).toEqual([['0: 1', '1: 2', '2: 2']])
    expect(selectionTexts(given, on({ ...entry, repeat: 1 }))).toEqual([['0: 2', '1: 1 2 3', '2: 1 2']])
    expect(selectionTexts(given, on({ ...entry, skip_initially: 6 }))).toEqual([['2: 2']])
  })

  test('do not include free units', () => {
    const given = { items: [{ ...line('x', 4, 300), free_quantity: 2 }, line('y', 2, 300)] }
    expect(selectionTexts(given, on({ ...everything, target: 'UNIT', repeat: 2 }))).toEqual([['0: 1', '1: 1']])
  })

  test('a line of a million units is not iterated unit by unit', () => {
    const run = openRun(facts({ order: order(line('x', 1_000_000, 1), line('y', 5, 1)), redeemables: [] }), false)
    const coverage = coverageOf([on({ ...everything, target: 'UNIT', skip_initially: 1, repeat: 3 })])
    const [entry] = select(run.cart!, coverage, run.scope)
    // From 1, every third of the positions 0 … 999,999: 333,333 of them; the next is 1,000,000.
    expect(entry?.lines.map(({ units, unit_numbers }) => ({ units, unit_numbers }))).toEqual([
      { units: 333_333, unit_numbers: { first: 2, step: 3 } },
      { units: 2, unit_numbers: { first: 1, step: 3 } },
    ])
  })
})

describe('entry of a line', () => {
  const tea = () => [
    storedSku(sku('green', { product_id: 'tea' }), 1, 100),
    storedSku(sku('black', { product_id: 'tea' }), 1, 100),
    line('cup', 1, 100),
    line('spoon', 1, 100),
  ]
  const all: ApplicableEntry = everything
  const productTea: ApplicableEntry = { object: 'product', id: 'tea' }
  const skuGreen: ApplicableEntry = { object: 'sku', id: 'green' }

  test('is the most specific one, in any position', () => {
    expect(selectionTexts({ items: tea() }, on(all, productTea, skuGreen))).toEqual([['2', '3'], ['1'], ['0']])
    expect(selectionTexts({ items: tea() }, on(skuGreen, productTea, all))).toEqual([['0'], ['1'], ['2', '3']])
  })

  test('is the earlier one on a tie', () => {
    expect(selectionTexts({ items: tea() }, on(productTea, { ...productTea, repeat: 2 }, 'cup'))).toEqual([
      ['0', '1'],
      [],
      ['2'],
    ])
  })

  test('a strict product entry excludes its SKUs', () => {
    const items = [...tea(), line('tea', 1, 100)]
    expect(selectionTexts({ items }, on({ ...productTea, strict: true }))).toEqual([['4']])
    expect(selectionTexts({ items }, on(productTea))).toEqual([['0', '1', '4']])
  })

  test('matches by source id as well as by id', () => {
    const items = [
      { ...line('x', 1, 100), catalogue: { product: product('prod_1', { source_id: 'tea' }) } },
      { source_id: 'cup', quantity: 1, price: 100 },
      { source_id: 'cup', related_object: 'sku', quantity: 1, price: 100 } as const,
    ]
    expect(selectionTexts({ items }, on({ object: 'product', source_id: 'tea' }))).toEqual([['0']])
    expect(selectionTexts({ items }, on({ object: 'product', source_id: 'cup' }))).toEqual([['1']])
    expect(selectionTexts({ items }, on({ object: 'sku', source_id: 'cup' }))).toEqual([['2']])
  })

  test('is none if any entry excludes the line', () => {
    const excluded = [skuGreen, { object: 'product', id: 'cup' } as const]
    expect(selectionTexts({ items: tea() }, covering({ included: [productTea, everything], excluded }))).toEqual([
      ['1'],
      ['3'],
    ])
    expect(selectionTexts({ items: tea() }, covering({ included_all: true, excluded }))).toEqual([['1', '3']])
    expect(selectionTexts({ items: tea() }, covering({ excluded }))).toEqual([['1', '3']]) // nothing included is all included
  })

  test('with included_all, a separate entry takes the remaining lines', () => {
    const some = covering({ included: [{ ...productTea, effect: 'APPLY_TO_CHEAPEST' }], included_all: true })
    expect(selectionTexts({ items: tea() }, some)).toEqual([['0'], ['2', '3']])
  })

  test('the rules of campaign and voucher are merged, those of the campaign first', () => {
    const campaign = covering({ included: [{ object: 'product', id: 'cup' }] })
    const own = covering({ included: [productTea], excluded: [skuGreen] })
    expect(selectionTexts({ items: tea() }, [campaign, own])).toEqual([['2'], ['1']])
    expect(selectionTexts({ items: tea() }, [campaign, covering({ included_all: true })])).toEqual([
      ['2'],
      ['0', '1', '3'],
    ])
  })

  test('without rules all lines are covered, and coverage is not defined', () => {
    expect(selectionTexts({ items: tea() }, [])).toEqual([['0', '1', '2', '3']])
    expect(coverageOf([]).is_defined).toBe(false)
    expect(coverageOf([covering({})]).is_defined).toBe(false)
    expect(coverageOf([covering({ excluded: [skuGreen] })]).is_defined).toBe(true)
    expect(coverageOf([covering({ included_all: true })]).is_defined).toBe(true)
  })

  test('blocked goods are skipped before lines are counted', () => {
    const entry = { ...everything, effect: 'APPLY_TO_CHEAPEST' } as const
    expect(selectionTexts({ items: tea() }, on(entry), ['green', 'cup'])).toEqual([['1']])
  })
})

describe('unit caps', () => {
  const byQuantity = amountOff(10, { effect: 'APPLY_TO_ITEMS_BY_QUANTITY' })
  const lines = (entry: Partial<ApplicableEntry>, excluded: ApplicableEntry[] = []) =>
    lineDiscounts(
      evaluateChecked(
        facts({
          order: order(line('a', 4, 100), line('b', 5, 100)),
          redeemables: [
            voucher('Q', byQuantity, { rules: [covering({ included: [{ ...everything, ...entry }], excluded })] }),
          ],
        }),
      ),
    )

  test('E13: two per line, three in total', () => {
    const entry = { quantity_limit: 2, aggregated_quantity_limit: 3 }
    expect(lines(entry)).toEqual([20, 10])
    expect(lines(entry, [{ object: 'product', id: 'a' }])).toEqual([0, 20])
    expect(lines({ aggregated_quantity_limit: 6 })).toEqual([40, 20])
    expect(lines({ quantity_limit: 9 })).toEqual([40, 50])
  })

  test('the aggregated cap is used up in the order of application', () => {
    const given = facts({
      order: order(line('a', 4, 200), line('b', 5, 100)),
      redeemables: [
        voucher('Q', byQuantity, {
          rules: [on({ ...everything, effect: 'APPLY_FROM_CHEAPEST', aggregated_quantity_limit: 6 })],
        }),
      ],
    })
    expect(lineDiscounts(evaluateChecked(given))).toEqual([10, 50])
  })

  test('selected units are cut from the end', () => {
    const given = facts({
      order: order(line('a', 6, 100), line('b', 6, 100)),
      redeemables: [
        voucher('Q', byQuantity, {
          rules: [on({ ...everything, target: 'UNIT', repeat: 2, quantity_limit: 2, aggregated_quantity_limit: 3 })],
        }),
      ],
    })
    const verdict = evaluateChecked(given)
    expect(lineDiscounts(verdict)).toEqual([20, 10]) // units 1, 3, 5 of each, of which 1 and 3, then 1
    expect(applicable(verdict.redeemables[0]).applicable_to.data[0]?.order_item_units).toEqual([
      { index: 0, units: [1, 3] },
      { index: 1, units: [1] },
    ])
  })

  test.each([
    ['AMOUNT on items is not capped by units', amountOff(10, { effect: 'APPLY_TO_ITEMS' }), [10, 10]],
    ['AMOUNT by quantity is capped by units', byQuantity, [10, 0]],
    ['PERCENT on items is capped by units: 10 % of one unit', percentOff(10, { effect: 'APPLY_TO_ITEMS' }), [10, 0]],
    ['a split is not capped by units', amountOff(90, { effect: 'APPLY_TO_ITEMS_PROPORTIONALLY' }), [40, 50]],
    [
      'a split by quantity is not capped by units',
      amountOff(90, { effect: 'APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY' }),
      [40, 50],
    ],
  ])('%s', (_, discount, expected) => {
    const given = facts({
      order: order(line('a', 4, 100), line('b', 5, 100)),
      redeemables: [voucher('Q', discount, { rules: [on({ ...everything, aggregated_quantity_limit: 1 })] })],
    })
    expect(lineDiscounts(evaluateChecked(given))).toEqual(expected)
  })
})

describe('lifetime unit limits', () => {
  const byQuantity = amountOff(10, { effect: 'APPLY_TO_ITEMS_BY_QUANTITY' })
  const customer = { id: 'cust_1' }
  const pair = () => order(line('a', 4, 100), line('b', 5, 100))
  const units = (verdict: ReturnType<typeof evaluateChecked>) =>
    verdict.redeemables.map((outcome) => (outcome.status === 'APPLICABLE' ? outcome.units : outcome.reason.key))

  test('allow the rest over all lines of the entry, and report used units', () => {
    const entry = { ...everything, product_campaign_quantity_limit: 10 }
    const given = facts({
      order: pair(),
      redeemables: [
        voucher('Q', byQuantity, {
          rules: [on(entry)],
          units_used: { product_campaign_quantity_limit: { pc_a11pr0dUc75: 4 } },
        }),
      ],
    })
    const verdict = evaluateChecked(given)
    expect(lineDiscounts(verdict)).toEqual([40, 20]) // 10 − 4 = 6: four and two
    expect(units(verdict)).toEqual([{ product_campaign_quantity_limit: { pc_a11pr0dUc75: 6 } }])
  })

  test.each([4, 10, 11])('an exhausted limit (%d of 4) gives nothing, without a refusal', (used) => {
    const given = facts({
      order: pair(),
      redeemables: [
        voucher('Q', byQuantity, {
          rules: [on({ object: 'product', id: 'a', product_campaign_quantity_limit: 4 })],
          units_used: { product_campaign_quantity_limit: { a: used } },
        }),
      ],
    })
    const verdict = evaluateChecked(given)
    expect(verdict.valid).toBe(true)
    expect(discountsOrReasons(verdict)).toEqual([0])
    expect(verdict.redeemables[0]).toMatchObject({ has_effect: false })
    expect(units(verdict)).toEqual([undefined])
  })

  test('a product limit counts all its SKUs together', () => {
    const items = [
      storedSku(sku('green', { product_id: 'tea' }), 2, 100),
      storedSku(sku('black', { product_id: 'tea' }), 2, 100),
    ]
    const given = facts({
      order: { items },
      redeemables: [
        voucher('Q', byQuantity, {
          rules: [on({ object: 'product', id: 'tea', product_campaign_quantity_limit: 3 })],
        }),
      ],
    })
    expect(lineDiscounts(evaluateChecked(given))).toEqual([20, 10])
  })

  test('limits per product of a collection are counted per product', () => {
    const items = [
      storedSku(sku('green', { product_id: 'tea' }), 2, 100),
      storedSku(sku('black', { product_id: 'tea' }), 2, 100),
      line('cup', 5, 100),
    ]
    const limit = 'product_in_collection_campaign_quantity_limit'
    const given = facts({
      order: { items },
      redeemables: [
        voucher('Q', byQuantity, {
          rules: [on({ ...everything, [limit]: 3 })],
          units_used: { [limit]: { 'pc_a11pr0dUc75/cup': 2 } },
        }),
      ],
    })
    const verdict = evaluateChecked(given)
    expect(lineDiscounts(verdict)).toEqual([20, 10, 10]) // tea 3: two green and one black; cup 3 − 2
    expect(units(verdict)).toEqual([{ [limit]: { 'pc_a11pr0dUc75/tea': 3, 'pc_a11pr0dUc75/cup': 1 } }])
  })

  test('limits per customer apply only to a known customer', () => {
    const rules = [on({ object: 'product', id: 'a', product_customer_campaign_quantity_limit: 1 })]
    const given = { order: pair(), redeemables: [voucher('Q', byQuantity, { rules })] }
    expect(lineDiscounts(evaluateChecked(facts({ ...given, customer })))).toEqual([10, 0])
    expect(lineDiscounts(evaluateChecked(facts(given)))).toEqual([40, 0])
    expect(units(evaluateChecked(facts(given)))).toEqual([undefined])
    expect(lineDiscounts(evaluateChecked(facts({ ...given, customer: { source_id: 'new' } })))).toEqual([40, 0])
  })

  test('limits per promotion tier apply only to tiers', () => {
    const rules = [on({ object: 'product', id: 'a', product_promotion_tier_quantity_limit: 1 })]
    expect(
      lineDiscounts(evaluateChecked(facts({ order: pair(), redeemables: [tier('T', byQuantity, { rules })] }))),
    ).toEqual([10, 0])
    expect(
      lineDiscounts(evaluateChecked(facts({ order: pair(), redeemables: [voucher('V', byQuantity, { rules })] }))),
    ).toEqual([40, 0])
  })

  test('the strictest limit wins', () => {
    const entry = {
      object: 'product',
      id: 'a',
      quantity_limit: 4,
      product_campaign_quantity_limit: 3,
      product_customer_campaign_quantity_limit: 2,
    } as const
    const given = facts({ order: pair(), customer, redeemables: [voucher('Q', byQuantity, { rules: [on(entry)] })] })
    expect(lineDiscounts(evaluateChecked(given))).toEqual([20, 0])
    expect(units(evaluateChecked(given))).toEqual([
      { product_campaign_quantity_limit: { a: 2 }, product_customer_campaign_quantity_limit: { a: 2 } },
    ])
  })

  test('come from a formula, else from the static value', () => {
    const limited = (formula: string) =>
      facts({
        order: pair(),
        redeemables: [
          voucher('Q', byQuantity, {
            rules: [
              on({
                object: 'product',
                id: 'a',
                product_campaign_quantity_limit: 3,
                product_campaign_quantity_limit_formula: formula,
              }),
            ],
          }),
        ],
      })
    expect(lineDiscounts(evaluateChecked(limited('ORDER_ITEM_UNITS_QUANTITY / 1.6')))).toEqual([20, 0]) // 2.5 → 2
    expect(lineDiscounts(evaluateChecked(limited('0 - 5')))).toEqual([0, 0])
    expect(lineDiscounts(evaluateChecked(limited('CUSTOMER_METADATA("x")')))).toEqual([30, 0])
  })

  test('two vouchers of one campaign share its remaining units within a request', () => {
    const campaign = { id: 'camp_1', active: true }
    const limit = 'product_campaign_quantity_limit'
    const code = (id: string) =>
      voucher(id, byQuantity, {
        campaign,
        rules: [on({ object: 'product', id: 'a', [limit]: 7 })],
        units_used: { [limit]: { a: 1 } },
      })
    const verdict = evaluateChecked(facts({ order: pair(), redeemables: [code('1'), code('2'), code('3')] }))
    expect(discountsOrReasons(verdict)).toEqual([40, 20, 0]) // 7 − 1 = 6: four, two, none
    expect(units(verdict)).toEqual([{ [limit]: { a: 4 } }, { [limit]: { a: 2 } }, undefined])
  })

  test('two tiers of one campaign share its limits, but not the limits per tier', () => {
    const campaign = { id: 'camp_1', active: true }
    const one = (id: string, limit: string) =>
      tier(id, byQuantity, { campaign, rules: [on({ object: 'product', id: 'a', [limit]: 3 })] })
    const both = (limit: string) =>
      discountsOrReasons(evaluateChecked(facts({ order: pair(), redeemables: [one('1', limit), one('2', limit)] })))
    expect(both('product_campaign_quantity_limit')).toEqual([30, 0])
    expect(both('product_promotion_tier_quantity_limit')).toEqual([30, 30])
  })

  test('vouchers without a campaign share no limits', () => {
    const code = (id: string) =>
      voucher(id, byQuantity, { rules: [on({ object: 'product', id: 'a', product_campaign_quantity_limit: 3 })] })
    expect(discountsOrReasons(evaluateChecked(facts({ order: pair(), redeemables: [code('1'), code('2')] })))).toEqual([
      30, 30,
    ])
  })

  test('units without a discount are not counted', () => {
    const entry = { object: 'product', id: 'a', product_campaign_quantity_limit: 3 } as const
    const given = facts({
      order: pair(),
      redeemables: [voucher('1', percentOff(100)), voucher('2', byQuantity, { rules: [on(entry)] })],
    })
    expect(units(evaluateChecked(given))).toEqual([undefined, undefined])
  })

  test('replaced units count too', () => {
    const entry = { object: 'product', id: 'a', product_campaign_quantity_limit: 3 } as const
    const given = facts({
      order: pair(),
      products: [product('large', { price: 150 })],
      redeemables: [voucher('R', unitsOff(2, 'large', { effect: 'REPLACE_ITEMS' }), { rules: [on(entry)] })],
    })
    expect(units(evaluateChecked(given))).toEqual([{ product_campaign_quantity_limit: { a: 3 } }])
  })

  test('inherited property names are ordinary ids', () => {
    const id = 'constructor'
    const given = facts({
      order: order(line(id, 4, 100)),
      redeemables: [
        voucher('Q', byQuantity, {
          ...category(id),
          rules: [on({ object: 'product', id, product_campaign_quantity_limit: 3 })],
          units_used: { product_campaign_quantity_limit: {} },
        }),
      ],
    })
    const verdict = evaluateChecked(given)
    expect(lineDiscounts(verdict)).toEqual([30])
    expect(units(verdict)).toEqual([{ product_campaign_quantity_limit: { [id]: 3 } }])
  })
})

test('the scope of a redeemable contains the current order', () => {
  const given = facts({ order: order(line('a', 1, 100)), redeemables: [] })
  const run = openRun(given, false)
  const scope = scopeFor(run, voucher('V', percentOff(10), { counters: { 'campaign.redemptions.count': 2 } }))
  expect(scope).toMatchObject({ cart: { amount: 100 }, counters: { 'campaign.redemptions.count': 2 } })
})
