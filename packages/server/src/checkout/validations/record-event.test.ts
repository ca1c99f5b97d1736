import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { amountOff, newDiscount, newTier, validate, validated, vouchers } from '../../testing/checkout.ts'
import { ok } from '../../testing/orders.ts'
import { eventsOf, newPromotion } from '../../testing/promotions.ts'

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
