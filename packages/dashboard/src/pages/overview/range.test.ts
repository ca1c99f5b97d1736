import { expect, test } from 'vitest'
import { rangeOf } from './range.ts'

const now = new Date('2026-11-18T23:30:00Z')

test('ranges end today, in the zone of the project', () => {
  expect(rangeOf({ range: '7' }, now, 'UTC')).toMatchObject({ from: '2026-11-12', to: '2026-11-18', interval: 'day' })
  expect(rangeOf({ range: 'today' }, now, 'Europe/Berlin')).toMatchObject({
    from: '2026-11-19',
    to: '2026-11-19',
    interval: 'hour',
    before: { from: '2026-11-18', to: '2026-11-18' },
  })
})

test('the period before is as long and ends the day before', () => {
  expect(rangeOf({ range: 'custom', from: '2026-03-01', to: '2026-03-10' }, now, 'UTC')).toMatchObject({
    before: { from: '2026-02-19', to: '2026-02-28' },
    beforeText: 'the 10 days before',
    isCurrent: false,
  })
})

test('an address that makes no sense shows the last 30 days', () => {
  for (const search of [{}, { range: 'x' }, { range: 'custom', from: '2026-03-10', to: '2026-03-01' }])
    expect(rangeOf(search, now, 'UTC')).toMatchObject({ choice: '30', from: '2026-10-20', to: '2026-11-18' })
})

test('long ranges have wider points: never more than 400', () => {
  const to = '2026-11-18'
  expect(rangeOf({ range: 'custom', from: '2025-11-18', to }, now, 'UTC').interval).toBe('week')
  expect(rangeOf({ range: 'custom', from: '2010-01-01', to }, now, 'UTC').interval).toBe('month')
})
