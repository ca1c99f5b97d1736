import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createGuerdon, unwrap } from '../src/index.ts'
import { type OpenShop, openShop } from './open-shop.ts'

let open: OpenShop
beforeEach(async () => {
  open = await openShop()
})
afterEach(() => vi.useRealTimers())

const tokens = 'POST /v1/oauth/token'
const lists = 'GET /v1/categories'
const statuses = (route: string) => open.proxy.requestsTo(route).map(({ status }) => status)
const callsAtOnce = (count: number) =>
  Promise.all(Array.from({ length: count }, async () => unwrap(await open.guerdon.listCategories())))

test('calls that begin together wait for one token, and later ones use it', async () => {
  await callsAtOnce(20)
  await callsAtOnce(5)
  expect(statuses(tokens)).toEqual([200])
  expect(statuses(lists)).toEqual(Array.from({ length: 25 }, () => 200))
})

test('no token is fetched before it is needed, nor for management operations', async () => {
  unwrap(await open.guerdon.getProject({ projectId: open.shop.project_id }))
  expect(statuses(tokens)).toEqual([])
})

test('a token is renewed before it expires', async () => {
  await callsAtOnce(1)
  // The service of the test reads the same clock. Tokens live for 15 minutes; the last one is not used.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 13.5 * 60_000 })
  await callsAtOnce(1)
  expect(statuses(tokens)).toEqual([200])
  vi.setSystemTime(Date.now() + 60_000)
  await callsAtOnce(3)
  expect(statuses(tokens)).toEqual([200, 200])
  expect(statuses(lists)).not.toContain(401)
})

test('calls that are refused together because their token ended renew it once', async () => {
  await callsAtOnce(1)
  open.shop.service.clock.advance(16 * 60_000)
  await callsAtOnce(10)
  expect(statuses(tokens)).toEqual([200, 200])
  open.shop.service.clock.advance(-16 * 60_000)
})

test('a revoked token is replaced, also for a write', async () => {
  await callsAtOnce(1)
  const [used] = open.proxy.requestsTo(lists)
  const token = used?.headers.authorization?.replace('Bearer ', '') as string
  unwrap(await open.guerdon.revokeOauthToken({ access_token: token }))
  const created = unwrap(await open.guerdon.createCategory({ name: 'Shoes', hierarchy: 1 }))
  expect(created.name).toBe('Shoes')
  expect(statuses('POST /v1/categories')).toEqual([401, 200])
  expect(statuses(tokens)).toEqual([200, 200])
})

test('a wrong secret is refused once, as the key that it is', async () => {
  const wrong = createGuerdon({ ...open.options, secretKey: 'wrong', applicationId: open.shop.app_id })
  const result = await wrong.listCategories()
  expect(!result.ok && result.error).toMatchObject({ kind: 'refused', key: 'unauthorized', status: 401 })
  expect(statuses(tokens)).toEqual([401])
  expect(statuses(lists)).toEqual([])
})

test('a token that cannot be had now is asked for again by the next call', async () => {
  const away = { status: 503 }
  open.proxy.disturb(tokens, away, away, away, away)
  const result = await open.guerdon.listCategories()
  expect(!result.ok && result.error).toMatchObject({ kind: 'refused', status: 503, retryable: true })
  await callsAtOnce(1)
})

test('a caller that gives up does not take the token from the others', async () => {
  open.proxy.disturb(tokens, { status: 503, headers: { 'Retry-After': '1' } })
  const controller = new AbortController()
  const impatient = open.guerdon.listCategories({ signal: controller.signal })
  const patient = open.guerdon.listCategories()
  await expect.poll(() => open.proxy.requestsTo(tokens).length).toBe(1)
  controller.abort()
  const result = await impatient
  expect(!result.ok && result.error.kind).toBe('aborted')
  expect(await patient).toMatchObject({ ok: true })
})

test('with AUTH_MODE=either the key is enough', async () => {
  open = await openShop({ env: { AUTH_MODE: 'either' } })
  await callsAtOnce(2)
  unwrap(await open.clientSide.listClientConsents())
  expect(statuses(tokens)).toEqual([])
})
