import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openCart } from '../cart.ts'
import type { EvaluationScope } from '../evaluation-scope.ts'
import type { RuleTree, ValidationRule } from '../schema/index.ts'
import { cpuTimeOf } from '../testing/cpu-time.ts'
import { clockAt } from '../time/index.ts'
import { WorkMeter } from '../work.ts'
import { checkRules, countersOf, evaluateRule, evaluateRules } from './index.ts'

const amount = { name: 'order.amount', conditions: { $more_than: [700] } }
const count = { name: 'order.items.count', conditions: { $less_than: [9] }, rules: {} }
const tea = { id: 'prod_tea', object: 'product' }
const any = (rules: unknown) => ({ name: 'order.items.any', conditions: { $is: [tea] }, rules })
const quantity = (rules?: unknown) => ({ name: 'order.items.quantity', conditions: { $is: [1] }, rules })

const scope: EvaluationScope = {
  clock: clockAt('2025-02-26T11:00:00.000Z', 'Europe/Warsaw'),
  customer: { id: 'cust_1', segments: ['a'], metadata: { a: 'x' } },
  caller: { user_login: 'ann', api_key: 'app' },
  metadata: { a: 'x' },
  catalogue: {},
  cart: openCart({ items: [{ product_id: 'prod_tea', quantity: 1, price: 900 }], metadata: { a: 'x' } }),
  redeemable: null,
  event_metadata: null,
  counters: {},
  bundle_quantity: 0,
  get work() {
    return new WorkMeter()
  },
  effect: null,
}

describe('valid definitions', () => {
  test.each<[rules: unknown]>([
    [undefined],
    [null],
    [{}],
    [{ logic: '' }],
    [{ '1': amount, '2': count }], // E2
    [{ '1': amount, '2': count, logic: ' 2  AND 1 ' }],
    [{ vip: { name: 'customer_segment', conditions: { $is: 'seg_A' } }, logic: 'vip' }],
    [{ '1': amount, '2': count, logic: '1' }],
    [{ '1': { ...amount, error: { message: 'Too little' } } }],
    [{ '1': { ...amount, error: null, rules: null, property: null } }],
    [{ '1': any({ '1': quantity({ '1': quantity({ '1': quantity() }) }) }) }], // four levels
    [{ '1': { name: 'product.id', conditions: { $is: ['prod_1'] }, rules: { '1': { name: 'sku.price' } } } }],
    [{ '1': { name: 'order.metadata', property: 'tags', conditions: { $not_differ: [] } } }],
    [{ '1': quantity() }],
    [{ '1': { name: 'product.id', conditions: { $is: Array(1_000).fill('p') } } }],
    [Object.fromEntries(Array.from({ length: 500 }, (_, n) => [n, amount]))],
    [{ '1': { name: 'order.items.cheapest', conditions: { $from: [tea], $not_in: [tea] } } }],
  ])('%j', (rules) => {
    expect(checkRules(rules)).toEqual([])
  })
})

describe('faults', () => {
  test.each<[rules: unknown, ...faults: string[]]>([
    [7, 'Rules must be an object'],
    [[], 'Rules must be an object'],
    [{ '1': null }, "Rule '1' must be an object"],
    [{ '1': {} }, "Rule '1' is not a known rule"],
    [{ '1': { name: 'order.weather' } }, "Rule 'order.weather' is not a known rule"],
    [{ '1': { name: 'constructor' } }, "Rule 'constructor' is not a known rule"],
    [{ '1': { name: 'redemption.count' } }, "Rule 'redemption.count' is not a known rule"],
    [{ '1': { name: 'order.amuont' } }, "Rule 'order.amuont' is not a known rule. Did you mean 'order.amount'?"],
    [
      { '1': { name: 'customer.segments' } },
      "Rule 'customer.segments' is not a known rule. Did you mean 'customer.segment'?",
    ],
    // E3
    [{ '1': { name: 'order.metadata', conditions: { $is: ['a'] } } }, "Rule 'order.metadata' must have a 'property'"],
    [{ '1': amount, '2': count, logic: '1 and 3' }, "Property 'logic' names rule '3', which does not exist"],
    [{ '1': { name: 'customer.metadata', property: '' } }, "Rule 'customer.metadata' must have a 'property'"],
    [{ '1': { name: 'order.items.metadata_each' } }, "Rule 'order.items.metadata_each' must have a 'property'"],
    [{ '1': { name: 'redemption.metadata' } }, "Rule 'redemption.metadata' must have a 'property'"],
    [{ '1': { name: 'custom_event.metadata' } }, "Rule 'custom_event.metadata' must have a 'property'"],
    [{ '1': { name: 'order.items.metadata_any' } }, "Rule 'order.items.metadata_any' must have a 'property'"],
    [{ '1': { name: 'product.metadata' } }, "Rule 'product.metadata' must have a 'property'"],
    [{ '1': any({ '1': { name: 'order.items.metadata' } }) }, "Rule 'order.items.metadata' must have a 'property'"],
    [{ '1': amount, logic: '1 and' }, "Property 'logic' expects a rule or a parenthesis at position 5"],
    [{ '1': amount, logic: 1 }, "Property 'logic' must be a string"],
    [{ logic: '1' }, "Property 'logic' names rule '1', which does not exist"],
    [{ '1': amount, logic: '1 and __proto__' }, "Property 'logic' names rule '__proto__', which does not exist"],
    [
      { 'a b': amount, '1': amount, logic: '1' },
      "Rule key 'a b' must be a word without parentheses, and neither 'and' nor 'or'",
    ],
    [
      { AND: amount, '1': amount, logic: '1' },
      "Rule key 'AND' must be a word without parentheses, and neither 'and' nor 'or'",
    ],
    [{ '1': { ...amount, conditions: [] } }, "Rule 'order.amount' must have an object in 'conditions'"],
    [{ '1': { ...amount, error: 'no' } }, "Rule 'order.amount' must have a text in 'error.message'"],
    [{ '1': { ...amount, conditions: { $like: [1] } } }, "Rule 'order.amount' has an unknown operator '$like'"],
    [
      { '1': { ...amount, conditions: { $moreThan: [1] } } },
      "Rule 'order.amount' has an unknown operator '$moreThan'. Did you mean '$more_than'?",
    ],
    [
      { '1': { name: 'order.items.any', conditions: { $is_nott: [tea] } } },
      "Rule 'order.items.any' has an unknown operator '$is_nott'. Did you mean '$is_not'?",
    ],
    [{ '1': { ...amount, conditions: { $from: [tea] } } }, "Rule 'order.amount' has an unknown operator '$from'"],
    [
      { '1': { ...amount, conditions: { $is: ['much'] } } },
      "Rule 'order.amount' must have numbers as arguments for '$is'",
    ],
    [{ '1': { ...amount, conditions: { $is: [] } } }, "Rule 'order.amount' must have an argument for '$is'"],
    [
      { '1': { ...amount, rules: { '1': count } } },
      "Rule 'order.items.count' is not allowed under 'order.amount'",
      "Rule 'order.amount' must not have sub-rules",
    ],
    [{ '1': any({ '1': amount }) }, "Rule 'order.amount' is not allowed under 'order.items.any'"],
    [{ '1': any({ '1': any({}) }) }, "Rule 'order.items.any' is not allowed under 'order.items.any'"],
    [{ '1': any({ '1': quantity(), logic: '2' }) }, "Property 'logic' names rule '2', which does not exist"],
    [
      { '1': { name: 'product.discount_applicable', conditions: { $is: [true] } } },
      "Rule 'product.discount_applicable' is only allowed under another rule",
    ],
    [
      { '1': any({ '1': quantity({ '1': quantity({ '1': quantity({ '1': quantity() }) }) }) }) },
      'Rules must not be nested in more than 4 levels',
    ],
    [
      { '1': { name: 'order.items.any', conditions: { $is: ['prod_tea'] } } },
      "Rule 'order.items.any' must have products, SKUs or collections as arguments for '$is'",
    ],
    [
      { '1': { name: 'order.items.any', conditions: { $is: tea } } },
      "Rule 'order.items.any' must have an array of arguments for '$is'",
    ],
    [
      { '1': { name: 'order.items.any', conditions: { $from: [] } } },
      "Rule 'order.items.any' must have an argument for '$from'",
    ],
    [
      { '1': { name: 'order.items.any', conditions: { $more_than: [5] } } },
      "Rule 'order.items.any' has an unknown operator '$more_than'",
    ],
    [
      { '1': { name: 'product.id', conditions: { $is: Array(1_001).fill('p') } } },
      "Rule 'product.id' must not have more than 1000 arguments for '$is'",
    ],
    [Object.fromEntries(Array.from({ length: 501 }, (_, n) => [n, amount])), 'Rules must not be more than 500'],
  ])('%j', (rules, ...faults) => {
    expect(checkRules(rules)).toEqual(faults)
  })

  test('a property that a schema declares as geopoint is refused', () => {
    const home = { '1': { name: 'customer.metadata', property: 'home', conditions: { $is: ['geo:1,2'] } } }
    const spot = { '1': { name: 'order.items.metadata_any', property: 'spot', conditions: { $is: ['geo:1,2'] } } }
    const metadataTypes = { customer: { home: 'geopoint' }, product: { spot: 'geopoint' } } as const
    expect(checkRules(home)).toEqual([])
    expect(checkRules(home, { metadata_types: metadataTypes })).toEqual([
      "Rule 'customer.metadata' must not have a geopoint as 'property'",
    ])
    expect(checkRules(spot, { metadata_types: metadataTypes })).toEqual([
      "Rule 'order.items.metadata_any' must not have a geopoint as 'property'",
    ])
  })
})

describe('an unchecked faulty rule', () => {
  const holds = (rules: unknown) => evaluateRules([{ id: 'val_1', rules: rules as RuleTree }], scope).holds
  test('is false only in its faulty part', () => {
    expect(holds({ '1': amount })).toBe(true)
    expect(holds({ '1': amount, '2': { name: 'order.weather' }, logic: '1 or 2' })).toBe(true)
    expect(holds({ '1': amount, '2': { name: 'order.weather' } })).toBe(false)
    expect(holds({ '1': amount, '2': 'rule', logic: '2' })).toBe(false)
    expect(holds({ '1': amount, logic: '1 and 2' })).toBe(false)
    expect(holds({ '1': amount, logic: '1 or 2' })).toBe(true)
    expect(holds({ '1': amount, logic: '1 or (' })).toBe(false)
    expect(holds({ '1': { ...amount, conditions: { $more_than: 'x' } } })).toBe(false)
    expect(holds({ '1': { ...amount, rules: { '1': count } } })).toBe(false)
    expect(holds('rules')).toBe(false)
  })
})

describe('any JSON', () => {
  const names = [
    'customer.segment',
    'customer.metadata',
    'order.amount',
    'order.total_amount',
    'order.items.count',
    'order.items.price_each',
    'order.items.metadata_any',
    'order.items.any',
    'order.items.cheapest',
    'order.items.none',
    'order.items.quantity',
    'order.items.aggregated_amount',
    'product.id',
    'product.metadata',
    'product.metadata.match_all',
    'product.discount_applicable',
    'redemption.count.per_customer',
    'publication.redeemable_by_linked_customer',
    'custom_event.metadata',
    '__proto__',
  ]
  const operators = [
    '$is',
    '$in',
    '$not_in',
    '$from',
    '$more_than',
    '$contains',
    '$not_differ',
    '$count',
    '$dow',
    '$timeframe',
    '$after',
    '__proto__',
  ]
  const argument = fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom('a', 5, true, '2025-01-01', '2025-01-06;P2D;PT3H', tea, { id: 'pc_x' }),
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.jsonValue({ maxDepth: 2 }),
      fc
        .tuple(
          fc.dictionary(fc.constantFrom('1', '2', '3', 'and', '__proto__'), tie('rule'), { maxKeys: 4 }),
          tie('logic'),
        )
        .map(([rules, logic]) => (logic === null ? rules : { ...(rules as object), logic })),
    ),
    logic: fc.oneof(fc.constantFrom(null, '1', '1 or 2', '1 and (2 or 3)', '(', 7), fc.string()),
    rule: fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.record(
        {
          name: fc.oneof(
            { weight: 9, arbitrary: fc.constantFrom(...names) },
            { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
          ),
          property: fc.oneof(fc.constant('a'), fc.jsonValue({ maxDepth: 1 })),
          conditions: fc.oneof(
            fc.dictionary(fc.constantFrom(...operators), fc.oneof(argument, fc.array(argument, { maxLength: 3 })), {
              maxKeys: 2,
            }),
            fc.jsonValue({ maxDepth: 1 }),
          ),
          error: fc.oneof(fc.constant({ message: 'no' }), fc.jsonValue({ maxDepth: 1 })),
          rules: tie('tree'),
        },
        { requiredKeys: ['name'] },
      ),
    ),
  }))

  test('gives faults or a rule, never an exception, and evaluates with and without an order', () => {
    fc.assert(
      fc.property(tree, (rules) => {
        const faults = checkRules(rules)
        expect(faults.every((fault) => typeof fault === 'string' && fault !== '')).toBe(true)
        const rule = { id: 'val_1', rules, error: rules } as unknown as ValidationRule
        countersOf([rule])
        const empty = { ...scope, cart: null, customer: null, caller: null, metadata: null }
        for (const given of [scope, empty, { ...scope, cart: openCart({}) }]) {
          const { holds, reason } = evaluateRules([rule], given)
          expect(holds === false).toBe(reason !== null)
          expect(evaluateRules([rule], given, { trace: [] }).holds).toBe(holds)
          expect(evaluateRule(rule, given).holds).toBe(holds)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('is checked in bounded time even if malicious', () => {
    const milliseconds = cpuTimeOf(malicious)
    expect(milliseconds).toBeLessThan(2_000) // about 100
  })

  function malicious(): void {
    checkRules({ '1': amount, logic: '('.repeat(1_000_000) })
    checkRules({ '1': amount, logic: '1 and '.repeat(800) })
    checkRules(Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, amount])))
    checkRules({ '1': { name: 'product.id', conditions: { $is: Array(300_000).fill('p') } } })
    checkRules({ '1': { ...amount, conditions: { $is: Array(300_000).fill(1) } } })
    let deep: unknown = quantity()
    for (let i = 0; i < 5_000; i += 1) deep = quantity({ '1': deep })
    expect(checkRules({ '1': deep })).toEqual(['Rules must not be nested in more than 4 levels'])
    const many = { name: 'order.metadata', property: 'a', conditions: { $contains: Array(1_000).fill('x') } }
    const big = { ...scope, cart: openCart({ metadata: { a: Array(10_000).fill('y') } }) }
    evaluateRules([{ id: 'val_1', rules: { '1': many } }], big)
  }
})
