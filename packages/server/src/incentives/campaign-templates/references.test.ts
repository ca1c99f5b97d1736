import { expect, test } from 'vitest'
import type { Ctx } from '../../core/context.ts'
import { rulesNaming } from '../../rules/validation-rules/referencing.ts'
import { newProject } from '../../testing/app.ts'
import { renamedFilter, renamedRule } from './references.ts'

const items = (kind: string, conditions: object) => ({ rules: { '1': { name: `order.items.${kind}`, conditions } } })
const covers = (entry: object) => ({ applicable_to: { included: [entry] } })
const bundle = (reference: object) => ({
  bundle_rules: {
    '1': {
      name: 'order.items.any',
      conditions: { $is: [reference] },
      rules: { '1': { name: 'order.items.aggregated_quantity', conditions: { $is: [1] } } },
    },
  },
})
const one = (name: string, conditions: object, more: object = {}) => ({ rules: { '1': { name, conditions, ...more } } })

/** Texts that occur in the rules below, with the kinds of object that they could reference. */
const candidates = [
  ['product', 'prod_tea'],
  ['product', 'tea'],
  ['sku', 'sku_green'],
  ['sku', 'tea'],
  ['products_collection', 'pc_1'],
  ['products_collection', 'tea'],
  ['segment', 'seg_1'],
] as const

const bodies = [
  items('any', { $is: [{ id: 'prod_tea', object: 'product' }] }),
  items('every', { $in: [{ id: 'tea' }, { id: 'pc_1' }] }),
  items('none', { $not_in: [{ id: null, source_id: 'tea', object: 'sku' }] }),
  items('cheapest', { $from: [{ id: 'tea', type: 'products_collection' }] }),
  items('most_expensive', { $is_not: [{ id: 'sku_x', source_id: 'tea' }] }),
  items('any', { $is: [{ id: 'prod_x', source_id: 'tea', product_id: 'prod_tea' }] }),
  items('any', { $is: [{ id: 'sku_green' }, { id: 'seg_1', object: 'product' }] }),
  one('product.id', { $is: 'tea', $not_in: [{ id: 'prod_tea' }] }),
  one('sku.id', { $in: ['tea', { source_id: 'sku_green' }] }),
  one('customer.segment', { $is: 'seg_1' }),
  one('customer_segment', { $not_in: ['seg_0', 'seg_1'] }),
  one('order.metadata', { $is: ['prod_tea'] }, { property: 'tea' }),
  one('product.metadata', { $is: ['tea'] }, { property: 'kind' }),
  covers({ object: 'product', id: 'tea' }),
  covers({ object: 'sku', id: 'sku_green', product_id: 'prod_tea' }),
  covers({ object: 'products_collection', id: 'pc_1' }),
  bundle({ id: 'tea' }),
  bundle({ id: 'pc_1', object: 'products_collection' }),
  { name: 'tea', error: { message: 'prod_tea' } },
]

test('renamedRule visits the same references that rulesNaming finds in SQL', async () => {
  const shop = await newProject()
  const ctx = { db: shop.service.runtime.database.db, project_id: shop.project_id } as Ctx
  const named = new Map<string, Set<string>>()
  for (const body of bodies) {
    const { status, body: created } = await shop.call('POST', '/v1/validation-rules', body)
    expect(status, JSON.stringify(created)).toBe(200)
    const { body: rule } = await shop.call('GET', `/v1/validation-rules/${created.id}`)
    const names = new Set<string>()
    const renamed = renamedRule(rule, (name, objects) => {
      for (const object of objects) names.add(`${object} ${name}`)
      return name
    })
    expect(renamed).toEqual(rule)
    named.set(rule.id, names)
  }
  for (const [object, name] of candidates) {
    const { ids } = await rulesNaming(ctx, object, [name])
    const found = [...named].filter(([, names]) => names.has(`${object} ${name}`)).map(([id]) => id)
    expect(found.sort(), `${object} ${name}`).toEqual(ids)
    expect(ids.length, `${object} ${name}`).toBeGreaterThan(0)
  }
})

test('location ids in a filter are replaced in every notation of a list, and nothing else is', () => {
  const filter = (town: string) => ({
    junction: 'and',
    'metadata.home': { conditions: { $in_location: [town, 'loc_b'] } },
    'metadata.work': { conditions: { $not_in_location: town } },
    'metadata.park': { conditions: { $in_location: { 0: 'loc_b', 1: town } } },
    name: { conditions: { $is: ['loc_a'] } },
  })
  expect(renamedFilter(filter('loc_a'), (name) => (name === 'loc_a' ? 'loc_new' : name))).toEqual(filter('loc_new'))
})
