import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, newProject, type Shop } from '../../testing/app.ts'
import { newCampaign, newVoucher } from '../../testing/campaigns.ts'
import { amountOff, redeemed, vouchers } from '../../testing/checkout.ts'
import { ok } from '../../testing/orders.ts'
import { expectStablePaging } from '../../testing/paging.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

interface Program {
  id: string
  /** A code whose referrer is anna. */
  code: string
  voucher_id: string
  anna: string
  /** An unpublished code. */
  free: string
}

async function newProgram(shop: Shop, name = 'Friends'): Promise<Program> {
  const { id } = await newCampaign(shop, name, {
    campaign_type: 'REFERRAL_PROGRAM',
    voucher: { type: 'DISCOUNT_VOUCHER', discount: amountOff(1000), redemption: { quantity: null } },
  })
  for (const code of [`${name}-1`, `${name}-2`]) await ok(shop, 'POST', `/v1/campaigns/${id}/vouchers/${code}`, {})
  const given = await ok(shop, 'POST', '/v1/publications', {
    voucher: `${name}-1`,
    customer: { source_id: 'anna', name: 'Anna' },
  })
  return { id, code: `${name}-1`, voucher_id: given.voucher.id, anna: given.customer_id, free: `${name}-2` }
}

const pathOf = ({ code }: { code: string }) => `/v1/referrals/members/${code}/holders`

const add = (shop: Shop, program: Program, body: unknown): Promise<Answer<Body>> =>
  shop.call('POST', pathOf(program), body)

/** Assigns the code to customers by source id, and returns the holders. */
async function addAll(shop: Shop, program: Program, ...sourceIds: string[]): Promise<Body[]> {
  const answer = await add(shop, program, { holders: sourceIds.map((sourceId) => ({ source_id: sourceId })) })
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 })
  return answer.body.holders
}

const holdersOf = async (shop: Shop, program: Program, query = ''): Promise<Body[]> =>
  (await ok(shop, 'GET', `${pathOf(program)}${query}`)).data

const rolesOf = async (shop: Shop, program: Program): Promise<string[]> =>
  (await holdersOf(shop, program, '?order=id')).map(({ holder_role }) => holder_role)

async function eventsOf({ service, project_id }: Shop, type: string) {
  return service.runtime.database.db
    .selectFrom('events')
    .where('project_id', '=', project_id)
    .where('type', '=', type as never)
    .orderBy('id')
    .select(['entity_id', 'data'])
    .execute()
}

describe('assigning a code to referees', () => {
  test.each([
    ['by the code', () => pathOf({ code: 'Friends-1' })],
    ['by the id of the code', ({ voucher_id }: Program) => pathOf({ code: voucher_id })],
    ['by the id of the campaign and the code', ({ id }: Program) => `/v1/referrals/${id}/members/Friends-1/holders`],
    ['by the name of the campaign and the code', () => '/v1/referrals/Friends/members/Friends-1/holders'],
  ])('%s', async (_title, path) => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const known = await ok(shop, 'POST', '/v1/customers', { source_id: 'ben', name: 'Ben', metadata: { lang: 'de' } })
    const zoe = await ok(shop, 'POST', '/v1/customers', { source_id: 'zoe', email: 'zoe@example.com' })
    const { holders } = await ok(shop, 'POST', path(program), {
      holders: [
        { source_id: 'zoe' },
        { source_id: 'carl', name: 'Carl' },
        { id: known.id, source_id: 'unknown', metadata: { age: 30 } },
      ],
      metadata: { shared_by: 'mail' },
    })
    const carl = await ok(shop, 'GET', '/v1/customers/carl')
    expect(holders).toEqual(
      [zoe.id, carl.id, known.id].map((customerId) => ({
        id: expect.stringMatching(/^rh_[0-9a-f]{18}$/),
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        redeemable_id: program.voucher_id,
        redeemable_object: 'voucher',
        campaign_id: program.id,
        campaign_type: 'REFERRAL_PROGRAM',
        voucher_type: 'DISCOUNT_VOUCHER',
        customer_id: customerId,
        holder_role: 'REFEREE',
        metadata: { shared_by: 'mail' },
        object: 'redeemable_holder',
      })),
    )
    expect(carl).toMatchObject({ name: 'Carl' })
    expect(await ok(shop, 'GET', `/v1/customers/${known.id}`)).toMatchObject({
      source_id: 'ben',
      name: 'Ben',
      metadata: { lang: 'de', age: 30 },
    })
    expect((await shop.call('GET', '/v1/customers/unknown')).status).toBe(404)
    // A customer with only a key in the request is not changed.
    const { assets: _, ...after } = await ok(shop, 'GET', '/v1/customers/zoe')
    expect(after).toEqual(zoe)
    const all = await holdersOf(shop, program)
    expect(all).toMatchObject([...holders.toReversed(), { customer_id: program.anna }])
    expect((await ok(shop, 'GET', path(program))).data).toEqual(all)
  })

  test('emits an event for each referee', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const holders = await addAll(shop, program, 'ben', 'carl')
    const events = await eventsOf(shop, 'customer.holder.assignment.created')
    const { metadata: _, ...shown } = holders[0]
    expect(events).toEqual(
      ['ben', 'carl'].map((sourceId, n) => ({
        entity_id: holders[n].customer_id,
        data: {
          holder: { ...shown, id: holders[n].id, customer_id: holders[n].customer_id, publication_id: null },
          voucher: expect.objectContaining({ code: program.code, holder_id: program.anna, referrer_id: program.anna }),
          campaign: expect.objectContaining({ id: program.id, campaign_type: 'REFERRAL_PROGRAM' }),
          customer: expect.objectContaining({ id: holders[n].customer_id, source_id: sourceId }),
        },
      })),
    )
    const activity = await ok(shop, 'GET', '/v1/customers/ben/activity?type=customer.holder.assignment.created')
    expect(activity.data).toMatchObject([{ data: { holder: { id: holders[0].id } } }])
  })

  test('omits metadata that were not sent', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const [ben] = await addAll(shop, program, 'ben')
    expect(ben).not.toHaveProperty('metadata')
    const { body } = await add(shop, program, { holders: [{ source_id: 'carl' }], metadata: null })
    expect(body.holders[0]).not.toHaveProperty('metadata')
    expect(await holdersOf(shop, program)).toEqual([
      body.holders[0],
      ben,
      expect.not.objectContaining({ metadata: {} }),
    ])
  })

  test('validates metadata by the schema of publications', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const properties = { channel: { type: 'string', array: false, optional: false } }
    await ok(shop, 'POST', '/v1/metadata-schemas', { related_object: 'publication', properties })
    const refused = await add(shop, program, { holders: [{ source_id: 'ben' }], metadata: { channel: 7 } })
    expect(refused).toMatchObject({ status: 400, body: { key: 'metadata_validation_failed' } })
    expect(await add(shop, program, { holders: [{ source_id: 'ben' }] })).toMatchObject({
      status: 400,
      body: { key: 'metadata_validation_failed' },
    })
    expect((await shop.call('GET', '/v1/customers/ben')).status).toBe(404)
    expect(await add(shop, program, { holders: [{ source_id: 'ben' }], metadata: { channel: 'mail' } })).toMatchObject({
      status: 200,
    })
  })

  test('accepts at most 100 referees per request', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const many = Array.from({ length: 101 }, (_, n) => ({ source_id: `c${n}` }))
    expect(await add(shop, program, { holders: many })).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: 'Property .holders must NOT have more than 100 items' },
    })
    const { body } = await add(shop, program, { holders: many.slice(1) })
    expect(new Set(body.holders.map(({ customer_id }: Body) => customer_id)).size).toBe(100)
    expect(await ok(shop, 'GET', `${pathOf(program)}?limit=1`)).toMatchObject({ total: 101, has_more: true })
  })

  const refusals: Array<[title: string, body: (program: Program) => unknown, status: number, error: object]> = [
    ['a missing list', () => ({}), 400, { details: "Payload should have required property 'holders'" }],
    ['an empty list', () => ({ holders: [] }), 400, { details: 'Property .holders must NOT have fewer than 1 items' }],
    [
      'a customer without id and source id',
      () => ({ holders: [{ source_id: 'ben' }, { name: 'Carl' }] }),
      400,
      { key: 'invalid_payload', details: "Property .holders[1] should have required property 'source_id'" },
    ],
    [
      'an unknown id',
      () => ({ holders: [{ source_id: 'ben', name: 'Ben' }, { id: 'cust_0' }] }),
      404,
      { resource_type: 'customer', resource_id: 'cust_0' },
    ],
    [
      'a customer repeated by source id',
      () => ({ holders: [{ source_id: 'ben' }, { source_id: 'ben' }] }),
      409,
      { key: 'duplicate_found', details: 'Duplicated customer exists with source_id ben' },
    ],
    [
      'a customer repeated by id and by source id',
      ({ anna }) => ({ holders: [{ id: anna }, { source_id: 'ben' }, { source_id: 'anna', name: 'Anne' }] }),
      409,
      { key: 'duplicate_found', details: 'Duplicated customer exists with source_id anna' },
    ],
    [
      'the referrer',
      ({ anna }) => ({ holders: [{ source_id: 'ben' }, { id: anna, name: 'Anne' }] }),
      409,
      { key: 'holder_assignement_duplication', message: 'Customer is already assigned to given redeemable' },
    ],
  ]

  let unchanged: { shop: Shop; program: Program }
  beforeAll(async () => {
    const shop = await newProject()
    unchanged = { shop, program: await newProgram(shop) }
  })

  test.each(refusals)('%s is refused, and nothing is written', async (_, body, status, error) => {
    const { shop, program } = unchanged
    const before = await ok(shop, 'GET', '/v1/customers')
    expect(await add(shop, program, body(program))).toMatchObject({ status, body: error })
    expect(await ok(shop, 'GET', '/v1/customers')).toEqual(before)
    expect(await rolesOf(shop, program)).toEqual(['REFERRER'])
    expect(await eventsOf(shop, 'customer.holder.assignment.created')).toEqual([])
  })

  test('a referee can be assigned only once', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const [{ customer_id }] = await addAll(shop, program, 'ben')
    expect(await add(shop, program, { holders: [{ source_id: 'carl' }, { source_id: 'ben' }] })).toMatchObject({
      status: 409,
      body: { key: 'holder_assignement_duplication', resource_id: customer_id, resource_type: 'customer' },
    })
    expect(await rolesOf(shop, program)).toEqual(['REFERRER', 'REFEREE'])
  })

  test('a code without a referrer cannot have referees', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    expect(await add(shop, { ...program, code: program.free }, { holders: [{ source_id: 'ben' }] })).toMatchObject({
      status: 400,
      body: {
        key: 'not_published',
        message: 'Voucher is not published',
        details: 'Referral code must be first published to Referrer before assigning it to Referee',
      },
    })
    expect((await shop.call('GET', '/v1/customers/ben')).status).toBe(404)
    expect(await ok(shop, 'GET', pathOf({ code: program.free }))).toMatchObject({ data: [], total: 0, has_more: false })
  })

  test('of ten concurrent requests with the same customers, one succeeds', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const people = ['ben', 'carl', 'dora']
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => {
        const order = n % 2 === 0 ? people : people.toReversed()
        return add(shop, program, {
          holders: order.map((sourceId) => ({ source_id: sourceId, name: `${sourceId} ${n}` })),
        })
      }),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    expect(await rolesOf(shop, program)).toEqual(['REFERRER', 'REFEREE', 'REFEREE', 'REFEREE'])
  })
})

describe('the code in the path', () => {
  /** Every operation, with a body that all of them would refuse. */
  const calls = (member: string, campaign = ''): Array<[method: string, path: string, body?: unknown]> => {
    const path = `/v1/referrals${campaign && `/${campaign}`}/members/${member}/holders`
    return [
      ['POST', path, { holders: 'wrong' }],
      ['GET', path],
      ['DELETE', `${path}/rh_0`],
    ]
  }

  test('must be a referral code, of the campaign if given, before the body is validated', async () => {
    const shop = await newProject()
    const { id, code } = await newProgram(shop)
    const other = await newProgram(shop, 'Others')
    await newCampaign(shop, 'Coupons')
    await ok(shop, 'POST', '/v1/campaigns/Coupons/vouchers/C1', {})
    await newVoucher(shop, 'ALONE')
    const cases: Array<[member: string, campaign: string, missing: object]> = [
      ['nothing', '', { resource_type: 'voucher', resource_id: 'nothing' }],
      ['ALONE', '', { resource_type: 'voucher' }],
      ['C1', '', { resource_type: 'voucher' }],
      ['C1', 'Coupons', { resource_type: 'campaign', resource_id: 'Coupons' }],
      [code, 'nothing', { resource_type: 'campaign' }],
      [code, other.id, { resource_type: 'voucher', resource_id: code }],
      ['nothing', id, { resource_type: 'voucher' }],
    ]
    for (const [member, campaign, missing] of cases)
      for (const call of calls(member, campaign))
        expect(await shop.call(...call), call.join(' ')).toMatchObject({ status: 404, body: missing })
  })

  test('returns 404 for a code in the bin', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await addAll(shop, program, 'ben')
    expect((await shop.call('DELETE', `/v1/vouchers/${program.code}`)).status).toBe(204)
    for (const call of calls(program.code)) expect(await shop.call(...call)).toMatchObject({ status: 404 })
    expect((await ok(shop, 'GET', '/v1/customers/ben/redeemables')).data).toEqual([])
  })
})

describe('listing holders', () => {
  test('existing holders are listed once each while others are added', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await expectStablePaging({
      shop,
      path: pathOf(program),
      orders: ['id', '-id'],
      data_ref: 'data',
      create: async (n) => (await addAll(shop, program, `c${n}`))[0].id,
    })
  })

  test('filters holders', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    shop.service.clock.advance(86_400_000)
    const [ben, carl] = await addAll(shop, program, 'ben', 'carl')
    const [anna] = (await holdersOf(shop, program, '?order=id')) as [Body]
    const names = new Map([anna, ben, carl].map(({ id }, n) => [id, ['anna', 'ben', 'carl'][n]]))
    const found = async (filters: string) => {
      const { data, total } = await ok(shop, 'GET', `${pathOf(program)}?order=id&${filters}`)
      expect(total).toBe(data.length)
      return data.map(({ id }: Body) => names.get(id)).join(' ')
    }
    const is = (field: string, operator: string, value: string) =>
      `filters[${field}][conditions][${operator}]=${encodeURIComponent(value)}`
    expect(await found('')).toBe('anna ben carl')
    expect(await found(is('id', '$is', ben.id))).toBe('ben')
    expect(await found(is('customer_id', '$in][0', carl.customer_id))).toBe('carl')
    expect(await found(is('holder_role', '$is', 'REFERRER'))).toBe('anna')
    expect(await found(is('holder_role', '$is_not', 'REFERRER'))).toBe('ben carl')
    expect(await found(is('holder_role', '$not_in][0', 'REFEREE'))).toBe('anna')
    expect(await found(is('created_at', '$after', anna.created_at))).toBe('ben carl')
    expect(await found(is('created_at', '$before', ben.created_at))).toBe('anna')
    const both = `${is('holder_role', '$is', 'REFERRER')}&${is('id', '$is', carl.id)}`
    expect(await found(both)).toBe('')
    expect(await found(`${both}&filters[junction]=or`)).toBe('anna carl')
    expect(await shop.call('GET', `${pathOf(program)}?${is('name', '$is', 'x')}`)).toMatchObject({
      status: 400,
      body: { key: 'invalid_query_params' },
    })
  })
})

describe('unassigning a referee', () => {
  test('emits an event, works once, and the customer can be assigned again', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const [ben, carl] = await addAll(shop, program, 'ben', 'carl')
    const path = `/v1/referrals/${program.id}/members/${program.code}/holders/${ben.id}`
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.call('DELETE', path)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404])
    expect(answers.find(({ status }) => status === 404)).toMatchObject({
      body: { key: 'not_found', resource_type: 'redeemable_holder', resource_id: ben.id },
    })
    expect(await eventsOf(shop, 'customer.holder.assignment.deleted')).toMatchObject([
      {
        entity_id: ben.customer_id,
        data: {
          holder: { ...ben, publication_id: null },
          voucher: { code: program.code },
          campaign: { id: program.id },
          customer: { source_id: 'ben' },
        },
      },
    ])
    expect((await holdersOf(shop, program)).map(({ id }) => id)).toEqual([carl.id, expect.any(String)])
    expect(await shop.call('DELETE', `${pathOf(program)}/${carl.id}`)).toMatchObject({ status: 204, body: null })
    await addAll(shop, program, 'ben')
  })

  test('is refused for the referrer', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const [{ id }] = (await holdersOf(shop, program)) as [Body]
    expect(await shop.call('DELETE', `${pathOf(program)}/${id}`)).toMatchObject({
      status: 403,
      body: { key: 'forbidden', message: 'Can not remove assignment', resource_id: id },
    })
    expect(await rolesOf(shop, program)).toEqual(['REFERRER'])
  })

  test('returns 404 for a holder of another code', async () => {
    const shop = await newProject()
    const [program, other] = [await newProgram(shop), await newProgram(shop, 'Others')]
    const [ben] = await addAll(shop, other, 'ben')
    expect(await shop.call('DELETE', `${pathOf(program)}/${ben.id}`)).toMatchObject({
      status: 404,
      body: { resource_type: 'redeemable_holder' },
    })
    expect(await rolesOf(shop, other)).toEqual(['REFERRER', 'REFEREE'])
  })

  test('also works for a customer deleted since', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const [ben] = await addAll(shop, program, 'ben')
    expect((await shop.call('DELETE', '/v1/customers/ben')).status).toBe(204)
    expect((await shop.call('DELETE', `${pathOf(program)}/${ben.id}`)).status).toBe(204)
    expect(await eventsOf(shop, 'customer.holder.assignment.deleted')).toMatchObject([{ entity_id: ben.customer_id }])
  })
})

describe('side effects of referees', () => {
  test('the code stays that of its referrer', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const before = await ok(shop, 'GET', `/v1/vouchers/${program.code}`)
    const [ben] = await addAll(shop, program, 'ben')
    expect(await ok(shop, 'GET', `/v1/vouchers/${program.code}`)).toEqual(before)
    expect(before).toMatchObject({ holder_id: program.anna, referrer_id: program.anna, publish: { count: 1 } })

    const codesOf = async (customer: string) =>
      (await ok(shop, 'GET', `/v1/vouchers?customer=${customer}`)).vouchers.map(({ code }: Body) => code)
    expect([await codesOf('anna'), await codesOf('ben')]).toEqual([[program.code], []])
    expect(await ok(shop, 'GET', `/v1/vouchers/${program.code}/publications`)).toMatchObject({ total: 1 })
    expect((await ok(shop, 'GET', '/v1/customers/ben/redeemables')).data).toMatchObject([
      { id: ben.id, holder_role: 'REFEREE', campaign_type: 'REFERRAL_PROGRAM', redeemable: { status: 'ACTIVE' } },
    ])
  })

  test('a referee is no member of the program, and may refer others with another code', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await addAll(shop, program, 'ben')
    const given = await ok(shop, 'POST', '/v1/publications?join_once=true', {
      campaign: { name: 'Friends' },
      customer: 'ben',
    })
    expect(given.voucher).toMatchObject({ code: program.free, referrer_id: given.customer_id })
  })

  test('a holder may redeem the code, and stays one holder', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const [ben] = await addAll(shop, program, 'ben')
    await redeemed(shop, {
      redeemables: vouchers(program.code),
      order: { amount: 5000 },
      customer: { source_id: 'ben' },
    })
    expect((await holdersOf(shop, program)).map(({ id }) => id)).toEqual([ben.id, expect.any(String)])
  })

  test('a referee deleted for good is no holder; the referrer still is', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await addAll(shop, program, 'ben', 'carl')
    await ok(shop, 'POST', '/v1/customers/ben/permanent-deletion')
    expect(await rolesOf(shop, program)).toEqual(['REFERRER', 'REFEREE'])
    expect(await ok(shop, 'GET', `/v1/vouchers/${program.code}`)).toMatchObject({ holder_id: program.anna })
  })

  test('deleting a code for good deletes its holders', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await addAll(shop, program, 'ben')
    expect((await shop.call('DELETE', `/v1/vouchers/${program.code}?force=true`)).status).toBe(204)
    const { db } = shop.service.runtime.database
    const left = await db.selectFrom('holders').where('project_id', '=', shop.project_id).select('id').execute()
    expect(left).toEqual([])
    expect(await ok(shop, 'GET', '/v1/publications')).toMatchObject({ total: 0 })
  })
})
