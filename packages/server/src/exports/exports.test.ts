import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { insertApiKey } from '../account/api-keys/store.ts'
import { taskResults } from '../core/jobs/task-results/routes.ts'
import { newClock, newProject, newProjectOn, type Shop, send, type TestService } from '../testing/app.ts'
import { testDatabase } from '../testing/database.ts'
import {
  createExport as create,
  exportLines,
  finishedLines,
  followExport as follow,
  insertExportable as insert,
  readExport as read,
  workOnExports as work,
} from '../testing/exports.ts'
import { openNode } from '../testing/nodes.ts'
import { expectStablePaging } from '../testing/paging.ts'
import { exportables } from './objects.ts'
import { exports } from './routes.ts'
import type { Export } from './schema.ts'

describe('every object has its fields, defaults, orders and filters', () => {
  const order = ['-created_at', 'created_at']
  test.each<[exported_object: string, default_fields: string[], all: string[], orders: string[]]>([
    ['order', ['id', 'source_id', 'status'], ['ID', 'Source ID', 'Status', 'Created At', 'Updated At', 'Amount', 'Discount Amount', 'Items Discount Amount', 'Total Discount Amount', 'Total Amount', 'Customer ID', 'Referrer ID'], [...order, 'updated_at', '-updated_at', 'status', '-status']],
    ['customer', ['name', 'source_id'], ['Name', 'Source ID', 'ID', 'Description', 'Email', 'Phone', 'Birthdate', 'Birthday', 'Created At', 'Updated At', 'Address City', 'Address State', 'Address Line 1', 'Address Line 2', 'Address Country', 'Address Postal Code', 'Redemptions Total Redeemed', 'Redemptions Total Failed', 'Redemptions Total Succeeded', 'Redemptions Total Rolled Back', 'Redemptions Total Rollback Failed', 'Redemptions Total Rollback Succeeded', 'Orders Total Amount', 'Orders Total Count', 'Orders Average Amount', 'Orders Last Order Amount', 'Orders Last Order Date', 'Loyalty Points', 'Loyalty Referred Customers'], [...order, 'name', '-name', 'id', '-id', 'email', '-email', 'source_id', '-source_id', 'updated_at', '-updated_at']],
    ['product', ['id', 'name', 'price', 'image_url', 'source_id', 'attributes', 'created_at'], ['ID', 'Name', 'Price', 'Image Url', 'Source ID', 'Attributes', 'Created At', 'Updated At'], order],
    ['sku', ['id', 'sku', 'product_id', 'currency', 'price', 'image_url', 'source_id', 'attributes', 'created_at'], ['ID', 'SKU', 'Product ID', 'Currency', 'Price', 'Image Url', 'Source ID', 'Attributes', 'Created At', 'Updated At'], order],
  ])('%s', async (name, defaultFields, headers, orders) => {
    const shop = await newProject()
    const { exported_object, parameters, channel, user_id, object } = await create(shop, name)
    expect({ exported_object, channel, user_id, object }).toEqual({ exported_object: name, channel: 'API', user_id: null, object: 'export' })
    expect(parameters).toEqual({ order: '-created_at', fields: defaultFields, filters: { junction: 'and' } })

    const exportable = exportables[name as 'order']
    expect([...exportable.orders].sort()).toEqual([...orders].sort())
    const fields = Object.keys(exportable.fields)
    const made: Export[] = []
    for (const order of orders) made.push(await create(shop, name, { order, fields }))
    for (const one of made) expect((await finishedLines(shop, one))[0]).toBe(headers.join(','))
    expect(await shop.call('POST', '/v1/exports', { exported_object: name, parameters: { order: 'price' } })).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: expect.stringMatching(/^Property \.parameters\.order must be equal to one of the allowed values \[ -created_at, created_at/) },
    })
    expect(await shop.call('POST', '/v1/exports', { exported_object: name, parameters: { fields: ['id', 'colour'] } })).toMatchObject({
      status: 400,
      body: { key: 'invalid_export_fields', message: 'Invalid Export', details: `Unknown field 'colour'. Allowed fields: ${fields.join(', ')}, metadata, metadata.<key>` },
    })
  }) // biome-ignore format: one case is one line
})

test('an unknown or missing object is refused', async () => {
  const shop = await newProject()
  const allowed =
    '[ order, customer, product, sku, voucher, redemption, publication, voucher_transactions, points_expiration, api_log ]'
  for (const name of ['api_logs', 'redemptions', 'Order'])
    expect(await shop.call('POST', '/v1/exports', { exported_object: name })).toMatchObject({
      status: 400,
      body: {
        key: 'invalid_payload',
        details: `Property .exported_object must be equal to one of the allowed values ${allowed}`,
      },
    })
  expect(await shop.call('POST', '/v1/exports', {})).toMatchObject({
    status: 400,
    body: { key: 'invalid_payload', details: "Payload should have required property 'exported_object'" },
  })
})

test('the response shows the parameters that were sent; null means the default', async () => {
  const shop = await newProject()
  const filters = { junction: 'OR', status: { conditions: { $in: ['PAID'] } } }
  const { parameters } = await create(shop, 'order', { order: 'status', fields: ['status', 'metadata.color'], filters })
  expect(parameters).toEqual({
    order: 'status',
    fields: ['status', 'metadata.color'],
    filters: { ...filters, junction: 'or' },
  })
  const defaults = { order: '-created_at', fields: ['id', 'source_id', 'status'], filters: { junction: 'and' } }
  for (const asked of [{}, { order: null, fields: null, filters: null }, { fields: [], filters: {} }])
    expect((await create(shop, 'order', asked)).parameters).toEqual(defaults)
})

describe('filters', () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await newProject()
    await insert(shop, 'orders', [
      { id: 'ord_1', source_id: 'o1', status: 'PAID', amount: 1_000 },
      { id: 'ord_2', amount: 500, discount_amount: 100, metadata: { vip: true } },
      { id: 'ord_3', status: 'FULFILLED', amount: 700, items_discount_amount: 5 },
    ])
    await insert(shop, 'customers', [
      { id: 'cust_1', email: 'A@CORP.example' },
      { id: 'cust_2', address: { city: 'Kraków' }, orders_total_amount: 5 },
    ])
    await insert(shop, 'products', [{ id: 'prod_1', metadata: { color: 'red' } }, { id: 'prod_2', metadata: { color: 'blue' } }])
    await insert(shop, 'skus', [{ id: 'sku_1', updated_at: '2026-01-01T00:00:00Z' }, { id: 'sku_2' }])
  }) // biome-ignore format: one row is one line

  test.each<[string, object, string[]]>([
    ['order', { status: { conditions: { $in: ['PAID', 'FULFILLED'] } } }, ['ord_1', 'ord_3']],
    ['order', { total_discount_amount: { conditions: { $more_than: [0] } }, amount: { conditions: { $less_than: 600 } } }, ['ord_2']],
    ['order', { junction: 'or', source_id: { conditions: { $is: 'o1' } }, 'metadata.vip': { conditions: { $is: [true] } } }, ['ord_1', 'ord_2']],
    ['order', { created_at: { conditions: { $after: '2026-01-01T00:00:00.001Z' } } }, ['ord_3']],
    ['customer', { email: { conditions: { $ends_with: ['@corp.example'] } } }, ['cust_1']],
    ['customer', { 'summary.orders.total_amount': { conditions: { $more_than: ['0'] } } }, ['cust_2']],
    ['customer', { city: { conditions: { $is: 'Kraków' } } }, ['cust_2']],
    ['product', { 'metadata.color': { conditions: { $is: 'red' } } }, ['prod_1']],
    ['sku', { updated_at: { conditions: { $has_value: true } } }, ['sku_1']],
  ])('%s %j', async (exportedObject, filters, ids) => {
    const [, ...rows] = await exportLines(shop, exportedObject, { order: 'created_at', fields: ['id'], filters })
    expect(rows).toEqual(ids)
  }) // biome-ignore format: one case is one line

  test.each([
    { colour: { conditions: { $is: 'red' } } },
    { status: { conditions: { $like: 'x' } } },
    { junction: 'xor' },
    { created_at: { conditions: { $after: 'soon' } } },
    { customer_id: { conditions: { $is: 'cust_1' } } },
  ])('%j is refused', async (filters) => {
    const { total } = (await shop.call('GET', '/v1/exports')).body
    expect(await shop.call('POST', '/v1/exports', { exported_object: 'order', parameters: { filters } })).toMatchObject(
      {
        status: 400,
        body: { key: 'invalid_payload', details: expect.stringMatching(/^Property \.parameters\.filters/) },
      },
    )
    expect((await shop.call('GET', '/v1/exports')).body.total).toBe(total)
  })
})

test('a failed export has status ERROR and no result, and can be deleted', async () => {
  const shop = await newProject()
  const { id } = await create(shop, 'order')
  await sql`update exports set parameters = '{"order": "id", "fields": ["id"], "filters": {"never": 1}}' where id = ${id}`.execute(
    shop.service.runtime.database.db,
  )
  await work(shop)
  expect(await read(shop, id)).toMatchObject({ status: 'ERROR', result: null })
  expect(await shop.call('DELETE', `/v1/exports/${id}`)).toMatchObject({ status: 204 })
})

describe('the URL of a file', () => {
  const clock = newClock()
  let service: TestService
  beforeAll(async () => {
    const env = { BASE_URL: 'http://exports.example' }
    const node = await openNode(await testDatabase(), { env, only: [...exports, ...taskResults], now: clock.now })
    service = { ...node, clock }
  })

  test('works for everyone, with any other credentials', async () => {
    const shop = await newProjectOn(service)
    const other = await newProjectOn(service)
    await insert(shop, 'orders', [{ id: 'ord_1', source_id: 'ó' }])
    const { id } = await create(shop, 'order')
    await work(shop)
    const url = (await read(shop, id)).result?.url as string
    expect(url).toMatch(
      new RegExp(`^http://exports.example/v1/exports/${id}\\?token=proj_[0-9A-Za-z]+\\.[0-9a-z]+\\.[\\w-]{43}$`),
    )
    const file = 'ID,Source ID,Status\nord_1,ó,CREATED\n'
    for (const headers of [
      {},
      shop.headers,
      other.headers,
      { authorization: 'Bearer x' },
      { accept: 'text/csv' },
    ] as Array<Record<string, string>>) {
      const answer = await follow(shop, url, headers)
      expect(answer).toMatchObject({ status: 200, body: file })
      expect(answer.headers).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'content-disposition': `attachment; filename="${id}.csv"`,
        'content-length': String(Buffer.byteLength(file)),
      })
    }
    const head = await send(shop.service.app, 'HEAD', url.replace('http://exports.example', ''))
    expect(head).toMatchObject({ status: 200, headers: { 'content-length': String(Buffer.byteLength(file)) } })
  })

  test('does not work with another token, and a token never shows the export itself', async () => {
    const shop = await newProjectOn(service)
    const [first, second] = [await create(shop, 'order'), await create(shop, 'order')]
    await work(shop)
    const tokenOf = async (id: string) =>
      new URL((await read(shop, id)).result?.url as string).searchParams.get('token')
    const good = (await tokenOf(first.id)) as string
    const [project, end, signature] = good.split('.') as [string, string, string]
    const other = await newProjectOn(service)
    for (const query of [
      'token=',
      'token=wrong',
      `token=${await tokenOf(second.id)}`,
      `token=${good}x`,
      `token=${good}.x`,
      `token=${project}.${(Number.parseInt(end, 36) + 3_600).toString(36)}.${signature}`,
      `token=${other.project_id}.${end}.${signature}`,
      '[token]=x',
      '%74oken=x',
    ])
      for (const headers of [{}, shop.headers])
        expect(await follow(shop, `/v1/exports/${first.id}?${query}`, headers), query).toMatchObject({
          status: 401,
          body: { key: 'unauthorized' },
        })
    expect(await follow(shop, `/v1/exports/exp_unknown?token=${good}`)).toMatchObject({ status: 401 })
    expect(await follow(shop, `/v1/exports/${first.id}?token[]=${good}`)).toMatchObject({
      status: 400,
      body: { key: 'invalid_query_params' },
    })
    expect(await follow(shop, `/v1/task-results/${good}`)).toMatchObject({ status: 404 })
    expect(await follow(shop, `/v1/exports/${first.id}`)).toMatchObject({ status: 401 })
    expect(await follow(shop, `/v1/exports/${first.id}?token=${good}`)).toMatchObject({ status: 200 })
  })

  test('works for a day; reading the export again gives another one', async () => {
    const shop = await newProjectOn(service)
    const { id } = await create(shop, 'order')
    await work(shop)
    const urlOf = async () => (await read(shop, id)).result?.url as string
    const url = await urlOf()
    shop.service.clock.advance(23.9 * 3_600_000)
    expect((await follow(shop, url)).status).toBe(200)
    shop.service.clock.advance(0.2 * 3_600_000)
    expect((await follow(shop, url)).status).toBe(401)
    expect((await follow(shop, await urlOf())).status).toBe(200)
  })

  test('does not work after the export is deleted, and no row of it is left', async () => {
    const shop = await newProjectOn(service)
    const { id } = await create(shop, 'product')
    await work(shop)
    const url = (await read(shop, id)).result?.url as string
    expect(await shop.call('DELETE', `/v1/exports/${id}`)).toMatchObject({ status: 204, body: null })
    expect(await follow(shop, url)).toMatchObject({ status: 401 })
    for (const method of ['GET', 'DELETE'])
      expect(await shop.call(method, `/v1/exports/${id}`)).toMatchObject({
        status: 404,
        body: { key: 'not_found', resource_id: id, resource_type: 'export' },
      })
    const { db } = shop.service.runtime.database
    expect(await db.selectFrom('files').where('project_id', '=', shop.project_id).select('id').execute()).toEqual([])
  })
})

test('a read-only role may export', async () => {
  const shop = await newProject()
  const { db } = shop.service.runtime.database
  for (const role of ['VIEWER', 'MERCHANT'] as const) {
    const { key, secret } = await insertApiKey(db, {
      project_id: shop.project_id,
      name: role,
      kind: 'server',
      role,
      ip_whitelist: [],
      is_primary: false,
      created_at: '2026-01-01T00:00:00.000Z',
    })
    const headers = { 'x-app-id': key.app_id, 'x-app-token': secret }
    expect(await shop.call('POST', '/v1/exports', { exported_object: 'sku' }, headers), role).toMatchObject({
      status: 200,
    })
    expect(await shop.call('DELETE', '/v1/exports/exp_1', undefined, headers), role).toMatchObject({ status: 403 })
  }
})

test('the list is paged in every order while exports are created', async () => {
  const shop = await newProject()
  const { db } = shop.service.runtime.database
  await expectStablePaging({
    shop,
    path: '/v1/exports',
    orders: ['-created_at', 'created_at', 'status', '-status'],
    data_ref: 'exports',
    create: async (n) => {
      const { id } = await create(shop, 'order')
      const status = ['SCHEDULED', 'IN_PROGRESS', 'DONE', 'ERROR'][n % 4] as Export['status']
      await db
        .updateTable('exports')
        .set({ status })
        .where('project_id', '=', shop.project_id)
        .where('id', '=', id as `exp_${string}`)
        .execute()
      return id
    },
  })
  expect((await shop.call('GET', '/v1/exports?limit=1')).body).toMatchObject({
    object: 'list',
    data_ref: 'exports',
    exports: [{ object: 'export' }],
    total: expect.any(Number),
  })
})
