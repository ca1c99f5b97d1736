import { expect, test } from 'vitest'
import { PrimaryHistory } from './primary-history.ts'

const history = (...samples: [at: number, lsn: number, timeline?: number][]) => {
  const made = new PrimaryHistory()
  for (const [at, lsn, timeline = 1] of samples) made.add({ at, lsn, timeline })
  return made
}

test('a log contains the latest moment at which the primary had written no more than that', () => {
  const known = history([100, 7], [200, 9], [300, 9], [400, 12])
  expect(known.containedAt(12)).toBe(400)
  expect(known.containedAt(11)).toBe(300)
  expect(known.containedAt(9)).toBe(300)
  expect(known.containedAt(8)).toBe(100)
  expect(known.containedAt(6)).toBe(null)
})

test.each([40, 70])(
  'after a failover, what the earlier primary had written proves nothing (the new one has %i)',
  (lsn) => {
    const known = history([100, 50], [200, 60], [300, lsn, 2])
    expect(known.containedAt(lsn)).toBe(300)
    expect(known.containedAt(lsn - 1)).toBe(null)
  },
)

test('nor if the timeline did not tell of it', () => {
  expect(history([100, 50], [200, 60], [300, 40]).containedAt(39)).toBe(null)
})

test('what is longer ago than is remembered proves nothing', () => {
  const known = history(...Array.from({ length: 1_000 }, (_, n): [number, number] => [n, n]))
  expect(known.containedAt(10)).toBe(null)
  expect(known.containedAt(990)).toBe(990)
})
