import { beforeAll, describe, expect, test } from 'vitest'
import { customers } from './audience/customers/routes.ts'
import { validations } from './checkout/validations/routes.ts'
import type { InstallationCtx } from './core/context.ts'
import type { Project } from './core/db/project-row.ts'
import { trackingName, trackingProof } from './core/http/tracking-id.ts'
import { vouchers } from './incentives/vouchers/routes.ts'
import { operations } from './operations.ts'
import { redeeming } from './redemptions/redeem-routes.ts'
import { redemptions } from './redemptions/routes.ts'
import {
  type Answer,
  newClock,
  newProject,
  newProjectOn,
  newTestApp,
  type Shop,
  send,
  type TestService,
} from './testing/app.ts'
import { amountOff, newCard, newDiscount, newGiftCard, percentOff } from './testing/checkout.ts'
import { testDatabase } from './testing/database.ts'
import { newEventSchema } from './testing/loyalty.ts'
import { openNode } from './testing/nodes.ts'
import { ok } from './testing/orders.ts'

// What a page of a shop may see and do (docs/reference/client-side.md).

const origin = 'https://shop.example'

// biome-ignore lint/suspicious/noExplicitAny: the tests read what they expect out of arbitrary answers.
type Body = any

const asPage = (
  shop: Shop,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<Body>> => send(shop.service.app, method, path, body, { ...clientPair(shop), origin, ...headers })

const clientPair = (shop: Shop) => ({
  'x-client-application-id': shop.client_id,
  'x-client-token': shop.client_token,
})

const allFlags = {
  client_redeem_enabled: true,
  client_publish_enabled: true,
  client_list_vouchers_enabled: true,
  client_create_customer_enabled: true,
  client_loyalty_events_enabled: true,
  client_publish_campaigns: ['Welcome'],
}

let narrow: Promise<TestService> | undefined

/** A shop on a service with shorter times and fewer sessions than by default, and a clock of its own. */
async function narrowShop(project: Record<string, unknown> = {}): Promise<Shop> {
  narrow ??= (async () => {
    const clock = newClock()
    const env = { AUTH_MODE: 'either', TRACKING_ID_HOURS_MAX: '2', CLIENT_SESSIONS_MAX: '2' }
    const only = [...customers, ...vouchers, ...validations, ...redemptions, ...redeeming]
    return { ...(await openNode(await testDatabase(), { env, only, now: clock.now })), clock }
  })()
  return newProjectOn(await narrow, { client_trusted_domains: ['shop.example'], ...project })
}

const newShop = (project: Record<string, unknown> = {}): Promise<Shop> =>
  newProject({
    env: { AUTH_MODE: 'either' },
    project: { client_trusted_domains: ['shop.example'], client_identity: 'proven', ...allFlags, ...project },
  })

const projectOf = async ({ service, project_id }: Shop) =>
  (await service.runtime.credentials.project(project_id)) as Project

/** The tracking id that the server side hands to the page of a customer. */
async function proofOf(shop: Shop, sourceId: string): Promise<string> {
  await ok(shop, 'POST', '/v1/customers', { source_id: sourceId })
  return (await ok(shop, 'GET', `/v1/customers/${sourceId}/tracking-id`)).tracking_id
}

/** The private profile of Ann; no answer to a page may contain any of it. */
const profile = { name: 'Ann Private', email: 'ann@private.example', metadata: { debt: 'private-debt' } }
const secrets = ['Ann Private', 'ann@private.example', 'private-debt', 'STAFF', 'ANNS-GIFT', 'private-line']

async function shopWithAnn(project: Record<string, unknown> = {}) {
  const shop = await newShop(project)
  const ann = await ok(shop, 'POST', '/v1/customers', { source_id: 'ann', ...profile })
  await newEventSchema(shop, 'visit')
  await newDiscount(shop, 'TEN', amountOff(10))
  await newDiscount(shop, 'STAFF', percentOff(90))
  await newGiftCard(shop, 'ANNS-GIFT', 5_000)
  await ok(shop, 'POST', '/v1/publications', { voucher: 'ANNS-GIFT', customer: { source_id: 'ann' } })
  await ok(shop, 'POST', '/v1/campaigns', {
    name: 'Welcome',
    campaign_type: 'DISCOUNT_COUPONS',
    type: 'AUTO_UPDATE',
    voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 100 } },
  })
  const order = await ok(shop, 'POST', '/v1/orders', {
    source_id: 'anns-order',
    status: 'PAID',
    customer: { source_id: 'ann' },
    items: [{ source_id: 'private-line', quantity: 1, price: 700 }],
  })
  return { shop, ann, order }
}

const shared = new Map<string, ReturnType<typeof shopWithAnn>>()

/** The same shop for all tests that leave it as it is, but for what nobody else looks at. */
function sharedShop(project: Record<string, unknown> = {}): ReturnType<typeof shopWithAnn> {
  const key = JSON.stringify(project)
  const shop = shared.get(key) ?? shopWithAnn(project)
  shared.set(key, shop)
  return shop
}

/** Likewise, for tests that redeem, publish and open sessions. */
const busyShop = (): ReturnType<typeof shopWithAnn> => sharedShop({ name: 'With redemptions' })

const order = { amount: 1_000 }
const redeemables = [{ object: 'voucher', id: 'TEN' }]

/** Every client-side operation that names a customer, with what the request sends besides. */
const calls: Record<string, (customer: Record<string, unknown>) => [method: string, path: string, body?: object]> = {
  qualifications: (named) => ['POST', '/client/v1/qualifications', { ...named, order, scenario: 'ALL' }],
  'the wallet': (named) => ['POST', '/client/v1/qualifications', { ...named, order, scenario: 'CUSTOMER_WALLET' }],
  validations: (named) => [
    'POST',
    '/client/v1/validations',
    { ...named, redeemables, order, options: { explain: true } },
  ],
  redemptions: (named) => [
    'POST',
    '/client/v1/redemptions',
    { ...named, redeemables, order, options: { explain: true } },
  ],
  redeem: (named) => ['POST', '/client/v1/redeem?code=TEN', { ...named, order }],
  publish: (named) => ['POST', '/client/v1/publish', { ...named, campaign: { name: 'Welcome' } }],
  events: (named) => ['POST', '/client/v1/events', { ...named, event: 'visit' }],
  customers: ({ customer }) => ['POST', '/client/v1/customers', { ...(customer as object), name: 'Eve' }],
}

type Identity = 'a bare source_id' | 'an id' | 'the pseudonym of a redemption' | 'an old tracking id' | 'a tracking id'

async function namedAs(identity: Identity, { shop, ann }: { shop: Shop; ann: { id: string } }) {
  if (identity === 'an id') return { customer: { id: ann.id } }
  return { customer: { source_id: await sourceIdOf(identity, shop) } }
}

async function sourceIdOf(identity: Exclude<Identity, 'an id'>, shop: Shop): Promise<string> {
  if (identity === 'a bare source_id') return 'ann'
  if (identity === 'a tracking id') return proofOf(shop, 'ann')
  const project = await projectOf(shop)
  return identity === 'an old tracking id'
    ? trackingProof(project, 'ann', shop.service.runtime.now() - 26 * 3_600_000)
    : trackingName(project, 'ann')
}

const expectNothingPrivate = (answer: Answer<Body>, secretsShown: readonly string[] = []) => {
  const text = JSON.stringify(answer)
  for (const secret of secrets.filter((each) => !secretsShown.includes(each))) expect(text).not.toContain(secret)
}

describe.each<Identity>(['a bare source_id', 'an id', 'the pseudonym of a redemption', 'an old tracking id'])(
  'a claim by %s, where identity must be proven',
  (identity) => {
    let known: Awaited<ReturnType<typeof shopWithAnn>>
    beforeAll(async () => {
      known = await sharedShop()
    })

    test.each(['qualifications', 'validations'])('%s evaluate nothing private', async (name) => {
      const [method, path, body] = calls[name]?.(await namedAs(identity, known)) ?? []
      const answer = await asPage(known.shop, method as string, path as string, body)
      expect(answer.status).toBe(200)
      expectNothingPrivate(answer)
    })

    test('the wallet is empty', async () => {
      const [method, path, body] = calls['the wallet']?.(await namedAs(identity, known)) ?? []
      const answer = await asPage(known.shop, method as string, path as string, body)
      expect(answer).toMatchObject({ status: 200, body: { redeemables: { data: [] } } })
      expectNothingPrivate(answer)
    })

    test.each(['redemptions', 'redeem', 'publish', 'events'])('%s are refused', async (name) => {
      const [method, path, body] = calls[name]?.(await namedAs(identity, known)) ?? []
      const answer = await asPage(known.shop, method as string, path as string, body)
      expect(answer).toMatchObject({
        status: 403,
        body: {
          details: 'Client-side requests must prove this customer by a recent tracking id issued by the server side',
        },
      })
      expectNothingPrivate(answer)
      expect((await ok(known.shop, 'GET', '/v1/redemptions')).total).toBe(0)
      expect((await ok(known.shop, 'GET', '/v1/publications')).total).toBe(1)
    })

    test('the customer is not changed', async () => {
      const [method, path, body] = calls.customers?.(await namedAs(identity, known)) ?? []
      const answer = await asPage(known.shop, method as string, path as string, body)
      expect(answer).toMatchObject({ status: 200, body: { id: known.ann.id, object: 'customer' } })
      expectNothingPrivate(answer)
      expect(await ok(known.shop, 'GET', '/v1/customers/ann')).toMatchObject(profile)
    })
  },
)

describe('a customer proven by a tracking id of the server side', () => {
  let known: Awaited<ReturnType<typeof shopWithAnn>>
  beforeAll(async () => {
    known = await shopWithAnn()
  })

  test.each(Object.keys(calls))('%s', async (name) => {
    const named = await namedAs('a tracking id', known)
    const [method, path, body] = calls[name]?.(named) ?? []
    const answer = await asPage(known.shop, method as string, path as string, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    // Her own wallet is hers to see; her profile is nobody's, and the tracking id stays one.
    expectNothingPrivate(answer, ['ANNS-GIFT'])
    expect(JSON.stringify(answer.body)).not.toContain('"ann"')
    expect(JSON.stringify(answer.body)).not.toContain('explanation')
    if (name === 'the wallet') expect(answer.body.redeemables.data).toMatchObject([{ id: 'ANNS-GIFT' }])
    if (name === 'redemptions') expect(answer.body.redemptions).toMatchObject([{ customer_id: known.ann.id }])
    if (name === 'publish' || name === 'redeem' || name === 'events')
      expect(answer.body.customer).toEqual({
        id: known.ann.id,
        source_id: named.customer.source_id,
        object: 'customer',
      })
    if (name === 'customers') expect((await ok(known.shop, 'GET', '/v1/customers/ann')).name).toBe('Eve')
  })

  test('is refused with a tracking id of another project, of another customer or with a changed one', async () => {
    const { shop } = await sharedShop()
    const other = await sharedShop({ client_identity: 'claimed' })
    const proof = await proofOf(shop, 'ann')
    for (const token of [await proofOf(other.shop, 'ann'), await proofOf(shop, 'bob'), `${proof.slice(0, -2)}AA`])
      expect(
        await asPage(shop, 'POST', '/client/v1/redemptions', {
          redeemables,
          order,
          customer: 'ann',
          tracking_id: token,
        }),
      ).toMatchObject({ status: token === proof ? 200 : 400, body: { key: 'ambiguous_tracking_id' } })
  })

  test('is proven for as long as the installation says', async () => {
    const shop = await narrowShop({ client_identity: 'proven', ...allFlags })
    await ok(shop, 'POST', '/v1/customers', { source_id: 'ann' })
    await newDiscount(shop, 'TEN', amountOff(10))
    const trackingId = await proofOf(shop, 'ann')
    const redeem = async () =>
      (await asPage(shop, 'POST', '/client/v1/redemptions', { redeemables, order, tracking_id: trackingId })).status
    expect(await redeem()).toBe(200)
    shop.service.clock.advance(3 * 3_600_000)
    expect(await redeem()).toBe(403)
  })

  test.each([
    ['a validation', 'POST', '/v1/validations', { redeemables, customer: { source_id: 'ann' } }],
    ['a qualification', 'POST', '/v1/qualifications', { order, customer: { source_id: 'ann' } }],
    ['promotions', 'POST', '/v1/promotions/validation', { order, customer: { source_id: 'ann' } }],
    ['the customer', 'GET', '/v1/customers/ann/tracking-id', undefined],
  ])('the server side gets the tracking id with %s', async (_, method, path, body) => {
    const { tracking_id } = await ok(known.shop, method, path, body)
    expect(
      await asPage(known.shop, 'POST', '/client/v1/events', { event: 'visit', customer: { source_id: tracking_id } }),
    ).toMatchObject({ status: 200 })
  })

  test('the tracking id of an answer to a page proves nothing', async () => {
    const { shop } = await sharedShop()
    const { body } = await asPage(shop, 'POST', '/client/v1/validations', {
      redeemables,
      order,
      customer: { source_id: 'ann' },
    })
    expect(body.tracking_id).toMatch(/^track_/)
    expect(
      await asPage(shop, 'POST', '/client/v1/redemptions', { redeemables, order, tracking_id: body.tracking_id }),
    ).toMatchObject({ status: 403 })
  })
})

test('a claim creates a customer that does not exist', async () => {
  const { shop } = await busyShop()
  for (const name of ['redemptions', 'publish', 'events', 'customers']) {
    const [method, path, body] = calls[name]?.({ customer: { source_id: `new by ${name}` } }) ?? []
    const answer = await asPage(shop, method as string, path as string, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expect(await ok(shop, 'GET', `/v1/customers/new by ${name}`)).toMatchObject({ object: 'customer' })
  }
})

test('where claims count as proofs, answers are short nevertheless', async () => {
  const { shop, ann } = await sharedShop({ client_identity: 'claimed' })
  for (const name of ['redemptions', 'redeem', 'publish', 'events', 'validations', 'qualifications']) {
    const [method, path, body] = calls[name]?.({ customer: { source_id: 'ann' } }) ?? []
    const answer = await asPage(shop, method as string, path as string, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expectNothingPrivate(answer, ['ANNS-GIFT'])
    if (name === 'redeem') expect(answer.body.customer).toEqual({ id: ann.id, source_id: 'ann', object: 'customer' })
  }
})

describe('codes in qualifications', () => {
  const listed = async (shop: Shop, body: object = {}): Promise<string[]> => {
    const answer = await asPage(shop, 'POST', '/client/v1/qualifications', { order, options: { limit: 50 }, ...body })
    expect(answer.status).toBe(200)
    return answer.body.redeemables.data
      .filter(({ object }: { object: string }) => object === 'voucher')
      .map(({ id }: { id: string }) => id)
      .sort()
  }

  test('are listed only if the project lists codes on the client side', async () => {
    const { shop } = await shopWithAnn({ client_list_vouchers_enabled: false, client_public_codes: ['TEN'] })
    const trackingId = await proofOf(shop, 'ann')
    for (const scenario of ['ALL', 'CUSTOMER_WALLET', 'AUDIENCE_ONLY'])
      expect(await listed(shop, { scenario, tracking_id: trackingId })).toEqual([])
  })

  test('are those of the customer and those that the project made public', async () => {
    const { shop } = await shopWithAnn()
    const trackingId = await proofOf(shop, 'ann')
    expect(await listed(shop)).toEqual([])
    expect(await listed(shop, { tracking_id: trackingId })).toEqual(['ANNS-GIFT'])
    await shop.manage('PUT', '', { client_public_codes: ['TEN'] })
    expect(await listed(shop)).toEqual(['TEN'])
    expect(await listed(shop, { tracking_id: trackingId })).toEqual(['ANNS-GIFT', 'TEN'])
    const byName = { options: { filters: { code: { conditions: { $is: ['STAFF', 'ANNS-GIFT'] } } } } }
    expect(await listed(shop, byName)).toEqual([])
  })

  test('of a public campaign are those that nobody else holds', async () => {
    const shop = await newShop({ client_public_campaigns: ['Open', 'Taken'] })
    for (const name of ['Open', 'Closed', 'Taken'])
      await ok(shop, 'POST', '/v1/campaigns', {
        name,
        campaign_type: 'DISCOUNT_COUPONS',
        type: 'STANDALONE',
        voucher: { type: 'DISCOUNT_VOUCHER', discount: amountOff(100), code: `${name}-1` },
      })
    await ok(shop, 'POST', '/v1/publications', { voucher: 'Taken-1', customer: { source_id: 'bob' } })
    expect(await listed(shop)).toEqual(['Open-1'])
    expect(await listed(shop, { tracking_id: await proofOf(shop, 'bob') })).toEqual(['Open-1', 'Taken-1'])
  })
})

describe('a stored order', () => {
  const named = (id: string) => [{ order: { source_id: 'anns-order' } }, { order: { id } }]

  test.each(['claimed', 'proven'])('is not found for a stranger, identity %s', async (clientIdentity) => {
    const { shop, order: stored } = await sharedShop({ client_identity: clientIdentity })
    for (const part of named(stored.id))
      for (const path of ['validations', 'redemptions', 'qualifications'])
        for (const who of [{}, { customer: { source_id: 'eve' } }, { tracking_id: await proofOf(shop, 'eve') }]) {
          const answer = await asPage(shop, 'POST', `/client/v1/${path}`, { redeemables, ...part, ...who })
          expect(answer).toMatchObject({ status: 404, body: { resource_type: 'order' } })
          expectNothingPrivate(answer)
        }
    expect(await ok(shop, 'GET', '/v1/orders/anns-order')).toMatchObject({ customer: { id: stored.customer.id } })
  })

  test('is found for its own customer', async () => {
    const { shop, order: stored } = await sharedShop()
    const trackingId = await proofOf(shop, 'ann')
    for (const part of named(stored.id))
      expect(
        await asPage(shop, 'POST', '/client/v1/validations', { redeemables, ...part, tracking_id: trackingId }),
      ).toMatchObject({
        status: 200,
        body: { valid: true, order: { amount: 700 } },
      })
  })

  test('is used as the shop stored it, whatever a page sends with its id', async () => {
    const { shop, order: stored } = await busyShop()
    const who = { tracking_id: await proofOf(shop, 'ann') }
    const changed = {
      amount: 1_000_000,
      discount_amount: 5,
      items: [{ product_id: 'x', amount: 9 }],
      metadata: { a: 1 },
    }
    const sent = { redeemables, order: { id: stored.id, ...changed }, ...who }
    for (const path of ['validations', 'redemptions'])
      expect(await asPage(shop, 'POST', `/client/v1/${path}`, sent)).toMatchObject({
        status: 200,
        body: { order: { amount: 700 } },
      })
    const { amount, items, metadata } = await ok(shop, 'GET', '/v1/orders/anns-order')
    expect({ amount, items, metadata }).toEqual({ amount: 700, items: stored.items, metadata: stored.metadata })
  })

  test('that a page created can be changed by its page', async () => {
    const { shop } = await busyShop()
    const who = { tracking_id: await proofOf(shop, 'ann') }
    const created = await asPage(shop, 'POST', '/client/v1/redemptions', {
      redeemables,
      order: { amount: 500 },
      ...who,
    })
    const sent = { redeemables, order: { id: created.body.order.id, amount: 600 }, ...who }
    expect(await asPage(shop, 'POST', '/client/v1/validations', sent)).toMatchObject({
      body: { order: { amount: 600 } },
    })
  })

  test('is found in the session that redeemed on it', async () => {
    const { shop } = await busyShop()
    const sent = { redeemables, order: { source_id: 'guest-order', amount: 500 } }
    const session = { type: 'LOCK', key: 'cart-1' }
    expect((await asPage(shop, 'POST', '/client/v1/validations', { ...sent, session })).status).toBe(200)
    expect((await asPage(shop, 'POST', '/client/v1/redemptions', { ...sent, session })).status).toBe(200)
    await ok(shop, 'POST', '/v1/orders', { source_id: 'unredeemed', amount: 500 })
    const unredeemed = { redeemables, order: { source_id: 'unredeemed' }, session }
    expect((await asPage(shop, 'POST', '/client/v1/validations', unredeemed)).status).toBe(404)
    const again = (key: string) => asPage(shop, 'POST', '/client/v1/validations', { ...sent, session: { key } })
    expect((await again('cart-1')).status).toBe(200)
    expect((await again('cart-2')).status).toBe(404)
  })
})

describe('an order that a page creates', () => {
  const squatted = { source_id: '1002', amount: 1_000_000, discount_amount: 5_000, metadata: { from: 'page' } }
  const shops = { amount: 2_000, metadata: { from: 'shop' } }

  /** A page takes the number of an order that the shop is going to create. */
  async function squattedShop(who: (shop: Shop) => Promise<object> | object = () => ({})) {
    const { shop } = await shopWithAnn()
    const body = { redeemables, order: squatted, session: { key: 'squat' }, ...(await who(shop)) }
    const answer = await asPage(shop, 'POST', '/client/v1/redemptions', body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return { shop, id: answer.body.order.id as string }
  }
  const asEve = async (shop: Shop) => ({ tracking_id: await proofOf(shop, 'eve') })
  const orderOf = (shop: Shop) => ok(shop, 'GET', '/v1/orders/1002')

  test('is CREATED by the redemption, whatever status the page sends', async () => {
    const { shop } = await shopWithAnn()
    for (const status of ['PAID', 'FULFILLED', 'CANCELED']) {
      const body = { redeemables, order: { ...order, status } }
      const { body: redeemed } = await asPage(shop, 'POST', '/client/v1/redemptions', body)
      expect(redeemed.order).toMatchObject({ status: 'CREATED' })
    }
    const delivered = await ok(shop, 'POST', '/v1/redemptions', {
      redeemables,
      order: { ...order, status: 'FULFILLED' },
    })
    expect(delivered.order).toMatchObject({ status: 'FULFILLED' })
  })

  test.each(['validations', 'redemptions'])(
    'does not count in %s of the server side that describe it',
    async (path) => {
      const { shop } = await squattedShop()
      await newDiscount(shop, 'HALF', percentOff(50))
      const half = [{ object: 'voucher', id: 'HALF' }]
      const sent = { redeemables: half, order: { source_id: '1002', ...shops } }
      expect((await ok(shop, 'POST', `/v1/${path}`, sent)).order).toMatchObject({
        amount: 2_000,
        total_discount_amount: 1_000,
        total_amount: 1_000,
        metadata: { from: 'shop' },
      })
      if (path === 'redemptions')
        expect(await orderOf(shop)).toMatchObject({ amount: 2_000, discount_amount: 1_000, metadata: { from: 'shop' } })
    },
  )

  test('is replaced by that of the shop, which keeps its redemptions', async () => {
    const { shop, id } = await squattedShop(asEve)
    const { redemptions } = await orderOf(shop)
    const replaced = await ok(shop, 'POST', '/v1/orders', {
      source_id: '1002',
      customer: { source_id: 'ann' },
      ...shops,
    })
    expect(replaced).toMatchObject({
      id,
      status: 'CREATED',
      total_amount: 2_000,
      metadata: { from: 'shop' },
      redemptions,
    })
    expect(replaced).not.toHaveProperty('discount_amount')
    const summaryOf = async (customer: string) =>
      (await ok(shop, 'GET', `/v1/customers/${customer}`)).summary.orders.total_amount
    await ok(shop, 'POST', '/v1/orders', { source_id: '1002', status: 'PAID' })
    expect([await summaryOf('eve'), await summaryOf('ann')]).toEqual([0, 2_700])
    expect(await orderOf(shop)).toMatchObject({ total_amount: 2_000, status: 'PAID' })
  })

  test('is no longer that of its customer or its session', async () => {
    const { shop } = await squattedShop(asEve)
    await ok(shop, 'POST', '/v1/orders', { source_id: '1002', ...shops })
    const seen = (who: object) =>
      asPage(shop, 'POST', '/client/v1/validations', { redeemables, order: { source_id: '1002' }, ...who })
    expect((await seen({ session: { key: 'squat' } })).status).toBe(404)
    expect((await seen(await asEve(shop))).status).toBe(404)
    await ok(shop, 'PUT', '/v1/orders/1002', { customer: { source_id: 'ann' } })
    expect((await seen({ tracking_id: await proofOf(shop, 'ann') })).status).toBe(200)
  })

  test('is paid by whom the shop names, once it says so', async () => {
    const paidBy = async (shop: Shop, customer: string) =>
      (await ok(shop, 'GET', `/v1/customers/${customer}/activity?type=customer.order.paid`)).data.length
    for (const buyer of ['ann', 'eve']) {
      const { shop } = await squattedShop(asEve)
      const before = await paidBy(shop, buyer)
      expect(await paidBy(shop, 'eve')).toBe(0)
      const stated = { source_id: '1002', customer: { source_id: buyer }, ...shops }
      expect(await ok(shop, 'POST', '/v1/orders', stated)).toMatchObject({ status: 'CREATED', amount: 2_000 })
      expect(await paidBy(shop, buyer)).toBe(before)
      for (let times = 0; times < 2; times += 1) await ok(shop, 'POST', '/v1/orders', { ...stated, status: 'PAID' })
      expect(await paidBy(shop, buyer)).toBe(before + 1)
    }
  })

  test('is replaced by the redemption of a guest: the customer of the page is not the buyer', async () => {
    const { shop } = await squattedShop(asEve)
    const sent = { redeemables, order: { source_id: '1002', ...shops } }
    const redeemed = await ok(shop, 'POST', '/v1/redemptions', sent)
    expect(redeemed.order).toMatchObject({ customer_id: null, amount: 2_000 })
    expect(redeemed.redemptions[0].customer_id).toBeNull()
  })

  test('stays as it is where the shop names it without amount and lines, and is then not paid', async () => {
    const { shop, id } = await squattedShop(asEve)
    const eve = (await ok(shop, 'GET', '/v1/customers/eve')).id
    for (const status of ['PAID', 'FULFILLED'])
      for (const answer of [
        await shop.call('POST', '/v1/orders', { source_id: '1002', status }),
        await shop.call('PUT', '/v1/orders/1002', { status }),
      ])
        expect(answer).toMatchObject({
          status: 400,
          body: {
            key: 'invalid_order',
            details: `Only a page has described this order. To confirm that it is ${status}, send its amount or items too`,
          },
        })
    expect(await ok(shop, 'PUT', '/v1/orders/1002', { status: 'CANCELED' })).toMatchObject({ id, amount: 1_000_000 })
    const again = await ok(shop, 'POST', '/v1/validations', { redeemables, order: { source_id: '1002' } })
    expect(again.order).toMatchObject({ amount: 1_000_000 })
    const redeemed = await ok(shop, 'POST', '/v1/redemptions', { redeemables, order: { id } })
    expect(redeemed.order).toMatchObject({ amount: 1_000_000, status: 'CANCELED' })
    expect(await ok(shop, 'PUT', '/v1/orders/1002', { amount: 900_000, status: 'FULFILLED' })).toMatchObject({
      status: 'FULFILLED',
      amount: 900_000,
      customer_id: eve,
    })
    // Now the shop has described it: it is an order like any other.
    expect(await ok(shop, 'POST', '/v1/orders', { source_id: '1002', amount: 800_000 })).toMatchObject({
      amount: 800_000,
      customer_id: eve,
      status: 'FULFILLED',
    })
  })
})

describe('sessions of the client side', () => {
  const lock = (shop: Shop, session: object, as: object = {}) =>
    asPage(shop, 'POST', '/client/v1/validations', { redeemables, order, session: { type: 'LOCK', ...session }, ...as })

  test('last an hour at most, and as long as they ask for if that is less', async () => {
    const { shop } = await busyShop()
    const ttlOf = async (session: object) => {
      const { ttl, ttl_unit } = (await lock(shop, session)).body.session
      return `${ttl} ${ttl_unit}`
    }
    expect(await ttlOf({ ttl: 3_650, ttl_unit: 'DAYS' })).toBe('60 MINUTES')
    expect(await ttlOf({})).toBe('60 MINUTES')
    expect(await ttlOf({ ttl: 90, ttl_unit: 'SECONDS' })).toBe('90 SECONDS')
    const { session } = await ok(shop, 'POST', '/v1/validations', { redeemables, order, session: { type: 'LOCK' } })
    expect(session).toMatchObject({ ttl: 7, ttl_unit: 'DAYS' })
  })

  test('are bounded in number for each caller, until they expire', async () => {
    const shop = await narrowShop()
    await newDiscount(shop, 'TEN', amountOff(10))
    const open = async (key: string, as: object = {}) => (await lock(shop, { key }, as)).status
    expect(await open('a')).toBe(200)
    expect(await open('b')).toBe(200)
    expect(await open('b')).toBe(200) // extends the session
    expect(await lock(shop, { key: 'c' })).toMatchObject({
      status: 429,
      headers: { 'retry-after': '3600' },
      body: { details: 'Too many open sessions' },
    })
    expect(await open('c', { tracking_id: await proofOf(shop, 'ann') })).toBe(200)
    shop.service.clock.advance(3_600_001)
    expect(await open('c')).toBe(200)
  })
})

test('a session that a redemption has ended no longer counts', async () => {
  const shop = await narrowShop(allFlags)
  await newDiscount(shop, 'TEN', amountOff(10))
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    const session = { type: 'LOCK', key }
    expect((await asPage(shop, 'POST', '/client/v1/validations', { redeemables, order, session })).status).toBe(200)
    const redeemed =
      key < 'c'
        ? await asPage(shop, 'POST', '/client/v1/redemptions', { redeemables, order, session: { key } })
        : await shop.call('POST', '/v1/redemptions', { redeemables, order, session: { key } })
    expect(redeemed.status).toBe(200)
  }
})

test('a reply that an earlier release stored under the bare key of a page is given again', async () => {
  const { shop } = await shopWithAnn()
  const redeem = () =>
    asPage(shop, 'POST', '/client/v1/redemptions', { redeemables, order }, { 'idempotency-key': 'from-before' })
  const first = await redeem()
  await shop.service.runtime.database.db
    .updateTable('idempotency_keys')
    .set({ key: 'from-before' })
    .where('project_id', '=', shop.project_id)
    .execute()
  expect(await redeem()).toMatchObject({ headers: { 'idempotency-replayed': 'true' }, body: first.body })
  expect((await ok(shop, 'GET', '/v1/vouchers/TEN')).redemption.redeemed_quantity).toBe(1)
})

test('nobody learns who referred or holds a code, nor what a tracking id stands for', async () => {
  const { shop, ann } = await busyShop()
  await ok(shop, 'POST', '/v1/campaigns', {
    name: 'Refer',
    campaign_type: 'REFERRAL_PROGRAM',
    type: 'AUTO_UPDATE',
    voucher: { type: 'DISCOUNT_VOUCHER', discount: amountOff(10) },
    referral_program: { conversion_event: { type: 'redemption' } },
  })
  const { voucher } = await ok(shop, 'POST', '/v1/publications', { campaign: 'Refer', customer: { source_id: 'ann' } })
  const byCode = [{ object: 'voucher', id: voucher.code }]
  const name = trackingName(await projectOf(shop), 'gone@private.example')
  for (const [path, body] of [
    [`validate?code=${voucher.code}&amount=100`, undefined],
    ['validations', { redeemables: byCode, order }],
    ['validations', { redeemables, order: { ...order, referrer: trackingName(await projectOf(shop), 'ann') } }],
    ['redemptions', { redeemables: byCode, order }],
    ['redemptions', { redeemables, order: { ...order, referrer: name } }],
    ['redemptions', { redeemables, order: { ...order, referrer: { source_id: name } } }],
  ] as const) {
    const answer = await asPage(shop, body === undefined ? 'GET' : 'POST', `/client/v1/${path}`, body)
    expect([200, 404]).toContain(answer.status)
    expect(JSON.stringify(answer.body)).not.toContain(ann.id)
    expect(JSON.stringify(answer.body)).not.toContain('gone@private.example')
  }
})

test('a loyalty card is refused to a page that does not prove its holder', async () => {
  const shop = await newShop()
  const card = await newCard(shop, { points: 4_321 })
  const body = { redeemables: [{ object: 'voucher', id: card.code, reward: { id: card.reward_id } }], order }
  const lock = { ...body, session: { type: 'LOCK' } }
  const answer = await asPage(shop, 'POST', '/client/v1/validations', lock)
  expect(answer).toMatchObject({ status: 200, body: { valid: false } })
  expect(JSON.stringify(answer.body)).not.toContain('4321')
  expect((await asPage(shop, 'POST', '/client/v1/redemptions', body)).status).toBe(403)
})

test('metadata that a page sends for an existing customer is not stored', async () => {
  const { shop } = await busyShop()
  const customer = { source_id: await proofOf(shop, 'ann'), name: 'Ann', metadata: { vip: 'yes' } }
  for (const name of ['redemptions', 'publish', 'events', 'customers']) {
    const [method, path, body] = calls[name]?.({ customer }) ?? []
    const sent = name === 'customers' ? customer : body
    expect((await asPage(shop, method as string, path as string, sent)).status).toBe(200)
    expect(await ok(shop, 'GET', '/v1/customers/ann')).toMatchObject({ name: 'Ann', metadata: profile.metadata })
  }
})

test('a key that may only read gets no proof', async () => {
  const { shop } = await sharedShop()
  const { app_id, secret } = (await shop.manage('POST', '/api-keys', { name: 'Viewer', role: 'VIEWER' })).body
  const as = (method: string, path: string, body?: unknown) =>
    send(shop.service.app, method, path, body, { 'x-app-id': app_id, 'x-app-token': secret })
  expect((await as('GET', '/v1/customers/ann/tracking-id')).status).toBe(403)
  const { body } = await as('POST', '/v1/qualifications', { order, customer: { source_id: 'ann' } })
  expect(body.tracking_id).toBe(trackingName(await projectOf(shop), 'ann'))
})

test('HEAD does not run an operation that changes something', async () => {
  const { shop } = await sharedShop()
  expect((await shop.call('HEAD', '/v1/publications/create?campaign=Welcome&customer=head')).status).toBe(405)
  expect((await shop.call('GET', '/v1/customers/head')).status).toBe(404)
})

test('who claims the id of a customer does not learn its source id', async () => {
  const { shop, ann } = await sharedShop()
  expect(await asPage(shop, 'POST', '/client/v1/customers', { id: ann.id })).toMatchObject({
    status: 200,
    body: { id: ann.id, source_id: null },
  })
})

test('a malformed query is ignored where an operation has no query parameters', async () => {
  const { shop } = await sharedShop()
  expect((await asPage(shop, 'POST', '/client/v1/qualifications?a=%ZZ', { order })).status).toBe(200)
})

test('an idempotency key of a page does not meet that of the server side', async () => {
  const { shop } = await busyShop()
  const key = { 'idempotency-key': 'order-1' }
  const body = { redeemables, order }
  const [validated, redeemed] = [
    await asPage(shop, 'POST', '/client/v1/validations', body, key),
    await asPage(shop, 'POST', '/client/v1/redemptions', body, { 'idempotency-key': 'order-2' }),
  ]
  expect([validated.status, redeemed.status]).toEqual([200, 200])
  expect((await shop.call('POST', '/v1/redemptions', body, key)).status).toBe(200)
  expect(
    (await shop.call('POST', '/v1/redemptions', { ...body, order: { amount: 1 } }, { 'idempotency-key': 'order-2' }))
      .status,
  ).toBe(200)
  // Within one scope the key still means the same request.
  const again = await asPage(shop, 'POST', '/client/v1/redemptions', body, { 'idempotency-key': 'order-2' })
  expect(again).toMatchObject({ headers: { 'idempotency-replayed': 'true' }, body: redeemed.body })
  expect(
    await asPage(
      shop,
      'POST',
      '/client/v1/redemptions',
      { redeemables, order: { amount: 2 } },
      { 'idempotency-key': 'order-2' },
    ),
  ).toMatchObject({
    body: { key: 'idempotency_key_conflict', details: "Idempotency key 'order-2' was used with another request" },
  })
})

test('an idempotency key of a page meets those of its customer, or else of its network, only', async () => {
  const shop = await newShop()
  const redeem = async (name: string, proof: string | null, remoteAddress: string) => {
    const { statusCode, headers, payload } = await shop.service.app.inject({
      method: 'POST',
      url: '/client/v1/redemptions',
      remoteAddress,
      headers: { ...clientPair(shop), origin, 'idempotency-key': 'order-1' },
      payload: {
        redeemables: [{ object: 'voucher', id: name }],
        order: { amount: 1_000 },
        ...(proof === null ? {} : { customer: { source_id: proof } }),
      },
    })
    return { status: statusCode, isReplay: headers['idempotency-replayed'] === 'true', payload }
  }
  for (const code of ['A', 'B', 'C', 'D']) await newDiscount(shop, code, amountOff(10))
  const [ann, bob] = [await proofOf(shop, 'ann'), await proofOf(shop, 'bob')]
  const fresh = { status: 200, isReplay: false }
  // Bob, and whoever uses the key without a proof, do not take it from Ann.
  expect(await redeem('A', null, '192.0.2.1')).toMatchObject(fresh)
  expect(await redeem('B', null, '192.0.2.2')).toMatchObject(fresh)
  expect(await redeem('C', bob, '192.0.2.1')).toMatchObject(fresh)
  const first = await redeem('D', ann, '192.0.2.1')
  expect(first).toMatchObject(fresh)
  // Ann is replayed to wherever she is, the others in their network.
  expect(await redeem('D', ann, '192.0.2.9')).toEqual({ ...first, isReplay: true })
  expect(await redeem('A', null, '192.0.2.1')).toMatchObject({ status: 200, isReplay: true })
  expect(await redeem('A', null, '192.0.2.2')).toMatchObject({ status: 409 })
})

test('promotion tiers show no figures of the shop', async () => {
  const shop = await newShop()
  await ok(shop, 'POST', '/v1/campaigns', {
    name: 'Sale',
    campaign_type: 'PROMOTION',
    promotion: { tiers: [{ name: 'Tier', action: { discount: { type: 'PERCENT', percent_off: 10 } } }] },
  })
  const { body } = await asPage(shop, 'GET', '/client/v1/promotions/tiers')
  expect(body.tiers).toHaveLength(1)
  expect(body.tiers[0]).not.toHaveProperty('summary')
  expect((await ok(shop, 'GET', '/v1/promotions/tiers')).tiers[0]).toHaveProperty('summary')
})

test('a page redeems a promotion tier, where the project allows it', async () => {
  const shop = await newShop()
  const { promotion } = await ok(shop, 'POST', '/v1/campaigns', {
    name: 'Sale',
    campaign_type: 'PROMOTION',
    promotion: { tiers: [{ name: 'Ten off', action: { discount: { type: 'PERCENT', percent_off: 10 } } }] },
  })
  const path = `/client/v1/promotions/tiers/${promotion.tiers[0].id}/redemption`
  expect(await asPage(shop, 'POST', path, { order: { amount: 2_000 } })).toMatchObject({
    status: 200,
    body: { result: 'SUCCESS', order: { total_amount: 1_800 } }, // 10 % of 2,000 less
  })
})

test('a role that may only read changes nothing, whatever the method', async () => {
  const shop = await newShop()
  await newDiscount(shop, 'TEN', amountOff(10))
  const { app_id, secret } = (await shop.manage('POST', '/api-keys', { name: 'Viewer', role: 'VIEWER' })).body
  const as = (method: string, path: string, body?: unknown) =>
    send(shop.service.app, method, path, body, { 'x-app-id': app_id, 'x-app-token': secret, origin })
  for (const [method, path, body] of [
    ['GET', '/v1/publications/create?voucher=TEN&customer=ann'],
    ['GET', '/client/v1/validate?code=TEN&session_type=LOCK'],
    ['POST', '/client/v1/validations', { redeemables, session: { type: 'LOCK' } }],
  ] as const)
    expect(await as(method, path, body), path).toMatchObject({
      status: 403,
      body: { key: 'missing_required_permission' },
    })
  for (const [method, path, body] of [
    ['GET', '/v1/vouchers'],
    ['POST', '/v1/qualifications', { order }],
    ['POST', '/v1/vouchers/qualification', { order }],
  ] as const)
    expect((await as(method, path, body)).status, path).toBe(200)
})

describe('the list of the vouchers of a customer', () => {
  const codesOf = async (shop: Shop, query: Record<string, string>): Promise<string[]> => {
    const answer = await asPage(shop, 'GET', `/client/v1/vouchers?${new URLSearchParams(query)}`)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expect(answer.body.total).toBe(answer.body.vouchers.length)
    return answer.body.vouchers.map(({ code }: { code: string }) => code)
  }

  // Flag × identity setting × how the request names Ann, who holds ANNS-GIFT.
  test.each<[identity: 'proven' | 'claimed', named: Identity, codes: string[]]>([
    ['proven', 'a tracking id', ['ANNS-GIFT']],
    ['proven', 'a bare source_id', []],
    ['proven', 'an id', []],
    ['proven', 'the pseudonym of a redemption', []],
    ['proven', 'an old tracking id', []],
    ['claimed', 'a tracking id', ['ANNS-GIFT']],
    ['claimed', 'a bare source_id', ['ANNS-GIFT']],
    ['claimed', 'an id', ['ANNS-GIFT']],
    ['claimed', 'the pseudonym of a redemption', ['ANNS-GIFT']],
    ['claimed', 'an old tracking id', ['ANNS-GIFT']],
  ])('where identities are %s, named by %s: %j', async (clientIdentity, named, codes) => {
    const project = { client_identity: clientIdentity, client_public_codes: ['TEN', 'ANNS-GIFT'] }
    const nameIn = async (known: Awaited<ReturnType<typeof shopWithAnn>>) => {
      const { customer } = await namedAs(named, known)
      return 'id' in customer ? customer.id : customer.source_id
    }
    const listing = await sharedShop(project)
    const name = await nameIn(listing)
    expect(await codesOf(listing.shop, { customer: name })).toEqual(codes)
    if (named !== 'an id') expect(await codesOf(listing.shop, { tracking_id: name })).toEqual(codes)
    const silent = await sharedShop({ ...project, client_list_vouchers_enabled: false })
    expect(await asPage(silent.shop, 'GET', `/client/v1/vouchers?customer=${await nameIn(silent)}`)).toMatchObject({
      status: 403,
      body: { details: 'Client-side operation is disabled: client_list_vouchers_enabled' },
    })
  })

  test('shows eight members of a voucher, and nothing of its value, campaign, holder or use', async () => {
    const { shop } = await sharedShop()
    const { body } = await asPage(shop, 'GET', `/client/v1/vouchers?tracking_id=${await proofOf(shop, 'ann')}`)
    expect(body).toEqual({
      object: 'list',
      data_ref: 'vouchers',
      total: 1,
      vouchers: [
        {
          code: 'ANNS-GIFT',
          active: true,
          metadata: {},
          assets: { qr: expect.anything(), barcode: expect.anything() },
          start_date: null,
          expiration_date: null,
          created_at: expect.any(String),
          object: 'voucher',
        },
      ],
    })
  })

  test('takes the filters of the server side, of the codes of this customer only', async () => {
    const { shop } = await shopWithAnn()
    const { voucher } = await ok(shop, 'POST', '/v1/publications', {
      campaign: 'Welcome',
      customer: { source_id: 'ann' },
    })
    await ok(shop, 'POST', '/v1/publications', { campaign: 'Welcome', customer: { source_id: 'bob' } })
    const proof = await proofOf(shop, 'ann')
    expect(await codesOf(shop, { customer: proof, campaign: 'Welcome' })).toEqual([voucher.code])
    expect(await codesOf(shop, { customer: proof, order: 'created_at' })).toEqual(['ANNS-GIFT', voucher.code])
    expect(await codesOf(shop, { customer: proof, 'created_at[after]': '2999-01-01' })).toEqual([])
    const { body } = await asPage(shop, 'GET', `/client/v1/vouchers?customer=${proof}&limit=1&page=2`)
    expect(body).toMatchObject({ total: 2, vouchers: [{ code: 'ANNS-GIFT' }] })
  })

  test('needs a customer, one that it names once', async () => {
    const { shop, ann } = await sharedShop()
    expect(await asPage(shop, 'GET', '/client/v1/vouchers')).toMatchObject({
      status: 400,
      body: { key: 'invalid_query_params', details: "Query should have required property 'customer'" },
    })
    const [anns, bobs] = [await proofOf(shop, 'ann'), await proofOf(shop, 'bob')]
    expect(await codesOf(shop, { customer: 'nobody' })).toEqual([])
    // Bob's proof does not open what Ann holds, nor tells that she exists.
    for (const customer of [anns, 'ann', ann.id, 'nobody', 'cust_nobody'])
      expect(await asPage(shop, 'GET', `/client/v1/vouchers?customer=${customer}&tracking_id=${bobs}`)).toMatchObject({
        status: 400,
        body: { key: 'ambiguous_tracking_id' },
      })
    for (const customer of [anns, 'ann', ann.id])
      expect(await codesOf(shop, { customer, tracking_id: anns })).toEqual(['ANNS-GIFT'])
  })
})

describe('the expiration date of a voucher', () => {
  const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const oneYear = { expiration_date: later(365) }
  const sevenDays = { activity_duration_after_publishing: 'P7D' }
  const setDate = (shop: Shop, code: string, body: object) => asPage(shop, 'PUT', `/client/v1/vouchers/${code}`, body)
  const shopWithFlag = (project: object = {}) =>
    shopWithAnn({ client_set_voucher_expiration_date_enabled: true, ...project })

  const codes = { 'her own': 'ANNS-GIFT', 'that of Bob': 'BOBS', 'that of nobody': 'TEN', 'an unknown one': 'NONE' }
  type Whose = keyof typeof codes
  const names: Array<Identity | 'nobody'> = ['a tracking id', 'a bare source_id', 'an old tracking id', 'nobody']

  /** 403 without a proof; 404 for a code that does not exist or is not hers. */
  function statusOf(isEnabled: boolean, named: string, whose: Whose): number {
    if (isEnabled && whose === 'an unknown one') return 404
    if (!isEnabled || named === 'nobody') return 403
    if (named !== 'a tracking id') return 403 // also where claims count as proofs
    return whose === 'her own' ? 200 : 404
  }

  test.each([true, false])('is set by flag (%s) × identity × name × whose code', async (isEnabled) => {
    const date = later(1)
    for (const identity of ['proven', 'claimed']) {
      const known = await shopWithFlag({
        client_identity: identity,
        client_set_voucher_expiration_date_enabled: isEnabled,
        client_public_codes: ['TEN'],
      })
      const { shop } = known
      await newDiscount(shop, 'BOBS', percentOff(10))
      await ok(shop, 'POST', '/v1/publications', { voucher: 'BOBS', customer: { source_id: 'bob' } })
      for (const named of names) {
        const who = named === 'nobody' ? {} : { customer: (await namedAs(named, known)).customer.source_id }
        for (const [whose, code] of Object.entries(codes) as Array<[Whose, string]>) {
          const expected = statusOf(isEnabled, named, whose)
          const answer = await setDate(shop, code, { ...who, expiration_date: date })
          expect(answer.status, `${isEnabled} ${identity} ${named} ${whose} ${JSON.stringify(answer.body)}`).toBe(
            expected,
          )
        }
      }
      for (const code of ['BOBS', 'TEN'])
        expect((await ok(shop, 'GET', `/v1/vouchers/${code}`)).expiration_date).toBeNull()
      const hers = (await ok(shop, 'GET', '/v1/vouchers/ANNS-GIFT')).expiration_date
      expect(hers).toBe(isEnabled ? date : null)
    }
  })

  test('is in the answer, on the server side and in an event of the client side', async () => {
    const { shop } = await shopWithFlag()
    const date = later(3)
    const answer = await setDate(shop, 'ANNS-GIFT', {
      tracking_id: await proofOf(shop, 'ann'),
      expiration_date: date,
      active: false,
      metadata: { mine: true },
    })
    expect(answer).toMatchObject({ status: 200, body: { code: 'ANNS-GIFT', active: true, expiration_date: date } })
    expect(Object.keys(answer.body).sort()).toEqual(
      [
        'active',
        'assets',
        'code',
        'created_at',
        'expiration_date',
        'metadata',
        'object',
        'start_date',
        'warnings',
      ].sort(),
    )
    const { id, expiration_date, active, metadata } = await ok(shop, 'GET', '/v1/vouchers/ANNS-GIFT')
    expect({ expiration_date, active, metadata }).toEqual({ expiration_date: date, active: true, metadata: {} })
    const events = await shop.service.runtime.database.db
      .selectFrom('events')
      .where('project_id', '=', shop.project_id)
      .where('entity_id', '=', id)
      .where('type', '=', 'voucher.updated')
      .select('event_source')
      .execute()
    expect(events).toMatchObject([{ event_source: { channel: 'CLIENT_API' } }])
  })

  test('is later than now, and no later than the shop allowed', async () => {
    const { shop } = await shopWithFlag()
    const trackingId = await proofOf(shop, 'ann')
    const refused = { status: 400, body: { key: 'invalid_expiration_date' } }
    const set = (code: string, date: unknown) => setDate(shop, code, { tracking_id: trackingId, expiration_date: date })
    expect(await set('ANNS-GIFT', later(-1))).toMatchObject(refused)
    expect(await set('ANNS-GIFT', null)).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
    expect(await setDate(shop, 'ANNS-GIFT', { tracking_id: trackingId })).toMatchObject({ status: 400 })
    // A code without a campaign: any date where there is none yet, then never later.
    expect((await set('ANNS-GIFT', later(30))).status).toBe(200)
    expect((await set('ANNS-GIFT', later(20))).status).toBe(200)
    expect(await set('ANNS-GIFT', later(25))).toMatchObject(refused)
  })

  let proof: Promise<string> | undefined

  // What the shop did to the code before the page sends a date, in days from now.
  test.each<
    [
      what: string,
      days: number,
      key: string | null,
      shop: { campaign?: object; code?: object; campaign_later?: { active?: false; expiration_date?: string } },
    ]
  >([
    ['at the end of its campaign', 60, null, { campaign: { expiration_date: later(60) } }],
    ['before the end of its campaign', 40, null, { campaign: { expiration_date: later(61) } }],
    ['after the end of its campaign', 62, 'invalid_expiration_date', { campaign: { expiration_date: later(61) } }],
    ['before its start', 2, 'invalid_expiration_date', { campaign: { start_date: later(5) } }],
    ['after its start', 6, null, { campaign: { start_date: later(5) } }],
    ['in a campaign without end', 300, null, {}],
    ['within its activity duration', 6, null, { campaign: { ...oneYear, ...sevenDays } }],
    ['after its activity duration', 300, 'invalid_expiration_date', { campaign: { ...oneYear, ...sevenDays } }],
    ['after its activity duration, without end of the campaign', 8, 'invalid_expiration_date', { campaign: sevenDays }],
    ['before its own date', 29, null, { campaign: oneYear, code: { expiration_date: later(30) } }],
    ['after its own date', 31, 'invalid_expiration_date', { campaign: oneYear, code: { expiration_date: later(30) } }],
    ['where the shop took its date away', 300, null, { campaign: oneYear, code: { expiration_date: null } }],
    [
      'likewise, after the campaign',
      400,
      'invalid_expiration_date',
      { campaign: oneYear, code: { expiration_date: null } },
    ],
    ['once it is expired', 1, 'voucher_expired', { campaign: oneYear, code: { expiration_date: later(-1) } }],
    ['once it is disabled', 1, 'voucher_disabled', { campaign: oneYear, code: { active: false } }],
    ['once its campaign is disabled', 1, 'voucher_disabled', { campaign: oneYear, campaign_later: { active: false } }],
    [
      'once its campaign has ended',
      1,
      'voucher_expired',
      { campaign: oneYear, campaign_later: { expiration_date: later(-1) } },
    ],
  ])('%s, in %d days: %s', async (what, days, key, { campaign = {}, code: ofCode, campaign_later: campaignLater }) => {
    const { shop } = await sharedShop({ client_set_voucher_expiration_date_enabled: true })
    const { id } = await ok(shop, 'POST', '/v1/campaigns', {
      name: what,
      campaign_type: 'DISCOUNT_COUPONS',
      type: 'AUTO_UPDATE',
      voucher: { type: 'DISCOUNT_VOUCHER', discount: amountOff(100) },
      ...campaign,
    })
    const published = await ok(shop, 'POST', '/v1/publications', { campaign: what, customer: { source_id: 'ann' } })
    const { code } = published.voucher
    if (ofCode !== undefined) await ok(shop, 'PUT', `/v1/vouchers/${code}`, ofCode)
    if (campaignLater?.active === false) await ok(shop, 'POST', `/v1/campaigns/${id}/disable`)
    else if (campaignLater !== undefined) await ok(shop, 'PUT', `/v1/campaigns/${id}`, campaignLater)
    const before = await ok(shop, 'GET', `/v1/vouchers/${code}`)
    // At the end itself: the same date as that of the campaign.
    const date = days === 60 ? before.expiration_date : later(days)
    proof ??= proofOf(shop, 'ann')
    const answer = await setDate(shop, code, { tracking_id: await proof, expiration_date: date })
    expect(answer).toMatchObject(key === null ? { status: 200 } : { status: 400, body: { key } })
    const after = await ok(shop, 'GET', `/v1/vouchers/${code}`)
    if (key === null) expect(after.expiration_date).toBe(date)
    else expect(after).toEqual(before)
  })

  test('is only shortened by a page, once it is set', async () => {
    const { shop } = await sharedShop({ client_set_voucher_expiration_date_enabled: true })
    const trackingId = await proofOf(shop, 'ann')
    await ok(shop, 'POST', '/v1/campaigns', {
      name: 'Year',
      campaign_type: 'DISCOUNT_COUPONS',
      type: 'AUTO_UPDATE',
      ...oneYear,
      voucher: { type: 'DISCOUNT_VOUCHER', discount: amountOff(100) },
    })
    const { voucher } = await ok(shop, 'POST', '/v1/publications', { campaign: 'Year', customer: { source_id: 'ann' } })
    const set = async (days: number) =>
      (await setDate(shop, voucher.code, { tracking_id: trackingId, expiration_date: later(days) })).status
    expect([await set(50), await set(40), await set(45), await set(39)]).toEqual([200, 200, 400, 200])
  })
})

describe('consents', () => {
  const decide = (shop: Shop, customer: string, body: object) =>
    asPage(shop, 'PUT', `/client/v1/customers/${encodeURIComponent(customer)}/consents`, body)

  test.each<[identity: 'proven' | 'claimed', named: Identity, status: number]>([
    ['proven', 'a tracking id', 204],
    ['proven', 'a bare source_id', 403],
    ['proven', 'an id', 403],
    ['proven', 'the pseudonym of a redemption', 403],
    ['proven', 'an old tracking id', 403],
    ['claimed', 'a tracking id', 204],
    ['claimed', 'a bare source_id', 204],
    ['claimed', 'an id', 204],
    ['claimed', 'the pseudonym of a redemption', 204],
    ['claimed', 'an old tracking id', 204],
  ])('where identities are %s, a page decides for %s: %d', async (clientIdentity, named, status) => {
    const known = await sharedShop({ client_identity: clientIdentity, name: 'With consents' })
    const { shop } = known
    const { id } = (await shop.manage('POST', '/consents', { name: `Newsletter for ${named}` })).body
    const { customer } = await namedAs(named, known)
    const name = 'id' in customer ? customer.id : customer.source_id
    const answer = await decide(shop, name, { [id]: true })
    expect(answer.status).toBe(status)
    expectNothingPrivate(answer)
    const { data } = await ok(shop, 'GET', '/v1/customers/ann/consents')
    expect(data.filter((each: { id: string }) => each.id === id)).toMatchObject([
      {
        id,
        given: status === 204,
        decisions: status === 204 ? [{ channel: 'CLIENT_API', is_proven: named === 'a tracking id' }] : [],
      },
    ])
  })

  test('without proof, a page does not learn whether a customer exists', async () => {
    const { shop, ann } = await sharedShop({ client_identity: 'proven', name: 'With consents' })
    const { id } = (await shop.manage('POST', '/consents', { name: 'Newsletter' })).body
    const project = await projectOf(shop)
    const longAgo = shop.service.runtime.now() - 30 * 86_400_000
    const answers: Body[] = []
    for (const [known, unknown] of [
      ['ann', 'eve@private.example'],
      [ann.id, 'cust_nobody'],
      [trackingName(project, 'ann'), trackingName(project, 'eve')],
      [trackingProof(project, 'ann', longAgo), trackingProof(project, 'eve', longAgo)],
    ])
      for (const name of [known, unknown]) {
        const { status, body } = await decide(shop, name as string, { [id]: true })
        answers.push({ status, key: body.key, message: body.message, details: body.details, fields: Object.keys(body) })
      }
    expect(answers).toEqual(Array(8).fill(answers[0]))
    expect(answers[0]).toMatchObject({ status: 403, key: 'forbidden' })
  })

  test('a page lists them, and learns of a proven customer or a consent that is gone only that it is unknown', async () => {
    const { shop } = await shopWithAnn()
    const { id } = (await shop.manage('POST', '/consents', { name: 'Newsletter', category: 'MARKETING' })).body
    expect(await asPage(shop, 'GET', '/client/v1/consents')).toMatchObject({
      status: 200,
      body: { groups: { total: 0 }, consents: { total: 1, data: [{ id, name: 'Newsletter', category: 'MARKETING' }] } },
    })
    const gone = trackingProof(await projectOf(shop), 'gone@private.example', shop.service.runtime.now())
    const answer = await decide(shop, gone, { [id]: true })
    expect(answer).toMatchObject({ status: 404, body: { resource_type: 'customer' } })
    expect(JSON.stringify(answer.body)).not.toContain('gone@private.example')
    expect(await decide(shop, await proofOf(shop, 'ann'), { cnst_none: true })).toMatchObject({
      status: 404,
      body: { resource_type: 'consent', resource_id: 'cnst_none' },
    })
  })
})

test('operations that only read reduce their answer too', async () => {
  const { shop } = await sharedShop()
  const seen: string[] = []
  const spied = operations
    .filter(({ path }) => path === '/client/v1/qualifications')
    .map((operation) => ({
      ...operation,
      for_pages: {
        ...(operation.for_pages as NonNullable<typeof operation.for_pages>),
        view: (ctx: InstallationCtx, result: unknown) => {
          seen.push(operation.path)
          return operation.for_pages?.view(ctx, result)
        },
      },
    }))
  const app = newTestApp(shop.service.runtime, spied)
  await send(app, 'POST', '/client/v1/qualifications', { order }, { ...clientPair(shop), origin })
  await app.close()
  expect(seen).toEqual(['/client/v1/qualifications'])
})

test('every client-side operation reduces its answer to a page, but those whose answers say nothing private', () => {
  const unreduced = operations.filter(
    ({ path, for_pages }) => path.startsWith('/client/v1/') && for_pages === undefined,
  )
  expect(unreduced.map(({ id }) => id).sort()).toEqual([
    'listClientConsents',
    'listClientVouchers',
    'updateClientCustomerConsents',
  ])
})

describe('a page that guesses codes', () => {
  const env = { AUTH_MODE: 'either', WRONG_CODES_LIMIT: '3/PT1M' }
  const newShop = () =>
    newProject({
      env,
      project: {
        client_trusted_domains: ['shop.example'],
        client_identity: 'proven',
        ...allFlags,
        client_set_voucher_expiration_date_enabled: true,
      },
    })
  const pageAt = (shop: Shop, remoteAddress: string) => ({
    call: async (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object, headers = {}) => {
      const answer = await shop.service.app.inject({
        method,
        url,
        remoteAddress,
        headers: { ...clientPair(shop), origin, ...headers },
        ...(payload === undefined ? {} : { payload }),
      })
      return { status: answer.statusCode, headers: answer.headers, body: answer.json() as Body }
    },
    async validate(codes: string | string[], more: object = {}) {
      const redeemables = [codes].flat().map((id) => ({ object: 'voucher', id }))
      return this.call('POST', '/client/v1/validations', { redeemables, order: { amount: 1_000 }, ...more })
    },
  })

  test('is refused after some wrong ones, until they are a minute old; others are not', async () => {
    const shop = await newShop()
    await newDiscount(shop, 'TEN', amountOff(10))
    const page = pageAt(shop, '2001:db8:5:5::1')
    for (const code of ['X1', 'X2', 'X3']) expect((await page.validate(code)).body.valid).toBe(false)
    const refused = await pageAt(shop, '2001:db8:5:5::2').validate('TEN')
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '60' },
      body: { key: 'too_many_requests', details: 'WRONG_CODES_LIMIT: more than 3 wrong codes in 60 s' },
    })
    // What names no new code is answered.
    expect((await page.validate('X1')).body.valid).toBe(false)
    expect((await page.call('GET', '/client/v1/promotions/tiers')).status).toBe(200)
    expect((await pageAt(shop, '2001:db8:5:6::1').validate('TEN')).body.valid).toBe(true)
    const customer = { source_id: await proofOf(shop, 'ann') }
    expect((await page.validate('TEN', { customer })).body.valid).toBe(true)
    shop.service.clock.advance(60_000)
    expect((await page.validate('TEN')).body.valid).toBe(true)
  })

  test('is counted by the codes, not by its calls: a cart may ask as often as it changes', async () => {
    const shop = await newShop()
    await newDiscount(shop, 'TEN', amountOff(10))
    const page = pageAt(shop, '192.0.2.50')
    const asked = ['WRONG', ...Array<string>(20).fill('TEN'), ...Array<string>(20).fill('WRONG')]
    const answers = await Promise.all(asked.map((code) => page.validate(code)))
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    expect(answers.map(({ body }) => body.valid)).toEqual(asked.map((code) => code === 'TEN'))
  })

  test('gets no further with many at once, with several in a request, or elsewhere', async () => {
    const shop = await newShop()
    for (const code of ['A', 'B', 'C', 'D']) await newDiscount(shop, code, amountOff(10))
    const guesses = Array.from({ length: 12 }, (_, index) => `GUESS-${index}`)
    const atOnce = await Promise.all(guesses.map((code) => pageAt(shop, '192.0.2.51').validate(code)))
    expect(atOnce.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(9)
    // Codes beside a wrong one are not looked at, so each of them counts as a guess; what applies does not.
    const mixed = pageAt(shop, '192.0.2.52')
    expect((await mixed.validate(['A', 'B'])).body.valid).toBe(true)
    const { skipped_redeemables } = (await mixed.validate(['X1', 'A', 'X2'])).body
    // Whether a skipped code exists, the answer does not tell.
    const details = { key: 'preceding_validation_failed', message: expect.any(String) }
    const skipped = { status: 'SKIPPED', object: 'voucher', result: { details } }
    expect(skipped_redeemables).toEqual(['A', 'X2'].map((id) => ({ ...skipped, id })))
    expect((await mixed.validate(['X1', 'C', 'X3'])).status).toBe(429)
    expect((await mixed.validate('D')).status).toBe(429)
    const elsewhere = pageAt(shop, '192.0.2.53')
    const customer = { source_id: 'nobody' }
    const redeemables = [{ object: 'voucher', id: 'Y2' }]
    expect(await elsewhere.call('GET', '/client/v1/validate?code=Y1')).toMatchObject({ body: { valid: false } })
    const key = { 'idempotency-key': 'guess' }
    expect(
      (await elsewhere.call('POST', '/client/v1/redemptions', { redeemables, order: { amount: 1 } }, key)).status,
    ).toBe(404)
    const change = { expiration_date: '2030-01-01T00:00:00Z' }
    expect((await elsewhere.call('PUT', '/client/v1/vouchers/Y3', change)).status).toBe(404)
    for (const [path, body] of [
      ['/client/v1/redeem?code=Y4', {}],
      ['/client/v1/events', { event: 'visit', customer, referral: { code: 'Y4' } }],
      ['/client/v1/publish', { voucher: 'Y4', customer }],
    ] as const)
      expect([path, (await elsewhere.call('POST', path, body)).status]).toEqual([path, 429])
    expect((await elsewhere.call('PUT', '/client/v1/vouchers/Y4', change)).status).toBe(429)
  })
})
