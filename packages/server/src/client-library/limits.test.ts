import { expect, test } from 'vitest'
import { clientOf } from './client.ts'

const client = clientOf('limits', { env: { RATE_LIMIT_API_CALLS: '3/PT1H' } })

test('the library reports the remaining calls, and the error when the limit is reached', async () => {
  const { library, shop } = await client()
  const { apiLimitsHandler: handler, categories } = library
  shop.service.clock.set('2026-01-01T12:00:00Z') // so that the hour does not end during the test
  expect(handler.areLimitsAvailable()).toBe(false)
  await categories.list()
  expect(handler.areLimitsAvailable()).toBe(true)
  expect([handler.getRateLimit(), handler.getRateLimitRemaining()]).toEqual([3, 2])
  await categories.list()
  await categories.list()
  expect([handler.getRateLimit(), handler.getRateLimitRemaining()]).toEqual([3, 0])
  await expect(categories.list()).rejects.toMatchObject({ code: 429, key: 'too_many_requests' })
  // The library keeps the headers of the last successful call, after which no wait is needed.
  expect(handler.getRetryAfter()).toBe(0)
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
