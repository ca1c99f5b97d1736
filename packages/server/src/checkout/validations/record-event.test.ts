import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import {
  amountOff,
  asClient,
  newDiscount,
  newTier,
  redeemed,
  validate,
  validated,
  vouchers,
} from '../../testing/checkout.ts'
import { ok } from '../../testing/orders.ts'
import { eventsOf, newPromotion } from '../../testing/promotions.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const order = { items: [{ source_id: 'mug', related_object: 'product', quantity: 1, price: 900 }] }
const customer = { source_id: 'anna' }

async function shopWithCustomer(): Promise<{ shop: Shop; customer_id: string }> {
  const shop = await newProject()
  await newDiscount(shop, 'TEN', amountOff(10))
  const { id } = await ok(shop, 'POST', '/v1/customers', customer)
  return { shop, customer_id: id }
}

async function noted(shop: Shop) {
  await shop.service.runtime.deferred.flush()
  return eventsOf(shop, 'customer.validation.')
}

test('the event of a validation contains its response, with a tracking id that proves nothing', async () => {
  const { shop, customer_id } = await shopWithCustomer()
  const valid = await validated(shop, { redeemables: vouchers('TEN'), customer, order, metadata: {} })
  const invalid = await validated(shop, { redeemables: vouchers('NOWHERE'), customer, order })
  const alone = await ok(shop, 'POST', '/v1/vouchers/TEN/validate', { customer, order })
  await newTier(shop, await newPromotion(shop))
  const promotions = await ok(shop, 'POST', '/v1/promotions/validation', { customer, order })
  expect(promotions.promotions).toHaveLength(1)
  const expected = [
    ['succeeded', valid],
    ['failed', invalid],
    ['succeeded', alone],
    ['succeeded', promotions],
  ].map(([word, validation]) => ({
    type: `customer.validation.${word}`,
    entity_id: customer_id,
    data: { customer: expect.objectContaining({ id: customer_id, object: 'customer' }), validation: named(validation) },
  }))
  expect(JSON.stringify(await noted(shop))).not.toContain('track_v2')
  expect(await noted(shop)).toEqual(expected)
})

/** A response with the pseudonym of the customer wherever it shows the proof. */
function named(response: unknown): unknown {
  const text = JSON.stringify(response)
  expect(text).toContain('"tracking_id":"track_v2.')
  return JSON.parse(text, (key, value) => (key === 'tracking_id' ? expect.stringMatching(/^track_[\w-]{20,}$/) : value))
}

test('events that were stored with a proof are listed without it', async () => {
  const { shop, customer_id } = await shopWithCustomer()
  await newTier(shop, await newPromotion(shop))
  await validated(shop, { redeemables: vouchers('TEN'), customer, order })
  const { tracking_id } = await ok(shop, 'POST', '/v1/promotions/validation', { customer, order })
  expect(await noted(shop)).toHaveLength(2)
  const listed = async () => [
    (await ok(shop, 'GET', `/v1/customers/${customer_id}/activity?limit=2`)).data,
    (await shop.manage('GET', '/events?type=customer.validation.succeeded')).body.data,
  ]
  // The list of events shows none that is newer than a transaction that still runs, of other tests too.
  await until(async () => (await listed()).every((list) => list.length === 2) || undefined)
  const expected = await listed()
  expect(JSON.stringify(expected)).toContain('"tracking_id":"track_')
  await sql`update event_rows set data = regexp_replace(data, 'track_[\\w-]+', ${tracking_id}, 'g')
    where project_id = ${shop.project_id} and type = 'customer.validation.succeeded'`.execute(
    shop.service.runtime.database.db,
  )
  expect(await eventsOf(shop, 'customer.validation.')).toMatchObject([
    { data: { validation: { tracking_id } } },
    { data: { validation: { tracking_id, promotions: [{ tracking_id }] } } },
  ])
  expect(await listed()).toEqual(expected)
})

test('unknown customers, as_of requests, refusals and repeated requests emit no event', async () => {
  const { shop } = await shopWithCustomer()
  const body = { redeemables: vouchers('TEN'), order }
  await validated(shop, body)
  await validated(shop, { ...body, customer: { source_id: 'unknown' } })
  await validated(shop, { ...body, customer, options: { as_of: '2026-01-01T00:00:00Z' } })
  expect((await validate(shop, { ...body, customer, redeemables: vouchers('TEN', 'TEN') })).status).toBe(400)
  expect(await noted(shop)).toEqual([])
  const again = () => shop.call('POST', '/v1/validations', { ...body, customer }, { 'idempotency-key': 'once' })
  const [first, second] = [await again(), await again()]
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect(await noted(shop)).toMatchObject([{ data: { validation: { id: first.body.id } } }])
})

describe('of a long order', () => {
  const lines = (count: number, more: object = {}) =>
    Array.from({ length: count }, (_, n) => ({ product_id: `p-${n}`, quantity: 1, price: 900, ...more }))
  const wide = { metadata: { note: 'x'.repeat(700) } }
  const codes = ['TEN', 'TEN-2', 'TEN-3']

  async function shopWithCodes() {
    const { shop, customer_id } = await shopWithCustomer()
    for (const code of codes.slice(1)) await newDiscount(shop, code, amountOff(10))
    return { shop, customer_id }
  }

  async function eventOf(shop: Shop): Promise<Body> {
    const [event] = await until(async () => {
      const events = await noted(shop)
      return events.length > 0 ? events : undefined
    })
    const { validation } = (event as Body).data
    expect(JSON.stringify(validation).length).toBeLessThanOrEqual(limits.event_evaluation_bytes_max)
    return validation
  }

  const result = { discount: expect.objectContaining({ amount_off: 10 }) }
  const heads = codes.map((id) => ({ status: 'APPLICABLE', id, object: 'voucher', result }))

  test('the event leaves out the orders of the redeemables', async () => {
    const { shop } = await shopWithCodes()
    const body = { redeemables: vouchers(...codes), customer, order: { items: lines(30, wide) } }
    const validation = await validated(shop, body)
    expect(JSON.stringify(validation).length).toBeGreaterThan(100_000)
    const event = await eventOf(shop)
    expect(event).toMatchObject({ shortened: true, id: validation.id, valid: true, redeemables: heads })
    expect(event.order).toEqual({ ...validation.order })
    for (const part of event.redeemables) expect(part).not.toHaveProperty('order')
  })

  test('the event leaves out the metadata of the lines, then the lines', async () => {
    for (const [count, more, kept] of [
      [90, wide, 90],
      [500, wide, 0],
    ] as const) {
      const { shop } = await shopWithCodes()
      const body = { redeemables: vouchers(...codes), customer, order: { items: lines(count, more) } }
      const validation = await validated(shop, body)
      const event = await eventOf(shop)
      expect(event).toMatchObject({ shortened: true, id: validation.id, redeemables: heads })
      expect(event.order).toMatchObject({ amount: 900 * count, total_discount_amount: 30, metadata: {} })
      expect(event.order.items).toHaveLength(kept)
      if (kept > 0) expect(event.order.items[0]).toEqual({ ...validation.order.items[0], metadata: undefined })
    }
  })

  test('the event of one code, of one tier and of all tiers is shortened likewise', async () => {
    const { shop } = await shopWithCodes()
    const promotion = await newPromotion(shop)
    const tier = await newTier(shop, promotion)
    await newTier(shop, promotion)
    const body = { customer, order: { items: lines(500, wide) } }
    for (const [path, more] of [
      ['/v1/vouchers/TEN/validate', { code: 'TEN' }],
      [`/v1/promotions/tiers/${tier.id}/validation`, { id: tier.id }],
      ['/v1/promotions/validation', { promotions: [{ id: tier.id }, {}] }],
    ] as const) {
      const { valid } = await ok(shop, 'POST', path, body)
      expect(valid).toBe(true)
      const validation = await eventOf(shop)
      expect(validation).toMatchObject({ shortened: true, valid, ...more })
      await sql`delete from event_rows where project_id = ${shop.project_id}`.execute(shop.service.runtime.database.db)
    }
  })

  test('the events of a redemption repeat it only while it is short', async () => {
    const { shop } = await shopWithCodes()
    const ordersOf = async () =>
      (await eventsOf(shop, 'redemption.')).map(({ data }: Body) => [
        data.redemption.redemption === undefined,
        data.order.items.length,
      ])
    await redeemed(shop, { redeemables: vouchers('TEN', 'TEN-2'), customer, order: { items: lines(20) } })
    expect(await ordersOf()).toEqual([
      [false, 20],
      [false, 20],
      [true, 20],
    ]) // two codes and their parent
    const { shop: other } = await shopWithCodes()
    const items = lines(240)
    await redeemed(other, { redeemables: vouchers(...codes), customer, order: { items } })
    const events = await eventsOf(other, 'redemption.')
    expect(events.map(({ data }: Body) => data.order.items.length)).toEqual([0, 0, 0, 240])
    expect(events[0]?.data).toMatchObject({
      order: { amount: 216_000, total_discount_amount: 10, metadata: {} },
      redemption: { order: { items: [], total_discount_amount: 10 } },
    })
    const [paid]: Body[] = await eventsOf(other, 'customer.order.paid')
    expect(paid.data.order.items).toHaveLength(240)
  })

  test('a page stores no reply of a validation that saves nothing under its Idempotency-Key', async () => {
    const shop = await newProject({ project: { client_trusted_domains: ['shop.example'] } })
    await newDiscount(shop, 'TEN', amountOff(10))
    const headers = {
      'x-app-id': shop.client_id,
      'x-app-token': shop.client_token,
      origin: 'https://shop.example',
      'idempotency-key': 'again',
    }
    const ask = (more: object = {}) =>
      shop.call('POST', '/client/v1/validations', { redeemables: vouchers('TEN'), order, ...more }, headers)
    const [first, second] = [await ask(), await ask()]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.headers).not.toHaveProperty('idempotency-replayed')
    // What it holds for a session is saved, so this reply is stored.
    const session = { session: { type: 'LOCK' } }
    expect((await ask(session)).status).toBe(200)
    expect((await ask(session)).headers['idempotency-replayed']).toBe('true')
    expect(
      (await asClient(shop, 'POST', '/client/v1/validations', { redeemables: vouchers('TEN'), order })).status,
    ).toBe(200)
  })
})
