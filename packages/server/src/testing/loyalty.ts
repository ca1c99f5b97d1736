import { sql } from 'kysely'
import { expect } from 'vitest'
import { processSegments } from '../audience/segments/worker.ts'
import { runDueMembersBatch } from '../loyalty/points/daily-job.ts'
import { type Answer, type Shop, uniqueName } from './app.ts'
import { until } from './background.ts'
import { ok } from './orders.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

/** A loyalty program that creates cards on demand; `points` and `expiration_rules` are those of its cards. */
export function newProgram(shop: Shop, settings: object = {}): Promise<Body> {
  const { points = 0, expiration_rules, ...more } = settings as { points?: number; expiration_rules?: object }
  return ok(shop, 'POST', '/v1/loyalties', {
    name: uniqueName('Club'),
    type: 'AUTO_UPDATE',
    voucher: { type: 'LOYALTY_CARD', loyalty_card: { points, expiration_rules } },
    ...more,
  })
}

/** Adds the customer to a program and returns the card. */
export const newMember = (shop: Shop, program: { id: string }, sourceId: string, customer: object = {}) =>
  ok(shop, 'POST', `/v1/loyalties/${program.id}/members`, { customer: { source_id: sourceId, ...customer } })

/** Creates earning rules, by default for `order.paid`. */
export const newEarningRules = (shop: Shop, program: { id: string }, ...rules: object[]): Promise<Body[]> =>
  ok(
    shop,
    'POST',
    `/v1/loyalties/${program.id}/earning-rules`,
    rules.map((rule) => ({ event: 'order.paid', ...rule })),
  )

/** What a rule pays: a fixed number of points, or a number of points for every amount. */
export const fixed = (points: number, more: object = {}) => ({ loyalty: { type: 'FIXED', points }, ...more })
export const ofAmount = (every: number, points: number, more: object = {}) => ({
  loyalty: { type: 'PROPORTIONAL', calculation_type: 'ORDER_AMOUNT', order: { amount: { every, points } } },
  ...more,
})
/** Pending points that are activated after this number of days. */
export const inDays = (periodValue: number) => ({ pending_points: { period_type: 'DAY', period_value: periodValue } })

/** Creates tiers, `newTiers(shop, program, { Bronze: [0, 99], Silver: [100] })`, and returns them by name. */
export async function newTiers(
  shop: Shop,
  program: { id: string },
  ranges: Record<string, readonly number[]>,
  more: Record<string, object> = {},
): Promise<Record<string, Body>> {
  const bodies = Object.entries(ranges).map(([name, [from, to]]) => ({
    name,
    points: { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) },
    ...more[name],
  }))
  const tiers: Body[] = await ok(shop, 'POST', `/v1/loyalties/${program.id}/tiers`, bodies)
  return Object.fromEntries(tiers.map((tier) => [tier.name, tier]))
}

/** A reward by its parameters: `{ campaign }`, `{ coin }` or `{ product }`. */
export const newLoyaltyReward = (shop: Shop, parameters: object, more: object = {}): Promise<Body> =>
  ok(shop, 'POST', '/v1/rewards', { name: uniqueName('Reward'), parameters, ...more })

/** A material reward: a product. */
export async function newMaterial(shop: Shop, more: object = {}): Promise<Body> {
  const product = await ok(shop, 'POST', '/v1/products', { name: 'Mug' })
  return newLoyaltyReward(shop, { product: { id: product.id } }, more)
}

/** Assigns a reward to a program for a price in points; a COIN reward has none. */
export async function assign(
  shop: Shop,
  program: { id: string },
  reward: { id: string },
  points?: number,
  more: { auto_redeem?: boolean; validation_rules?: string[] } = {},
): Promise<Body> {
  const { auto_redeem, ...rest } = more
  const parameters = points === undefined ? {} : { parameters: { loyalty: { points, auto_redeem } } }
  const body = [{ reward: reward.id, ...parameters, ...rest }]
  return (await ok(shop, 'POST', `/v1/loyalties/${program.id}/rewards`, body))[0]
}

/** Creates an order of a customer, by default paid; a number is its amount. */
export const payOrder = (shop: Shop, sourceId: string, order: number | object = {}): Promise<Body> =>
  ok(shop, 'POST', '/v1/orders', {
    status: 'PAID',
    customer: { source_id: sourceId },
    ...(typeof order === 'number' ? { amount: order } : { amount: 10_000, ...order }),
  })

export const card = (shop: Shop, code: string): Promise<Body> => ok(shop, 'GET', `/v1/loyalties/members/${code}`)

export const balanceOf = async (shop: Shop, code: string): Promise<number> =>
  (await card(shop, code)).loyalty_card.balance

/** All transactions of a card, the oldest first. */
export const transactions = async (shop: Shop, code: string): Promise<Body[]> =>
  (await ok(shop, 'GET', `/v1/loyalties/members/${code}/transactions?limit=100&order=id`)).data

/** All transactions of a card as type and points: `POINTS_ACCRUAL 40`. */
export const movements = async (shop: Shop, code: string): Promise<string[]> =>
  (await transactions(shop, code)).map(({ type, details }) => `${type} ${details.balance.points}`)

/** Expects that each transaction of a card, in the order of ids, starts from the balance of the previous one. */
export async function expectNoGaps(shop: Shop, code: string, initial = 0): Promise<void> {
  let balance = initial
  for (const { type, details } of await transactions(shop, code)) {
    balance += details.balance.points
    expect([type, details.balance.balance]).toEqual([type, balance])
  }
  expect(await balanceOf(shop, code)).toBe(balance)
}

/** The points of each open bucket by its date, in the order of the answer: `{ '2025-05-31': 120, never: 1000 }`. */
export async function buckets(shop: Shop, { campaign_id, code }: { campaign_id: string; code: string }) {
  const path = `/v1/loyalties/${campaign_id}/members/${code}/points-expiration?limit=100`
  const { data }: { data: Body[] } = await ok(shop, 'GET', path)
  return Object.fromEntries(data.map(({ expires_at = 'never', bucket }) => [expires_at, bucket.total_points]))
}

/** Pending entries, ordered by activation. */
export const pendingOf = async (shop: Shop, code: string): Promise<Body[]> =>
  (await ok(shop, 'GET', `/v1/loyalties/members/${code}/pending-points?limit=100&order=id`)).data

/** The current tier of a card's holder, or null. */
export const tierOf = async (shop: Shop, code: string): Promise<Body> =>
  (await ok(shop, 'GET', `/v1/loyalties/members/${code}/tiers`)).data[0] ?? null

export const tierName = async (shop: Shop, code: string): Promise<string | null> =>
  (await tierOf(shop, code))?.name ?? null

/** Adds points to a card, or subtracts them if negative. */
export const addPoints = (shop: Shop, code: string, points: number, more: object = {}): Promise<Body> =>
  ok(shop, 'POST', `/v1/loyalties/members/${code}/balance`, { points, ...more })

/** Redeems a reward for points and returns any response; `redeemedReward` expects 200. */
export const redeemReward = (shop: Shop, code: string, reward: object, more: object = {}): Promise<Answer<Body>> =>
  shop.call('POST', `/v1/loyalties/members/${code}/redemption`, { reward, ...more })

export const redeemedReward = (shop: Shop, code: string, reward: object, more: object = {}): Promise<Body> =>
  ok(shop, 'POST', `/v1/loyalties/members/${code}/redemption`, { reward, ...more })

/** Creates the schema of a custom event. */
export async function newEventSchema(shop: Shop, name: string, properties: object = {}): Promise<Body> {
  const answer = await shop.manage('POST', '/custom-event-schemas', { name, schema: { properties } })
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 })
  return answer.body
}

export const sendEvent = (shop: Shop, event: string, sourceId: string, more: object = {}): Promise<Body> =>
  ok(shop, 'POST', '/v1/events', { event, customer: { source_id: sourceId }, ...more })

/** Runs the daily loyalty job of a project until nothing is due by the test clock or by changes of programs. */
export async function runDailyLoyaltyJob({ service, project_id }: Shop): Promise<void> {
  for (let runs = 0; await runDueMembersBatch(service.runtime, { only: project_id }); runs += 1)
    expect(runs, 'the daily loyalty job does not end').toBeLessThan(1_000)
}

/** Sets the test clock and runs the daily loyalty job, which applies everything due by then. */
export async function runUntil(shop: Shop, at: string): Promise<void> {
  shop.service.clock.set(at)
  await runDailyLoyaltyJob(shop)
}

/** Runs the segment jobs. A walk over all customers ends only after the transactions that were open before it. */
export async function runSegments({ service, project_id }: Shop): Promise<void> {
  const walking = service.runtime.database.db
    .selectFrom('segments')
    .where('project_id', '=', project_id)
    .where('walk_started_at', 'is not', null)
    .select('id')
  // Another test may have a transaction open on the same server.
  await until(async () => {
    while (await processSegments(service.runtime, { daily: true, only: project_id }));
    return (await walking.execute()).length === 0 ? true : undefined
  })
}

export interface Told {
  id: string
  type: string
  category: string
  entity_id: string
  group_id: string
  event_source: Body
  data: Body
}

/** The events of a project, the oldest first; `like` is an SQL pattern for the type. */
export async function emittedEvents({ service, project_id }: Shop, like = '%'): Promise<Told[]> {
  const { db } = service.runtime.database
  return db
    .selectFrom('events')
    .where('project_id', '=', project_id)
    .where('type', 'like', like)
    .orderBy(sql`right(id, 18)`) // the time part of the id, for every kind of event
    .select(['id', 'type', 'category', 'entity_id', 'group_id', 'event_source', 'data'])
    .execute()
}

/** The tier changes, such as `joined Bronze` or `upgraded Bronze → Silver`, of all customers or of one. */
export async function tierChanges(shop: Shop, sourceId?: string): Promise<string[]> {
  const events = await emittedEvents(shop, 'customer.loyalty.tier.%')
  return events
    .filter(({ data }) => sourceId === undefined || data.customer.source_id === sourceId)
    .map(({ type, data }) => {
      const word = type.slice('customer.loyalty.tier.'.length)
      if ('loyalty_tier' in data) return `${word} ${data.loyalty_tier.name}`
      return `${word} ${data.loyalty_tier_from.name} → ${data.loyalty_tier_to.name}`
    })
}

/** The settings of tiers (docs/reference/loyalty-tiers.md#settings). */
export const onDrop = {
  loyalty_tiers_expiration: {
    qualification_type: 'BALANCE',
    start_date: { type: 'IMMEDIATE' },
    expiration_date: { type: 'BALANCE_DROP' },
  },
}
export const tierLasting = (extend: string, rounding?: object) => ({
  loyalty_tiers_expiration: {
    qualification_type: 'BALANCE',
    start_date: { type: 'IMMEDIATE' },
    expiration_date: { type: 'CUSTOM', extend, ...(rounding === undefined ? {} : { rounding }) },
  },
})
export const inPeriod = (
  qualificationPeriod: 'MONTH' | 'QUARTER' | 'HALF_YEAR' | 'YEAR',
  start: 'IMMEDIATE' | 'NEXT_PERIOD',
  end: 'END_OF_PERIOD' | 'END_OF_NEXT_PERIOD',
  extend?: string,
) => ({
  loyalty_tiers_expiration: {
    qualification_type: 'POINTS_IN_PERIOD',
    qualification_period: qualificationPeriod,
    start_date: { type: start },
    expiration_date: { type: end, ...(extend === undefined ? {} : { extend }) },
  },
})
