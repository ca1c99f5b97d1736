import { expect, test } from 'vitest'
import { newProject, send, type TestService, testService } from './app.ts'
import { closeAll } from './closings.ts'

/** Runs between this file and the next one of its worker. */
const endOfFile = closeAll

test('the next file gets the same service and an empty project', async () => {
  const first = await newProject()
  await first.call('POST', '/v1/categories', { name: 'Shoes', hierarchy: 0 })
  await endOfFile()
  const second = await newProject()
  expect(await second.call('GET', '/v1/categories')).toMatchObject({ status: 200, body: { total: 0 } })

  expect(second.service === first.service).toBe(true)
})

test.each<[string, (service: TestService) => unknown]>([
  ['a moved clock', ({ clock }) => clock.advance(1_000)],
  ['a client-side call, which is counted by address', ({ app }) => send(app, 'POST', '/client/v1/customers', {})],
  ['a started job worker', ({ runtime }) => runtime.jobs.work('maintenance', async () => undefined)],
])('after %s the next file gets a new service', async (_what, happens) => {
  await endOfFile()
  const first = await testService()
  await happens(first)
  expect((await testService()) === first).toBe(true)
  await endOfFile()
  const second = await testService()
  expect(second === first).toBe(false)
  const before = Date.now()
  const now = second.clock.now()
  expect(now).toBeGreaterThanOrEqual(before)
  expect(now).toBeLessThanOrEqual(Date.now())
})

test('a service with options is used by one file only', async () => {
  const options = { env: { AUTH_MODE: 'either' } }
  const first = await testService(options)
  expect((await testService(options)) === first).toBe(true)
  await endOfFile()
  expect((await testService(options)) === first).toBe(false)
})
