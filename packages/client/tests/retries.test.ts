import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { createGuerdon, type Result, unwrap } from '../src/index.ts'
import type { Disturbance } from './flaky-proxy.ts'
import { notSet, type OpenShop, openShop } from './open-shop.ts'

let open: OpenShop
beforeAll(async () => {
  open = await openShop()
  // The token is not what these tests count.
  unwrap(await open.guerdon.listCategories())
})

const redemptions = 'POST /v1/redemptions'

async function newCode(): Promise<string> {
  const discount = { type: 'AMOUNT', amount_off: 500 } as const
  const { code } = unwrap(await open.guerdon.createVoucher({ type: 'DISCOUNT_VOUCHER', discount }))
  return code
}

const redemptionOf = (code: string) => ({
  redeemables: [{ object: 'voucher' as const, id: code }],
  order: { amount: 900 },
})

async function redeemedCount(code: string): Promise<number | undefined> {
  return unwrap(await open.guerdon.getVoucher({ code })).redemption?.redeemed_quantity
}

/** The requests of what is done here, to one route. */
async function sentBy<T>(route: string, act: () => Promise<T>) {
  const before = open.proxy.requestsTo(route).length
  const result = await act()
  return { result, requests: open.proxy.requestsTo(route).slice(before) }
}

/** Options of a call. */
const once = { retry: { attempts: 1 } }

const errorOf = (result: Result<unknown>) => (result.ok ? undefined : result.error)

test.each<Disturbance>(['lose the answer', 'cut the answer'])(
  'a redemption of which networks %s twice happens once, and is answered',
  async (disturbance) => {
    const code = await newCode()
    open.proxy.disturb(redemptions, disturbance, disturbance)
    const { result, requests } = await sentBy(redemptions, () => open.guerdon.redeem(redemptionOf(code)))
    expect(unwrap(result).redemptions).toHaveLength(1)
    expect(result.ok && result.headers.get('Idempotency-Replayed')).toBe('true')
    expect(requests).toHaveLength(3)
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(await redeemedCount(code)).toBe(1)
  },
)

test('two calls have two keys, and a key of the caller is used as it is', async () => {
  const code = await newCode()
  const key = randomUUID()
  const { requests } = await sentBy(redemptions, async () => {
    await open.guerdon.redeem(redemptionOf(code))
    await open.guerdon.redeem(redemptionOf(code))
    await open.guerdon.redeem(redemptionOf(code), { idempotencyKey: key })
    await open.guerdon.redeem(redemptionOf(code), { idempotencyKey: key })
  })
  const keys = requests.map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(3)
  expect(keys.slice(2)).toEqual([key, key])
  expect(await redeemedCount(code)).toBe(3)
})

test('a write without a key is never repeated', async () => {
  const code = await newCode()
  open.proxy.disturb(redemptions, 'lose the answer')
  const { result, requests } = await sentBy(redemptions, () =>
    open.guerdon.redeem(redemptionOf(code), { idempotencyKey: false }),
  )
  expect(errorOf(result)).toMatchObject({ kind: 'network', status: 0, retryable: true })
  expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined])

  // The service stores no reply that has a secret, so it takes no key there.
  const path = { projectId: open.shop.project_id }
  const route = `POST /management/v1/projects/${path.projectId}/api-keys`
  open.proxy.disturb(route, { status: 503 })
  const other = await sentBy(route, () => open.guerdon.createApiKey(path, { name: 'Till', kind: 'server' }))
  expect(errorOf(other.result)).toMatchObject({ kind: 'refused', status: 503 })
  expect(other.requests).toHaveLength(1)
})

test.each([
  { status: 408 },
  { status: 429, headers: { 'Retry-After': '0' } },
  { status: 502, body: '<h1>Bad gateway</h1>' },
  { status: 503, headers: { 'Retry-After': '0' } },
  { status: 504 },
  // The page of a network that wants a sign-in first.
  { status: 200, body: '<h1>Sign in</h1>' },
  { status: 409, body: { code: 409, key: 'idempotency_key_in_progress', message: 'Request in progress' } },
])('%j is asked again', async (disturbance) => {
  const code = await newCode()
  open.proxy.disturb(redemptions, disturbance)
  const { result, requests } = await sentBy(redemptions, () => open.guerdon.redeem(redemptionOf(code)))
  expect(result.ok).toBe(true)
  expect(requests).toHaveLength(2)
  expect(await redeemedCount(code)).toBe(1)
})

test.each([
  { status: 400, body: { code: 400, key: 'invalid_payload', message: 'Invalid payload' } },
  { status: 409, body: { code: 409, key: 'idempotency_key_conflict', message: 'Idempotency key conflict' } },
  { status: 500, body: '' },
])('%j is final', async (disturbance) => {
  const code = await newCode()
  open.proxy.disturb(redemptions, disturbance)
  const { result, requests } = await sentBy(redemptions, () => open.guerdon.redeem(redemptionOf(code)))
  expect(errorOf(result)).toMatchObject({ status: disturbance.status, retryable: false })
  expect(requests).toHaveLength(1)
})

test('a redirection is refused, and nobody is shown the key', async () => {
  const elsewhere = await openShop()
  const Location = `${elsewhere.proxy.url}/v1/redemptions`
  open.proxy.disturb(redemptions, { status: 302, headers: { Location } })
  const { result } = await sentBy(redemptions, () =>
    open.guerdon.redeem({ redeemables: [{ object: 'voucher', id: 'A' }] }),
  )
  expect(errorOf(result)).toMatchObject({ kind: 'refused', key: 'status_302', status: 302, retryable: false })
  expect(elsewhere.proxy.requests).toEqual([])
})

test('reads are repeated, also those by POST', async () => {
  open.proxy.disturb('GET /v1/categories', 'lose the answer')
  expect(await sentBy('GET /v1/categories', () => open.guerdon.listCategories())).toMatchObject({
    result: { ok: true },
    requests: { length: 2 },
  })
  open.proxy.disturb('POST /v1/qualifications', 'lose the answer')
  expect(await sentBy('POST /v1/qualifications', () => open.guerdon.checkEligibility())).toMatchObject({
    result: { ok: true },
    requests: { length: 2 },
  })
})

test('the client waits as long as the service asks for, and not at all if that is too long', async () => {
  open.proxy.disturb('GET /v1/categories', { status: 429, headers: { 'Retry-After': '1' } })
  const startedAt = performance.now()
  expect(await open.guerdon.listCategories()).toMatchObject({ ok: true })
  expect(performance.now() - startedAt).toBeGreaterThan(990)

  open.proxy.disturb('GET /v1/categories', { status: 429, headers: { 'Retry-After': '3600' } })
  const { result, requests } = await sentBy('GET /v1/categories', () => open.guerdon.listCategories())
  expect(errorOf(result)).toMatchObject({ status: 429, key: 'status_429', retryable: true })
  expect(requests).toHaveLength(1)
})

test('a pause may end at a date, as proxies say it', async () => {
  const inMilliseconds = (ms: number) => ({ 'Retry-After': new Date(Date.now() + ms).toUTCString() })
  const headers = inMilliseconds(1_500) // the date has whole seconds: at least half of one from now
  open.proxy.disturb('GET /v1/categories', { status: 503, headers })
  expect(await open.guerdon.listCategories()).toMatchObject({ ok: true })
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(headers['Retry-After']))

  open.proxy.disturb('GET /v1/categories', { status: 503, headers: inMilliseconds(3_600_000) })
  const { result, requests } = await sentBy('GET /v1/categories', () => open.guerdon.listCategories())
  expect(errorOf(result)).toMatchObject({ status: 503, retryable: true })
  expect(requests).toHaveLength(1)

  open.proxy.disturb('GET /v1/categories', { status: 503, headers: inMilliseconds(-3_600_000) })
  expect(await open.guerdon.listCategories()).toMatchObject({ ok: true })
})

test.each([
  ['a page', 'text/html', () => open.guerdon.getVoucher({ code: 'A' }, once), 'GET /v1/vouchers/A'],
  ['a text', 'text/plain', () => open.guerdon.getVoucher({ code: 'A' }, once), 'GET /v1/vouchers/A'],
  ['a page', 'text/html', () => open.guerdon.getExport({ exportId: 'exp_1' }, {}, once), 'GET /v1/exports/exp_1'],
])('%s (%s) with the status 200 is no answer of the service', async (_, type, act, route) => {
  open.proxy.disturb(route, { status: 200, headers: { 'Content-Type': type }, body: 'Sign in' })
  expect(errorOf(await act())).toMatchObject({ kind: 'refused', key: 'status_200', status: 200, retryable: true })
})

test('attempts are bounded', async () => {
  const away = { status: 503 }
  open.proxy.disturb('GET /v1/categories', away, away, away, away, away, away)
  const four = await sentBy('GET /v1/categories', () => open.guerdon.listCategories())
  expect(errorOf(four.result)).toMatchObject({ status: 503 })
  expect(four.requests).toHaveLength(4)
  const one = await sentBy('GET /v1/categories', () => open.guerdon.listCategories(once))
  expect(one.requests).toHaveLength(1)
  open.proxy.disturb('GET /v1/categories')
})

test('options of a call take the place of those of the client one by one, and undefined takes none', async () => {
  const guerdon = createGuerdon({ ...open.options, retry: { attempts: 2, delayMs: 5 } })
  const away = { status: 503 }
  for (const retry of [{ delayMs: 1 }, { attempts: notSet }, notSet]) {
    open.proxy.disturb('GET /v1/categories', away, away, away, away)
    const { requests } = await sentBy('GET /v1/categories', () => guerdon.listCategories({ retry }))
    expect(requests).toHaveLength(2)
  }
  open.proxy.disturb('GET /v1/categories')

  // A management operation, since a token might take longer.
  open.proxy.disturb('GET /management/v1/projects', 'never answer')
  const impatient = createGuerdon({ ...open.options, timeoutMs: 100 })
  const result = await impatient.listProjects({ timeoutMs: notSet, ...once })
  expect(errorOf(result)).toMatchObject({ kind: 'timeout' })
})

test('a service that is not there is a failure of its own kind', async () => {
  const nowhere = createGuerdon({ ...open.options, baseUrl: 'http://127.0.0.1:1', auth: 'either' })
  expect(errorOf(await nowhere.listCategories())).toMatchObject({
    kind: 'network',
    key: 'no_answer',
    cause: expect.any(Error),
  })
})

test('an attempt that takes too long is repeated, and the last one says so', async () => {
  // Counted where they leave: on a slow machine the time may be up before a request arrives. The route is this test's alone, since one
  // may also arrive later.
  let count = 0
  const counted: typeof fetch = (...request) => {
    count += 1
    return fetch(...request)
  }
  const guerdon = createGuerdon({ ...open.options, fetch: counted })
  unwrap(await guerdon.listCategories())
  open.proxy.disturb('GET /v1/locations', 'never answer', 'never answer')
  count = 0
  const result = await guerdon.listLocations({}, { timeoutMs: 50, retry: { attempts: 2, delayMs: 1 } })
  expect(errorOf(result)).toMatchObject({ kind: 'timeout', key: 'no_answer', retryable: true })
  expect(count).toBe(2)
})

test('a signal ends a call that waits for its answer, for its next attempt, or has not begun', async () => {
  const aborted = { kind: 'aborted', key: 'no_answer', retryable: false }
  for (const disturbance of ['never answer', { status: 503, headers: { 'Retry-After': '30' } }] as const) {
    open.proxy.disturb('GET /v1/categories', disturbance)
    const controller = new AbortController()
    const before = open.proxy.requests.length
    const call = open.guerdon.listCategories({ signal: controller.signal })
    await expect.poll(() => open.proxy.requests.length).toBe(before + 1)
    controller.abort()
    expect(errorOf(await call)).toMatchObject(aborted)
  }
  const { result, requests } = await sentBy('GET /v1/categories', () =>
    open.guerdon.listCategories({ signal: AbortSignal.abort() }),
  )
  expect(errorOf(result)).toMatchObject(aborted)
  expect(requests).toHaveLength(0)
})

test('a form is sent again byte by byte, so that its key finds the stored reply', async () => {
  const form = new FormData()
  form.set('file', new Blob(['source_id,name\neve,Eve\n'], { type: 'text/csv' }), 'customers.csv')
  const route = 'POST /v1/customers/importCSV'
  open.proxy.disturb(route, 'lose the answer')
  const { result, requests } = await sentBy(route, () => open.guerdon.importCustomersCsv(form))
  expect(result.ok && result.headers.get('Idempotency-Replayed')).toBe('true')
  expect(requests).toHaveLength(2)
  expect(requests[0]?.body.equals(requests[1]?.body as Buffer)).toBe(true)
})
