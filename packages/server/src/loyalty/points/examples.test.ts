import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import { amountOff, newDiscount, newProduct, redeemed, rollBack, voucher, vouchers } from '../../testing/checkout.ts'
import {
  addPoints,
  assign,
  balanceOf,
  buckets,
  card,
  emittedEvents,
  fixed,
  inDays,
  inPeriod,
  movements,
  newEarningRules,
  newLoyaltyReward,
  newMaterial,
  newMember,
  newProgram,
  newTiers,
  ofAmount,
  onDrop,
  payOrder,
  pendingOf,
  redeemedReward,
  redeemReward,
  runUntil,
  tierChanges,
  tierLasting,
  tierName,
  tierOf,
  transactions,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'

/* The worked examples of docs/reference/examples-loyalty.md#worked-examples, over HTTP: real orders, redemptions and days. */

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const times = (multiplier: number) => ({ type: 'MULTIPLY', multiplier })
const instead = (points: number) => ({ type: 'CUSTOM', points })

/** A member of a program with one rule, in a tier with a mapping for it if one is given. */
async function newEarner(shop: Shop, rule: object, mapping?: object) {
  const program = await newProgram(shop)
  const [earningRule] = await newEarningRules(shop, program, rule)
  if (mapping !== undefined)
    await newTiers(shop, program, { Base: [0] }, { Base: { earning_rules: { [earningRule.id]: mapping } } })
  return { program, earning_rule: earningRule, ...(await newMember(shop, program, 'ann')) } as Body
}

describe('earned points', () => {
  test('example 1: 40 points, times 1.5', async () => {
    const shop = await newProject()
    const { code } = await newEarner(shop, fixed(40), times(1.5))
    await payOrder(shop, 'ann')
    expect(await movements(shop, code)).toEqual(['POINTS_ACCRUAL 60'])
    expect(await balanceOf(shop, code)).toBe(60)
  })

  test('example 2: 7 points for every 15.00 of 104.99; less than one share pays nothing, and the customer does not join', async () => {
    const shop = await newProject()
    const { code } = await newEarner(shop, ofAmount(1_500, 7))
    await payOrder(shop, 'ann', 10_499)
    expect(await movements(shop, code)).toEqual(['POINTS_ACCRUAL 42'])

    const joining = await newProgram(shop, { auto_join: true })
    await newEarningRules(shop, joining, ofAmount(1_000, 7))
    const joined = await newMember(shop, joining, 'bob')
    await payOrder(shop, 'bob', 900)
    await payOrder(shop, 'eve', 900)
    expect(await transactions(shop, joined.code)).toEqual([])
    const { vouchers: members } = await ok(shop, 'GET', `/v1/loyalties/${joining.id}/members`)
    expect(members.map((member: Body) => member.code)).toEqual([joined.code])
    await payOrder(shop, 'eve', 1_000)
    expect((await ok(shop, 'GET', `/v1/loyalties/${joining.id}/members?customer=eve`)).vouchers).toMatchObject([
      { loyalty_card: { points: 7, balance: 7 } },
    ])
  })

  test('example 3: by the amount after all discounts', async () => {
    const shop = await newProject()
    const totalAmount = { every: 300, points: 2 }
    const { code } = await newEarner(shop, {
      loyalty: { type: 'PROPORTIONAL', calculation_type: 'ORDER_TOTAL_AMOUNT', order: { total_amount: totalAmount } },
    })
    await payOrder(shop, 'ann', { amount: 12_500, discount_amount: 2_500 })
    await newDiscount(shop, 'OFF', amountOff(2_500))
    await redeemed(shop, {
      redeemables: vouchers('OFF'),
      order: { amount: 12_500 },
      customer: { source_id: 'ann' },
    })
    expect(await movements(shop, code)).toEqual(['POINTS_ACCRUAL 66', 'POINTS_ACCRUAL 66'])
  })

  test('example 4: free units do not count', async () => {
    const shop = await newProject()
    const product = await newProduct(shop, 'P', { price: 100 })
    const quantity = { every: 2, points: 10, object: 'product', id: product.id }
    const { code } = await newEarner(shop, {
      loyalty: { type: 'PROPORTIONAL', calculation_type: 'ORDER_ITEMS_QUANTITY', order_items: { quantity } },
    })
    const discount = { type: 'UNIT', unit_off: 2, unit_type: product.id, effect: 'ADD_NEW_ITEMS' }
    await newDiscount(shop, 'TWO-MORE', discount)
    const { order } = await redeemed(shop, {
      redeemables: vouchers('TWO-MORE'),
      order: { items: [{ product_id: product.id, quantity: 3 }] },
      customer: { source_id: 'ann' },
    })
    expect(order.items).toMatchObject([{ quantity: 5, discount_quantity: 2 }])
    expect(await movements(shop, code)).toEqual(['POINTS_ACCRUAL 10'])
  })

  test('example 5: an item that matches two entries counts once', async () => {
    const shop = await newProject()
    const p = await newProduct(shop, 'P')
    const q = await newProduct(shop, 'Q')
    const collection = await ok(shop, 'POST', '/v1/product-collections', {
      name: 'C',
      type: 'STATIC',
      products: [{ id: p.id, object: 'product' }],
    })
    const applicableTo = [
      { object: 'product', id: p.id },
      { object: 'products_collection', id: collection.id },
    ]
    const subtotalAmount = { every: 1_000, points: 4, applicable_to: applicableTo }
    const { code } = await newEarner(shop, {
      loyalty: {
        type: 'PROPORTIONAL',
        calculation_type: 'ORDER_ITEMS_SUBTOTAL_AMOUNT',
        order_items: { subtotal_amount: subtotalAmount },
      },
    })
    await payOrder(shop, 'ann', {
      amount: undefined,
      items: [
        { product_id: p.id, amount: 6_000, discount_amount: 900 },
        { product_id: q.id, amount: 3_000 },
      ],
    })
    expect(await movements(shop, code)).toEqual(['POINTS_ACCRUAL 20'])
  })

  test('example 6: by formula, or the fixed number if it cannot be calculated', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await newEarningRules(
      shop,
      program,
      { loyalty: { type: 'FIXED', points: 10, points_formula: 'ORDER_AMOUNT * 0.15' } },
      { loyalty: { type: 'FIXED', points: 10, points_formula: 'ORDER_METADATA("none") * 2' } },
    )
    const { code } = await newMember(shop, program, 'ann')
    await payOrder(shop, 'ann', 3_330)
    expect(await movements(shop, code)).toEqual(['POINTS_ACCRUAL 5', 'POINTS_ACCRUAL 10'])
  })

  test('example 7: a tier replaces the points of a share, or multiplies them', async () => {
    const shop = await newProject()
    const replaced = await newEarner(shop, ofAmount(1_000, 1), instead(3))
    await payOrder(shop, 'ann', 27_900)
    expect(await movements(shop, replaced.code)).toEqual(['POINTS_ACCRUAL 81'])
    const multiplied = await newEarner(shop, ofAmount(1_000, 2), times(1.25))
    await payOrder(shop, 'ann', 7_000)
    expect(await movements(shop, multiplied.code)).toEqual(['POINTS_ACCRUAL 18'])
  })
})

describe('when points expire', () => {
  const months = (periodValue: number, more: object = {}) => ({
    period_type: 'MONTH',
    period_value: periodValue,
    ...more,
  })
  const day = (fixedMonth: number, fixedDay: number) => ({
    period_type: 'FIXED_DAY_OF_YEAR',
    fixed_month: fixedMonth,
    fixed_day: fixedDay,
  })
  const to = (roundingType: string, roundingValue?: number) => ({
    rounding_type: roundingType,
    rounding_value: roundingValue,
  })

  test.each<[string, Array<[earned: string, rules: object, expires: string]>]>([
    [
      'example 8: after months, or on a fixed day of the year',
      [
        ['2025-01-25', months(1), '2025-02-25'],
        ['2025-01-31', months(1), '2025-02-28'],
        ['2024-01-31', months(1), '2024-02-29'],
        ['2025-01-01', months(0), '2025-01-01'],
        ['2025-07-01', day(6, 30), '2026-06-30'],
        ['2025-06-30', day(6, 30), '2025-06-30'],
        ['2024-02-10', day(2, 31), '2024-02-29'],
        ['2025-03-01', day(2, 31), '2026-02-28'],
      ],
    ],
    [
      'example 9: rounded to the end of a period',
      [
        ['2025-02-10', months(3, to('END_OF_QUARTER')), '2025-06-30'],
        ['2025-02-10', months(5, to('END_OF_HALF_YEAR')), '2025-12-31'],
        ['2025-11-20', months(2, to('END_OF_MONTH')), '2026-01-31'],
        ['2025-11-20', months(2, to('END_OF_YEAR')), '2026-12-31'],
        ['2025-01-28', months(2, to('PARTICULAR_MONTH', 1)), '2026-01-31'],
        ['2025-01-28', months(2, to('PARTICULAR_MONTH', 3)), '2025-03-31'],
        ['2025-01-28', months(2, to('PARTICULAR_MONTH', 9)), '2025-09-30'],
      ],
    ],
  ])('%s', async (_, cases) => {
    const shop = await newProject()
    for (const [earned, expirationRules, expires] of cases) {
      shop.service.clock.set(`${earned}T12:00:00.000Z`)
      const program = await newProgram(shop, { expiration_rules: expirationRules })
      const member = await newMember(shop, program, 'ann')
      await addPoints(shop, member.code, 5)
      expect(await buckets(shop, member), `${earned} ${JSON.stringify(expirationRules)}`).toEqual({
        [expires]: 5,
      })
    }
  })
})

describe('pending points', () => {
  test('example 10: they activate after three days, and their expiration is counted from then', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-06T14:00:00.000Z')
    const program = await newProgram(shop, { points: 7, expiration_rules: { period_type: 'MONTH', period_value: 1 } })
    await newEarningRules(shop, program, fixed(50, inDays(3)))
    const member = await newMember(shop, program, 'ann')
    const order = await payOrder(shop, 'ann')
    expect(await pendingOf(shop, member.code)).toMatchObject([
      { points: 50, activates_at: '2025-03-09', order_id: order.id },
    ])
    const waiting = { points: 7, balance: 7, pending_points: 50 }
    expect((await card(shop, member.code)).loyalty_card).toEqual(waiting)

    await runUntil(shop, '2025-03-08T23:59:59.000Z')
    expect((await card(shop, member.code)).loyalty_card).toEqual(waiting)
    await runUntil(shop, '2025-03-09T00:00:00.000Z')
    expect((await card(shop, member.code)).loyalty_card).toEqual({
      points: 57,
      balance: 57,
      next_expiration_date: '2025-04-09',
      next_expiration_points: 50,
    })
    expect(await buckets(shop, member)).toEqual({ '2025-04-09': 50, never: 7 })
    expect(await pendingOf(shop, member.code)).toEqual([])
  })

  test('example 11: an entry can be reduced, but not to 0', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await newEarningRules(shop, program, fixed(20, inDays(3)), fixed(10, inDays(5)))
    const { id, code } = await newMember(shop, program, 'ann')
    await payOrder(shop, 'ann')
    const [entry] = await pendingOf(shop, code)
    const path = `/v1/loyalties/members/${code}/pending-points/${entry.id}/balance`
    expect(await ok(shop, 'POST', path, { points: -5 })).toEqual({
      points: -5,
      total: 25,
      object: 'balance',
      related_object: { type: 'voucher', id },
      operation_type: 'MANUAL',
    })
    expect(await shop.call('POST', path, { points: -15 })).toMatchObject({
      status: 400,
      body: {
        key: 'invalid_amount',
        message: 'Invalid Amount',
        details: 'Amount has to be a valid positive number',
      },
    })
    expect((await card(shop, code)).loyalty_card.pending_points).toBe(25)
  })

  test('example 24: five entries in pages of two', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await newEarningRules(shop, program, ...[1, 2, 3, 4, 5].map((days) => fixed(days, inDays(days))))
    const { code } = await newMember(shop, program, 'ann')
    await payOrder(shop, 'ann')
    for (const path of [`/v1/loyalties/members/${code}`, `/v1/loyalties/${program.id}`]) {
      const pages: Body[] = []
      for (let after = ''; pages.length < 3; ) {
        const page = await ok(shop, 'GET', `${path}/pending-points?limit=2${after}`)
        pages.push(page)
        after = `&starting_after_id=${page.more_starting_after}`
      }
      expect(pages.map(({ data }) => data.map(({ points }: Body) => points))).toEqual([[5, 4], [3, 2], [1]])
      expect(pages.map(({ has_more }) => has_more)).toEqual([true, true, false])
      expect('more_starting_after' in pages[2]).toBe(false)
    }
  })

  test('example 25: a canceled order cancels its pending points, and nothing else', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await newEarningRules(shop, program, fixed(30, inDays(3)), fixed(10))
    const { code } = await newMember(shop, program, 'ann')
    const order = await payOrder(shop, 'ann')
    expect((await card(shop, code)).loyalty_card).toEqual({ points: 10, balance: 10, pending_points: 30 })
    await ok(shop, 'PUT', `/v1/orders/${order.id}`, { status: 'CANCELED' })
    expect((await card(shop, code)).loyalty_card).toEqual({ points: 10, balance: 10 })
    const canceled = await emittedEvents(shop, '%pending_points.canceled')
    expect(canceled.map(({ type }) => type).sort()).toEqual([
      'customer.voucher.loyalty_card.pending_points.canceled',
      'voucher.loyalty_card.pending_points.canceled',
    ])
    expect(canceled[0]?.data.voucher_pending_points_balance).toMatchObject({
      points: -30,
      total: 0,
      operation_type: 'AUTOMATIC',
    })
  })
})

describe('the ledger', () => {
  test('example 12: points that expire first are spent first', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-05-02T10:00:00.000Z')
    const program = await newProgram(shop)
    const member = await newMember(shop, program, 'ann')
    const on = (expirationDate: string) => ({ expiration_type: 'CUSTOM_DATE', expiration_date: expirationDate })
    await addPoints(shop, member.code, 1_000, { expiration_type: 'NON_EXPIRING' })
    await addPoints(shop, member.code, 300, on('2025-08-31'))
    await addPoints(shop, member.code, 120, on('2025-05-31'))
    const reward = await newMaterial(shop)
    await assign(shop, program, reward, 250)
    await redeemedReward(shop, member.code, { id: reward.id })
    expect(await buckets(shop, member)).toEqual({ '2025-05-31': 0, '2025-08-31': 170, never: 1_000 })
    expect((await card(shop, member.code)).loyalty_card).toEqual({
      points: 1_420,
      balance: 1_170,
      next_expiration_date: '2025-08-31',
      next_expiration_points: 170,
    })
  })

  test('example 13: five counters, and how a removal and a refund change them', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-01-10T10:00:00.000Z')
    const program = await newProgram(shop)
    const { id, code } = await newMember(shop, program, 'ann')
    await addPoints(shop, code, 100, { expiration_type: 'CUSTOM_DATE', expiration_date: '2025-01-31' })
    await runUntil(shop, '2025-02-01T00:00:00.000Z')
    await addPoints(shop, code, 1_400)
    const reward = await newMaterial(shop)
    await assign(shop, program, reward, 300)
    const redemption = await redeemedReward(shop, code, { id: reward.id })
    await addPoints(shop, code, -200)
    expect(await card(shop, code)).toMatchObject({
      loyalty_card: { points: 1_500, balance: 900, expired_points: 100, subtracted_points: 200 },
      redemption: { redeemed_points: 300, redeemed_quantity: 1 },
    })

    expect(await addPoints(shop, code, -100)).toEqual({
      points: -100,
      total: 1_100,
      balance: 800,
      type: 'loyalty_card',
      object: 'balance',
      related_object: { type: 'voucher', id },
      operation_type: 'MANUAL',
    })
    expect((await card(shop, code)).loyalty_card).toEqual({
      points: 1_500,
      balance: 800,
      expired_points: 100,
      subtracted_points: 300,
    })

    expect(await rollBack(shop, redemption.id)).toMatchObject({
      status: 200,
      body: { amount: -300, loyalty_card: { points: -300 } },
    })
    expect(await card(shop, code)).toMatchObject({
      loyalty_card: { points: 1_500, balance: 1_100 },
      redemption: { redeemed_points: 0, redeemed_quantity: 0 },
    })
    const refund = (await transactions(shop, code)).at(-1)
    expect(refund).toMatchObject({
      type: 'POINTS_REFUND',
      details: { balance: { points: 300, total: 1_100, balance: 1_100 } },
    })
  })

  test('example 14: two cards transfer to a third, once', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-05-02T10:00:00.000Z')
    const givers = await newProgram(shop, { points: 100 })
    const receivers = await newProgram(shop, {
      points: 10,
      expiration_rules: { period_type: 'MONTH', period_value: 12, rounding_type: 'END_OF_YEAR' },
    })
    const a = await newMember(shop, givers, 'a')
    const b = await newMember(shop, givers, 'b')
    const c = await newMember(shop, receivers, 'c')
    const path = `/v1/loyalties/${receivers.id}/members/${c.code}/transfers`
    const body = [
      { code: a.code, points: 40, source_id: 'one', reason: 'gift' },
      { code: b.code, points: 60, source_id: 'two' },
    ]
    expect(await ok(shop, 'POST', path, body)).toMatchObject({
      code: c.code,
      loyalty_card: { points: 110, balance: 110 },
    })
    expect(await buckets(shop, c)).toEqual({ '2026-12-31': 100, never: 10 })
    expect((await card(shop, a.code)).loyalty_card).toEqual({ points: 100, balance: 60, subtracted_points: 40 })
    expect((await card(shop, b.code)).loyalty_card).toEqual({ points: 100, balance: 40, subtracted_points: 60 })
    const all = [await transactions(shop, a.code), await transactions(shop, b.code), await transactions(shop, c.code)]
    expect(all.map((list) => list.map(({ type }) => type))).toEqual([
      ['POINTS_TRANSFER_OUT'],
      ['POINTS_TRANSFER_OUT'],
      ['POINTS_TRANSFER_IN', 'POINTS_TRANSFER_IN'],
    ])

    expect(await shop.call('POST', path, body)).toMatchObject({ status: 400, body: { key: 'duplicate_source_id' } })
    expect(await balanceOf(shop, a.code)).toBe(60)
    expect(await balanceOf(shop, b.code)).toBe(40)
    expect(await balanceOf(shop, c.code)).toBe(110)
  })
})

describe('paying with points', () => {
  /** A card with this many points, and a COIN reward of 3.00 for 50 points. */
  async function newPayer(shop: Shop, points: number) {
    const program = await newProgram(shop, { points })
    const reward = await newLoyaltyReward(shop, { coin: { exchange_ratio: 3, points_ratio: 50 } })
    await assign(shop, program, reward)
    const { code } = await newMember(shop, program, 'ann')
    return (given?: number) => redeemReward(shop, code, { id: reward.id, points: given }, { order: { amount: 10_000 } })
  }

  test('example 15: as many units as the order needs', async () => {
    const pay = await newPayer(await newProject(), 5_000)
    expect(await pay()).toMatchObject({
      status: 200,
      body: {
        amount: 1_700,
        loyalty_card: { points: 1_700 },
        order: { amount: 10_000, discount_amount: 10_000, total_discount_amount: 10_000, total_amount: 0 },
        voucher: { loyalty_card: { balance: 3_300 } },
      },
    })
  })

  test('example 16: as many units as requested, or as the balance allows', async () => {
    const shop = await newProject()
    const paid = (points: number, discountAmount: number) => ({
      status: 200,
      body: { amount: points, order: { discount_amount: discountAmount, total_amount: 10_000 - discountAmount } },
    })
    expect(await (await newPayer(shop, 5_000))(260)).toMatchObject(paid(250, 1_500))
    expect(await (await newPayer(shop, 5_000))(5_000)).toMatchObject(paid(1_700, 10_000))
    expect(await (await newPayer(shop, 620))()).toMatchObject(paid(600, 3_600))
    expect(await (await newPayer(shop, 5_000))(6_000)).toMatchObject({
      status: 400,
      body: { key: 'loyalty_card_points_exceeded' },
    })
  })
})

describe('tiers', () => {
  test('example 17: up and down with the balance', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, onDrop)
    await newTiers(shop, program, { Bronze: [0, 99], Silver: [100, 499], Gold: [500] })
    const reward = await newMaterial(shop)
    await assign(shop, program, reward, 460)
    const { code } = await newMember(shop, program, 'ann')
    expect(await tierName(shop, code)).toBe('Bronze')
    await addPoints(shop, code, 120)
    expect(await tierName(shop, code)).toBe('Silver')
    await addPoints(shop, code, 430)
    expect(await tierName(shop, code)).toBe('Gold')
    await redeemedReward(shop, code, { id: reward.id })
    expect(await balanceOf(shop, code)).toBe(90)
    expect(await tierChanges(shop)).toEqual([
      'joined Bronze',
      'upgraded Bronze → Silver',
      'upgraded Silver → Gold',
      'downgraded Gold → Bronze',
    ])
    expect((await tierOf(shop, code)).expiration).not.toHaveProperty('expiration_date')
  })

  test('example 18: a tier lasts its period whatever the balance, and is prolonged if it is still qualified for', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-20T10:00:00.000Z')
    const february = { type: 'CUSTOM', strategy: 'END', unit: 'MONTH', value: 1 }
    const custom = await newProgram(shop, tierLasting('P4M', february))
    await newTiers(shop, custom, { Bronze: [0, 99], Silver: [100] })
    const eve = await newMember(shop, custom, 'eve')
    await addPoints(shop, eve.code, 100)
    expect((await tierOf(shop, eve.code)).expiration).toMatchObject({
      start_date: '2025-03-20',
      expiration_date: '2026-02-28',
    })

    shop.service.clock.set('2025-08-01T10:00:00.000Z')
    const program = await newProgram(shop, tierLasting('P2M', { type: 'QUARTER', strategy: 'END' }))
    await newTiers(shop, program, { Bronze: [0, 99], Silver: [100] })
    const ann = await newMember(shop, program, 'ann')
    const bob = await newMember(shop, program, 'bob')
    shop.service.clock.set('2025-08-14T10:00:00.000Z')
    await addPoints(shop, ann.code, 200)
    await addPoints(shop, bob.code, 200)
    for (const { code } of [ann, bob])
      expect(await tierOf(shop, code)).toMatchObject({
        name: 'Silver',
        expiration: { start_date: '2025-08-14', expiration_date: '2025-12-31' },
      })
    await addPoints(shop, ann.code, -180)
    await addPoints(shop, bob.code, -50)
    expect(await tierName(shop, ann.code)).toBe('Silver')

    await runUntil(shop, '2025-12-31T23:59:00.000Z')
    expect(await tierName(shop, ann.code)).toBe('Silver')
    await runUntil(shop, '2026-01-01T00:00:00.000Z')
    expect(await tierName(shop, ann.code)).toBe('Bronze')
    expect(await tierChanges(shop, 'ann')).toEqual([
      'joined Bronze',
      'upgraded Bronze → Silver',
      'downgraded Silver → Bronze',
    ])
    expect(await tierOf(shop, bob.code)).toMatchObject({
      name: 'Silver',
      expiration: { expiration_date: '2026-03-31' },
    })
    expect(await tierChanges(shop, 'bob')).toEqual(['joined Bronze', 'upgraded Bronze → Silver', 'prolonged Silver'])
  })

  test('example 19: a tier starts with the quarter after it was qualified for', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-05-10T10:00:00.000Z')
    const program = await newProgram(shop, inPeriod('QUARTER', 'NEXT_PERIOD', 'END_OF_NEXT_PERIOD', 'P10D'))
    await newTiers(shop, program, { Bronze: [0, 499], Gold: [500] })
    const { code } = await newMember(shop, program, 'ann')
    await addPoints(shop, code, 500)
    expect(await tierOf(shop, code)).toMatchObject({ name: 'Bronze', expiration: { start_date: '2025-05-10' } })
    await runUntil(shop, '2025-06-30T23:59:00.000Z')
    expect(await tierName(shop, code)).toBe('Bronze')
    await runUntil(shop, '2025-07-01T00:00:00.000Z')
    expect(await tierOf(shop, code)).toMatchObject({
      name: 'Gold',
      expiration: { start_date: '2025-07-01', expiration_date: '2026-01-10' },
    })
    expect(await tierChanges(shop)).toEqual(['joined Bronze', 'upgraded Bronze → Gold'])
  })

  test('example 20: a tier ends a week after its month, followed by the lowest tier or none', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-10T10:00:00.000Z')
    const settings = inPeriod('MONTH', 'IMMEDIATE', 'END_OF_PERIOD', 'P7D')
    const based = await newProgram(shop, settings)
    await newTiers(shop, based, { Bronze: [0, 99], Silver: [100] })
    const bare = await newProgram(shop, settings)
    await newTiers(shop, bare, { Silver: [100] })
    const ann = await newMember(shop, based, 'ann')
    const bob = await newMember(shop, bare, 'bob')
    await addPoints(shop, ann.code, 100)
    await addPoints(shop, bob.code, 100)
    for (const { code } of [ann, bob])
      expect(await tierOf(shop, code)).toMatchObject({
        name: 'Silver',
        expiration: { start_date: '2025-03-10', expiration_date: '2025-04-07' },
      })
    await runUntil(shop, '2025-04-07T23:59:00.000Z')
    expect([await tierName(shop, ann.code), await tierName(shop, bob.code)]).toEqual(['Silver', 'Silver'])
    await runUntil(shop, '2025-04-08T00:00:00.000Z')
    expect([await tierName(shop, ann.code), await tierName(shop, bob.code)]).toEqual(['Bronze', null])
    expect(await tierChanges(shop, 'ann')).toEqual([
      'joined Bronze',
      'upgraded Bronze → Silver',
      'downgraded Silver → Bronze',
    ])
    expect(await tierChanges(shop, 'bob')).toEqual(['joined Silver', 'left Silver'])
  })

  test('example 21: automatic redemption comes first, and leaves too few points for a tier', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { points: 60 })
    await newEarningRules(shop, program, fixed(250))
    await newTiers(shop, program, { Silver: [100] })
    const assignment = await assign(shop, program, await newMaterial(shop), 100, { auto_redeem: true })
    const { code } = await newMember(shop, program, 'ann')
    await payOrder(shop, 'ann')
    expect(await movements(shop, code)).toEqual([
      'POINTS_ACCRUAL 250',
      'POINTS_REDEMPTION -100',
      'POINTS_REDEMPTION -100',
      'POINTS_REDEMPTION -100',
    ])
    expect(await balanceOf(shop, code)).toBe(10)
    const succeeded = await emittedEvents(shop, 'redemption.succeeded')
    expect(succeeded.map(({ data }) => data.redemption.channel)).toEqual(
      Array.from({ length: 3 }, () => ({ channel_type: 'AUTO_REDEEM', channel_id: assignment.id })),
    )
    expect(await tierOf(shop, code)).toBeNull()
    expect(await tierChanges(shop)).toEqual([])
  })

  test('example 22: a tier makes a reward cheaper, sets its price, or hides it', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { points: 1_000 })
    const [half, set, hidden] = [await newMaterial(shop), await newMaterial(shop), await newMaterial(shop)]
    const assignments = [
      await assign(shop, program, half, 75),
      await assign(shop, program, set, 75),
      await assign(shop, program, hidden, 75),
    ]
    const rewards = {
      [assignments[0].id]: times(0.5),
      [set.id]: instead(20), // by reward, the others by assignment
      [assignments[2].id]: { type: 'NOT_AVAILABLE' },
    }
    const { Silver } = await newTiers(shop, program, { Silver: [0] }, { Silver: { rewards } })
    const { code } = await newMember(shop, program, 'ann')
    for (const path of [`members/${code}/rewards`, `${program.id}/tiers/${Silver.id}/rewards`]) {
      const { data, total } = await ok(shop, 'GET', `/v1/loyalties/${path}`)
      const prices = data.map(({ reward, assignment }: Body) => [reward.id, assignment.parameters.loyalty.points])
      expect(Object.fromEntries(prices)).toEqual({ [half.id]: 38, [set.id]: 20 })
      expect(total).toBe(2)
    }
    expect(await redeemReward(shop, code, { id: hidden.id })).toMatchObject({
      status: 404,
      body: { key: 'not_found', details: `Cannot find reward with id ${hidden.id}` },
    })
    expect(await redeemedReward(shop, code, { id: half.id })).toMatchObject({
      amount: 38,
      reward: { loyalty_tier_id: Silver.id },
    })
    expect(await redeemedReward(shop, code, { id: set.id })).toMatchObject({ amount: 20 })
    expect(await balanceOf(shop, code)).toBe(942)
  })
})

describe('referrals', () => {
  test('example 23: a coupon for each new customer, a gift for the third, and no customer counts twice', async () => {
    const shop = await newProject()
    const referral = await newCampaign(shop, 'Refer', { campaign_type: 'REFERRAL_PROGRAM', type: 'AUTO_UPDATE' })
    const coupons = await newCampaign(shop, 'Thanks', { type: 'AUTO_UPDATE' })
    const gifts = await newCampaign(shop, 'Gifts', {
      campaign_type: 'GIFT_VOUCHERS',
      type: 'AUTO_UPDATE',
      voucher: { type: 'GIFT_VOUCHER', gift: { amount: 0 } },
    })
    const coupon = await newLoyaltyReward(shop, { campaign: { id: coupons.id } })
    const gift = await newLoyaltyReward(shop, { campaign: { id: gifts.id, balance: 500 } })
    const path = `/v1/referrals/${referral.id}/tiers`
    await ok(shop, 'POST', path, {
      banner: 'Each',
      parameters: { criteria: 'EACH_REFEREE' },
      reward: { id: coupon.id },
    })
    await ok(shop, 'POST', path, {
      banner: 'Three',
      parameters: { criteria: 'MIN_REFEREES', min_referees: 3 },
      reward: { id: gift.id },
    })
    const { voucher: code } = await ok(shop, 'POST', '/v1/publications', {
      campaign: 'Refer',
      customer: { source_id: 'anna' },
    })
    const granted = async () => {
      const rewarded = await emittedEvents(shop, 'customer.rewarded')
      return rewarded.map(({ data }) => data.referral_tier.banner)
    }
    const expected = [['Each'], ['Each', 'Each'], ['Each', 'Each'], ['Each', 'Each', 'Each', 'Three']]
    for (const [index, sourceId] of ['x', 'y', 'x', 'z'].entries()) {
      await redeemed(shop, {
        redeemables: [voucher(code.code)],
        order: { amount: 5_000 },
        customer: { source_id: sourceId },
      })
      expect(await granted(), `after ${sourceId}`).toEqual(expected[index])
    }
    expect(await emittedEvents(shop, 'customer.referred')).toHaveLength(3)
    expect((await ok(shop, 'GET', '/v1/customers/anna')).loyalty).toMatchObject({
      referred_customers: 3,
      campaigns: { Refer: { referred_customers: 3 } },
    })
    const held = (campaign: string) =>
      ok(shop, 'GET', `/v1/vouchers?campaign=${campaign}&customer=anna`).then(({ vouchers }) => vouchers)
    expect(await held('Thanks')).toHaveLength(3)
    expect(await held('Gifts')).toMatchObject([{ gift: { balance: 500 } }])
  })
})
