import { expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { newPace } from './pace.ts'

/** How many attempts a node with this utilization starts in some seconds, if it tries each millisecond. */
function startedIn(seconds: number, utilization: number): number {
  const pace = newPace(() => ({ idle: 0, active: 0, utilization }))
  let started = 0
  for (let now = 0; now < seconds * 1_000; now += 1) if (pace.take(now)) started += 1
  return started
}

test('a node whose event loop has time is not slowed down', () => {
  expect(startedIn(1, 0.5)).toBe(1_000)
})

test('a busy node starts a bounded number of attempts per second', () => {
  const { busy_attempts_per_second } = limits
  const started = startedIn(10, 0.95)
  expect(started).toBeGreaterThan(9 * busy_attempts_per_second)
  expect(started).toBeLessThanOrEqual(10 * busy_attempts_per_second + 20)
})
