// @embedded: rows that are read and written in pieces
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { insertApiKey } from '../account/api-keys/store.ts'
import { limits } from '../core/lib/limits.ts'
import { newProject, type Shop, send } from '../testing/app.ts'
import {
  createExport as create,
  exportLines,
  followExport as follow,
  readExport as read,
  workOnExports as work,
} from '../testing/exports.ts'
import { expectStablePaging } from '../testing/paging.ts'
import { scaled } from '../testing/scale.ts'
import { exportables } from './objects.ts'
import type { Export } from './schema.ts'
import { workOnExport } from './work.ts'

type Rows = ReadonlyArray<Record<string, unknown>>

/** Inserts rows, with defaults for the required columns. */
async function insert({ service: { runtime }, project_id }: Shop, table: string, rows: Rows): Promise<void> {
  const defaults: Record<string, object> = {
    orders: { status: 'CREATED', items: [], metadata: {} },
    customers: { metadata: {} },
    products: { attributes: [], metadata: {} },
    skus: { product_id: 'prod_1', attributes: {}, metadata: {} },
  }
  for (const [index, row] of rows.entries()) {
    const createdAt = `2026-01-01T00:00:00.${String(index).padStart(3, '0')}Z`
    const all = { project_id, created_at: createdAt, ...defaults[table], ...row }
    const values = Object.values(all).map((value) =>
      typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
    )
    await sql`insert into ${sql.table(table)} (${sql.join(Object.keys(all).map((name) => sql.ref(name)))})
      values (${sql.join(values)})`.execute(runtime.database.db)
  }
}

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
    for (const order of orders) {
      const [header] = await exportLines(shop, name, { order, fields })
      expect(header).toBe(headers.join(','))
    }
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
    '[ order, customer, product, sku, voucher, redemption, publication, voucher_transactions, points_expiration ]'
  for (const name of ['api_log', 'redemptions', 'Order'])
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

describe('a file', () => {
  test('of orders has dates, amounts, empty and quoted values', async () => {
    const shop = await newProject()
    await insert(shop, 'orders', [
      {
        id: 'ord_1',
        source_id: 'a, "b"',
        status: 'PAID',
        amount: 12_500,
        discount_amount: 500,
        updated_at: '2026-02-01T10:00:00+02:00',
        customer_id: 'cust_1',
      },
      { id: 'ord_2' },
    ])
    expect(
      await exportLines(shop, 'order', { order: 'created_at', fields: Object.keys(exportables.order.fields) }),
    ).toEqual([
      'ID,Source ID,Status,Created At,Updated At,Amount,Discount Amount,Items Discount Amount,Total Discount Amount,Total Amount,Customer ID,Referrer ID',
      'ord_1,"a, ""b""",PAID,2026-01-01T00:00:00.000Z,2026-02-01T08:00:00.000Z,12500,500,0,500,12000,cust_1,',
      'ord_2,,CREATED,2026-01-01T00:00:00.001Z,,,0,0,0,,,',
    ])
  })

  test('of customers has their address and summary, and no deleted customers', async () => {
    const shop = await newProject()
    await insert(shop, 'customers', [
      {
        id: 'cust_1',
        name: 'Ann',
        birthdate: '1990-03-01',
        address: { city: 'Kraków', line_1: 'Rynek 1' },
        redemptions_succeeded: 3,
        redemptions_failed: 2,
        orders_total_amount: 11_001,
        orders_total_count: 2,
        last_order_amount: 3_001,
        last_order_date: '2026-01-05T00:00:00Z',
        loyalty: { points: 70, referred_customers: 1, campaigns: {} },
      },
      { id: 'cust_2', name: 'Gone', deleted_at: '2026-01-02T00:00:00Z' },
      { id: 'cust_3' },
    ])
    const fields = [
      'name',
      'birthdate',
      'address_city',
      'address_line_1',
      'redemptions_total_redeemed',
      'orders_total_amount',
      'orders_average_amount',
      'orders_last_order_amount',
      'orders_last_order_date',
      'loyalty_points',
      'loyalty_referred_customers',
    ]
    expect(await exportLines(shop, 'customer', { fields, order: 'id' })).toEqual([
      'Name,Birthdate,Address City,Address Line 1,Redemptions Total Redeemed,Orders Total Amount,Orders Average Amount,Orders Last Order Amount,Orders Last Order Date,Loyalty Points,Loyalty Referred Customers',
      'Ann,1990-03-01,Kraków,Rynek 1,5,11001,5501,3001,2026-01-05T00:00:00.000Z,70,1',
      ',,,,0,0,0,0,,0,0',
    ])
  })

  test('of products and SKUs joins lists with commas, writes objects as JSON, and excludes the trash bin', async () => {
    const shop = await newProject()
    await insert(shop, 'products', [
      { id: 'prod_1', name: 'Mug', price: 900, attributes: ['color', 'size'] },
      { id: 'prod_2', name: 'Gone', deleted_at: '2026-01-02T00:00:00Z' },
    ])
    await insert(shop, 'skus', [
      { id: 'sku_1', sku: 'Mug, blue', currency: 'EUR', attributes: { color: 'blue' } },
      { id: 'sku_2', sku: 'Gone', deleted_at: '2026-01-02T00:00:00Z' },
    ])
    const isMade = { created_at: { conditions: { $before: '2026-01-01T00:00:01Z' } } } // excludes the shipping product of the project
    expect(await exportLines(shop, 'product', { fields: ['name', 'price', 'attributes'], filters: isMade })).toEqual(['Name,Price,Attributes', 'Mug,900,"color,size"'])
    expect(await exportLines(shop, 'sku', { fields: ['sku', 'currency', 'attributes'] })).toEqual(['SKU,Currency,Attributes', '"Mug, blue",EUR,"{""color"":""blue""}"'])
  }) // biome-ignore format: a row is a line

  test('has a metadata column for each key, those of the schema first in its order, then the others by name', async () => {
    const shop = await newProject()
    await sql`
      insert into orders (project_id, id, status, items, metadata, created_at) values
        (${shop.project_id}, 'ord_1', 'PAID', '[]', '{"zone": "b", "gift": true, "tags": ["x", "y"], "amount": 1.5}', '2026-01-01'),
        (${shop.project_id}, 'ord_2', 'PAID', '[]', '{"alpha": null, "box": {"w": 1}, "at": "2026-01-01T00:00:00.000Z"}', '2026-01-02'),
        (${shop.project_id}, 'ord_3', 'CANCELED', '[]', '{"hidden": 1}', '2026-01-03')`.execute(
      shop.service.runtime.database.db,
    )
    const definition = (type: string) => ({ type, array: false, optional: true })
    const schema = {
      related_object: 'order',
      properties: { zone: definition('string'), gift: definition('boolean'), never: definition('number') },
    }
    expect(await shop.manage('POST', '/metadata-schemas', schema)).toMatchObject({ status: 200 })
    const filters = { status: { conditions: { $is: ['PAID'] } } }
    expect(await exportLines(shop, 'order', { order: 'created_at', fields: ['metadata', 'id'], filters })).toEqual([
      'metadata.zone,metadata.gift,metadata.never,metadata.alpha,metadata.amount,metadata.at,metadata.box,metadata.tags,ID',
      'b,true,,,1.5,,,"x,y",ord_1',
      ',,,,,2026-01-01T00:00:00.000Z,"{""w"":1}",,ord_2',
    ])
    expect(
      await exportLines(shop, 'order', { order: 'created_at', fields: ['metadata.zone', 'metadata.constructor'] }),
    ).toEqual(['metadata.zone,metadata.constructor', 'b,', ',', ','])
  })
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

test('many rows are written in steps, each once and in order, nulls last, and none of another project', async () => {
  const shop = await newProject()
  const other = await newProject()
  const steps = scaled(3, 2)
  const count = (steps - 1) * limits.export_step_rows + 200
  for (const { project_id } of [shop, other])
    await sql`
      insert into customers (project_id, id, name, metadata, created_at, updated_at)
      select ${project_id}, 'cust_' || lpad(n::text, 5, '0'), case when n % 7 > 0 then 'name ' || (n * 37 % 50) end, '{}',
        '2026-01-01'::timestamptz + (n / 3) * interval '1 second', case when n % 2 = 0 then '2026-02-01'::timestamptz end
      from generate_series(1, ${sql.lit(count)}::int) as n`.execute(shop.service.runtime.database.db)
  for (const order of exportables.customer.orders) {
    const { id } = await create(shop, 'customer', {
      order,
      fields: ['id', 'name', 'updated_at', 'created_at', 'metadata'],
    })
    expect(await work(shop)).toBe(steps)
    const { body } = await follow(shop, (await read(shop, id)).result?.url ?? '')
    const rows = body
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(','))
    expect(new Set(rows.map(([id]) => id)).size).toBe(count)
    expect(rows).toHaveLength(count)
    const sign = order.startsWith('-') ? -1 : 1
    const at = { id: 0, name: 1, updated_at: 2, created_at: 3, email: 4, source_id: 4 }[order.replace('-', '') as 'id']
    const misplaced = rows.slice(1).flatMap((row, index) => {
      const [a, b] = [rows[index], row].map((one) => [one?.[at] ?? '', one?.[0] ?? '']) as [
        [string, string],
        [string, string],
      ]
      const isOrdered =
        a[0] === b[0]
          ? (a[1] < b[1] ? 1 : -1) === sign
          : b[0] === '' || (a[0] !== '' && (a[0] < b[0] ? 1 : -1) === sign)
      return isOrdered ? [] : [`${a} before ${b}`]
    })
    expect(misplaced, order).toEqual([])
  }
})

describe('an interrupted export resumes where it stopped', () => {
  const manyOrders = ({ service: { runtime }, project_id }: Shop) =>
    sql`
      insert into orders (project_id, id, status, items, metadata, created_at)
      select ${project_id}, 'ord_' || lpad(n::text, 5, '0'), 'PAID', '[]', jsonb_build_object('k' || n % 3, n), '2026-01-01'::timestamptz
      from generate_series(1, 1200) as n`.execute(runtime.database.db)

  test('even if rows are added and deleted meanwhile', async () => {
    const shop = await newProject()
    await manyOrders(shop)
    const { db } = shop.service.runtime.database
    const { id } = await create(shop, 'order', { order: 'created_at', fields: ['id', 'metadata'] })
    expect(await workOnExport(shop.service.runtime, { only: shop.project_id })).toBe(id)
    expect(await read(shop, id)).toMatchObject({ status: 'IN_PROGRESS', result: null })
    await db
      .deleteFrom('orders')
      .where('project_id', '=', shop.project_id)
      .where('id', 'in', ['ord_00500', 'ord_00501'])
      .execute()
    await insert(shop, 'orders', [{ id: 'ord_00000' }, { id: 'ord_99999', created_at: '2026-01-01' }])
    await work(shop)
    const { body } = await follow(shop, (await read(shop, id)).result?.url ?? '')
    const [header, ...rows] = body.trimEnd().split('\n')
    expect(header).toBe('ID,metadata.k0,metadata.k1,metadata.k2')
    const expected = Array.from({ length: 1_200 }, (_, n) => n + 1).filter((n) => n !== 501)
    expect(rows).toEqual([
      ...expected.map(
        (n) => `ord_${String(n).padStart(5, '0')},${[0, 1, 2].map((k) => (n % 3 === k ? n : '')).join(',')}`,
      ),
      'ord_99999,,,',
    ])
  })

  test('metadata keys are collected from all rows before the first row is written', async () => {
    const shop = await newProject()
    await sql`
      insert into orders (project_id, id, status, items, metadata, created_at)
      select ${shop.project_id}, 'ord_' || lpad(n::text, 5, '0'), 'PAID', '[]',
        case n when 1 then '{"first": 1}' when 5200 then '{"last": 1}' else '{}' end::jsonb, '2026-01-01'::timestamptz
      from generate_series(1, 5200) as n`.execute(shop.service.runtime.database.db)
    const { id } = await create(shop, 'order', { order: 'created_at', fields: ['metadata'] })
    await workOnExport(shop.service.runtime, { only: shop.project_id })
    expect(await read(shop, id)).toMatchObject({ status: 'IN_PROGRESS' })
    await work(shop)
    const { body } = await follow(shop, (await read(shop, id)).result?.url ?? '')
    const lines = body.trimEnd().split('\n')
    expect(lines).toHaveLength(5_201)
    expect([lines[0], lines[1], lines[2], lines.at(-1)]).toEqual(['metadata.first,metadata.last', '1,', ',', ',1'])
  })

  test('even if its last step was rolled back', async () => {
    const shop = await newProject()
    await manyOrders(shop)
    const { id } = await create(shop, 'order', { order: '-created_at' })
    const { runtime } = shop.service
    await workOnExport(runtime, { only: shop.project_id })
    const gone = Object.assign(new Error('gone'), { code: 'ECONNRESET' })
    // The database fails when the step is about to commit.
    const failing = {
      ...runtime,
      database: {
        ...runtime.database,
        db: {
          transaction: () => ({
            execute: (run: (trx: unknown) => Promise<unknown>) =>
              runtime.database.db.transaction().execute(async (trx) => {
                await run(trx)
                throw gone
              }),
          }),
        },
      },
    } as never
    await expect(workOnExport(failing, { only: shop.project_id })).rejects.toThrow('gone')
    await work(shop)
    const { body } = await follow(shop, (await read(shop, id)).result?.url ?? '')
    const rows = body.trimEnd().split('\n').slice(1)
    expect(rows).toEqual([...new Set(rows)])
    expect(rows).toHaveLength(1_200)
  })

  test('a small export does not wait for a large one', async () => {
    const shop = await newProject()
    await manyOrders(shop)
    const large = await create(shop, 'order')
    const small = await create(shop, 'sku')
    const order: Array<string | null> = []
    for (let step = 0, after = ''; step < 4; step += 1) {
      const id = await workOnExport(shop.service.runtime, { after, only: shop.project_id })
      order.push(id)
      after = id ?? ''
    }
    expect(order).toEqual([large.id, small.id, large.id, large.id])
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
  test('works for everyone, with any other credentials', async () => {
    const shop = await newProject({ env: { BASE_URL: 'http://exports.example' } })
    const other = await newProject()
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
    const shop = await newProject()
    const [first, second] = [await create(shop, 'order'), await create(shop, 'order')]
    await work(shop)
    const tokenOf = async (id: string) =>
      new URL((await read(shop, id)).result?.url as string).searchParams.get('token')
    const good = (await tokenOf(first.id)) as string
    const [project, end, signature] = good.split('.') as [string, string, string]
    const other = await newProject()
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
    const shop = await newProject()
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
    const shop = await newProject()
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
