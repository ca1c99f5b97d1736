import { beforeEach, describe, expect, test } from 'vitest'
import { newProject, type Shop } from './testing/app.ts'
import { newCampaign } from './testing/campaigns.ts'
import {
  amountOff,
  asClient,
  newDiscount,
  newGiftCard,
  newRule,
  percentOff,
  vouchers,
  when,
} from './testing/checkout.ts'
import {
  balanceOf,
  newEarningRules,
  newEventSchema,
  newLoyaltyReward,
  newMember,
  newProgram,
  ofAmount,
} from './testing/loyalty.ts'
import { ok } from './testing/orders.ts'

// Everybody can read what a page knows and send something else: what it claims is worth nothing (docs/reference/client-side.md).

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const project = {
  client_trusted_domains: ['shop.example'],
  client_identity: 'proven',
  client_redeem_enabled: true,
  client_publish_enabled: true,
  client_create_customer_enabled: true,
  client_set_voucher_expiration_date_enabled: true,
}

let shop: Shop
const restart = async (more: object = {}) => {
  shop = await newProject({ project: { ...project, ...more } })
  await newDiscount(shop, 'TEN', amountOff(10))
}
beforeEach(() => restart())

const asPage = (path: string, body: object) => asClient(shop, 'POST', `/client/v1/${path}`, body)

async function done(path: string, body: object): Promise<Body> {
  const answer = await asPage(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}

/** The tracking id that proves a customer. */
async function proofOf(sourceId: string): Promise<string> {
  await ok(shop, 'POST', '/v1/customers', { source_id: sourceId })
  return (await ok(shop, 'GET', `/v1/customers/${sourceId}/tracking-id`)).tracking_id
}

const state = (order: object) => ok(shop, 'POST', '/v1/orders', { customer: { source_id: 'ann' }, ...order })
const customer = (sourceId: string): Promise<Body> => ok(shop, 'GET', `/v1/customers/${sourceId}`)
const ordersOf = async (sourceId: string) => (await customer(sourceId)).summary.orders.total_amount
const paidEventsOf = async (sourceId: string) =>
  (await ok(shop, 'GET', `/v1/customers/${sourceId}/activity?type=customer.order.paid`)).data.length

describe('an order that a page makes up', () => {
  const made = { source_id: 'fake', amount: 900_000_000_000 }
  let card: string
  /** What Ann has of her orders: points, their sum, how often one was paid. */
  const has = async () => [await balanceOf(shop, card), await ordersOf('ann'), await paidEventsOf('ann')]
  const redeemAsAnn = async (order: object = made) =>
    done('redemptions', { redeemables: vouchers('TEN'), order, tracking_id: await proofOf('ann') })

  beforeEach(async () => {
    const club = await newProgram(shop)
    await newEarningRules(shop, club, ofAmount(100, 1))
    card = (await newMember(shop, club, 'ann')).code
  })

  test('earns nothing, counts in no sum and is not told as paid', async () => {
    await redeemAsAnn()
    expect(await has()).toEqual([0, 0, 0])
  })

  test('earns once, and on the amount that the shop states, when the shop says that it is paid', async () => {
    await redeemAsAnn()
    await state({ source_id: 'fake', amount: 2_000 })
    expect(await has()).toEqual([0, 0, 0])
    for (let times = 0; times < 2; times += 1) await state({ source_id: 'fake', amount: 2_000, status: 'PAID' })
    expect(await has()).toEqual([20, 2_000, 1])
  })

  test('is paid by a redemption of the server side that describes it', async () => {
    await redeemAsAnn()
    const body = { redeemables: vouchers('TEN'), order: { source_id: 'fake', amount: 3_000 } }
    await ok(shop, 'POST', '/v1/redemptions', { ...body, customer: { source_id: 'ann' } })
    expect(await has()).toEqual([30, 3_000, 1])
  })

  test('gives nothing when the shop cancels it', async () => {
    await redeemAsAnn()
    await ok(shop, 'PUT', '/v1/orders/fake', { status: 'CANCELED' })
    expect(await has()).toEqual([0, 0, 0])
  })

  test('a redemption of a page does not pay an order of the shop either', async () => {
    await state({ source_id: 'open', amount: 5_000 })
    expect((await redeemAsAnn({ source_id: 'open' })).order).toMatchObject({ status: 'CREATED', amount: 5_000 })
    expect(await has()).toEqual([0, 0, 0])
    await ok(shop, 'PUT', '/v1/orders/open', { status: 'PAID' })
    expect(await has()).toEqual([50, 5_000, 1])
  })

  test('a redemption of a page changes nothing of an order of the shop but its discount', async () => {
    await ok(shop, 'POST', '/v1/customers', { source_id: 'rita' })
    await state({ source_id: 'paid', amount: 5_000, status: 'PAID', referrer: { source_id: 'rita' } })
    const before = await ok(shop, 'GET', '/v1/orders/paid')
    await redeemAsAnn({ source_id: 'paid', referrer: { source_id: 'ann' }, amount: 1, metadata: { from: 'page' } })
    const { referrer_id, amount, metadata, status } = before
    expect(await ok(shop, 'GET', '/v1/orders/paid')).toMatchObject({ referrer_id, amount, metadata, status })
  })

  test('with a key of the server side, the client side pays it as the server side does', async () => {
    const body = { redeemables: vouchers('TEN'), order: { amount: 4_000 }, customer: { source_id: 'ann' } }
    expect((await ok(shop, 'POST', '/client/v1/redemptions', body)).order).toMatchObject({ status: 'PAID' })
    expect(await has()).toEqual([40, 4_000, 1])
  })
})

describe('a referral code that a page redeems', () => {
  let code: string
  /** The referrer gets 100.00 for each friend, on a gift card that she does not have yet. */
  async function newReferral(): Promise<void> {
    const campaign = { type: 'AUTO_UPDATE', campaign_type: 'REFERRAL_PROGRAM' }
    const friends = await newCampaign(shop, 'Friends', {
      ...campaign,
      voucher: { type: 'DISCOUNT_VOUCHER', discount: amountOff(500), redemption: { quantity: null } },
    })
    const published = await ok(shop, 'POST', '/v1/publications', {
      campaign: 'Friends',
      customer: { source_id: 'rita' },
    })
    code = published.voucher.code
    const gifts = { type: 'AUTO_UPDATE', voucher: { type: 'GIFT_VOUCHER', gift: { amount: 0 } } }
    const { id } = await newCampaign(shop, 'Gifts', gifts)
    const reward = await newLoyaltyReward(shop, { campaign: { id, balance: 10_000 } })
    const tier = { parameters: { criteria: 'EACH_REFEREE' }, reward: { id: reward.id } }
    await ok(shop, 'POST', `/v1/referrals/${friends.id}/tiers`, tier)
  }
  beforeEach(newReferral)

  const redeemAs = (friend: string, order: object = { order: { source_id: `of ${friend}`, amount: 1 } }) =>
    done('redemptions', { redeemables: vouchers(code), customer: { source_id: friend }, ...order })
  const stateOf = (friend: string, more: object = {}) =>
    state({ source_id: `of ${friend}`, customer: { source_id: friend }, amount: 5_000, status: 'PAID', ...more })
  /** How many friends count, and what the referrer has got for them. */
  const has = async () => {
    const { vouchers: gifts } = await ok(shop, 'GET', '/v1/vouchers?campaign=Gifts&customer=rita')
    const balances = gifts.map(({ gift }: Body) => gift.balance)
    return [(await customer('rita')).loyalty.referred_customers, ...balances]
  }

  test('converts nobody, however many friends it makes up', async () => {
    for (const friend of ['bob', 'cleo', 'dora']) await redeemAs(friend)
    expect(await has()).toEqual([0])
  })

  test('converts once when the shop says that the order is paid, and the referrer gets the reward', async () => {
    await redeemAs('bob')
    for (let times = 0; times < 2; times += 1) await stateOf('bob')
    expect(await has()).toEqual([1, 10_000])
  })

  test('converts when a redemption of the server side pays the order', async () => {
    await redeemAs('bob')
    const body = { redeemables: vouchers('TEN'), order: { source_id: 'of bob', amount: 5_000 } }
    await ok(shop, 'POST', '/v1/redemptions', { ...body, customer: { source_id: 'bob' } })
    expect(await has()).toEqual([1, 10_000])
  })

  test('converts nobody when the shop names another buyer', async () => {
    await redeemAs('bob')
    await stateOf('bob', { customer: { source_id: 'cleo' } })
    expect(await has()).toEqual([0])
  })

  test('converts nobody when it was rolled back before', async () => {
    const { redemptions } = await redeemAs('bob')
    await ok(shop, 'POST', `/v1/redemptions/${redemptions[0].id}/rollback`)
    await stateOf('bob')
    expect(await has()).toEqual([0])
  })

  test('converts nobody when the shop confirms it later than CLIENT_ORDER_DAYS_MAX days', async () => {
    shop = await newProject({ env: { CLIENT_ORDER_DAYS_MAX: '2' }, project })
    await newReferral()
    for (const friend of ['bob', 'cleo']) await redeemAs(friend)
    shop.service.clock.advance(47 * 3_600_000)
    await stateOf('bob')
    shop.service.clock.advance(2 * 3_600_000)
    await stateOf('cleo')
    expect(await has()).toEqual([1, 10_000])
  })

  test.each([
    [false, [0]],
    [true, [1, 10_000]],
  ])('without an order converts only with client_loyalty_events_enabled: %s', async (flag, expected) => {
    await shop.manage('PUT', '', { client_loyalty_events_enabled: flag })
    await redeemAs('bob', {})
    expect(await has()).toEqual(expected)
  })

  test('converts at once on an order that the shop has paid', async () => {
    await stateOf('bob')
    await redeemAs('bob', { order: { source_id: 'of bob' }, customer: { source_id: await proofOf('bob') } })
    expect(await has()).toEqual([1, 10_000])
  })
})

describe('what a page publishes', () => {
  const publish = async (campaign: string | object, sourceId = 'bob', query = '') =>
    asPage(`publish${query}`, { campaign, customer: { source_id: await proofOf(sourceId) } })

  test('is of campaigns that the project names, by id or name; until then of none', async () => {
    const welcome = await newCampaign(shop, 'Welcome', { type: 'AUTO_UPDATE' })
    const gifts = { type: 'AUTO_UPDATE', voucher: { type: 'GIFT_VOUCHER', gift: { amount: 10_000 } } }
    await newCampaign(shop, 'Sold gift cards', gifts)
    const refused = {
      status: 403,
      body: { details: 'client_publish_campaigns of the project does not name this campaign' },
    }
    for (const name of ['Welcome', 'Sold gift cards']) expect(await publish(name)).toMatchObject(refused)
    for (const named of ['Welcome', welcome.id]) {
      await shop.manage('PUT', '', { client_publish_campaigns: [named] })
      expect((await publish('Welcome', `new for ${named}`)).status).toBe(200)
      expect(await publish('Sold gift cards')).toMatchObject(refused)
    }
    expect((await ok(shop, 'GET', '/v1/publications')).total).toBe(2)
    const { vouchers: unsold } = await ok(shop, 'GET', '/v1/vouchers?campaign=Sold gift cards')
    expect(unsold).toEqual([])
  })

  test('is one code for a customer, and the same one however often it asks', async () => {
    await restart({ client_publish_campaigns: ['Welcome'] })
    await newCampaign(shop, 'Welcome', { type: 'AUTO_UPDATE' })
    const first = await publish('Welcome')
    for (const query of ['', '?join_once=false'])
      expect((await publish('Welcome', 'bob', query)).body.voucher.code).toBe(first.body.voucher.code)
    expect(await publish({ name: 'Welcome', count: 2 })).toMatchObject({
      status: 400,
      body: { key: 'too_many_vouchers_requested' },
    })
    expect((await ok(shop, 'GET', '/v1/vouchers?campaign=Welcome')).total).toBe(1)
  })

  test('is no code of a campaign that it names by the code', async () => {
    await newCampaign(shop, 'Staff', { vouchers_count: 1 })
    const [{ code }] = (await ok(shop, 'GET', '/v1/vouchers?campaign=Staff')).vouchers
    const body = { voucher: code, customer: { source_id: await proofOf('bob') } }
    expect((await asPage('publish', body)).status).toBe(403)
  })

  test('takes no source id of publications away from the shop', async () => {
    await restart({ client_publish_campaigns: ['Welcome'] })
    await newCampaign(shop, 'Welcome', { type: 'AUTO_UPDATE' })
    const { body } = await asPage('publish', {
      campaign: 'Welcome',
      customer: { source_id: 'ann' },
      source_id: 'mail-1',
    })
    expect(body.warnings).toEqual(['Property .source_id is for the server side only and was ignored.'])
    const sent = { campaign: 'Welcome', customer: { source_id: 'bob' }, source_id: 'mail-1' }
    expect(await ok(shop, 'POST', '/v1/publications', sent)).toMatchObject({ source_id: 'mail-1' })
  })

  test('with a key of the server side is as many as it asks for, of any campaign', async () => {
    await newCampaign(shop, 'Welcome', { type: 'AUTO_UPDATE' })
    const body = { campaign: { name: 'Welcome', count: 3 }, customer: { source_id: 'bob' } }
    expect((await ok(shop, 'POST', '/client/v1/publish', body)).vouchers).toHaveLength(3)
  })
})

describe('of a customer that the shop knows', () => {
  const staffed = { metadata: { staff: true }, email: 'boss@company.example' }

  test.each([
    ['metadata', when('customer.metadata', { $is: [true] }, { property: 'staff' }), undefined],
    ['a segment by metadata', undefined, { 'metadata.staff': { conditions: { $is: [true] } } }],
    ['a segment by e-mail', undefined, { email: { conditions: { $is: ['boss@company.example'] } } }],
  ])('only what is stored counts for %s, not what a page adds', async (_, condition, filter) => {
    const segment =
      filter &&
      (await ok(shop, 'POST', '/v1/segments', {
        name: 'Staff',
        type: 'passive',
        filter: { junction: 'and', ...filter },
      }))
    await newDiscount(shop, 'STAFF', percentOff(90))
    await newRule(shop, condition ?? when('customer.segment', { $is: [segment.id] }), { voucher: 'STAFF' })
    const body = { redeemables: vouchers('STAFF'), order: { amount: 1_000 } }
    const known = { source_id: await proofOf('bob'), ...staffed }
    expect((await asPage('redemptions', { ...body, customer: known })).status).toBe(400)
    expect(await done('validations', { ...body, customer: known })).toMatchObject({ valid: false })
    // The server side may say more of a customer than is stored.
    const said = { ...body, customer: { source_id: 'bob', ...staffed } }
    expect(await ok(shop, 'POST', '/v1/validations', said)).toMatchObject({ valid: true })
    await ok(shop, 'PUT', '/v1/customers/bob', staffed)
    expect((await asPage('redemptions', { ...body, customer: known })).status).toBe(200)
  })
})

describe('metadata of a customer that a page makes up', () => {
  beforeEach(async () => {
    await newDiscount(shop, 'VIP', percentOff(90))
    await newRule(shop, when('customer.metadata', { $is: ['vip'] }, { property: 'tier' }), { voucher: 'VIP' })
  })
  const metadata = { tier: 'vip' }

  test.each([
    ['a new one', { source_id: 'mallory', metadata }],
    ['an anonymous one', { metadata }],
  ])('redeem nothing for %s', async (_, customer) => {
    const body = { redeemables: vouchers('VIP'), order: { amount: 1_000 }, customer }
    expect((await asPage('redemptions', body)).status).toBe(400)
    expect((await asPage('redeem?code=VIP', { order: { amount: 1_000 }, customer })).status).toBe(400)
  })

  test('are not stored, whatever creates it', async () => {
    await restart({ client_publish_campaigns: ['Welcome'] })
    await newCampaign(shop, 'Welcome', { type: 'AUTO_UPDATE' })
    await newEventSchema(shop, 'visit')
    const of = (name: string) => ({ customer: { source_id: name, metadata } })
    await done('customers', of('customers').customer)
    await done('redemptions', { redeemables: vouchers('TEN'), order: { amount: 1_000 }, ...of('redemptions') })
    await done('publish', { campaign: 'Welcome', ...of('publish') })
    await done('events', { event: 'visit', ...of('events') })
    for (const name of ['customers', 'redemptions', 'publish', 'events'])
      expect([name, (await customer(name)).metadata]).toEqual([name, undefined])
  })
})

describe('a caller with a key of the server side is answered by the client side as the contract says', () => {
  test('a publication has its customer with sums, loyalty and referrals, and its voucher has a holder', async () => {
    await newGiftCard(shop, 'GIFT', 500)
    const body = { voucher: 'GIFT', customer: { source_id: 'bob', name: 'Bob' } }
    const publication = await ok(shop, 'POST', '/client/v1/publish', body)
    const { id } = publication.customer
    expect(publication).toMatchObject({
      customer: { name: 'Bob', summary: { orders: {} }, loyalty: { points: 0 }, referrals: { total: 0 } },
      voucher: { code: 'GIFT', holder_id: id },
    })
  })

  test('the date on which a voucher expires is set, with its flag, without a proof', async () => {
    const body = { expiration_date: '2099-01-01T00:00:00.000Z' }
    const put = () => shop.call('PUT', '/client/v1/vouchers/TEN', body)
    expect(await put()).toMatchObject({ status: 200, body: { code: 'TEN', type: 'DISCOUNT_VOUCHER', ...body } })
    await shop.manage('PUT', '', { client_set_voucher_expiration_date_enabled: false })
    expect((await put()).status).toBe(403)
  })

  test('a redemption shows the customer and its order, and the explanation that was asked for', async () => {
    const body = { redeemables: vouchers('TEN'), order: { amount: 100 }, customer: { source_id: 'bob', name: 'Bob' } }
    const answer = await ok(shop, 'POST', '/client/v1/redemptions', { ...body, options: { explain: true } })
    expect(answer.redemptions[0]).toMatchObject({ customer: { name: 'Bob' }, voucher: { code: 'TEN' } })
    expect(answer.redemptions[0]).toHaveProperty('explanation')
  })
})
