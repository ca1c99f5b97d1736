import { describe, expect, test } from 'vitest'
import { findProject } from '../../core/db/project.ts'
import type { Project } from '../../core/db/project-row.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { asRequest, runAsyncActions } from '../../testing/background.ts'
import { importSkus } from '../skus/import.ts'
import { bulkUpdateProductMetadata, bulkUpdateProducts } from './bulk.ts'
import { importProducts } from './import.ts'
import { overrideGoods } from './override.ts'

/** A shop whose products require a brand and may have a stock, stores from a list and a geopoint. */
async function describedShop(): Promise<Shop> {
  const shop = await newProject()
  const definition = { type: 'string', array: false, optional: true }
  const answer = await shop.manage('POST', '/metadata-schemas', {
    related_object: 'product',
    properties: {
      brand: { ...definition, optional: false, eq: ['Acme', 'Emca'] },
      stock: { ...definition, type: 'number' },
      stores: { ...definition, array: true },
      place: { ...definition, type: 'geopoint' },
    },
  })
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 })
  return shop
}

const product = async (shop: Shop, key: string) => (await shop.call('GET', `/v1/products/${key}?hide=sku`)).body

const noBrand =
  "brand: must be a string, property is required, must be equal to one of Acme,Emca (actual value is 'undefined')"
const badStock = "stock: must be a number (actual value is '3')"

/** The two objects that the schema `product` applies to. */
const nouns: Array<[noun: string, create: string, update: string]> = [
  ['a product', '/v1/products', '/v1/products/x'],
  ['an SKU', '/v1/products/mug/skus', '/v1/products/mug/skus/x'],
]

describe.each(nouns)('the schema `product` is enforced for %s', (_, create, update) => {
  async function shopWithMug() {
    const shop = await describedShop()
    await shop.call('POST', '/v1/products', { source_id: 'mug', metadata: { brand: 'Acme' } })
    return shop
  }

  test('creation requires all required keys and valid values', async () => {
    const shop = await shopWithMug()
    const cases: Array<[body: object, details: string]> = [
      [{}, noBrand],
      [{ metadata: null }, noBrand],
      [{ metadata: { stock: '3' } }, `${noBrand}; ${badStock}`],
      [{ metadata: { brand: 'Acme', stock: '3' } }, badStock],
    ]
    for (const [body, details] of cases)
      expect(await shop.call('POST', create, { source_id: 'x', ...body })).toMatchObject({
        status: 400,
        body: { key: 'metadata_validation_failed', message: 'Metadata validation failed', details },
      })
    expect(await shop.call('PUT', update, {})).toMatchObject({ status: 404 })
    expect(
      await shop.call('POST', create, { source_id: 'x', metadata: { brand: 'Emca', stock: 3, else: [1] } }),
    ).toMatchObject({ status: 200, body: { metadata: { brand: 'Emca', stock: 3, else: [1] } } })
  })

  test('an update may omit required keys but not clear them; a refused update changes nothing', async () => {
    const shop = await shopWithMug()
    const { body: before } = await shop.call('POST', create, { source_id: 'x', metadata: { brand: 'Acme' } })
    for (const [method, path] of [
      ['POST', create],
      ['PUT', update],
    ] as const) {
      for (const metadata of [{ brand: null }, { stock: '3' }, { stores: 'S1' }])
        expect(await shop.call(method, path, { source_id: 'x', price: 99, metadata })).toMatchObject({
          status: 400,
          body: { key: 'metadata_validation_failed' },
        })
      expect(await shop.call(method, path, { source_id: 'x', id: before.id, metadata: [] })).toMatchObject({
        status: 400,
        body: { key: 'invalid_payload' },
      })
    }
    expect(await shop.call('POST', create, { id: before.id, metadata: { brand: null } })).toMatchObject({ status: 400 })
    const { body: after } = await shop.call('PUT', update, { metadata: { stores: [] } })
    expect(after).toEqual({ ...before, metadata: { brand: 'Acme', stores: [] }, updated_at: expect.any(String) })
  })
})

test('bulk updates check each product separately', async () => {
  const shop = await describedShop()
  await shop.call('POST', '/v1/products', { source_id: 'mug', metadata: { brand: 'Acme' } })
  const started = [
    await shop.call('POST', '/v1/products/bulk/async', [
      { source_id: 'mug', metadata: { stock: 1 } },
      { source_id: 'new', metadata: { stock: 1 } },
      { source_id: 'fine', metadata: { brand: 'Acme' } },
      { source_id: 'mug', metadata: { stock: '3' } },
    ]),
    await shop.call('POST', '/v1/products/metadata/async', { source_ids: ['mug', 'other'], metadata: { stock: 2 } }),
  ]
  await runAsyncActions(shop.service.runtime, shop.project_id, [bulkUpdateProducts, bulkUpdateProductMetadata])
  const results = []
  for (const { body } of started)
    results.push((await shop.call('GET', `/v1/async-actions/${body.async_action_id}`)).body.result)
  const failed = { key: 'metadata_validation_failed', message: 'Metadata validation failed' }
  expect(results[0].errors).toEqual([
    { ...failed, source_id: 'new', details: noBrand },
    { ...failed, source_id: 'mug', details: badStock },
  ])
  expect(results[1].errors).toEqual([{ ...failed, details: noBrand }])
  expect(await product(shop, 'mug')).toMatchObject({ metadata: { brand: 'Acme', stock: 2 } })
  expect(await product(shop, 'new')).toMatchObject({ key: 'not_found' })
})

test('CSV cells are parsed by the types of the schema; metadata that is not written is not checked', async () => {
  const shop = await describedShop()
  const file = (csv: string) =>
    `--fence\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${csv}\r\n--fence--\r\n`
  const headers = { 'content-type': 'multipart/form-data; boundary=fence' }
  const run = async (noun: string, csv: string) => {
    const { body } = await shop.call('POST', `/v1/${noun}/importCSV`, file(csv), headers)
    await runAsyncActions(shop.service.runtime, shop.project_id, [importProducts, importSkus])
    return (await shop.call('GET', `/v1/async-actions/${body.async_action_id}`)).body.result
  }
  const cells = 'Acme,3,"S1, S2",yes'
  const products = await run(
    'products',
    `name,source_id,brand,stock,stores,note\nMug,mug,${cells}\nCup,cup,,1,,\nTea,tea,Acme,many,,\nPot,mug,,many,,\n`,
  )
  expect(products).toMatchObject({ done_count: 2, failed_count: 2 })
  expect(products.failed).toEqual([
    { source_id: 'cup', row: 2, reason: noBrand },
    { source_id: 'tea', row: 3, reason: "stock: must be a number (actual value is 'many')" },
  ])
  const metadata = { brand: 'Acme', stock: 3, stores: ['S1', 'S2'], note: 'yes' }
  expect(await product(shop, 'mug')).toMatchObject({ name: 'Pot', metadata })

  const skus = await run(
    'skus',
    `product_id,source_id,price,brand,stock,stores,note\nmug,blue,1,${cells}\nmug,red,1,,,,\nmug,blue,2,,many,,\n`,
  )
  expect(skus).toMatchObject({ done_count: 2, failed: [{ row: 2, reason: noBrand }] })
  expect((await shop.call('GET', '/v1/skus/blue')).body).toMatchObject({ price: 2, metadata })
})

test('order overrides are checked against the schema too', async () => {
  const shop = await describedShop()
  await shop.call('POST', '/v1/products', { source_id: 'mug', metadata: { brand: 'Acme' } })
  const { runtime } = shop.service
  const project = (await findProject(runtime.database.db, shop.project_id)) as Project
  const override = (products: object[], skus: object[] = []) =>
    asRequest(runtime, project, (ctx) =>
      overrideGoods(ctx, { products: [], skus: [] }, { products, skus } as Parameters<typeof overrideGoods>[2]),
    )
  const refused = { key: 'metadata_validation_failed' }
  await expect(override([{ key: 'new', price: 1 }])).rejects.toMatchObject(refused)
  await expect(override([{ key: 'mug', metadata: { stock: '3' } }])).rejects.toMatchObject(refused)
  await expect(override([], [{ key: 'blue', product_key: 'mug' }])).rejects.toMatchObject(refused)
  await override(
    [
      { key: 'mug', metadata: { stock: 3 } },
      { key: 'new', metadata: { brand: 'Emca' } },
    ],
    [{ key: 'blue', product_key: 'new', metadata: { brand: 'Emca' } }],
  )
  expect(await product(shop, 'mug')).toMatchObject({ metadata: { brand: 'Acme', stock: 3 } })
})

test('lists filter metadata by its type, including geopoints', async () => {
  const shop = await describedShop()
  const near = { brand: 'Acme', place: 'geo:52.2400,21.0300', stock: 9 }
  const far = { brand: 'Acme', place: '52.2550, 21.0500', stock: 10 }
  await shop.call('POST', '/v1/products', { source_id: 'near', metadata: near })
  await shop.call('POST', '/v1/products', { source_id: 'far', metadata: far })
  await shop.call('POST', '/v1/products/near/skus', { source_id: 'sku-near', metadata: near })
  await shop.call('POST', '/v1/products/near/skus', { source_id: 'sku-far', metadata: far })
  const { body: location } = await shop.call('POST', '/v1/locations', {
    name: 'Centre',
    shape: { type: 'circle', format: 'distance', distance: { center: 'geo:52.2297,21.0122', radius: '2 km' } },
  })
  expect(location.id, JSON.stringify(location)).toBeDefined()
  const found = async (list: string, query: string): Promise<string[]> => {
    const { body } = await shop.call('GET', `${list}?${query}`)
    return (body.products ?? body.skus).map((one: { source_id: string }) => one.source_id)
  }
  const inside = `filters[metadata.place][conditions][$in_location]=${location.id}`
  expect(await found('/v1/products', inside)).toEqual(['near'])
  expect(await found('/v1/products/near/skus', inside)).toEqual(['sku-near'])
  expect(await found('/v1/products', 'filters[metadata.stock][conditions][$more_than]=9')).toEqual(['far'])
})
