import { expect, test } from 'vitest'
import { addDays, clockOf, dayOf, daysBetween, isDay, startOfDay } from './days.ts'

test('a day begins at midnight of its zone, also on the days when clocks change', () => {
  expect(startOfDay('2026-01-15', 'UTC').toISOString()).toBe('2026-01-15T00:00:00.000Z')
  expect(startOfDay('2026-01-15', 'Europe/Berlin').toISOString()).toBe('2026-01-14T23:00:00.000Z')
  expect(startOfDay('2026-03-29', 'Europe/Berlin').toISOString()).toBe('2026-03-28T23:00:00.000Z')
  expect(startOfDay('2026-03-30', 'Europe/Berlin').toISOString()).toBe('2026-03-29T22:00:00.000Z')
  expect(startOfDay('2026-11-01', 'America/New_York').toISOString()).toBe('2026-11-01T04:00:00.000Z')
  expect(startOfDay('2026-11-02', 'America/New_York').toISOString()).toBe('2026-11-02T05:00:00.000Z')
  expect(startOfDay('2026-06-01', 'Asia/Kathmandu').toISOString()).toBe('2026-05-31T18:15:00.000Z')
})

test('the day of a moment is that of the zone', () => {
  expect(dayOf('2026-01-14T23:30:00Z', 'Europe/Berlin')).toBe('2026-01-15')
  expect(dayOf('2026-01-14T23:30:00Z', 'UTC')).toBe('2026-01-14')
  expect(clockOf('2026-01-14T23:30:00Z', 'Europe/Berlin')).toBe('2026-01-15T00:30')
})

test('days are counted with both ends', () => {
  expect(daysBetween('2026-02-27', '2026-03-02')).toBe(4)
  expect(daysBetween('2026-03-02', '2026-03-02')).toBe(1)
  expect(addDays('2026-02-28', 1)).toBe('2026-03-01')
})

test('only days that exist are days', () => {
  expect(isDay('2026-02-28')).toBe(true)
  expect(isDay('2026-02-30')).toBe(false)
  expect(isDay('yesterday')).toBe(false)
  expect(isDay(undefined)).toBe(false)
})
