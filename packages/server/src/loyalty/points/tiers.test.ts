import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import {
  addPoints,
  assign,
  card,
  emittedEvents,
  fixed,
  inDays,
  inPeriod,
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
  tierLasting,
  tierName,
  tierOf,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'

/* How tiers are gained and lost: docs/reference/loyalty-tiers.md#rank-and-ranges. */

/** The tier after each change of the balance. */
async function tiersAfter(shop: Shop, code: string, ...changes: number[]): Promise<Array<string | null>> {
  const names: Array<string | null> = []
  for (const change of changes) {
    await addPoints(shop, code, change)
    names.push(await tierName(shop, code))
  }
  return names
}

describe('by the balance', () => {
  test('a balance in a gap or above the last range has no tier', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await newTiers(shop, program, { Silver: [100, 199], Gold: [300, 399] })
    const { code } = await newMember(shop, program, 'ann')
    expect(await tierOf(shop, code)).toBeNull()
    expect(await tiersAfter(shop, code, 99, 1, 99, 1, 100, 99, 1)).toEqual([
      null,
      'Silver',
      'Silver',
      null,
      'Gold',
      'Gold',
      null,
    ])
    expect(await tierChanges(shop)).toEqual(['joined Silver', 'left Silver', 'joined Gold', 'left Gold'])
  })

  test('the open range covers what no other does, and ranks below all others', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await newTiers(shop, program, { Base: [], Silver: [100, 199] })
    const { code } = await newMember(shop, program, 'ann')
    expect(await tierName(shop, code)).toBe('Base')
    expect(await tiersAfter(shop, code, 100, 100)).toEqual(['Silver', 'Base'])
    expect(await tierChanges(shop)).toEqual(['joined Base', 'upgraded Base → Silver', 'downgraded Silver → Base'])
  })

  test('a publication, initial points, an earned order and joining all assign a tier', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { points: 100, auto_join: true })
    await newTiers(shop, program, { Silver: [100, 149], Gold: [150] })
    await newEarningRules(shop, program, fixed(50))
    const { voucher } = await ok(shop, 'POST', '/v1/publications', {
      campaign: program.name,
      customer: { source_id: 'ann' },
    })
    expect(await tierName(shop, voucher.code)).toBe('Silver')
    await payOrder(shop, 'ann')
    await payOrder(shop, 'bob')
    expect(await tierChanges(shop, 'ann')).toEqual(['joined Silver', 'upgraded Silver → Gold'])
    // Bob's card is published before its points: the tier of 100, then that of 150 points.
    expect((await tierChanges(shop, 'bob')).at(-1)).toMatch(/Gold$/)
  })

  test('the tier of a member contains its start', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-14T11:00:00.000Z')
    const program = await newProgram(shop, tierLasting('P3M', { type: 'MONTH' }))
    const { Silver } = await newTiers(shop, program, { Silver: [250, 999] })
    const member = await newMember(shop, program, 'ann')
    await addPoints(shop, member.code, 300)
    const list = await ok(shop, 'GET', `/v1/loyalties/members/${member.code}/tiers`)
    expect(list).toEqual({
      object: 'list',
      data_ref: 'data',
      data: [
        {
          ...Silver,
          expiration: {
            customer_id: member.holder_id,
            campaign_id: program.id,
            tier_id: Silver.id,
            start_date: '2025-03-14',
            expiration_date: '2025-06-30',
            created_at: expect.stringMatching(/^2025-03-14T11:00:/),
          },
        },
      ],
      total: 1,
    })
  })
})

describe('with a period of its own', () => {
  test('a lower balance takes effect on the date, a higher one at once, and without a matching tier the member leaves', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-01-31T10:00:00.000Z')
    const program = await newProgram(shop, tierLasting('P1M'))
    await newTiers(shop, program, { Silver: [100, 199], Gold: [200] })
    const ann = await newMember(shop, program, 'ann')
    expect(await tiersAfter(shop, ann.code, 100)).toEqual(['Silver'])
    expect((await tierOf(shop, ann.code)).expiration.expiration_date).toBe('2025-02-28')
    shop.service.clock.set('2025-02-10T10:00:00.000Z')
    expect(await tiersAfter(shop, ann.code, 100, -100, -100)).toEqual(['Gold', 'Gold', 'Gold'])
    expect((await tierOf(shop, ann.code)).expiration).toMatchObject({
      start_date: '2025-02-10',
      expiration_date: '2025-03-10',
    })
    await runUntil(shop, '2025-03-10T23:59:59.000Z')
    expect(await tierName(shop, ann.code)).toBe('Gold')
    await runUntil(shop, '2025-03-11T00:00:00.000Z')
    expect(await tierChanges(shop)).toEqual(['joined Silver', 'upgraded Silver → Gold', 'left Gold'])
  })

  test("in days of the project's time zone, and a late daily job gives the same result", async () => {
    const shop = await newProject({ project: { timezone: 'Europe/Warsaw' } })
    shop.service.clock.set('2025-06-01T22:30:00.000Z') // 2 June in Warsaw
    const program = await newProgram(shop, tierLasting('P7D'))
    await newTiers(shop, program, { Silver: [100] })
    const { code } = await newMember(shop, program, 'ann')
    await addPoints(shop, code, 100)
    expect((await tierOf(shop, code)).expiration).toMatchObject({
      start_date: '2025-06-02',
      expiration_date: '2025-06-09',
    })
    await runUntil(shop, '2025-06-09T21:59:00.000Z')
    expect(await tierChanges(shop)).toEqual(['joined Silver'])
    await runUntil(shop, '2025-06-09T22:00:00.000Z')
    expect((await tierOf(shop, code)).expiration).toMatchObject({
      start_date: '2025-06-02',
      expiration_date: '2025-06-17', // seven days from the day after the old one
    })
    await runUntil(shop, '2025-07-04T00:00:00.000Z')
    expect((await tierOf(shop, code)).expiration.expiration_date).toBe('2025-07-11')
    expect(await tierChanges(shop)).toEqual([
      'joined Silver',
      'prolonged Silver',
      'prolonged Silver',
      'prolonged Silver',
      'prolonged Silver',
    ])
  })
})

describe('by points collected in a period', () => {
  test('only credits count, and upper limits do not', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-05-10T10:00:00.000Z')
    const program = await newProgram(shop, { points: 500, ...inPeriod('MONTH', 'IMMEDIATE', 'END_OF_PERIOD') })
    await newTiers(shop, program, { Silver: [100, 199], Gold: [300, 399] })
    await newEarningRules(shop, program, fixed(100), fixed(50, inDays(1)))
    const reward = await newMaterial(shop)
    await assign(shop, program, reward, 400)
    const { code } = await newMember(shop, program, 'ann')
    expect(await tierOf(shop, code)).toBeNull() // initial points are no credit
    await payOrder(shop, 'ann')
    expect(await tierName(shop, code)).toBe('Silver')
    expect(await tiersAfter(shop, code, -100, 50)).toEqual(['Silver', 'Silver'])
    await redeemedReward(shop, code, { id: reward.id })
    expect(await tiersAfter(shop, code, 99)).toEqual(['Silver']) // 249 now, in a gap: the highest tier reached counts
    await runUntil(shop, '2025-05-11T00:00:00.000Z')
    expect(await tierName(shop, code)).toBe('Silver')
    expect(await tiersAfter(shop, code, 1, 500)).toEqual(['Gold', 'Gold']) // the 50 pending points count when they are activated
    expect((await tierOf(shop, code)).expiration.expiration_date).toBe('2025-05-31')
    await runUntil(shop, '2025-06-01T00:00:00.000Z')
    expect(await tierChanges(shop)).toEqual(['joined Silver', 'upgraded Silver → Gold', 'left Gold'])
  })

  test('transferred points do not count as collected', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-05-10T10:00:00.000Z')
    const program = await newProgram(shop, inPeriod('MONTH', 'IMMEDIATE', 'END_OF_PERIOD'))
    await newTiers(shop, program, { Silver: [100] })
    const ann = await newMember(shop, program, 'ann')
    const bob = await newMember(shop, program, 'bob')
    await addPoints(shop, ann.code, 100)
    const path = `/v1/loyalties/${program.id}/members/${bob.code}/transfers`
    await ok(shop, 'POST', path, [{ code: ann.code, points: 100 }])
    expect([await tierName(shop, ann.code), await tierName(shop, bob.code)]).toEqual(['Silver', null])
  })

  test('qualifying again in a later period prolongs the tier at once', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-10T10:00:00.000Z')
    const program = await newProgram(shop, inPeriod('MONTH', 'IMMEDIATE', 'END_OF_PERIOD', 'P7D'))
    await newTiers(shop, program, { Bronze: [0, 99], Silver: [100] })
    const { code } = await newMember(shop, program, 'ann')
    await addPoints(shop, code, 100)
    await addPoints(shop, code, 100) // in the same period: no change
    await runUntil(shop, '2025-04-05T10:00:00.000Z')
    expect(await tiersAfter(shop, code, 99)).toEqual(['Silver'])
    expect((await tierOf(shop, code)).expiration.expiration_date).toBe('2025-04-07')
    await addPoints(shop, code, 1)
    expect((await tierOf(shop, code)).expiration).toMatchObject({
      start_date: '2025-03-10',
      expiration_date: '2025-05-07',
    })
    await runUntil(shop, '2025-05-08T00:00:00.000Z')
    expect(await tierChanges(shop)).toEqual([
      'joined Bronze',
      'upgraded Bronze → Silver',
      'prolonged Silver',
      'downgraded Silver → Bronze',
    ])
  })

  test('months are added at the end of a month, and a tier from 0 never ends', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-02-10T10:00:00.000Z')
    const program = await newProgram(shop, inPeriod('MONTH', 'IMMEDIATE', 'END_OF_PERIOD', 'P1M'))
    await newTiers(shop, program, { Bronze: [0, 99], Silver: [100] })
    const { code } = await newMember(shop, program, 'ann')
    expect((await tierOf(shop, code)).expiration).not.toHaveProperty('expiration_date')
    await addPoints(shop, code, 100)
    expect((await tierOf(shop, code)).expiration.expiration_date).toBe('2025-03-31')
  })

  test('for the next period: a scheduled tier is hidden, and a member who qualifies again keeps it', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-01-10T10:00:00.000Z')
    const program = await newProgram(shop, inPeriod('QUARTER', 'NEXT_PERIOD', 'END_OF_PERIOD'))
    await newTiers(shop, program, { Silver: [100, 499], Gold: [500] })
    const { code } = await newMember(shop, program, 'ann')
    expect(await tiersAfter(shop, code, 100)).toEqual([null])
    expect(await ok(shop, 'GET', `/v1/loyalties/members/${code}/tiers`)).toMatchObject({ data: [], total: 0 })
    await runUntil(shop, '2025-04-01T00:00:00.000Z')
    expect(await tierOf(shop, code)).toMatchObject({
      name: 'Silver',
      expiration: { start_date: '2025-04-01', expiration_date: '2025-06-30' },
    })
    shop.service.clock.set('2025-05-01T10:00:00.000Z')
    expect(await tiersAfter(shop, code, 100)).toEqual(['Silver'])
    await runUntil(shop, '2025-07-01T00:00:00.000Z')
    expect((await tierOf(shop, code)).expiration.expiration_date).toBe('2025-09-30')
    await runUntil(shop, '2025-10-01T00:00:00.000Z')
    expect(await tierChanges(shop)).toEqual(['joined Silver', 'prolonged Silver', 'left Silver'])
  })
})

describe('when the program changes', () => {
  test('new tiers move members up and down, but tiers with a date only up', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-01-10T10:00:00.000Z')
    const free = await newProgram(shop)
    const dated = await newProgram(shop, tierLasting('P1Y'))
    const cards: Record<string, string> = {}
    for (const [name, program] of [
      ['free', free],
      ['dated', dated],
    ] as const) {
      await newTiers(shop, program, { Silver: [100, 199] })
      for (const [who, points] of [
        ['low', 50],
        ['mid', 150],
        ['high', 250],
      ] as const) {
        const { code } = await newMember(shop, program, `${name}-${who}`)
        await addPoints(shop, code, points)
        cards[`${name}-${who}`] = code
      }
      await newTiers(shop, program, { Gold: [200] })
      await runDailyLoyaltyJob(shop)
    }
    const names: Record<string, string | null> = {}
    for (const [who, code] of Object.entries(cards)) names[who] = await tierName(shop, code)
    expect(names).toEqual({
      'free-low': null,
      'free-mid': 'Silver',
      'free-high': 'Gold',
      'dated-low': null,
      'dated-mid': 'Silver',
      'dated-high': 'Gold',
    })
    expect(await tierChanges(shop, 'dated-high')).toEqual(['joined Gold'])
    // The member of Silver keeps it for its year: a new tier below moves no member down, and moves up the member without a tier.
    await addPoints(shop, cards['dated-mid'] as string, -100)
    await newTiers(shop, dated, { Bronze: [0, 99] })
    await runDailyLoyaltyJob(shop)
    expect(await tierName(shop, cards['dated-mid'] as string)).toBe('Silver')
    expect(await tierName(shop, cards['dated-low'] as string)).toBe('Bronze')
  })

  test('new settings change dates only if recalculation is requested, and end no tier', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-01-10T10:00:00.000Z')
    const program = await newProgram(shop, tierLasting('P1M'))
    const { Silver } = await newTiers(shop, program, { Silver: [100] })
    const { code } = await newMember(shop, program, 'ann')
    await addPoints(shop, code, 100)
    await addPoints(shop, code, -100)
    const put = async (settings: object, options?: object) => {
      await ok(shop, 'PUT', `/v1/loyalties/${program.id}`, { ...settings, ...(options && { options }) })
      await runDailyLoyaltyJob(shop)
      return (await tierOf(shop, code)).expiration.expiration_date
    }
    shop.service.clock.set('2025-01-20T10:00:00.000Z')
    expect(await put(tierLasting('P2M'))).toBe('2025-02-10')
    expect(await put(tierLasting('P2M'), { recalculate_tiers: false })).toBe('2025-02-10')
    expect(await put(tierLasting('P3M'), { recalculate_tiers: true })).toBe('2025-04-10')
    expect(await put(tierLasting('P3M'), { recalculate_tiers: true })).toBe('2025-04-10')
    const changed = await emittedEvents(shop, 'customer.loyalty.tier.expiration.changed')
    expect(changed.map(({ data }) => [data.loyalty_tier.id, data.expiration_date])).toEqual([[Silver.id, '2025-04-10']])
    expect((await tierOf(shop, code)).expiration.updated_at).toMatch(/^2025-01-20T10:/)
  })

  test('deleted rules and rewards are removed from tiers, but stay in the history', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { points: 100 })
    const [gone, kept] = await newEarningRules(shop, program, fixed(10), fixed(5, inDays(3)))
    const [mug, cup] = [await newMaterial(shop), await newMaterial(shop)]
    const [byAssignment, byReward] = [await assign(shop, program, mug, 10), await assign(shop, program, cup, 10)]
    const times = { type: 'MULTIPLY', multiplier: 2 }
    const { Base } = await newTiers(
      shop,
      program,
      { Base: [0] },
      {
        Base: {
          earning_rules: { [gone.id]: times, [kept.id]: times },
          rewards: { [byAssignment.id]: times, [cup.id]: times },
        },
      },
    )
    const { code } = await newMember(shop, program, 'ann')
    await payOrder(shop, 'ann')
    const { id } = await redeemedReward(shop, code, { id: mug.id })
    for (const path of [`earning-rules/${gone.id}`, `rewards/${byAssignment.id}`, `rewards/${byReward.id}`])
      expect(await shop.call('DELETE', `/v1/loyalties/${program.id}/${path}`)).toMatchObject({ status: 204 })
    const left = await ok(shop, 'GET', `/v1/loyalties/${program.id}/tiers/${Base.id}`)
    expect([left.earning_rules, left.rewards]).toEqual([{ [kept.id]: times }, {}])
    expect((await tierOf(shop, code)).earning_rules).toEqual({ [kept.id]: times })
    expect((await card(shop, code)).loyalty_card).toEqual({ points: 120, balance: 100, pending_points: 10 })
    expect(await ok(shop, 'GET', `/v1/redemptions/${id}`)).toMatchObject({ amount: 20, status: 'SUCCEEDED' })
  })

  test('deleting a card ends its tier, and its pending points are canceled without events', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { points: 100 })
    await newTiers(shop, program, { Silver: [100] })
    await newEarningRules(shop, program, fixed(10, inDays(3)))
    const { code, holder_id } = await newMember(shop, program, 'ann')
    await payOrder(shop, 'ann')
    expect((await ok(shop, 'GET', '/v1/customers/ann')).loyalty.points).toBe(100)
    expect(await shop.call('DELETE', `/v1/vouchers/${code}`)).toMatchObject({ status: 204 })
    expect(await tierChanges(shop)).toEqual(['joined Silver', 'left Silver'])
    expect(await emittedEvents(shop, '%pending_points.canceled')).toEqual([])
    expect(await emittedEvents(shop, 'voucher.deleted')).toHaveLength(1)
    expect((await emittedEvents(shop, 'customer.voucher.deleted')).map(({ entity_id }) => entity_id)).toEqual([
      holder_id,
    ])
    expect(await shop.call('GET', `/v1/loyalties/members/${code}/tiers`)).toMatchObject({ status: 404 })
    expect((await ok(shop, 'GET', `/v1/loyalties/${program.id}/pending-points`)).data).toEqual([])
    expect((await ok(shop, 'GET', '/v1/customers/ann')).loyalty).toMatchObject({ points: 0 })
  })
})

test('the customer contains the points and tiers of all cards, and each change emits an event', async () => {
  const shop = await newProject()
  const one = await newProgram(shop, { points: 10 })
  const two = await newProgram(shop)
  const { Silver } = await newTiers(shop, one, { Silver: [100] })
  const first = await newMember(shop, one, 'ann')
  const second = await newMember(shop, two, 'ann')
  await addPoints(shop, first.code, 90)
  await addPoints(shop, second.code, 5)
  const loyalty = {
    points: 105,
    referred_customers: 0,
    campaigns: {
      [one.name]: { points: 100, loyalty_tier: Silver.id, referred_customers: 0 },
      [two.name]: { points: 5, referred_customers: 0 },
    },
  }
  expect((await ok(shop, 'GET', '/v1/customers/ann')).loyalty).toEqual(loyalty)
  const updates = await emittedEvents(shop, 'customer.loyalty.updated')
  expect(updates.at(-1)?.data).toMatchObject({ campaign: { id: two.id }, customer: { source_id: 'ann' }, loyalty })
  expect(Object.keys(updates[0]?.data).sort()).toEqual(['campaign', 'created_at', 'customer', 'loyalty'])
  await addPoints(shop, first.code, -50)
  expect((await ok(shop, 'GET', '/v1/customers/ann')).loyalty).toEqual({
    ...loyalty,
    points: 55,
    campaigns: { ...loyalty.campaigns, [one.name]: { points: 50, referred_customers: 0 } },
  })
  expect(await card(shop, first.code)).toMatchObject({ loyalty_card: { balance: 50 } })
})
