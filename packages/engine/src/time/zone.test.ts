import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  clockAt,
  dayText,
  instantText,
  localDay,
  momentOf,
  periodStart,
  readDay,
  readInstant,
  startOfDay,
  wallTime,
  zoneOf,
} from './index.ts'

const at = (text: string) => readInstant(text) as number
const minute = 60_000

/** Local time as text: `2025-03-30 03:15`. */
function localTimeText(text: string, zone: string): string {
  const { day, time } = wallTime(at(text), zoneOf(zone))
  const minutes = Math.floor(time / minute)
  return `${dayText(day)} ${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
}

/** The instant of a local time. */
function moment(text: string, zone: string): string {
  const [day, time] = text.split(' ') as [string, string]
  const [hours, minutes] = time.split(':').map(Number) as [number, number]
  return instantText(momentOf({ day: readDay(day) as number, time: (hours * 60 + minutes) * minute }, zoneOf(zone)))
}

describe('wall clocks', () => {
  test.each([
    ['2025-03-30T00:59:59Z', 'Europe/Warsaw', '2025-03-30 01:59'],
    ['2025-03-30T01:00:00Z', 'Europe/Warsaw', '2025-03-30 03:00'],
    ['2025-10-26T00:59:59Z', 'Europe/Warsaw', '2025-10-26 02:59'],
    ['2025-10-26T01:00:00Z', 'Europe/Warsaw', '2025-10-26 02:00'],
    ['2025-07-11T19:59:59Z', 'America/New_York', '2025-07-11 15:59'],
    ['2025-01-10T21:00:00Z', 'America/New_York', '2025-01-10 16:00'],
    ['2025-03-09T06:59:59Z', 'America/New_York', '2025-03-09 01:59'],
    ['2025-03-09T07:00:00Z', 'America/New_York', '2025-03-09 03:00'],
    ['2025-01-01T00:00:00Z', 'Asia/Kathmandu', '2025-01-01 05:45'],
    ['2025-04-05T14:59:59Z', 'Australia/Lord_Howe', '2025-04-06 01:59'],
    ['2025-04-05T15:00:00Z', 'Australia/Lord_Howe', '2025-04-06 01:30'], // half an hour
    ['2011-12-30T09:59:59Z', 'Pacific/Apia', '2011-12-29 23:59'],
    ['2011-12-30T10:00:00Z', 'Pacific/Apia', '2011-12-31 00:00'], // Samoa had no 30 December
    ['2011-03-13T04:00:59Z', 'America/Goose_Bay', '2011-03-13 00:00'],
    ['2011-03-13T04:01:00Z', 'America/Goose_Bay', '2011-03-13 01:01'], // a minute past: not on the quarter hour
    ['2000-10-08T02:59:59Z', 'America/Recife', '2000-10-07 23:59'],
    ['2000-10-08T03:00:00Z', 'America/Recife', '2000-10-08 01:00'], // for one week
    ['2000-10-15T02:00:00Z', 'America/Recife', '2000-10-14 23:00'],
    ['1900-01-01T00:00:00Z', 'Europe/Warsaw', '1900-01-01 01:24'],
    ['2025-01-01T12:00:00Z', 'GMT+5:30', '2025-01-01 17:30'],
    ['2025-01-01T12:00:00Z', 'GMT-3', '2025-01-01 09:00'],
    ['2025-01-01T12:00:00Z', 'GMT+05:30', '2025-01-01 17:30'],
    ['2025-01-01T12:00:00Z', 'GMT-12:00', '2025-01-01 00:00'],
    ['2025-01-01T12:00:00Z', 'UTC', '2025-01-01 12:00'],
    ['2025-01-01T12:00:00Z', 'GMT', '2025-01-01 12:00'],
    ['2025-01-01T12:00:00Z', 'Etc/GMT+5', '2025-01-01 07:00'], // the sign of these names is the other way round
    ['2025-01-01T12:00:00Z', 'Nowhere/Land', '2025-01-01 12:00'],
  ])('at %s, in %s, show %s', (text, zone, expected) => {
    expect(localTimeText(text, zone)).toBe(expected)
  })

  test.each([
    ['2025-03-30 02:30', 'Europe/Warsaw', '2025-03-30T01:30:00.000Z'], // skipped: forward by the hour, 03:30
    ['2025-03-30 01:59', 'Europe/Warsaw', '2025-03-30T00:59:00.000Z'],
    ['2025-03-30 03:00', 'Europe/Warsaw', '2025-03-30T01:00:00.000Z'],
    ['2025-10-26 02:30', 'Europe/Warsaw', '2025-10-26T00:30:00.000Z'], // twice: the first
    ['2025-10-26 03:00', 'Europe/Warsaw', '2025-10-26T02:00:00.000Z'],
    ['2025-03-09 02:30', 'America/New_York', '2025-03-09T07:30:00.000Z'],
    ['2025-11-02 01:30', 'America/New_York', '2025-11-02T05:30:00.000Z'],
    ['2025-10-05 02:15', 'Australia/Lord_Howe', '2025-10-04T15:45:00.000Z'], // skipped: forward by half an hour, 02:45
    ['2025-04-06 01:45', 'Australia/Lord_Howe', '2025-04-05T14:45:00.000Z'],
    ['2011-12-30 12:00', 'Pacific/Apia', '2011-12-30T22:00:00.000Z'], // skipped: forward by the day
    ['2011-12-29 23:00', 'Pacific/Apia', '2011-12-30T09:00:00.000Z'],
    ['2011-12-31 00:00', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['2018-11-04 00:00', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'], // midnight skipped: the day began at 01:00
    ['2010-11-07 00:00', 'America/St_Johns', '2010-11-07T02:30:00.000Z'], // after 00:01 came 23:01 again
    ['2025-01-01 05:45', 'Asia/Kathmandu', '2025-01-01T00:00:00.000Z'],
    ['2025-01-01 00:00', 'GMT+5:30', '2024-12-31T18:30:00.000Z'],
  ])('show %s in %s at %s', (text, zone, expected) => {
    expect(moment(text, zone)).toBe(expected)
  })
})

const zones = [
  'Europe/Warsaw',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/St_Johns',
  'Africa/Casablanca',
  'Antarctica/Casey',
  'GMT-3:30',
]
const zoneName = fc.constantFrom(...zones)
const instant = fc.integer({ min: at('1880-01-01'), max: at('2200-01-01') })

describe('zones', () => {
  test('agree with Intl, whatever is cached', () => {
    const formats = new Map(
      zones
        .slice(0, -1)
        .map((zone) => [
          zone,
          new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }),
        ]),
    )
    fc.assert(
      fc.property(fc.constantFrom(...formats.keys()), instant, (zone, ms) => {
        const { day, time } = wallTime(ms, zoneOf(zone))
        const local = instantText(day * 86_400_000 + time)
          .slice(0, 19)
          .replace('T', ' ')
        expect(local).toBe(formats.get(zone)?.format(ms))
      }),
      { numRuns: 3_000 },
    )
  })

  test('find every offset change of recent decades to the second', () => {
    for (const zone of zones) {
      const { offsetAt } = zoneOf(zone)
      const format = new Intl.DateTimeFormat('en', {
        timeZone: zone.replace(/^GMT.*/, '-03:30'),
        timeStyle: 'medium',
        hourCycle: 'h23',
      })
      const hours = 6 * 3_600_000
      for (let ms = at('2009-01-01'); ms < at('2026-01-01'); ms += hours) {
        if (offsetAt(ms) === offsetAt(ms + hours)) continue
        // The change is within these hours: the first second with the new offset is where Intl shows a jump.
        let second = ms
        while (offsetAt(second) === offsetAt(ms)) second += 1_000
        const [before, after] = [format.format(second - 1_000), format.format(second)]
        const seconds = (text: string) => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
        const jump = (seconds(after) - seconds(before) + 86_400) % 86_400
        if (zone === 'Pacific/Apia' && second === at('2011-12-30T10:00')) expect(jump).toBe(1)
        else expect([zone, instantText(second), jump]).not.toEqual([zone, instantText(second), 1])
      }
    }
  })

  test('a local time converts back to its instant, or to the first of two', () => {
    fc.assert(
      fc.property(zoneName, instant, (name, ms) => {
        const zone = zoneOf(name)
        const wall = wallTime(ms, zone)
        const back = momentOf(wall, zone)
        expect(wallTime(back, zone)).toEqual(wall)
        expect(back).toBeLessThanOrEqual(ms)
        expect(ms - back).toBeLessThanOrEqual(86_400_000)
      }),
      { numRuns: 2_000 },
    )
  })

  test('startOfDay is the first instant of the day', () => {
    fc.assert(
      fc.property(zoneName, instant, (name, ms) => {
        const zone = zoneOf(name)
        const day = localDay(ms, zone)
        const start = startOfDay(day, zone)
        expect(start).toBeLessThanOrEqual(ms)
        expect(localDay(start, zone)).toBe(day)
        expect(localDay(start - 1, zone)).toBeLessThan(day)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('periodStart', () => {
  test.each([
    // docs/reference/examples-rules.md#e9-weekly-window: a week starts on Monday 00:00 in Warsaw.
    ['2025-03-16T22:59:59Z', 'week', '2025-03-09T23:00:00.000Z'],
    ['2025-03-16T23:00:00Z', 'week', '2025-03-16T23:00:00.000Z'],
    ['2025-03-09T22:30:00Z', 'week', '2025-03-02T23:00:00.000Z'],
    ['2025-03-09T23:30:00Z', 'week', '2025-03-09T23:00:00.000Z'],
    ['2025-04-02T10:00:00Z', 'week', '2025-03-30T22:00:00.000Z'],
    ['2025-03-30T12:00:00Z', 'day', '2025-03-29T23:00:00.000Z'],
    ['2025-03-31T12:00:00Z', 'day', '2025-03-30T22:00:00.000Z'],
    ['2025-03-31T22:00:00Z', 'month', '2025-03-31T22:00:00.000Z'],
    ['2025-03-31T21:59:59Z', 'month', '2025-02-28T23:00:00.000Z'],
    ['2024-12-31T23:30:00Z', 'month', '2024-12-31T23:00:00.000Z'],
  ] as const)('at %s in Warsaw, the %s began at %s', (now, period, expected) => {
    expect(instantText(periodStart(clockAt(now, 'Europe/Warsaw'), period))).toBe(expected)
  })
})
