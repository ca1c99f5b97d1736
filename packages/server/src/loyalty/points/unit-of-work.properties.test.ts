import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import {
  anyActions,
  askOf,
  joinAll,
  newWorld,
  type ProgramPlan,
  perform,
  type World,
} from '../../testing/ledger-actions.ts'
import { auditLedger } from '../../testing/ledger-audit.ts'
import { LedgerModel } from '../../testing/ledger-model.ts'
import {
  addPoints,
  assign,
  buckets,
  card,
  emittedEvents,
  fixed,
  inDays,
  inPeriod,
  newEarningRules,
  newLoyaltyReward,
  newMaterial,
  newMember,
  newProgram,
  newTiers,
  onDrop,
  payOrder,
  pendingOf,
  runDailyLoyaltyJob,
  tierLasting,
  transactions,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'
import { scaled } from '../../testing/scale.ts'

/*
 * Properties of the ledger under any sequence of operations (docs/reference/points.md#ledger). When one of these fails,
 * fast-check prints the seed, the path and the shortest sequence: GUERDON_PROPERTY_SEED and GUERDON_PROPERTY_PATH repeat it,
 * and GUERDON_PROPERTY_RUNS sets the number of runs.
 */

const { GUERDON_PROPERTY_RUNS, GUERDON_PROPERTY_SEED, GUERDON_PROPERTY_PATH } = process.env
const runs = Number(GUERDON_PROPERTY_RUNS ?? scaled(4, 1))
/** Longer sequences when the number of runs is set. */
const steps = GUERDON_PROPERTY_RUNS === undefined ? scaled(16, 10) : 22
const parameters = {
  numRuns: runs,
  // Shrinking stops at the time limit.
  interruptAfterTimeLimit: 120_000 + runs * 60_000,
  ...(GUERDON_PROPERTY_SEED === undefined ? {} : { seed: Number(GUERDON_PROPERTY_SEED) }),
  ...(GUERDON_PROPERTY_PATH === undefined ? {} : { path: GUERDON_PROPERTY_PATH }),
}
const timeout = parameters.interruptAfterTimeLimit + 120_000

const timezones = fc.constantFrom('UTC', 'America/New_York', 'Pacific/Auckland')
/** Start dates close to the end of a short month, a change of daylight saving time, and the end of a year. */
const starts = fc.constantFrom(
  '2027-01-29T12:00:00.000Z',
  '2027-03-10T20:00:00.000Z',
  '2027-10-28T03:00:00.000Z',
  '2027-12-30T23:30:00.000Z',
)
const actions = anyActions(steps)

/** The clock of a run; it stands still unless the run advances it. */
function newTime(shop: Shop, start: string) {
  let now = Date.parse(start)
  const set = () => shop.service.clock.set(now)
  set()
  return {
    now: () => new Date(now).toISOString(),
    set,
    pass(milliseconds: number) {
      now += milliseconds
      set()
    },
  }
}

const dayMs = 86_400_000

const months = (periodValue: number, roundingType?: string) => ({
  expiration_rules: {
    period_type: 'MONTH',
    period_value: periodValue,
    ...(roundingType === undefined ? {} : { rounding_type: roundingType }),
  },
})

test('any sequence of actions matches a model, and the ledger adds up after each of them', { timeout }, async () => {
  const plans: ProgramPlan[] = [
    { settings: { ...months(1), ...onDrop }, now: {}, later: { days: 2, ...months(0) } },
    { settings: { points: 10 }, now: months(1, 'END_OF_MONTH'), later: { days: 1 } },
  ]
  await fc.assert(
    fc.asyncProperty(timezones, starts, actions, async (timezone, start, actions) => {
      const world = await newWorld(plans, { timezone })
      const time = newTime(world.shop, start)
      await newTiers(world.shop, world.programs[0] as { id: string }, { Bronze: [0, 49], Silver: [50] })
      await joinAll(world)
      const model = new LedgerModel(world, plans, start, timezone)
      for (const action of [...actions, { do: 'clock' } as const]) {
        time.pass(action.do === 'wait' ? action.days * dayMs + action.minutes * 60_000 : 1_000)
        model.passTo(time.now())
        const expected = model.apply(action, time.now())
        if (action.do === 'clock') await runDailyLoyaltyJob(world.shop)
        else
          expect(await perform(world, action, model.dayOf(time.now())), JSON.stringify(action)).toBe(expected.outcome)
        expect(await auditLedger(askOf(world.shop), world.shop.project_id)).toEqual([])
        const seen = action.do === 'clock' ? [...world.customers.keys()] : expected.seen
        for (const [index, { who }] of world.cards.entries())
          if (seen.includes(who)) await expectCard(world, model, index)
      }
    }),
    parameters,
  )
})

async function expectCard(world: World, model: LedgerModel, index: number): Promise<void> {
  const { code, program } = world.cards[index] as World['cards'][number]
  const { shop } = world
  const { lots, added, subtracted, redeemed, expired, redemptions } = model.cards[index] as LedgerModel['cards'][number]
  const waiting = model.entries.filter((entry) => entry.card === index && entry.status === 'PENDING')
  const pending = waiting.reduce((sum, { points }) => sum + points, 0)
  const balance = model.balanceOf(index)
  const stored = await card(shop, code)
  const [next] = [...lots].filter(([until, points]) => until !== 'never' && points > 0).sort()
  expect(stored.loyalty_card).toEqual({
    points: added,
    balance,
    ...(subtracted === 0 ? {} : { subtracted_points: subtracted }),
    ...(expired === 0 ? {} : { expired_points: expired }),
    ...(pending === 0 ? {} : { pending_points: pending }),
    ...(next === undefined ? {} : { next_expiration_date: next[0], next_expiration_points: next[1] }),
  })
  expect(stored.redemption).toMatchObject({ redeemed_points: redeemed, redeemed_quantity: redemptions })
  expect(await buckets(shop, stored)).toEqual(Object.fromEntries(lots))
  const entries = await pendingOf(shop, code)
  const shown = (all: Array<{ points: number }>, on: (each: never) => string) =>
    all.map((each) => `${on(each as never)} ${each.points}`).sort()
  expect(shown(entries, ({ activates_at }: { activates_at: string }) => activates_at)).toEqual(
    shown(waiting, ({ on }: { on: string }) => on),
  )
  if (program !== 0) return
  const { data } = await ok(shop, 'GET', `/v1/loyalties/members/${code}/tiers`)
  expect(data.map(({ name }: { name: string }) => name)).toEqual([balance < 50 ? 'Bronze' : 'Silver'])
}

/** Tier settings. */
const kinds = [
  onDrop,
  tierLasting('P10D'),
  tierLasting('P1M', { type: 'MONTH' }),
  inPeriod('MONTH', 'IMMEDIATE', 'END_OF_PERIOD'),
  inPeriod('MONTH', 'IMMEDIATE', 'END_OF_NEXT_PERIOD', 'P5D'),
  inPeriod('MONTH', 'NEXT_PERIOD', 'END_OF_NEXT_PERIOD'),
]

const anyProgram = fc.record({
  kind: fc.constantFrom(...kinds),
  dated: fc.constantFrom({}, months(0), months(1), months(1, 'END_OF_MONTH')),
  now: fc.constantFrom({}, months(0)),
  later: fc.constantFrom({}, months(0)),
  days: fc.integer({ min: 1, max: 3 }),
})

test('the ledger is the same whether the daily job runs every day, every week, irregularly or once at the end', {
  timeout,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      timezones,
      starts,
      fc.array(anyProgram, { minLength: 3, maxLength: 3 }),
      fc.record({ pays_for_others: fc.boolean(), redeems_by_itself: fc.boolean() }),
      actions,
      async (timezone, start, programs, features, actions) => {
        const plans = programs.map(({ kind, dated, now, later, days }) => ({
          settings: { ...kind, ...dated },
          now,
          later: { ...later, days },
        }))
        const newOne = () => newTieredWorld(plans, timezone, features)
        const worlds = [await newOne(), await newOne(), await newOne(), await newOne()] as const
        const [daily, weekly, atTimes] = worlds
        const time = newTime(daily.shop, start)
        for (const world of worlds) {
          time.set()
          await joinAll(world)
        }
        let day = 0
        const pass = async (days: number) => {
          for (let left = days; left > 0; left -= 1) {
            time.pass(dayMs)
            day += 1
            await runDailyLoyaltyJob(daily.shop)
            if (day % 7 === 0) await runDailyLoyaltyJob(weekly.shop)
          }
        }
        for (const action of actions) {
          if (action.do === 'wait') await pass(action.days)
          time.pass(action.do === 'wait' ? action.minutes * 60_000 : 60_000)
          if (action.do === 'clock') await runDailyLoyaltyJob(atTimes.shop)
          const outcomes: string[] = []
          for (const world of worlds) {
            time.set()
            outcomes.push(await perform(world, action, dayIn(timezone, time.now())))
          }
          expect(new Set(outcomes).size, `${JSON.stringify(action)}: ${outcomes}`).toBe(1)
        }
        await pass(45)
        const [punctual, ...others] = worlds
        for (const { shop } of worlds) await runDailyLoyaltyJob(shop)
        for (const { shop } of worlds) expect(await auditLedger(askOf(shop), shop.project_id)).toEqual([])
        const ledger = await ledgerOf(punctual)
        for (const [index, world] of others.entries())
          expect(await ledgerOf(world), ['every week', 'now and then', 'once at the end'][index]).toEqual(ledger)
      },
    ),
    { ...parameters, numRuns: Math.ceil(runs / 2) },
  )
})

// Cases that the properties above would find once in a thousand runs.

/**
 * Points of one program activate and expire: a tier is gained and lost, for which another program pays points that expire on
 * the day they are credited.
 */
const cases: Array<[what: string, own: object | null]> = [
  ['with nothing due', null],
  ['with another change due later', { expiration_type: 'CUSTOM_DATE', expiration_date: '2027-03-05' }],
]
test.each(cases)('a late run credits and expires points on a card %s as a punctual one does', async (_, own) => {
  const newFriend = async () => {
    const shop = await newProject()
    shop.service.clock.set('2027-03-01T12:00:00.000Z')
    const [one, two] = [await newProgram(shop, onDrop), await newProgram(shop, months(0))]
    await newEarningRules(shop, one, fixed(40, { ...inDays(1), ...months(0) }))
    const { Bronze } = await newTiers(shop, one, { Bronze: [0, 39], Silver: [40] })
    const fallen = { event: 'customer.loyalty.tier.downgraded', loyalty_tier: { id: Bronze.id } }
    await newEarningRules(shop, two, { ...fallen, ...fixed(11) })
    await newMember(shop, one, 'ann')
    const { code } = await newMember(shop, two, 'ann')
    await payOrder(shop, 'ann')
    if (own !== null) await addPoints(shop, code, 2, own)
    return { shop, code }
  }
  const [punctual, late] = [await newFriend(), await newFriend()]
  for (const today of [2, 3, 4, 5, 6, 7]) {
    punctual.shop.service.clock.set(`2027-03-0${today}T01:00:00.000Z`)
    await runDailyLoyaltyJob(punctual.shop)
  }
  const days = async ({ shop, code }: typeof late) =>
    (await transactions(shop, code)).map(({ type, created_at, details }) =>
      [created_at.slice(0, 10), type, details.balance.points].join(' '),
    )
  for (const { shop, code } of [punctual, late]) {
    await addPoints(shop, code, 5, { expiration_type: 'NON_EXPIRING' })
    await runDailyLoyaltyJob(shop)
    expect(await auditLedger(askOf(shop), shop.project_id)).toEqual([])
  }
  expect(await days(punctual)).toEqual([
    ...(own === null ? [] : ['2027-03-01 POINTS_ADDITION 2']),
    '2027-03-03 POINTS_ACCRUAL 11',
    '2027-03-04 POINTS_EXPIRATION -11',
    ...(own === null ? [] : ['2027-03-06 POINTS_EXPIRATION -2']),
    '2027-03-07 POINTS_ADDITION 5',
  ])
  expect(await days(late)).toEqual(await days(punctual))
})

test('points added by a request from before midnight, processed after the next daily job, still expire', async () => {
  const shop = await newProject()
  shop.service.clock.set('2027-03-01T12:00:00.000Z')
  const { code } = await newMember(shop, await newProgram(shop), 'ann')
  const untilToday = { expiration_type: 'CUSTOM_DATE', expiration_date: '2027-03-01' }
  await addPoints(shop, code, 10, untilToday)
  shop.service.clock.set('2027-03-02T00:00:00.100Z')
  await runDailyLoyaltyJob(shop)
  shop.service.clock.set('2027-03-01T23:59:59.000Z')
  await addPoints(shop, code, 5, untilToday)
  shop.service.clock.set('2027-03-03T00:00:00.100Z')
  await runDailyLoyaltyJob(shop)
  expect((await card(shop, code)).loyalty_card).toMatchObject({ points: 15, balance: 0, expired_points: 15 })
  expect(await auditLedger(askOf(shop), shop.project_id)).toEqual([])
})

const dayIn = (timezone: string, now: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' }).format(new Date(now))

interface Features {
  /** Rules pay for tiers of another program, too. */
  pays_for_others: boolean
  /** Two programs redeem points automatically: for a material reward, and for points of another program. */
  redeems_by_itself: boolean
}

/** With tiers that map the points of rules, and rules that pay for tiers. */
async function newTieredWorld(
  plans: ProgramPlan[],
  timezone: string,
  { pays_for_others, redeems_by_itself }: Features,
): Promise<World> {
  const world = await newWorld(plans, { timezone })
  for (const [index, program] of world.programs.entries()) {
    const [rule] = world.rules[index] as [{ id: string }]
    const tiers = await newTiers(
      world.shop,
      program,
      { Bronze: [0, 39], Silver: [40, 79], Gold: [80] },
      { Silver: { earning_rules: { [rule.id]: { type: 'MULTIPLY', multiplier: 2 } } } },
    )
    const turned = (word: string, points: number, id: string, more: object = {}) => ({
      event: `customer.loyalty.tier.${word}`,
      loyalty_tier: { id },
      loyalty: { type: 'FIXED', points },
      ...more,
    })
    await newEarningRules(
      world.shop,
      program,
      turned('upgraded', 7, '__ANY__'),
      turned('prolonged', 3, '__ANY__', months(0)),
    )
    const next = world.programs[(index + 1) % world.programs.length] as { id: string }
    if (pays_for_others) await newEarningRules(world.shop, next, turned('downgraded', 11, tiers.Bronze.id))
  }
  if (redeems_by_itself) {
    const { shop, programs } = world
    const program = (index: number) => programs[index] as { id: string }
    const points = await newLoyaltyReward(shop, { campaign: { id: program(0).id, balance: 15 } })
    await assign(shop, program(1), await newMaterial(shop), 45, { auto_redeem: true })
    await assign(shop, program(2), points, 30, { auto_redeem: true })
  }
  return world
}

/** All rows about points and tiers of all customers, without random ids. */
async function ledgerOf({ shop, cards, customers, programs }: World): Promise<object> {
  const ask = askOf(shop)
  const ledger: Record<string, object> = {}
  for (const { id, who, program } of cards) {
    const of = [shop.project_id, id]
    const where = 'project_id = $1 and voucher_id = $2'
    const minute = `to_char(created_at, 'YYYY-MM-DD HH24:MI')`
    const [counters] = await ask(
      `select credits_added, credits_subtracted, credits_redeemed, credits_expired, credits_pending from vouchers
      where project_id = $1 and id = $2`,
      of,
    )
    const lines = async (text: string) =>
      (await ask(text, of)).map((row) =>
        Object.values(row as object)
          .map(String)
          .join(' '),
      )
    ledger[`${customers[who]} in ${programs[program]?.name}`] = {
      counters,
      transactions: await lines(
        `select ${minute}, type, amount, balance from voucher_transactions where ${where} order by id`,
      ),
      lots: await lines(
        `select expires_at::text as until, points, expired_points from lots where ${where} order by expires_at`,
      ),
      postings: await lines(`select ${minute}, case source when $2 then 'card' else source end as source,
        case destination when $2 then 'card' else destination end as destination, amount, expires_at::text as until
        from postings where ${where} order by id`),
      pending: await lines(
        `select activates_at::text as day, points, status from pending_points where ${where} order by activates_at, points, status`,
      ),
      turns: await tierChangesOf(shop, customers[who] as string, (programs[program] as { name: string }).name),
      member:
        await lines(`select t.name, m.tier_start_date::text as start, m.tier_expiration_date::text as until, s.name as next,
        m.scheduled_start_date::text as next_start, m.due_on::text as due from loyalty_members m
        left join loyalty_tiers t on t.project_id = m.project_id and t.id = m.tier_id
        left join loyalty_tiers s on s.project_id = m.project_id and s.id = m.scheduled_tier_id
        where m.project_id = $1 and m.voucher_id = $2`),
    }
  }
  return ledger
}

/** The tier changes of a customer in one program, in the order of their events. */
async function tierChangesOf(shop: Shop, sourceId: string, program: string): Promise<string[]> {
  const turns = await emittedEvents(shop, 'customer.loyalty.tier.%')
  return turns
    .filter(({ data }) => data.customer.source_id === sourceId && data.campaign.name === program)
    .map(({ type, data }) => `${type} ${(data.loyalty_tier ?? data.loyalty_tier_to).name}`)
}
