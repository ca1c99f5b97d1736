import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { assign, newLoyaltyReward, newMaterial } from '../../testing/loyalty.ts'
import { type HeldCard, insertTier, newCardCampaign, newHeldCard, putIntoTier } from '../../testing/member-rows.ts'

/** A program with a mug for 75, a gift for 120 and a COIN reward at 50 points per unit; its member has 80 points. */
async function aMember() {
  const shop = await newProject()
  const program = await newCardCampaign(shop, { type: 'LOYALTY_CARD', loyalty_card: { points: 80 } })
  const gifts = await newCardCampaign(shop, { type: 'GIFT_VOUCHER', gift: { amount: 1_000 } })
  const card = await newHeldCard(shop, program)
  const mug = await newMaterial(shop)
  const gift = await newLoyaltyReward(shop, { campaign: { id: gifts.id, balance: 500 } })
  const coin = await newLoyaltyReward(shop, { coin: { exchange_ratio: 1, points_ratio: 50 } })
  const assigned = {
    mug: await assign(shop, program, mug, 75),
    gift: await assign(shop, program, gift, 120),
    coin: await assign(shop, program, coin),
  }
  const become = async (rewards: object) => {
    const tierId = await insertTier(shop, program.id, { rewards })
    await putIntoTier(shop, card, {
      tier_id: tierId,
      tier_start_date: '2031-03-14',
      tier_created_at: '2031-03-14T11:00:00.000Z',
    })
  }
  return { shop, card, mug, gift, coin, assigned, become }
}

async function rewardsOf(shop: Shop, { code }: HeldCard, query = '') {
  const { status, body } = await shop.call('GET', `/v1/loyalties/members/${code}/rewards${query}`)
  expect({ status, body }).toMatchObject({ status: 200, body: { object: 'list', data_ref: 'data' } })
  expect(body.total).toBe(body.data.length)
  return body.data
}

/** The prices of the rewards, by id; a COIN reward has no price, but a ratio. */
async function pricesOf(shop: Shop, card: HeldCard, query = '') {
  const rewards = await rewardsOf(shop, card, query)
  return Object.fromEntries(
    // biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
    rewards.map(({ reward, assignment }: any) => [
      reward.id,
      assignment.parameters?.loyalty.points ?? `${reward.parameters.coin.points_ratio} a unit`,
    ]),
  )
}

test('lists the rewards of the program, the newest assignment first', async () => {
  const { shop, card, mug, gift, coin, assigned } = await aMember()
  const rewards = await rewardsOf(shop, card)
  expect(rewards).toEqual([
    { reward: coin, assignment: assigned.coin, object: 'loyalty_reward' },
    { reward: gift, assignment: assigned.gift, object: 'loyalty_reward' },
    { reward: mug, assignment: assigned.mug, object: 'loyalty_reward' },
  ])
})

test('example 22: lists the prices of the tier, without rewards that the tier hides', async () => {
  const { shop, card, mug, gift, coin, assigned, become } = await aMember()
  await become({ [mug.id]: { type: 'MULTIPLY', multiplier: 0.5 }, [gift.id]: { type: 'CUSTOM', points: 20 } })
  expect(await pricesOf(shop, card)).toEqual({ [mug.id]: 38, [gift.id]: 20, [coin.id]: '50 a unit' })
  await become({ [mug.id]: { type: 'CUSTOM', points: 1 }, [assigned.mug.id]: { type: 'NOT_AVAILABLE' } })
  expect(await pricesOf(shop, card)).toEqual({ [gift.id]: 120, [coin.id]: '50 a unit' })
})

test('filters by what the balance can pay, at the prices of the tier', async () => {
  const { shop, card, mug, gift, coin, become } = await aMember()
  const affordable = async () => Object.keys(await pricesOf(shop, card, '?affordable_only=true')).sort()
  expect(await affordable()).toEqual([mug.id, coin.id].sort())
  expect(Object.keys(await pricesOf(shop, card, '?affordable_only=false'))).toHaveLength(3)
  await become({
    [mug.id]: { type: 'CUSTOM', points: 81 },
    [gift.id]: { type: 'CUSTOM', points: 80 },
    [coin.id]: { type: 'MULTIPLY', multiplier: 2 },
  })
  expect(await affordable()).toEqual([gift.id])
})

test('a card without a campaign has no rewards, and other vouchers return 404', async () => {
  const { shop } = await aMember()
  await shop.call('POST', '/v1/vouchers/ALONE', { type: 'LOYALTY_CARD', loyalty_card: { points: 100 } })
  expect((await shop.call('GET', '/v1/loyalties/members/ALONE/rewards')).body).toMatchObject({ data: [], total: 0 })
  await shop.call('POST', '/v1/vouchers/GIFT', { type: 'GIFT_VOUCHER', gift: { amount: 100 } })
  expect(await shop.call('GET', '/v1/loyalties/members/GIFT/rewards')).toMatchObject({
    status: 404,
    body: { resource_type: 'voucher' },
  })
})
