import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addMonths,
  dayOf,
  daysInMonth,
  dayText,
  endOfPeriod,
  partsOf,
  readDay,
  startOfPeriod,
  startOfWeek,
  weekdayOf,
} from './index.ts'

const msPerDay = 86_400_000
/** About ±27,000 years around 1970, with the turns of centuries and eras among them. */
const day = fc.oneof(fc.integer({ min: -10_000_000, max: 10_000_000 }), fc.integer({ min: -800_000, max: 3_000_000 }))
const on = (text: string) => readDay(text) as number

describe('days', () => {
  test('agree with Date in UTC, in both directions', () => {
    fc.assert(
      fc.property(day, (number) => {
        const date = new Date(number * msPerDay)
        const expected = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
        expect(partsOf(number)).toEqual(expected)
        expect(dayOf(expected.year, expected.month, expected.day)).toBe(number)
        expect(weekdayOf(number)).toBe(date.getUTCDay())
      }),
      { numRuns: 2_000 },
    )
  })

  test('are consecutive over four centuries', () => {
    let expected = on('1899-12-31')
    for (let year = 1900; year < 2300; year += 1) {
      for (let month = 1; month <= 12; month += 1) {
        for (let ofMonth = 1; ofMonth <= daysInMonth(year, month); ofMonth += 1) {
          expected += 1
          if (dayOf(year, month, ofMonth) !== expected) expect([year, month, ofMonth]).toEqual(partsOf(expected))
        }
      }
    }
    expect(dayText(expected)).toBe('2299-12-31')
  })

  test('carry over months and days out of range', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -300, max: 9_000 }),
        fc.integer({ min: -50, max: 50 }),
        fc.integer({ min: -900, max: 900 }),
        (year, month, ofMonth) => {
          const date = new Date(0)
          date.setUTCFullYear(year, month - 1, ofMonth)
          expect(dayOf(year, month, ofMonth)).toBe(date.getTime() / msPerDay)
        },
      ),
    )
  })

  test.each([
    ['2024-02-29', true],
    ['2025-02-29', false],
    ['2000-02-29', true],
    ['1900-02-29', false],
    ['2025-02-28', true],
    ['2025-04-31', false],
    ['2025-12-31', true],
    ['2025-13-01', false],
    ['2025-00-10', false],
    ['2025-01-00', false],
    ['2025-1-01', false],
    ['2025-01-01T00:00', false],
    [' 2025-01-01', false],
    ['0001-01-01', true],
    ['9999-12-31', true],
  ])('%s is a date: %s', (text, isDate) => {
    const read = readDay(text)
    expect(read === null ? null : dayText(read)).toBe(isDate ? text : null)
  })
})

describe('months', () => {
  test.each([
    ['2025-01-31', 1, '2025-02-28'],
    ['2024-01-31', 1, '2024-02-29'],
    ['2025-01-31', 2, '2025-03-31'],
    ['2024-02-29', 12, '2025-02-28'],
    ['2024-02-29', 48, '2028-02-29'],
    ['2025-03-31', -1, '2025-02-28'],
    ['2025-01-15', -13, '2023-12-15'],
    ['2025-12-31', 0, '2025-12-31'],
  ])('%s + %d is %s', (from, months, expected) => {
    expect(dayText(addMonths(on(from), months))).toBe(expected)
  })

  test('adding months keeps the day of the month, or uses its last day', () => {
    fc.assert(
      fc.property(day, fc.integer({ min: -5_000, max: 5_000 }), (number, months) => {
        const from = partsOf(number)
        const to = partsOf(addMonths(number, months))
        expect(to.year * 12 + to.month).toBe(from.year * 12 + from.month + months)
        expect(to.day).toBe(Math.min(from.day, daysInMonth(to.year, to.month)))
      }),
    )
  })

  test.each([
    ['2025-05-10', 1, '2025-05-01', '2025-05-31'],
    ['2025-05-10', 3, '2025-04-01', '2025-06-30'],
    ['2025-05-10', 6, '2025-01-01', '2025-06-30'],
    ['2025-07-01', 6, '2025-07-01', '2025-12-31'],
    ['2024-02-29', 1, '2024-02-01', '2024-02-29'],
    ['2025-12-31', 12, '2025-01-01', '2025-12-31'],
  ])('%s lies in the period of %d months from %s to %s', (text, months, first, last) => {
    expect(dayText(startOfPeriod(on(text), months))).toBe(first)
    expect(dayText(endOfPeriod(on(text), months))).toBe(last)
    expect(startOfPeriod(on(text), months, 1)).toBe(on(last) + 1)
  })

  test.each([
    ['2025-03-10', '2025-03-10'], // Monday
    ['2025-03-16', '2025-03-10'], // Sunday
    ['2025-03-17', '2025-03-17'],
    ['1969-12-31', '1969-12-29'],
  ])('the week of %s began on %s', (text, expected) => {
    expect(dayText(startOfWeek(on(text)))).toBe(expected)
  })
})
