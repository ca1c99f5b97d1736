import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PointsExpirationRules } from '../schema/loyalty.ts'
import { dayText } from '../time/index.ts'
import { activationDate, expirationDate } from './expiry.ts'

const months = (periodValue: number, roundingType?: string, roundingValue?: number) =>
  ({
    period_type: 'MONTH',
    period_value: periodValue,
    rounding_type: roundingType,
    rounding_value: roundingValue,
  }) as PointsExpirationRules
const fixed = (fixedMonth: number, fixedDay: number): PointsExpirationRules => ({
  period_type: 'FIXED_DAY_OF_YEAR',
  fixed_month: fixedMonth,
  fixed_day: fixedDay,
})

describe('expirationDate', () => {
  test.each([
    ['05 #8', '2025-01-25', months(1), '2025-02-25'],
    ['05 #8', '2025-01-31', months(1), '2025-02-28'],
    ['05 #8', '2024-01-31', months(1), '2024-02-29'],
    ['05 #8', '2025-01-01', months(0), '2025-01-01'],
    ['05 #8', '2025-07-01', fixed(6, 30), '2026-06-30'],
    ['05 #8', '2025-06-30', fixed(6, 30), '2025-06-30'],
    ['05 #8', '2024-02-10', fixed(2, 31), '2024-02-29'],
    ['05 #8', '2025-03-01', fixed(2, 31), '2026-02-28'],
    ['05 #9', '2025-02-10', months(3, 'END_OF_QUARTER'), '2025-06-30'],
    ['05 #9', '2025-02-10', months(5, 'END_OF_HALF_YEAR'), '2025-12-31'],
    ['05 #9', '2025-11-20', months(2, 'END_OF_MONTH'), '2026-01-31'],
    ['05 #9', '2025-11-20', months(2, 'END_OF_YEAR'), '2026-12-31'],
    ['05 #9', '2025-01-28', months(2, 'PARTICULAR_MONTH', 1), '2026-01-31'],
    ['05 #9', '2025-01-28', months(2, 'PARTICULAR_MONTH', 3), '2025-03-31'],
    ['05 #9', '2025-01-28', months(2, 'PARTICULAR_MONTH', 9), '2025-09-30'],
    ['05 #10: from the day of activation', '2025-03-09', months(1), '2025-04-09'],
    ['05 #14', '2025-05-02', months(12, 'END_OF_YEAR'), '2026-12-31'],
    ['the last month of a year', '2025-06-15', months(0, 'PARTICULAR_MONTH', 12), '2025-12-31'],
    ['no rules', '2025-06-15', null, null],
    ['null is no rounding', '2025-01-31', { ...months(1), rounding_type: null } as PointsExpirationRules, '2025-02-28'],
    ['capped at the year 9999', '2025-06-15', months(Number.MAX_SAFE_INTEGER, 'END_OF_YEAR'), '9999-12-31'],
    ['no later fixed day before the year 10000', '9999-06-15', fixed(1, 1), '9999-12-31'],
  ])('%s: credited on %s', (_, day, rules, expected) => {
    expect(expirationDate(day, rules)).toBe(expected)
  })

  test('is never before the day of the credit, and rounding never moves it earlier', () => {
    const rounding = fc.constantFrom(
      'END_OF_MONTH',
      'END_OF_QUARTER',
      'END_OF_HALF_YEAR',
      'END_OF_YEAR',
      'PARTICULAR_MONTH',
    )
    const month = fc.integer({ min: 1, max: 12 })
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 50_000 }),
        fc.nat(60),
        rounding,
        month,
        month,
        (number, value, type, to, day) => {
          const credited = dayText(number)
          const plain = expirationDate(credited, months(value)) as string
          const rounded = expirationDate(credited, months(value, type, to)) as string
          expect(plain >= credited && rounded >= plain).toBe(true)
          const next = expirationDate(credited, fixed(to, day)) as string
          expect(next >= credited).toBe(true)
          expect(Number(next.slice(0, 4)) - Number(credited.slice(0, 4))).toBeLessThanOrEqual(1)
        },
      ),
    )
  })
})

test('05 #10: points of an order on 6 March, pending for 3 days, become active on 9 March', () => {
  expect(activationDate('2025-03-06', { period_type: 'DAY', period_value: 3 })).toBe('2025-03-09')
  expect(activationDate('2024-12-31', { period_type: 'DAY', period_value: 90 })).toBe('2025-03-31')
  expect(activationDate('2025-03-06', null)).toBeNull()
})
