// @embedded: rows that are read and written in pieces, and how their values are written
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { limits } from '../core/lib/limits.ts'
import { newProject, type Shop } from '../testing/app.ts'
import {
  createExport as create,
  exportLines,
  followExport as follow,
  insertExportable as insert,
  readExport as read,
  workOnExports as work,
} from '../testing/exports.ts'
import { scaled } from '../testing/scale.ts'
import { exportables } from './objects.ts'
import { workOnExport } from './work.ts'

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
