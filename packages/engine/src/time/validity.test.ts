import { describe, expect, test } from 'vitest'
import type { Validity } from '../schema/index.ts'
import { clockAt, whyNotValid } from './index.ts'

const failedCondition = (validity: Validity, now: string, zone = 'UTC') => whyNotValid(validity, clockAt(now, zone))

describe('whyNotValid', () => {
  test('no conditions are always valid', () => {
    expect(failedCondition({}, '2025-01-01T00:00:00.000Z')).toBeNull()
    const nothing = {
      start_date: null,
      expiration_date: null,
      validity_timeframe: null,
      validity_day_of_week: null,
      validity_hours: null,
    }
    expect(failedCondition(nothing, '2025-01-01T00:00:00.000Z')).toBeNull()
    expect(failedCondition({ validity_day_of_week: [] }, '2025-01-01T00:00:00.000Z')).toBeNull()
  })

  const dates = { start_date: '2025-01-01T00:00:00.000Z', expiration_date: '2025-02-01T00:00:00.000Z' }
  test.each([
    ['2024-12-31T23:59:59.999Z', 'start_date'],
    ['2025-01-01T00:00:00.000Z', null],
    ['2025-02-01T00:00:00.000Z', null], // the last instant belongs to it
    ['2025-02-01T00:00:00.001Z', 'expiration_date'],
  ])('dates at %s: %s', (now, expected) => {
    expect(failedCondition(dates, now)).toBe(expected)
  })

  test('reports the first condition that is not met', () => {
    const all: Validity = {
      ...dates,
      validity_timeframe: { interval: 'P1D', duration: 'PT1H' },
      validity_day_of_week: [0],
      validity_hours: { daily: [{ start_time: '08:00', expiration_time: '09:00' }] },
    }
    expect(failedCondition(all, '2024-12-31T12:00:00Z')).toBe('start_date')
    expect(failedCondition(all, '2025-02-03T12:00:00Z')).toBe('expiration_date')
    expect(failedCondition(all, '2025-01-06T12:00:00Z')).toBe('validity_timeframe')
    expect(failedCondition(all, '2025-01-06T00:30:00Z')).toBe('validity_day_of_week')
    expect(failedCondition(all, '2025-01-05T00:30:00Z')).toBe('validity_hours')
  })

  test('a timeframe without a start date is never valid', () => {
    expect(failedCondition({ validity_timeframe: { interval: 'P1D', duration: 'P1D' } }, '2025-01-01T00:00:00Z')).toBe(
      'validity_timeframe',
    )
  })

  test('an invalid timeframe is never valid', () => {
    const startDate = '2025-01-01T00:00:00Z'
    for (const validityTimeframe of [
      { interval: 'daily', duration: 'P1D' },
      { interval: 'P1D', duration: 'long' },
    ]) {
      expect(failedCondition({ start_date: startDate, validity_timeframe: validityTimeframe }, startDate)).toBe(
        'validity_timeframe',
      )
    }
  })

  test.each([
    ['P1D', '2025-03-29T10:59:59Z', null],
    ['P1D', '2025-03-29T11:00:00Z', 'validity_timeframe'],
    ['P1D', '2025-03-31T08:30:00Z', null],
    ['P1D', '2025-03-31T10:30:00Z', 'validity_timeframe'],
    ['PT24H', '2025-03-31T10:30:00Z', null],
  ])('two hours every %s across a clock change, at %s: %s', (interval, now, expected) => {
    const validity = { start_date: '2025-03-28T09:00:00Z', validity_timeframe: { interval, duration: 'PT2H' } }
    expect(failedCondition(validity, now, 'Europe/Warsaw')).toBe(expected)
  })

  test.each([
    ['2025-06-04T10:00:00Z', null],
    ['2025-06-08T10:00:00Z', 'validity_day_of_week'],
    ['2025-06-09T10:00:00Z', 'validity_timeframe'],
    ['2025-06-05T21:59:59Z', 'validity_timeframe'],
    ['2025-06-05T22:00:00Z', null],
  ])('every second day, only on Monday, Wednesday and Friday, at %s: %s', (now, expected) => {
    const validity = {
      start_date: '2025-06-01T22:00:00Z',
      validity_timeframe: { interval: 'P2D', duration: 'P1D' },
      validity_day_of_week: [1, 3, 5],
    }
    expect(failedCondition(validity, now, 'Europe/Warsaw')).toBe(expected)
  })

  test.each([
    ['2025-07-11T19:59:59Z', 'validity_hours'],
    ['2025-07-11T20:00:00Z', null],
    ['2025-07-12T02:00:30Z', null],
    ['2025-07-12T02:01:00Z', 'validity_hours'],
    ['2025-07-13T20:00:00Z', 'validity_hours'],
    ['2025-01-10T20:30:00Z', 'validity_hours'],
    ['2025-01-10T21:00:00Z', null],
  ])('from 16:00 to 22:00 in New York on Friday and Saturday, at %s: %s', (now, expected) => {
    const validity = {
      validity_hours: { daily: [{ start_time: '16:00', expiration_time: '22:00', days_of_week: [5, 6] }] },
    }
    expect(failedCondition(validity, now, 'America/New_York')).toBe(expected)
  })

  test.each([
    ['2025-07-11T20:59:59Z', 'validity_hours'],
    ['2025-07-11T21:00:00Z', null],
    ['2025-07-12T03:59:59.999Z', null], // 23:59:59.999 on Friday
    ['2025-07-12T04:00:00Z', 'validity_hours'],
  ])('from 17:00 to the end of the Friday in New York, at %s: %s', (now, expected) => {
    for (const end of [{}, { expiration_time: null }]) {
      const validity = { validity_hours: { daily: [{ start_time: '17:00', ...end, days_of_week: [5] }] } }
      expect(failedCondition(validity, now, 'America/New_York')).toBe(expected)
    }
  })

  test('one of several daily hours is enough', () => {
    const validity = {
      validity_hours: {
        daily: [
          { start_time: '08:00', expiration_time: '09:00' },
          { start_time: '18:30', expiration_time: '23:59', days_of_week: [] },
        ],
      },
    }
    expect(failedCondition(validity, '2025-01-01T08:59:00Z')).toBeNull()
    expect(failedCondition(validity, '2025-01-01T18:29:59Z')).toBe('validity_hours')
    expect(failedCondition(validity, '2025-01-01T23:59:59.999Z')).toBeNull()
  })
})
