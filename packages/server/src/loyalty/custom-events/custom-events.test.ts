import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import { asClient } from '../../testing/checkout.ts'

async function newShop(project: Record<string, unknown> = {}): Promise<Shop> {
  const shop = await newProject({ project })
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

test('an event creates or updates its customer, and appears in the activity', async () => {
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

test('an event sent twice is stored and counted twice', async () => {
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

describe('refuses without storing anything', () => {
  test.each([
    [
      'an unknown event',
      { event: 'jump' },
      404,
      'not_found',
      {
        resource_type: 'custom_event_schema',
        resource_id: 'jump',
        details: expect.stringMatching(
          /^Cannot find custom_event_schema with id jump\. Define it by POST \/management\/v1\/projects\/proj_\w+\/custom-event-schemas$/,
        ),
      },
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
    ['a customer without id and source id', { customer: { email: 'a@x' } }, 400, 'invalid_customer', {}],
    ['an unknown customer', { customer: { id: 'cust_none' } }, 404, 'not_found', { resource_type: 'customer' }],
    ['metadata of another type', { metadata: { page: 5 } }, 400, 'metadata_validation_failed', {}],
    ['metadata without a required property', { metadata: {} }, 400, 'metadata_validation_failed', {}],
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
  test('contains the referrer and the card that is to earn', async () => {
    const shop = await newShop()
    const club = { type: 'LOYALTY_CARD', loyalty_card: { points: 0 } }
    await newCampaign(shop, 'Refer', { campaign_type: 'REFERRAL_PROGRAM', type: 'AUTO_UPDATE' })
    await newCampaign(shop, 'Club', { type: 'AUTO_UPDATE', voucher: club })
    const publish = async (campaign: string) =>
      (await shop.call('POST', '/v1/publications', { campaign, customer: { source_id: 'anna' } })).body
    const { voucher, customer_id: referrerId } = await publish('Refer')
    const card = (await publish('Club')).voucher
    const answer = await track(shop, { referral: { code: voucher.code }, loyalty: { code: card.code } })
    expect(answer).toMatchObject({ status: 200, body: { referral: null, loyalty: null } })
    const { body } = await shop.call('GET', '/v1/customers/u1/activity?type=customer.custom_event')
    expect(body.data[0].data).toMatchObject({
      event: {
        referral: { code: voucher.code, id: voucher.id, referrer_id: referrerId },
        loyalty: { code: card.code },
      },
      referral: { referrer: { id: referrerId }, voucher: { code: voucher.code }, campaign: { name: 'Refer' } },
      loyalty: { voucher: { code: card.code }, campaign: { name: 'Club' } },
    })
  })

  test('has a schema that cannot be deleted while a referral program refers to it', async () => {
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

describe('from the client side', () => {
  const newClientShop = (flags: object = {}) => newShop({ client_trusted_domains: ['shop.example'], ...flags })
  const send = (shop: Shop, body: object = {}) =>
    asClient(shop, 'POST', '/client/v1/events', {
      event: 'visit',
      customer: { source_id: 'u1' },
      metadata: { page: '/' },
      ...body,
    })
  const disabled = (flag: string) => ({
    status: 403,
    body: { key: 'forbidden', details: `Client-side operation is disabled: ${flag}` },
  })

  test('an event of an existing customer is stored, and the customer is not changed', async () => {
    const shop = await newClientShop()
    const { body: anna } = await shop.call('POST', '/v1/customers', { source_id: 'u1', name: 'Ann' })
    const first = await send(shop, { customer: { source_id: 'u1', name: 'Eve', metadata: { level: 'gold' } } })
    expect(first).toMatchObject({
      status: 200,
      body: { object: 'event', type: 'visit', customer: { id: anna.id, source_id: 'u1' }, referral: null },
    })
    expect(await send(shop, { customer: { id: anna.id } })).toMatchObject({ status: 200 })
    const { body: customer } = await shop.call('GET', '/v1/customers/u1')
    expect(customer).toMatchObject({ name: 'Ann' })
    expect(customer).not.toHaveProperty('metadata')
    const { body } = await shop.call('GET', '/v1/customers/u1/activity?type=customer.custom_event')
    expect(body.data).toHaveLength(2)
    expect(body.data[0]).toMatchObject({ event_source: { channel: 'CLIENT_API' } })
  })

  test('new customers are created only if the project enables it', async () => {
    const shop = await newClientShop()
    for (const customer of [{ source_id: 'u1' }, { id: 'cust_none' }])
      expect(await send(shop, { customer })).toMatchObject(disabled('client_create_customer_enabled'))
    expect((await shop.call('GET', '/v1/customers')).body.total).toBe(0)
    await shop.manage('PUT', '', { client_create_customer_enabled: true })
    expect(await send(shop, { customer: { source_id: 'u1', name: 'Ann' } })).toMatchObject({ status: 200 })
    expect(await send(shop, { customer: { source_id: 'u1', name: 'Eve' } })).toMatchObject({ status: 200 })
    expect(await send(shop, { customer: { id: 'cust_none' } })).toMatchObject({ status: 404 })
    const { total, customers } = (await shop.call('GET', '/v1/customers')).body
    expect({ total, name: customers[0].name }).toEqual({ total: 1, name: 'Eve' })
  })

  test('referrals and cards are accepted only if the project enables them', async () => {
    const shop = await newClientShop({ client_create_customer_enabled: true })
    for (const named of [{ referral: { code: 'R1' } }, { loyalty: { code: 'L1' } }])
      expect(await send(shop, named)).toMatchObject(disabled('client_loyalty_events_enabled'))
    expect(await send(shop, { referral: null, loyalty: null })).toMatchObject({ status: 200 })
    await shop.manage('PUT', '', { client_loyalty_events_enabled: true })
    await newCampaign(shop, 'Club', {
      type: 'AUTO_UPDATE',
      voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 0 } },
    })
    const given = await shop.call('POST', '/v1/publications', { campaign: 'Club', customer: { source_id: 'u1' } })
    expect(await send(shop, { loyalty: { code: given.body.voucher.code } })).toMatchObject({ status: 200 })
    expect(await send(shop, { referral: { code: 'R1' } })).toMatchObject({ status: 404 })
  })

  test('the token of a customer replaces its source id', async () => {
    const shop = await newClientShop()
    const { body: anna } = await shop.call('POST', '/v1/customers', { source_id: 'u1' })
    const { tracking_id } = (await shop.call('POST', '/v1/promotions/validation', { customer: { source_id: 'u1' } }))
      .body
    expect(await send(shop, { customer: { source_id: tracking_id } })).toMatchObject({
      status: 200,
      body: { customer: { id: anna.id, source_id: tracking_id } },
    })
  })
})
