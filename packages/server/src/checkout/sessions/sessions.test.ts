import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { getVoucher } from '../../testing/campaigns.ts'
import {
  amountOff,
  newCard,
  newDiscount,
  newGiftCard,
  percentOff,
  redeem,
  redeemed,
  validated,
  voucher,
  vouchers,
} from '../../testing/checkout.ts'
import { ok } from '../../testing/orders.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const order = { amount: 1000 }
const dayMs = 86_400_000

const lock = (key: string, more: object = {}) => ({ session: { type: 'LOCK', key, ...more } })

/** Whether vouchers are valid, in a session or without one. */
const isFree = async (shop: Shop, codes: string[], more: object = {}): Promise<boolean> =>
  (await validated(shop, { redeemables: vouchers(...codes), order, ...more })).valid

const release = (shop: Shop, code: string, key: string) =>
  shop.call('DELETE', `/v1/vouchers/${encodeURIComponent(code)}/sessions/${encodeURIComponent(key)}`)

async function shopWith(...codes: string[]): Promise<Shop> {
  const shop = await newProject()
  for (const code of codes) await newDiscount(shop, code, amountOff(100), { redemption: { quantity: 1 } })
  return shop
}

test('example 39: a code of quantity 2 is held by two sessions at most', async () => {
  const shop = await newProject()
  await newDiscount(shop, 'Q', amountOff(500), { redemption: { quantity: 2 } })
  for (const key of ['S1', 'S2'])
    expect(await validated(shop, { redeemables: vouchers('Q'), order, ...lock(key) })).toMatchObject({
      valid: true,
      session: { key, type: 'LOCK', ttl: 7, ttl_unit: 'DAYS' },
    })
  for (const more of [{}, lock('S3'), { session: { key: 'S3' } }])
    expect(await validated(shop, { redeemables: vouchers('Q'), order, ...more })).toMatchObject({
      valid: false,
      redeemables: [
        {
          result: {
            error: {
              key: 'quantity_exceeded',
              details: expect.stringMatching(/^Q: 0 of \d redemptions are used, \d (?:is|are) held by sessions$/),
            },
          },
        },
      ],
    })
  expect(await ok(shop, 'POST', '/v1/vouchers/Q/validate', { order })).toMatchObject({
    valid: false,
    reason: 'quantity exceeded',
  })
  expect(await release(shop, 'Q', 'S2')).toMatchObject({ status: 204, body: null })
  expect(await isFree(shop, ['Q'])).toBe(true)
  expect((await getVoucher(shop, 'Q')).redemption.redeemed_quantity).toBe(0)
})

describe('a session', () => {
  test('without a key gets one', async () => {
    const shop = await shopWith('A')
    const { session } = await validated(shop, { redeemables: vouchers('A'), order, session: { type: 'LOCK' } })
    expect(session.key).toMatch(/^ssn_/)
    expect(await isFree(shop, ['A'])).toBe(false)
    expect(await isFree(shop, ['A'], { session: { key: session.key } })).toBe(true)
  })

  test('can validate again what it holds itself', async () => {
    const shop = await shopWith('A')
    await isFree(shop, ['A'], lock('S'))
    expect(await isFree(shop, ['A'], lock('S'))).toBe(true)
    expect(await ok(shop, 'POST', '/v1/vouchers/A/validate', { order, ...lock('S') })).toMatchObject({
      valid: true,
      session: { key: 'S' },
    })
  })

  test('is not opened by a key without the type LOCK', async () => {
    const shop = await shopWith('A')
    const answer = await validated(shop, { redeemables: vouchers('A'), order, session: { key: 'S' } })
    expect(answer).toMatchObject({ valid: true })
    expect(answer).not.toHaveProperty('session')
    expect(await isFree(shop, ['A'])).toBe(true)
  })

  test('holds several codes, and releases those that a later validation does not name', async () => {
    const shop = await shopWith('A', 'B', 'C')
    await isFree(shop, ['A', 'B'], lock('S'))
    expect([await isFree(shop, ['A']), await isFree(shop, ['B'])]).toEqual([false, false])
    await isFree(shop, ['B', 'C'], lock('S'))
    expect([await isFree(shop, ['A']), await isFree(shop, ['B']), await isFree(shop, ['C'])]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('stays as it was when a validation fails', async () => {
    const shop = await shopWith('A', 'B')
    await newDiscount(shop, 'OLD', percentOff(10), { expiration_date: '2020-01-01T00:00:00.000Z' })
    await isFree(shop, ['A'], lock('S', { ttl: 1 }))
    const failed = await validated(shop, { redeemables: vouchers('B', 'OLD'), order, ...lock('S') })
    expect(failed).toMatchObject({ valid: false })
    expect(failed).not.toHaveProperty('session')
    expect(await ok(shop, 'POST', '/v1/vouchers/OLD/validate', { order, ...lock('S') })).not.toHaveProperty('session')
    expect([await isFree(shop, ['A']), await isFree(shop, ['B'])]).toEqual([false, true])
    shop.service.clock.advance(dayMs)
    expect(await isFree(shop, ['A'])).toBe(true)
  })

  test('gets a new time to live with every valid validation', async () => {
    const shop = await shopWith('A')
    await isFree(shop, ['A'], lock('S', { ttl: 10, ttl_unit: 'MINUTES' }))
    shop.service.clock.advance(9 * 60_000)
    await isFree(shop, ['A'], lock('S', { ttl: 10, ttl_unit: 'MINUTES' }))
    shop.service.clock.advance(9 * 60_000)
    expect(await isFree(shop, ['A'])).toBe(false)
    shop.service.clock.advance(60_001)
    expect(await isFree(shop, ['A'])).toBe(true)
  })

  describe('keeps its holds when an expired session is evaluated with an earlier clock, after its holds were taken', () => {
    const minute = { ttl: 1, ttl_unit: 'MINUTES' }
    const credits = (amount: number) => [voucher('G', { gift: { credits: amount } })]
    const bought = { redeemables: credits(300), order }
    const took: Array<[how: string, take: (shop: Shop) => Promise<unknown>]> = [
      ['for a session', (shop) => validated(shop, { redeemables: credits(700), order, ...lock('NEW') })],
      ['by redeeming it', (shop) => redeemed(shop, { redeemables: credits(700), order })],
      ['with other codes', (shop) => redeemed(shop, { redeemables: [...vouchers('A'), ...credits(700)], order })],
    ]

    // A request may be saved after a later one, which another node with a clock ahead has decided.
    test.each(took)('%s', async (_, take) => {
      const shop = await shopWith('A')
      await newGiftCard(shop, 'G', 1000)
      await validated(shop, { ...bought, ...lock('S') })
      await validated(shop, { redeemables: credits(700), order, ...lock('OLD', minute) })
      shop.service.clock.advance(2 * 60_000)
      await take(shop)
      shop.service.clock.advance(-90_000)
      expect(await redeem(shop, { ...bought, ...lock('S') })).toMatchObject({ status: 200 })
    })

    test('by concurrent redemptions', async () => {
      const shop = await newProject()
      await newDiscount(shop, 'Q', amountOff(100), { redemption: { quantity: 4 } })
      await isFree(shop, ['Q'], lock('S'))
      for (const key of ['OLD', 'OLDER', 'OLDEST']) await isFree(shop, ['Q'], lock(key, minute))
      shop.service.clock.advance(2 * 60_000)
      const answers = await Promise.all(Array.from({ length: 5 }, () => redeem(shop, { redeemables: vouchers('Q') })))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
      shop.service.clock.advance(-90_000)
      expect(await redeem(shop, { redeemables: vouchers('Q'), ...lock('S') })).toMatchObject({ status: 200 })
    })
  })

  test('that has expired can continue as long as its holds were not taken', async () => {
    const shop = await shopWith('A')
    await isFree(shop, ['A'], lock('S', { ttl: 1 }))
    shop.service.clock.advance(2 * dayMs)
    expect(await isFree(shop, ['A'])).toBe(true)
    shop.service.clock.advance(-2 * dayMs)
    expect([await isFree(shop, ['A']), await isFree(shop, ['A'], lock('S'))]).toEqual([false, true])
  })

  test('of one project holds nothing in another', async () => {
    const [shop, other] = [await shopWith('A'), await shopWith('A')]
    await isFree(shop, ['A'], lock('S'))
    expect(await isFree(other, ['A'])).toBe(true)
    expect(await release(other, 'A', 'S')).toMatchObject({ status: 404 })
    expect(await isFree(shop, ['A'])).toBe(false)
  })

  test('is not opened again by a request that is repeated with its Idempotency-Key', async () => {
    const shop = await shopWith('A')
    const body = { order, session: { type: 'LOCK' } }
    const call = () => shop.call('POST', '/v1/vouchers/A/validate', body, { 'idempotency-key': 'once' })
    const first = await call()
    expect(first.body).toMatchObject({ valid: true })
    const { key } = first.body.session
    expect(await release(shop, 'A', key)).toMatchObject({ status: 204 })
    const again = await call()
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(await isFree(shop, ['A'])).toBe(true)
  })
})

describe('time to live', () => {
  test.each<[session: object, lasts_ms: number, told: object]>([
    [{}, 7 * dayMs, { ttl: 7, ttl_unit: 'DAYS' }],
    [{ ttl: 2 }, 2 * dayMs, { ttl: 2, ttl_unit: 'DAYS' }],
    [{ ttl_unit: 'HOURS' }, 7 * 3_600_000, { ttl: 7, ttl_unit: 'HOURS' }],
    [{ ttl: 1.5, ttl_unit: 'MINUTES' }, 90_000, { ttl: 1.5, ttl_unit: 'MINUTES' }],
    [{ ttl: 30, ttl_unit: 'SECONDS' }, 30_000, { ttl: 30, ttl_unit: 'SECONDS' }],
    [{ ttl: 20_000, ttl_unit: 'MILLISECONDS' }, 20_000, { ttl: 20_000, ttl_unit: 'MILLISECONDS' }],
    [{ ttl: 20_000_000, ttl_unit: 'MICROSECONDS' }, 20_000, { ttl: 20_000_000, ttl_unit: 'MICROSECONDS' }],
    [{ ttl: 2e10, ttl_unit: 'NANOSECONDS' }, 20_000, { ttl: 2e10, ttl_unit: 'NANOSECONDS' }],
  ])('%j', async (session, lastsMs, told) => {
    const shop = await shopWith('A')
    const answer = await validated(shop, { redeemables: vouchers('A'), order, ...lock('S', session) })
    expect(answer.session).toEqual({ key: 'S', type: 'LOCK', ...told })
    shop.service.clock.advance(lastsMs - 10_000)
    expect(await isFree(shop, ['A'])).toBe(false)
    shop.service.clock.advance(10_001)
    expect(await isFree(shop, ['A'])).toBe(true)
  })

  test.each([{ ttl: 0 }, { ttl: -1 }, { ttl: '5' }, { ttl_unit: 'WEEKS' }, { type: 'OPEN' }])(
    'refuses %j',
    async (session) => {
      const shop = await shopWith('A')
      const body = { redeemables: vouchers('A'), order, ...lock('S', session) }
      expect(await shop.call('POST', '/v1/validations', body)).toMatchObject({
        status: 400,
        body: { key: 'invalid_payload' },
      })
    },
  )
})

describe('credits and points', () => {
  test('of a gift card are held only as far as they would be used', async () => {
    const shop = await newProject()
    await newGiftCard(shop, 'GIFT', 1500)
    const ask = (credits: number | undefined, more: object = {}): Promise<Body> =>
      ok(shop, 'POST', '/v1/vouchers/GIFT/validate', {
        order,
        ...(credits === undefined ? {} : { gift: { credits } }),
        ...more,
      })
    expect(await ask(900, lock('S'))).toMatchObject({ valid: true, gift: { balance: 1500 } })
    expect(await ask(601)).toMatchObject({ valid: false, error: { key: 'gift_amount_exceeded' } })
    expect(await ask(600)).toMatchObject({ valid: true })
    expect(await ask(undefined)).toMatchObject({ order: { total_amount: 400 } }) // 600 are left for others
    expect(await ask(1000, lock('S'))).toMatchObject({ valid: true })
    expect(await ask(501)).toMatchObject({ valid: false })
    await release(shop, 'GIFT', 'S')
    expect(await ask(1000)).toMatchObject({ valid: true })
  })

  test('of a loyalty card are held only as far as they would be used', async () => {
    const shop = await newProject()
    const { code, reward_id: id } = await newCard(shop, { points: 100, coin: { exchange_ratio: 1, points_ratio: 10 } })
    const ask = (points: number, more: object = {}): Promise<Body> =>
      validated(shop, { redeemables: [voucher(code, { reward: { id, points } })], order, ...more })
    expect(await ask(65, lock('S'))).toMatchObject({
      valid: true,
      redeemables: [{ result: { loyalty_card: { points: 60 } } }],
    })
    expect(await ask(50)).toMatchObject({
      valid: false,
      redeemables: [{ result: { error: { key: 'loyalty_card_points_exceeded' } } }],
    })
    expect(await ask(40)).toMatchObject({ valid: true })
    expect(await ask(50, lock('S'))).toMatchObject({ valid: true })
  })
})

describe('a redemption', () => {
  test('uses the holds of its session, and ends the session', async () => {
    const shop = await shopWith('A', 'B')
    await isFree(shop, ['A', 'B'], lock('S'))
    const asked = { redeemables: vouchers('A'), order }
    for (const more of [{}, lock('T')])
      expect(await redeem(shop, { ...asked, ...more })).toMatchObject({
        status: 400,
        body: { key: 'quantity_exceeded' },
      })
    await redeemed(shop, { ...asked, ...lock('S') })
    expect([await isFree(shop, ['A']), await isFree(shop, ['B'])]).toEqual([false, true])
    expect(await release(shop, 'B', 'S')).toMatchObject({ status: 404, body: { resource_type: 'session' } })
  })

  test('that fails does not end the session', async () => {
    const shop = await shopWith('A')
    await newDiscount(shop, 'OLD', percentOff(10), { expiration_date: '2020-01-01T00:00:00.000Z' })
    await isFree(shop, ['A'], lock('S'))
    const asked = { redeemables: vouchers('A', 'OLD'), order, ...lock('S') }
    expect(await redeem(shop, asked)).toMatchObject({ status: 400, body: { key: 'voucher_expired' } })
    expect(await isFree(shop, ['A'])).toBe(false)
    expect(await isFree(shop, ['A'], lock('S'))).toBe(true)
  })

  test('with an unknown or ended session is stored without one', async () => {
    const shop = await shopWith('A', 'B')
    await redeemed(shop, { redeemables: vouchers('A'), order, ...lock('unknown') })
    await isFree(shop, ['B'], lock('S', { ttl: 1 }))
    shop.service.clock.advance(dayMs + 1)
    await redeemed(shop, { redeemables: vouchers('B'), order, session: { key: 'S' } })
  })

  test('spends no credits that another session holds', async () => {
    const shop = await newProject()
    await newGiftCard(shop, 'GIFT', 1000)
    await ok(shop, 'POST', '/v1/vouchers/GIFT/validate', { order, gift: { credits: 700 }, ...lock('S') })
    const spend = (credits: number, more: object = {}) =>
      redeem(shop, { redeemables: [voucher('GIFT', { gift: { credits } })], order, ...more })
    expect(await spend(301)).toMatchObject({ status: 400, body: { key: 'gift_amount_exceeded' } })
    expect(await spend(300)).toMatchObject({ status: 200 })
    expect(await spend(700, lock('S'))).toMatchObject({ status: 200 })
    expect((await getVoucher(shop, 'GIFT')).gift.balance).toBe(0)
  })
})

describe('a code is released', () => {
  test('by its id too, and others stay with the session', async () => {
    const shop = await shopWith('A', 'B')
    await isFree(shop, ['A', 'B'], lock('a/key with ümlauts'))
    const { id } = await getVoucher(shop, 'A')
    expect(await release(shop, id, 'a/key with ümlauts')).toMatchObject({ status: 204 })
    expect([await isFree(shop, ['A']), await isFree(shop, ['B'])]).toEqual([true, false])
  })

  test('only if the voucher and the hold exist', async () => {
    const shop = await shopWith('A', 'B')
    await isFree(shop, ['A'], lock('S', { ttl: 1, ttl_unit: 'HOURS' }))
    const missing = (resourceType: string, resourceId: string) => ({
      status: 404,
      body: { key: 'not_found', resource_type: resourceType, resource_id: resourceId },
    })
    expect(await release(shop, 'NOWHERE', 'S')).toMatchObject(missing('voucher', 'NOWHERE'))
    expect(await release(shop, 'B', 'S')).toMatchObject(missing('session', 'S'))
    expect(await release(shop, 'A', 'T')).toMatchObject(missing('session', 'T'))
    shop.service.clock.advance(3_600_001)
    expect(await release(shop, 'A', 'S')).toMatchObject(missing('session', 'S'))
  })

  test('only once', async () => {
    const shop = await shopWith('A')
    await isFree(shop, ['A'], lock('S'))
    expect(await release(shop, 'A', 'S')).toMatchObject({ status: 204 })
    expect(await release(shop, 'A', 'S')).toMatchObject({ status: 404, body: { resource_type: 'session' } })
  })
})
