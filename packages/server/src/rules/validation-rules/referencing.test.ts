import { expect, test } from 'vitest'
import type { Ctx } from '../../core/context.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { type NamedObject, rulesNaming } from './referencing.ts'

const named = (shop: Shop, object: NamedObject, ...ids: string[]) =>
  rulesNaming({ db: shop.service.runtime.database.db, project_id: shop.project_id } as Ctx, object, ids)

async function newRule(shop: Shop, body: object): Promise<string> {
  const { status, body: rule } = await shop.call('POST', '/v1/validation-rules', body)
  expect({ status, rule }).toMatchObject({ status: 200 })
  return rule.id
}

/** A product `prod_tea` with the source id `tea`, and its SKU `sku_green` with the source id `green`. */
async function newShop(): Promise<Shop> {
  const shop = await newProject()
  const { db } = shop.service.runtime.database
  const more = { project_id: shop.project_id, metadata: '{}', created_at: new Date().toISOString() }
  await db
    .insertInto('products')
    .values({ ...more, id: 'prod_tea', source_id: 'tea', attributes: '[]' })
    .execute()
  await db
    .insertInto('skus')
    .values({ ...more, id: 'sku_green', source_id: 'green', product_id: 'prod_tea', attributes: '{}' })
    .execute()
  return shop
}

const items = (kind: string, conditions: object) => ({ rules: { '1': { name: `order.items.${kind}`, conditions } } })
const covers = (entry: object) => ({ applicable_to: { included: [entry] } })
const leavesOut = (entry: object) => ({ applicable_to: { excluded: [entry] } })
const bundle = (reference: object) => ({
  bundle_rules: { '1': { name: 'order.items.any', conditions: { $is: [reference] } } },
})
const other = { id: 'prod_other', object: 'product' }

/** Each of these references the object. */
const naming: Array<[object: NamedObject, id: string, body: object]> = [
  ['product', 'prod_tea', items('any', { $is: [other, { id: 'prod_tea', object: 'product' }] })],
  ['product', 'prod_tea', items('every', { $in: [{ id: 'prod_tea', object: 'product' }] })],
  ['product', 'prod_tea', items('none', { $is_not: [{ id: 'prod_tea', object: 'product' }] })],
  ['product', 'prod_tea', items('cheapest', { $is: [other], $from: [{ id: 'prod_tea', object: 'product' }] })],
  ['product', 'prod_tea', items('most_expensive', { $not_in: [{ id: 'prod_tea', object: 'product' }] })],
  ['product', 'prod_tea', items('any', { $is: [{ id: 'tea', object: 'product' }] })],
  ['product', 'prod_tea', items('any', { $is: [{ source_id: 'tea', object: 'product' }] })],
  ['product', 'prod_tea', items('any', { $is: [{ id: 'prod_other', source_id: 'tea', object: 'product' }] })],
  ['product', 'prod_tea', items('any', { $is: [{ id: 'prod_tea' }] })],
  ['product', 'prod_tea', items('any', { $is: [{ id: 'prod_tea', type: 'product_or_sku', object: null }] })],
  ['product', 'prod_tea', items('any', { $is: [{ id: 'tea' }] })],
  ['product', 'prod_tea', items('any', { $is: [{ id: null, source_id: 'tea' }] })],
  ['product', 'prod_tea', { rules: { '1': { name: 'product.id', conditions: { $is: 'prod_tea' } } } }],
  ['product', 'prod_tea', { rules: { '1': { name: 'product.id', conditions: { $not_in: ['x', 'tea'] } } } }],
  ['product', 'prod_tea', { rules: { '1': { name: 'product.id', conditions: { $is: [{ id: 'prod_tea' }] } } } }],
  ['product', 'prod_tea', { rules: { '1': { name: 'product.id', conditions: { $is: [{ source_id: 'tea' }] } } } }],
  ['product', 'prod_tea', covers({ object: 'product', id: 'tea' })],
  ['product', 'prod_tea', leavesOut({ object: 'product', id: 'prod_tea' })],
  ['product', 'prod_tea', bundle({ id: 'prod_tea', object: 'product' })],
  ['product', 'prod_tea', bundle({ id: 'tea' })],
  ['sku', 'sku_green', items('any', { $is: [{ id: 'sku_green', object: 'sku' }] })],
  ['sku', 'sku_green', items('any', { $is: [{ id: 'sku_green' }] })],
  ['sku', 'sku_green', items('any', { $from: [{ source_id: 'green' }] })],
  ['sku', 'sku_green', { rules: { '1': { name: 'sku.id', conditions: { $is: ['green'] } } } }],
  ['sku', 'sku_green', covers({ object: 'sku', source_id: 'green' })],
  ['sku', 'sku_green', bundle({ id: 'green', object: 'sku' })],
  ['products_collection', 'pc_1', items('any', { $is: [{ id: 'pc_1', object: 'products_collection' }] })],
  ['products_collection', 'pc_1', items('cheapest', { $from: [{ id: 'pc_1' }] })],
  ['products_collection', 'pc_1', items('any', { $is: [{ id: 'pc_1', type: 'products_collection' }] })],
  ['products_collection', 'pc_1', covers({ object: 'products_collection', id: 'pc_1' })],
  ['products_collection', 'pc_1', leavesOut({ object: 'products_collection', id: 'pc_1' })],
  ['products_collection', 'pc_1', bundle({ id: 'pc_1', type: 'products_collection' })],
  ['segment', 'seg_1', { rules: { '1': { name: 'customer.segment', conditions: { $is: 'seg_1' } } } }],
  ['segment', 'seg_1', { rules: { '1': { name: 'customer_segment', conditions: { $not_in: ['seg_0', 'seg_1'] } } } }],
  // Also if the logic does not use the rule: an update may use it again.
  [
    'segment',
    'seg_1',
    {
      rules: {
        '1': { name: 'order.amount' },
        vip: { name: 'customer.segment', conditions: { $is: ['seg_1'] } },
        logic: '1',
      },
    },
  ],
]

/** Each of these contains the same text, but not as a reference to that object. */
const others: Array<[object: NamedObject, id: string, body: object]> = [
  ['product', 'prod_tea', { name: 'prod_tea', error: { message: 'prod_tea' } }],
  [
    'product',
    'prod_tea',
    { rules: { '1': { name: 'order.metadata', property: 'gift', conditions: { $is: ['prod_tea'] } } } },
  ],
  ['product', 'prod_tea', { rules: { '1': { name: 'redemption.api_key', conditions: { $is: ['tea'] } } } }],
  [
    'product',
    'prod_tea',
    {
      rules: {
        '1': {
          name: 'order.items.any',
          conditions: { $is: [other] },
          rules: { '1': { name: 'order.items.metadata', property: 'with', conditions: { $is: ['prod_tea'] } } },
          error: { message: 'tea' },
        },
      },
    },
  ],
  [
    'product',
    'prod_tea',
    { rules: { '1': { name: 'product.metadata', property: 'kind', conditions: { $is: ['tea'] } } } },
  ],
  ['product', 'prod_tea', { rules: { tea: { name: 'order.amount', conditions: { $is: [1] } } } }],
  ['product', 'prod_tea', items('any', { $is: [{ ...other, name: 'tea', product_id: 'prod_tea' }] })],
  ['product', 'prod_tea', covers({ object: 'product', id: 'cup', price_formula: '1' })],
  // Another kind of object with that name.
  ['product', 'prod_tea', items('any', { $is: [{ id: 'tea', object: 'sku' }] })],
  ['product', 'prod_tea', items('any', { $is: [{ id: 'sku_x', source_id: 'tea' }] })],
  ['product', 'prod_tea', items('any', { $is: [{ id: 'tea', type: 'products_collection' }] })],
  ['product', 'prod_tea', { rules: { '1': { name: 'sku.id', conditions: { $is: ['tea'] } } } }],
  ['product', 'prod_tea', covers({ object: 'sku', id: 'sku_green' })], // its product, which is not referenced itself
  ['product', 'prod_tea', covers({ object: 'products_collection', id: 'tea' })],
  ['product', 'prod_tea', bundle({ id: 'tea', object: 'sku' })],
  ['sku', 'sku_green', items('any', { $is: [{ id: 'prod_x', source_id: 'green' }] })],
  ['sku', 'sku_green', { rules: { '1': { name: 'product.id', conditions: { $is: ['green'] } } } }],
  ['products_collection', 'pc_1', items('any', { $is: [{ id: 'pc_1', object: 'product' }] })],
  ['segment', 'seg_1', { rules: { '1': { name: 'customer.loyalty.tier', conditions: { $is: ['seg_1'] } } } }],
  [
    'segment',
    'seg_1',
    { rules: { '1': { name: 'customer.metadata', property: 'segment', conditions: { $is: ['seg_1'] } } } },
  ],
  ['segment', 'seg_1', covers({ object: 'product', id: 'seg_1' })],
]

test.each<[object: NamedObject, id: string]>([
  ['product', 'prod_tea'],
  ['sku', 'sku_green'],
  ['products_collection', 'pc_1'],
  ['segment', 'seg_1'],
])('finds exactly the rules that reference the %s %s, not those that only contain its text', async (object, id) => {
  const shop = await newShop()
  const bodies = new Map<string, object>()
  const isAbout = ([of]: [NamedObject, string, object]) => of === object
  for (const [, , body] of [...naming.filter(isAbout), ...others.filter(isAbout)])
    bodies.set(await newRule(shop, body), body)

  for (const ids of [[id], ['unknown', id]]) {
    const found = await named(shop, object, ...ids)
    const expected = naming.filter(isAbout).map(([, , body]) => body)
    expect(found.ids.map((rule) => bodies.get(rule))).toEqual(expect.arrayContaining(expected))
    expect(found).toMatchObject({ ids: { length: expected.length }, total: expected.length })
  }
  for (const [stranger, ...ids] of [[shop, 'unknown'], [shop], [await newProject(), id]] as Array<[Shop, ...string[]]>)
    expect(await named(stranger, object, ...ids)).toEqual({ ids: [], total: 0 })
})

test('sub-rules contain no references, so they are not searched', async () => {
  const shop = await newShop()
  for (const sub of [
    { name: 'product.id', conditions: { $is: ['prod_tea'] } },
    { name: 'order.items.any', conditions: { $is: [other] } },
    { name: 'customer.segment', conditions: { $is: ['seg_1'] } },
  ])
    expect(
      await shop.call('POST', '/v1/validation-rules', {
        rules: { '1': { name: 'order.items.any', conditions: { $is: [other] }, rules: { '1': sub } } },
      }),
    ).toMatchObject({ status: 400, body: { key: 'invalid_validation_rules' } })
})

test('every rule counts once; the oldest are listed, a hundred at most', async () => {
  const shop = await newShop()
  const body = {
    ...items('any', { $is: [{ id: 'prod_tea' }, { id: 'tea' }] }),
    ...covers({ object: 'product', id: 'tea' }),
    ...bundle({ id: 'tea' }),
  }
  const [first, second] = [await newRule(shop, body), await newRule(shop, { name: 'Another' })]
  const { db } = shop.service.runtime.database
  const row = await db
    .selectFrom('validation_rules')
    .where('id', '=', first as `val_${string}`)
    .where('project_id', '=', shop.project_id)
    .selectAll()
    .executeTakeFirstOrThrow()
  const json = Object.fromEntries(
    (['rules', 'bundle_rules', 'applicable_to'] as const).map((column) => [column, JSON.stringify(row[column])]),
  ) as Record<'rules' | 'bundle_rules' | 'applicable_to', string>
  const copies = Array.from({ length: 119 }, (_, n) => `val_zzzzzzzzz${String(n).padStart(3, '0')}` as const)
  await db
    .insertInto('validation_rules')
    .values(copies.map((id) => ({ ...row, ...json, error: null, id })))
    .execute()
  expect(await named(shop, 'product', 'prod_tea', 'tea')).toEqual({ ids: [first, ...copies.slice(0, 99)], total: 120 })
  expect((await named(shop, 'product', 'prod_tea')).ids).not.toContain(second)
})
