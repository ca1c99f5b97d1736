import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LoyaltyTier, TierExpiration, TierFacts, TierMove, TierState } from '../schema/loyalty.ts'
import { dayText, readDay } from '../time/index.ts'
import { collectedInPeriod, moveTier, nextTierDate } from './tiers.ts'

const bronze: LoyaltyTier = { id: 'Bronze', points: { from: 0, to: 99 } }
const silver: LoyaltyTier = { id: 'Silver', points: { from: 100, to: 499 } }
const gold: LoyaltyTier = { id: 'Gold', points: { from: 500 } }
const open: LoyaltyTier = { id: 'Open', points: {} }
const tiers = [gold, bronze, silver]

const drop: TierExpiration = { qualification_type: 'BALANCE', expiration_date: { type: 'BALANCE_DROP' } }
type Rounding = Extract<TierExpiration, { qualification_type: 'BALANCE' }>['expiration_date'] & { type: 'CUSTOM' }
const custom = (extend: string, rounding: Rounding['rounding'] = null): TierExpiration => ({
  qualification_type: 'BALANCE',
  start_date: { type: 'IMMEDIATE' },
  expiration_date: { type: 'CUSTOM', extend, rounding },
})
const inPeriod = (
  qualificationPeriod: 'MONTH' | 'QUARTER' | 'HALF_YEAR' | 'YEAR',
  start: 'IMMEDIATE' | 'NEXT_PERIOD',
  type: 'END_OF_PERIOD' | 'END_OF_NEXT_PERIOD',
  extend: string | null = null,
): TierExpiration => ({
  qualification_type: 'POINTS_IN_PERIOD',
  qualification_period: qualificationPeriod,
  start_date: { type: start },
  expiration_date: { type, extend },
})

const nothing: TierState = { current: null, scheduled: null }

/** Runs a sequence of updates `[day, measure]` for one customer. Returns the events and the final state. */
function runUpdates(settings: TierExpiration | null, updates: Array<[string, number]>, of = tiers, state = nothing) {
  const events: string[] = []
  let held = state
  for (const [today, measure] of updates) {
    const move = moveTier({ tiers: of, settings, state: held, today, measure })
    events.push(...eventTexts(move))
    held = move.state
  }
  return { events, state: held }
}

const eventTexts = ({ events }: TierMove): string[] =>
  events.map(({ type, date, tier_id, current }) =>
    [date, type, tier_id, ...(current?.expiration_date == null ? [] : ['until', current.expiration_date])].join(' '),
  )

const holding = (tierId: string, startDate: string, expirationDate: string | null = null): TierState => ({
  current: { tier_id: tierId, start_date: startDate, expiration_date: expirationDate },
  scheduled: null,
})

describe('tiers by balance', () => {
  test.each([drop, null])('05 #17: upgrades and downgrades are immediate', (settings) => {
    const { events } = runUpdates(settings, [
      ['2025-03-01', 0],
      ['2025-03-02', 120],
      ['2025-03-03', 550],
      ['2025-03-03', 550],
      ['2025-03-04', 90],
    ])
    expect(events).toEqual([
      '2025-03-01 joined Bronze',
      '2025-03-02 upgraded Silver',
      '2025-03-03 upgraded Gold',
      '2025-03-04 downgraded Bronze',
    ])
  })

  test('no tier in a gap between ranges or above the last range', () => {
    const gapped = [
      { id: 'Low', points: { from: 10, to: 19 } },
      { id: 'High', points: { from: 30, to: 39 } },
    ]
    const updates = [9, 10, 19, 20, 29, 30, 39, 40].map((measure): [string, number] => [`2025-03-${measure}`, measure])
    updates[0] = ['2025-03-09', 9]
    updates[6] = ['2025-04-09', 39]
    updates[7] = ['2025-04-10', 40]
    expect(runUpdates(drop, updates, gapped).events).toEqual([
      '2025-03-10 joined Low',
      '2025-03-20 left Low',
      '2025-03-30 joined High',
      '2025-04-10 left High',
    ])
    expect(runUpdates(drop, updates, [...gapped, open]).events).toEqual([
      '2025-03-09 joined Open',
      '2025-03-10 upgraded Low',
      '2025-03-20 downgraded Open',
      '2025-03-30 upgraded High',
      '2025-04-10 downgraded Open',
    ])
  })

  const quarter = custom('P2M', { type: 'QUARTER', strategy: 'END' })
  test('05 #18: a customer keeps the tier until the end of the quarter after the balance drops', () => {
    const { events } = runUpdates(quarter, [
      ['2025-08-14', 120],
      ['2025-09-01', 20],
      ['2025-12-31', 20],
      ['2026-01-01', 20],
    ])
    expect(events).toEqual(['2025-08-14 joined Silver until 2025-12-31', '2026-01-01 downgraded Bronze'])
  })

  test('05 #18: with 150 points on that day the tier is prolonged from the day after the old date', () => {
    const { events, state } = runUpdates(quarter, [
      ['2025-08-14', 120],
      ['2026-01-01', 150],
    ])
    expect(events[1]).toBe('2026-01-01 prolonged Silver until 2026-03-31')
    expect(state.current?.start_date).toBe('2025-08-14')
  })

  test('05 #18: expiration is rounded up to the end of the next February', () => {
    const february = custom('P4M', { type: 'CUSTOM', unit: 'MONTH', value: 1 })
    expect(runUpdates(february, [['2025-03-20', 120]]).events).toEqual(['2025-03-20 joined Silver until 2026-02-28'])
    const july = custom('P4M', { type: 'CUSTOM', unit: 'MONTH', value: 6 })
    expect(runUpdates(july, [['2025-03-20', 120]]).events).toEqual(['2025-03-20 joined Silver until 2025-07-31'])
  })

  test.each([
    ['P1M', null, '2025-02-28'],
    ['P7D', null, '2025-02-07'],
    ['P1M1D', null, '2025-03-01'],
    ['P1Y', null, '2026-01-31'],
    ['P1M', { type: 'MONTH' }, '2025-02-28'],
    ['P1D', { type: 'MONTH' }, '2025-02-28'],
    ['P1M', { type: 'HALF_YEAR' }, '2025-06-30'],
    ['P1M', { type: 'YEAR' }, '2025-12-31'],
    ['P1M', { type: 'QUARTER', strategy: 'START' }, '2025-03-31'], // START is taken as END
  ] as const)('Silver on 31 January for %s, rounded %o, is until %s', (extend, rounding, date) => {
    expect(runUpdates(custom(extend, rounding), [['2025-01-31', 120]]).events).toEqual([
      `2025-01-31 joined Silver until ${date}`,
    ])
  })

  test('a higher tier starts immediately, with its own expiration date', () => {
    const { events } = runUpdates(custom('P1M'), [
      ['2025-01-10', 120],
      ['2025-01-20', 600],
      ['2025-02-20', 100],
      ['2025-02-21', 100],
    ])
    expect(events).toEqual([
      '2025-01-10 joined Silver until 2025-02-10',
      '2025-01-20 upgraded Gold until 2025-02-20',
      '2025-02-21 downgraded Silver until 2025-03-21',
    ])
  })

  test('a customer below every tier leaves on the day after the expiration', () => {
    const updates: Array<[string, number]> = [
      ['2025-01-10', 120],
      ['2025-02-10', 5],
      ['2025-02-11', 5],
    ]
    expect(runUpdates(custom('P1M'), updates, [silver, gold]).events[1]).toBe('2025-02-11 left Silver')
  })
})

describe('tiers by points in a period', () => {
  test('05 #19: Gold starts with the next quarter', () => {
    const settings = inPeriod('QUARTER', 'NEXT_PERIOD', 'END_OF_NEXT_PERIOD', 'P10D')
    const { events, state } = runUpdates(settings, [
      ['2025-04-02', 0],
      ['2025-05-10', 600],
    ])
    expect(events).toEqual(['2025-04-02 joined Bronze'])
    expect(state.scheduled).toEqual({ tier_id: 'Gold', start_date: '2025-07-01' })
    expect(runUpdates(settings, [['2025-06-30', 600]], tiers, state).events).toEqual([])
    const started = runUpdates(settings, [['2025-07-01', 0]], tiers, state)
    expect(started.events).toEqual(['2025-07-01 upgraded Gold until 2026-01-10'])
    expect(started.state.scheduled).toBeNull()
  })

  test.each([
    [tiers, '2025-04-08 downgraded Bronze'],
    [[silver, gold], '2025-04-08 left Silver'],
  ])('05 #20: Silver for March and seven days more', (of, end) => {
    const settings = inPeriod('MONTH', 'IMMEDIATE', 'END_OF_PERIOD', 'P7D')
    const { events } = runUpdates(
      settings,
      [
        ['2025-03-10', 150],
        ['2025-04-07', 0],
        ['2025-04-08', 0],
      ],
      of,
    )
    expect(events).toEqual(['2025-03-10 joined Silver until 2025-04-07', end])
  })

  test('the upper bound of a range is ignored', () => {
    const one = [{ id: 'Only', points: { from: 10, to: 20 } }]
    expect(runUpdates(inPeriod('YEAR', 'IMMEDIATE', 'END_OF_PERIOD'), [['2025-03-10', 900]], one).events).toEqual([
      '2025-03-10 joined Only until 2025-12-31',
    ])
  })

  test.each([
    ['MONTH', 'END_OF_PERIOD', null, '2025-01-31'],
    ['MONTH', 'END_OF_NEXT_PERIOD', null, '2025-02-28'],
    ['MONTH', 'END_OF_NEXT_PERIOD', 'P1M', '2025-03-31'], // 28 February + P1M keeps the end of the month
    ['MONTH', 'END_OF_PERIOD', 'P1M2D', '2025-03-02'],
    ['QUARTER', 'END_OF_PERIOD', null, '2025-03-31'],
    ['HALF_YEAR', 'END_OF_PERIOD', 'P1M', '2025-07-31'],
    ['YEAR', 'END_OF_NEXT_PERIOD', null, '2026-12-31'],
  ] as const)('%s, %s + %s, from 15 January: until %s', (period, type, extend, date) => {
    expect(runUpdates(inPeriod(period, 'IMMEDIATE', type, extend), [['2025-01-15', 120]]).events).toEqual([
      `2025-01-15 joined Silver until ${date}`,
    ])
  })

  test('a tier earned again is prolonged immediately in a later period, but not in the same one', () => {
    const settings = inPeriod('MONTH', 'IMMEDIATE', 'END_OF_PERIOD', 'P7D')
    const { events, state } = runUpdates(settings, [
      ['2025-03-10', 150],
      ['2025-03-20', 180],
      ['2025-04-01', 0],
      ['2025-04-05', 100],
    ])
    expect(events).toEqual([
      '2025-03-10 joined Silver until 2025-04-07',
      '2025-04-05 prolonged Silver until 2025-05-07',
    ])
    expect(state.current?.start_date).toBe('2025-03-10')
  })

  test('on the day of expiry the points of the new period count', () => {
    const settings = inPeriod('MONTH', 'IMMEDIATE', 'END_OF_PERIOD', 'P7D')
    const { events } = runUpdates(settings, [
      ['2025-03-10', 600],
      ['2025-04-05', 150],
      ['2025-04-08', 150],
    ])
    expect(events).toEqual(['2025-03-10 joined Gold until 2025-04-07', '2025-04-08 downgraded Silver until 2025-05-07'])
  })

  describe('with start NEXT_PERIOD', () => {
    const settings = inPeriod('QUARTER', 'NEXT_PERIOD', 'END_OF_PERIOD')

    test('a tier earned again continues', () => {
      const { events } = runUpdates(settings, [
        ['2025-01-10', 120],
        ['2025-04-01', 0],
        ['2025-05-01', 130],
        ['2025-07-01', 0],
      ])
      expect(events).toEqual([
        '2025-01-10 joined Bronze',
        '2025-04-01 upgraded Silver until 2025-06-30',
        '2025-07-01 prolonged Silver until 2025-09-30',
      ])
    })

    test('a tier not earned again ends', () => {
      const { events } = runUpdates(settings, [
        ['2025-01-10', 120],
        ['2025-04-01', 0],
        ['2025-07-01', 0],
      ])
      expect(events.at(-1)).toBe('2025-07-01 downgraded Bronze')
    })

    test('a lower tier follows an expired higher one', () => {
      const { events } = runUpdates(settings, [
        ['2025-01-10', 700],
        ['2025-04-01', 0],
        ['2025-05-01', 130],
        ['2025-07-01', 0],
      ])
      expect(events.slice(1)).toEqual([
        '2025-04-01 upgraded Gold until 2025-06-30',
        '2025-07-01 downgraded Silver until 2025-09-30',
      ])
    })

    test('a lower tier does not replace a higher one that is still valid', () => {
      const longer = inPeriod('QUARTER', 'NEXT_PERIOD', 'END_OF_NEXT_PERIOD')
      const { events } = runUpdates(longer, [
        ['2025-01-10', 700],
        ['2025-04-01', 0],
        ['2025-05-01', 130],
        ['2025-07-01', 0],
      ])
      expect(events.slice(1)).toEqual(['2025-04-01 upgraded Gold until 2025-09-30'])
    })

    test('a tier earned again is prolonged before it expires', () => {
      const extended = inPeriod('QUARTER', 'NEXT_PERIOD', 'END_OF_PERIOD', 'P10D')
      const updates: Array<[string, number]> = [
        ['2025-01-10', 120],
        ['2025-04-01', 0],
        ['2025-05-01', 130],
        ['2025-07-01', 0],
      ]
      expect(runUpdates(extended, updates).events.slice(1)).toEqual([
        '2025-04-01 upgraded Silver until 2025-07-10',
        '2025-07-01 prolonged Silver until 2025-10-10',
      ])
    })

    test('a tier that lasts one day into the next period is followed by the tier for the points of that period', () => {
      const extended = inPeriod('QUARTER', 'NEXT_PERIOD', 'END_OF_PERIOD', 'P1D')
      const updates: Array<[string, number]> = [
        ['2025-01-10', 700],
        ['2025-04-01', 0],
        ['2025-05-01', 130],
        ['2025-07-01', 0],
        ['2025-07-02', 0],
      ]
      expect(runUpdates(extended, updates).events.slice(1)).toEqual([
        '2025-04-01 upgraded Gold until 2025-07-01',
        '2025-07-02 downgraded Bronze',
      ])
    })

    test('the higher of two scheduled tiers wins', () => {
      const { state } = runUpdates(settings, [
        ['2025-01-10', 120],
        ['2025-02-10', 620],
        ['2025-03-10', 620],
      ])
      expect(state.scheduled).toEqual({ tier_id: 'Gold', start_date: '2025-04-01' })
    })

    test('points of the new period do not start a higher tier before the next period', () => {
      const extended = inPeriod('QUARTER', 'NEXT_PERIOD', 'END_OF_PERIOD', 'P10D')
      const { events, state } = runUpdates(extended, [
        ['2025-01-10', 120],
        ['2025-04-01', 0],
        ['2025-07-05', 900],
        ['2025-07-11', 900],
      ])
      expect(events.slice(1)).toEqual([
        '2025-04-01 upgraded Silver until 2025-07-10',
        '2025-07-11 prolonged Silver until 2025-10-10',
      ])
      expect(state.scheduled).toEqual({ tier_id: 'Gold', start_date: '2025-10-01' })
    })

    test('without a tier from 0 points the customer has none until then', () => {
      const { events, state } = runUpdates(
        settings,
        [
          ['2025-01-10', 120],
          ['2025-03-31', 120],
        ],
        [silver],
      )
      expect(events).toEqual([])
      expect(runUpdates(settings, [['2025-04-02', 0]], [silver], state).events).toEqual([
        '2025-04-01 joined Silver until 2025-06-30',
      ])
    })
  })

  test('the measure is the points of the calendar period up to the date', () => {
    const credits = [
      { date: '2025-03-31', points: 40 },
      { date: '2025-04-01', points: 1 },
      { date: '2025-05-10', points: 20 },
      { date: '2025-05-11', points: 300 },
    ]
    expect(collectedInPeriod(credits, 'QUARTER', '2025-05-10')).toBe(21)
    expect(collectedInPeriod(credits, 'MONTH', '2025-05-10')).toBe(20)
    expect(collectedInPeriod(credits, 'HALF_YEAR', '2025-05-11')).toBe(361)
    expect(collectedInPeriod(credits, 'YEAR', '2025-03-31')).toBe(40)
  })
})

describe('changes of the program', () => {
  const updateTier = (facts: Partial<TierFacts>) =>
    moveTier({ tiers, settings: drop, state: nothing, today: '2025-06-15', measure: 0, ...facts })

  test('customers of a removed tier lose it immediately', () => {
    const removedTiers = [silver]
    const state = holding('Silver', '2025-01-10', '2025-12-31')
    const of = (measure: number, tiers: LoyaltyTier[]) =>
      eventTexts(
        updateTier({ tiers, removed_tiers: removedTiers, state, measure, settings: custom('P1M'), changed: 'tiers' }),
      )
    expect(of(150, [bronze, gold])).toEqual(['2025-06-15 left Silver'])
    expect(of(20, [bronze, gold])).toEqual(['2025-06-15 downgraded Bronze'])
    expect(of(600, [bronze, gold])).toEqual(['2025-06-15 upgraded Gold until 2025-07-15'])
    const waiting = { current: null, scheduled: { tier_id: 'Silver', start_date: '2025-07-01' } }
    expect(
      updateTier({ tiers: [gold], state: waiting, settings: inPeriod('QUARTER', 'NEXT_PERIOD', 'END_OF_PERIOD') })
        .state,
    ).toEqual(nothing)
  })

  test('new thresholds move tiers without expiration up and down, tiers with expiration only up', () => {
    const higher = [{ ...bronze, points: { from: 50, to: 199 } }, { ...silver, points: { from: 200 } }, open]
    const of = (state: TierState, measure: number, settings: TierExpiration) =>
      eventTexts(updateTier({ tiers: higher, state, measure, settings, changed: 'tiers' }))
    expect(of(holding('Silver', '2025-01-10'), 150, drop)).toEqual(['2025-06-15 downgraded Bronze'])
    expect(of(holding('Bronze', '2025-01-10'), 20, custom('P1M'))).toEqual(['2025-06-15 downgraded Open'])
    expect(of(holding('Silver', '2025-01-10', '2025-12-31'), 150, custom('P1M'))).toEqual([])
    expect(of(holding('Bronze', '2025-01-10', '2025-12-31'), 250, custom('P1M'))).toEqual([
      '2025-06-15 upgraded Silver until 2025-07-15',
    ])
    // Without a change of thresholds, a tier without expiration is kept.
    expect(
      eventTexts(
        updateTier({ tiers: higher, state: holding('Bronze', '2025-01-10'), settings: custom('P1M'), measure: 20 }),
      ),
    ).toEqual([])
  })

  test('new settings recompute expiration from the start, may upgrade, and never downgrade', () => {
    const state = holding('Silver', '2025-05-20')
    const of = (settings: TierExpiration, measure: number, held = state) =>
      eventTexts(updateTier({ state: held, settings, measure, changed: 'settings' }))
    expect(of(custom('P3M'), 20)).toEqual(['2025-06-15 expiration.changed Silver until 2025-08-20'])
    expect(of(custom('P3M'), 20, holding('Silver', '2025-05-20', '2025-08-20'))).toEqual([])
    expect(of(custom('P3M'), 600)).toEqual([
      '2025-06-15 expiration.changed Silver until 2025-08-20',
      '2025-06-15 upgraded Gold until 2025-09-15',
    ])
    expect(of(custom('P10D'), 20)).toEqual(['2025-06-15 expiration.changed Silver until 2025-06-21'])
    expect(of(drop, 20, holding('Silver', '2025-05-20', '2025-08-20'))).toEqual([
      '2025-06-15 expiration.changed Silver',
    ])
    expect(of(drop, 20)).toEqual([])
    // A customer who earned the tier again in this period keeps it longer than counted from its start.
    const monthly = inPeriod('MONTH', 'IMMEDIATE', 'END_OF_PERIOD', 'P2M')
    expect(of(monthly, 150)).toEqual([
      '2025-06-15 expiration.changed Silver until 2025-07-31',
      '2025-06-15 prolonged Silver until 2025-08-31',
    ])
  })

  test('a change to balance drops the scheduled tier', () => {
    const state = { current: null, scheduled: { tier_id: 'Silver', start_date: '2025-07-01' } }
    expect(updateTier({ state, settings: custom('P1M'), measure: 600 }).state).toEqual(
      holding('Gold', '2025-06-15', '2025-07-15'),
    )
  })
})

test('nextTierDate is the next day on which a tier changes without an event', () => {
  const scheduled = { tier_id: 'Gold', start_date: '2025-07-01' }
  expect(nextTierDate(nothing)).toBeNull()
  expect(nextTierDate(holding('Silver', '2025-01-10'))).toBeNull()
  expect(nextTierDate(holding('Silver', '2025-01-10', '2025-12-31'))).toBe('2026-01-01')
  expect(nextTierDate({ current: null, scheduled })).toBe('2025-07-01')
  expect(nextTierDate({ ...holding('Silver', '2025-01-10', '2025-12-31'), scheduled })).toBe('2025-07-01')
  expect(nextTierDate({ ...holding('Silver', '2025-01-10', '2025-06-29'), scheduled })).toBe('2025-06-30')
})

describe('daily updates and updates on change only', () => {
  const first = readDay('2024-11-20') as number
  const anySettings = fc.oneof(
    fc.constant(drop),
    fc.record({ months: fc.nat(3), days: fc.nat(40) }).chain(({ months, days }) => {
      const extend = `P${months}M${days + 1}D`
      const strategy = { strategy: null }
      return fc.constantFrom(
        custom(extend),
        custom(extend, { type: 'MONTH', ...strategy }),
        custom(extend, { type: 'QUARTER', ...strategy }),
        custom(extend, { type: 'CUSTOM', unit: 'MONTH', value: 1, ...strategy }),
      )
    }),
    fc
      .tuple(
        fc.constantFrom('MONTH', 'QUARTER', 'HALF_YEAR'),
        fc.constantFrom('IMMEDIATE', 'NEXT_PERIOD'),
        fc.constantFrom('END_OF_PERIOD', 'END_OF_NEXT_PERIOD'),
        fc.constantFrom(null, 'P10D', 'P1M', 'P2M5D'),
      )
      .map(([period, start, type, extend]) => inPeriod(period, start, type, extend)),
  )
  /** Days with a change of the measure; a debit never exceeds the balance. */
  const history = fc.array(fc.record({ after: fc.nat(60), points: fc.integer({ min: -400, max: 400 }) }), {
    maxLength: 12,
  })
  const someTiers = fc.constantFrom(tiers, [silver, gold], [gold, silver, open], [open, bronze, silver, gold])

  test('give the same tiers, events and dates', () => {
    fc.assert(
      fc.property(anySettings, history, someTiers, fc.nat(400), (settings, changes, of, rest) => {
        const credits: Array<{ date: string; points: number }> = []
        const balances = new Map<string, number>()
        let balance = 0
        let day = first
        const days = changes.map(({ after, points }) => {
          day += after
          const change = Math.max(points, -balance)
          balance += change
          if (change > 0) credits.push({ date: dayText(day), points: change })
          balances.set(dayText(day), balance)
          return day
        })
        const last = day + rest
        const yesterday = (date: string) => dayText((readDay(date) as number) - 1)
        const balanceAtEnd = (date: string) => [...balances].filter(([ofDay]) => ofDay <= date).at(-1)?.[1] ?? 0
        const measured = (date: string, until: string) =>
          settings.qualification_type === 'BALANCE'
            ? balanceAtEnd(until)
            : collectedInPeriod(
                credits.filter((credit) => credit.date <= until),
                settings.qualification_period,
                date,
              )
        const atStart = (date: string) => measured(date, yesterday(date))
        const atEnd = (date: string) => measured(date, date)

        const tell = (look: number[]) => {
          let state = nothing
          const events: TierMove['events'] = []
          for (const number of look) {
            const today = dayText(number)
            for (const measure of [atStart(today), atEnd(today)]) {
              const move = moveTier({ tiers: of, settings, state, today, measure }, atStart)
              state = move.state
              events.push(...move.events)
            }
          }
          return { state, events }
        }
        const everyDay = Array.from({ length: last - first + 1 }, (_, index) => first + index)
        const daily = tell(everyDay)
        const late = tell([...new Set([first, ...days, last])])
        expect(late).toEqual(daily)
        // The events add up to the current tier.
        const held = daily.events.at(-1)
        expect(held?.current ?? null).toEqual(daily.state.current)
      }),
      { numRuns: 300 },
    )
  })

  test('a second update on the same day gives no events', () => {
    fc.assert(
      fc.property(anySettings, fc.nat(700), fc.nat(700), fc.nat(200), (settings, before, measure, later) => {
        const start = moveTier({ tiers, settings, state: nothing, today: dayText(first), measure: before })
        const facts = { tiers, settings, today: dayText(first + later), measure }
        const once = moveTier({ ...facts, state: start.state })
        expect(moveTier({ ...facts, state: once.state })).toEqual({ state: once.state, events: [] })
      }),
    )
  })
})
