import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Answer, newProject, type Shop } from '../testing/app.ts'
import { getVoucher } from '../testing/campaigns.ts'
import {
  amountOff,
  newCard,
  newDiscount,
  newGiftCard,
  redeem,
  redeemed,
  rollBack,
  rollBackAll,
  tier,
  voucher,
  vouchers,
} from '../testing/checkout.ts'
import { ok, orderSummary } from '../testing/orders.ts'
import { newPromotion, newTier } from '../testing/promotions.ts'
import { setLimits } from '../testing/set-limits.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const dbOf = (shop: Shop) => shop.service.runtime.database.db

const atOnce = <T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)))

/** The number of responses by kind: `{ '200': 1, already_rolled_back: 9 }`. */
function counted(answers: ReadonlyArray<Answer<Body>>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const name = status === 200 ? '200' : body.key
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

const once = { '200': 1, already_rolled_back: 9 }

describe('of ten concurrent rollbacks exactly one succeeds', () => {
  test('of a tier without order and customer, where only the redemption row can be locked', async () => {
    const shop = await newProject()
    const { id } = await newTier(shop, await newPromotion(shop), { action: { discount: amountOff(100) } })
    const done = await redeemed(shop, { redeemables: [tier(id)], order: { amount: 1000 } })
    const redemptionId = done.redemptions[0].id
    await sql`update redemptions set order_id = null where project_id = ${shop.project_id}`.execute(dbOf(shop))
    expect(counted(await atOnce(10, () => rollBack(shop, redemptionId)))).toEqual(once)
    const summary = { redemptions: { total_redeemed: 0 }, orders: { total_amount: 0 } }
    expect(await ok(shop, 'GET', `/v1/promotions/tiers/${id}`)).toMatchObject({ summary })
  })

  test('of a loyalty card', async () => {
    const shop = await newProject()
    const card = await newCard(shop, { points: 500 })
    const done = await redeemed(shop, {
      redeemables: [voucher(card.code, { reward: { id: card.reward_id, points: 200 } })],
      order: { amount: 100_000 },
      customer: { source_id: card.source_id },
    })
    expect(counted(await atOnce(10, () => rollBack(shop, done.redemptions[0].id)))).toEqual(once)
    expect(await getVoucher(shop, card.code)).toMatchObject({
      loyalty_card: { balance: 500 },
      redemption: { redeemed_points: 0, redeemed_quantity: 0 },
    })
    const { rows } = await sql<{ points: number }>`select points from lots
      where project_id = ${shop.project_id} and voucher_id = ${card.id}`.execute(dbOf(shop))
    expect(rows).toEqual([{ points: 500 }])
    expect(await orderSummary(shop, card.source_id)).toMatchObject({ total_count: 0, total_amount: 0 })
  })
})

test('concurrent rollbacks and redemptions of one card and one order keep all balances exact', async () => {
  const shop = await newProject()
  await newGiftCard(shop, 'GIFT', 10_000)
  const order = { source_id: 'shared', amount: 100_000 }
  const pay = (credits: number) =>
    redeem(shop, { redeemables: [voucher('GIFT', { gift: { credits } })], order, customer: { source_id: 'ann' } })
  const paid: string[] = []
  for (let credits = 1; credits <= 10; credits += 1) paid.push((await pay(credits * 10)).body.redemptions[0].id)
  const answers = await atOnce(20, (index) =>
    index % 2 === 0 ? rollBack(shop, paid[index / 2] as string) : pay((index + 1) * 50),
  )
  expect(counted(answers)).toEqual({ '200': 20 })
  const left = 5_500 // 100 + 200 + … + 1000
  expect(await getVoucher(shop, 'GIFT')).toMatchObject({
    gift: { balance: 10_000 - left },
    redemption: { redeemed_amount: left, redeemed_quantity: 10 },
  })
  expect(await ok(shop, 'GET', '/v1/orders/shared')).toMatchObject({
    discount_amount: left,
    total_amount: 100_000 - left,
  })
  expect((await ok(shop, 'GET', '/v1/customers/ann')).summary.redemptions).toMatchObject({
    total_succeeded: 20,
    total_rolled_back: 10,
    gift: { redeemed_amount: left },
  })
})

test('concurrent rollbacks of stacks with the same codes in opposite order do not deadlock', async () => {
  const shop = await newProject()
  const codes = ['A', 'B', 'C', 'D']
  for (const code of codes) await newDiscount(shop, code, amountOff(10))
  const parents: string[] = []
  for (let index = 0; index < 12; index += 1) {
    const redeemables = vouchers(...(index % 2 === 0 ? codes : codes.toReversed()))
    const customer = { source_id: `customer ${index % 3}` }
    parents.push((await redeemed(shop, { redeemables, order: { amount: 1000 }, customer })).parent_redemption.id)
  }
  expect(counted(await atOnce(12, (index) => rollBackAll(shop, parents[index] as string)))).toEqual({ '200': 12 })
  for (const code of codes) expect((await getVoucher(shop, code)).redemption.redeemed_quantity).toBe(0)
})

test('a rollback that cannot lock its rows in time is refused, and changes nothing', async () => {
  const shop = await newProject()
  await newDiscount(shop, 'OFF', amountOff(500))
  const { redemptions, order } = await redeemed(shop, { redeemables: vouchers('OFF'), order: { amount: 2000 } })
  setLimits({ checkout_lock_seconds: 0.1 })
  await dbOf(shop)
    .transaction()
    .execute(async (trx) => {
      await sql`select 1 from orders where project_id = ${shop.project_id} and id = ${order.id} for update`.execute(trx)
      expect(await rollBack(shop, redemptions[0].id)).toMatchObject({ status: 400, body: { key: 'multiple_requests' } })
    })
  expect(await ok(shop, 'GET', `/v1/redemptions/${redemptions[0].id}`)).toMatchObject({ status: 'SUCCEEDED' })
  expect((await ok(shop, 'GET', '/v1/redemptions')).total).toBe(1)
  expect(await rollBack(shop, redemptions[0].id)).toMatchObject({ status: 200 })
})
