import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { expectStablePaging } from '../../testing/paging.ts'

const discount = { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 700 } }

async function called(shop: Shop, method: string, path: string, body?: unknown) {
  const answer = await shop.call(method, path, body)
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(200)
  return answer.body
}

/** A campaign with these codes, oldest first. */
async function newCampaign(shop: Shop, name: string, codes: string[] = [], more: object = {}) {
  const campaign = await called(shop, 'POST', '/v1/campaigns', { name, voucher: discount, ...more })
  for (const code of codes) await called(shop, 'POST', `/v1/campaigns/${name}/vouchers/${code}`, {})
  return campaign
}

const publish = (shop: Shop, body: object, query = '') => shop.call('POST', `/v1/publications${query}`, body)
const published = (shop: Shop, body: object, query = '') => called(shop, 'POST', `/v1/publications${query}`, body)
const listed = (shop: Shop, query = '') => called(shop, 'GET', `/v1/publications${query}`)
const voucher = (shop: Shop, code: string) => called(shop, 'GET', `/v1/vouchers/${code}`)

// biome-ignore lint/suspicious/noExplicitAny: what an event carries is whatever the test expects of it
type StoredEvent = { id: string; type: string; entity_id: string; data: any }

/** All events, oldest first: after its prefix, every id begins with a timestamp. */
async function eventsOf(shop: Shop): Promise<Array<Omit<StoredEvent, 'id'>>> {
  const rows = await shop.service.runtime.database.db
    .selectFrom('events')
    .where('project_id', '=', shop.project_id)
    .select(['id', 'type', 'entity_id', 'data'])
    .$castTo<StoredEvent>()
    .execute()
  const moment = ({ id }: StoredEvent) => id.slice(id.indexOf('_'))
  return rows.sort((a, b) => (moment(a) < moment(b) ? -1 : 1)).map(({ id: _, ...event }) => event)
}
const typesOf = async (shop: Shop) => (await eventsOf(shop)).map(({ type }) => type)

async function demandNumber(shop: Shop, relatedObject: string, name: string) {
  const definition = { type: 'number', optional: true, array: false, deleted: false }
  const answer = await shop.manage('POST', '/metadata-schemas', {
    related_object: relatedObject,
    properties: { [name]: definition },
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}

const refused = (key: string, details?: string) => ({
  status: 400,
  body: { key, ...(details === undefined ? {} : { details }) },
})

describe('a code of a campaign', () => {
  test('is published to the customer: the response has the full voucher and customer, and events are emitted', async () => {
    const shop = await newProject()
    const campaign = await newCampaign(shop, 'Autumn', ['A1', 'A2'])
    const before = (await typesOf(shop)).length
    const answer = await published(shop, {
      campaign: { name: 'Autumn' },
      customer: { source_id: 'anna', name: 'Anna' },
      metadata: { mail: 7 },
    })
    const { id: customerId } = await called(shop, 'GET', '/v1/customers/anna')
    const code = await voucher(shop, 'A1')
    expect(answer).toEqual({
      id: expect.stringMatching(/^pub_[0-9A-Za-z]{32}$/),
      object: 'publication',
      created_at: expect.any(String),
      customer_id: customerId,
      tracking_id: 'anna',
      metadata: { mail: 7 },
      channel: 'API',
      source_id: null,
      result: 'SUCCESS',
      customer: expect.objectContaining({
        id: customerId,
        name: 'Anna',
        summary: expect.any(Object),
        loyalty: expect.any(Object),
        referrals: expect.any(Object),
      }),
      vouchers_id: [code.id],
      voucher: code,
    })
    expect(code).toMatchObject({
      holder_id: customerId,
      publish: { count: 1 },
      updated_at: answer.created_at,
      validation_rules_assignments: { total: 0 },
      categories: [],
    })
    expect(code).not.toHaveProperty('referrer_id')

    const [created, ...events] = (await eventsOf(shop)).slice(before)
    expect(created).toMatchObject({ type: 'customer.created', entity_id: customerId })
    const { voucher: _, customer: __, ...plain } = answer
    const customer = { id: customerId, name: 'Anna', email: null, source_id: 'anna', metadata: {}, object: 'customer' }
    const publication = { ...plain, customer }
    const short = expect.objectContaining({ id: code.id, code: 'A1', holder_id: customerId, object: 'voucher' })
    const common = { customer, campaign: expect.objectContaining({ id: campaign.id, name: 'Autumn' }) }
    expect(events).toEqual([
      {
        type: 'publication.succeeded',
        entity_id: answer.id,
        data: { ...common, publication, voucher: short, user: null },
      },
      {
        type: 'customer.publication.succeeded',
        entity_id: customerId,
        data: { ...common, publication: { ...publication, voucher: short } },
      },
      {
        type: 'voucher.published',
        entity_id: code.id,
        data: { ...common, publication, voucher: short, created_at: answer.created_at },
      },
    ])
    const summary = await called(shop, 'GET', '/v1/campaigns/Autumn/summary')
    expect(summary).toMatchObject({ publications: 1, publications_succeeded: 1, publications_failed: 0 })
  })

  test('the oldest suitable voucher is published first, never a disabled, expired, published or deleted one', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Autumn', ['Z', 'OFF', 'OVER', 'BIN', 'HELD', 'M', 'B'])
    await called(shop, 'POST', '/v1/vouchers/OFF/disable')
    await called(shop, 'PUT', '/v1/vouchers/OVER', { expiration_date: '2020-01-01' })
    await called(shop, 'PUT', '/v1/vouchers/M', { start_date: '2999-01-01', validity_day_of_week: [] })
    expect((await shop.call('DELETE', '/v1/vouchers/BIN')).status).toBe(204)
    await published(shop, { voucher: 'HELD', customer: 'bob' })
    await called(shop, 'POST', '/v1/campaigns/Autumn/disable')
    const codes = []
    for (let n = 0; n < 3; n++)
      codes.push((await published(shop, { campaign: 'Autumn', customer: 'anna' })).voucher.code)
    expect(codes).toEqual(['Z', 'M', 'B'])
    expect(await publish(shop, { campaign: 'Autumn', customer: 'anna' })).toMatchObject(
      refused('no_voucher_suitable_for_publication', expect.stringContaining('auto-update campaign') as never),
    )
  })

  test('validity after publishing starts at the publication, in the time zone of the project', async () => {
    const cases = [
      ['Europe/Warsaw', 'P10D', '2025-10-20T08:15:00.000Z', '2025-10-30T09:15:00.000Z'],
      ['Europe/Warsaw', 'PT240H', '2025-10-20T08:15:00.000Z', '2025-10-30T08:15:00.000Z'],
      ['UTC', 'P1M', '2025-01-31T12:00:00.000Z', '2025-02-28T12:00:00.000Z'],
      ['UTC', 'P9999Y', '2025-01-31T12:00:00.000Z', '9999-12-31T23:59:59.999Z'],
    ] as const
    for (const [timezone, activityDurationAfterPublishing, at, expirationDate] of cases) {
      const shop = await newProject({ project: { timezone } })
      const ends = { expiration_date: '2030-10-25T00:00:00.000Z', start_date: '2024-01-01T00:00:00.000Z' }
      await newCampaign(shop, 'Autumn', ['A1', 'A2'], {
        activity_duration_after_publishing: activityDurationAfterPublishing,
        ...ends,
      })
      shop.service.clock.set(at)
      const answer = await published(shop, { campaign: 'Autumn', customer: 'anna' })
      expect(answer).toMatchObject({ created_at: expect.stringContaining(at.slice(0, 19)) })
      const offBy = Date.parse(answer.created_at) - Date.parse(at)
      const exact = Date.parse(answer.voucher.expiration_date) - (expirationDate.startsWith('9999') ? 0 : offBy)
      expect(new Date(exact).toISOString()).toBe(expirationDate)
      expect(await voucher(shop, 'A1')).toEqual(answer.voucher)
      expect(answer.voucher.start_date).toBe(ends.start_date)
      expect(await voucher(shop, 'A2')).toMatchObject(ends)
    }
  })

  test('a request for more vouchers than are left publishes none and is recorded as a failure; one for all that are left succeeds', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Autumn', ['Q1', 'Q2'])
    const answer = await publish(shop, {
      campaign: { name: 'Autumn', count: 3 },
      customer: { source_id: 'anna', name: 'A' },
    })
    expect(answer).toMatchObject(refused('no_voucher_suitable_for_publication'))
    for (const code of ['Q1', 'Q2']) expect(await voucher(shop, code)).toMatchObject({ publish: { count: 0 } })
    const anna = await called(shop, 'GET', '/v1/customers/anna') // created together with the failed publication
    expect(anna.name).toBe('A')
    expect(await listed(shop)).toEqual({
      object: 'list',
      data_ref: 'publications',
      publications: [
        {
          id: expect.stringMatching(/^pub_/),
          object: 'publication',
          created_at: expect.any(String),
          customer_id: anna.id,
          tracking_id: 'anna',
          metadata: {},
          channel: 'API',
          source_id: null,
          result: 'FAILURE',
          customer: { id: anna.id, name: 'A', email: null, source_id: 'anna', metadata: {}, object: 'customer' },
          vouchers_id: [],
          vouchers: [],
          failure_code: 'no_voucher_suitable_for_publication',
          failure_message: answer.body.details,
        },
      ],
      total: 1,
    })
    const [failed] = (await eventsOf(shop)).slice(-1)
    expect(failed).toMatchObject({
      type: 'customer.publication.failed',
      entity_id: anna.id,
      data: { campaign: { name: 'Autumn' }, publication: { result: 'FAILURE', vouchers_id: [] } },
    })
    expect(await called(shop, 'GET', '/v1/campaigns/Autumn/summary')).toMatchObject({ publications_failed: 1 })

    const both = await published(shop, { campaign: { name: 'Autumn', count: 2 }, customer: 'anna', channel: 'Email' })
    expect(both).toMatchObject({ vouchers: ['Q1', 'Q2'], channel: 'Email' })
    expect(both.vouchers_id).toHaveLength(2)
    expect(both).not.toHaveProperty('voucher')
    expect((await listed(shop, '?result=SUCCESS')).publications[0]).toMatchObject({ vouchers: ['Q1', 'Q2'] })
    expect((await typesOf(shop)).slice(-4)).toEqual([
      'publication.succeeded',
      'customer.publication.succeeded',
      'voucher.published',
      'voucher.published',
    ])
    const [event] = (await eventsOf(shop)).slice(-4)
    expect(event?.data.vouchers.map(({ code }: { code: string }) => code)).toEqual(['Q1', 'Q2'])
  })

  test('an auto-update campaign creates vouchers until no free codes are left', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Auto', [], {
      type: 'AUTO_UPDATE',
      voucher: { ...discount, code_config: { charset: 'ABC', pattern: '##-#' } },
    })
    const before = (await typesOf(shop)).length
    const first = await published(shop, { campaign: { name: 'Auto', count: 2 }, customer: 'anna' })
    expect(first.vouchers).toHaveLength(2)
    expect((await typesOf(shop)).slice(before)).toEqual([
      'customer.created',
      'voucher.created',
      'voucher.created',
      'publication.succeeded',
      'customer.publication.succeeded',
      'voucher.published',
      'voucher.published',
    ])
    const created = (await eventsOf(shop))[before + 1]
    expect(created?.data).toMatchObject({
      voucher: { publish: { count: 0 }, validation_rules_assignments: { total: 0 } },
      campaign: { name: 'Auto' },
    })
    expect(created?.data.voucher).not.toHaveProperty('holder_id')
    const codes = new Set<string>(first.vouchers)
    for (let n = 3; n <= 27; n++)
      codes.add((await published(shop, { campaign: 'Auto', customer: 'anna' })).voucher.code)
    expect(codes.size).toBe(27)
    for (const campaign of ['Auto', { name: 'Auto', count: 2 }])
      expect(await publish(shop, { campaign, customer: 'anna' })).toMatchObject(
        refused('no_voucher_suitable_for_publication', "Couldn't create new vouchers for publication"),
      )
    expect(await called(shop, 'GET', '/v1/campaigns/Auto')).toMatchObject({ vouchers_count: 27 })
    expect(await called(shop, 'GET', '/v1/campaigns/Auto/summary')).toMatchObject({
      vouchers_created: 27,
      publications_succeeded: 26,
      publications_failed: 2,
    })
    // Existing free vouchers are used first, and are unlocked again if they do not suffice.
    await called(shop, 'POST', '/v1/campaigns/Auto/vouchers/FREE', {})
    expect(await publish(shop, { campaign: { name: 'Auto', count: 2 }, customer: 'anna' })).toMatchObject({
      status: 400,
    })
    expect(await published(shop, { campaign: 'Auto', customer: 'anna' })).toMatchObject({ voucher: { code: 'FREE' } })
  })
})

describe('one named code', () => {
  test('is published once, with or without a campaign', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Autumn', ['A1'])
    await called(shop, 'POST', '/v1/vouchers/ALONE', { gift: { amount: 500 } })
    for (const code of ['A1', 'ALONE']) {
      const answer = await published(shop, { voucher: code, campaign: 'ignored', customer: 'anna' })
      expect(answer.voucher).toMatchObject({ code, publish: { count: 1 } })
      const again = { voucher: code, customer: 'anna' }
      expect(await publish(shop, again)).toMatchObject(
        refused('voucher_already_published', `Voucher '${answer.voucher.id}' has already been published`),
      )
      const [failure] = (await listed(shop, `?voucher=${code}&result=FAILURE`)).publications
      expect(failure).toMatchObject({ vouchers_id: [answer.voucher.id], failure_code: 'voucher_already_published' })
    }
    const [, event] = (await eventsOf(shop)).filter(({ type }) => type === 'publication.succeeded')
    expect(event?.data.campaign).toBeNull()
  })

  test('must be active and not expired', async () => {
    const shop = await newProject()
    for (const [code, more] of [
      ['OFF', { active: false }],
      ['OVER', { expiration_date: '2020-01-01' }],
    ] as const) {
      await called(shop, 'POST', `/v1/vouchers/${code}`, { ...discount, ...more })
      expect(await publish(shop, { voucher: code, customer: 'anna' })).toMatchObject(
        refused('no_voucher_suitable_for_publication'),
      )
    }
    expect((await listed(shop, '?result=FAILURE')).total).toBe(2)
  })
})

test('other refusals are not recorded', async () => {
  const shop = await newProject()
  await newCampaign(shop, 'Autumn', ['A1', 'A2'])
  await newCampaign(shop, 'Club', [], { type: 'AUTO_UPDATE', join_once: true })
  await called(shop, 'POST', '/v1/campaigns', { name: 'Promo', campaign_type: 'PROMOTION' })
  await demandNumber(shop, 'publication', 'rank')
  await demandNumber(shop, 'customer', 'age')
  const before = await eventsOf(shop)
  const two = { name: 'Autumn', count: 2 }
  const cases: Array<[body: object, query: string, status: number, key: string, details?: string]> = [
    [{ campaign: 'Autumn' }, '', 400, 'invalid_payload', "Payload should have required property 'customer'"],
    [{ campaign: 'Autumn', customer: {} }, '', 400, 'invalid_payload'],
    [{ campaign: 'Autumn', customer: { metadata: {} } }, '', 400, 'invalid_payload'],
    [{ customer: 'new' }, '', 400, 'missing_vouchers', 'Either Campaign or Voucher is required'],
    [{ voucher: 'none', customer: 'new' }, '', 404, 'not_found', 'Cannot find voucher with id none'],
    [{ campaign: 'none', customer: 'new' }, '', 404, 'not_found', 'Cannot find campaign with id none'],
    [{ campaign: 'Promo', customer: 'new' }, '', 400, 'invalid_campaign'],
    [{ campaign: { name: 'Autumn', count: 51 }, customer: 'new' }, '', 400, 'invalid_payload'],
    [{ campaign: { name: 'Autumn', count: 0 }, customer: 'new' }, '', 400, 'invalid_payload'],
    [{ campaign: { count: 1 }, customer: 'new' }, '', 400, 'invalid_payload'],
    [{ campaign: two, customer: 'new', source_id: 's' }, '', 400, 'too_many_vouchers_requested'],
    [{ campaign: two, customer: 'new' }, '?join_once=true', 400, 'too_many_vouchers_requested'],
    [{ campaign: { name: 'Club', count: 2 }, customer: 'new' }, '', 400, 'too_many_vouchers_requested'],
    [{ campaign: 'Autumn', customer: { id: 'cust_none', source_id: 'new' } }, '', 404, 'not_found'],
    [{ campaign: 'Autumn', customer: 'cust_none' }, '', 404, 'not_found', 'Cannot find customer with id cust_none'],
    [{ campaign: 'Autumn', customer: 'new', metadata: { rank: 'x' } }, '', 400, 'metadata_validation_failed'],
    [
      { campaign: 'Autumn', customer: { source_id: 'new', metadata: { age: 'x' } } },
      '',
      400,
      'metadata_validation_failed',
    ],
  ]
  for (const [body, query, status, key, details] of cases)
    expect([body, await publish(shop, body, query)]).toMatchObject([
      body,
      { status, body: { key, ...(details && { details }) } },
    ])
  expect((await listed(shop)).total).toBe(0)
  expect((await called(shop, 'GET', '/v1/customers')).total).toBe(0)
  expect(await voucher(shop, 'A1')).toMatchObject({ publish: { count: 0 } })
  expect(await eventsOf(shop)).toEqual(before)
})

describe('the customer', () => {
  test('is given by id, by source id, as plain text, or new and anonymous', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Auto', [], { type: 'AUTO_UPDATE' })
    const { id } = await called(shop, 'POST', '/v1/customers', { source_id: 'anna', name: 'Anna', metadata: { a: 1 } })
    const to = async (customer: unknown) => (await published(shop, { campaign: 'Auto', customer })).customer
    for (const customer of [id, 'anna', { id }, { source_id: 'anna' }, { id, source_id: 'other' }])
      expect(await to(customer)).toMatchObject({ id, name: 'Anna' })
    const before = (await typesOf(shop)).filter((type) => type === 'customer.updated').length
    expect(before).toBe(0)
    expect(await to({ source_id: 'anna', email: 'a@x.y', metadata: { b: 2 } })).toMatchObject({
      id,
      name: 'Anna',
      email: 'a@x.y',
      metadata: { a: 1, b: 2 },
    })
    expect((await typesOf(shop)).filter((type) => type === 'customer.updated')).toHaveLength(1)
    expect(await to('bob')).toMatchObject({ source_id: 'bob' })
    const [one, other] = [await to({ name: 'Without ids' }), await to({ name: 'Without ids' })]
    expect(one).toMatchObject({ source_id: null, name: 'Without ids' })
    expect(other.id).not.toBe(one.id)
    const nameless = await listed(shop, `?customer=${one.id}`)
    expect(nameless.publications[0]).not.toHaveProperty('tracking_id')
  })
})

test('may enter a segment through a publication', async () => {
  const shop = await newProject()
  await newCampaign(shop, 'Autumn', ['A1'])
  await called(shop, 'POST', '/v1/customers', { source_id: 'anna' })
  const { id: related } = await voucher(shop, 'A1')
  const filter = { junction: 'and', 'publications.related_object_id': { conditions: { $is: [related] } } }
  const segment = await called(shop, 'POST', '/v1/segments', { name: 'Given', type: 'auto-update', filter })
  const { db } = shop.service.runtime.database
  await db.deleteFrom('segment_checks').where('project_id', '=', shop.project_id).execute()
  const segments = async () => (await called(shop, 'GET', '/v1/customers/anna/segments')).data
  expect(await segments()).toEqual([])
  const { customer_id } = await published(shop, { campaign: 'Autumn', customer: 'anna' })
  expect(await segments()).toMatchObject([{ id: segment.id }])
  expect((await called(shop, 'GET', `/v1/customers?segment_id=${segment.id}`)).total).toBe(1)
  const today = await called(shop, 'GET', '/v1/customers?filters[publications.created_at][conditions][$today]=')
  expect(today.total).toBe(1)
  const checks = await db
    .selectFrom('segment_checks')
    .where('project_id', '=', shop.project_id)
    .select('customer_id')
    .execute()
  expect(checks).toEqual([{ customer_id }])
})

describe('join once', () => {
  test('a customer gets one voucher, in every form of request', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Refer', [], {
      type: 'AUTO_UPDATE',
      join_once: true,
      campaign_type: 'REFERRAL_PROGRAM',
      referral_program: { conversion_event: { type: 'redemption' } },
    })
    const first = await published(shop, { campaign: 'Refer', customer: { source_id: 'anna' } })
    const { code, id } = first.voucher
    const anna = first.customer_id
    expect(first.voucher).toMatchObject({ is_referral_code: true, holder_id: anna, referrer_id: anna })
    const before = (await eventsOf(shop)).length
    const same = { id: first.id, voucher: { code, publish: { count: 1 } } }

    expect(await published(shop, { campaign: 'Refer', customer: { source_id: 'anna', name: 'New' } })).toMatchObject(
      same,
    )
    expect(await called(shop, 'GET', '/v1/customers/anna')).not.toHaveProperty('name') // a repeated request changes nothing
    const another = { campaign: 'Refer', customer: 'anna', source_id: 'x-2' }
    expect(await published(shop, another, '?join_once=true')).toMatchObject(same)
    expect(await published(shop, { voucher: code, customer: 'anna' })).toMatchObject(same)
    expect(await eventsOf(shop)).toHaveLength(before)
    expect((await listed(shop)).total).toBe(1)

    const refusal = refused(
      'voucher_cannot_be_published',
      'Voucher cannot be published. Customer already joined program.',
    )
    expect(await publish(shop, another)).toMatchObject(refusal)
    expect(await publish(shop, another, '?join_once=false')).toMatchObject(refusal)
    await called(shop, 'POST', '/v1/campaigns/Refer/vouchers/OTHER', {})
    expect(await publish(shop, { voucher: 'OTHER', customer: 'anna' })).toMatchObject(refusal)
    expect(await published(shop, { voucher: 'OTHER', customer: 'anna' }, '?join_once=true')).toMatchObject(same)
    expect(await publish(shop, { voucher: code, customer: 'bob' })).toMatchObject(
      refused('voucher_already_published', `Voucher '${id}' has already been published`),
    )
    expect((await listed(shop, '?result=FAILURE')).total).toBe(4)
    // A repeated response shows the current state of the voucher.
    await called(shop, 'PUT', `/v1/vouchers/${code}`, { metadata: { seen: true } })
    expect((await published(shop, { campaign: 'Refer', customer: 'anna' })).voucher.metadata).toEqual({ seen: true })
    // A voucher in the bin does not count.
    await shop.call('DELETE', `/v1/vouchers/${code}`)
    const next = await published(shop, { campaign: 'Refer', customer: 'anna' })
    expect(next.voucher.code).toBe('OTHER')
    expect(next.id).not.toBe(first.id)
  })

  test('a standalone voucher is returned again to its holder only', async () => {
    const shop = await newProject()
    await called(shop, 'POST', '/v1/vouchers/ALONE', discount)
    const first = await published(shop, { voucher: 'ALONE', customer: 'anna' }, '?join_once=true')
    expect((await published(shop, { voucher: 'ALONE', customer: 'anna' }, '?join_once=true')).id).toBe(first.id)
    expect(await publish(shop, { voucher: 'ALONE', customer: 'anna' })).toMatchObject(
      refused('voucher_already_published'),
    )
    expect(await publish(shop, { voucher: 'ALONE', customer: 'bob' }, '?join_once=true')).toMatchObject(
      refused('voucher_already_published'),
    )
  })

  test('several vouchers published before join_once was set are returned together', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Autumn', ['A1', 'A2', 'A3'])
    const first = await published(shop, { campaign: { name: 'Autumn', count: 2 }, customer: 'anna' })
    const again = await published(shop, { campaign: 'Autumn', customer: 'anna' }, '?join_once=true')
    expect(again).toEqual(first)
    expect(again.vouchers).toEqual(['A1', 'A2'])
  })

  test('always applies to loyalty cards', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Club', [], {
      campaign_type: 'LOYALTY_PROGRAM',
      type: 'AUTO_UPDATE',
      voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 5 } },
    })
    const first = await published(shop, { campaign: 'Club', customer: 'anna' })
    expect(first.voucher.loyalty_card).toMatchObject({ points: 5, balance: 5 })
    expect((await published(shop, { campaign: 'Club', customer: 'anna' })).id).toBe(first.id)
    expect((await published(shop, { campaign: 'Club', customer: 'bob' })).id).not.toBe(first.id)
  })
})

describe('source id', () => {
  test('a repeated request returns the same publication', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Autumn', ['K1', 'K2', 'K3'])
    await newCampaign(shop, 'Winter', ['W1'])
    const request = { campaign: 'Autumn', customer: 'anna', source_id: 'mail-77' }
    const first = await published(shop, request)
    expect(first).toMatchObject({ source_id: 'mail-77', voucher: { code: 'K1' } })
    const before = (await eventsOf(shop)).length
    expect(await published(shop, request)).toEqual(first)
    expect(await published(shop, { ...request, customer: { source_id: 'anna', name: 'New' } })).toEqual(first)
    expect(await published(shop, { voucher: 'K1', customer: 'anna', source_id: 'mail-77' })).toEqual(first)
    expect(await eventsOf(shop)).toHaveLength(before)
    const duplicate = refused('duplicate_source_id', "Publication with source_id: 'mail-77' already exists")
    for (const other of [{ customer: 'bob' }, { customer: { name: 'X' } }, { campaign: 'Winter' }, { voucher: 'K2' }])
      expect(await publish(shop, { ...request, ...other })).toMatchObject(duplicate)
    expect((await called(shop, 'GET', '/v1/customers')).total).toBe(1) // bob was not stored
    const next = await published(shop, { campaign: 'Autumn', customer: 'anna' })
    expect(next.voucher.code).toBe('K2')
    expect(await publish(shop, { ...request, campaign: { name: 'Autumn', count: 2 } })).toMatchObject(
      refused('too_many_vouchers_requested'),
    )
    await shop.call('DELETE', '/v1/vouchers/K1')
    expect(await publish(shop, request)).toMatchObject(duplicate) // the voucher is deleted, so there is nothing to return
    expect((await listed(shop)).total).toBe(2)
  })

  test('is not reserved by a failed publication', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Autumn')
    const request = { campaign: 'Autumn', customer: 'anna', source_id: 's' }
    for (let n = 0; n < 2; n++)
      expect(await publish(shop, request)).toMatchObject(refused('no_voucher_suitable_for_publication'))
    await called(shop, 'POST', '/v1/campaigns/Autumn/vouchers/A1', {})
    expect(await published(shop, request)).toMatchObject({ source_id: 's', voucher: { code: 'A1' } })
    expect((await listed(shop, '?source_id=s')).publications.map(({ result }: { result: string }) => result)).toEqual([
      'SUCCESS',
      'FAILURE',
      'FAILURE',
    ])
  })

  test('an idempotency key repeats a recorded refusal', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Autumn')
    const call = () =>
      shop.call('POST', '/v1/publications', { campaign: 'Autumn', customer: 'anna' }, { 'idempotency-key': 'k1' })
    expect((await call()).body).toEqual((await call()).body)
    expect((await listed(shop)).total).toBe(1)
  })
})

describe('GET /v1/publications/create', () => {
  test('does the same with a query string', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Auto', [], { type: 'AUTO_UPDATE' })
    await demandNumber(shop, 'publication', 'rank')
    await demandNumber(shop, 'customer', 'age')
    const made = (query: string) => called(shop, 'GET', `/v1/publications/create?${query}`)
    const full = await made(
      'campaign[name]=Auto&campaign[count]=1&customer[source_id]=anna&customer[name]=Anna&customer[metadata][age]=40' +
        '&customer[birthdate]=1990-03-01T12:00:00Z&customer[address][city]=Paris&metadata[rank]=3&channel=Link&source_id=s1',
    )
    expect(full).toMatchObject({
      customer: {
        source_id: 'anna',
        name: 'Anna',
        metadata: { age: 40 },
        birthdate: '1990-03-01',
        address: { city: 'Paris' },
      },
      metadata: { rank: 3 },
      channel: 'Link',
      source_id: 's1',
      voucher: { publish: { count: 1 } },
    })
    const plain = await made('campaign=Auto&customer=anna&join_once=true')
    expect(plain.id).toBe(full.id)
    await called(shop, 'POST', '/v1/vouchers/ALONE', discount)
    expect(await made('voucher=ALONE&customer=bob')).toMatchObject({ voucher: { code: 'ALONE' }, tracking_id: 'bob' })
  })

  test('errors are those of a query', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Auto', [], { type: 'AUTO_UPDATE' })
    const cases: Array<[query: string, status: number, key: string]> = [
      ['campaign=Auto', 400, 'invalid_query_params'],
      ['campaign=Auto&customer[nothing]=1', 400, 'invalid_query_params'],
      ['customer=anna', 400, 'missing_vouchers'],
      ['campaign=none&customer=anna', 404, 'not_found'],
      ['campaign[name]=Auto&campaign[count]=2&customer=anna', 400, 'too_many_vouchers_requested'],
      ['campaign[name]=Auto&campaign[count]=x&customer=anna', 400, 'invalid_query_params'],
      ['campaign[count]=1&customer=anna', 400, 'invalid_query_params'],
      ['campaign=Auto&customer[birthdate]=soon', 400, 'invalid_query_params'],
    ]
    for (const [query, status, key] of cases)
      expect([query, await shop.call('GET', `/v1/publications/create?${query}`)]).toMatchObject([
        query,
        { status, body: { key } },
      ])
    expect((await listed(shop)).total).toBe(0)
  })
})

describe('the client side', () => {
  const client = (shop: Shop, body: object, query = '') =>
    shop.call('POST', `/client/v1/publish${query}`, body, {
      'x-app-id': shop.client_id,
      'x-app-token': shop.client_token,
      origin: 'https://shop.example',
    })

  test('is controlled by two flags of the project', async () => {
    const shop = await newProject({ project: { client_trusted_domains: ['shop.example'] } })
    await newCampaign(shop, 'Auto', [], { type: 'AUTO_UPDATE' })
    await called(shop, 'POST', '/v1/customers', { source_id: 'anna', name: 'Anna' })
    const off = (flag: string) => ({
      status: 403,
      body: { key: 'forbidden', details: `Client-side operation is disabled: ${flag}` },
    })
    expect(await client(shop, { campaign: 'Auto', customer: 'anna' })).toMatchObject(off('client_publish_enabled'))
    await shop.manage('PUT', '', { client_publish_enabled: true, client_publish_campaigns: ['Auto'] })
    const known = await client(shop, { campaign: 'Auto', customer: { source_id: 'anna', name: 'Changed' } })
    expect(known).toMatchObject({
      status: 200,
      body: { customer: { source_id: 'anna' }, voucher: { code: expect.any(String) } },
    })
    expect((await called(shop, 'GET', '/v1/customers/anna')).name).toBe('Anna')
    for (const customer of ['bob', { source_id: 'bob' }, { name: 'Bob' }, { id: 'cust_none' }])
      expect(await client(shop, { campaign: 'Auto', customer })).toMatchObject(off('client_create_customer_enabled'))
    expect((await listed(shop)).total).toBe(1)
    await shop.manage('PUT', '', { client_create_customer_enabled: true })
    expect(await client(shop, { campaign: 'Auto', customer: { source_id: 'bob', name: 'Bob' } })).toMatchObject({
      status: 200,
      body: { customer: { source_id: 'bob' } },
    })
    expect((await called(shop, 'GET', '/v1/customers/bob')).name).toBe('Bob')
    expect(await client(shop, { customer: 'bob' }, '?campaign=Auto&join_once=true')).toMatchObject({ status: 200 })
    expect((await listed(shop)).total).toBe(2)
    expect(await client(shop, { customer: 'bob' })).toMatchObject(refused('missing_vouchers'))
    expect(await client(shop, { customer: 'bob', voucher: 'none' }, '?campaign=Auto')).toMatchObject({ status: 404 })
  })
})

describe('the list', () => {
  /** Two publications to anna and one to bob, from two campaigns and none; one failure. */
  async function shopWithSome() {
    const shop = await newProject()
    const autumn = await newCampaign(shop, 'Autumn', ['A1'])
    await newCampaign(shop, 'Refer', [], {
      type: 'AUTO_UPDATE',
      campaign_type: 'REFERRAL_PROGRAM',
      referral_program: { conversion_event: { type: 'redemption' } },
    })
    await called(shop, 'POST', '/v1/vouchers/GIFT', { gift: { amount: 500 } })
    const of = async (body: object) => (await published(shop, body)).id
    const names = new Map<string, string>([
      [await of({ campaign: 'Autumn', customer: 'anna', source_id: 's1', metadata: { rank: 1 } }), 'discount'],
      [await of({ voucher: 'GIFT', customer: 'anna', channel: 'Email', metadata: { rank: 2 } }), 'gift'],
      [await of({ campaign: 'Refer', customer: 'bob' }), 'referral'],
    ])
    await publish(shop, { campaign: 'Autumn', customer: 'bob' })
    const found = async (query: string) =>
      (await listed(shop, `?order=created_at&${query}`)).publications
        .map(({ id, result }: { id: string; result: string }) => (result === 'FAILURE' ? 'failure' : names.get(id)))
        .join(' ')
    return { shop, autumn, found }
  }

  test('finds by every parameter', async () => {
    const { shop, autumn, found } = await shopWithSome()
    const anna = (await called(shop, 'GET', '/v1/customers/anna')).id
    const gift = (await voucher(shop, 'GIFT')).id
    const is = (field: string, value: string, operator = '$is') =>
      `filters[${field}][conditions][${operator}][0]=${value}`
    const cases: Array<[query: string, names: string]> = [
      ['', 'discount gift referral failure'],
      ['campaign=Autumn', 'discount failure'],
      ['campaign_name=Refer', 'referral'],
      [`campaign=${autumn.id}`, ''],
      ['customer=anna', 'discount gift'],
      [`customer=${anna}`, 'discount gift'],
      [`customer_id=${anna}&campaign=Autumn`, 'discount'],
      ['customer=unknown', ''],
      ['voucher=A1', 'discount'],
      ['voucher_code=GIFT', 'gift'],
      ['voucher_code=GIFT&voucher=A1', ''],
      ['result=FAILURE', 'failure'],
      ['voucher_type=gift', 'gift'],
      ['voucher_type=discount', 'discount referral failure'],
      ['voucher_type=loyalty', ''],
      ['is_referral_code=true', 'referral'],
      ['is_referral_code=false', 'discount gift referral failure'],
      ['source_id=s1', 'discount'],
      [`related_object_id=${gift}`, 'gift'],
      [`parent_object_id=${autumn.id}`, 'discount failure'],
      [is('failure_code', 'no_voucher', '$starts_with'), 'failure'],
      [is('result', 'SUCCESS'), 'discount gift referral'],
      [is('customer_id', anna), 'discount gift'],
      [is('campaign_name', 'Autumn'), 'discount failure'],
      [is('campaign_name', '', '$is_unknown'), 'gift'],
      [is('voucher_type', 'gift'), 'gift'],
      [is('is_referral_code', 'true'), 'referral'],
      [is('parent_object_id', autumn.id), 'discount failure'],
      [is('related_object_id', gift), 'gift'],
      [is('related_object_id', '', '$is_unknown'), 'failure'],
      [is('source_id', 's1', '$is_not'), 'gift referral failure'],
      [is('metadata.rank', '1', '$more_than'), 'gift'],
      [`filters[junction]=or&${is('voucher_type', 'gift')}&${is('result', 'FAILURE')}`, 'gift failure'],
    ]
    for (const [query, names] of cases) expect([query, await found(query)]).toEqual([query, names])
  })

  test('shows customers and vouchers in short form', async () => {
    const { shop } = await shopWithSome()
    const anna = await called(shop, 'GET', '/v1/customers/anna')
    const [gift] = (await listed(shop, '?voucher_type=gift')).publications
    expect(gift).toMatchObject({
      customer: { id: anna.id, name: null, email: null, source_id: 'anna', metadata: {}, object: 'customer' },
      tracking_id: 'anna',
      channel: 'Email',
    })
    expect(gift.voucher).toEqual({
      code: 'GIFT',
      object: 'voucher',
      campaign: null,
      gift: { amount: 500, subtracted_amount: 0, balance: 500 },
      is_referral_code: false,
    })
    // A publication stays in the list when its voucher or campaign is in the bin.
    await shop.call('DELETE', '/v1/vouchers/GIFT')
    expect((await listed(shop, '?voucher_type=gift')).publications).toEqual([gift])
  })

  test('publications of a deleted campaign are not found by its name', async () => {
    const { shop, found } = await shopWithSome()
    expect((await shop.call('DELETE', '/v1/campaigns/Autumn')).status).toBeLessThan(300)
    expect(await found('campaign=Autumn')).toBe('')
    expect(await found('filters[campaign_name][conditions][$is]=Autumn')).toBe('')
    expect(await found('')).toBe('discount gift referral failure')
  })

  test('returns the publications of one voucher', async () => {
    const { shop } = await shopWithSome()
    await publish(shop, { voucher: 'GIFT', customer: 'bob' })
    const own = await called(shop, 'GET', '/v1/vouchers/GIFT/publications?page=1&limit=10')
    expect(own).toEqual(await listed(shop, '?voucher=GIFT'))
    expect(own.publications.map(({ result }: { result: string }) => result)).toEqual(['FAILURE', 'SUCCESS'])
    expect((await called(shop, 'GET', '/v1/vouchers/GIFT/publications?result=FAILURE')).total).toBe(1)
    expect((await called(shop, 'GET', '/v1/vouchers/GIFT/publications?voucher=A1')).total).toBe(0)
    expect(await shop.call('GET', '/v1/vouchers/none/publications')).toMatchObject({ status: 404 })
  })

  test('codes are found in any letter case in a case-insensitive project', async () => {
    const shop = await newProject({ project: { case_sensitive_codes: false } })
    await called(shop, 'POST', '/v1/vouchers/Summer', discount)
    expect(await published(shop, { voucher: 'SUMMER', customer: 'anna' })).toMatchObject({
      voucher: { code: 'Summer' },
    })
    expect((await listed(shop, '?voucher=sUMMER')).total).toBe(1)
  })

  test('refuses unknown parameters and values', async () => {
    const shop = await newProject()
    for (const [query, key] of [
      ['page=1001', 'page_over_limit'],
      ['page=1000', 'invalid_query_params'],
      ['page=101', 'invalid_query_params'],
      ['page=0', 'invalid_query_params'],
      ['order=name', 'invalid_query_params'],
      ['result=MAYBE', 'invalid_query_params'],
      ['filters[voucher][conditions][$is]=x', 'invalid_query_params'],
      ['starting_after_id=none', 'invalid_query_params'],
    ] as const)
      expect([query, await shop.call('GET', `/v1/publications?${query}`)]).toMatchObject([query, refused(key)])
    expect(await listed(shop, '?page=100')).toMatchObject({ publications: [], total: 0 })
  })

  test('pages stay stable while publications are added', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Auto', [], { type: 'AUTO_UPDATE' })
    await newCampaign(shop, 'Empty')
    const orders = ['created_at', 'id', 'voucher_code', 'tracking_id', 'customer_id', 'channel']
    const people = [{ source_id: 'anna' }, { source_id: 'bob' }, { name: 'Without ids' }]
    await expectStablePaging({
      shop,
      path: '/v1/publications',
      orders: orders.flatMap((order) => [order, `-${order}`]),
      data_ref: 'publications',
      async create(n) {
        const request = { customer: people[n % 3], channel: ['a', 'B', 'c'][n % 3] }
        if (n % 5 > 0) return (await published(shop, { ...request, campaign: 'Auto' })).id
        await publish(shop, { ...request, campaign: 'Empty' })
        return (await listed(shop, '?result=FAILURE&limit=1')).publications[0].id
      },
      sorted: { voucher_code: ({ voucher }) => voucher?.code },
    })
  })
})
