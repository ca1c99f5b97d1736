import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { discountLine, discountOrder, openCart } from '../cart.ts'
import type { EvaluationScope } from '../evaluation-scope.ts'
import type { ItemFacts, OrderFacts, Rule, RuleStep, RuleTree, Step, ValidationRule } from '../schema/index.ts'
import { amountOff, giftCard, loyaltyCard, tier, voucher } from '../testing/shop.ts'
import { clockAt } from '../time/index.ts'
import { WorkMeter } from '../work.ts'
import { type Availability, countersOf, evaluateRule, evaluateRules, type RuleOptions } from './index.ts'

/** An empty request on a Wednesday noon in Warsaw; tests override what they need. */
function scopeOf({ order, ...given }: Partial<EvaluationScope> & { order?: OrderFacts } = {}): EvaluationScope {
  return {
    clock: clockAt('2025-02-26T11:00:00.000Z', 'Europe/Warsaw'),
    customer: null,
    caller: null,
    metadata: null,
    catalogue: {},
    cart: order === undefined ? null : openCart(order),
    redeemable: voucher('SPRING', amountOff(500)),
    event_metadata: null,
    counters: {},
    bundle_quantity: 0,
    work: new WorkMeter(),
    effect: null,
    ...given,
  }
}

/** Three units of tea at 8.00: `line('tea', 3, 800)`. */
const line = (productId: string, quantity: number, price?: number, more: ItemFacts = {}): ItemFacts => ({
  product_id: productId,
  quantity,
  ...(price === undefined ? {} : { price }),
  ...more,
})

const rule = (name: string, conditions: Record<string, unknown> = {}, more: Partial<Rule> = {}): Rule => ({
  name,
  conditions,
  ...more,
})

/** Rules numbered from 1: `tree('1 or 2', rule(…), rule(…))`. */
function tree(logic: string | null, ...rules: Rule[]): RuleTree {
  const numbered: RuleTree = Object.fromEntries(rules.map((rule, i) => [String(i + 1), rule]))
  return logic === null ? numbered : Object.assign(numbered, { logic })
}

const validation = (rules: RuleTree, more: Partial<ValidationRule> = {}): ValidationRule => ({
  id: 'val_1',
  rules,
  ...more,
})

const product = (id: string) => ({ id, object: 'product', type: 'product_or_sku' })
const sku = (id: string) => ({ id, object: 'sku', type: 'product_or_sku' })
const collection = (id: string) => ({ id, object: 'products_collection', type: 'products_collection' })

const holds = (rules: RuleTree | Rule, scope: EvaluationScope, options: RuleOptions = {}) =>
  evaluateRules([validation('name' in rules ? tree(null, rules as Rule) : rules)], scope, options).holds

const reasonOf = (rules: RuleTree, scope: EvaluationScope, options: RuleOptions = {}) =>
  evaluateRules([validation(rules)], scope, options).reason

/** Rules with a fixed result: the value of a key in the metadata of the redemption is "yes". */
const flags = (...values: boolean[]): Record<string, string> =>
  Object.fromEntries(values.map((value, i) => [`f${i + 1}`, value ? 'yes' : 'no']))
const flag = (number: number, more: Partial<Rule> = {}): Rule =>
  rule('redemption.metadata', { $is: ['yes'] }, { property: `f${number}`, ...more })

describe('logic', () => {
  const four = (logic: string | null) => tree(logic, flag(1), flag(2), flag(3), flag(4))
  test.each<[logic: string | null, values: [boolean, boolean, boolean, boolean], expected: boolean]>([
    ['1 or 2 and (3 or 4)', [false, true, false, true], true], // E1
    ['1 or 2 and (3 or 4)', [false, true, false, false], false],
    ['1 or 2 and (3 or 4)', [true, false, false, false], true],
    ['1 AND 2', [true, true, false, false], true], // 3 and 4 are not named, so they do not count
    ['1 and 2', [true, false, true, true], false],
    [null, [true, true, true, true], true],
    [null, [true, true, true, false], false],
    ['  ', [true, true, true, false], false],
  ])('%j with %j is %s', (logic, values, expected) => {
    expect(holds(four(logic), scopeOf({ metadata: flags(...values) }))).toBe(expected)
  })

  test('an empty tree always holds', () => {
    for (const rules of [{}, { logic: '' }, null, undefined])
      expect(holds({ ...rules } as RuleTree, scopeOf())).toBe(true)
    expect(evaluateRules([], scopeOf())).toEqual({ holds: true, reason: null, picked: [] })
    expect(evaluateRules([{ id: 'val_1', rules: null as never }], scopeOf()).holds).toBe(true)
  })

  test('E1: the reported rule is the first failed rule of the failed expression', () => {
    const named = (...numbers: number[]) => numbers.map((n) => flag(n, { error: { message: `rule ${n}` } }))
    const reported = (logic: string, ...values: boolean[]) =>
      reasonOf(tree(logic, ...named(1, 2, 3, 4)), scopeOf({ metadata: flags(...values) }))?.error?.message
    expect(reported('1 or 2 and (3 or 4)', false, true, false, false)).toBe('rule 1')
    expect(reported('1 and 2', true, false)).toBe('rule 2')
    expect(reported('2 and 1', false, false)).toBe('rule 2')
    expect(reported('(1 or 2) and 3', false, true, false)).toBe('rule 3') // rule 2 satisfies the alternative
    expect(reported('(1 or 2) and 3', false, false, true)).toBe('rule 1')
  })
})

describe('values', () => {
  const cart: OrderFacts = {
    items: [line('tea', 2, 800, { metadata: { color: 'red' } }), line('cup', 3, 500, { metadata: { color: 'blue' } })],
    metadata: { billing: { country: 'PL' }, tags: ['a', 'b'] },
  }
  const customer = { id: 'cust_1', segments: ['seg_A', 'seg_B'], loyalty_tiers: ['ltr_1'], metadata: { vip: true } }
  const caller = { user_login: 'ann@shop.example', api_key: 'app_1' }

  test.each<[name: string, conditions: Record<string, unknown>, expected: boolean | null, more?: Partial<Rule>]>([
    ['customer.segment', { $is: ['seg_B', 'seg_Z'] }, true],
    ['customer.segment', { $in: ['seg_Z'] }, false],
    ['customer.segment', { $is_not: ['seg_Z'] }, true],
    ['customer.segment', { $not_in: ['seg_Z', 'seg_A'] }, false],
    ['customer_segment', { $is: ['seg_A'] }, true],
    ['customer.loyalty.tier', { $is: ['ltr_1'] }, true],
    ['customer.loyalty_tier', { $is: ['ltr_2'] }, false],
    ['customer.metadata', { $is: [true] }, true, { property: 'vip' }],
    ['customer.metadata', { $is_not: ['x'] }, true, { property: 'nothing' }],
    ['order.amount', { $is: [3_100] }, true], // 2 × 8.00 + 3 × 5.00
    ['order.initial_amount', { $more_than_or_equal: [3_100] }, true],
    ['order.items.count', { $is: [5] }, true],
    ['order.items.price_any', { $more_than: [500] }, true],
    ['order.items.price_each', { $more_than: [500] }, false],
    ['order.items.price_each', { $more_than_or_equal: [500] }, true],
    ['order.items.metadata_any', { $is: ['blue'] }, true, { property: 'color' }],
    ['order.items.metadata_each', { $is: ['blue'] }, false, { property: 'color' }],
    ['order.items.metadata_each', { $in: ['blue', 'red'] }, true, { property: 'color' }],
    ['order.metadata', { $is: ['PL'] }, true, { property: 'billing.country' }],
    ['order.metadata', { $contains: ['a', 'b'] }, true, { property: 'tags' }],
    ['redemption.user.login', { $is: ['ann@shop.example'] }, true],
    ['redemption.api_key', { $in: ['app_2'] }, false],
    ['redemption.metadata', { $is: ['web'] }, true, { property: 'channel' }],
    ['order.total_amount', { $is: [3_100] }, null],
    ['redemption.reward.pay_with_points.points_used', { $less_than: [10] }, null],
    ['campaign.orders.amount_discounted', { $less_than: [10] }, null],
    ['redemption.gift.amount', { $less_than: [10] }, null],
    ['custom_event.metadata', { $is: ['x'] }, false, { property: 'channel' }], // no points are earned here
    ['order.weather', { $is: ['sunny'] }, false],
    ['constructor', {}, false],
  ])('%s %j is %s', (name, conditions, expected, more = {}) => {
    const scope = scopeOf({ order: cart, customer, caller, metadata: { channel: 'web' } })
    expect(holds(rule(name, conditions, more), scope)).toBe(expected)
  })

  test('an unknown price fails every condition, and lines of quantity 0 are ignored', () => {
    const order = { items: [line('tea', 1), line('gone', 0, 900)] }
    for (const name of ['order.items.price_any', 'order.items.price_each', 'order.items.price'])
      expect([name, holds(rule(name, { $is_not: [5] }), scopeOf({ order }))]).toEqual([name, false])
    expect(holds(rule('order.items.metadata_each', { $is_not: ['x'] }, { property: 'a' }), scopeOf({ order }))).toBe(
      true,
    )
    const gone = scopeOf({ order: { items: [line('gone', 0, 900)] } })
    expect(holds(rule('order.items.price_each', { $more_than: [5] }), gone)).toBe(false)
    expect(holds(rule('order.items.every', {}), gone)).toBe(false)
    // An amount for all units together gives the price of one.
    const priced = { items: [{ product_id: 'tea', quantity: 4, amount: 1_000 }] }
    expect(holds(rule('order.items.price_any', { $is: [250] }), scopeOf({ order: priced }))).toBe(true)
  })

  test('equality follows the type in the metadata schema', () => {
    const order = {
      items: [line('tea', 1, 1, { metadata: { best: '2025-03-01T10:00:00Z' } })],
      metadata: { at: '2025-03-01' },
    }
    const catalogue = { metadata_types: { order: { at: 'datetime' }, product: { best: 'datetime' } } } as const
    const at = rule('order.metadata', { $is: ['2025-03-01T00:00Z'] }, { property: 'at' })
    const best = rule('order.items.metadata', { $is: ['2025-03-01T11:00+01:00'] }, { property: 'best' })
    for (const one of [at, best]) {
      expect(holds(one, scopeOf({ order }))).toBe(false)
      expect(holds(one, scopeOf({ order, catalogue }))).toBe(true)
    }
  })
})

describe('amounts in a stack', () => {
  const coupon = tree(
    '1 and 2',
    rule('order.amount', { $more_than_or_equal: [11_000] }),
    rule('order.initial_amount', { $less_than: [13_000] }),
  )

  test('E4: order.amount is the amount to pay, order.initial_amount never changes', () => {
    const scope = scopeOf({ order: { amount: 12_000 } })
    expect(holds(coupon, scope)).toBe(true)
    discountOrder(scope.cart!, 1_500) // a gift card came first: 105.00
    expect(reasonOf(coupon, scope)?.key).toBe('order_rules_violated')
    expect(holds(rule('order.amount', { $is: [10_500] }), scope)).toBe(true)
    expect(holds(rule('order.initial_amount', { $is: [12_000] }), scope)).toBe(true)
  })

  test('E5: order.total_amount is unknown until the effect is calculated', () => {
    const floor = tree(null, rule('order.total_amount', { $more_than: [500] }))
    const scope = scopeOf({ order: { amount: 5_000 } })
    const after = (discount: number) => ({
      ...scope,
      effect: { total: 5_000 - discount, discount, credits: 0, points: 0 },
    })
    expect(evaluateRules([validation(floor)], scope)).toEqual({ holds: null, reason: null, picked: [] })
    expect(reasonOf(floor, after(4_600))?.key).toBe('order_rules_violated') // 4.00 left
    expect(holds(floor, after(4_400))).toBe(true) // 6.00
  })

  test('an unknown part does not matter when the other parts decide', () => {
    const late = rule('order.total_amount', { $more_than: [0] })
    const scope = (...values: boolean[]) => scopeOf({ order: { amount: 100 }, metadata: flags(...values) })
    const is = (logic: string, ...values: boolean[]) => holds(tree(logic, late, flag(1), flag(2)), scope(...values))
    expect(is('1 and 2', true)).toBeNull()
    expect(is('1 and 2', false)).toBe(false)
    expect(is('1 or 2', true)).toBe(true)
    expect(is('1 or 2', false)).toBeNull()
    expect(is('(1 or 2) and 3', false, false)).toBe(false)
    // With one undecided rule object and one failed one the result is false, and only the failed one is listed.
    const two = [validation(tree(null, late)), validation(tree(null, flag(1)), { id: 'val_2' })]
    expect(evaluateRules(two, scope(false)).reason?.details).toMatch(/: val_2$/)
    expect(evaluateRules(two, scope(true)).holds).toBeNull()
  })
})

describe('items', () => {
  // E6: the same product twice, and another one
  const order: OrderFacts = { items: [line('X', 1, 6_000), line('X', 3, 2_000), line('Y', 1, 100)] }
  const price = rule('order.items.price', { $more_than_or_equal: [5_000] })
  const quantity = rule('order.items.quantity', { $more_than_or_equal: [2] })
  const X = { $is: [product('X')] }

  test.each<[name: string, conditions: Record<string, unknown>, rules: RuleTree | null, expected: boolean]>([
    ['order.items.any', X, null, true],
    ['order.items.any', X, tree('1 and 2', price, quantity), false], // the first line fails 2, the second fails 1
    ['order.items.any', X, tree('1 or 2', price, quantity), true],
    ['order.items.any', X, tree('1', quantity), true],
    ['order.items.any', { $is: [product('Y')] }, tree('1', quantity), false],
    ['order.items.any', X, tree('1', rule('order.items.aggregated_quantity', { $is: [4] })), true],
    ['order.items.any', X, tree('1', rule('order.items.aggregated_quantity', { $is: [5] })), false],
    ['order.items.any', X, tree('1', rule('order.items.aggregated_amount', { $is: [12_000] })), true],
    ['order.items.any', {}, tree('1', rule('order.items.aggregated_amount', { $is: [12_100] })), true],
    ['order.items.any', { $in: [product('Z'), product('Y')] }, null, true],
    ['order.items.any', { $is: [product('Z')] }, null, false],
    ['order.items.any', { $is_not: [product('X'), product('Y')] }, null, false],
    ['order.items.any', { $not_in: [product('X')] }, tree('1', rule('order.items.price', { $is: [100] })), true],
    ['order.items.any', { $from: [product('Y')], $is: [product('X')] }, null, false],
    ['order.items.every', X, null, false], // because of Y
    ['order.items.every', { $is: [product('X'), product('Y')] }, null, true],
    ['order.items.every', {}, tree('1', rule('order.items.price', { $more_than: [99] })), true],
    ['order.items.every', {}, tree('1', rule('order.items.price', { $more_than: [100] })), false],
    ['order.items.none', X, null, false],
    ['order.items.none', { $is: [product('Z')] }, null, true],
    ['order.items.none', X, tree('1 and 2', price, quantity), true],
    ['order.items.none', X, tree('1', price), false],
    // Sub-rules of a sub-rule are evaluated on the same line.
    ['order.items.any', X, tree('1', { ...price, rules: tree('1', quantity) }), false],
    [
      'order.items.any',
      X,
      tree('1', { ...quantity, rules: tree('1', rule('order.items.price', { $is: [2_000] })) }),
      true,
    ],
    // Older spellings
    ['product.id', X, tree('1', rule('product.quantity', { $is: [3] })), true],
    ['product.id', { $is: ['X'] }, null, true],
    ['product.id', { $is: 'Z' }, null, false],
    ['product.id', { $is: [sku('X')] }, null, true], // the rule name determines the object type
    ['sku.id', X, null, false],
    ['product.id', X, tree('1', rule('sku.price', { $is: [6_000] })), true],
    // Without a parent they are sub-rules of `order.items.any`.
    ['order.items.quantity', { $is: [3] }, null, true],
    ['order.items.quantity', { $is: [4] }, null, false],
    ['order.items.aggregated_quantity', { $is: [5] }, null, true],
    ['order.items.aggregated_amount', { $is: [12_100] }, null, true],
  ])('%s %j %j is %s', (name, conditions, rules, expected) => {
    expect(holds(rule(name, conditions, { rules }), scopeOf({ order }))).toBe(expected)
  })

  test('E7: the cheapest line of a pool', () => {
    const order = { items: [line('tea', 1, 800), line('cup', 1, 500), line('spoon', 1, 500), line('bag', 1, 300)] }
    const members = ['tea', 'cup', 'spoon'].map((id) => ({ id, object: 'product' as const }))
    const scope = scopeOf({ order, catalogue: { collections: { pc_K: { type: 'STATIC', products: members } } } })
    const cheapest = (conditions: Record<string, unknown>) => holds(rule('order.items.cheapest', conditions), scope)
    expect(cheapest({ $from: [collection('pc_K')], $is: [product('cup')] })).toBe(true)
    expect(cheapest({ $is: [product('cup')] })).toBe(false)
    expect(cheapest({ $is: [product('bag')] })).toBe(true)
    expect(cheapest({ $from: [collection('pc_K')], $is: [product('tea')] })).toBe(false)
    expect(cheapest({ $from: [collection('pc_K')], $is_not: [product('cup'), product('spoon')] })).toBe(false)
    expect(cheapest({ $from: [collection('pc_none')] })).toBe(false) // nothing to choose from
    const dearest = (conditions: Record<string, unknown>, rules: RuleTree | null = null) =>
      holds(rule('order.items.most_expensive', conditions, { rules }), scope)
    expect(dearest({ $is: [product('tea')] })).toBe(true)
    expect(dearest({ $is: [product('cup')] })).toBe(false)
    expect(dearest({ $is_not: [product('tea')] })).toBe(false)
    expect(dearest({}, tree('1', rule('order.items.price', { $is: [800] })))).toBe(true)
    expect(dearest({}, tree('1', rule('order.items.quantity', { $is: [2] })))).toBe(false)
  })

  test('every cheapest line must satisfy the sub-rules; a line without a price is never cheapest', () => {
    const order = { items: [line('a', 1, 500), line('b', 2, 500), line('c', 1)] }
    const cheapest = (n: number) =>
      holds(
        rule(
          'order.items.cheapest',
          {},
          { rules: tree('1', rule('order.items.quantity', { $more_than_or_equal: [n] })) },
        ),
        scopeOf({ order }),
      )
    expect([cheapest(1), cheapest(2)]).toEqual([true, false])
    const sum = rule('order.items.aggregated_quantity', { $is: [3] })
    expect(holds(rule('order.items.cheapest', {}, { rules: tree('1', sum) }), scopeOf({ order }))).toBe(true)
  })

  test('sums use subtotals, include added units, and count an unknown amount as 0', () => {
    const scope = scopeOf({
      order: { items: [line('X', 2, 500), line('X', 1), { product_id: 'X', quantity: 0, amount: 900 }] },
    })
    discountLine(scope.cart!.lines[0]!, 300)
    const sum = (name: string, value: number) =>
      holds(rule('order.items.any', { $is: [product('X')] }, { rules: tree('1', rule(name, { $is: [value] })) }), scope)
    expect(sum('order.items.aggregated_amount', 700)).toBe(true)
    expect(sum('order.items.aggregated_quantity', 3)).toBe(true)
  })

  test('the type of a reference is its object, else its type, else the id prefix', () => {
    const of = (id: string, idOfSku?: string): ItemFacts => ({
      product_id: id,
      ...(idOfSku ? { sku_id: idOfSku } : {}),
    })
    const order = { items: [of('prod_1', 'sku_1'), { source_id: 'tea', related_object: 'product' as const }] }
    const any = (reference: unknown) => holds(rule('order.items.any', { $is: [reference] }), scopeOf({ order }))
    expect(any({ id: 'sku_1' })).toBe(true)
    expect(any({ id: 'prod_1', type: 'product_or_sku' })).toBe(true)
    expect(any({ id: 'prod_1', object: 'sku' })).toBe(false)
    expect(any({ id: 'tea', type: 'product_or_sku' })).toBe(true)
    expect(any({ id: 'other', source_id: 'tea', object: 'product' })).toBe(true)
    expect(any({ id: 'pc_a11pr0dUc75' })).toBe(true)
    expect(any({ id: 'tea', type: 'products_collection' })).toBe(false)
    expect(any({ id: 'tea', object: 'category' })).toBe(false)
  })

  describe('product metadata', () => {
    const tea = (quantity: number, metadata: Record<string, unknown>): ItemFacts => ({
      quantity,
      price: 100,
      sku_id: 'sku_1',
      metadata: { kind: 'of the line' },
      catalogue: { product: { id: 'prod_1', metadata }, sku: { id: 'sku_1', metadata: { kind: 'of the SKU' } } },
    })
    const order = { items: [tea(2, { kind: 'hot' }), tea(3, { kind: 'hot' }), tea(1, { kind: 'cold' })] }
    const of = (rules: RuleTree | null, value = 'hot') =>
      holds(rule('product.metadata', { $is: [value] }, { property: 'kind', rules }), scopeOf({ order }))
    test('picks lines by product metadata only', () => {
      expect(of(null)).toBe(true)
      expect(of(null, 'of the SKU')).toBe(false)
      expect(of(null, 'of the line')).toBe(false)
      expect(of(tree('1', rule('product.metadata.aggregated_quantity', { $is: [5] })))).toBe(true)
      expect(of(tree('1', rule('product.metadata.aggregated_amount', { $is: [500] })))).toBe(true)
    })
    test('match_all requires it of every line', () => {
      const all = (value: boolean) => tree('1', rule('product.metadata.match_all', { $is: [value] }))
      expect(of(all(true))).toBe(false)
      expect(of(all(false))).toBe(true)
      expect(of({ ...all(true), logic: '2', '2': rule('order.items.quantity') } as RuleTree)).toBe(true) // not named
    })
  })
})

describe('discount_applicable', () => {
  const order = { items: [line('X', 1, 6_000), line('Y', 1, 100), line('X', 1, 900), { source_id: 'z', price: 7_000 }] }
  const applicable = rule('product.discount_applicable', { $is: [true] })
  const dear = rule('product.price', { $more_than: [1_000] })
  const picked = (rules: RuleTree, given: OrderFacts = order) =>
    evaluateRules([validation(rules)], scopeOf({ order: given })).picked.map(
      ({ object, id, source_id, line_indices }) => ({
        object,
        id: id ?? source_id,
        lines: [...(line_indices ?? [])],
      }),
    )

  test('includes the picked lines on which the other sub-rules hold', () => {
    const any = (logic: string) =>
      tree(null, rule('product.id', { $is: ['X'] }, { rules: tree(logic, applicable, dear) }))
    expect(picked(any('1'))).toEqual([{ object: 'product', id: 'X', lines: [0, 2] }])
    expect(picked(any('1 and 2'))).toEqual([{ object: 'product', id: 'X', lines: [0] }])
    expect(picked(any('2'))).toEqual([])
  })

  test('includes nothing when it is false, or its rule fails', () => {
    const none = rule('product.discount_applicable', { $is: [false] })
    expect(picked(tree(null, rule('product.id', { $is: ['X'] }, { rules: tree('1', none) })))).toEqual([])
    const of = (name: string, goods: string[]) =>
      picked(tree('1 or 2', flagless, rule(name, { $is: goods.map(product) }, { rules: tree('1', applicable) })))
    const flagless = rule('order.items.count', { $more_than: [0] })
    expect(of('order.items.any', ['Q'])).toEqual([])
    expect(of('order.items.every', ['X'])).toEqual([])
    expect(of('order.items.none', ['Q'])).toEqual([])
    expect(of('order.items.any', ['Y'])).toEqual([{ object: 'product', id: 'Y', lines: [1] }]) // though 1 is enough
  })

  test('includes SKUs and goods that are not in the catalogue', () => {
    const given = {
      items: [
        { sku_id: 'sku_1', product_id: 'X', price: 1 },
        { source_id: 'z', price: 1 },
      ],
    }
    const any = tree(
      null,
      rule('order.items.any', {}, { rules: tree('1', rule('sku.discount_applicable', { $is: [true] })) }),
    )
    expect(picked(any, given)).toEqual([
      { object: 'sku', id: 'sku_1', lines: [0] },
      { object: 'product', id: 'z', lines: [1] },
    ])
  })

  test('creates its own entry: whole lines, and no other line of the same product', () => {
    const rules = tree(null, rule('product.id', { $is: ['X'] }, { rules: tree('1', applicable) }))
    expect(evaluateRules([validation(rules)], scopeOf({ order })).picked).toEqual([
      {
        object: 'product',
        id: 'X',
        source_id: null,
        strict: true,
        effect: 'APPLY_TO_EVERY',
        line_indices: new Set([0, 2]),
      },
    ])
  })

  test('includes nothing when the rules fail', () => {
    const rules = tree('1 and 2', rule('product.id', { $is: ['X'] }, { rules: tree('1', applicable) }), flag(1))
    expect(evaluateRules([validation(rules)], scopeOf({ order })).picked).toEqual([])
  })
})

describe('counters', () => {
  const customer = { id: 'cust_1' }

  test('E8: the current redemption is counted', () => {
    const once = tree(null, rule('redemption.count.per_customer', { $less_than_or_equal: [1] }))
    const after = (count: number) => scopeOf({ customer, counters: { 'redemption.count.per_customer': count } })
    expect(holds(once, scopeOf({ customer }))).toBe(true)
    expect(holds(once, after(0))).toBe(true)
    expect(reasonOf(once, after(1))?.key).toBe('redemption_rules_violated')
    expect(reasonOf(once, scopeOf())?.key).toBe('missing_customer')
  })

  test('E9: a weekly window', () => {
    const weekly = tree(null, rule('campaign.redemptions.count.weekly', { $less_than_or_equal: [2] }))
    const after = (count: number) => scopeOf({ counters: { 'campaign.redemptions.count.weekly': count } })
    expect([0, 1, 2].map((count) => holds(weekly, after(count)))).toEqual([true, true, false])
  })

  test.each([
    'campaign.redemptions.count',
    'campaign.redemptions.count.daily',
    'campaign.redemptions.count.weekly',
    'campaign.redemptions.count.monthly',
    'campaign.redemptions.customers_count',
    'campaign.redemptions.customers_count.daily',
    'campaign.redemptions.customers_count.weekly',
    'campaign.redemptions.customers_count.monthly',
    'redemption.count.daily',
    'redemption.count.weekly',
    'redemption.count.monthly',
    'redemption.count.per_customer',
    'redemption.count.per_customer.daily',
    'redemption.count.per_customer.weekly',
    'redemption.count.per_customer.monthly',
    'redemption.count.per_user',
    'redemption.count.per_api_key',
  ])('%s is the stored counter plus one', (name) => {
    const caller = { user_login: 'ann', api_key: 'app' }
    const scope = scopeOf({ customer, caller, counters: { [name]: 4, other: 9 } })
    expect(holds(rule(name, { $is: [5] }), scope)).toBe(true)
    expect(holds(rule(name, { $is: [4] }), scope)).toBe(false)
    expect(countersOf([validation(tree(null, rule(name, { $is: [5] })))])).toEqual(new Set([name]))
  })

  test('sums are the stored counter plus what this redemption adds', () => {
    const effect = { total: 700, discount: 300, credits: 20, points: 7 }
    const counters = {
      'campaign.orders.amount': 100,
      'campaign.orders.amount_discounted': 100,
      'redemption.gift.amount': 100,
    }
    const scope = scopeOf({ order: { amount: 1_000 }, counters, effect })
    discountOrder(scope.cart!, 250) // the amount of the order is that before discounts
    const is = (name: string, value: number) => holds(rule(name, { $is: [value] }), scope)
    expect(is('campaign.orders.amount', 1_100)).toBe(true)
    expect(is('campaign.orders.amount_discounted', 400)).toBe(true)
    expect(is('redemption.gift.amount', 120)).toBe(true)
    expect(is('redemption.reward.pay_with_points.points_used', 7)).toBe(true)
    expect(is('order.total_amount', 700)).toBe(true)
  })

  test('counters per caller fail without a caller', () => {
    for (const name of ['redemption.count.per_user', 'redemption.count.per_api_key', 'redemption.user.login'])
      expect([name, holds(rule(name, { $less_than: [9] }), scopeOf())]).toEqual([name, false])
  })

  test('countersOf lists only rules named by logic', () => {
    const rules = tree(
      '1 or 3',
      rule('redemption.count.daily', { $less_than: [5] }),
      rule('redemption.count.weekly', { $less_than: [5] }),
      rule('order.amount', { $less_than: [5] }),
    )
    const gift = tree(null, rule('redemption.gift.amount', { $less_than: [5] }))
    const items = tree(null, rule('order.items.any', {}), rule('order.items.price_any', {}), rule('order.weather', {}))
    expect(countersOf([validation(rules), validation(gift), validation(items)])).toEqual(
      new Set(['redemption.count.daily', 'redemption.gift.amount']),
    )
  })
})

test('only a holder may redeem when the rule requires it', () => {
  const linked = (value: boolean) => tree(null, rule('publication.redeemable_by_linked_customer', { $is: [value] }))
  const held = (...holders: string[]) => voucher('SPRING', amountOff(500), { holders })
  const customer = { id: 'cust_1' }
  expect(holds(linked(true), scopeOf({ customer, redeemable: held('cust_2', 'cust_1') }))).toBe(true)
  expect(holds(linked(true), scopeOf({ customer, redeemable: held('cust_2') }))).toBe(false)
  expect(holds(linked(true), scopeOf({ customer }))).toBe(false)
  expect(holds(linked(true), scopeOf({ customer, redeemable: { ...held(), holders: null } }))).toBe(false)
  expect(holds(linked(true), scopeOf({ customer, redeemable: tier('promo_1', amountOff(5)) }))).toBe(false)
  expect(reasonOf(linked(true), scopeOf({ redeemable: held('cust_1') }))?.key).toBe('missing_customer')
  expect(holds(linked(false), scopeOf())).toBe(true)
})

describe('reason of a refusal', () => {
  const members = rule('customer.segment', { $is: ['seg_A'] }, { error: { message: 'Members only' } })
  const dear = rule('order.amount', { $more_than: [900] })
  const eligible = validation(tree('1 and 2', members, dear), {
    id: 'val_7Hq2LmZ0pR3s',
    error: { message: 'Not eligible' },
  })

  test('E10: key and message of the reported rule, ids of all failed rules', () => {
    const scope = scopeOf({ order: { amount: 2_000 }, customer: { id: 'cust_1' } })
    expect(evaluateRules([eligible], scope).reason).toEqual({
      key: 'customer_rules_violated',
      message: 'customer does not match validation rules',
      details: 'Discount Coupon cannot be redeemed because of violated validation rules: val_7Hq2LmZ0pR3s',
      error: { message: 'Members only' },
    })
    const member = scopeOf({ order: { amount: 500 }, customer: { id: 'cust_1', segments: ['seg_A'] } })
    expect(evaluateRules([eligible], member).reason).toMatchObject({
      key: 'order_rules_violated',
      error: { message: 'Not eligible' },
    })
  })

  test('several rules: all must hold, the first failed rule gives the message, all failed rules are listed', () => {
    const [first, second, third] = [flag(1), flag(2), flag(3)].map((one, i) =>
      validation(tree(null, one), { id: `val_${i}` }),
    )
    const scope = scopeOf({ metadata: flags(true, false, false) })
    const all = [first!, { ...second!, error: { message: 'two' } }, third!, second!]
    expect(evaluateRules(all, scope).reason).toEqual({
      key: 'redemption_rules_violated',
      message: 'redemption does not match validation rules',
      details: 'Discount Coupon cannot be redeemed because of violated validation rules: val_1, val_2',
      error: { message: 'two' },
    })
    expect(evaluateRules([first!], scope)).toEqual({ holds: true, reason: null, picked: [] })
  })

  test.each<[redeemable: EvaluationScope['redeemable'], label: string]>([
    [voucher('A', amountOff(1)), 'Discount Coupon'],
    [giftCard('A', 1), 'Gift Card'],
    [loyaltyCard('A', 1), 'Loyalty Card'],
    [tier('A', amountOff(1)), 'Promotion Tier'],
  ])('the label of %j', (redeemable, label) => {
    expect(evaluateRules([validation(tree(null, flag(1)))], scopeOf({ redeemable })).reason?.details).toBe(
      `${label} cannot be redeemed because of violated validation rules: val_1`,
    )
  })

  test('the message is that of the rule, else of the nearest enclosing rule, else of the whole tree', () => {
    const order = { items: [line('X', 1, 100)] }
    const texts = (own: string | null, around: string | null, whole: string | null) => {
      const text = (message: string | null) => (message === null ? {} : { error: { message } })
      const quantity = rule('order.items.quantity', { $more_than: [5] }, text(own))
      const any = rule('order.items.any', { $is: [product('X')] }, { ...text(around), rules: tree('1', quantity) })
      return evaluateRules([validation(tree(null, any), text(whole))], scopeOf({ order })).reason?.error
    }
    expect(texts('own', 'around', 'whole')).toEqual({ message: 'own' })
    expect(texts(null, 'around', 'whole')).toEqual({ message: 'around' })
    expect(texts(null, null, 'whole')).toEqual({ message: 'whole' })
    expect(texts(null, null, null)).toBeUndefined()
  })

  test('a sub-rule is not reported when no line was picked, when none should be, or when another line passed', () => {
    const order = { items: [line('X', 1, 100), line('X', 9, 100)] }
    const quantity = rule('order.items.quantity', { $more_than: [5] }, { error: { message: 'too few' } })
    const text = (name: string, good: string, logic = '1') => {
      const items = rule(name, { $is: [product(good)] }, { rules: tree('1', quantity), error: { message: 'items' } })
      return reasonOf(tree(logic, items, flag(1, { error: { message: 'flag' } })), scopeOf({ order }))?.error?.message
    }
    expect(text('order.items.any', 'Z')).toBe('items')
    expect(text('order.items.none', 'X')).toBe('items')
    expect(text('order.items.every', 'X')).toBe('too few')
    expect(text('order.items.any', 'X', '1 and 2')).toBe('flag')
  })

  test.each<[name: string, order: OrderFacts | undefined, key: string, message: string]>([
    ['customer.segment', { amount: 5 }, 'missing_customer', 'Missing customer'],
    ['campaign.redemptions.customers_count', { amount: 5 }, 'missing_customer', 'Missing customer'],
    ['order.amount', undefined, 'missing_order', 'Missing order'],
    ['order.total_amount', undefined, 'missing_order', 'Missing order'],
    ['order.items.count', undefined, 'missing_order', 'Missing order'],
    ['order.items.any', undefined, 'missing_order', 'Missing order'],
    ['campaign.orders.amount', undefined, 'missing_order', 'Missing order'],
    ['order.amount', {}, 'missing_amount', 'Missing order amount'],
    ['order.initial_amount', { items: [{ product_id: 'X' }] }, 'missing_amount', 'Missing order amount'],
    ['order.total_amount', {}, 'missing_amount', 'Missing order amount'],
    ['campaign.orders.amount', {}, 'missing_amount', 'Missing order amount'],
    ['order.items.price_any', { amount: 5 }, 'missing_order_items', 'Missing order items'],
    ['order.items.none', { amount: 5 }, 'missing_order_items', 'Missing order items'],
    ['order.items.quantity', { amount: 5 }, 'missing_order_items', 'Missing order items'],
    ['product.id', { amount: 5 }, 'missing_order_items', 'Missing order items'],
    ['customer.metadata', { amount: 5 }, 'missing_customer', 'Missing customer'],
    ['customer.loyalty.tier', { amount: 5 }, 'missing_customer', 'Missing customer'],
    ['order.metadata', undefined, 'missing_order', 'Missing order'],
  ])('%s on %j: %s', (name, order, key, message) => {
    const conditions = /segment|tier/.test(name) ? { $is: ['a'] } : /\.(?:any|none|id)$/.test(name) ? {} : { $is: [1] }
    const given = validation(tree(null, rule(name, conditions, { property: 'a' })), { error: { message: 'own words' } })
    const { reason } = evaluateRules([given], scopeOf(order === undefined ? {} : { order }))
    expect(reason).toMatchObject({ key, message, error: { message: 'own words' } })
    expect(reason?.details).toBe(
      key === 'missing_customer'
        ? 'Customer is required to validate rules'
        : 'Discount Coupon cannot be redeemed because of violated validation rules: val_1',
    )
  })

  test('missing data does not matter when an alternative holds', () => {
    const rules = tree('1 or 2', rule('customer.segment', { $is: ['a'] }), flag(1))
    expect(holds(rules, scopeOf({ metadata: flags(true) }))).toBe(true)
    expect(reasonOf(rules, scopeOf({ metadata: flags(false) }))?.key).toBe('missing_customer')
  })
})

test.each<[where: Availability, names: string]>([
  ['redemption', 'customer order product redemption campaign publication'],
  ['earning.order', 'customer order product'],
  ['earning.customer', 'customer'],
  ['earning.event', 'customer custom_event'],
  ['distribution.order', 'customer order product'],
  ['distribution.event', 'customer custom_event'],
  ['reward_assignment', 'customer order product redemption campaign'],
])('domains available for %s: %s', (where, names) => {
  const rules = {
    customer: rule('customer.metadata', { $is_not: ['x'] }, { property: 'a' }),
    order: rule('order.items.count', { $is: [1] }),
    product: rule('product.id', { $is: ['X'] }),
    redemption: rule('redemption.metadata', { $is_not: ['x'] }, { property: 'a' }),
    campaign: rule('campaign.redemptions.count', { $is: [1] }),
    publication: rule('publication.redeemable_by_linked_customer', { $is: [false] }),
    custom_event: rule('custom_event.metadata', { $is: ['x'] }, { property: 'a' }),
  }
  const scope = scopeOf({ order: { items: [line('X', 1)] }, customer: {}, event_metadata: { a: 'x' } })
  const found = Object.entries(rules).filter(([, one]) => holds(one, scope, { available: where }))
  expect(found.map(([name]) => name).join(' ')).toBe(names)
})

describe('omitted rules', () => {
  const rules = validation(
    tree(
      '1 and (2 or 3)',
      rule('customer.segment', { $is: ['seg_A'] }),
      rule('campaign.redemptions.count', { $is: [0] }),
      rule('order.items.any', { $is: [product('X')] }),
    ),
  )
  const member = scopeOf({ customer: { segments: ['seg_A'] } })
  const omit = (name: string) => name.startsWith('campaign.')

  test('count as true, and are listed by key', () => {
    expect(evaluateRule(rules, member)).toMatchObject({ holds: false, reason: { key: 'redemption_rules_violated' } })
    expect(evaluateRule(rules, member, { omit })).toEqual({ holds: true, omitted: ['2'] })
    expect(evaluateRules([rules], member, { omit }).holds).toBe(true)
    expect(evaluateRule(rules, scopeOf(), { omit })).toMatchObject({
      holds: false,
      reason: { key: 'missing_customer' },
      omitted: ['2'],
    })
  })

  test('include rules without their order, but not rules without their customer', () => {
    const options = { omit, omit_missing_order: true }
    // All omitted rules are listed, even those that need no evaluation.
    expect(evaluateRule(rules, member, options)).toEqual({ holds: true, omitted: ['2', '3'] })
    expect(evaluateRule(rules, scopeOf(), options).holds).toBe(false)
    const scope = scopeOf({ customer: { segments: ['seg_A'] }, order: { items: [line('X', 1)] } })
    expect(evaluateRule(rules, scope, options)).toEqual({ holds: true, omitted: ['2'] })
    for (const name of ['order.amount', 'order.items.price_any'])
      expect(
        evaluateRule(validation(tree(null, rule(name, { $is: [1] }))), scopeOf({ order: {} }), {
          omit_missing_order: true,
        }),
      ).toEqual({ holds: true, omitted: ['1'] })
  })

  describe('include rules about goods of which the order has too few units', () => {
    const options = { omit_missing_units: true }
    const mugs = (...subRules: Rule[]) =>
      validation(
        tree(
          null,
          rule('order.items.any', { $is: [{ id: 'MUG', object: 'product' }] }, { rules: tree(null, ...subRules) }),
        ),
      )
    const quantity = (conditions: Record<string, unknown>) => rule('order.items.quantity', conditions)
    const total = (conditions: Record<string, unknown>) => rule('order.items.aggregated_quantity', conditions)
    const two = scopeOf({ order: { items: [line('MUG', 2), line('POT', 9)] } })

    test.each([
      [{ $more_than: [2] }, true],
      [{ $more_than_or_equal: [3] }, true],
      [{ $is: [3] }, true],
      [{ $in: [1, 5] }, true],
      [{ $is_not: [2] }, true],
      [{ $more_than: [2], $less_than: [6] }, true],
      [{ $less_than: [2] }, false],
      [{ $is: [1] }, false],
      [{ $more_than: [5], $less_than: [3] }, false],
    ])('a quantity of 2, required %j: %s', (conditions, isOmitted) => {
      for (const required of [quantity(conditions), total(conditions)]) {
        expect(evaluateRule(mugs(required), two).holds).toBe(false)
        expect(evaluateRule(mugs(required), two, options)).toMatchObject(
          isOmitted ? { holds: true, omitted: ['1'] } : { holds: false, omitted: [] },
        )
      }
    })

    test('only if nothing else fails, the goods are in the order, and no rule forbids them', () => {
      const many = quantity({ $more_than: [5] })
      const pots = scopeOf({ order: { items: [line('POT', 9)] } })
      expect(evaluateRule(mugs(many), pots, options)).toMatchObject({ holds: false, omitted: [] })
      const costly = rule('order.items.price', { $more_than: [1_000_000] })
      expect(evaluateRule(mugs(many, costly), two, options)).toMatchObject({ holds: false, omitted: [] })
      expect(evaluateRule(mugs(quantity({ $is: [2] })), two, options)).toEqual({ holds: true, omitted: [] })
      const none = validation(tree(null, rule('order.items.none', {}, { rules: tree(null, quantity({ $is: [2] })) })))
      expect(evaluateRule(none, two, options)).toMatchObject({ holds: false, omitted: [] })
    })
  })

  test('an alias is omitted by its canonical name', () => {
    const old = validation(tree(null, rule('customer_segment', { $is: ['seg_A'] })))
    expect(evaluateRule(old, scopeOf(), { omit: (name) => name === 'customer.segment' }).omitted).toEqual(['1'])
  })
})

describe('the trace', () => {
  const traced = (rules: RuleTree, scope: EvaluationScope, options: RuleOptions = {}) => {
    const trace: Step[] = []
    evaluateRules([validation(rules)], scope, { ...options, trace })
    return trace as RuleStep[]
  }

  test('has every rule named by logic once, with expected and actual value', () => {
    const rules = tree(
      '1 and (2 or 1) and 4',
      rule('order.amount', { $more_than: [900] }),
      rule('customer_segment', { $is: ['seg_A'] }),
      flag(3),
      rule('order.metadata', { $is: ['PL'] }, { property: 'country' }),
    )
    expect(traced(rules, scopeOf({ order: { amount: 500 } }))).toEqual([
      {
        step: 'rule',
        rule_id: 'val_1',
        key: '1',
        name: 'order.amount',
        expected: { $more_than: [900] },
        actual: 500,
        passed: false,
      },
      {
        step: 'rule',
        rule_id: 'val_1',
        key: '2',
        name: 'customer_segment',
        expected: { $is: ['seg_A'] },
        actual: [],
        passed: false,
      },
      {
        step: 'rule',
        rule_id: 'val_1',
        key: '4',
        name: 'order.metadata',
        property: 'country',
        expected: { $is: ['PL'] },
        actual: null,
        passed: false,
      },
    ])
  })

  test('has the picked lines, and the values of sub-rules on each', () => {
    const sub = tree(
      '1 and 2',
      rule('order.items.price', { $more_than: [5_000] }),
      rule('order.items.aggregated_quantity', { $is: [4] }),
    )
    const order = { items: [line('X', 1, 6_000), line('Y', 1, 10), line('X', 3, 2_000)] }
    const [step] = traced(
      tree(null, rule('order.items.any', { $is: [product('X')] }, { rules: sub })),
      scopeOf({ order }),
    )
    expect(step).toMatchObject({ name: 'order.items.any', actual: [0, 2], passed: true })
    expect(step!.rules).toMatchObject([
      {
        key: '1',
        name: 'order.items.price',
        expected: { $more_than: [5_000] },
        actual: [
          { line: 0, actual: 6_000, passed: true },
          { line: 2, actual: 2_000, passed: false },
        ],
        passed: true,
      },
      {
        key: '2',
        actual: [
          { line: 0, actual: 4, passed: true },
          { line: 2, actual: 4, passed: true },
        ],
        passed: true,
      },
    ])
    const [bare] = traced(tree(null, rule('order.items.quantity', { $is: [7] })), scopeOf({ order }))
    expect(bare).toMatchObject({ name: 'order.items.quantity', passed: false })
    expect(bare!.actual).toEqual([0, 1, 2].map((line) => ({ line, actual: [1, 1, 3][line], passed: false })))
  })

  test('has a modifier sub-rule as true', () => {
    const applicable = rule('product.discount_applicable', { $is: [true] })
    const any = tree(null, rule('order.items.any', {}, { rules: tree('1', applicable) }))
    const [step] = traced(any, scopeOf({ order: { items: [line('X', 1)] } }))
    expect(step!.rules).toMatchObject([{ actual: [{ line: 0, actual: true, passed: true }], passed: true }])
  })

  test('has null for an omitted or undecided rule', () => {
    const rules = tree('1 and 2', rule('order.total_amount', { $is: [1] }), flag(1))
    const steps = traced(rules, scopeOf({ order: { amount: 1 } }), { omit: (name) => name.startsWith('redemption') })
    expect(steps.map(({ passed }) => passed)).toEqual([null, null])
  })

  test('does not change the result', () => {
    const order = { items: [line('X', 1, 6_000), line('X', 3, 2_000), line('Y', 2, 50)] }
    const item = fc.constantFrom('X', 'Y', 'Z').map(product)
    const sub = fc.record({
      name: fc.constantFrom(
        'order.items.price',
        'order.items.quantity',
        'order.items.aggregated_quantity',
        'product.discount_applicable',
      ),
      conditions: fc.record({ $more_than: fc.constantFrom(1, 3, 100, 4_000).map((n) => [n]) }),
    })
    const leaf = fc.oneof(
      fc.integer({ min: 1, max: 4 }).map((n) => flag(n)),
      fc.constant(rule('order.total_amount', { $more_than: [5] })),
      fc.constant(rule('customer.segment', { $is: ['a'] })),
      fc
        .tuple(fc.constantFrom('any', 'every', 'none', 'cheapest'), item, fc.array(sub, { maxLength: 2 }))
        .map(([name, one, subs]) =>
          rule(
            `order.items.${name}`,
            { $is: [one] },
            { rules: tree(subs.length === 2 ? '1 or 2' : null, ...(subs as Rule[])) },
          ),
        ),
    )
    const logic = fc.constantFrom('1 and 2 or 3', '(1 or 2) and 3', '1 or 2 or 3', '1 and (2 or 3 and 1)')
    fc.assert(
      fc.property(
        fc.tuple(leaf, leaf, leaf),
        logic,
        fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
        (rules, logic, values) => {
          const numbered = rules.map((one, i) => ({ ...one, error: { message: `rule ${i + 1}` } }))
          const given = [validation(tree(logic, ...numbered)), validation(tree(null, flag(1)), { id: 'val_2' })]
          const scope = scopeOf({ order, metadata: flags(...values) })
          const plain = evaluateRules(given, scope)
          expect(evaluateRules(given, scope, { trace: [] })).toEqual(plain)
          expect(evaluateRule(given[0]!, scope).holds).toBe(evaluateRules([given[0]!], scope).holds)
        },
      ),
      { numRuns: 500 },
    )
  })
})
