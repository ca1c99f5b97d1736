import { beforeAll, describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import {
  amountOff,
  asClient,
  newCard,
  newCategory,
  newDiscount,
  newGiftCard,
  newProduct,
  newRule,
  newStack,
  newTier,
  percentOff,
  setStackingRules,
  stack,
  tier,
  voucher,
  vouchers,
  when,
} from '../../testing/checkout.ts'
import { newOrder, ok } from '../../testing/orders.ts'
import { newPromotion } from '../../testing/promotions.ts'
import { statementsSentBy } from '../../testing/sent-statements.ts'

/*
 * The number of round trips of a checkout: one for a validation, and a second one where rules compare counters or segments of
 * the customer. Statements are counted where they leave the process, BEGIN and COMMIT included.
 */

type Call = () => Promise<{ status: number; body: unknown }>

/**
 * The statements of a call once the caches are filled. Where all test files share a database, another test may evict the API keys
 * of all nodes at any moment: then the call is repeated.
 */
async function statementsOf(shop: Shop, call: Call): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    const first = await call()
    expect(first.status, JSON.stringify(first.body)).toBe(200)
    await shop.service.runtime.deferred.flush() // so that the deferred events of the first call are not counted for the second
    const { answer: second, sent } = await statementsSentBy(call)
    expect(second.status, JSON.stringify(second.body)).toBe(200)
    if (attempt === 5 || !sent.some((text) => text.includes('"api_keys"'))) return sent
  }
}

const oneRoundTrip = [expect.stringMatching(/^select (checkout_facts\(|\(select p\.config_version)/)]

const save = expect.stringMatching(/^select checkout_save_(all|plain)\(/)
const twoRoundTrips = [...oneRoundTrip, save]

/** Rules of the shop compare counters and segments: then a checkout with a known customer needs the details too. */
const withDetails = [...oneRoundTrip, expect.stringMatching(/^select checkout_details\(/)]

const post = (shop: Shop, path: string, body: object) => () => shop.call('POST', path, body)

/** A shop with everything that a checkout may load. */
async function fullShop() {
  const shop = await newProject({ project: { client_trusted_domains: ['shop.example'] } })
  const category = await newCategory(shop, 'Outlet')
  await setStackingRules(shop, { joint_categories: [category.id] })
  const mug = await newProduct(shop, 'Mug', { price: 500 })
  const segment = {
    name: 'Gold',
    type: 'auto-update',
    filter: { junction: 'and', 'metadata.level': { conditions: { $is: ['gold'] } } },
  }
  const { id: segmentId } = await ok(shop, 'POST', '/v1/segments', segment)
  await ok(shop, 'POST', '/v1/customers', { source_id: 'anna', metadata: { level: 'gold' } })
  const { id: campaign } = await newCampaign(shop, 'Spring', { type: 'AUTO_UPDATE', category_id: category.id })
  const codes: string[] = []
  for (let n = 0; n < 5; n += 1) codes.push((await ok(shop, 'POST', `/v1/campaigns/${campaign}/vouchers`, {})).code)
  await newRule(shop, when('campaign.redemptions.count', { $less_than: [1000] }), { campaign })
  await newRule(shop, when('redemption.count.per_customer.daily', { $less_than: [1000] }), { campaign })
  await newRule(shop, when('customer.segment', { $is: [segmentId] }), { campaign })
  await newDiscount(shop, 'PLAIN', amountOff(100))
  await newGiftCard(shop, 'GIFT', 5000)
  const card = await newCard(shop, { points: 500 })
  const promotion = await newPromotion(shop)
  const one = await newTier(shop, promotion)
  await newRule(shop, when('redemption.count.daily', { $less_than: [1000] }), { promotion_tier: one.id })
  const { stack: tiers } = await newStack(shop, [
    percentOff(1),
    percentOff(2),
    percentOff(3),
    percentOff(4),
    percentOff(5),
  ])
  const lines = (count: number) => ({
    items: Array.from({ length: count }, (_, n) =>
      n % 2 === 0 ? { product_id: mug.id } : { source_id: `s${n}`, price: 100 },
    ),
  })
  return { shop, codes, card, one, tiers, lines, mug }
}

let full: Awaited<ReturnType<typeof fullShop>>
beforeAll(async () => {
  full = await fullShop()
})

describe('a validation takes one round trip, or two with counters or segments', () => {
  test('for every kind of redeemable and order', async () => {
    const { shop, codes, card, one, tiers, lines, mug } = full
    const customer = { source_id: 'anna' }
    const stored = await newOrder(shop, { ...lines(3), customer })
    const { code, reward_id } = card
    const bodies: Record<string, object> = {
      'a code': { redeemables: vouchers('PLAIN') },
      'an unknown code': { redeemables: vouchers('NOWHERE') },
      'a code on a line': { redeemables: vouchers('PLAIN'), order: lines(1) },
      'a code on 100 lines': { redeemables: vouchers('PLAIN'), order: lines(100) },
      'a gift card': { redeemables: [voucher('GIFT')], order: lines(1) },
      'a stack without a customer': { redeemables: [stack(tiers.id)], order: lines(100) },
    }
    for (const [about, body] of Object.entries(bodies))
      expect(await statementsOf(shop, post(shop, '/v1/validations', body)), about).toEqual(oneRoundTrip)
    const compared: Record<string, object> = {
      'a code of a campaign with counters': { redeemables: vouchers(codes[0] as string), order: lines(2), customer },
      'five codes': { redeemables: vouchers(...codes), order: lines(100), customer },
      'a stored order of a customer': { redeemables: vouchers('PLAIN'), order: { id: stored.id } },
      'a loyalty card': { redeemables: [voucher(code, { reward: { id: reward_id } })], order: { amount: 100 } },
      'a tier': { redeemables: [tier(one.id)], order: lines(1), customer },
      'a stack of five tiers': { redeemables: [stack(tiers.id)], order: lines(100), customer },
      everything: {
        redeemables: [
          voucher('PLAIN'),
          voucher('GIFT'),
          voucher(code, { reward: { id: reward_id } }),
          tier(one.id),
          voucher(codes[0] as string),
        ],
        order: lines(100),
        options: { explain: true, expand: ['order', 'redeemable', 'category'] },
      },
    }
    for (const [about, body] of Object.entries(compared))
      expect(await statementsOf(shop, post(shop, '/v1/validations', body)), about).toEqual(withDetails)
    const single: Record<string, [path: string, body: object]> = {
      'one code': ['/v1/vouchers/PLAIN/validate', { order: lines(100), customer }],
      'one tier': [`/v1/promotions/tiers/${one.id}/validation`, { order: lines(1), customer }],
      'all tiers': ['/v1/promotions/validation', { order: lines(100), customer }],
    }
    for (const [about, [path, body]] of Object.entries(single))
      expect(await statementsOf(shop, post(shop, path, body)), about).toEqual(withDetails)
    for (const path of [
      `/client/v1/validate?code=PLAIN&item[0][product_id]=${mug.id}`,
      '/client/v1/validate?code=PLAIN',
    ])
      expect(await statementsOf(shop, () => asClient(shop, 'GET', path)), path).toEqual(oneRoundTrip)
  })

  test('with a session, one more to save its holds', async () => {
    const { shop, lines } = full
    const body = {
      redeemables: [voucher('PLAIN'), voucher('GIFT')],
      order: lines(3),
      session: { type: 'LOCK', key: 'S' },
    }
    expect(await statementsOf(shop, post(shop, '/v1/validations', body))).toEqual(twoRoundTrips)
  })
})

describe('a redemption takes two round trips, or three with counters or segments', () => {
  test('for every kind of redeemable and order', async () => {
    const { shop, codes, one, tiers, lines } = full
    const customer = { source_id: 'anna' }
    const bodies: Record<string, object> = {
      'a code without an order': { redeemables: vouchers('PLAIN') },
      'a code on a line': { redeemables: vouchers('PLAIN'), order: lines(1) },
      'a gift card': { redeemables: [voucher('GIFT', { gift: { credits: 10 } })], order: lines(1) },
      'a stack of five tiers': { redeemables: [stack(tiers.id)], order: lines(100) },
      'in a session': { redeemables: vouchers('PLAIN'), order: lines(1), session: { type: 'LOCK', key: 'S' } },
    }
    for (const [about, body] of Object.entries(bodies))
      expect(await statementsOf(shop, post(shop, '/v1/redemptions', body)), about).toEqual(twoRoundTrips)
    const compared: Record<string, object> = {
      'a code for a customer': { redeemables: vouchers('PLAIN'), order: lines(100), customer },
      'a tier with a counter': { redeemables: [tier(one.id)], order: lines(1), customer },
      'five codes with counters': { redeemables: vouchers(...codes), order: lines(100), customer },
    }
    const sent = []
    for (const body of Object.values(compared)) sent.push(await statementsOf(shop, post(shop, '/v1/redemptions', body)))
    const threeRoundTrips = [...withDetails, save]
    expect(sent).toEqual([threeRoundTrips, threeRoundTrips, threeRoundTrips])
  })

  test('a redemption that spends points runs in a transaction', async () => {
    const { shop, card } = full
    const redeemables = [voucher(card.code, { reward: { id: card.reward_id, points: 10 } })]
    const sent = await statementsOf(shop, post(shop, '/v1/redemptions', { redeemables, order: { amount: 100 } }))
    expect(sent).toEqual([
      'begin',
      expect.stringContaining('from vouchers v'), // checks for due changes
      ...withDetails,
      save,
      expect.stringContaining('select loyalty_rows('),
      expect.stringMatching(/^select checkout_save_all\(/),
      expect.stringContaining('update rewards'),
      'commit',
    ])
  })
})
