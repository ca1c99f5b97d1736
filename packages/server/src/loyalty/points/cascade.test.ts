import { describe, expect, test } from 'vitest'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import { inTransaction } from '../../core/db/transaction.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import { amountOff, redeemed, rollBack, voucher, vouchers } from '../../testing/checkout.ts'
import { askOf } from '../../testing/ledger-actions.ts'
import { auditLedger } from '../../testing/ledger-audit.ts'
import {
  addPoints,
  assign,
  balanceOf,
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
  onDrop,
  payOrder,
  pendingOf,
  redeemedReward,
  redeemReward,
  runUntil,
  tierChanges,
  tierOf,
  transactions,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'

/*
 * Cascades (docs/reference/earning-rules.md#from-event-to-points): from card to card, from program to program, and over overdue
 * days.
 */

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const on = (expirationDate: string) => ({ expiration_type: 'CUSTOM_DATE', expiration_date: expirationDate })

/** A rule that pays for a change of tier. */
const forTier = (turn: 'joined' | 'left' | 'upgraded', { id }: { id: string }, points: number) =>
  fixed(points, { event: `customer.loyalty.tier.${turn}`, loyalty_tier: { id } })

/** A shop whose clock is at 10:00 on 1 April 2025. */
async function newShop(): Promise<Shop> {
  const shop = await newProject()
  shop.service.clock.set('2025-04-01T10:00:00.000Z')
  return shop
}

/** A reward that credits points on the card of a program. */
const pointsOf = (shop: Shop, { id }: { id: string }, balance: number): Promise<Body> =>
  newLoyaltyReward(shop, { campaign: { id, balance } })

const expectAudited = async (shop: Shop): Promise<void> =>
  expect(await auditLedger(askOf(shop), shop.project_id)).toEqual([])

/** Transactions with their time, such as `2025-04-05T00:00 POINTS_ACCRUAL 50 → 110`. */
const dated = async (shop: Shop, code: string): Promise<string[]> =>
  (await transactions(shop, code)).map(
    ({ created_at, type, details: { balance } }) =>
      `${created_at.slice(0, 16)} ${type} ${balance.points} → ${balance.balance}`,
  )

const membersOf = async (shop: Shop, { id }: { id: string }, sourceId: string): Promise<Body[]> =>
  (await ok(shop, 'GET', `/v1/loyalties/${id}/members?customer=${sourceId}`)).vouchers

const cardIn = async (shop: Shop, program: { id: string }, sourceId = 'ann'): Promise<string> => {
  const members = await membersOf(shop, program, sourceId)
  expect(members).toHaveLength(1)
  return members[0].code
}

const loyaltyOf = async (shop: Shop, sourceId = 'ann'): Promise<Body> =>
  (await ok(shop, 'GET', `/v1/customers/${sourceId}`)).loyalty

const punctual = ['02', '03', '04', '05', '06', '07', '08'].map((day) => `2025-04-${day}T00:00:05.000Z`)
const late = ['2025-04-08T00:00:05.000Z']

describe('a reward that credits points on another card', () => {
  test.each([
    ['first the mug', false, false],
    ['first the points', true, false],
    ['first the mug, with an overdue day', false, true],
    ['first the points, with an overdue day', true, true],
  ])('is redeemed together with a mug from the same card in one request: %s', async (_, isReversed, isDue) => {
    const shop = await newShop()
    const [paying, topping] = [await newProgram(shop), await newProgram(shop)]
    const mug = await newMaterial(shop)
    const topUp = await pointsOf(shop, paying, 40)
    await assign(shop, paying, mug, 100)
    await assign(shop, topping, topUp, 30)
    const a = await newMember(shop, paying, 'ann')
    const c = await newMember(shop, topping, 'ann')
    await addPoints(shop, a.code, 150)
    await addPoints(shop, c.code, 50)
    if (isDue) {
      await addPoints(shop, a.code, 20, on('2025-04-02'))
      shop.service.clock.set('2025-04-04T10:00:00.000Z')
    }
    const redeemables = [voucher(a.code, { reward: { id: mug.id } }), voucher(c.code, { reward: { id: topUp.id } })]
    const { redemptions } = await redeemed(shop, {
      redeemables: isReversed ? redeemables.reverse() : redeemables,
      customer: { source_id: 'ann' },
    })
    expect(redemptions.map(({ result }: Body) => result)).toEqual(['SUCCESS', 'SUCCESS'])
    expect(await movements(shop, a.code)).toEqual([
      'POINTS_ADDITION 150',
      ...(isDue ? ['POINTS_ADDITION 20', 'POINTS_EXPIRATION -20'] : []),
      'POINTS_REDEMPTION -100',
      'POINTS_ADDITION 40',
    ])
    expect(await movements(shop, c.code)).toEqual(['POINTS_ADDITION 50', 'POINTS_REDEMPTION -30'])
    await expectAudited(shop)
  })

  test.each([
    ['nothing', false],
    ['something', true],
  ])('makes the customer join, which earns points on the paying card; %s is due on it', async (_, isDue) => {
    const shop = await newShop()
    const [paying, other] = [await newProgram(shop), await newProgram(shop)]
    const { Base } = await newTiers(shop, other, { Base: [0] })
    await newEarningRules(shop, paying, forTier('joined', Base, 5))
    const reward = await pointsOf(shop, other, 40)
    await assign(shop, paying, reward, 30)
    const { code } = await newMember(shop, paying, 'ann')
    await addPoints(shop, code, 50)
    if (isDue) {
      await addPoints(shop, code, 7, on('2025-04-02'))
      shop.service.clock.set('2025-04-04T10:00:00.000Z')
    }
    await redeemedReward(shop, code, { id: reward.id })
    expect(await movements(shop, code)).toEqual([
      'POINTS_ADDITION 50',
      ...(isDue ? ['POINTS_ADDITION 7', 'POINTS_EXPIRATION -7'] : []),
      'POINTS_REDEMPTION -30',
      'POINTS_ACCRUAL 5',
    ])
    expect(await movements(shop, await cardIn(shop, other))).toEqual(['POINTS_ADDITION 40'])
    expect(await tierChanges(shop)).toEqual(['joined Base'])
    await expectAudited(shop)
  })

  test.each([
    ['a member of the other program', true],
    ['a customer who is no member of it', false],
  ])('is redeemed automatically at midnight, for %s; other members are processed, too', async (_, isMember) => {
    const shop = await newShop()
    const [paying, other] = [await newProgram(shop), await newProgram(shop)]
    await assign(shop, paying, await pointsOf(shop, other, 70), 100, { auto_redeem: true })
    await newEarningRules(shop, paying, fixed(60, inDays(4)))
    const ann = await newMember(shop, paying, 'ann')
    const bob = await newMember(shop, paying, 'bob')
    if (isMember) await newMember(shop, other, 'ann')
    await addPoints(shop, ann.code, 50, on('2025-04-04'))
    await addPoints(shop, bob.code, 30, on('2025-04-04'))
    await payOrder(shop, 'ann')
    await runUntil(shop, '2025-04-05T00:00:05.000Z')
    expect(await dated(shop, ann.code)).toEqual([
      '2025-04-01T10:00 POINTS_ADDITION 50 → 50',
      '2025-04-05T00:00 PENDING_POINTS_ACTIVATION 60 → 110',
      '2025-04-05T00:00 POINTS_REDEMPTION -100 → 10',
    ])
    expect(await dated(shop, await cardIn(shop, other))).toEqual(['2025-04-05T00:00 POINTS_ADDITION 70 → 70'])
    expect(await dated(shop, bob.code)).toEqual([
      '2025-04-01T10:00 POINTS_ADDITION 30 → 30',
      '2025-04-05T00:00 POINTS_EXPIRATION -30 → 0',
    ])
    await expectAudited(shop)
  })

  test('is redeemed automatically after a paid order, makes the customer join, and joining pays on the first card', async () => {
    const shop = await newShop()
    const [paying, other] = [await newProgram(shop), await newProgram(shop)]
    const { Base } = await newTiers(shop, other, { Base: [0] })
    await newEarningRules(shop, paying, fixed(120), forTier('joined', Base, 15))
    await assign(shop, paying, await pointsOf(shop, other, 40), 100, { auto_redeem: true })
    const { code } = await newMember(shop, paying, 'ann')
    await payOrder(shop, 'ann')
    expect(await movements(shop, code)).toEqual(['POINTS_ACCRUAL 120', 'POINTS_REDEMPTION -100', 'POINTS_ACCRUAL 15'])
    expect(await movements(shop, await cardIn(shop, other))).toEqual(['POINTS_ADDITION 40'])
    await expectAudited(shop)
  })
})

test('configuration of a rolled back transaction is not cached', async () => {
  const shop = await newShop()
  const { configurations, database } = shop.service.runtime
  const { project_id } = shop
  await newProgram(shop)
  let undone = 0
  const work = inTransaction(database.db, async (db) => {
    undone = await nextConfigurationVersion(db, project_id)
    expect((await configurations.atLeast(db, project_id, undone)).version).toBe(undone)
    throw new Error('refused after all')
  })
  await expect(work).rejects.toThrow('refused after all')
  expect(configurations.cached(project_id).version).toBeLessThan(undone)
  const { id } = await newProgram(shop) // with the same configuration version
  const { campaigns, version } = await configurations.atLeast(database.db, project_id, undone)
  expect([version, campaigns.has(id)]).toEqual([undone, true])
})

describe('a card that can hold no more', () => {
  const most = Number.MAX_SAFE_INTEGER

  test('earns nothing by an order, and the order is paid all the same', async () => {
    const shop = await newShop()
    const program = await newProgram(shop)
    await newEarningRules(shop, program, fixed(20), fixed(20, inDays(3)), fixed(4))
    const { code } = await newMember(shop, program, 'ann')
    await addPoints(shop, code, most - 10)
    expect(await payOrder(shop, 'ann')).toMatchObject({ status: 'PAID' })
    // Points that still fit are credited.
    expect(await movements(shop, code)).toEqual([`POINTS_ADDITION ${most - 10}`, 'POINTS_ACCRUAL 4'])
    expect(await pendingOf(shop, code)).toEqual([])
    await expectAudited(shop)
  })

  test('gets no pending points; its other due changes are applied', async () => {
    const shop = await newShop()
    const program = await newProgram(shop)
    await newEarningRules(shop, program, fixed(20, inDays(3)), fixed(4, inDays(3)))
    const ann = await newMember(shop, program, 'ann')
    const bob = await newMember(shop, program, 'bob')
    await payOrder(shop, 'ann')
    await payOrder(shop, 'bob')
    await addPoints(shop, ann.code, most - 10)
    await runUntil(shop, '2025-04-04T00:00:05.000Z')
    expect(await movements(shop, ann.code)).toEqual([`POINTS_ADDITION ${most - 10}`, 'PENDING_POINTS_ACTIVATION 4'])
    expect((await card(shop, ann.code)).loyalty_card.pending_points ?? 0).toBe(0)
    const canceled = await emittedEvents(shop, 'voucher.loyalty\\_card.pending\\_points.canceled')
    expect(canceled).toMatchObject([{ data: { voucher: { code: ann.code } } }])
    expect(await balanceOf(shop, bob.code)).toBe(24)
    await expectAudited(shop)
  })

  test('gets no reward of points, and the reward costs nothing', async () => {
    const shop = await newShop()
    const [paying, full] = [await newProgram(shop), await newProgram(shop)]
    const reward = await pointsOf(shop, full, 40)
    await assign(shop, paying, reward, 10)
    const a = await newMember(shop, paying, 'ann')
    const b = await newMember(shop, full, 'ann')
    await addPoints(shop, a.code, 10)
    await addPoints(shop, b.code, most - 10)
    expect(await redeemReward(shop, a.code, { id: reward.id })).toMatchObject({ status: 400 })
    expect(await movements(shop, a.code)).toEqual(['POINTS_ADDITION 10'])
    expect(await movements(shop, b.code)).toEqual([`POINTS_ADDITION ${most - 10}`])
    await expectAudited(shop)
  })
})

test('a customer does not join if the publication is refused, and the order is paid', async () => {
  const shop = await newShop()
  const definition = { type: 'string', optional: false, array: false, deleted: false }
  const schema = { related_object: 'publication', properties: { desk: definition } }
  expect(await shop.manage('POST', '/metadata-schemas', schema)).toMatchObject({ status: 200 })
  const program = await newProgram(shop, { auto_join: true })
  await newEarningRules(shop, program, fixed(20))
  expect(await payOrder(shop, 'ann')).toMatchObject({ status: 'PAID' })
  expect(await membersOf(shop, program, 'ann')).toEqual([])
  expect(await loyaltyOf(shop)).toMatchObject({ points: 0, campaigns: {} })
  await expectAudited(shop)
})

describe('a daily job that runs days late', () => {
  test('applies due changes in chronological order across cards', async () => {
    const ledgerAfter = async (runTimes: readonly string[]) => {
      const shop = await newShop()
      const [tiered, paid] = [await newProgram(shop, onDrop), await newProgram(shop)]
      const { High } = await newTiers(shop, tiered, { Low: [0, 99], High: [100] })
      await newEarningRules(shop, tiered, fixed(100, inDays(4)))
      await newEarningRules(shop, paid, forTier('upgraded', High, 50))
      const a = await newMember(shop, tiered, 'ann')
      const b = await newMember(shop, paid, 'ann')
      await addPoints(shop, b.code, 60, on('2025-04-02'))
      await payOrder(shop, 'ann')
      for (const runTime of runTimes) await runUntil(shop, runTime)
      await expectAudited(shop)
      return [await dated(shop, a.code), await dated(shop, b.code)]
    }
    const ledger = await ledgerAfter(punctual)
    expect(ledger).toEqual([
      ['2025-04-05T00:00 PENDING_POINTS_ACTIVATION 100 → 100'],
      [
        '2025-04-01T10:00 POINTS_ADDITION 60 → 60',
        '2025-04-03T00:00 POINTS_EXPIRATION -60 → 0',
        '2025-04-05T00:00 POINTS_ACCRUAL 50 → 50',
      ],
    ])
    expect(await ledgerAfter(late)).toEqual(ledger)
  })

  test('counts points collected in the month of the overdue day, even if spent at once', async () => {
    const ledgerAfter = async (runTimes: readonly string[]) => {
      const shop = await newShop()
      const program = await newProgram(shop, inPeriod('MONTH', 'IMMEDIATE', 'END_OF_NEXT_PERIOD'))
      await newTiers(shop, program, { Silver: [100] })
      await newEarningRules(shop, program, fixed(150, inDays(4)))
      await assign(shop, program, await newMaterial(shop), 120, { auto_redeem: true })
      const { code } = await newMember(shop, program, 'ann')
      await payOrder(shop, 'ann')
      for (const runTime of runTimes) await runUntil(shop, runTime)
      await expectAudited(shop)
      const { name, expiration } = (await tierOf(shop, code)) ?? {}
      const { start_date, expiration_date } = expiration ?? {}
      return {
        ledger: await dated(shop, code),
        turns: await tierChanges(shop),
        tier: [name, start_date, expiration_date],
      }
    }
    const secondOfMay = '2025-05-02T00:00:05.000Z'
    const ledger = await ledgerAfter([...punctual, secondOfMay])
    expect(ledger).toEqual({
      ledger: ['2025-04-05T00:00 PENDING_POINTS_ACTIVATION 150 → 150', '2025-04-05T00:00 POINTS_REDEMPTION -120 → 30'],
      turns: ['joined Silver'],
      tier: ['Silver', '2025-04-05', '2025-05-31'],
    })
    expect(await ledgerAfter([secondOfMay])).toEqual(ledger)
  })

  test('dates joining on the overdue day, and emits the events now', async () => {
    const ledgerAfter = async (runTimes: readonly string[]) => {
      const shop = await newShop()
      const [tiered, joined] = [await newProgram(shop, onDrop), await newProgram(shop, { ...onDrop, auto_join: true })]
      const { High } = await newTiers(shop, tiered, { Low: [0, 99], High: [100] })
      await newTiers(shop, joined, { Base: [0] })
      await newEarningRules(shop, tiered, fixed(100, inDays(4)))
      await newEarningRules(shop, joined, forTier('upgraded', High, 50))
      await newMember(shop, tiered, 'ann')
      await payOrder(shop, 'ann')
      for (const runTime of runTimes) await runUntil(shop, runTime)
      await expectAudited(shop)
      const code = await cardIn(shop, joined)
      const { publications } = await ok(shop, 'GET', `/v1/publications?campaign=${joined.name}`)
      const { rows } = await shop.service.runtime.database.execute(
        `select distinct created_at::date::text as day from events
        where project_id = $1 and type in ('publication.succeeded', 'voucher.published', 'customer.loyalty.tier.joined',
          'customer.rewarded.loyalty_points') and created_at > '2025-04-02'`,
        [shop.project_id],
      )
      return {
        ledger: await dated(shop, code),
        tier_since: (await tierOf(shop, code)).expiration.start_date,
        published: publications.map(({ created_at }: Body) => created_at),
        emitted_on: (rows as Array<{ day: string }>).map(({ day }) => day),
      }
    }
    const { emitted_on, ...ledger } = await ledgerAfter(punctual)
    expect([ledger, emitted_on]).toEqual([
      {
        ledger: ['2025-04-05T00:00 POINTS_ACCRUAL 50 → 50'],
        tier_since: '2025-04-05',
        published: ['2025-04-05T00:00:00.000Z'],
      },
      ['2025-04-05'],
    ])
    expect(await ledgerAfter(late)).toEqual({ ...ledger, emitted_on: ['2025-04-08'] })
  })

  test.each([
    ['a card with nothing due', false],
    ['a card created on one of the overdue days', true],
  ])('expires points credited and expired in the meantime on %s, before an order pays on it', async (_, autoJoin) => {
    const ledgerAfter = async (runTimes: readonly string[]) => {
      const shop = await newShop()
      const [tiered, paid] = [await newProgram(shop, onDrop), await newProgram(shop, { auto_join: autoJoin })]
      const { High } = await newTiers(shop, tiered, { Low: [0, 99], High: [100] })
      await newEarningRules(shop, tiered, fixed(100, inDays(4)))
      await newMember(shop, tiered, 'ann')
      await payOrder(shop, 'ann')
      if (!autoJoin) await newMember(shop, paid, 'ann')
      const todayOnly = { expiration_rules: { period_type: 'MONTH', period_value: 0 } }
      await newEarningRules(shop, paid, { ...forTier('upgraded', High, 50), ...todayOnly }, fixed(1))
      for (const runTime of runTimes) await runUntil(shop, runTime)
      shop.service.clock.set('2025-04-08T10:00:00.000Z')
      await payOrder(shop, 'ann') // before the daily job runs
      await expectAudited(shop)
      return dated(shop, await cardIn(shop, paid))
    }
    const ledger = await ledgerAfter(punctual)
    expect(ledger).toEqual([
      '2025-04-05T00:00 POINTS_ACCRUAL 50 → 50',
      '2025-04-06T00:00 POINTS_EXPIRATION -50 → 0',
      '2025-04-08T10:00 POINTS_ACCRUAL 1 → 1',
    ])
    expect(await ledgerAfter([])).toEqual(ledger)
  })

  test('does not change what joining another program pays on a card with due changes', async () => {
    const shop = await newShop()
    const [due, joined] = [await newProgram(shop), await newProgram(shop)]
    const { Base } = await newTiers(shop, joined, { Base: [0] })
    await newEarningRules(shop, due, forTier('joined', Base, 50))
    const { code } = await newMember(shop, due, 'ann')
    await addPoints(shop, code, 60, on('2025-04-02'))
    shop.service.clock.set('2025-04-04T10:00:00.000Z')
    await newMember(shop, joined, 'ann')
    expect(await dated(shop, code)).toEqual([
      '2025-04-01T10:00 POINTS_ADDITION 60 → 60',
      '2025-04-03T00:00 POINTS_EXPIRATION -60 → 0',
      '2025-04-04T10:00 POINTS_ACCRUAL 50 → 50',
    ])
    await expectAudited(shop)
  })

  test('applies overdue changes with the tiers of that day, not with tiers added since', async () => {
    const ledgerAfter = async (runTimes: readonly string[]) => {
      const shop = await newShop()
      const program = await newProgram(shop, onDrop)
      const { Bronze } = await newTiers(shop, program, { Bronze: [0, 99] })
      await newEarningRules(shop, program, fixed(120, inDays(4)), forTier('left', Bronze, 7))
      const { code } = await newMember(shop, program, 'ann')
      await payOrder(shop, 'ann')
      for (const runTime of runTimes) await runUntil(shop, runTime)
      shop.service.clock.set('2025-04-08T10:00:00.000Z')
      await newTiers(shop, program, { Silver: [100] })
      await expectAudited(shop)
      const { expiration } = await tierOf(shop, code)
      return [await dated(shop, code), await tierChanges(shop), expiration.start_date]
    }
    const ledger = await ledgerAfter(punctual)
    expect(ledger).toEqual([
      ['2025-04-05T00:00 PENDING_POINTS_ACTIVATION 120 → 120', '2025-04-05T00:00 POINTS_ACCRUAL 7 → 127'],
      ['joined Bronze', 'left Bronze', 'joined Silver'],
      '2025-04-08',
    ])
    expect(await ledgerAfter([])).toEqual(ledger)
  })
})

test('customer.loyalty.updated contains the balance after automatic redemption', async () => {
  const shop = await newShop()
  const program = await newProgram(shop)
  await newEarningRules(shop, program, fixed(120))
  await assign(shop, program, await newMaterial(shop), 100, { auto_redeem: true })
  const { code } = await newMember(shop, program, 'ann')
  const last = async () => (await emittedEvents(shop, 'customer.loyalty.updated')).at(-1)?.data.loyalty
  await payOrder(shop, 'ann')
  expect(await last()).toMatchObject({ points: 20, campaigns: { [program.name]: { points: 20 } } })
  await addPoints(shop, code, 110)
  expect(await last()).toMatchObject({ points: 30, campaigns: { [program.name]: { points: 30 } } })
  expect(await last()).toEqual(await loyaltyOf(shop))
  await expectAudited(shop)
})

describe('a card that is deleted', () => {
  /** All transactions of a card, also those that the API no longer returns. */
  const allMovements = async (shop: Shop, { id }: { id: string }): Promise<string[]> => {
    const { rows } = await shop.service.runtime.database.execute(
      `select type || ' ' || amount as movement from voucher_transactions
      where project_id = $1 and voucher_id = $2 order by id`,
      [shop.project_id, id],
    )
    return (rows as Array<{ movement: string }>).map(({ movement }) => movement)
  }

  /** Ann has a card with 40 points in a program that every customer joins automatically; leaving its tier pays in both programs. */
  async function newLeaver(otherSettings: object = {}) {
    const shop = await newShop()
    const [left, other] = [await newProgram(shop, { auto_join: true }), await newProgram(shop, otherSettings)]
    const { Base } = await newTiers(shop, left, { Base: [0] })
    await newEarningRules(shop, left, forTier('left', Base, 5))
    await newEarningRules(shop, other, forTier('left', Base, 3))
    const member = await newMember(shop, left, 'ann')
    await addPoints(shop, member.code, 40, on('2025-04-02'))
    return { shop, left, other, member }
  }

  async function expectLeft({ shop, left, other }: Awaited<ReturnType<typeof newLeaver>>): Promise<void> {
    expect((await tierChanges(shop)).filter((turn) => turn.endsWith('Base'))).toEqual(['joined Base', 'left Base'])
    expect(await membersOf(shop, left, 'ann')).toEqual([])
    expect(await movements(shop, await cardIn(shop, other))).toEqual(['POINTS_ACCRUAL 3'])
    const { points, campaigns } = await loyaltyOf(shop)
    expect([points, Object.keys(campaigns)]).toEqual([3, [other.name]])
    expect((await emittedEvents(shop, 'customer.loyalty.updated')).at(-1)?.data.loyalty).toEqual(await loyaltyOf(shop))
    await expectAudited(shop)
  }

  test.each([
    ['pays on another card of its holder', false, '2025-04-01T11:00:00.000Z'],
    ['pays on another card of its holder, with overdue days', false, '2025-04-04T10:00:00.000Z'],
    ['makes its holder join another program', true, '2025-04-01T11:00:00.000Z'],
  ])('leaves its tier once, earns nothing by that, is not replaced, and %s', async (_, autoJoin, at) => {
    const leaver = await newLeaver({ auto_join: autoJoin })
    const { shop, other, member } = leaver
    if (!autoJoin) await newMember(shop, other, 'ann')
    shop.service.clock.set(at)
    expect(await shop.call('DELETE', `/v1/vouchers/${member.code}`)).toMatchObject({ status: 204 })
    expect(await allMovements(shop, member)).toEqual([
      'POINTS_ADDITION 40',
      ...(at > '2025-04-03' ? ['POINTS_EXPIRATION -40'] : []),
    ])
    await expectLeft(leaver)
  })

  test('earns nothing by a tier in a program that its holder joins because of the deletion', async () => {
    const leaver = await newLeaver({ auto_join: true })
    const { shop, left, other, member } = leaver
    const { Entry } = await newTiers(shop, other, { Entry: [0] })
    await newEarningRules(shop, left, forTier('joined', Entry, 9))
    expect(await shop.call('DELETE', `/v1/vouchers/${member.code}`)).toMatchObject({ status: 204 })
    expect(await allMovements(shop, member)).toEqual(['POINTS_ADDITION 40'])
    await expectLeft(leaver)
  })
})

test('a referral rolled back and repeated rewards no customer twice', async () => {
  const shop = await newShop()
  const [forAnna, forBob] = [await newProgram(shop), await newProgram(shop)]
  const coupons = await newCampaign(shop, 'Thanks', { type: 'AUTO_UPDATE' })
  const { id } = await newCampaign(shop, 'Friends', {
    campaign_type: 'REFERRAL_PROGRAM',
    type: 'AUTO_UPDATE',
    voucher: { type: 'DISCOUNT_VOUCHER', discount: amountOff(500), redemption: { quantity: null } },
    referral_program: {
      referee_reward: { type: 'LOYALTY_CARD', amount: 25, related_object_parent: { id: forBob.id } },
    },
  })
  const rewards = [await pointsOf(shop, forAnna, 10), await newLoyaltyReward(shop, { campaign: { id: coupons.id } })]
  for (const [index, reward] of rewards.entries())
    await ok(shop, 'POST', `/v1/referrals/${id}/tiers`, {
      banner: `Tier ${index}`,
      parameters: index === 0 ? { criteria: 'EACH_REFEREE' } : { criteria: 'MIN_REFEREES', min_referees: 1 },
      reward: { id: reward.id },
    })
  const published = await ok(shop, 'POST', '/v1/publications', { campaign: 'Friends', customer: { source_id: 'anna' } })
  const buy = async (): Promise<Body> =>
    (
      await redeemed(shop, {
        redeemables: vouchers(published.voucher.code),
        order: { amount: 5_000 },
        customer: { source_id: 'bob' },
      })
    ).redemptions[0]
  expect(await rollBack(shop, (await buy()).id)).toMatchObject({ status: 200 })
  await buy()
  expect(await movements(shop, await cardIn(shop, forAnna, 'anna'))).toEqual(['POINTS_ADDITION 10'])
  expect(await movements(shop, await cardIn(shop, forBob, 'bob'))).toEqual(['POINTS_ADDITION 25'])
  expect((await ok(shop, 'GET', '/v1/vouchers?campaign=Thanks&customer=anna')).vouchers).toHaveLength(1)
  expect((await loyaltyOf(shop, 'anna')).referred_customers).toBe(1)
  expect((await ok(shop, 'GET', '/v1/customers/bob')).referrals.total).toBe(1)
  await expectAudited(shop)
})
