import { describe, expect, test } from 'vitest'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { runAsyncActions } from '../../testing/background.ts'
import { importSkus } from '../skus/import.ts'
import { bulkUpdateProductMetadata, bulkUpdateProducts } from './bulk.ts'
import { importProducts } from './import.ts'

/** Uploads a CSV file, runs the import and returns the result of its async action. */
async function importCsv(shop: Shop, noun: 'products' | 'skus', csv: string) {
  const body = `--fence\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${csv}\r\n--fence--\r\n`
  const headers = { 'content-type': 'multipart/form-data; boundary=fence' }
  const { status, body: started } = await shop.call('POST', `/v1/${noun}/importCSV`, body, headers)
  expect(status, JSON.stringify(started)).toBe(200)
  return run(shop, started)
}

async function runBulk(shop: Shop, path: string, body: unknown) {
  const { status, body: started } = await shop.call('POST', `/v1/products/${path}`, body)
  expect(status, JSON.stringify(started)).toBe(202)
  return run(shop, started)
}

async function run(shop: Shop, started: { async_action_id: string }) {
  expect(started).toMatchObject({ async_action_id: expect.stringMatching(/^aa_[0-9a-f]{18}$/) })
  const actions = [importProducts, importSkus, bulkUpdateProducts, bulkUpdateProductMetadata]
  await runAsyncActions(shop.service.runtime, shop.project_id, actions)
  return (await shop.call('GET', `/v1/async-actions/${started.async_action_id}`)).body
}

const product = async (shop: Shop, key: string) => (await shop.call('GET', `/v1/products/${key}?hide=sku`)).body
const sku = async (shop: Shop, key: string) => (await shop.call('GET', `/v1/skus/${key}`)).body
const post = async (shop: Shop, path: string, body: object) => {
  const answer = await shop.call('POST', path, body)
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 })
  return answer.body
}
const total = async (shop: Shop) => (await shop.call('GET', '/v1/products?limit=1')).body.total

describe('POST /v1/products/importCSV', () => {
  test('reads the documented headers, and every other column as metadata', async () => {
    const shop = await newProject()
    const action = await importCsv(
      shop,
      'products',
      'Name,source_id,PRICE,attributes,image_url,Brand\n' +
        'Mug,mug,1250,"color, size",https://shop.example/mug.png,Acme\n' +
        '"Cup, ""small""",,,,,\n' +
        'Tea,tea,0,,,\n',
    )
    expect(action).toMatchObject({
      type: 'PRODUCTS.IMPORT_CSV',
      status: 'DONE',
      operation_status: 'SUCCESS',
      result: { message: '3 product(s) imported successfully, 0 failed.', failed: [], done_count: 3, failed_count: 0 },
    })
    expect(await product(shop, 'mug')).toMatchObject({
      id: expect.stringMatching(/^prod_[0-9a-f]{18}$/),
      name: 'Mug',
      price: 1250,
      attributes: ['color', 'size'],
      image_url: 'https://shop.example/mug.png',
      metadata: { Brand: 'Acme' },
      updated_at: null,
    })
    expect(await product(shop, 'tea')).toMatchObject({ price: 0, attributes: [], image_url: null, metadata: {} })
    const { body } = await shop.call('GET', '/v1/products?filters[name][conditions][$starts_with]=Cup')
    expect(body.products).toMatchObject([{ name: 'Cup, "small"', source_id: null, price: null }])
  })

  test('only the name of a known product is updated, also when the file contains it twice', async () => {
    const shop = await newProject()
    const mug = await post(shop, '/v1/products', { source_id: 'mug', name: 'Mug', price: 5, metadata: { a: 1 } })
    const { result } = await importCsv(
      shop,
      'products',
      'name,source_id,price,attributes,b\nCup,mug,9,x,2\nNew,new,1,y,3\nNewer,new,2,z,4\nNewest,new,,,\n',
    )
    expect(result).toMatchObject({ done_count: 4, failed_count: 0 })
    expect(await product(shop, 'mug')).toEqual({ ...mug, name: 'Cup', updated_at: expect.any(String) })
    expect(await product(shop, 'new')).toMatchObject({
      name: 'Newest',
      price: 1,
      attributes: ['y'],
      metadata: { b: '3' },
      updated_at: expect.any(String),
    })
    expect(await total(shop)).toBe(3)
  })

  test('an invalid row fails alone and is reported by its source id', async () => {
    const shop = await newProject()
    await post(shop, '/v1/products', { source_id: 'gone' })
    await shop.call('DELETE', '/v1/products/gone')
    const action = await importCsv(
      shop,
      'products',
      [
        'source_id,name,price',
        'a,First,1',
        'b,,2',
        'c,Third,12.50',
        'd,Fourth,-1',
        'gone,Fifth,5',
        '5h1pp1ng,Sixth,6',
        `e,${'n'.repeat(256)},7`,
        ',Eighth,9007199254740993',
        'f,Ninth,9',
        '',
      ].join('\n'),
    )
    expect(action).toMatchObject({ status: 'DONE', operation_status: 'FAILED' })
    expect(action.result).toEqual({
      message: '2 product(s) imported successfully, 7 failed.',
      done_count: 2,
      failed_count: 7,
      failed: [
        { source_id: 'b', row: 2, reason: 'Column name must not be empty' },
        {
          source_id: 'c',
          row: 3,
          reason: 'Property .price must be integer: amounts are in minor units, so 12.5 is sent as 1250',
        },
        { source_id: 'd', row: 4, reason: 'Property .price must be >= 0' },
        { source_id: 'gone', row: 5, reason: 'Duplicated product exists with source_id gone' },
        {
          source_id: '5h1pp1ng',
          row: 6,
          reason: 'Resource product with id 5h1pp1ng is built in and cannot be changed',
        },
        { source_id: 'e', row: 7, reason: 'Property .name must NOT have more than 255 characters' },
        { row: 8, reason: 'Property .price must be <= 9007199254740991' },
      ],
    })
    expect(await product(shop, 'f')).toMatchObject({ name: 'Ninth' })
    expect(await product(shop, '5h1pp1ng')).toMatchObject({ name: 'Shipping' })
    expect(await total(shop)).toBe(3)
  })

  test('a file without the column `name` fails as a whole', async () => {
    const shop = await newProject()
    expect(await importCsv(shop, 'products', 'source_id,price\nmug,1\n')).toMatchObject({
      status: 'FAILED',
      result: { message: "The header row has no column 'name'" },
    })
    expect(await total(shop)).toBe(1)
  })

  test('a file larger than one step is imported completely, each row once', async () => {
    const shop = await newProject()
    const rows = Array.from({ length: 1_203 }, (_, index) => `Product ${index},p${index % 1_201},${index}`)
    const { result } = await importCsv(shop, 'products', `name,source_id,price\n${rows.join('\n')}`)
    expect(result).toMatchObject({ done_count: 1_203, failed_count: 0 })
    expect(await total(shop)).toBe(1_202)
    expect(await product(shop, 'p1')).toMatchObject({ name: 'Product 1202', price: 1 })
    expect(await product(shop, 'p1200')).toMatchObject({ name: 'Product 1200', price: 1_200 })
  })

  test('a request without a file is refused', async () => {
    const shop = await newProject()
    const headers = { ...shop.headers, 'content-type': 'multipart/form-data; boundary=fence' }
    for (const noun of ['products', 'skus'])
      expect(await send(shop.service.app, 'POST', `/v1/${noun}/importCSV`, '--fence--\r\n', headers)).toMatchObject({
        status: 400,
        body: { key: 'invalid_payload', details: "Payload should have required property 'file'" },
      })
  })
})

describe('POST /v1/skus/importCSV', () => {
  async function shopOf(...sourceIds: string[]) {
    const shop = await newProject()
    const ids: string[] = []
    for (const sourceId of sourceIds) ids.push((await post(shop, '/v1/products', { source_id: sourceId })).id)
    return { shop, ids }
  }

  test('reads the documented headers, and every other column as metadata', async () => {
    const { shop, ids } = await shopOf('mug', 'cup')
    const action = await importCsv(
      shop,
      'skus',
      'product_id,source_id,SKU,price,image_url,attributes,currency\n' +
        `mug,mug-blue,Blue mug,1290,https://shop.example/b.png,"{""color"": ""blue"", ""sizes"": [1, 2]}",EUR\n` +
        `${ids[1]},cup-red,,,,"{'color': 'red'}",\n` +
        'mug,mug-red,,,,,\n',
    )
    expect(action).toMatchObject({
      type: 'SKUS.IMPORT_CSV',
      status: 'DONE',
      operation_status: 'SUCCESS',
      result: { message: '3 sku(s) imported successfully, 0 failed.', failed: [], done_count: 3, failed_count: 0 },
    })
    expect(await sku(shop, 'mug-blue')).toMatchObject({
      product_id: ids[0],
      sku: 'Blue mug',
      price: 1290,
      currency: null,
      image_url: 'https://shop.example/b.png',
      attributes: { color: 'blue', sizes: [1, 2] },
      metadata: { currency: 'EUR' },
      updated_at: null,
    })
    expect(await sku(shop, 'cup-red')).toMatchObject({
      product_id: ids[1],
      sku: null,
      price: null,
      attributes: { color: 'red' },
    })
    expect(await sku(shop, 'mug-red')).toMatchObject({ attributes: {}, metadata: {} })
  })

  test('only `sku` and `price` of a known SKU are updated, and an empty cell changes nothing', async () => {
    const { shop } = await shopOf('mug')
    const blue = await post(shop, '/v1/products/mug/skus', {
      source_id: 'blue',
      sku: 'Blue',
      price: 5,
      currency: 'EUR',
    })
    const red = await post(shop, '/v1/products/mug/skus', { source_id: 'red', sku: 'Red', price: 6 })
    const { result } = await importCsv(
      shop,
      'skus',
      `product_id,source_id,sku,price,image_url,attributes,stock\nmug,blue,Navy,9,i,{},2\nmug,red,,7,,,\n`,
    )
    expect(result).toMatchObject({ done_count: 2, failed_count: 0 })
    const changed = { updated_at: expect.any(String) }
    expect(await sku(shop, 'blue')).toEqual({ ...blue, sku: 'Navy', price: 9, ...changed })
    expect(await sku(shop, 'red')).toEqual({ ...red, price: 7, ...changed })
  })

  test('an invalid row fails alone and is reported by its number', async () => {
    const { shop } = await shopOf('mug', 'cup', 'gone')
    await post(shop, '/v1/products/gone/skus', { source_id: 'gone-blue' })
    await shop.call('DELETE', '/v1/products/gone')
    await post(shop, '/v1/products/cup/skus', { source_id: 'cup-blue' })
    const { result } = await importCsv(
      shop,
      'skus',
      [
        'product_id,source_id,price,attributes',
        'none,a,1,',
        ',b,1,',
        'mug,,1,',
        'gone,c,1,',
        'mug,gone-blue,1,',
        'mug,cup-blue,1,',
        '5h1pp1ng,d,1,',
        'mug,e,-1,',
        'mug,f,x,',
        'mug,g,1,not json',
        'mug,h,1,"[""a""]"',
        'mug,i,1,"{""a"": ""\\u0000""}"',
        `mug,j,1,"{""a"": ${'['.repeat(200)}${']'.repeat(200)}}"`,
        'mug,k,1,"{""__proto__"": {}}"',
        'mug,fine,1,',
      ].join('\n'),
    )
    const noJson = 'Column attributes must be a JSON object'
    expect(result).toEqual({
      message: '1 sku(s) imported successfully, 14 failed.',
      done_count: 1,
      failed_count: 14,
      failed: [
        'Cannot find product with id none',
        'Column product_id must not be empty',
        'Column source_id must not be empty',
        'Cannot find product with id gone',
        'Duplicated sku exists with source_id gone-blue',
        'Duplicated sku exists with source_id cup-blue',
        'Resource product with id 5h1pp1ng is built in and cannot be changed',
        'Property .price must be >= 0',
        'Property .price must be integer',
        noJson,
        noJson,
        noJson,
        noJson,
        noJson,
      ].map((reason, index) => ({ row: index + 1, reason })),
    })
    expect((await shop.call('GET', '/v1/products/mug/skus')).body).toMatchObject({
      skus: [{ source_id: 'fine' }],
      total: 1,
    })
  })
})

describe('POST /v1/products/bulk/async', () => {
  test('updates by source id, creates unknown products and reports each result', async () => {
    const shop = await newProject()
    const mug = await post(shop, '/v1/products', { source_id: 'mug', name: 'Mug', price: 5, metadata: { a: 1, b: 2 } })
    const other = await post(shop, '/v1/products', { source_id: 'other', name: 'Other' })
    await post(shop, '/v1/products', { source_id: 'gone' })
    await shop.call('DELETE', '/v1/products/gone')
    const action = await runBulk(shop, 'bulk/async', [
      { source_id: 'mug', price: 6, metadata: { b: 3 }, id: other.id },
      { source_id: 'new', name: 'New', attributes: ['x'], image_url: 'i' },
      { source_id: 'gone', price: 1 },
      { source_id: 'mug', price: -1 },
      { source_id: 'fresh', price: -1 },
      { source_id: '5h1pp1ng', price: 1 },
      { source_id: 'new', price: 7 },
    ])
    expect(action).toMatchObject({ type: 'PRODUCTS.BULK_UPDATE', status: 'DONE', operation_status: 'FAILED' })
    expect(action.result).toMatchObject({ done_count: 3, failed_count: 4 })
    expect(action.result.errors).toEqual([
      {
        source_id: 'gone',
        key: 'duplicate_found',
        message: 'Duplicated resource found',
        details: 'Duplicated product exists with source_id gone',
      },
      {
        source_id: 'mug',
        key: 'invalid_product',
        message: 'Invalid product',
        details: 'Property .price must be >= 0',
      },
      {
        source_id: 'fresh',
        key: 'invalid_product',
        message: 'Invalid product',
        details: 'Property .price must be >= 0',
      },
      {
        source_id: '5h1pp1ng',
        key: 'resource_protected',
        message: 'Resource is protected',
        details: 'Resource product with id 5h1pp1ng is built in and cannot be changed',
      },
    ])
    expect(await product(shop, 'mug')).toEqual({
      ...mug,
      price: 6,
      metadata: { a: 1, b: 3 },
      updated_at: expect.any(String),
    })
    expect(await product(shop, 'new')).toMatchObject({ name: 'New', price: 7, attributes: ['x'], image_url: 'i' })
    expect(await product(shop, 'other')).toEqual(other)
    expect(await product(shop, 'fresh')).toMatchObject({ key: 'not_found' })

    const [report] = action.result.reports
    const { body: csv } = await send(shop.service.app, 'GET', new URL(report).pathname)
    expect(String(csv).split('\n').slice(0, 8)).toEqual([
      'source_id,found,updated,message',
      'mug,true,true,',
      'new,false,true,',
      'gone,false,false,Duplicated product exists with source_id gone',
      'mug,true,false,Property .price must be >= 0',
      'fresh,false,false,Property .price must be >= 0',
      '5h1pp1ng,true,false,Resource product with id 5h1pp1ng is built in and cannot be changed',
      'new,true,true,',
    ])
  })

  test.each([
    [{}, 'Payload must be array'],
    [[{ source_id: 'a' }, {}], "Property [1] should have required property 'source_id'"],
    [[{ source_id: 'a', price: 'x' }], 'Property [0].price must match pattern ^[+-]?\\d+(\\.0+)?$'],
    [[{ source_id: null }], 'Property [0].source_id must be string'],
  ])('refuses %j', async (body, details) => {
    const shop = await newProject()
    expect(await shop.call('POST', '/v1/products/bulk/async', body)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details },
    })
  })
})

describe('POST /v1/products/metadata/async', () => {
  test('merges the metadata into each product and creates unknown ones', async () => {
    const shop = await newProject()
    const mug = await post(shop, '/v1/products', { source_id: 'mug', name: 'Mug', metadata: { a: 1, b: 2 } })
    const action = await runBulk(shop, 'metadata/async', {
      source_ids: ['mug', 'new', '5h1pp1ng'],
      metadata: { b: null, c: [3] },
    })
    expect(action).toMatchObject({ type: 'PRODUCTS.METADATA_UPDATE', status: 'DONE' })
    expect(action.result).toMatchObject({ done_count: 2, failed_count: 1, reports: [expect.any(String)] })
    expect(action.result.errors).toEqual([
      { key: 'resource_protected', message: 'Resource is protected', details: expect.any(String) },
    ])
    expect(await product(shop, 'mug')).toEqual({
      ...mug,
      metadata: { a: 1, b: null, c: [3] },
      updated_at: expect.any(String),
    })
    expect(await product(shop, 'new')).toMatchObject({ name: null, metadata: { b: null, c: [3] } })
  })

  test('the metadata is stored once per action, for any number of products', async () => {
    const shop = await newProject()
    const metadata = { text: 'x'.repeat(10_000) }
    const sourceIds = Array.from({ length: 120 }, (_, index) => `p${index}`)
    await shop.call('POST', '/v1/products/metadata/async', { source_ids: sourceIds, metadata })
    const { input } = await shop.service.runtime.database.db
      .selectFrom('async_actions')
      .where('project_id', '=', shop.project_id)
      .select('input')
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(input).length).toBeLessThan(15_000)
    await runAsyncActions(shop.service.runtime, shop.project_id, [bulkUpdateProductMetadata])
    expect(await total(shop)).toBe(121)
    expect(await product(shop, 'p119')).toMatchObject({ metadata })
  })

  test.each([
    [{ metadata: {} }, "Payload should have required property 'source_ids'"],
    [{ source_ids: ['a'] }, "Payload should have required property 'metadata'"],
    [{ source_ids: [1], metadata: {} }, 'Property .source_ids[0] must be string'],
    [{ source_ids: ['a'], metadata: [] }, 'Property .metadata must be object'],
  ])('refuses %j', async (body, details) => {
    const shop = await newProject()
    expect(await shop.call('POST', '/v1/products/metadata/async', body)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details },
    })
  })
})
