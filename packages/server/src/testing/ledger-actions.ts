import fc from 'fast-check'
import { newProject, type Shop } from './app.ts'
import type { Ask } from './ledger-audit.ts'
import {
  assign,
  newEarningRules,
  newEventSchema,
  newLoyaltyReward,
  newMaterial,
  newMember,
  newProgram,
} from './loyalty.ts'
import { ok } from './orders.ts'

/* Random actions of a shop on the points of its customers: the same actions run against a model and against projects. */

/** Objects are referred to by their index, modulo the number of objects. */
export type Action =
  | { do: 'pay'; who: number; now: number[]; later: number[] }
  | { do: 'visit'; who: number; stars: number }
  | { do: 'add'; card: number; points: number; until: 'rules' | 'never' | number }
  | { do: 'remove'; card: number; points: number }
  | { do: 'transfer'; from: number; to: number; points: number }
  | { do: 'take'; card: number }
  | { do: 'spend'; card: number; units: number; now: number[]; later: number[] }
  | { do: 'return'; redemption: number }
  | { do: 'activate'; entry: number }
  | { do: 'adjust'; entry: number; points: number }
  | { do: 'withdraw'; entry: number }
  | { do: 'cancel'; order: number }
  | { do: 'repay'; order: number }
  | { do: 'wait'; days: number; minutes: number }
  | { do: 'clock' }

const points = fc.integer({ min: 1, max: 90 })
const number = fc.nat({ max: 5 })
/** The points that each program pays for an order; 0 for none. */
const pays = fc.array(fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: points }), {
  minLength: 3,
  maxLength: 3,
})
/** Most pauses are days; some are longer than a month. */
const days = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 4 }) },
  { weight: 1, arbitrary: fc.integer({ min: 5, max: 40 }) },
)

const action = <T extends Action['do'], V>(name: T, values: { [K in keyof V]: fc.Arbitrary<V[K]> }) =>
  fc.record({ do: fc.constant(name), ...values }) as unknown as fc.Arbitrary<{ do: T } & V>

const pay = action('pay', { who: number, now: pays, later: pays })
const add = action('add', {
  card: number,
  points,
  until: fc.oneof(
    fc.constant<'rules' | 'never' | number>('rules'),
    fc.constant<'rules' | 'never' | number>('never'),
    fc.integer({ min: 0, max: 2 }),
    days,
  ),
})
const spend = action('spend', { card: number, units: fc.integer({ min: 1, max: 20 }), now: pays, later: pays })
const wait = action('wait', { days, minutes: fc.integer({ min: 0, max: 1_439 }) })

const anyAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: pay },
  { weight: 1, arbitrary: action('visit', { who: number, stars: points }) },
  { weight: 4, arbitrary: add },
  { weight: 3, arbitrary: action('remove', { card: number, points }) },
  { weight: 2, arbitrary: action('transfer', { from: number, to: number, points }) },
  { weight: 3, arbitrary: action('take', { card: number }) },
  { weight: 3, arbitrary: spend },
  { weight: 3, arbitrary: action('return', { redemption: number }) },
  { weight: 1, arbitrary: action('activate', { entry: number }) },
  { weight: 1, arbitrary: action('adjust', { entry: number, points: fc.integer({ min: -60, max: 60 }) }) },
  { weight: 1, arbitrary: action('withdraw', { entry: number }) },
  { weight: 1, arbitrary: action('cancel', { order: number }) },
  { weight: 1, arbitrary: action('repay', { order: number }) },
  { weight: 9, arbitrary: wait },
  { weight: 2, arbitrary: fc.constant({ do: 'clock' as const }) },
)

/**
 * At most `steps` actions. The first ones put points on cards, so that later actions have points or pending entries to work
 * on. Without bias: fast-check would otherwise draw small values in the first runs, and there may be no others.
 */
export const anyActions = (steps: number): fc.Arbitrary<Action[]> =>
  fc.noBias(
    fc
      .tuple(
        fc.array(fc.oneof(pay, add), { minLength: 2, maxLength: 4, size: 'max' }),
        fc.array(anyAction, { minLength: 6, maxLength: steps - 4, size: 'max' }),
      )
      .map(([initial, following]): Action[] => [...initial, ...following]),
  )

/** The settings in which programs differ. */
export interface ProgramPlan {
  settings: object
  /** The expiration rules of its order rules, and for how many days the points of `later` are pending. */
  now: object
  later: object & { days: number }
}

export interface World {
  shop: Shop
  programs: Array<{ id: string; name: string }>
  customers: string[]
  /** Ordered by customer, then by program. */
  cards: Array<{ id: string; code: string; who: number; program: number }>
  material: { id: string }
  coin: { id: string }
  rules: Array<Array<{ id: string }>>
  orders: string[]
  redemptions: string[]
  entries: Array<{ id: string; card: number; order: number }>
}

/** The price of the material reward, and the points that pay 1.00 of an order. */
export const price = 25
export const pointsPerUnit = 3

export async function newWorld(plans: readonly ProgramPlan[], { timezone = 'UTC', people = 2 } = {}): Promise<World> {
  const shop = await newProject({ project: { timezone } })
  const visit = await newEventSchema(shop, 'visit', { stars: { type: 'number', optional: true } })
  const material = await newMaterial(shop)
  const coin = await newLoyaltyReward(shop, { coin: { exchange_ratio: 1, points_ratio: pointsPerUnit } })
  const world: World = {
    shop,
    programs: [],
    customers: Array.from({ length: people }, (_, index) => `customer-${index}`),
    cards: [],
    material,
    coin,
    rules: [],
    orders: [],
    redemptions: [],
    entries: [],
  }
  for (const [index, { settings, now, later }] of plans.entries()) {
    const { days, ...dated } = later
    const program = await newProgram(shop, { name: `Program ${index}`, ...settings })
    const ofVisit = { event: 'visit', custom_event: { schema_id: visit.id } }
    world.programs.push(program)
    world.rules.push(
      await newEarningRules(
        shop,
        program,
        { ...perUnit('ORDER_METADATA', 'order', `now_${index}`), ...now },
        {
          ...perUnit('ORDER_METADATA', 'order', `later_${index}`),
          ...dated,
          pending_points: { period_type: 'DAY', period_value: days },
        },
        ...(index === 0 ? [{ ...ofVisit, ...perUnit('CUSTOM_EVENT_METADATA', 'custom_event', 'stars') }] : []),
      ),
    )
    await assign(shop, program, material, price)
    await assign(shop, program, coin)
  }
  return world
}

/** Every customer joins every program. */
export async function joinAll(world: World): Promise<void> {
  for (const [who, sourceId] of world.customers.entries())
    for (const [program, { id }] of world.programs.entries()) {
      const { id: cardId, code } = await newMember(world.shop, { id }, sourceId)
      world.cards.push({ id: cardId, code, who, program })
    }
}

const perUnit = (calculationType: string, of: string, property: string) => ({
  loyalty: {
    type: 'PROPORTIONAL',
    calculation_type: calculationType,
    [of]: { metadata: { every: 1, points: 1, property } },
  },
})

/** `200`, or the status and the key of an error. */
export type Outcome = string

const noEffect: Outcome = '200'

const pick = <T>(all: readonly T[], index: number): T | undefined => all[index % all.length]

/** The metadata of an order from which the programs calculate points. */
function metadataOf({ programs }: World, now: readonly number[], later: readonly number[]): Record<string, number> {
  const metadata: Record<string, number> = {}
  for (const index of programs.keys()) {
    if ((now[index] ?? 0) > 0) metadata[`now_${index}`] = now[index] as number
    if ((later[index] ?? 0) > 0) metadata[`later_${index}`] = later[index] as number
  }
  return metadata
}

/** Performs an action, except `wait` and `clock`. */
export async function perform(world: World, action: Action, today: string): Promise<Outcome> {
  const { shop, cards, customers } = world
  const send = async (method: string, path: string, body?: object) => {
    const answer = await shop.call(method, path, body)
    return { outcome: answer.status < 300 ? '200' : `${answer.status} ${answer.body?.key}`, body: answer.body }
  }
  switch (action.do) {
    case 'pay': {
      const who = action.who % customers.length
      const metadata = metadataOf(world, action.now, action.later)
      const order = { status: 'PAID', customer: { source_id: customers[who] }, amount: 1_000, metadata }
      const { outcome, body } = await send('POST', '/v1/orders', order)
      if (outcome === '200') await recordOrder(world, body.id, who)
      return outcome
    }
    case 'visit': {
      const who = action.who % customers.length
      const customer = { source_id: customers[who] }
      return (await send('POST', '/v1/events', { event: 'visit', customer, metadata: { stars: action.stars } })).outcome
    }
    case 'add':
    case 'remove': {
      const { code } = pick(cards, action.card) as World['cards'][number]
      const body =
        action.do === 'remove' ? { points: -action.points } : { points: action.points, ...untilOf(action.until, today) }
      return (await send('POST', `/v1/loyalties/members/${code}/balance`, body)).outcome
    }
    case 'transfer': {
      const [from, to] = [pick(cards, action.from), pick(cards, action.to)] as [
        World['cards'][number],
        World['cards'][number],
      ]
      const path = `/v1/loyalties/${world.programs[to.program]?.id}/members/${to.code}/transfers`
      return (await send('POST', path, [{ code: from.code, points: action.points }])).outcome
    }
    case 'take': {
      const { code } = pick(cards, action.card) as World['cards'][number]
      const reward = { id: world.material.id }
      const { outcome, body } = await send('POST', `/v1/loyalties/members/${code}/redemption`, { reward })
      if (outcome === '200') world.redemptions.push(body.id)
      return outcome
    }
    case 'spend': {
      const { code, who } = pick(cards, action.card) as World['cards'][number]
      const reward = { id: world.coin.id, points: action.units * pointsPerUnit }
      const order = { amount: 10_000, metadata: metadataOf(world, action.now, action.later) }
      const { outcome, body } = await send('POST', `/v1/loyalties/members/${code}/redemption`, { reward, order })
      if (outcome === '200') {
        world.redemptions.push(body.id)
        await recordOrder(world, body.order.id, who)
      }
      return outcome
    }
    case 'return': {
      const id = pick(world.redemptions, action.redemption)
      if (id === undefined) return noEffect
      return (await send('POST', `/v1/redemptions/${id}/rollback`, {})).outcome
    }
    case 'activate':
    case 'adjust':
    case 'withdraw': {
      const entry = pick(world.entries, action.entry)
      if (entry === undefined) return noEffect
      const { code } = cards[entry.card] as World['cards'][number]
      const verb = { activate: 'activate', adjust: 'balance', withdraw: 'cancel' }[action.do]
      const body = action.do === 'adjust' ? { points: action.points } : undefined
      return (await send('POST', `/v1/loyalties/members/${code}/pending-points/${entry.id}/${verb}`, body)).outcome
    }
    case 'cancel':
    case 'repay': {
      const id = pick(world.orders, action.order)
      if (id === undefined) return noEffect
      const status = action.do === 'cancel' ? 'CANCELED' : 'PAID'
      return (await send('PUT', `/v1/orders/${id}`, { status })).outcome
    }
    default:
      return noEffect
  }
}

function untilOf(until: 'rules' | 'never' | number, today: string): object {
  if (until === 'rules') return {}
  if (until === 'never') return { expiration_type: 'NON_EXPIRING' }
  return { expiration_type: 'CUSTOM_DATE', expiration_date: dayLater(today, until) }
}

export const dayLater = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

/** Records an order and its pending entries. Those of a new order cannot be due yet, so the list contains them. */
async function recordOrder(world: World, orderId: string, who: number): Promise<void> {
  const order = world.orders.push(orderId) - 1
  for (const [card, { code, who: holder }] of world.cards.entries()) {
    if (holder !== who) continue
    const { data } = await ok(world.shop, 'GET', `/v1/loyalties/members/${code}/pending-points?limit=100`)
    const entry = data.find((pending: { order_id: string }) => pending.order_id === orderId)
    if (entry !== undefined) world.entries.push({ id: entry.id, card, order })
  }
}

export const askOf =
  ({ service }: Shop): Ask =>
  async (text, values) =>
    (await service.runtime.database.execute(text, values)).rows
