import { beforeAll, describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { eventsOf, newCampaign, newVoucher, runCampaignJobs } from '../../testing/campaigns.ts'
import { newMember, newProgram } from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'
import { expectStablePaging } from '../../testing/paging.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const join = (shop: Shop, { id }: { id: string }, body: object) =>
  shop.call('POST', `/v1/loyalties/${id}/members`, body)

const addCard = (shop: Shop, { id }: { id: string }, code: string, body: object = {}) =>
  ok(shop, 'POST', `/v1/campaigns/${id}/vouchers/${encodeURIComponent(code)}`, body)

/** The publications of a shop, the oldest first. */
const publications = async (shop: Shop) =>
  (await ok(shop, 'GET', '/v1/publications?order=created_at&limit=100')).publications

describe('joining a program', () => {
  test('returns the whole card', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { name: 'Green Club', points: 300 })
    const card = await newMember(shop, program, 'crm-9')
    const { id: holderId } = await ok(shop, 'GET', '/v1/customers/crm-9')
    const { code } = card
    const image = (kind: string) => ({ id: expect.any(String), url: expect.stringContaining(`/v1/assets/${kind}/`) })
    expect(card).toEqual({
      id: expect.stringMatching(/^v_/),
      code: expect.stringMatching(/^[0-9a-zA-Z]{8}$/),
      campaign: 'Green Club',
      campaign_id: program.id,
      category: null,
      category_id: null,
      categories: [],
      type: 'LOYALTY_CARD',
      discount: null,
      gift: null,
      loyalty_card: { points: 300, balance: 300 },
      start_date: null,
      expiration_date: null,
      validity_timeframe: null,
      validity_day_of_week: null,
      validity_hours: null,
      active: true,
      additional_info: null,
      metadata: {},
      assets: { qr: image('qr'), barcode: image('barcode') },
      is_referral_code: false,
      created_at: instant,
      updated_at: instant,
      holder_id: holderId,
      redemption: {
        quantity: null,
        redeemed_quantity: 0,
        redeemed_points: 0,
        object: 'list',
        url: `/v1/vouchers/${code}/redemptions?page=1&limit=10`,
      },
      publish: { object: 'list', count: 1, url: `/v1/vouchers/${code}/publications?page=1&limit=10` },
      object: 'voucher',
    })
    for (const path of [
      `/v1/loyalties/members/${code}`,
      `/v1/loyalties/members/${card.id}`,
      `/v1/loyalties/${program.id}/members/${code}`,
      `/v1/loyalties/Green%20Club/members/${card.id}`,
    ])
      expect(await ok(shop, 'GET', path)).toEqual(card)
    expect((await ok(shop, 'GET', '/v1/loyalties/Green%20Club/members')).vouchers).toEqual([card])
    expect((await eventsOf(shop)).filter((type) => type.includes('publi'))).toEqual([
      'publication.succeeded',
      'customer.publication.succeeded',
      'voucher.published',
    ])
  })

  test('creates a publication with the members sent', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { activity_duration_after_publishing: 'P10D' })
    const { code, expiration_date, created_at } = await ok(shop, 'POST', `/v1/loyalties/${program.id}/members`, {
      customer: { source_id: 'anna', name: 'Anna', metadata: { lang: 'en' } },
      channel: 'Shop',
      metadata: { till: 7 },
      source_id: 'p-1',
    })
    expect(Date.parse(expiration_date) - Date.parse(created_at)).toBe(10 * 86_400_000)
    expect(await publications(shop)).toMatchObject([
      { channel: 'Shop', metadata: { till: 7 }, source_id: 'p-1', result: 'SUCCESS', voucher: { code } },
    ])
    expect(await ok(shop, 'GET', '/v1/customers/anna')).toMatchObject({ name: 'Anna', metadata: { lang: 'en' } })
    await newMember(shop, program, 'bob')
    expect(await publications(shop)).toMatchObject([{}, { channel: 'API', metadata: {}, source_id: null }])
  })

  test.each<[more: object]>([
    [{}],
    [{ source_id: 'new' }],
    [{ source_id: 'first' }],
    [{ voucher: 'CARD' }],
    [{ voucher: 'CARD', source_id: 'new' }],
  ])('returns the existing card of a member and publishes nothing: %j', async (more) => {
    const shop = await newProject()
    const program = await newProgram(shop, { points: 5 })
    await addCard(shop, program, 'CARD')
    const first = await join(shop, program, { customer: { source_id: 'anna' }, voucher: 'CARD', source_id: 'first' })
    expect(first).toMatchObject({ status: 200, body: { code: 'CARD' } })
    await ok(shop, 'POST', '/v1/vouchers/CARD/balance', { amount: 7 })
    const events = await eventsOf(shop)
    const again = await join(shop, program, { customer: { source_id: 'anna' }, ...more })
    expect(again).toMatchObject({ status: 200, body: { code: 'CARD', loyalty_card: { points: 12, balance: 12 } } })
    expect(await publications(shop)).toHaveLength(1)
    expect(await eventsOf(shop)).toEqual(events)
  })

  test('a customer without id and source_id is created, once per request', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const [first, second] = [
      await join(shop, program, { customer: { name: 'Anna', email: 'anna@shop.example' } }),
      await join(shop, program, { customer: { name: 'Anna', email: 'anna@shop.example' } }),
    ]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body.code).not.toBe(first.body.code)
    expect(await ok(shop, 'GET', `/v1/customers/${first.body.holder_id}`)).toMatchObject({
      name: 'Anna',
      source_id: null,
    })
    expect((await ok(shop, 'GET', '/v1/customers')).total).toBe(2)
  })

  test('accepts every form of a customer', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const { id } = await ok(shop, 'POST', '/v1/customers', { source_id: 'anna' })
    const cards = [
      await join(shop, program, { customer: 'anna' }),
      await join(shop, program, { customer: id }),
      await join(shop, program, { customer: { id } }),
      await join(shop, program, { customer: { source_id: 'anna' } }),
      await join(shop, program, { customer: { id, source_id: 'bob', name: 'Anna' } }),
    ]
    for (const { status, body } of cards)
      expect({ status, body }).toMatchObject({ status: 200, body: { holder_id: id } })
    const { body: bob } = await join(shop, program, { customer: 'bob' })
    expect(bob.holder_id).toBe((await ok(shop, 'GET', '/v1/customers/bob')).id)
    expect(new Set([...cards.map(({ body }) => body.id), bob.id]).size).toBe(2)
  })

  let taken: { shop: Shop; program: { id: string } }
  beforeAll(async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await newVoucher(shop, 'COUPON')
    await addCard(shop, await newProgram(shop), 'ELSEWHERE')
    await addCard(shop, program, 'HELD')
    await join(shop, program, { customer: 'bob', voucher: 'HELD', source_id: 'used' })
    await addCard(shop, program, 'FREE')
    await addCard(shop, program, 'OFF', { active: false })
    taken = { shop, program }
  })

  test.each<[body: object, status: number, key: string, more?: object]>([
    [{}, 400, 'invalid_payload', { details: "Payload should have required property 'customer'" }],
    [{ customer: {} }, 400, 'invalid_customer'],
    [{ customer: { id: null, source_id: null } }, 400, 'invalid_customer'],
    [{ customer: { id: 'cust_1' } }, 404, 'not_found', { resource_type: 'customer' }],
    [{ customer: 'cust_1' }, 404, 'not_found', { resource_type: 'customer' }],
    [{ customer: 'anna', voucher: 'NONE' }, 404, 'not_found', { resource_type: 'voucher' }],
    [{ customer: 'anna', voucher: 'COUPON' }, 404, 'not_found', { resource_type: 'voucher' }],
    [{ customer: 'anna', voucher: 'ELSEWHERE' }, 404, 'not_found', { resource_type: 'voucher' }],
    [{ customer: 'anna', voucher: 'OFF' }, 400, 'no_voucher_suitable_for_publication'],
    [{ customer: 'anna', voucher: 'HELD' }, 400, 'voucher_already_published'],
    [{ customer: 'anna', source_id: 'used' }, 400, 'duplicate_source_id'],
    [
      { customer: 'bob', voucher: 'FREE' },
      400,
      'voucher_cannot_be_published',
      { details: 'Voucher cannot be published. Customer already joined program.' },
    ],
  ])('%j is refused', async (body, status, key, more = {}) => {
    const { shop, program } = taken
    expect(await join(shop, program, body)).toMatchObject({ status, body: { key, ...more } })
    const { vouchers } = await ok(shop, 'GET', `/v1/loyalties/${program.id}/members?order=code`)
    expect(vouchers.map((each: { holder_id?: string }) => each.holder_id !== undefined)).toEqual([false, true, false])
  })

  test('fails when no card is left in a program that generates none', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { type: 'STATIC', vouchers_count: 1 })
    await newMember(shop, program, 'anna')
    expect(await join(shop, program, { customer: 'bob' })).toMatchObject({
      status: 400,
      body: { key: 'no_voucher_suitable_for_publication' },
    })
    expect(await publications(shop)).toMatchObject([{ result: 'SUCCESS' }, { result: 'FAILURE' }])
    await ok(shop, 'PUT', `/v1/loyalties/${program.id}`, { type: 'AUTO_UPDATE' })
    await newMember(shop, program, 'bob')
    expect((await ok(shop, 'GET', `/v1/loyalties/${program.id}/members`)).total).toBe(2)
  })

  test('a customer whose card was deleted can join again', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const { code } = await newMember(shop, program, 'anna')
    expect((await shop.call('DELETE', `/v1/vouchers/${code}`)).status).toBe(204)
    expect((await newMember(shop, program, 'anna')).code).not.toBe(code)
  })
})

describe('reading members', () => {
  test('returns 404 for other vouchers and for cards of another program', async () => {
    const shop = await newProject()
    const [mine, other] = [await newProgram(shop), await newProgram(shop)]
    await newVoucher(shop, 'COUPON')
    await newCampaign(shop, 'Gifts', { voucher: { type: 'GIFT_VOUCHER', gift: { amount: 5 } } })
    await addCard(shop, { id: 'Gifts' }, 'GIFT')
    const { code } = await newMember(shop, other, 'anna')
    for (const path of [
      'members/NONE',
      'members/COUPON',
      'members/GIFT',
      'members/v_1',
      `${mine.id}/members/${code}`,
      `${mine.id}/members/COUPON`,
    ])
      expect(await shop.call('GET', `/v1/loyalties/${path}`)).toMatchObject({
        status: 404,
        body: { key: 'not_found', resource_type: 'voucher' },
      })
  })

  test.each([
    [true, 404],
    [false, 200],
  ])('with case_sensitive_codes %s, another spelling of a code returns %d', async (caseSensitiveCodes, status) => {
    const shop = await newProject({ project: { case_sensitive_codes: caseSensitiveCodes } })
    await addCard(shop, await newProgram(shop), 'Green-1')
    expect((await shop.call('GET', '/v1/loyalties/members/GREEN-1')).status).toBe(status)
  })

  test('every filter of the list works, alone and combined', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const at = async (time: string, work: () => Promise<unknown>) => {
      shop.service.clock.set(time)
      await work()
    }
    await at('2026-01-10T12:00:00Z', () => addCard(shop, program, 'A'))
    await at('2026-01-20T12:00:00Z', () => addCard(shop, program, 'B'))
    await at('2026-01-30T12:00:00Z', () => addCard(shop, program, 'C'))
    await at('2026-02-10T12:00:00Z', () => join(shop, program, { customer: 'anna', voucher: 'B' }))
    await addCard(shop, await newProgram(shop), 'OTHER')
    await newVoucher(shop, 'COUPON')
    const { id: anna } = await ok(shop, 'GET', '/v1/customers/anna')
    const ids: Record<string, string> = {}
    for (const code of ['A', 'B', 'C', 'OTHER']) ids[code] = (await ok(shop, 'GET', `/v1/loyalties/members/${code}`)).id

    const cases: Array<[query: string, codes: string[]]> = [
      ['', ['C', 'B', 'A']],
      ['order=created_at', ['A', 'B', 'C']],
      ['order=code', ['A', 'B', 'C']],
      ['order=-code', ['C', 'B', 'A']],
      ['order=updated_at', ['B', 'A', 'C']],
      ['limit=1&page=2', ['B']],
      ['customer=anna', ['B']],
      [`customer=${anna}`, ['B']],
      ['customer=unknown', []],
      ['code=B', ['B']],
      ['code=OTHER', []],
      ['code=b', []],
      [`ids=${ids.A}&ids=${ids.C}`, ['C', 'A']],
      [`ids[0]=${ids.A}&ids[1]=${ids.OTHER}`, ['A']],
      [`ids=${ids.A},${ids.B}`, ['B', 'A']],
      ['created_at[after]=2026-01-15', ['C', 'B']],
      ['[created_at][after]=2026-01-15', ['C', 'B']],
      ['created_at[before]=2026-01-30T12:00:00Z', ['B', 'A']],
      ['[created_at][before]=2026-01-25&[created_at][after]=2026-01-15', ['B']],
      ['updated_at[after]=2026-02-01', ['B']],
      ['[updated_at][after]=2026-02-01', ['B']],
      ['updated_at[before]=2026-02-01', []],
      ['created_at[before]=2026-01-15&customer=anna', []],
      // Filters of other voucher lists are ignored here.
      ['campaign=Other&category=X&filters[code][conditions][$is]=X', ['C', 'B', 'A']],
    ]
    for (const [query, codes] of cases) {
      const listed = await ok(shop, 'GET', `/v1/loyalties/${program.id}/members?${query}`)
      expect(
        listed.vouchers.map(({ code }: { code: string }) => code),
        query,
      ).toEqual(codes)
      expect(listed, query).toMatchObject({ object: 'list', data_ref: 'vouchers' })
      expect(listed.total, query).toBe(query.startsWith('limit') ? 3 : codes.length)
    }
    for (const query of ['order=id', 'limit=101', 'page=101', 'created_at[after]=soon'])
      expect(await shop.call('GET', `/v1/loyalties/${program.id}/members?${query}`)).toMatchObject({
        status: 400,
        body: { key: 'invalid_query_params' },
      })
  })

  test('pages are stable while members join', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { vouchers_count: 0 })
    await addCard(shop, await newProgram(shop), 'OTHER')
    await expectStablePaging({
      shop,
      path: `/v1/loyalties/${program.id}/members`,
      orders: ['created_at', '-created_at', 'updated_at', '-updated_at', 'code', '-code'],
      data_ref: 'vouchers',
      async create(n) {
        const { id, code } = await addCard(shop, program, `CARD-${n}`)
        // A card without a holder was never updated.
        if (n % 3 > 0) await join(shop, program, { customer: `customer-${n}`, voucher: code })
        return id
      },
    })
  })
})

test('a customer never gets two cards of one program, even by concurrent requests', async () => {
  const shop = await newProject()
  const program = await newProgram(shop, { vouchers_count: 3 })
  await runCampaignJobs(shop)
  const answers = await Promise.all(Array.from({ length: 6 }, () => join(shop, program, { customer: 'anna' })))
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.code}`)).size).toBe(1)
  expect((await ok(shop, 'GET', `/v1/loyalties/${program.id}/members?customer=anna`)).total).toBe(1)
})
