import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { getVoucher, newCampaign } from '../../testing/campaigns.ts'
import {
  amountOff,
  newDiscount,
  newProduct,
  newRule,
  redeem,
  redeemed,
  rollBack,
  rollBackAll,
  voucher,
  vouchers,
  when,
} from '../../testing/checkout.ts'
import {
  addPoints,
  assign,
  balanceOf,
  card,
  emittedEvents,
  expectNoGaps,
  fixed,
  inDays,
  movements,
  newEarningRules,
  newLoyaltyReward,
  newMaterial,
  newMember,
  newProgram,
  newTiers,
  payOrder,
  redeemedReward,
  redeemReward,
  tierChanges,
  transactions,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'

/*
 * Rewards for points, and their rollback: docs/reference/rewards.md#redeem-a-reward and
 * docs/reference/loyalty-programs.md#rollback-cancellation-and-deletion.
 */

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

/** A member with 1,000 points. */
async function newSaver(shop: Shop, points = 1_000) {
  const program = await newProgram(shop, { points })
  const member = await newMember(shop, program, 'ann', { name: 'Ann' })
  return { program, member, code: member.code as string }
}

const getReward = (shop: Shop, reward: { id: string }) => ok(shop, 'GET', `/v1/rewards/${reward.id}`)
/** States of reward redemptions in their events: `created CREATED`, `completed COMPLETED`. */
const states = async (shop: Shop) =>
  (await emittedEvents(shop, 'customer.reward_redemptions.%')).map(
    ({ type, data }) => `${type.slice('customer.reward_redemptions.'.length)} ${data.reward_redemption.state}`,
  )
const failures = async (shop: Shop) =>
  (await emittedEvents(shop, 'redemption.failed')).map(({ data }) => data.redemption.failure_code)

describe('issuing a reward', () => {
  test('a coupon is published to the holder', async () => {
    const shop = await newProject()
    const { program, member, code } = await newSaver(shop)
    await newCampaign(shop, 'Coupons', { type: 'AUTO_UPDATE' })
    const { id } = (await ok(shop, 'GET', '/v1/campaigns/Coupons')) as Body
    const reward = await newLoyaltyReward(shop, { campaign: { id } })
    const assignment = await assign(shop, program, reward, 150)
    const redemption = await redeemedReward(shop, code, { id: reward.id })
    expect(redemption).toMatchObject({
      object: 'redemption',
      amount: 150,
      loyalty_card: { points: 150 },
      order: null,
      voucher: { code, loyalty_card: { points: 1_000, balance: 850 }, redemption: { redeemed_points: 150 } },
      reward: {
        id: reward.id,
        type: 'CAMPAIGN',
        assignment_id: assignment.id,
        loyalty_tier_id: null,
        voucher: { campaign: 'Coupons', type: 'DISCOUNT_VOUCHER', holder_id: member.holder_id },
      },
    })
    expect(await getVoucher(shop, redemption.reward.voucher.code)).toMatchObject({
      active: true,
      holder_id: member.holder_id,
      publish: { count: 1 },
    })
    expect(await card(shop, code)).toMatchObject({ redemption: { redeemed_points: 150, redeemed_quantity: 1 } })
    expect((await getReward(shop, reward)).redeemed).toBe(1)
    expect(await states(shop)).toEqual(['created CREATED', 'completed COMPLETED'])
    const types = (await emittedEvents(shop)).map(({ type }) => type)
    for (const type of [
      'publication.succeeded',
      'voucher.published',
      'redemption.succeeded',
      'customer.redemption.succeeded',
      'customer.rewarded',
      'voucher.loyalty_card.transaction.created',
    ])
      expect(types).toContain(type)
  })

  test("credits are added to the holder's gift card, or to a new one", async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop)
    const gifts = await newCampaign(shop, 'Gifts', {
      campaign_type: 'GIFT_VOUCHERS',
      type: 'AUTO_UPDATE',
      voucher: { type: 'GIFT_VOUCHER', gift: { amount: 100 } },
    })
    const reward = await newLoyaltyReward(shop, { campaign: { id: gifts.id, balance: 500 } })
    await assign(shop, program, reward, 100)
    const first = await redeemedReward(shop, code, { id: reward.id })
    expect(first.reward.voucher).toMatchObject({ campaign: 'Gifts', gift: { amount: 600, balance: 600 } })
    const second = await redeemedReward(shop, code, { id: reward.id })
    expect(second.reward.voucher).toMatchObject({ code: first.reward.voucher.code, gift: { balance: 1_100 } })
    expect(await emittedEvents(shop, 'voucher.gift.balance_added')).toHaveLength(2)
    expect(await emittedEvents(shop, 'voucher.gift.transaction.created')).toHaveLength(2)
    const rewarded = await emittedEvents(shop, 'customer.rewarded')
    expect(rewarded.map(({ data }) => data.balance)).toMatchObject([{ amount: 500 }, { amount: 500 }])
  })

  test('points are credited on the card of another program, with its tiers', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop)
    const target = await newProgram(shop)
    await newTiers(shop, target, { Silver: [50] })
    const reward = await newLoyaltyReward(shop, { campaign: { id: target.id, balance: 60 } })
    await assign(shop, program, reward, 100)
    const { reward: given } = await redeemedReward(shop, code, { id: reward.id })
    expect(given.voucher).toMatchObject({ campaign: target.name, loyalty_card: { points: 60, balance: 60 } })
    expect(await transactions(shop, given.voucher.code)).toMatchObject([
      {
        type: 'POINTS_ADDITION',
        source: 'Automation',
        details: { balance: { points: 60, operation_type: 'AUTOMATIC' } },
      },
    ])
    expect(await tierChanges(shop)).toEqual(['joined Silver'])
    expect((await emittedEvents(shop, 'customer.rewarded')).at(-1)?.data.balance).toMatchObject({ points: 60 })
    expect((await ok(shop, 'GET', '/v1/customers/ann')).loyalty).toMatchObject({
      points: 960,
      campaigns: { [program.name]: { points: 900 }, [target.name]: { points: 60 } },
    })
  })

  test('a material reward is pending until it is confirmed as handed over', async () => {
    const shop = await newProject()
    const { program, member, code } = await newSaver(shop)
    const product = await newProduct(shop, 'Mug')
    const sku = await ok(shop, 'POST', `/v1/products/${product.id}/skus`, { sku: 'Blue' })
    const plain = await newLoyaltyReward(shop, { product: { id: product.id } }, { name: 'Mug', metadata: { a: 1 } })
    const blue = await newLoyaltyReward(shop, { product: { id: product.id, sku_id: sku.id } })
    const assignment = await assign(shop, program, plain, 150)
    await assign(shop, program, blue, 10)
    const redemption = await redeemedReward(shop, code, { id: plain.id }, { metadata: { till: 4 } })
    const customer = {
      id: member.holder_id,
      name: 'Ann',
      email: null,
      source_id: 'ann',
      metadata: {},
      object: 'customer',
    }
    expect(redemption).toEqual({
      id: expect.stringMatching(/^r_/),
      object: 'redemption',
      date: expect.any(String),
      customer_id: member.holder_id,
      tracking_id: expect.any(String),
      metadata: { till: 4 },
      amount: 150,
      result: 'SUCCESS',
      status: 'SUCCEEDED',
      order: null,
      channel: { channel_id: shop.app_id, channel_type: 'API' },
      customer,
      related_object_type: 'voucher',
      related_object_id: member.id,
      voucher: expect.objectContaining({
        code,
        loyalty_card: { points: 1_000, balance: 850 },
        holder: expect.objectContaining({ id: member.holder_id }),
        validation_rules_assignments: expect.anything(),
        applicable_to: { data: [], total: 0, data_ref: 'data', object: 'list' },
        inapplicable_to: { data: [], total: 0, data_ref: 'data', object: 'list' },
      }),
      reward: {
        customer: expect.objectContaining({ id: member.holder_id }),
        assignment_id: assignment.id,
        product: expect.objectContaining({ id: product.id, object: 'product' }),
        loyalty_tier_id: null,
        id: plain.id,
        name: 'Mug',
        object: 'reward',
        created_at: plain.created_at,
        updated_at: null,
        parameters: { product: { id: product.id, sku_id: null } },
        metadata: { a: 1 },
        type: 'MATERIAL',
      },
      loyalty_card: { points: 150 },
    })
    const byAssignment = await ok(shop, 'POST', `/v1/loyalties/${program.id}/members/${member.id}/redemption`, {
      reward: { id: blue.id },
    })
    expect(byAssignment).toMatchObject({
      metadata: null,
      amount: 10,
      reward: { product: { id: product.id }, sku: { id: sku.id, sku: 'Blue' } },
    })
    expect(await states(shop)).toEqual(['created CREATED', 'pending PENDING', 'created CREATED', 'pending PENDING'])

    const [pending] = await emittedEvents(shop, 'customer.reward_redemptions.pending')
    const id = pending?.data.reward_redemption.id
    const path = `/v1/rewards/${plain.id}/redemptions/${id}/complete`
    expect(await ok(shop, 'POST', path)).toMatchObject({ id, state: 'COMPLETED', source_id: redemption.id })
    expect(await shop.call('POST', path)).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
    expect((await states(shop)).at(-1)).toBe('completed COMPLETED')
  })

  test('works by the id of the assignment, and by all other endpoints that redeem a card', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop)
    const reward = await newMaterial(shop)
    const assignment = await assign(shop, program, reward, 10)
    await redeemedReward(shop, code, { assignment_id: assignment.id })
    await ok(shop, 'POST', `/v1/vouchers/${code}/redemption`, { reward: { id: reward.id } })
    const { redemptions } = await redeemed(shop, { redeemables: [voucher(code, { reward: { id: reward.id } })] })
    expect(redemptions).toMatchObject([{ amount: 10, loyalty_card: { points: 10 }, reward: { id: reward.id } }])
    expect(await movements(shop, code)).toEqual(Array.from({ length: 3 }, () => 'POINTS_REDEMPTION -10'))
    expect((await getReward(shop, reward)).redeemed).toBe(3)
    expect(await states(shop)).toHaveLength(6)
  })

  test('stores the order of the request and marks it as paid', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop)
    await newEarningRules(shop, program, fixed(7))
    const reward = await newMaterial(shop)
    await assign(shop, program, reward, 10)
    const { id, order } = await redeemedReward(shop, code, { id: reward.id }, { order: { amount: 5_000 } })
    expect(order).toMatchObject({ status: 'PAID', amount: 5_000, total_amount: 5_000 })
    expect((await ok(shop, 'GET', `/v1/orders/${order.id}`)).redemptions).toHaveProperty(id)
    expect(await movements(shop, code)).toEqual(['POINTS_REDEMPTION -10', 'POINTS_ACCRUAL 7'])
    await expectNoGaps(shop, code, 1_000)
  })
})

describe('a reward is refused', () => {
  test('and stored as a failed redemption without effects', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop, 100)
    const [cheap, dear, foreign] = [await newMaterial(shop), await newMaterial(shop), await newMaterial(shop)]
    const scarce = await newMaterial(shop, { stock: 0 })
    const coin = await newLoyaltyReward(shop, { coin: { exchange_ratio: 1, points_ratio: 10 } })
    for (const [reward, points] of [[cheap, 10], [dear, 101], [scarce, 10], [coin]] as const)
      await assign(shop, program, reward, points)
    const order = { order: { amount: 1_000 } }
    const cases: Array<[object, object, number, string, object?]> = [
      [{}, {}, 400, 'missing_reward', { details: 'A reward is required when redeeming a LOYALTY_CARD' }],
      [{ id: foreign.id }, {}, 404, 'not_found', { details: `Cannot find reward with id ${foreign.id}` }],
      // The failed redemption stores the object that the refusal names (docs/reference/redemptions.md#failure).
      [{ id: 'rew_none' }, {}, 404, 'not_found', { resource_type: 'redemption' }],
      [{ assignment_id: 'rewa_none' }, {}, 404, 'not_found'],
      [{ id: dear.id }, {}, 400, 'loyalty_card_points_exceeded'],
      [{ id: scarce.id }, {}, 400, 'reward_out_of_stock'],
      [{ id: coin.id }, {}, 400, 'missing_order'],
      [{ id: coin.id }, { order: {} }, 400, 'missing_amount'],
      [{ id: coin.id, points: 110 }, order, 400, 'loyalty_card_points_exceeded'],
    ]
    for (const [reward, more, status, key, facts] of cases) {
      const answer = await redeemReward(shop, code, reward, more)
      expect(answer, `${JSON.stringify(reward)} ${JSON.stringify(answer.body)}`).toMatchObject({
        status,
        body: { key, ...facts },
      })
    }
    expect(await failures(shop)).toEqual(cases.map(([, , , key]) => key))
    expect(await redeemReward(shop, 'NONE', { id: cheap.id })).toMatchObject({
      status: 404,
      body: { resource_type: 'voucher' },
    })
    expect(await redeemReward(shop, code, { id: coin.id, points: 9 }, order)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload' },
    })
    expect(await failures(shop)).toHaveLength(cases.length)
    expect(await transactions(shop, code)).toEqual([])
    expect(await emittedEvents(shop, 'customer.rewarded')).toEqual([])
    expect((await card(shop, code)).loyalty_card).toEqual({ points: 100, balance: 100 })
    expect(await states(shop)).toEqual([])
  })

  test('because of the state of the card or the customer of the request', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { points: 100, type: 'STATIC', vouchers_count: 1 })
    const reward = await newMaterial(shop)
    await assign(shop, program, reward, 10)
    const { vouchers: cards } = await ok(shop, 'GET', `/v1/loyalties/${program.id}/members`)
    const { code } = cards[0]
    const refused = async (key: string, body: object = {}) =>
      expect(
        await shop.call('POST', `/v1/vouchers/${code}/redemption`, { reward: { id: reward.id }, ...body }),
      ).toMatchObject({ status: 400, body: { key } })
    await refused('not_published')
    await newMember(shop, program, 'ann')
    await ok(shop, 'POST', '/v1/customers', { source_id: 'bob' })
    await refused('invalid_customer', { customer: { source_id: 'bob' } })
    await ok(shop, 'POST', `/v1/vouchers/${code}/disable`)
    await refused('voucher_disabled')
    await ok(shop, 'POST', `/v1/vouchers/${code}/enable`)
    await ok(shop, 'PUT', `/v1/vouchers/${code}`, { expiration_date: '2020-01-01T00:00:00.000Z' })
    await refused('voucher_expired')
    await ok(shop, 'PUT', `/v1/vouchers/${code}`, { expiration_date: null, start_date: '2099-01-01T00:00:00.000Z' })
    await refused('voucher_not_active')
    expect(await failures(shop)).toEqual([
      'not_published',
      'invalid_customer',
      'voucher_disabled',
      'voucher_expired',
      'voucher_not_active',
    ])
    expect((await card(shop, code)).loyalty_card.balance).toBe(100)
  })

  test('when the card has reached its redemption limit', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, {
      voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 100 }, redemption: { quantity: 1 } },
    })
    const reward = await newMaterial(shop)
    await assign(shop, program, reward, 10)
    const { code } = await newMember(shop, program, 'ann')
    const { id } = await redeemedReward(shop, code, { id: reward.id })
    expect(await redeemReward(shop, code, { id: reward.id })).toMatchObject({ body: { key: 'quantity_exceeded' } })
    expect(await rollBack(shop, id)).toMatchObject({ status: 200 })
    await redeemedReward(shop, code, { id: reward.id })
  })

  test('when no voucher is left to issue; the points stay', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop)
    const empty = await newCampaign(shop, 'Empty')
    const reward = await newLoyaltyReward(shop, { campaign: { id: empty.id } })
    await assign(shop, program, reward, 10)
    expect(await redeemReward(shop, code, { id: reward.id })).toMatchObject({
      status: 400,
      body: { key: 'no_voucher_suitable_for_publication' },
    })
    expect(await failures(shop)).toEqual(['no_voucher_suitable_for_publication'])
    expect(await transactions(shop, code)).toEqual([])
    expect(await balanceOf(shop, code)).toBe(1_000)
    expect((await getReward(shop, reward)).redeemed).toBeNull()
  })

  test('when the stock is used up, until a rollback returns one', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop)
    const reward = await newMaterial(shop, { stock: 2 })
    await assign(shop, program, reward, 10)
    const { id } = await redeemedReward(shop, code, { id: reward.id })
    await redeemedReward(shop, code, { id: reward.id })
    expect(await redeemReward(shop, code, { id: reward.id })).toMatchObject({ body: { key: 'reward_out_of_stock' } })
    expect(await getReward(shop, reward)).toMatchObject({ stock: 2, redeemed: 2 })
    await rollBack(shop, id)
    expect(await getReward(shop, reward)).toMatchObject({ stock: 2, redeemed: 1 })
    await redeemedReward(shop, code, { id: reward.id })
  })
})

describe('paying with points', () => {
  const coin = (exchangeRatio: number, pointsRatio?: number) => ({
    coin: { exchange_ratio: exchangeRatio, points_ratio: pointsRatio },
  })

  test('for orders of a cent, of nothing, and after a coupon', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop)
    const cent = await newLoyaltyReward(shop, coin(0.01))
    await assign(shop, program, cent)
    const pay = (order: object) => redeemedReward(shop, code, { id: cent.id }, { order })
    expect(await pay({ amount: 120 })).toMatchObject({ amount: 120, order: { discount_amount: 120, total_amount: 0 } })
    await newDiscount(shop, 'OFF', amountOff(200))
    const { redemptions, order } = await redeemed(shop, {
      redeemables: [...vouchers('OFF'), voucher(code, { reward: { id: cent.id } })],
      order: { amount: 500 },
      customer: { source_id: 'ann' },
    })
    expect(redemptions[1]).toMatchObject({ amount: 300, loyalty_card: { points: 300 } })
    expect(order).toMatchObject({ total_discount_amount: 500, total_amount: 0 })
    expect(await balanceOf(shop, code)).toBe(580)
  })

  test('for an order of 0 takes no points', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop)
    const reward = await newLoyaltyReward(shop, coin(1, 10))
    await assign(shop, program, reward)
    expect(await redeemReward(shop, code, { id: reward.id }, { order: { amount: 0 } })).toMatchObject({
      status: 200,
      body: { amount: 0, loyalty_card: { points: 0 }, order: { total_amount: 0 } },
    })
    expect(await balanceOf(shop, code)).toBe(1_000)
  })

  test('accepts numeric strings, and rounds a unit below a cent to a cent', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop, 10)
    const reward = await newLoyaltyReward(shop, { coin: { exchange_ratio: '0.004', points_ratio: '2' } })
    expect(reward.parameters).toEqual({ coin: { exchange_ratio: 0.004, points_ratio: 2 } })
    await assign(shop, program, reward)
    expect(await redeemedReward(shop, code, { id: reward.id }, { order: { amount: 3 } })).toMatchObject({
      amount: 6,
      order: { discount_amount: 3 },
    })
  })

  test('is refused below one unit; a tier makes units cheaper, but sets no price', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { points: 40 })
    const reward = await newLoyaltyReward(shop, coin(1, 50))
    const other = await newLoyaltyReward(shop, coin(1, 50))
    const assignment = await assign(shop, program, reward)
    await assign(shop, program, other)
    const mapping = {
      [assignment.id]: { type: 'MULTIPLY', multiplier: 0.5 },
      [other.id]: { type: 'CUSTOM', points: 1 },
    }
    const { Silver } = await newTiers(shop, program, { Silver: [0] }, { Silver: { rewards: mapping } })
    const { code } = await newMember(shop, program, 'ann')
    const order = { order: { amount: 100 } }
    expect(await redeemReward(shop, code, { id: other.id }, order)).toMatchObject({
      status: 400,
      body: { key: 'loyalty_card_points_exceeded' },
    })
    expect(await redeemedReward(shop, code, { id: reward.id }, order)).toMatchObject({
      amount: 25,
      order: { discount_amount: 100 },
      reward: { loyalty_tier_id: Silver.id },
    })
  })

  test('obeys rules on the number of points and on the order', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop)
    const few = await newRule(
      shop,
      when('redemption.reward.pay_with_points.points_used', { $less_than_or_equal: [50] }),
    )
    const large = await newRule(shop, when('order.amount', { $more_than: [100] }))
    const capped = await newLoyaltyReward(shop, coin(0.01))
    const bound = await newLoyaltyReward(shop, coin(0.01))
    await assign(shop, program, capped, undefined, { validation_rules: [few.id] })
    await assign(shop, program, bound, undefined, { validation_rules: [large.id] })
    const pay = (reward: Body, points: number | undefined, amount: number) =>
      redeemReward(shop, code, { id: reward.id, points }, { order: { amount } })
    expect(await pay(capped, undefined, 100)).toMatchObject({ status: 400, body: { key: 'redemption_rules_violated' } })
    expect(await pay(capped, 50, 100)).toMatchObject({ status: 200, body: { amount: 50 } })
    expect(await pay(bound, 50, 100)).toMatchObject({ status: 400, body: { key: 'order_rules_violated' } })
    expect(await pay(bound, 50, 101)).toMatchObject({ status: 200 })
  })

  test('an order paid with points earns points', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop)
    const totalAmount = { every: 100, points: 1 }
    await newEarningRules(shop, program, {
      loyalty: { type: 'PROPORTIONAL', calculation_type: 'ORDER_TOTAL_AMOUNT', order: { total_amount: totalAmount } },
    })
    const reward = await newLoyaltyReward(shop, coin(0.01))
    await assign(shop, program, reward)
    const { order } = await redeemedReward(shop, code, { id: reward.id, points: 400 }, { order: { amount: 1_000 } })
    expect(order.status).toBe('PAID')
    expect(await movements(shop, code)).toEqual(['POINTS_REDEMPTION -400', 'POINTS_ACCRUAL 6'])
    const [spent] = await transactions(shop, code)
    expect(spent.details).toMatchObject({ order: { id: order.id }, reward: { id: reward.id } })
  })

  test('can be validated without redeeming', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop, 100)
    const reward = await newLoyaltyReward(shop, coin(1, 10))
    const dear = await newMaterial(shop)
    const assignment = await assign(shop, program, reward)
    await assign(shop, program, dear, 101)
    const validate = (body: object) => ok(shop, 'POST', `/v1/vouchers/${code}/validate`, body)
    expect(await validate({ reward: { id: reward.id, points: 30 }, order: { amount: 1_000 } })).toMatchObject({
      valid: true,
      code,
      loyalty: { points_cost: 30 },
      reward: { id: reward.id, assignment_id: assignment.id, points: 30 },
      campaign: program.name,
      campaign_id: program.id,
      order: { total_discount_amount: 300, total_amount: 700 },
    })
    expect(await validate({ reward: { id: dear.id } })).toMatchObject({
      valid: false,
      reason: 'loyalty card points exceeded',
      error: { key: 'loyalty_card_points_exceeded' },
    })
    expect(await balanceOf(shop, code)).toBe(100)
  })
})

describe('rolling back a reward', () => {
  test('disables the coupon, unless it was redeemed', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop)
    const coupons = await newCampaign(shop, 'Coupons', { type: 'AUTO_UPDATE' })
    const reward = await newLoyaltyReward(shop, { campaign: { id: coupons.id } })
    await assign(shop, program, reward, 100)
    const [unused, used] = [
      await redeemedReward(shop, code, { id: reward.id }),
      await redeemedReward(shop, code, { id: reward.id }),
    ]
    await redeemed(shop, { redeemables: vouchers(used.reward.voucher.code), order: { amount: 1_000 } })
    expect(await rollBack(shop, unused.id, { metadata: { why: 1 } })).toMatchObject({
      status: 200,
      body: {
        object: 'redemption_rollback',
        amount: -100,
        loyalty_card: { points: -100 },
        redemption: unused.id,
        reward: { id: reward.id },
        voucher: { loyalty_card: { balance: 900 } },
      },
    })
    expect(await rollBackAll(shop, used.id)).toMatchObject({ status: 200 })
    expect((await getVoucher(shop, unused.reward.voucher.code)).active).toBe(false)
    expect((await getVoucher(shop, used.reward.voucher.code)).active).toBe(true)
    expect(await card(shop, code)).toMatchObject({
      loyalty_card: { points: 1_000, balance: 1_000 },
      redemption: { redeemed_points: 0, redeemed_quantity: 0 },
    })
    expect((await getReward(shop, reward)).redeemed).toBe(0)
    expect((await states(shop)).slice(4)).toEqual(['rolledback ROLLEDBACK', 'rolledback ROLLEDBACK'])
    const refunds = (await transactions(shop, code)).slice(2)
    expect(refunds).toMatchObject([
      { type: 'POINTS_REFUND', details: { redemption: { id: unused.id }, reward: { id: reward.id } } },
      { type: 'POINTS_REFUND', details: { redemption: { id: used.id } } },
    ])

    expect(await rollBack(shop, unused.id)).toMatchObject({ status: 400, body: { key: 'already_rolled_back' } })
    expect(await balanceOf(shop, code)).toBe(1_000)
  })

  test('takes credits and points back as far as they are still there', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop)
    const gifts = await newCampaign(shop, 'Gifts', {
      campaign_type: 'GIFT_VOUCHERS',
      type: 'AUTO_UPDATE',
      voucher: { type: 'GIFT_VOUCHER', gift: { amount: 0 } },
    })
    const target = await newProgram(shop)
    const credits = await newLoyaltyReward(shop, { campaign: { id: gifts.id, balance: 500 } })
    const points = await newLoyaltyReward(shop, { campaign: { id: target.id, balance: 60 } })
    await assign(shop, program, credits, 100)
    await assign(shop, program, points, 100)
    const taken = [
      await redeemedReward(shop, code, { id: credits.id }),
      await redeemedReward(shop, code, { id: points.id }),
    ]
    const [gift, other] = taken.map(({ reward }) => reward.voucher.code)
    await ok(shop, 'POST', `/v1/vouchers/${gift}/redemption`, { order: { amount: 200 } })
    await addPoints(shop, other, -50)
    for (const { id } of taken) expect(await rollBack(shop, id)).toMatchObject({ status: 200 })
    expect((await getVoucher(shop, gift)).gift.balance).toBe(0)
    expect(await balanceOf(shop, other)).toBe(0)
    expect(await movements(shop, other)).toEqual(['POINTS_ADDITION 60', 'POINTS_REMOVAL -50', 'POINTS_REMOVAL -10'])
    expect(await balanceOf(shop, code)).toBe(1_000)
  })

  test('cancels a material reward not handed over yet', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop)
    const reward = await newMaterial(shop)
    await assign(shop, program, reward, 100)
    const { id } = await redeemedReward(shop, code, { id: reward.id })
    await rollBack(shop, id)
    expect(await states(shop)).toEqual(['created CREATED', 'pending PENDING', 'rolledback ROLLEDBACK'])
    const [pending] = await emittedEvents(shop, 'customer.reward_redemptions.pending')
    const path = `/v1/rewards/${reward.id}/redemptions/${pending?.data.reward_redemption.id}/complete`
    expect(await shop.call('POST', path)).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
  })

  test('cancels the order and its pending points, but keeps earned points', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop)
    await newTiers(shop, program, { Silver: [0, 999], Gold: [1_000] })
    await newEarningRules(shop, program, fixed(7), fixed(30, inDays(3)))
    const reward = await newLoyaltyReward(shop, { coin: { exchange_ratio: 0.01 } })
    await assign(shop, program, reward)
    const { id, order } = await redeemedReward(shop, code, { id: reward.id }, { order: { amount: 500 } })
    expect((await card(shop, code)).loyalty_card).toMatchObject({ balance: 507, pending_points: 30 })
    const { body } = await rollBack(shop, id)
    expect(body.order).toMatchObject({ status: 'CANCELED', total_amount: 500 })
    expect((await card(shop, code)).loyalty_card).toEqual({ points: 1_007, balance: 1_007 })
    expect((await tierChanges(shop)).at(-1)).toBe('upgraded Silver → Gold')
    // Changing the status of the order alone revokes nothing.
    await ok(shop, 'PUT', `/v1/orders/${order.id}`, { status: 'CANCELED' })
    expect(await balanceOf(shop, code)).toBe(1_007)
  })

  test('does not happen when only the order is canceled', async () => {
    const shop = await newProject()
    const { program, code } = await newSaver(shop)
    const reward = await newLoyaltyReward(shop, { coin: { exchange_ratio: 0.01 } })
    await assign(shop, program, reward)
    const { order } = await redeemedReward(shop, code, { id: reward.id }, { order: { amount: 500 } })
    await ok(shop, 'PUT', `/v1/orders/${order.id}`, { status: 'CANCELED' })
    expect(await movements(shop, code)).toEqual(['POINTS_REDEMPTION -500'])
  })
})

test('of two concurrent requests for the last points, one gets the reward', async () => {
  const shop = await newProject()
  const { program, code } = await newSaver(shop, 100)
  const reward = await newMaterial(shop)
  await assign(shop, program, reward, 60)
  const take = () => redeem(shop, { redeemables: [voucher(code, { reward: { id: reward.id } })] })
  const answers = await Promise.all([take(), take(), take()])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  await payOrder(shop, 'ann')
  expect(await balanceOf(shop, code)).toBe(40)
})
