import { expect, test } from 'vitest'
import { clientOf } from './client.ts'

const client = clientOf('limits', { env: { RATE_LIMIT_API_CALLS: '3/PT1H' } })

test('the library knows how many calls are left, and is told when there are none', async () => {
  const { library, shop } = await client()
  const { apiLimitsHandler: handler, categories } = library
  shop.service.clock.set('2026-01-01T12:00:00Z') // the hour does not end meanwhile
  expect(handler.areLimitsAvailable()).toBe(false)
  await categories.list()
  expect(handler.areLimitsAvailable()).toBe(true)
  expect([handler.getRateLimit(), handler.getRateLimitRemaining()]).toEqual([3, 2])
  await categories.list()
  await categories.list()
  expect([handler.getRateLimit(), handler.getRateLimitRemaining()]).toEqual([3, 0])
  await expect(categories.list()).rejects.toMatchObject({ code: 429, key: 'too_many_requests' })
  // The library keeps the headers of the last call that succeeded, which need not wait.
  expect(handler.getRetryAfter()).toBe(0)
})

test('every method was driven', async () => (await client()).expectAllDriven())
