import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Catalogue, CustomerFacts, OrderFacts } from '../schema/index.ts'
import type { Accrual, EarningFacts, EarningMapping, EarningPoints, EarningRule } from '../schema/loyalty.ts'
import { accruals } from './earning.ts'

interface Sources {
  order?: OrderFacts
  customer?: CustomerFacts
  event_metadata?: Record<string, unknown>
  catalogue?: Catalogue
}

const rule = (loyalty: EarningPoints, more: Partial<EarningRule> = {}): EarningRule => ({
  id: 'ern_1',
  created_at: '2025-01-01T00:00:00.000Z',
  active: true,
  event: 'order.paid',
  loyalty,
  ...more,
})

const facts = (rules: EarningRule[], more: Partial<EarningFacts> = {}): EarningFacts => ({
  now: '2025-03-06T14:00:00.000Z',
  timezone: 'UTC',
  event: { event: 'order.paid' },
  campaign: { id: 'camp_1', active: true },
  card: { active: true },
  rules,
  ...more,
})

/** The points of one rule; 0 when there is no accrual. */
function points(loyalty: EarningPoints, sources: Sources, mapping?: EarningMapping): number {
  const tier = mapping === undefined ? null : { id: 'ltr_1', points: { from: 0 }, earning_rules: { ern_1: mapping } }
  const paid = accruals(facts([rule(loyalty)], { ...sources, tier }))
  expect(paid.length).toBeLessThanOrEqual(1)
  return paid[0]?.points ?? 0
}

const fixed = (points: number, pointsFormula?: string): EarningPoints => ({
  type: 'FIXED',
  points,
  ...(pointsFormula === undefined ? {} : { points_formula: pointsFormula }),
})
const ofAmount = (every: number, points: number): EarningPoints => ({
  type: 'PROPORTIONAL',
  calculation_type: 'ORDER_AMOUNT',
  order: { amount: { every, points } },
})
const ofTotal = (every: number, points: number): EarningPoints => ({
  type: 'PROPORTIONAL',
  calculation_type: 'ORDER_TOTAL_AMOUNT',
  order: { total_amount: { every, points } },
})
const P = { object: 'product', id: 'prod_p' } as const
const C = { object: 'products_collection', id: 'pc_c' } as const
const catalogue: Catalogue = {
  collections: { pc_c: { type: 'STATIC', products: [{ id: 'prod_p', object: 'product' }] } },
}

describe('the points of a rule', () => {
  const times = (multiplier: number): EarningMapping => ({ type: 'MULTIPLY', multiplier })
  const replaced = (points: number): EarningMapping => ({ type: 'CUSTOM', points })
  const quantity = (every: number, points: number): EarningPoints => ({
    type: 'PROPORTIONAL',
    calculation_type: 'ORDER_ITEMS_QUANTITY',
    order_items: { quantity: { every, points, ...P } },
  })
  const subtotal: EarningPoints = {
    type: 'PROPORTIONAL',
    calculation_type: 'ORDER_ITEMS_SUBTOTAL_AMOUNT',
    order_items: { subtotal_amount: { every: 1_000, points: 4, ...P, applicable_to: [P, C] } },
  }
  const itemsAmount: EarningPoints = {
    type: 'PROPORTIONAL',
    calculation_type: 'ORDER_ITEMS_AMOUNT',
    order_items: { amount: { every: 100, points: 1, ...P } },
  }
  const orderMetadata: EarningPoints = {
    type: 'PROPORTIONAL',
    calculation_type: 'ORDER_METADATA',
    order: { metadata: { every: 2, points: 3, property: 'bags' } },
  }
  const customerMetadata: EarningPoints = {
    type: 'PROPORTIONAL',
    calculation_type: 'CUSTOMER_METADATA',
    customer: { metadata: { every: 10, points: 1, property: 'age.years' } },
  }
  const eventMetadata: EarningPoints = {
    type: 'PROPORTIONAL',
    calculation_type: 'CUSTOM_EVENT_METADATA',
    custom_event: { metadata: { every: 1, points: 5, property: 'stars' } },
  }
  const discounted = { amount: 12_500, discount_amount: 2_500 }
  const twoFree = { items: [{ product_id: 'prod_p', quantity: 5, price: 100, free_quantity: 2, discount_quantity: 2 }] }
  const mixed = {
    items: [
      { product_id: 'prod_p', quantity: 1, amount: 6_000, discount_amount: 900 },
      { product_id: 'prod_q', quantity: 1, amount: 3_000 },
    ],
  }
  const cases: Array<[string, EarningPoints, Sources, EarningMapping | undefined, number]> = [
    ['05 #1: 40 × 1.5', fixed(40), {}, times(1.5), 60],
    ['05 #2: floor(6.99) × 7', ofAmount(1_500, 7), { order: { amount: 10_499 } }, undefined, 42],
    ['05 #2: less than one share', ofAmount(1_000, 7), { order: { amount: 900 } }, undefined, 0],
    ['05 #3: after all discounts', ofTotal(300, 2), { order: discounted }, undefined, 66],
    ['05 #4: free units do not count', quantity(2, 10), { order: twoFree }, undefined, 10],
    ['05 #5: an item of two entries counts once', subtotal, { order: mixed, catalogue }, undefined, 20],
    ['05 #6: 33.30 × 0.15 is 4.995', fixed(10, 'ORDER_AMOUNT * 0.15'), { order: { amount: 3_330 } }, undefined, 5],
    [
      '05 #6: a formula with a missing value falls back to the fixed number',
      fixed(10, 'ORDER_METADATA("x") * 2'),
      { order: { amount: 3_330 } },
      undefined,
      10,
    ],
    ['05 #7: 27 × 3', ofAmount(1_000, 1), { order: { amount: 27_900 } }, replaced(3), 81],
    ['05 #7: 7 × 2 × 1.25 is 17.5', ofAmount(1_000, 2), { order: { amount: 7_900 } }, times(1.25), 18],
    ['multipliers are exact: 10 × 1.15 is 11.5', fixed(10), {}, times(1.15), 12],
    ['rounded once: 4.995 × 3 is 14.985', fixed(10, 'ORDER_AMOUNT * 0.15'), { order: { amount: 3_330 } }, times(3), 15],
    ['half a point is one', fixed(1), {}, times(0.5), 1],
    ['less than half a point is 0', fixed(1), {}, times(0.49), 0],
    ['a multiplier of 0', fixed(40), {}, times(0), 0],
    ['custom points, fixed rule', fixed(40), {}, replaced(7), 7],
    ['custom points of 0', fixed(40), {}, replaced(0), 0],
    [
      'custom points take precedence over the formula',
      fixed(10, 'ORDER_AMOUNT * 0.15'),
      { order: { amount: 3_330 } },
      replaced(2),
      2,
    ],
    ['a negative formula result', fixed(10, '0 - 5'), {}, undefined, 0],
    ['an invalid formula falls back to the fixed number', fixed(10, '1 +'), {}, undefined, 10],
    [
      'a formula per share',
      {
        ...ofAmount(1_000, 1),
        order: { amount: { every: 1_000, points: 1, points_formula: '1.25' } },
      } as EarningPoints,
      { order: { amount: 2_000 } },
      undefined,
      3,
    ],
    [
      'the order amount before units were added',
      ofAmount(100, 1),
      { order: { amount: 900, initial_amount: 500 } },
      undefined,
      5,
    ],
    ['no order', ofAmount(100, 1), {}, undefined, 0],
    ['an order without amounts', ofAmount(100, 1), { order: { items: [{ product_id: 'prod_p' }] } }, undefined, 0],
    [
      'an order without amounts, total',
      ofTotal(100, 1),
      { order: { items: [{ product_id: 'prod_p' }] } },
      undefined,
      0,
    ],
    ['other goods only', quantity(1, 10), { order: { items: [{ product_id: 'prod_q', quantity: 5 }] } }, undefined, 0],
    [
      'an SKU of the product counts',
      quantity(1, 10),
      { order: { items: [{ sku_id: 'sku_1', product_id: 'prod_p', quantity: 2 }] } },
      undefined,
      20,
    ],
    [
      'items before units were added',
      itemsAmount,
      {
        order: {
          items: [
            { product_id: 'prod_p', quantity: 3, amount: 300, initial_amount: 100 },
            { product_id: 'prod_p', quantity: 1, initial_quantity: 0, amount: 100 },
          ],
        },
      },
      undefined,
      1,
    ],
    [
      'items of unknown amount',
      itemsAmount,
      { order: { amount: 900, items: [{ product_id: 'prod_p' }, { product_id: 'prod_p', amount: 400 }] } },
      undefined,
      4,
    ],
    ['order metadata', orderMetadata, { order: { amount: 1, metadata: { bags: 5.5 } } }, undefined, 6],
    ['metadata as text', orderMetadata, { order: { amount: 1, metadata: { bags: '5' } } }, undefined, 0],
    ['metadata missing', orderMetadata, { order: { amount: 1 } }, undefined, 0],
    ['negative metadata', orderMetadata, { order: { amount: 1, metadata: { bags: -5 } } }, undefined, 0],
    [
      'negative metadata pays nothing, even with custom points',
      orderMetadata,
      { order: { amount: 1, metadata: { bags: -5 } } },
      replaced(3),
      0,
    ],
    [
      'metadata beyond the safe integers',
      orderMetadata,
      { order: { amount: 1, metadata: { bags: 1e300 } } },
      undefined,
      0,
    ],
    [
      'infinite metadata',
      orderMetadata,
      { order: { amount: 1, metadata: { bags: Number.POSITIVE_INFINITY } } },
      undefined,
      0,
    ],
    ['customer metadata, nested', customerMetadata, { customer: { metadata: { age: { years: 39 } } } }, undefined, 3],
    ['event metadata', eventMetadata, { event_metadata: { stars: 4 } }, undefined, 20],
    ['event metadata without an event', eventMetadata, {}, undefined, 0],
  ]
  test.each(cases)('%s', (_, loyalty, sources, mapping, expected) => {
    expect(points(loyalty, sources, mapping)).toBe(expected)
  })

  test('are floor(x / every) × points for all numbers', () => {
    const natural = fc.oneof(fc.nat(100_000), fc.maxSafeNat())
    fc.assert(
      fc.property(
        natural,
        natural.map((n) => Math.max(1, n)),
        fc.nat(1_000),
        fc.nat(300),
        (x, every, per, percent) => {
          const exact = (BigInt(x) / BigInt(every)) * BigInt(per)
          const final = (exact * BigInt(percent) * 2n + 100n) / 200n
          const expected = final > BigInt(Number.MAX_SAFE_INTEGER) ? 0 : Number(final)
          expect(points(ofAmount(every, per), { order: { amount: x } }, times(percent / 100))).toBe(expected)
        },
      ),
    )
  })
})

describe('accruals', () => {
  const ids = (paid: Accrual[]) => paid.map(({ earning_rule_id }) => earning_rule_id)
  const fires = (more: Partial<EarningRule>, context: Partial<EarningFacts> = {}) =>
    accruals(facts([rule(fixed(10), more)], context)).length === 1

  test('05 #10: pending points expire counted from their activation', () => {
    const months = { period_type: 'MONTH', period_value: 1 } as const
    const pending = rule(fixed(50), {
      pending_points: { period_type: 'DAY', period_value: 3 },
      expiration_rules: months,
    })
    expect(accruals(facts([pending]))).toEqual([
      {
        earning_rule_id: 'ern_1',
        points: 50,
        loyalty_tier_id: null,
        activates_at: '2025-03-09',
        expires_at: '2025-04-09',
        expiration_rules: months,
      },
    ])
  })

  test("dates are in the project's time zone, and the expiration rules of the campaign are the fallback", () => {
    const campaign = {
      id: 'camp_1',
      active: true,
      expiration_rules: { period_type: 'MONTH', period_value: 1 } as const,
    }
    const late = facts([rule(fixed(1))], { campaign, now: '2025-01-31T23:30:00.000Z', timezone: 'Europe/Warsaw' })
    expect(accruals(late)[0]).toMatchObject({ activates_at: null, expires_at: '2025-03-01' })
    expect(accruals({ ...late, timezone: 'UTC' })[0]).toMatchObject({ expires_at: '2025-02-28' })
    expect(accruals(facts([rule(fixed(1))]))[0]).toMatchObject({ expires_at: null, expiration_rules: null })
  })

  test('the oldest rule comes first, and rules in used_rules do not pay', () => {
    const rules = [
      rule(fixed(1), { id: 'ern_b', created_at: '2025-01-02T00:00:00.000Z' }),
      rule(fixed(1), { id: 'ern_a', created_at: '2025-01-01T00:00:00.000Z' }),
      rule(fixed(0), { id: 'ern_0', created_at: '2024-01-01T00:00:00.000Z' }),
      rule(fixed(1), { id: 'ern_c', created_at: '2025-01-03T00:00:00.000Z' }),
    ]
    expect(ids(accruals(facts(rules)))).toEqual(['ern_a', 'ern_b', 'ern_c'])
    expect(ids(accruals(facts(rules, { used_rules: ['ern_b'] })))).toEqual(['ern_a', 'ern_c'])
    expect(ids(accruals(facts(rules), ({ id }) => id !== 'ern_a'))).toEqual(['ern_b', 'ern_c'])
  })

  test('the tier is set only when its mapping was used', () => {
    const tier = { id: 'ltr_1', points: {}, earning_rules: { ern_1: { type: 'CUSTOM', points: 5 } as const } }
    const paid = accruals(facts([rule(fixed(1)), rule(fixed(1), { id: 'ern_2' })], { tier }))
    expect(paid.map(({ points, loyalty_tier_id }) => [points, loyalty_tier_id])).toEqual([
      [5, 'ltr_1'],
      [1, null],
    ])
  })

  test('an inactive, expired or future campaign, card or rule pays nothing', () => {
    const past = { expiration_date: '2025-03-01T00:00:00.000Z' }
    const future = { start_date: '2025-03-07T00:00:00.000Z' }
    expect(fires({})).toBe(true)
    expect(fires({ active: false })).toBe(false)
    expect(fires(past)).toBe(false)
    expect(fires(future)).toBe(false)
    expect(fires({}, { campaign: { id: 'camp_1', active: false } })).toBe(false)
    expect(fires({}, { campaign: { id: 'camp_1', active: true, ...past } })).toBe(false)
    expect(fires({}, { card: { active: false } })).toBe(false)
    expect(fires({}, { card: { active: true, ...past } })).toBe(false)
    expect(fires({}, { card: { active: true, validity_day_of_week: [0] } })).toBe(true) // a Thursday, but no date
    expect(fires({}, { card: null })).toBe(true)
  })

  test('a rule inherits validity fields from its campaign, and the campaign must be valid too', () => {
    const campaign = {
      id: 'camp_1',
      active: true,
      start_date: '2025-03-05T00:00:00.000Z',
      validity_timeframe: { interval: 'P7D', duration: 'P2D' },
    }
    expect(fires({}, { campaign })).toBe(true)
    expect(fires({ start_date: '2025-03-01T00:00:00.000Z' }, { campaign })).toBe(false) // windows from 1 March on: closed
    expect(fires({ validity_timeframe: { interval: 'P7D', duration: 'P1D' } }, { campaign })).toBe(false)
    expect(fires({ validity_day_of_week: [4] }, { campaign })).toBe(true)
    expect(fires({ validity_day_of_week: [5] }, { campaign })).toBe(false)
    expect(
      fires(
        { expiration_date: '2026-01-01T00:00:00.000Z' },
        { campaign: { ...campaign, expiration_date: '2025-03-06T00:00:00.000Z' } },
      ),
    ).toBe(false)
  })

  test('a rule fires only for its own event', () => {
    const segment = { event: 'customer.segment.entered' }
    expect(fires({}, { event: segment })).toBe(false)
    expect(fires({ ...segment, segment: { id: 'seg_1' } }, { event: { ...segment, segment_id: 'seg_1' } })).toBe(true)
    expect(fires({ ...segment, segment: { id: 'seg_1' } }, { event: { ...segment, segment_id: 'seg_2' } })).toBe(false)
    const visit = { event: 'visit' }
    expect(fires({ ...visit, custom_event: { schema_id: 'ms_1' } }, { event: { ...visit, schema_id: 'ms_1' } })).toBe(
      true,
    )
    expect(fires({ ...visit, custom_event: { schema_id: 'ms_1' } }, { event: { ...visit, schema_id: 'ms_2' } })).toBe(
      false,
    )
  })

  test("__ANY__ matches every tier of the rule's campaign; a tier id may belong to another campaign", () => {
    const joined = { event: 'customer.loyalty.tier.joined' }
    const own = { event: { ...joined, tier: { id: 'ltr_1', campaign_id: 'camp_1' } } }
    const other = { event: { ...joined, tier: { id: 'ltr_2', campaign_id: 'camp_2' } } }
    expect(fires(joined, own)).toBe(true)
    expect(fires(joined, other)).toBe(false)
    expect(fires({ ...joined, loyalty_tier: { id: '__ANY__' } }, own)).toBe(true)
    expect(fires({ ...joined, loyalty_tier: { id: '__ANY__' } }, other)).toBe(false)
    expect(fires({ ...joined, loyalty_tier: { id: 'ltr_2' } }, other)).toBe(true)
    expect(fires({ ...joined, loyalty_tier: { id: 'ltr_2' } }, own)).toBe(false)
    expect(fires({ event: 'customer.loyalty.tier.left' }, own)).toBe(false)
  })
})

test('a rule that takes too many steps pays nothing, and does not take from the rules after it', () => {
  const spender = rule(fixed(5), { id: 'ern_heavy', created_at: '2024-01-01T00:00:00.000Z' })
  const passes: NonNullable<Parameters<typeof accruals>[1]> = ({ id }, { work }) => {
    if (id !== 'ern_heavy') return true
    try {
      work.spend(10_000_000)
      return true
    } catch {
      return false
    }
  }
  expect(accruals(facts([spender, rule(fixed(7))]), passes).map(({ points }) => points)).toEqual([7])
})

test('a rule has the whole budget, whatever the rules before it have taken', () => {
  const passes: NonNullable<Parameters<typeof accruals>[1]> = (_, { work }) => {
    work.spend(400_000)
    return true
  }
  const rules = ['a', 'b', 'c'].map((id) => rule(fixed(1), { id: `ern_${id}` }))
  expect(accruals(facts(rules), passes)).toHaveLength(3)
})
