import { expect, test } from 'vitest'
import { instantOf, wallTimeOf } from './wall-time.ts'

test.each([
  ['2026-03-14T09:30', 'UTC', '2026-03-14T09:30:00.000Z'],
  ['2026-03-14T09:30', 'Europe/Berlin', '2026-03-14T08:30:00.000Z'],
  ['2026-07-14T00:10', 'Europe/Berlin', '2026-07-13T22:10:00.000Z'],
  ['2026-12-31T23:59', 'America/New_York', '2027-01-01T04:59:00.000Z'],
  ['2026-03-29T03:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
])('%s in %s', (wallTime, zone, instant) => {
  expect(instantOf(wallTime, zone)).toBe(instant)
  expect(wallTimeOf(instant, zone)).toBe(wallTime)
})

test('what is no moment', () => {
  expect(instantOf('', 'UTC')).toBeUndefined()
  expect(instantOf('tomorrow', 'UTC')).toBeUndefined()
})
