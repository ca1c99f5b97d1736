import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { oauth } from '../../account/oauth/routes.ts'
import { projects } from '../../account/projects/routes.ts'
import { categories } from '../../rules/categories/routes.ts'
import { type Answer, newProject, type Shop, send } from '../../testing/app.ts'
import { testDatabase } from '../../testing/database.ts'
import { type Node, openNode } from '../../testing/nodes.ts'
import type { Project } from '../db/project-row.ts'
import { type Operation, operation } from './operation.ts'
import { trackingName, trackingProof } from './tracking-id.ts'

const reached = (path: string, more: Partial<Operation> = {}): Operation => ({
  ...operation({
    id: `probe ${path}`,
    method: 'POST',
    path: path as '/v1/x',
    summary: 'Says that it was reached',
    body: Type.Object({}),
    reply: Type.Object({}),
    errors: [],
    run: async () => ({}),
  }),
  ...more,
})

const bulkPaths = [
  '/v1/probes/import',
  '/v1/probes/importCSV',
  '/v1/probes/bulk/async',
  '/v1/probes/metadata/async',
  '/v1/exports',
]

const only: Operation[] = [
  ...categories,
  ...oauth,
  ...projects,
  ...bulkPaths.map((path) => reached(path)),
  reached('/v1/probes/plain'),
  reached('/v1/probes/imports'),
  reached('/client/v1/probes'),
  reached('/client/v1/probes/flagged', { flag: 'client_publish_enabled' }),
]

/** A service whose clock stands still until a test moves it: these tests depend on every second. */
interface Limited {
  at(seconds: number): void
  call(shop: Shop, path?: string, headers?: Record<string, string>, remoteAddress?: string): Promise<Answer>
  node: Node
}

async function limited(env: Record<string, string>): Promise<Limited> {
  let now = start * 1_000
  const node = await openNode(await testDatabase(), { env: { CLIENT_RATE_LIMIT: '', ...env }, only, now: () => now })
  return {
    node,
    at: (seconds) => {
      now = Math.round((start + seconds) * 1_000)
    },
    call: async (shop, path = '/v1/probes/plain', headers = {}) =>
      send(node.app, 'POST', path, undefined, { ...shop.headers, ...headers }),
  }
}

/** 2026-01-01T00:00:00Z. */
const start = 1_767_225_600

/** The rate limit headers of a response. */
const limitHeadersOf = ({ status, headers }: Answer) => ({
  status,
  limit: headers['x-rate-limit-limit'],
  left: headers['x-rate-limit-remaining'],
  retry: headers['x-rate-limit-retry'],
  ...(headers['retry-after'] === undefined ? {} : { after: headers['retry-after'] }),
  ...(headers['x-rate-limit-type'] === undefined ? {} : { type: headers['x-rate-limit-type'] }),
})

const counted = async (shop: Shop) =>
  shop.service.runtime.database.db
    .selectFrom('call_windows')
    .where('project_id', '=', shop.project_id)
    .orderBy('kind')
    .orderBy('seconds')
    .orderBy('starts_at')
    .select(['kind', 'seconds', 'calls'])
    .execute()

test('three calls per minute: the headers, and when the next call is admitted', async () => {
  const shop = await newProject()
  const { at, call } = await limited({ RATE_LIMIT_API_CALLS: '3/PT1M' })
  at(5)
  expect(limitHeadersOf(await call(shop))).toEqual({ status: 200, limit: '3', left: '2', retry: '1767225605' })
  at(10)
  expect(limitHeadersOf(await call(shop))).toEqual({ status: 200, limit: '3', left: '1', retry: '1767225610' })
  at(15)
  expect(limitHeadersOf(await call(shop))).toEqual({ status: 200, limit: '3', left: '0', retry: '1767225660' })
  at(25)
  const refused = await call(shop)
  expect(limitHeadersOf(refused)).toEqual({
    status: 429,
    limit: '3',
    left: '0',
    retry: '1767225660',
    after: '35',
    type: 'api_calls',
  })
  expect(refused.body).toEqual({
    code: 429,
    key: 'too_many_requests',
    message: 'Too many requests hit the API too quickly.',
    request_id: refused.headers['x-request-id'],
  })
  at(59.999)
  expect(limitHeadersOf(await call(shop))).toMatchObject({ status: 429, after: '1' })
  at(60)
  expect(limitHeadersOf(await call(shop))).toEqual({ status: 200, limit: '3', left: '2', retry: '1767225660' })
})

test('without a limit there are no headers and nothing is counted', async () => {
  const shop = await newProject()
  const { call } = await limited({})
  expect(limitHeadersOf(await call(shop))).toEqual({ status: 200, limit: undefined, left: undefined, retry: undefined })
  expect(await counted(shop)).toEqual([])
})

test('each project has its own count', async () => {
  const [first, second] = [await newProject(), await newProject()]
  const { call } = await limited({ RATE_LIMIT_API_CALLS: '1/PT1M' })
  expect([(await call(first)).status, (await call(first)).status, (await call(second)).status]).toEqual([200, 429, 200])
})

test('a call counts once it is authenticated, whatever its result, and the response has the headers', async () => {
  const shop = await newProject()
  const { node, call } = await limited({ RATE_LIMIT_API_CALLS: '100/PT1M' })
  const { app } = node
  // Refused before counting.
  for (const answer of [
    await send(app, 'POST', '/v1/probes/plain'),
    await call(shop, '/v1/probes/plain', { accept: 'text/html' }),
    await call(shop, '/v1/nowhere'),
    await send(app, 'PUT', '/v1/probes/plain', undefined, shop.headers),
    await call(shop, '/client/v1/probes', { origin: 'https://evil.test' }),
  ]) {
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(limitHeadersOf(answer)).toMatchObject({ limit: undefined, left: undefined, retry: undefined })
  }
  expect(await counted(shop)).toEqual([])
  // Counted, then refused.
  expect(limitHeadersOf(await call(shop, '/v1/probes/plain', { 'x-voucherify-api-version': 'v1' }))).toMatchObject({
    status: 400,
    limit: '100',
    left: '99',
  })
  expect(limitHeadersOf(await call(shop, '/client/v1/probes/flagged'))).toMatchObject({ status: 403, left: '98' })
  expect(limitHeadersOf(await send(app, 'POST', '/v1/categories', {}, shop.headers))).toMatchObject({
    status: 400,
    left: '97',
  })
  expect(limitHeadersOf(await send(app, 'GET', '/v1/categories/cat_1', undefined, shop.headers))).toMatchObject({
    status: 404,
    left: '96',
  })
  expect(limitHeadersOf(await send(app, 'HEAD', '/v1/categories', undefined, shop.headers))).toMatchObject({
    status: 200,
    left: '95',
  })
  expect(
    limitHeadersOf(
      await send(app, 'POST', '/v1/oauth/introspect', 'access_token=x', {
        ...shop.headers,
        'content-type': 'application/x-www-form-urlencoded',
      }),
    ),
  ).toMatchObject({ status: 200, left: '94' })
  expect(limitHeadersOf(await call(shop, '/client/v1/probes'))).toMatchObject({ status: 200, left: '93' })
  // Management calls are not limited.
  expect(
    limitHeadersOf(await send(app, 'GET', `/management/v1/projects/${shop.project_id}`, undefined, shop.management)),
  ).toMatchObject({ status: 200, limit: undefined })
  expect(await counted(shop)).toEqual([
    { kind: 'api_calls', seconds: 60, calls: 7 },
    { kind: 'api_calls_hour', seconds: 3_600, calls: 7 }, // for the usage notification
  ])
})

describe('several windows', () => {
  test.each(['2/PT1S,3/PT1M', '3/PT1M,2/PT1S'])('%s: the tightest window decides', async (ratelimitapicalls) => {
    const shop = await newProject()
    const { at, call } = await limited({ RATE_LIMIT_API_CALLS: ratelimitapicalls })
    at(0)
    expect(limitHeadersOf(await call(shop))).toEqual({ status: 200, limit: '2', left: '1', retry: String(start) })
    at(0.1)
    expect(limitHeadersOf(await call(shop))).toEqual({ status: 200, limit: '2', left: '0', retry: String(start + 1) })
    at(0.2)
    expect(limitHeadersOf(await call(shop))).toEqual({
      status: 429,
      limit: '2',
      left: '0',
      retry: String(start + 1),
      after: '1',
      type: 'api_calls',
    })
    at(1)
    expect(limitHeadersOf(await call(shop))).toEqual({ status: 200, limit: '3', left: '0', retry: String(start + 60) })
    at(2)
    expect(limitHeadersOf(await call(shop))).toEqual({
      status: 429,
      limit: '3',
      left: '0',
      retry: String(start + 60),
      after: '58',
      type: 'api_calls',
    })
    at(60)
    expect(limitHeadersOf(await call(shop))).toMatchObject({ status: 200, limit: '2', left: '1' })
  })

  test.each(['1/PT1S,1/PT1M', '1/PT1M,1/PT1S'])(
    '%s: of two full windows, the one that ends last determines Retry-After',
    async (ratelimitapicalls) => {
      const shop = await newProject()
      const { at, call } = await limited({ RATE_LIMIT_API_CALLS: ratelimitapicalls })
      at(0)
      expect(limitHeadersOf(await call(shop))).toEqual({
        status: 200,
        limit: '1',
        left: '0',
        retry: String(start + 60),
      })
      at(0.5)
      expect(limitHeadersOf(await call(shop))).toMatchObject({ status: 429, retry: String(start + 60), after: '60' })
    },
  )

  test('a call refused by one window is counted in none', async () => {
    const shop = await newProject()
    const { at, call } = await limited({ RATE_LIMIT_API_CALLS: '1/PT1M,100/PT1H', RATE_LIMIT_API_CALLS_CYCLE: '1000' })
    at(0)
    expect((await call(shop)).status).toBe(200)
    for (let again = 0; again < 5; again += 1) expect((await call(shop)).status).toBe(429)
    expect(await counted(shop)).toEqual([
      { kind: 'api_calls', seconds: 60, calls: 1 },
      { kind: 'api_calls', seconds: 3_600, calls: 1 },
      { kind: 'api_calls_cycle', seconds: 0, calls: 1 },
    ])
    at(60)
    expect((await call(shop)).status).toBe(200)
    expect(
      (await counted(shop))
        .filter(({ kind, seconds }) => kind === 'api_calls_cycle' || seconds === 3_600)
        .map(({ calls }) => calls),
    ).toEqual([2, 2])
  })

  test('a full past minute with the same start as the current hour is not mistaken for the current minute', async () => {
    const shop = await newProject()
    const { at, call } = await limited({ RATE_LIMIT_API_CALLS: '1/PT1S,2/PT1M,100/PT1H' })
    for (const second of [0, 1, 300]) {
      at(second)
      expect((await call(shop)).status).toBe(200)
    }
    at(300.5)
    expect(limitHeadersOf(await call(shop))).toEqual({
      status: 429,
      limit: '1',
      left: '0',
      retry: String(start + 301),
      after: '1',
      type: 'api_calls',
    })
  })

  test('of two windows with the same length, the smaller limit applies', async () => {
    const shop = await newProject()
    const { call } = await limited({ RATE_LIMIT_API_CALLS: '5/PT1M,2/PT60S' })
    expect(limitHeadersOf(await call(shop))).toMatchObject({ status: 200, limit: '2', left: '1' })
    expect((await call(shop)).status).toBe(200)
    expect(limitHeadersOf(await call(shop))).toMatchObject({ status: 429, limit: '2' })
  })

  test('windows are aligned to the clock: minutes at second 0, hours at minute 0, days at midnight UTC', async () => {
    const shop = await newProject()
    const { at, call } = await limited({ RATE_LIMIT_API_CALLS: '9/PT1M,8/PT1H,7/P1D' })
    at(13 * 3_600 + 14 * 60 + 15)
    await call(shop)
    const rows = await shop.service.runtime.database.db
      .selectFrom('call_windows')
      .where('project_id', '=', shop.project_id)
      .orderBy('seconds')
      .select('starts_at')
      .execute()
    expect(rows.map(({ starts_at }) => starts_at)).toEqual([
      '2026-01-01T13:14:00.000Z',
      '2026-01-01T13:00:00.000Z',
      '2026-01-01T00:00:00.000Z',
    ])
  })
})

describe('the cycle', () => {
  test('is a calendar month in UTC and counts both kinds of calls', async () => {
    const shop = await newProject()
    const { at, call } = await limited({ RATE_LIMIT_API_CALLS_CYCLE: '2' })
    const february = start + 31 * 86_400
    at(0)
    expect(limitHeadersOf(await call(shop))).toEqual({ status: 200, limit: '2', left: '1', retry: String(start) })
    expect(limitHeadersOf(await call(shop, '/v1/probes/import'))).toEqual({
      status: 200,
      limit: '2',
      left: '0',
      retry: String(february),
    })
    at(30 * 86_400)
    expect(limitHeadersOf(await call(shop))).toEqual({
      status: 429,
      limit: '2',
      left: '0',
      retry: String(february),
      after: '86400',
      type: 'api_calls_cycle',
    })
    at(31 * 86_400 - 0.001)
    expect((await call(shop)).status).toBe(429)
    at(31 * 86_400)
    expect(limitHeadersOf(await call(shop))).toMatchObject({ status: 200, left: '1' })
  })

  test('also ends at the end of the year', async () => {
    const shop = await newProject()
    const { at, call } = await limited({ RATE_LIMIT_API_CALLS_CYCLE: '1' })
    at(-86_400)
    expect(limitHeadersOf(await call(shop))).toMatchObject({ status: 200, left: '0', retry: String(start) })
    at(0)
    expect(limitHeadersOf(await call(shop))).toMatchObject({
      status: 200,
      left: '0',
      retry: String(start + 31 * 86_400),
    })
  })

  test('applies when it is the tighter limit', async () => {
    const shop = await newProject()
    const { call } = await limited({ RATE_LIMIT_API_CALLS: '10/PT1M', RATE_LIMIT_API_CALLS_CYCLE: '1' })
    expect(limitHeadersOf(await call(shop))).toMatchObject({ limit: '1', left: '0' })
    expect(limitHeadersOf(await call(shop))).toMatchObject({ status: 429, limit: '1', type: 'api_calls_cycle' })
  })
})

describe('bulk calls', () => {
  test.each(bulkPaths)('%s counts only against the bulk limit', async (path) => {
    const shop = await newProject()
    const { call } = await limited({ RATE_LIMIT_API_CALLS: '1/PT1H', RATE_LIMIT_BULK_API_CALLS: '2/PT1H' })
    expect(limitHeadersOf(await call(shop, path))).toMatchObject({ status: 200, limit: '2', left: '1' })
    expect(limitHeadersOf(await call(shop, path))).toMatchObject({ status: 200, limit: '2', left: '0' })
    expect(limitHeadersOf(await call(shop, path))).toMatchObject({ status: 429, limit: '2', type: 'bulk_api_calls' })
    expect(limitHeadersOf(await call(shop))).toMatchObject({ status: 200, limit: '1', left: '0' })
    expect(limitHeadersOf(await call(shop))).toMatchObject({ status: 429, limit: '1', type: 'api_calls' })
  })

  test('a path that only resembles a bulk path is an ordinary call', async () => {
    const shop = await newProject()
    const { call } = await limited({ RATE_LIMIT_BULK_API_CALLS: '1/PT1H' })
    expect(limitHeadersOf(await call(shop, '/v1/probes/imports'))).toMatchObject({ status: 200, limit: undefined })
  })

  test('without a bulk limit they are unlimited', async () => {
    const shop = await newProject()
    const { call } = await limited({ RATE_LIMIT_API_CALLS: '1/PT1H' })
    for (let again = 0; again < 3; again += 1)
      expect(limitHeadersOf(await call(shop, '/v1/probes/import'))).toMatchObject({ status: 200, limit: undefined })
  })
})

describe('the limits of one project', () => {
  /** The management API of the same node, so that its cache is cleared. */
  const setLimits = async ({ node }: Limited, shop: Shop, body: unknown) =>
    send(node.app, 'PUT', `/management/v1/projects/${shop.project_id}/limits`, body === null ? 'null' : body, {
      ...shop.management,
      'content-type': 'application/json',
    })

  test('replace those of the installation from the next call on, kind by kind, until they are removed', async () => {
    const shop = await newProject()
    const service = await limited({ RATE_LIMIT_API_CALLS: '5/PT1M', RATE_LIMIT_BULK_API_CALLS: '6/PT1M' })
    const { call } = service
    expect(limitHeadersOf(await call(shop))).toMatchObject({ limit: '5', left: '4' })
    expect(await setLimits(service, shop, { api_calls: [{ value: 2, duration: 'PT1H' }] })).toMatchObject({
      status: 200,
      body: { limits: { api_calls: [{ value: 2, duration: 'PT1H' }] } },
    })
    expect(limitHeadersOf(await call(shop))).toMatchObject({ limit: '2', left: '1' })
    expect(limitHeadersOf(await call(shop, '/v1/probes/import'))).toMatchObject({ limit: '6', left: '5' })
    expect(await setLimits(service, shop, null)).toMatchObject({ status: 200 })
    expect(limitHeadersOf(await call(shop))).toMatchObject({ limit: '5', left: '3' })
  })

  test('may be an empty list, which lifts the limit', async () => {
    const shop = await newProject()
    const service = await limited({ RATE_LIMIT_API_CALLS: '1/PT1M' })
    await setLimits(service, shop, { api_calls: [] })
    for (let again = 0; again < 3; again += 1)
      expect(limitHeadersOf(await service.call(shop))).toMatchObject({ status: 200, limit: undefined })
  })

  test('may be lowered below the calls already counted, and raised again', async () => {
    const shop = await newProject()
    const service = await limited({})
    const perHour = (value: number) => setLimits(service, shop, { api_calls: [{ value, duration: 'PT1H' }] })
    await perHour(5)
    for (const left of ['4', '3', '2'])
      expect(limitHeadersOf(await service.call(shop))).toMatchObject({ status: 200, left })
    await perHour(2)
    expect(limitHeadersOf(await service.call(shop))).toMatchObject({ status: 429, limit: '2', left: '0' })
    await perHour(4)
    expect(limitHeadersOf(await service.call(shop))).toMatchObject({ status: 200, limit: '4', left: '0' })
  })

  test('may contain the same length twice', async () => {
    const shop = await newProject()
    const service = await limited({})
    await setLimits(service, shop, {
      api_calls: [
        { value: 9, duration: 'PT1H' },
        { value: 3, duration: 'PT60M' },
        { value: 5, duration: 'PT3600S' },
      ],
    })
    expect(limitHeadersOf(await service.call(shop))).toMatchObject({ status: 200, limit: '3', left: '2' })
  })

  test.each(['1M', 'PT0S', 'P1M', 'P1Y', 'PT99999999999S', ''])('a window of %j is refused', async (duration) => {
    const shop = await newProject()
    const service = await limited({})
    expect(await setLimits(service, shop, { api_calls: [{ value: 1, duration }] })).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload' },
    })
    expect(await service.call(shop)).toMatchObject({ status: 200 })
  })
})

test('of 50 concurrent calls against a limit of 20, exactly 20 are admitted', async () => {
  const shop = await newProject()
  const { call } = await limited({ RATE_LIMIT_API_CALLS: '20/PT1H' })
  const answers = await Promise.all(Array.from({ length: 50 }, () => call(shop)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(30)
  const left = answers
    .filter(({ status }) => status === 200)
    .map(({ headers }) => Number(headers['x-rate-limit-remaining']))
  expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index))
  expect(await counted(shop)).toEqual([{ kind: 'api_calls', seconds: 3_600, calls: 20 }])
})

describe('the limit of a client network', () => {
  const origin = 'https://shop.test'
  const project = { client_trusted_domains: ['shop.test'] }
  const either = { AUTH_MODE: 'either' }

  async function client(env: Record<string, string>) {
    const service = await limited({ ...either, ...env })
    return {
      ...service,
      from: async (shop: Shop, remoteAddress: string, headers?: Record<string, string>, payload?: object) => {
        const pair = { 'x-client-application-id': shop.client_id, 'x-client-token': shop.client_token }
        const answer = await service.node.app.inject({
          method: 'POST',
          url: '/client/v1/probes',
          remoteAddress,
          headers: { origin, ...(headers ?? pair) },
          ...(payload === undefined ? {} : { payload }),
        })
        return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
      },
    }
  }

  test('five calls in any five seconds, by default', async () => {
    const shop = await newProject({ project })
    const { at, from } = await client({ CLIENT_RATE_LIMIT: '5/PT5S' })
    for (const second of [0, 1, 2, 3, 4]) {
      at(second)
      expect((await from(shop, '203.0.113.1')).status).toBe(200)
    }
    at(4.9)
    const refused = await from(shop, '203.0.113.1')
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('1')
    expect(refused.body).toMatchObject({
      code: 429,
      key: 'too_many_requests',
      message: 'Too many requests hit the API too quickly.',
    })
    // It slides: the first call expires after five seconds, the second one second later; the refused one was never counted.
    at(5)
    expect((await from(shop, '203.0.113.1')).status).toBe(200)
    at(5.5)
    expect((await from(shop, '203.0.113.1')).status).toBe(429)
    at(6)
    expect((await from(shop, '203.0.113.1')).status).toBe(200)
  })

  test('returns how long to wait', async () => {
    const shop = await newProject({ project })
    const { at, from } = await client({ CLIENT_RATE_LIMIT: '1/PT1M' })
    at(0)
    expect((await from(shop, '203.0.113.2')).status).toBe(200)
    at(12.5)
    expect((await from(shop, '203.0.113.2')).headers['retry-after']).toBe('48')
  })

  test('counts per address, across projects', async () => {
    const [first, second] = [await newProject({ project }), await newProject({ project })]
    const { from } = await client({ CLIENT_RATE_LIMIT: '2/PT1M' })
    expect((await from(first, '203.0.113.3')).status).toBe(200)
    expect((await from(second, '203.0.113.3')).status).toBe(200)
    expect((await from(first, '203.0.113.3')).status).toBe(429)
    expect((await from(first, '203.0.113.4')).status).toBe(200)
  })

  test('counts an IPv6 network as one, since a provider gives each customer at least a /64', async () => {
    const shop = await newProject({ project })
    const { from } = await client({ CLIENT_RATE_LIMIT: '2/PT1M' })
    expect((await from(shop, '2001:db8:1:2::1')).status).toBe(200)
    expect((await from(shop, '2001:db8:1:2:ffff::9')).status).toBe(200)
    for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6'])
      expect((await from(shop, address)).status).toBe(429)
    expect((await from(shop, '2001:db8:1:3::1')).status).toBe(200)
  })

  test('applies with a token too, and not to a key of the server side: a server calls for many shoppers', async () => {
    const shop = await newProject({ project })
    const { from } = await client({ CLIENT_RATE_LIMIT: '1/PT1M' })
    const pair = { 'x-app-id': shop.app_id, 'x-app-token': shop.app_token }
    const token = { authorization: `Bearer ${shop.access_token}` }
    expect((await from(shop, '203.0.113.5')).status).toBe(200)
    for (const credentials of [undefined, token])
      expect((await from(shop, '203.0.113.5', credentials)).status).toBe(429)
    for (const credentials of [pair, { ...pair, ...token }])
      expect((await from(shop, '203.0.113.5', credentials)).status).toBe(200)
  })

  test('counts a proven customer instead of its address', async () => {
    const shop = await newProject({ project })
    const { from, node } = await client({ CLIENT_RATE_LIMIT: '2/PT1M', RATE_LIMIT_API_CALLS: '100/PT1M' })
    const row = (await node.runtime.credentials.project(shop.project_id)) as Project
    const proofOf = (name: string) => trackingProof(row, name, node.runtime.now())
    const as = async (trackingId: string) =>
      (await from(shop, '203.0.113.7', undefined, { tracking_id: trackingId })).status
    // Two customers at one address have two calls each, and leave those of the address alone.
    for (const name of ['ann', 'bob', 'ann', 'bob']) expect(await as(proofOf(name))).toBe(200)
    expect(await as(proofOf('ann'))).toBe(429)
    expect(await as('ann')).toBe(200)
    // The refused call of Ann counted for the address.
    expect(await as('ann')).toBe(429)
    expect(await as(trackingName(row, 'cat'))).toBe(429)
    // With no calls of the address left, a proven customer still gets through.
    expect(await as(proofOf('cat'))).toBe(200)
    // Whoever proves nothing, or sends what cannot be read, is refused before long.
    const malformed = () =>
      node.app.inject({
        method: 'POST',
        url: '/client/v1/probes',
        remoteAddress: '203.0.113.7',
        headers: {
          origin,
          'x-client-application-id': shop.client_id,
          'x-client-token': shop.client_token,
          'content-type': 'application/json',
        },
        payload: '{',
      })
    const statuses: number[] = []
    for (let attempt = 0; attempt < 40; attempt += 1) statuses.push((await malformed()).statusCode)
    expect(statuses.slice(0, 5)).toEqual([400, 400, 400, 400, 400])
    expect(statuses.slice(-15)).toEqual(Array(15).fill(429))
  })

  test('does not apply to /v1', async () => {
    const shop = await newProject({ project })
    const { call } = await client({ CLIENT_RATE_LIMIT: '1/PT1M' })
    for (let again = 0; again < 3; again += 1) expect((await call(shop)).status).toBe(200)
  })

  test('can be disabled', async () => {
    const shop = await newProject({ project })
    const { from } = await client({ CLIENT_RATE_LIMIT: '' })
    for (let again = 0; again < 10; again += 1) expect((await from(shop, '203.0.113.6')).status).toBe(200)
  })

  test('a call refused by the project limit does not count against the address, nor the other way round', async () => {
    const shop = await newProject({ project })
    const { at, from } = await client({ CLIENT_RATE_LIMIT: '2/PT1H', RATE_LIMIT_API_CALLS: '1/PT1M' })
    at(0)
    expect((await from(shop, '203.0.113.7')).status).toBe(200)
    for (let again = 0; again < 3; again += 1)
      expect((await from(shop, '203.0.113.7')).headers['x-rate-limit-type']).toBe('api_calls')
    at(60)
    expect((await from(shop, '203.0.113.7')).status).toBe(200)
    at(120)
    const refused = await from(shop, '203.0.113.7')
    expect(refused.status).toBe(429)
    expect(refused.headers).not.toHaveProperty('x-rate-limit-type')
    expect((await counted(shop)).map(({ kind, calls }) => `${kind} ${calls}`)).toEqual([
      'api_calls 1',
      'api_calls 1',
      'api_calls_hour 2',
    ])
  })
})
