import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { sqlState } from '../../core/db/transaction.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import { newDiscount, newProduct, percentOff, vouchers } from '../../testing/checkout.ts'
import { ok } from '../../testing/orders.ts'
import { statementsSentBy } from '../../testing/sent-statements.ts'
import { plainParameters, savePlain } from './save-plain.ts'

/*
 * Plain redemptions are saved by `checkout_save_plain`, those with an Idempotency-Key by `checkout_save_all`: both must write the same.
 */

const saved = (sent: readonly string[]): string[] =>
  sent.flatMap((text) => /^select (checkout_save\w*)\(/.exec(text)?.[1] ?? [])

/** Redeems two codes that differ in nothing but their ids, one plainly, one with a key; returns what both wrote. */
async function bothWays(shop: Shop, codes: readonly [string, string], bodyOf: (code: string, n: number) => object) {
  const redeem = async (n: 0 | 1) => {
    const keyed = n === 1 ? { 'idempotency-key': `key ${codes[n]}` } : {}
    const call = () => shop.call('POST', '/v1/redemptions', bodyOf(codes[n], n), keyed)
    const { answer, sent } = await statementsSentBy(call)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expect(saved(sent)).toEqual([n === 0 ? 'checkout_save_plain' : 'checkout_save_all'])
    return rowsOf(shop, answer.body.redemptions[0], answer.headers['x-request-id'] as string)
  }
  return [await redeem(0), await redeem(1)] as const
}

/** All rows that a redemption has written, without ids, times and the ids of their transactions. */
async function rowsOf(
  { service, project_id }: Shop,
  redemption: { id: string; voucher: { id: string; campaign_id: string | null }; customer_id: string | null },
  requestId: string,
) {
  const { db } = service.runtime.database
  const { id, voucher, customer_id } = redemption
  const { rows } = await sql<{ written: object }>`
    select json_build_object(
      'redemption', (select to_jsonb(r) - 'position' from redemptions r where project_id = ${project_id} and id = ${id}),
      'order', (select to_jsonb(o) - 'position' from orders o where project_id = ${project_id}
        and id = (select order_id from redemptions where project_id = ${project_id} and id = ${id})),
      'voucher', (select to_jsonb(v) - 'asset_id' from vouchers v where project_id = ${project_id} and id = ${voucher.id}),
      'customer', (select to_json(c) from customers c where project_id = ${project_id} and id = ${customer_id}),
      'usage', (select to_json(u) from usage u where project_id = ${project_id}
        and scope_id = ${voucher.campaign_id ?? voucher.id} order by id desc limit 1),
      'tallies', (select json_agg(t) from (select distinct on (name) name, delta from tallies
        where project_id = ${project_id} and name in ('redemptions', 'orders') order by name, id desc) t),
      'events', (select json_agg(to_jsonb(e) - 'position' order by e.id) from event_rows e
        where project_id = ${project_id} and group_id = ${requestId}),
      'parts', (select json_agg(p) from event_parts p where project_id = ${project_id}
        and id in (select parts_id from event_rows where project_id = ${project_id} and group_id = ${requestId}))
    ) as written`.execute(db)
  return JSON.parse(
    JSON.stringify(rows[0]?.written)
      .replace(/\b(v|r|ord|ordli|evred|evcus|cust|track)_[\w-]+|\b[vw]-[0-9a-f]{10,}/g, '$1')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, 'date')
      .replace(/\b(CODE|customer)-[01]\b/g, '$1'),
  )
}

test('a plain redemption writes the same rows as any other', async () => {
  const shop = await newProject()
  const mug = await newProduct(shop, 'Mug', { price: 500 })
  await newCampaign(shop, 'Spring', { type: 'STATIC' })
  for (const n of [0, 1]) {
    await ok(shop, 'POST', `/v1/campaigns/Spring/vouchers/CODE-${n}`, {})
    await ok(shop, 'POST', '/v1/customers', { source_id: `customer-${n}`, name: 'Anna "A"', metadata: { a: 'ü\\' } })
  }
  const [plain, other] = await bothWays(shop, ['CODE-0', 'CODE-1'], (code, n) => ({
    redeemables: vouchers(code),
    customer: { source_id: `customer-${n}` },
    metadata: { note: 'null, "quoted" {braces} \\ and ünïcode', nothing: null },
    order: {
      items: [
        { product_id: mug.id, quantity: 2 },
        { source_id: 'x', price: 100, metadata: { deep: [1, null, '\u001e'] } },
      ],
      metadata: { shop: 'a,b' },
    },
  }))
  expect(plain).toEqual(other)
  expect(plain.events.length).toBeGreaterThan(3)
  expect(plain.customer.redemptions_succeeded).toBe(1)
})

test('so does one without an order, a customer and a campaign', async () => {
  const shop = await newProject()
  for (const n of [0, 1]) await newDiscount(shop, `CODE-${n}`, percentOff(10))
  const [plain, other] = await bothWays(shop, ['CODE-0', 'CODE-1'], (code) => ({ redeemables: vouchers(code) }))
  expect(plain).toEqual(other)
  expect([plain.order, plain.customer]).toEqual([null, null])
})

test('segment checks are queued if the project has a dynamic segment', async () => {
  const shop = await newProject()
  await ok(shop, 'POST', '/v1/customers', { source_id: 'anna' })
  await ok(shop, 'POST', '/v1/segments', {
    name: 'Buyers',
    type: 'auto-update',
    filter: { junction: 'and', 'summary.orders.total_count': { conditions: { $more_than: [0] } } },
  })
  await newDiscount(shop, 'CODE-0', percentOff(10))
  await sql`delete from segment_checks where project_id = ${shop.project_id}`.execute(shop.service.runtime.database.db)
  const body = { redeemables: vouchers('CODE-0'), customer: { source_id: 'anna' }, order: { amount: 100 } }
  const { answer, sent } = await statementsSentBy(() => shop.call('POST', '/v1/redemptions', body))
  expect([answer.status, saved(sent)]).toEqual([200, ['checkout_save_plain']])
  const { rows } = await sql`
    select customer_id, caller->>'channel' as channel from segment_checks where project_id = ${shop.project_id}`.execute(
    shop.service.runtime.database.db,
  )
  expect(rows).toEqual([{ customer_id: answer.body.redemptions[0].customer_id, channel: 'API' }])
})

test('GU001 names the stale voucher or the deleted customer, also one of several, and nothing is written', async () => {
  const shop = await newProject()
  const { db } = shop.service.runtime.database
  for (const code of ['A', 'B']) await newDiscount(shop, code, percentOff(10))
  const { id: anna } = await ok(shop, 'POST', '/v1/customers', { source_id: 'anna' })
  const found = async () => {
    const { rows } = await sql<{ id: string; xmin: string; redeemed_quantity: number }>`
      select id, xmin::text, redeemed_quantity from vouchers where project_id = ${shop.project_id} order by code`.execute(
      db,
    )
    return rows as [(typeof rows)[0], (typeof rows)[0]]
  }
  const now = '2026-01-01T12:00:00.000Z'
  const odd = 'NULL "quoted" {a,b} \\ ü'
  const event = { id: 'evred_1', type: 'redemption.succeeded', category: 'ACTION', entity_id: 'r_1', created_at: now }
  const save = (vouchers: ReadonlyArray<{ id: string; xmin: string }>, customers: string[]) => {
    const none = {
      stack_id: null,
      parent_id: null,
      redemption_id: null,
      amount: null,
      session_key: null,
      metadata: null,
    }
    const failure = { failure_code: null, failure_message: null, reason: null, reward: null, rollback: null }
    const kind = { object: 'redemption', status: 'SUCCEEDED', related_object_type: 'voucher', channel_type: 'API' }
    const payload = {
      customer_sums: customers.map((id) => ({ id, redemptions_succeeded: 1 })),
      vouchers: vouchers.map(({ id, xmin }) => ({ id, xmin, quantity: 1 })),
      redemptions: [
        {
          ...none,
          ...failure,
          ...kind,
          id: 'r_1',
          related_object_id: 'v',
          channel_id: odd,
          voucher_code: odd,
          undo: {},
          created_at: now,
        },
      ],
      usage: [
        {
          scope_id: 'v',
          day: '2026-01-01',
          is_undone: false,
          id: 'w-1',
          redemptions: 1,
          orders_amount: 0,
          discounted_amount: 0,
          credits: 0,
        },
      ],
      tallies: [{ name: 'redemptions', id: 'w-1', delta: 1 }],
      event_parts: [{ rows: [{ ...event, group_id: 'v-1', event_source: {}, data: {} }], parts: '[]' }],
    }
    const parameters = plainParameters({ project_id: shop.project_id, now } as never, payload as never, '5s')
    return savePlain(db, parameters as unknown[]).then(
      () => 'saved',
      (error: Error) => `${sqlState(error)} ${error.message}`,
    )
  }
  const [a, b] = await found()
  const stale = { ...b, xmin: '1' }
  expect(await save([stale], [])).toBe(`GU001 voucher ${b.id}`)
  expect(await save([a, stale], [])).toBe(`GU001 voucher ${b.id}`)
  expect(await save([a, b], [anna, 'cust_gone'])).toBe('GU001 customer cust_gone')
  expect(await found()).toEqual([a, b])
  expect(await save([a, b], [anna])).toBe('saved')
  expect((await found()).map(({ redeemed_quantity }) => redeemed_quantity)).toEqual([1, 1])
  const { rows } = await sql`
    select voucher_code, channel_id, campaign_id from redemptions where project_id = ${shop.project_id}`.execute(db)
  expect(rows).toEqual([{ voucher_code: odd, channel_id: odd, campaign_id: null }])
})
