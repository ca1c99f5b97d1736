import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Answer, newProject, type Shop } from '../../testing/app.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import { amountOff, redeem, redeemed, rollBack, vouchers } from '../../testing/checkout.ts'
import {
  emittedEvents,
  newEventSchema,
  newLoyaltyReward,
  newMaterial,
  newMember,
  newProgram,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'
import { scaled } from '../../testing/scale.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const atOnce = <T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)))

/** The number of responses of each kind: `{ '200': 19, multiple_requests: 1 }`. */
function countReplies(answers: ReadonlyArray<Answer<Body>>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const name = status === 200 ? '200' : `${status} ${body.key}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

const newReferral = (shop: Shop, more: object = {}) =>
  newCampaign(shop, 'Friends', {
    campaign_type: 'REFERRAL_PROGRAM',
    type: 'AUTO_UPDATE',
    voucher: { type: 'DISCOUNT_VOUCHER', discount: amountOff(500), redemption: { quantity: null } },
    ...more,
  })

const codeOf = async (shop: Shop, sourceId: string): Promise<string> =>
  (await ok(shop, 'POST', '/v1/publications', { campaign: 'Friends', customer: { source_id: sourceId } })).voucher.code

const buy = (shop: Shop, code: string, sourceId: string) =>
  redeem(shop, { redeemables: vouchers(code), order: { amount: 5_000 }, customer: { source_id: sourceId } })

const newTier = (shop: Shop, program: { id: string }, reward: { id: string }, parameters: object, banner: string) =>
  ok(shop, 'POST', `/v1/referrals/${program.id}/tiers`, { banner, parameters, reward: { id: reward.id } })

const customer = (shop: Shop, sourceId: string): Promise<Body> => ok(shop, 'GET', `/v1/customers/${sourceId}`)

const conversionsOf = async ({ service, project_id }: Shop): Promise<number> =>
  (
    await sql`select 1 from referral_conversions where project_id = ${project_id} and undone_at is null`.execute(
      service.runtime.database.db,
    )
  ).rows.length

/** The referral counts in customer rows, events and conversions: one number, or they disagree. */
async function referredBy(shop: Shop, sourceId: string): Promise<number> {
  const { loyalty } = await customer(shop, sourceId)
  expect(loyalty.campaigns.Friends).toMatchObject({ referred_customers: loyalty.referred_customers })
  expect(await emittedEvents(shop, 'customer.referred')).toHaveLength(loyalty.referred_customers)
  expect(await conversionsOf(shop)).toBe(loyalty.referred_customers)
  return loyalty.referred_customers
}

/** A program with a reward of points for each referee and a mug for the fifth, and the number of events for each. */
async function newRewarding(shop: Shop, more: object = {}) {
  const program = await newReferral(shop, more)
  const club = await newProgram(shop)
  const points = await newLoyaltyReward(shop, { campaign: { id: club.id, balance: 10 } })
  const mug = await newMaterial(shop)
  await newTier(shop, program, points, { criteria: 'EACH_REFEREE' }, 'Each')
  await newTier(shop, program, mug, { criteria: 'MIN_REFEREES', min_referees: 5 }, 'Five')
  const card = await newMember(shop, club, 'anna')
  const granted = async () => {
    const counts: Record<string, number> = {}
    for (const { data } of await emittedEvents(shop, 'customer.rewarded'))
      counts[data.referral_tier.banner] = (counts[data.referral_tier.banner] ?? 0) + 1
    const { loyalty_card } = await ok(shop, 'GET', `/v1/loyalties/members/${card.code}`)
    return { ...counts, points: loyalty_card.balance }
  }
  return { granted, mug }
}

const many = scaled(20, 8)

describe(`${many} concurrent redemptions of one code`, () => {
  test('by one customer convert once', async () => {
    const shop = await newProject()
    const { granted } = await newRewarding(shop)
    const code = await codeOf(shop, 'anna')
    expect(countReplies(await atOnce(many, () => buy(shop, code, 'bob')))).toEqual({ '200': many })
    expect(await referredBy(shop, 'anna')).toBe(1)
    expect((await customer(shop, 'bob')).referrals).toMatchObject({ total: 1, campaigns: { length: 1 } })
    expect(await granted()).toEqual({ Each: 1, points: 10 })
    expect(await emittedEvents(shop, 'customer.holder.assignment.created')).toHaveLength(1)
  })

  test(`by ${many} customers convert each of them, and the tier for a number of referees rewards once`, async () => {
    const shop = await newProject()
    const { granted, mug } = await newRewarding(shop)
    const code = await codeOf(shop, 'anna')
    expect(countReplies(await atOnce(many, (index) => buy(shop, code, `friend-${index}`)))).toEqual({ '200': many })
    expect(await referredBy(shop, 'anna')).toBe(many)
    expect(await granted()).toEqual({ Each: many, Five: 1, points: 10 * many })
    expect(await ok(shop, 'GET', `/v1/rewards/${mug.id}`)).toMatchObject({ redeemed: 1 })
  })
})

test(`${many} concurrent events of four customers convert each customer once`, async () => {
  const shop = await newProject()
  await newEventSchema(shop, 'signed_up')
  const byEvent = { referral_program: { conversion_event_type: 'custom_event', custom_event: { name: 'signed_up' } } }
  const { granted } = await newRewarding(shop, byEvent)
  const code = await codeOf(shop, 'anna')
  const signUp = (index: number) =>
    shop.call('POST', '/v1/events', {
      event: 'signed_up',
      customer: { source_id: `friend-${index % 4}` },
      referral: { code },
    })
  expect(countReplies(await atOnce(many, signUp))).toEqual({ '200': many })
  expect(await referredBy(shop, 'anna')).toBe(4)
  expect(await granted()).toEqual({ Each: 4, points: 40 })
})

describe('two customers who refer each other concurrently', () => {
  const pairs = scaled(4, 3)

  test('by redemptions and their rollbacks: no deadlock', async () => {
    const shop = await newProject()
    await newReferral(shop)
    const names = Array.from({ length: pairs }, (_, n) => [`a${n}`, `b${n}`] as const)
    const codes = new Map<string, string>()
    for (const name of names.flat()) codes.set(name, await codeOf(shop, name))
    const crossed = names.flatMap(([a, b]) => [
      [a, codes.get(b) as string] as const,
      [b, codes.get(a) as string] as const,
    ])
    const sales = await atOnce(crossed.length, (n) => buy(shop, crossed[n]?.[1] as string, crossed[n]?.[0] as string))
    expect(countReplies(sales)).toEqual({ '200': crossed.length })
    for (const name of names.flat())
      expect(await customer(shop, name)).toMatchObject({ loyalty: { referred_customers: 1 }, referrals: { total: 1 } })

    const ids = sales.map(({ body }) => body.redemptions[0].id as string)
    expect(countReplies(await atOnce(ids.length, (n) => rollBack(shop, ids[n] as string)))).toEqual({
      '200': ids.length,
    })
    for (const name of names.flat())
      expect(await customer(shop, name)).toMatchObject({ loyalty: { referred_customers: 0 }, referrals: { total: 0 } })
    expect(await conversionsOf(shop)).toBe(0)
  })

  test('by events: no deadlock', async () => {
    const shop = await newProject()
    await newEventSchema(shop, 'signed_up')
    await newReferral(shop, {
      referral_program: { conversion_event_type: 'custom_event', custom_event: { name: 'signed_up' } },
    })
    const codes = { anna: await codeOf(shop, 'anna'), bob: await codeOf(shop, 'bob') }
    const answers = await atOnce(many, (index) =>
      shop.call('POST', '/v1/events', {
        event: 'signed_up',
        customer: { source_id: index % 2 === 0 ? 'anna' : 'bob' },
        referral: { code: index % 2 === 0 ? codes.bob : codes.anna },
      }),
    )
    expect(countReplies(answers)).toEqual({ '200': many })
    for (const name of ['anna', 'bob'])
      expect(await customer(shop, name)).toMatchObject({ loyalty: { referred_customers: 1 }, referrals: { total: 1 } })
  })
})

test('ten concurrent rollbacks of a redemption undo its conversion once', async () => {
  const shop = await newProject()
  await newReferral(shop)
  const code = await codeOf(shop, 'anna')
  const sale = { redeemables: vouchers(code), order: { amount: 5_000 } }
  await redeemed(shop, { ...sale, customer: { source_id: 'cleo' } })
  const { redemptions } = await redeemed(shop, { ...sale, customer: { source_id: 'bob' } })
  const answers = await atOnce(10, () => rollBack(shop, redemptions[0].id))
  expect(countReplies(answers)).toEqual({ '200': 1, '400 already_rolled_back': 9 })
  expect((await customer(shop, 'anna')).loyalty).toMatchObject({ referred_customers: 1 })
})
