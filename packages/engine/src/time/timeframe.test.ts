import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addDuration,
  approximateLength,
  type Duration,
  instantText,
  isInTimeframe,
  readDuration,
  readInstant,
  zoneOf,
} from './index.ts'

const at = (text: string) => readInstant(text) as number
const lasting = (text: string) => readDuration(text) as Duration

describe('durations', () => {
  test.each([
    ['P1Y', { months: 12, days: 0, ms: 0 }],
    ['P1Y2M3W4DT5H6M7S', { months: 14, days: 25, ms: 18_367_000 }],
    ['PT2H', { months: 0, days: 0, ms: 7_200_000 }],
    ['P1M', { months: 1, days: 0, ms: 0 }],
    ['PT1M', { months: 0, days: 0, ms: 60_000 }],
    ['P0DT1S', { months: 0, days: 0, ms: 1_000 }],
    ['P10000Y', { months: 120_000, days: 0, ms: 0 }],
    ['P', null],
    ['PT', null],
    ['P1DT', null],
    ['P0D', null],
    ['PT0S', null],
    ['1D', null],
    ['P1.5D', null],
    ['P-1D', null],
    ['P1D2M', null],
    ['p1d', null],
    ['P1H', null],
    ['P10001Y', null],
    ['P9999999999999999999999D', null],
    [`P${'9'.repeat(400)}Y`, null],
  ])('%s', (text, expected) => {
    expect(readDuration(text)).toEqual(expected)
  })

  test.each([
    ['2025-01-31T12:00Z', 'P1M', 1, 'UTC', '2025-02-28T12:00:00.000Z'],
    ['2025-01-31T12:00Z', 'P1M', 2, 'UTC', '2025-03-31T12:00:00.000Z'], // counted from the start, not from February
    ['2025-03-29T09:00Z', 'P1D', 1, 'Europe/Warsaw', '2025-03-30T08:00:00.000Z'],
    ['2025-03-29T09:00Z', 'PT24H', 1, 'Europe/Warsaw', '2025-03-30T09:00:00.000Z'],
    ['2025-03-29T01:30Z', 'P1D', 1, 'Europe/Warsaw', '2025-03-30T01:30:00.000Z'], // 02:30 is skipped: 03:30
    ['2025-03-29T01:30Z', 'P1D', 2, 'Europe/Warsaw', '2025-03-31T00:30:00.000Z'], // and 02:30 again the day after
    ['2025-10-25T00:30Z', 'P1D', 1, 'Europe/Warsaw', '2025-10-26T00:30:00.000Z'], // 02:30 twice: the first
    ['2025-10-25T00:30Z', 'P1DT1H', 1, 'Europe/Warsaw', '2025-10-26T01:30:00.000Z'],
    // docs/reference/validity-periods.md#validity-after-publishing
    ['2025-10-20T08:15Z', 'P10D', 1, 'Europe/Warsaw', '2025-10-30T09:15:00.000Z'],
    ['2025-10-20T08:15Z', 'PT240H', 1, 'Europe/Warsaw', '2025-10-30T08:15:00.000Z'],
    ['2025-01-31T12:00Z', 'P1M', 1, 'UTC', '2025-02-28T12:00:00.000Z'],
  ])('%s + %s × %d in %s is %s', (from, text, times, zone, expected) => {
    expect(instantText(addDuration(at(from), lasting(text), zoneOf(zone), times))).toBe(expected)
  })
})

const inFrame = (start: string, interval: string, duration: string, moment: string, zone = 'UTC') =>
  isInTimeframe(
    { start: at(start), interval: lasting(interval), duration: lasting(duration) },
    at(moment),
    zoneOf(zone),
  )

describe('timeframes', () => {
  test.each([
    // docs/reference/examples-rules.md#e17-time-frames
    ['2025-01-10T10:59:59Z', true],
    ['2025-01-10T11:00:00Z', false],
    ['2025-01-09T09:00:00Z', false],
    ['2025-01-06T07:59:59Z', false],
    ['2025-01-06T08:00:00Z', true],
  ])('every two days for three hours: %s %s', (moment, expected) => {
    expect(inFrame('2025-01-06T08:00:00Z', 'P2D', 'PT3H', moment)).toBe(expected)
  })

  test.each([
    ['P1D', '2025-03-29T10:59:59Z', true],
    ['P1D', '2025-03-29T11:00:00Z', false],
    ['P1D', '2025-03-31T08:30:00Z', true],
    ['P1D', '2025-03-31T10:30:00Z', false],
    ['PT24H', '2025-03-31T10:30:00Z', true],
  ])('two hours every %s across a clock change: %s %s', (interval, moment, expected) => {
    expect(inFrame('2025-03-28T09:00:00Z', interval, 'PT2H', moment, 'Europe/Warsaw')).toBe(expected)
  })

  test.each([
    ['the last day of February opens the second window', 'P1M', 'P1D', '2025-02-28T12:00Z', true],
    ['the second window ends with that day', 'P1M', 'P1D', '2025-03-01T00:00Z', false],
    ['the third opens on the 31st', 'P1M', 'P1D', '2025-03-28T12:00Z', false],
    ['the third opens on the 31st', 'P1M', 'P1D', '2025-03-31T12:00Z', true],
    ['30 days from 31 January overlap with the next window', 'P1M', 'P30D', '2025-03-01T12:00Z', true],
    ['the second window, from 28 February, ends on 30 March', 'P1M', 'P30D', '2025-03-29T23:59Z', true],
    ['before the third there is a gap', 'P1M', 'P30D', '2025-03-30T00:00Z', false],
    ['a month every month leaves no gap', 'P1M', 'P1M', '2025-03-29T12:00Z', true],
    ['more than a month every month leaves no gap', 'P1M', 'P1M1D', '2025-03-30T12:00Z', true],
    ['a month and an hour, repeated, leaves no gap', 'P1MT1H', 'P1MT1H', '2025-03-30T12:00Z', true],
    ['twelve months every year leave no gap', 'P1Y', 'P12M', '2028-02-28T12:00Z', true],
    ['there is no window before the start', 'P1M', 'P1M', '2025-01-30T23:59Z', false],
  ])('from 31 January: %s', (_, interval, duration, moment, expected) => {
    expect(inFrame('2025-01-31T00:00Z', interval, duration, moment)).toBe(expected)
  })

  test('a leap day every four years', () => {
    const frame = (moment: string) => inFrame('2024-02-29', 'P4Y', 'P1D', moment)
    expect(['2028-02-29', '2028-02-28', '2028-03-01', '9996-02-29'].map(frame)).toEqual([true, false, false, true])
  })

  test('windows on the day that Samoa skipped', () => {
    const frame = (moment: string) => inFrame('2011-12-28T10:00Z', 'P1D', 'PT1H', moment, 'Pacific/Apia') // midnight
    expect(['2011-12-30T10:30Z', '2011-12-30T11:00Z', '2011-12-31T10:30Z'].map(frame)).toEqual([true, false, true])
  })

  test('finds the window of a one-second interval from the year 1 without iterating', () => {
    const every = (interval: string, duration: string) => {
      let lookups = 0
      const warsaw = zoneOf('Europe/Warsaw')
      const zone = {
        offsetAt(ms: number) {
          lookups += 1
          return warsaw.offsetAt(ms)
        },
      }
      const frame = { start: at('0001-01-31T23:59:59.999Z'), interval: lasting(interval), duration: lasting(duration) }
      for (const moment of ['9999-12-31T23:59:59.999Z', '2025-03-30T01:00Z', '5000-02-28'])
        isInTimeframe(frame, at(moment), zone)
      return lookups
    }
    for (const interval of ['PT2S', 'P1D', 'P1DT1S', 'P1M', 'P1MT1S', 'P1Y', 'P7M3DT5H', 'P9999Y', 'P3652500D']) {
      expect([interval, every(interval, 'PT1S') < 120]).toEqual([interval, true])
    }
  })

  test('agree with a search of every window', () => {
    const duration = fc
      .tuple(fc.nat(3), fc.nat(40), fc.nat(40))
      .filter(([months, days, hours]) => months + days + hours > 0)
      .map(([months, days, hours]): Duration => ({ months, days, ms: hours * 3_600_000 }))
    fc.assert(
      fc.property(
        fc.constantFrom('UTC', 'Europe/Warsaw', 'Pacific/Apia', 'Australia/Lord_Howe'),
        fc.integer({ min: at('2010-01-01'), max: at('2011-12-31') }),
        duration,
        duration,
        fc.integer({ min: -86_400_000, max: 500 * 86_400_000 }),
        (name, start, interval, length, later) => {
          const zone = zoneOf(name)
          const moment = start + later
          let inside = false
          for (let k = 0; ; k += 1) {
            const opens = addDuration(start, interval, zone, k)
            if (opens > moment) break
            if (moment < addDuration(opens, length, zone)) inside = true
          }
          const found = isInTimeframe({ start, interval, duration: length }, moment, zone)
          // The search misses only contiguous windows, which also cover the gap of a short month.
          if (found !== inside) {
            expect([inside, moment >= start, length.months >= interval.months]).toEqual([false, true, true])
            expect(approximateLength({ ...length, months: 0 })).toBeGreaterThanOrEqual(
              approximateLength({ ...interval, months: 0 }),
            )
          }
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
