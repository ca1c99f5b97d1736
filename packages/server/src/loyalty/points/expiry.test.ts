import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { rollBack } from '../../testing/checkout.ts'
import {
  addPoints,
  assign,
  balanceOf,
  buckets,
  card,
  emittedEvents,
  expectNoGaps,
  fixed,
  inDays,
  movements,
  newEarningRules,
  newMaterial,
  newMember,
  newProgram,
  newTiers,
  payOrder,
  redeemedReward,
  runDailyLoyaltyJob,
  runUntil,
  tierChanges,
  transactions,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'

/*
 * Buckets of points and their expiry: docs/reference/points.md#ledger and
 * docs/reference/points.md#expiration-date-of-credited-points and docs/reference/points.md#daily-job.
 */

const on = (expirationDate: string) => ({ expiration_type: 'CUSTOM_DATE', expiration_date: expirationDate })
const forEver = { expiration_type: 'NON_EXPIRING' }
const aMonth = { period_type: 'MONTH', period_value: 1 }

async function newSaver(shop: Shop, settings: Record<string, unknown> = {}) {
  const program = await newProgram(shop, settings)
  return { program, member: await newMember(shop, program, 'ann') }
}

describe('an addition', () => {
  test('expires as requested: by the program, on a date, or never', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-10T10:00:00.000Z')
    const { member } = await newSaver(shop, { expiration_rules: aMonth })
    await addPoints(shop, member.code, 1)
    await addPoints(shop, member.code, 2, { expiration_type: 'PROGRAM_RULES' })
    await addPoints(shop, member.code, 4, on('2025-05-01'))
    await addPoints(shop, member.code, 8, on('2025-05-01T15:00:00.000Z'))
    await addPoints(shop, member.code, 16, on('2025-03-10')) // today is allowed
    await addPoints(shop, member.code, 32, forEver)
    expect(await buckets(shop, member)).toEqual({ '2025-03-10': 16, '2025-04-10': 3, '2025-05-01': 12, never: 32 })
    await addPoints(shop, member.code, -20, on('2025-12-31')) // a removal takes the points that expire first
    expect(await buckets(shop, member)).toEqual({ '2025-03-10': 0, '2025-04-10': 0, '2025-05-01': 11, never: 32 })
    expect(Object.keys(await buckets(shop, member))).toEqual(['2025-03-10', '2025-04-10', '2025-05-01', 'never'])
  })

  test('is refused with a missing, invalid or past date', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-10T10:00:00.000Z')
    const { member } = await newSaver(shop)
    const add = (more: object) =>
      shop.call('POST', `/v1/loyalties/members/${member.code}/balance`, { points: 5, ...more })
    expect(await add({ expiration_type: 'CUSTOM_DATE' })).toMatchObject({ status: 400, body: { key: 'missing_param' } })
    for (const unclear of ['soon', '2025-04-01T00:00:00', '2025-04-01T10:00', '2025-04-01T10'])
      expect(await add(on(unclear)), unclear).toMatchObject({
        status: 400,
        body: {
          key: 'invalid_payload',
          details: 'Property .expiration_date cannot be recognized as a ISO-8601 compliant date',
        },
      })
    expect(await add(on('2025-03-09'))).toMatchObject({
      status: 400,
      body: {
        key: 'invalid_expiration_date',
        message: 'Invalid Expiration Date',
        details: 'Expiration date cannot be set in the past',
      },
    })
    expect(await add({ expiration_type: 'LATER' })).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
    expect(await transactions(shop, member.code)).toEqual([])
  })

  test('keeps its date when the rules of its program change', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-10T10:00:00.000Z')
    const { program, member } = await newSaver(shop, { expiration_rules: aMonth })
    await addPoints(shop, member.code, 1)
    await ok(shop, 'PUT', `/v1/loyalties/${program.id}`, {
      loyalty_card: { points: 0, expiration_rules: { period_type: 'MONTH', period_value: 6 } },
    })
    await addPoints(shop, member.code, 2)
    expect(await buckets(shop, member)).toEqual({ '2025-04-10': 1, '2025-09-10': 2 })
  })
})

describe('an expired bucket', () => {
  test("expires at midnight in the project's time zone, all buckets of a day together", async () => {
    const shop = await newProject({ project: { timezone: 'America/New_York' } })
    shop.service.clock.set('2025-03-10T10:00:00.000Z')
    const { member, program } = await newSaver(shop)
    await addPoints(shop, member.code, 30, on('2025-03-12'))
    await addPoints(shop, member.code, 12, on('2025-03-11'))
    await addPoints(shop, member.code, 100, forEver)
    await runUntil(shop, '2025-03-12T03:59:00.000Z')
    expect(await balanceOf(shop, member.code)).toBe(142)
    await runUntil(shop, '2025-03-12T04:00:00.000Z') // 00:00 in New York
    expect((await card(shop, member.code)).loyalty_card).toEqual({
      points: 142,
      balance: 130,
      expired_points: 12,
      next_expiration_date: '2025-03-12',
      next_expiration_points: 30,
    })
    await runUntil(shop, '2025-03-20T12:00:00.000Z')
    await runDailyLoyaltyJob(shop)
    expect((await movements(shop, member.code)).slice(3)).toEqual(['POINTS_EXPIRATION -12', 'POINTS_EXPIRATION -30'])
    expect(await buckets(shop, member)).toEqual({ never: 100 })
    const [, expiration] = (await transactions(shop, member.code)).slice(3)
    expect(expiration).toMatchObject({
      source: 'Automation',
      source_id: null,
      reason: null,
      details: { balance: { points: -30, total: 100, balance: 100, operation_type: 'AUTOMATIC' } },
    })
    const expired = await emittedEvents(shop, '%points_expired')
    expect(expired.map(({ type }) => type).sort()).toEqual([
      'customer.voucher.loyalty_card.points_expired',
      'customer.voucher.loyalty_card.points_expired',
      'voucher.loyalty_card.points_expired',
      'voucher.loyalty_card.points_expired',
    ])
    const last = expired.at(-1)?.data
    expect(last).toMatchObject({
      points: 30,
      campaign: { id: program.id },
      buckets: [
        {
          voucher_id: member.id,
          campaign_id: program.id,
          bucket: { total_points: 30 }, // as before it expired
          status: 'ACTIVE',
          expires_at: '2025-03-12',
          object: 'loyalty_points_bucket',
        },
      ],
      transaction: { type: 'POINTS_EXPIRATION' },
    })
  })

  test('expires at midnight in a time zone that is an offset', async () => {
    const shop = await newProject({ project: { timezone: 'GMT-5' } })
    shop.service.clock.set('2025-03-10T10:00:00.000Z')
    const { member } = await newSaver(shop)
    await addPoints(shop, member.code, 30, on('2025-03-12T02:00:00.000Z')) // 11 March, 21:00
    expect(await buckets(shop, member)).toEqual({ '2025-03-11': 30 })
    await runUntil(shop, '2025-03-12T04:59:00.000Z')
    expect(await balanceOf(shop, member.code)).toBe(30)
    await runUntil(shop, '2025-03-12T05:00:00.000Z')
    expect(await balanceOf(shop, member.code)).toBe(0)
  })

  test('is closed without events when it is empty', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-10T10:00:00.000Z')
    const { member } = await newSaver(shop)
    await addPoints(shop, member.code, 30, on('2025-03-11'))
    await addPoints(shop, member.code, -30)
    expect(await buckets(shop, member)).toEqual({ '2025-03-11': 0 })
    expect((await card(shop, member.code)).loyalty_card).toEqual({ points: 30, balance: 0, subtracted_points: 30 })
    await runUntil(shop, '2025-03-12T00:00:00.000Z')
    expect(await buckets(shop, member)).toEqual({})
    expect(await movements(shop, member.code)).toEqual(['POINTS_ADDITION 30', 'POINTS_REMOVAL -30'])
    expect(await emittedEvents(shop, '%points_expired')).toEqual([])
  })

  test('cannot be spent, even before the daily job has run', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-10T10:00:00.000Z')
    const { program, member } = await newSaver(shop)
    await addPoints(shop, member.code, 30, on('2025-03-11'))
    const reward = await newMaterial(shop)
    await assign(shop, program, reward, 30)
    shop.service.clock.set('2025-03-12T00:00:01.000Z')
    const answer = await shop.call('POST', `/v1/loyalties/members/${member.code}/redemption`, {
      reward: { id: reward.id },
    })
    expect(answer).toMatchObject({ status: 400, body: { key: 'loyalty_card_points_exceeded' } })
  })

  test('ends the tier that depended on it', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-10T10:00:00.000Z')
    const { program, member } = await newSaver(shop)
    await newTiers(shop, program, { Bronze: [0, 99], Silver: [100] })
    await runDailyLoyaltyJob(shop)
    await addPoints(shop, member.code, 100, on('2025-03-11'))
    await runUntil(shop, '2025-03-12T00:00:00.000Z')
    expect(await tierChanges(shop)).toEqual(['joined Bronze', 'upgraded Bronze → Silver', 'downgraded Silver → Bronze'])
    expect((await ok(shop, 'GET', '/v1/customers/ann')).loyalty.points).toBe(0)
  })

  test('is processed after activation and automatic redemption of the same day', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-06T10:00:00.000Z')
    const { program, member } = await newSaver(shop)
    await newEarningRules(shop, program, fixed(40, inDays(3)))
    await assign(shop, program, await newMaterial(shop), 100, { auto_redeem: true })
    await payOrder(shop, 'ann')
    await addPoints(shop, member.code, 70, on('2025-03-08'))
    await runUntil(shop, '2025-03-09T00:00:00.000Z')
    expect(await movements(shop, member.code)).toEqual([
      'POINTS_ADDITION 70',
      'PENDING_POINTS_ACTIVATION 40',
      'POINTS_REDEMPTION -100',
    ])
    expect(await balanceOf(shop, member.code)).toBe(10)
  })

  test('expires once for each of many members', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-10T10:00:00.000Z')
    const program = await newProgram(shop)
    const codes: string[] = []
    for (let index = 0; index < 5; index += 1) {
      const { code } = await newMember(shop, program, `m-${index}`)
      await addPoints(shop, code, 10 + index, on('2025-03-11'))
      codes.push(code)
    }
    await runUntil(shop, '2025-03-12T00:00:00.000Z')
    await runDailyLoyaltyJob(shop)
    const { data } = await ok(shop, 'GET', `/v1/loyalties/${program.id}/transactions?limit=100`)
    const expired = data.filter(({ type }: { type: string }) => type === 'POINTS_EXPIRATION')
    expect(
      expired.map(({ details }: { details: { balance: { points: number } } }) => -details.balance.points).sort(),
    ).toEqual(codes.map((_, index) => 10 + index))
  })
})

describe('a refund', () => {
  test('returns points to their buckets; points expired in the meantime get a new date', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-10T10:00:00.000Z')
    const { program, member } = await newSaver(shop, { expiration_rules: aMonth })
    await addPoints(shop, member.code, 30, on('2025-03-11'))
    await addPoints(shop, member.code, 50, on('2025-05-01'))
    await addPoints(shop, member.code, 100, forEver)
    const reward = await newMaterial(shop)
    await assign(shop, program, reward, 90)
    const { id } = await redeemedReward(shop, member.code, { id: reward.id })
    expect(await buckets(shop, member)).toEqual({ '2025-03-11': 0, '2025-05-01': 0, never: 90 })
    await runUntil(shop, '2025-03-20T10:00:00.000Z')
    expect(await rollBack(shop, id)).toMatchObject({ status: 200 })
    expect(await buckets(shop, member)).toEqual({ '2025-04-20': 30, '2025-05-01': 50, never: 100 })
    expect((await card(shop, member.code)).loyalty_card).toEqual({
      points: 180,
      balance: 180,
      next_expiration_date: '2025-04-20',
      next_expiration_points: 30,
    })
    await runUntil(shop, '2025-06-01T00:00:00.000Z')
    expect(await buckets(shop, member)).toEqual({ never: 100 })
    expect((await card(shop, member.code)).loyalty_card).toEqual({ points: 180, balance: 100, expired_points: 80 })
  })
})

test('the open buckets always add up to the balance', async () => {
  const shop = await newProject()
  shop.service.clock.set('2025-03-10T10:00:00.000Z')
  const { program, member } = await newSaver(shop, { points: 25, expiration_rules: aMonth })
  const other = await newMember(shop, program, 'bob')
  await newEarningRules(shop, program, fixed(40), fixed(13, inDays(2)))
  const reward = await newMaterial(shop)
  await assign(shop, program, reward, 33)
  const taken: string[] = []
  const steps: Array<() => Promise<unknown>> = [
    () => payOrder(shop, 'ann'),
    () => addPoints(shop, member.code, 7, on('2025-03-11')),
    async () => taken.push((await redeemedReward(shop, member.code, { id: reward.id })).id),
    () => runUntil(shop, '2025-03-13T00:00:00.000Z'),
    () => addPoints(shop, member.code, -11),
    () => rollBack(shop, taken[0] as string),
    () =>
      ok(shop, 'POST', `/v1/loyalties/${program.id}/members/${other.code}/transfers`, [
        { code: member.code, points: 20 },
      ]),
    () => runUntil(shop, '2025-05-01T00:00:00.000Z'),
  ]
  for (const [index, step] of steps.entries()) {
    await step()
    for (const one of [member, other]) {
      const { loyalty_card, redemption } = await card(shop, one.code)
      const { points, balance, expired_points = 0, subtracted_points = 0 } = loyalty_card
      const open = Object.values(await buckets(shop, one)) as number[]
      expect(
        open.reduce((sum, amount) => sum + amount, 0),
        `step ${index}`,
      ).toBe(balance)
      expect(points - expired_points - subtracted_points - redemption.redeemed_points, `step ${index}`).toBe(balance)
    }
  }
  await expectNoGaps(shop, member.code, 25)
  await expectNoGaps(shop, other.code, 25)
  const { customers } = await ok(shop, 'GET', '/v1/customers?order=source_id')
  const known = customers.map(({ loyalty }: { loyalty: { points: number } }) => loyalty.points)
  expect(known).toEqual([await balanceOf(shop, member.code), await balanceOf(shop, other.code)])
})
