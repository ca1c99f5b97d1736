import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../testing/app.ts'
import { newCampaign } from '../testing/campaigns.ts'

async function newShop(): Promise<Shop> {
  const shop = await newProject()
  const properties = {
    page: { type: 'string', optional: false },
    seconds: { type: 'number', optional: true },
  }
  const { status } = await shop.manage('POST', '/custom-event-schemas', { name: 'visit', schema: { properties } })
  expect(status).toBe(200)
  return shop
}

const track = (shop: Shop, body: object) =>
  shop.call('POST', '/v1/events', { event: 'visit', customer: { source_id: 'u1' }, metadata: { page: '/' }, ...body })

test('an event creates its customer, or brings it up to date, and is told in its activity', async () => {
  const shop = await newShop()
  const first = await track(shop, { customer: { source_id: 'u1', name: 'Ann' }, metadata: { page: '/', extra: [1] } })
  expect(first).toMatchObject({ status: 200 })
  const { id } = (await shop.call('GET', '/v1/customers/u1')).body
  const customer = { id, name: 'Ann', email: null, source_id: 'u1', metadata: {}, object: 'customer' }
  expect(first.body).toEqual({
    object: 'event',
    type: 'visit',
    customer,
    referral: null,
    loyalty: null,
    metadata: { page: '/', extra: [1] },
  })
  await track(shop, { customer: { id }, metadata: { page: '/cart', seconds: 3 } })

  const { body } = await shop.call('GET', '/v1/customers/u1/activity?type=customer.custom_event')
  expect(body.data).toHaveLength(2)
  expect(body.data[0]).toMatchObject({
    type: 'customer.custom_event',
    category: 'ACTION',
    data: {
      event: {
        id: expect.stringMatching(/^event_[0-9a-f]{18}$/),
        object: 'event',
        type: 'visit',
        customer,
        referral: null,
        loyalty: null,
        metadata: { page: '/cart', seconds: 3 },
      },
      event_schema: { id: expect.stringMatching(/^ms_/), name: 'visit' },
      customer,
      referral: null,
      loyalty: null,
    },
  })
})

test('the same event twice is two events, and filters count them', async () => {
  const shop = await newShop()
  shop.service.clock.set('2025-03-01T00:00:00.000Z')
  await track(shop, {})
  shop.service.clock.set('2025-03-03T00:00:00.000Z')
  await track(shop, {})
  await track(shop, { customer: { source_id: 'u2' } })
  const find = async (filter: string) =>
    (await shop.call('GET', `/v1/customers?order=source_id&filters[events.visit.${filter}`)).body.customers.map(
      (one: { source_id: string }) => one.source_id,
    )
  expect(await find('count][conditions][$is]=2')).toEqual(['u1'])
  expect(await find('count][conditions][$more_than]=0')).toEqual(['u1', 'u2'])
  expect(await find('first][conditions][$before]=2025-03-02')).toEqual(['u1'])
  expect(await find('last][conditions][$after]=2025-03-02')).toEqual(['u1', 'u2'])
})

describe('refused, and nothing is stored', () => {
  test.each([
    [
      'an unknown event',
      { event: 'jump' },
      404,
      'not_found',
      { resource_type: 'custom_event_schema', resource_id: 'jump' },
    ],
    ['another spelling', { event: 'Visit' }, 404, 'not_found', {}],
    [
      'no event',
      { event: undefined },
      400,
      'invalid_payload',
      { details: `Payload should have required property 'event'` },
    ],
    ['a long name', { event: 'x'.repeat(301) }, 400, 'invalid_payload', {}],
    ['no customer', { customer: undefined }, 400, 'invalid_payload', {}],
    ['a customer without a name', { customer: { email: 'a@x' } }, 400, 'invalid_customer', {}],
    ['an unknown customer', { customer: { id: 'cust_none' } }, 404, 'not_found', { resource_type: 'customer' }],
    ['metadata of another type', { metadata: { page: 5 } }, 400, 'metadata_validation_failed', {}],
    ['metadata without what is required', { metadata: {} }, 400, 'metadata_validation_failed', {}],
    ['an unknown referral code', { referral: { code: 'R1' } }, 404, 'not_found', { resource_type: 'voucher' }],
    ['an unknown card', { loyalty: { code: 'L1' } }, 404, 'not_found', { resource_type: 'voucher' }],
    ['a referral without a code', { referral: {} }, 400, 'invalid_payload', {}],
  ])('%s', async (_, body, status, key, more) => {
    const shop = await newShop()
    expect(await track(shop, body)).toMatchObject({ status, body: { key, ...more } })
    expect((await shop.call('GET', '/v1/customers')).body.total).toBe(0)
  })
})

describe('an event that names a code', () => {
  test('tells who referred and which card is to earn', async () => {
    const shop = await newShop()
    const club = { type: 'LOYALTY_CARD', loyalty_card: { points: 0 } }
    await newCampaign(shop, 'Refer', { campaign_type: 'REFERRAL_PROGRAM', type: 'AUTO_UPDATE' })
    await newCampaign(shop, 'Club', { type: 'AUTO_UPDATE', voucher: club })
    const publish = async (campaign: string) =>
      (await shop.call('POST', '/v1/publications', { campaign, customer: { source_id: 'anna' } })).body
    const { voucher, customer_id: referrer_id } = await publish('Refer')
    const card = (await publish('Club')).voucher
    const answer = await track(shop, { referral: { code: voucher.code }, loyalty: { code: card.code } })
    expect(answer).toMatchObject({ status: 200, body: { referral: null, loyalty: null } })
    const { body } = await shop.call('GET', '/v1/customers/u1/activity?type=customer.custom_event')
    expect(body.data[0].data).toMatchObject({
      event: { referral: { code: voucher.code, id: voucher.id, referrer_id }, loyalty: { code: card.code } },
      referral: { referrer: { id: referrer_id }, voucher: { code: voucher.code }, campaign: { name: 'Refer' } },
      loyalty: { voucher: { code: card.code }, campaign: { name: 'Club' } },
    })
  })

  test('keeps its schema while a referral program waits for it', async () => {
    const shop = await newShop()
    const { data } = (await shop.manage('GET', '/custom-event-schemas')).body
    const { id } = await newCampaign(shop, 'Refer', {
      campaign_type: 'REFERRAL_PROGRAM',
      referral_program: { conversion_event_type: 'custom_event', custom_event: { name: 'visit' } },
    })
    const remove = () => shop.manage('DELETE', `/custom-event-schemas/${data[0].id}`)
    expect(await remove()).toMatchObject({
      status: 400,
      body: { key: 'resource_in_use', related_object_type: 'campaign', related_object_ids: [id] },
    })
    await shop.call('DELETE', '/v1/campaigns/Refer')
    expect(await remove()).toMatchObject({ status: 204 })
  })
})
