import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import {
  addPoints,
  assign,
  balanceOf,
  card,
  emittedEvents,
  fixed,
  movements,
  newEarningRules,
  newLoyaltyReward,
  newMaterial,
  newMember,
  newProgram,
  newTiers,
  payOrder,
  runUntil,
  transactions,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'

/* Automatic redemption: docs/reference/rewards.md#automatic-redemption. */

test('automatic redemption runs after an order, an addition and a transfer', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const giving = await newProgram(shop, { points: 500 })
  await newEarningRules(shop, program, fixed(120))
  const reward = await newMaterial(shop)
  const assignment = await assign(shop, program, reward, 100, { auto_redeem: true })
  expect(assignment.parameters).toEqual({ loyalty: { points: 100, auto_redeem: true } })
  const giver = await newMember(shop, giving, 'bob')
  const { code, holder_id } = await newMember(shop, program, 'ann')
  await payOrder(shop, 'ann')
  await addPoints(shop, code, 90)
  await ok(shop, 'POST', `/v1/loyalties/${program.id}/members/${code}/transfers`, [{ code: giver.code, points: 210 }])
  expect(await movements(shop, code)).toEqual([
    'POINTS_ACCRUAL 120',
    'POINTS_REDEMPTION -100',
    'POINTS_ADDITION 90',
    'POINTS_REDEMPTION -100',
    'POINTS_TRANSFER_IN 210',
    'POINTS_REDEMPTION -100',
    'POINTS_REDEMPTION -100',
  ])
  expect(await card(shop, code)).toMatchObject({
    loyalty_card: { points: 420, balance: 20 },
    redemption: { redeemed_points: 400, redeemed_quantity: 4 },
  })
  const { summary } = await ok(shop, 'GET', '/v1/customers/ann')
  expect(summary.redemptions.loyalty_card).toEqual({ redeemed_points: 400, points_to_go: 20 })
  const spent = (await transactions(shop, code))[1]
  expect(spent).toMatchObject({
    source: null,
    details: { balance: { operation_type: 'AUTOMATIC' }, reward: { id: reward.id } },
  })
  const { redemptions } = await ok(shop, 'GET', '/v1/redemptions?limit=100')
  expect(redemptions).toHaveLength(4)
  expect(redemptions[0]).toMatchObject({
    channel: { channel_type: 'AUTO_REDEEM', channel_id: assignment.id },
    customer_id: holder_id,
    result: 'SUCCESS',
    reward: { id: reward.id, assignment_id: assignment.id },
  })
  expect((await ok(shop, 'GET', `/v1/rewards/${reward.id}`)).redeemed).toBe(4)
  expect(await emittedEvents(shop, 'customer.reward_redemptions.pending')).toHaveLength(4)
  expect(await emittedEvents(shop, 'customer.rewarded')).toHaveLength(4)
})

test('automatic redemption uses the price of the tier, and the tier changes afterwards', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const reward = await newMaterial(shop)
  const assignment = await assign(shop, program, reward, 100, { auto_redeem: true })
  const half = { rewards: { [assignment.id]: { type: 'MULTIPLY', multiplier: 0.5 } } }
  await newTiers(shop, program, { Bronze: [0, 9], Silver: [10] }, { Silver: half })
  const { code } = await newMember(shop, program, 'ann')
  await addPoints(shop, code, 60) // Bronze pays the full price; then Silver
  expect(await balanceOf(shop, code)).toBe(60)
  await addPoints(shop, code, 1)
  expect(await movements(shop, code)).toEqual(['POINTS_ADDITION 60', 'POINTS_ADDITION 1', 'POINTS_REDEMPTION -50'])
})

test('automatic redemption issues coupons, and points of another program', async () => {
  const shop = await newProject()
  const [one, two, target] = [await newProgram(shop), await newProgram(shop), await newProgram(shop)]
  const coupons = await newCampaign(shop, 'Coupons', { type: 'AUTO_UPDATE' })
  const coupon = await newLoyaltyReward(shop, { campaign: { id: coupons.id } })
  const points = await newLoyaltyReward(shop, { campaign: { id: target.id, balance: 7 } })
  await assign(shop, one, coupon, 10, { auto_redeem: true })
  await assign(shop, two, points, 10, { auto_redeem: true })
  await newEarningRules(shop, one, fixed(25))
  await newEarningRules(shop, two, fixed(25))
  await newMember(shop, one, 'ann')
  await newMember(shop, two, 'ann')
  await payOrder(shop, 'ann')
  expect((await ok(shop, 'GET', '/v1/vouchers?campaign=Coupons&customer=ann')).vouchers).toHaveLength(2)
  expect((await ok(shop, 'GET', `/v1/loyalties/${target.id}/members?customer=ann`)).vouchers).toMatchObject([
    { loyalty_card: { points: 14, balance: 14 } },
  ])
})

test('automatic redemption stops when no reward is left: the points stay, and no error is reported', async () => {
  const shop = await newProject()
  const [one, two] = [await newProgram(shop), await newProgram(shop)]
  const empty = await newCampaign(shop, 'Empty')
  await assign(shop, one, await newMaterial(shop, { stock: 2 }), 10, { auto_redeem: true })
  await assign(shop, two, await newLoyaltyReward(shop, { campaign: { id: empty.id } }), 10, { auto_redeem: true })
  const scarce = await newMember(shop, one, 'ann')
  const none = await newMember(shop, two, 'ann')
  await addPoints(shop, scarce.code, 50)
  await addPoints(shop, none.code, 50)
  expect([await balanceOf(shop, scarce.code), await balanceOf(shop, none.code)]).toEqual([30, 50])
  expect(await emittedEvents(shop, 'redemption.failed')).toEqual([])
})

test('automatic redemption is limited to 25 units per run and ten runs a day, and continues the next day', async () => {
  const shop = await newProject()
  shop.service.clock.set('2025-03-10T10:00:00.000Z')
  const program = await newProgram(shop)
  await assign(shop, program, await newMaterial(shop), 10, { auto_redeem: true })
  const many = await newMember(shop, program, 'many')
  const often = await newMember(shop, program, 'often')
  await addPoints(shop, many.code, 300)
  expect(await balanceOf(shop, many.code)).toBe(50)
  for (let time = 1; time <= 12; time += 1) await addPoints(shop, often.code, 10)
  expect(await balanceOf(shop, often.code)).toBe(20)

  await runUntil(shop, '2025-03-11T00:00:00.000Z')
  await addPoints(shop, often.code, 1)
  await addPoints(shop, many.code, 1)
  expect(await balanceOf(shop, often.code)).toBe(1)
  expect(await balanceOf(shop, many.code)).toBe(1)
})

test('the daily job redeems what the limits left over', async () => {
  const shop = await newProject()
  shop.service.clock.set('2025-03-10T10:00:00.000Z')
  const program = await newProgram(shop)
  await assign(shop, program, await newMaterial(shop), 10, { auto_redeem: true })
  const { code } = await newMember(shop, program, 'ann')
  await addPoints(shop, code, 300)
  expect(await balanceOf(shop, code)).toBe(50)
  await runUntil(shop, '2025-03-11T00:00:00.000Z')
  expect(await balanceOf(shop, code)).toBe(0)
})

test('a program can have one automatic reward, and no COIN reward can be automatic', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  await assign(shop, program, await newMaterial(shop), 10, { auto_redeem: true })
  const second = await newMaterial(shop)
  const coin = await newLoyaltyReward(shop, { coin: { exchange_ratio: 1 } })
  for (const { id } of [second, coin]) {
    const body = [{ reward: id, parameters: { loyalty: { points: 5, auto_redeem: true } } }]
    expect(await shop.call('POST', `/v1/loyalties/${program.id}/rewards`, body)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload' },
    })
  }
})
