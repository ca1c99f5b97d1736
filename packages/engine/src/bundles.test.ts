import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkBundleRules, findBundles } from './bundles.ts'
import { changeQuantity, openCart } from './cart.ts'
import type { EvaluationScope } from './evaluation-scope.ts'
import type { BundleRules, Catalogue, ItemFacts, ValidationRule } from './schema/index.ts'
import { clockAt } from './time/index.ts'
import { WorkMeter } from './work.ts'

const scope = (catalogue: Catalogue = {}): EvaluationScope => ({
  clock: clockAt('2025-02-26T12:00:00.000Z', 'UTC'),
  customer: null,
  caller: null,
  metadata: null,
  catalogue,
  cart: null,
  redeemable: null,
  event_metadata: null,
  counters: {},
  bundle_quantity: 0,
  work: new WorkMeter(),
  effect: null,
})

/** Demands a quantity of a good: `demand(2, 'product', 'tea')`. */
const demand = (quantity: number | null, object: string, id: string) => ({
  name: 'order.items.any',
  conditions: { $is: [{ id, object, type: object === 'products_collection' ? object : 'product_or_sku' }] },
  rules:
    quantity === null
      ? {}
      : { '1': { name: 'order.items.aggregated_quantity', conditions: { $is: [quantity] }, rules: {} }, logic: '1' },
})

const bundle = (limit: number | null, ...demands: unknown[]) =>
  ({ ...Object.fromEntries(demands.map((one, i) => [String(i + 1), one])), limit }) as BundleRules

const found = (bundleRules: BundleRules, items: ItemFacts[], catalogue: Catalogue = {}) =>
  findBundles([{ id: 'val_1', rules: {}, bundle_rules: bundleRules }], openCart({ items }), scope(catalogue))

const product = (productId: string, quantity: number): ItemFacts => ({ product_id: productId, quantity })
const sku = (skuId: string, productId: string, quantity: number): ItemFacts => ({
  sku_id: skuId,
  product_id: productId,
  quantity,
})

describe('E14', () => {
  const tea = (limit: number | null) => bundle(limit, demand(1, 'sku', 'tea-green'), demand(2, 'product', 'tea'))
  const lines = [sku('tea-green', 'tea', 3), sku('tea-black', 'tea', 3)]

  test('two bundles: the second takes the last green and all black; a third would need 9 units', () => {
    expect(found(tea(3), lines)).toEqual({
      quantity: 2,
      limit: 3,
      identified: [
        { id: 'tea-green', object: 'sku', item_index: 0, item_quantity: 3 },
        { id: 'tea-black', object: 'sku', item_index: 1, item_quantity: 3 },
      ],
    })
  })

  test('takes only the needed units within the limit, which defaults to 1', () => {
    for (const limit of [1, null])
      expect(found(tea(limit), lines)).toEqual({
        quantity: 1,
        limit: 1,
        identified: [{ id: 'tea-green', object: 'sku', item_index: 0, item_quantity: 3 }],
      })
  })

  test('units go to an SKU before its product, whatever the rule keys', () => {
    const turned = bundle(1, demand(2, 'product', 'tea'), demand(1, 'sku', 'tea-green'))
    expect(found(turned, [sku('tea-green', 'tea', 1), sku('tea-black', 'tea', 2)])?.quantity).toBe(1)
  })
})

describe('identified and missing units', () => {
  const collections: Catalogue['collections'] = {
    pc_hot: { type: 'STATIC', products: ['tea', 'coffee'].map((id) => ({ id, object: 'product' as const })) },
  }
  const breakfast = bundle(
    5,
    demand(2, 'products_collection', 'pc_hot'),
    demand(1, 'product', 'tea'),
    demand(null, 'product', 'bun'),
  )

  test('without a complete bundle: the units found for one bundle, and those missing', () => {
    expect(found(breakfast, [product('tea', 2), product('milk', 9)], { collections })).toEqual({
      quantity: 0,
      limit: 5,
      // One tea is allocated to the product, the other to the collection: the product comes first.
      identified: [{ id: 'tea', object: 'product', item_index: 0, item_quantity: 2 }],
      missing: [
        { id: 'bun', object: 'product', item_quantity: 1 },
        { id: 'pc_hot', object: 'products_collection', item_quantity: 1 },
      ],
    })
  })

  test('every unit counts once', () => {
    const lines = (tea: number, coffee: number, bun: number) => [
      product('tea', tea),
      product('coffee', coffee),
      product('bun', bun),
    ]
    const sets = (...quantities: [number, number, number]) =>
      found(breakfast, lines(...quantities), { collections })?.quantity
    expect(sets(1, 2, 1)).toBe(1)
    expect(sets(3, 0, 9)).toBe(1)
    expect(sets(2, 1, 1)).toBe(1)
    expect(sets(1, 1, 1)).toBe(0)
    expect(sets(2, 4, 2)).toBe(2)
    expect(sets(100, 100, 100)).toBe(5)
    expect(sets(1_000_000, 1_000_000_000, 4)).toBe(4)
  })

  test('units are those of the current order', () => {
    const cart = openCart({ items: [product('tea', 3)] })
    changeQuantity(cart, cart.lines[0]!, -2, null)
    const rules: ValidationRule[] = [{ id: 'val_1', rules: {}, bundle_rules: bundle(3, demand(1, 'product', 'tea')) }]
    expect(findBundles(rules, cart, scope())?.quantity).toBe(1)
    expect(findBundles(rules, null, scope())).toEqual({
      quantity: 0,
      limit: 3,
      identified: [],
      missing: [{ id: 'tea', object: 'product', item_quantity: 1 }],
    })
  })

  test('the rule with the fewest bundles is the result', () => {
    const of = (...bundles: Array<BundleRules | null>) =>
      findBundles(
        bundles.map((bundleRules, i) => ({ id: `val_${i}`, rules: {}, bundle_rules: bundleRules })),
        openCart({ items: [product('tea', 6)] }),
        scope(),
      )
    const [two, three] = [bundle(9, demand(2, 'product', 'tea')), bundle(8, demand(3, 'product', 'tea'))]
    expect(of(two, three)).toMatchObject({ quantity: 2, limit: 8 })
    expect(of(two, null, bundle(1, demand(1, 'product', 'cake')))).toMatchObject({ quantity: 0, limit: 1 })
    expect(of(null, {})).toBeNull()
  })

  test('the binary search agrees with trying every number of bundles', () => {
    const goods = ['a', 'b', 'c']
    const line = fc.tuple(fc.constantFrom(...goods), fc.integer({ min: 0, max: 9 }))
    const one = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.subarray(goods, { minLength: 1 }))
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.array(one, { minLength: 1, maxLength: 3 }), (lines, demands) => {
        const kinds = Object.fromEntries(
          demands.map(([, ids], i) => [
            `pc_${i}`,
            { type: 'STATIC' as const, products: ids.map((id) => ({ id, object: 'product' as const })) },
          ]),
        )
        const rules = bundle(20, ...demands.map(([quantity], i) => demand(quantity, 'products_collection', `pc_${i}`)))
        const { quantity, identified } = found(
          rules,
          lines.map(([id, n]) => product(id, n)),
          { collections: kinds },
        )!
        expect(quantity).toBe(tried(lines, demands))
        if (quantity > 0) {
          const taken = identified.reduce((sum, { item_quantity }) => sum + item_quantity, 0)
          expect(taken).toBe(quantity * demands.reduce((sum, [units]) => sum + units, 0))
        }
      }),
      { numRuns: 500 },
    )
  })
})

/** Reference implementation: tries 1 bundle, 2 bundles, … until one more does not fit. */
function tried(
  lines: ReadonlyArray<[id: string, quantity: number]>,
  demands: ReadonlyArray<[quantity: number, ids: string[]]>,
): number {
  let sets = 0
  for (let k = 1; k <= 20; k += 1) {
    const units = lines.flatMap(([id, quantity]) => Array<string>(quantity).fill(id))
    const works = demands.every(([quantity, ids]) =>
      Array.from({ length: quantity * k }).every(() => {
        const at = units.findIndex((id) => ids.includes(id))
        if (at >= 0) units.splice(at, 1)
        return at >= 0
      }),
    )
    if (works) sets = k
  }
  return sets
}

describe('faults', () => {
  const tea = demand(2, 'product', 'tea')
  test.each<[rules: unknown, ...faults: string[]]>([
    [null],
    [{}],
    [{ limit: null, logic: '' }],
    [bundle(100, tea, demand(null, 'products_collection', 'pc_1'))],
    [{ '1': tea, '2': tea, logic: '1 and 2' }],
    [{ '1': { ...tea, rules: { '1': { name: 'order.items.aggregated_quantity', conditions: { $is: 2 } } } } }],
    [Object.fromEntries(Array.from({ length: 100 }, (_, n) => [n, tea]))],
    [7, 'Bundle rules must be an object'],
    [
      { '1': { ...tea, rules: { ...tea.rules, '2': tea.rules['1'] } } },
      "Bundle rule '1' must have one sub-rule 'order.items.aggregated_quantity' with a number from 1",
    ],
    [bundle(0, tea), "Bundle rules must have a 'limit' from 1 to 100"],
    [bundle(101, tea), "Bundle rules must have a 'limit' from 1 to 100"],
    [bundle(1.5, tea), "Bundle rules must have a 'limit' from 1 to 100"],
    [{ '1': { ...tea, name: 'order.items.every' } }, "Bundle rule '1' must be 'order.items.any'"],
    [{ '1': null }, "Bundle rule '1' must be 'order.items.any'"],
    [
      { '1': { ...tea, conditions: { $is: [{ id: 'a' }, { id: 'b' }] } } },
      "Bundle rule '1' must have one product, SKU or collection as argument for '$is'",
    ],
    [
      { '1': { ...tea, conditions: { $in: [{ id: 'a' }] } } },
      "Bundle rule '1' must have one product, SKU or collection as argument for '$is'",
    ],
    [
      { '1': { ...tea, rules: { '1': { name: 'order.items.quantity', conditions: { $is: [2] } } } } },
      "Bundle rule '1' must have one sub-rule 'order.items.aggregated_quantity' with a number from 1",
    ],
    [
      bundle(1, demand(0, 'product', 'tea')),
      "Bundle rule '1' must have one sub-rule 'order.items.aggregated_quantity' with a number from 1",
    ],
    [{ '1': tea, logic: '1 and 2' }, "Property 'logic' names rule '2', which does not exist"],
    [{ '1': tea, logic: '1 and' }, "Property 'logic' expects a rule or a parenthesis at position 5"],
    [{ '1': tea, logic: 1 }, "Property 'logic' must be a string at position 0"],
    [Object.fromEntries(Array.from({ length: 101 }, (_, n) => [n, tea])), 'Bundle rules must not be more than 100'],
  ])('%j', (rules, ...faults) => {
    expect(checkBundleRules(rules)).toEqual(faults)
  })

  test('faulty bundle rules are never met', () => {
    const broken = { '1': tea, '2': { name: 'order.weather' } } as BundleRules
    expect(found(broken, [product('tea', 9)])?.quantity).toBe(0)
  })

  test('arbitrary JSON never throws', () => {
    const rule = fc.record({
      name: fc.constantFrom('order.items.any', 'x'),
      conditions: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant({ $is: [{ id: 'tea', object: 'product' }] })),
      rules: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(tea.rules)),
    })
    const rules = fc.dictionary(
      fc.constantFrom('1', '2', 'limit', 'logic', '__proto__'),
      fc.oneof(rule, fc.jsonValue({ maxDepth: 1 })),
    )
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), rules), (given) => {
        const faults = checkBundleRules(given)
        const result = findBundles(
          [{ id: 'val_1', rules: {}, bundle_rules: given as BundleRules }],
          openCart({ items: [product('tea', 3)] }),
          scope(),
        )
        if (result !== null && faults.length > 0) expect(result.quantity).toBe(0)
      }),
      { numRuns: 1_000 },
    )
  })
})
