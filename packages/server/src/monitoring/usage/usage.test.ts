import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { projects } from '../../account/projects/routes.ts'
import { type Operation, operation } from '../../core/http/operation.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { testDatabase } from '../../testing/database.ts'
import { type Node, openNode, ownDatabase } from '../../testing/nodes.ts'
import { insertTestProject, type TestKeys } from '../../testing/project.ts'
import { statementsSentBy } from '../../testing/sent-statements.ts'
import { notifications } from '../notifications/routes.ts'
import { usage } from './routes.ts'

const probe = (path: '/v1/probes' | '/v1/probes/import' | '/v1/probes/slow'): Operation =>
  operation({
    id: `probe ${path}`,
    method: 'POST',
    path,
    summary: 'Does nothing',
    body: Type.Object({}),
    writes: false,
    reply: Type.Object({}),
    errors: [],
    run: async () => ({}),
  })
/** Leaves time for what might run beside it, then makes a query. */
const slowProbe: Operation = {
  ...probe('/v1/probes/slow'),
  async run({ db }) {
    await setTimeout(200)
    await sql`select 'slow probe'`.execute(db)
    return {}
  },
}
const only = [...projects, ...notifications, ...usage, probe('/v1/probes'), probe('/v1/probes/import'), slowProbe]

/** 2026-01-01T10:20:00Z. */
const start = Date.UTC(2026, 0, 1, 10, 20)

interface Limited {
  node: Node
  shop: TestKeys & Pick<Shop, 'headers' | 'management'>
  move(milliseconds: number): void
  /** Makes calls one after another; the statuses of their replies. */
  calls(count: number, path?: string): Promise<number[]>
  /** Sets what a window has counted, as if other calls had been made. */
  counted(kind: string, seconds: number, startsAt: number, calls: number): Promise<void>
  manage(method: string, path: string, body?: unknown): ReturnType<Shop['manage']>
  raised(): Promise<Array<{ kind: string; data: Record<string, unknown>; message: string; severity: string }>>
}

/** A node whose clock stands still until a test moves it. */
async function limited(env: Record<string, string>, settings: object = {}): Promise<Limited> {
  let now = start
  const node = await openNode(await testDatabase(), { env, only, now: () => now })
  const shop = await newProject({ project: { api_usage_notifications: settings } })
  return limitedOn(node, shop, (milliseconds) => {
    now += milliseconds
  })
}

function limitedOn(node: Node, shop: Limited['shop'], move: Limited['move']): Limited {
  const manage: Limited['manage'] = (method, path, body) =>
    send(node.app, method, `/management/v1/projects/${shop.project_id}${path}`, body, shop.management)
  return {
    node,
    shop,
    move,
    manage,
    async calls(count, path = '/v1/probes') {
      const statuses: number[] = []
      for (let made = 0; made < count; made += 1)
        statuses.push((await send(node.app, 'POST', path, {}, shop.headers)).status)
      return statuses
    },
    async counted(kind, seconds, startsAt, calls) {
      const values = {
        project_id: shop.project_id,
        kind,
        seconds,
        starts_at: toInstant(startsAt),
        calls,
        calls_max: calls,
      }
      await node.runtime.database.db
        .insertInto('call_windows')
        .values(values)
        .onConflict((conflict) =>
          conflict.columns(['project_id', 'kind', 'seconds', 'starts_at']).doUpdateSet({ calls, calls_max: calls }),
        )
        .execute()
    },
    async raised() {
      return (await manage('GET', '/notifications?limit=100')).body.data.reverse()
    },
  }
}

const untilRaised = (service: Limited, count: number) =>
  until(async () => {
    const found = await service.raised()
    return found.length >= count ? found : undefined
  })

const setting = (change: object = {}) => ({
  enabled: true,
  value: 80,
  in_app: true,
  emails: ['ann@shop.test'],
  ...change,
})
const hour = Date.UTC(2026, 0, 1, 10)
const january = Date.UTC(2026, 0, 1)

test.each([
  // Settings, value, path, what is counted and how much of it, the call that reaches the threshold, limit, kind and window.
  [
    { RATE_LIMIT_API_CALLS: '2000/PT1H' },
    80,
    '/v1/probes',
    ['api_calls', 3_600, hour],
    1_600,
    2_000,
    'api_calls',
    'PT1H',
  ],
  [{ RATE_LIMIT_API_CALLS: '333/PT1H' }, 85, '/v1/probes', ['api_calls', 3_600, hour], 284, 333, 'api_calls', 'PT1H'],
  [
    { RATE_LIMIT_API_CALLS: '2000/PT1M' },
    80,
    '/v1/probes',
    ['api_calls_hour', 3_600, hour],
    96_000,
    2_000,
    'api_calls',
    'PT1M',
  ],
  [{ RATE_LIMIT_API_CALLS: '50/P1D' }, 80, '/v1/probes', ['api_calls', 86_400, january], 40, 50, 'api_calls', 'P1D'],
  [
    { RATE_LIMIT_BULK_API_CALLS: '9/PT1H' },
    50,
    '/v1/probes/import',
    ['bulk_api_calls', 3_600, hour],
    5,
    9,
    'bulk_api_calls',
    'PT1H',
  ],
  [
    { RATE_LIMIT_API_CALLS_CYCLE: '1000' },
    90,
    '/v1/probes',
    ['api_calls_cycle', 0, january],
    900,
    1_000,
    'cycle_calls',
    'P1M',
  ],
] as const)(
  '%j at %i %%',
  async (env, value, path, [kind, seconds, startsAt], threshold, limit, raisedKind, window) => {
    const service = await limited(env, {
      api_calls: setting({ value }),
      bulk_api_calls: setting({ value }),
      cycle_calls: setting({ value }),
    })
    await service.counted(kind, seconds, startsAt, threshold - 2)
    expect(await service.calls(1, path)).toEqual([200])
    expect(await service.raised()).toEqual([])
    await service.calls(1, path)
    const [notification] = await untilRaised(service, 1)
    expect(notification).toMatchObject({
      kind: raisedKind,
      severity: 'WARNING',
      message: expect.stringContaining(`${threshold} of ${window === 'PT1M' ? 120_000 : limit} `),
      data: { calls: threshold, limit, value, window, starts_at: toInstant(startsAt) },
    })
    expect(notification?.data.calls_allowed).toBe(window === 'PT1M' ? 120_000 : limit)
    await service.calls(3, path)
    await service.node.app.close() // waits for what is announced
    const mails = await service.node.runtime.database.db
      .selectFrom('mails')
      .where('text', 'like', `%(${service.shop.project_id})%`)
      .select(['recipients', 'subject', 'text'])
      .execute()
    expect(mails).toMatchObject([
      {
        recipients: ['ann@shop.test'],
        subject: expect.stringContaining(`: ${value} % of the allowed `),
        text: expect.stringContaining(`Calls beyond the limit of ${limit} per ${window} are answered with status 429`),
      },
    ])
    // A full minute refuses calls for a minute, not for the hour in which they are counted.
    expect(mails[0]?.text.includes(`429 until ${notification?.data.ends_at}.`)).toBe(window !== 'PT1M')
    expect(mails[0]?.text.includes('that 2000 per PT1M allow')).toBe(window === 'PT1M')
    const rows = await service.node.runtime.database.db
      .selectFrom('notifications')
      .where('project_id', '=', service.shop.project_id)
      .select('kind')
      .execute()
    expect(rows).toHaveLength(1)
  },
)

test('the threshold is reached again in the next hour', async () => {
  const service = await limited({ RATE_LIMIT_API_CALLS: '5/PT1H' }, { api_calls: setting({ value: 40 }) })
  await service.calls(4)
  await untilRaised(service, 1)
  service.move(3_600_000)
  await service.calls(1)
  expect(await service.raised()).toHaveLength(1)
  await service.calls(1)
  const raised = await untilRaised(service, 2)
  expect(raised.map(({ data }) => data.starts_at)).toEqual(['2026-01-01T10:00:00.000Z', '2026-01-01T11:00:00.000Z'])
})

test('calls of every minute of the hour count, although no minute is full', async () => {
  const service = await limited({ RATE_LIMIT_API_CALLS: '1/PT10M' }, { api_calls: setting({ value: 34 }) })
  // 6 calls in an hour are allowed; 34 % are 2.04.
  for (const raised of [0, 0, 1]) {
    expect(await service.calls(2)).toEqual([200, 429])
    if (raised > 0) await untilRaised(service, raised)
    expect(await service.raised()).toHaveLength(raised)
    service.move(600_000)
  }
})

test('enabled: false silences a kind, and its hour is not counted', async () => {
  const service = await limited(
    { RATE_LIMIT_API_CALLS: '2/PT1M' },
    { api_calls: setting({ enabled: false, value: 10 }) },
  )
  for (let minute = 0; minute < 8; minute += 1) {
    await service.calls(2)
    service.move(60_000)
  }
  await service.node.app.close()
  const { db } = service.node.runtime.database
  expect(
    await db.selectFrom('notifications').where('project_id', '=', service.shop.project_id).select('id').execute(),
  ).toEqual([])
  const seconds = db
    .selectFrom('call_windows')
    .where('project_id', '=', service.shop.project_id)
    .select('seconds')
    .distinct()
  expect(await seconds.execute()).toEqual([{ seconds: 60 }])
})

test('a limit that is lowered below what is used is announced by the next call', async () => {
  const service = await limited({ RATE_LIMIT_API_CALLS: '100/PT1H' }, { api_calls: setting() })
  await service.calls(9)
  await service.manage('PUT', '/limits', { api_calls: [{ value: 11, duration: 'PT1H' }] })
  await service.calls(1)
  expect(await untilRaised(service, 1)).toMatchObject([{ data: { calls: 10, limit: 11 } }])
})

test('a call away from the threshold sends no more statements than the one that counts it; without limits there is none', async () => {
  const service = await limited({ RATE_LIMIT_API_CALLS: '10/PT1H' }, { api_calls: setting() })
  await service.calls(1)
  const away = await statementsSentBy(() => service.calls(6))
  expect(away.sent.map((text) => text.trim().slice(0, 24))).toEqual(Array(6).fill('select * from count_call'))
  await service.calls(1)
  await untilRaised(service, 1)
  expect((await statementsSentBy(() => service.calls(2))).sent).toHaveLength(2)
  const unlimited = await limited({})
  await unlimited.calls(1)
  expect((await statementsSentBy(() => unlimited.calls(3))).sent).toEqual([])
})

test('the notification is raised after the reply to the call that reaches the threshold', async () => {
  const service = await limited({ RATE_LIMIT_API_CALLS: '2/PT1H' }, { api_calls: setting() })
  await service.calls(1)
  const { sent } = await statementsSentBy(async () => {
    await service.calls(1, '/v1/probes/slow')
    await untilRaised(service, 1)
  })
  const position = (part: string) => sent.findIndex((text) => text.includes(part))
  expect(position('count_call')).toBe(0)
  expect(position('slow probe')).toBe(1)
  expect(position('raised_notifications')).toBeGreaterThan(1)
})

test('a notification that cannot be stored fails no call, and the next call tries again', async () => {
  const { database } = await ownDatabase()
  const node = await openNode(database, { env: { RATE_LIMIT_API_CALLS: '10/PT1H' }, only, now: () => start })
  const keys = await insertTestProject(node.runtime, {})
  const headers = {
    'x-app-id': keys.app_id,
    'x-app-token': keys.app_token,
    authorization: `Bearer ${keys.access_token}`,
  }
  const management = { 'x-management-id': keys.management_id, 'x-management-token': keys.management_token }
  const service = limitedOn(node, { ...keys, headers, management }, () => {})
  await database.execute('alter table notifications rename to notifications_away')
  expect(await service.calls(9)).toEqual(Array(9).fill(200))
  await until(async () => {
    const { rows } = await database.execute(
      `select from pg_stat_activity where state = 'active' and query like '%raised_%'`,
    )
    return rows.length <= 1 ? true : undefined
  })
  await database.execute('alter table notifications_away rename to notifications')
  expect(
    await until(async () => {
      if ((await service.calls(1))[0] === 429) await service.counted('api_calls', 3_600, hour, 8)
      const raised = await service.raised()
      return raised.length > 0 ? raised : undefined
    }),
  ).toHaveLength(1)
})

test('GET /usage shows what each limit has counted, and the tightest of each kind', async () => {
  const service = await limited({
    RATE_LIMIT_API_CALLS: '3/PT1M,5/PT1H30M',
    RATE_LIMIT_API_CALLS_CYCLE: '100',
  })
  const none = { value: null, limit: null, window: null, resets_at: null, windows: [] }
  const minute = (value: number) => ({ value, limit: 3, window: 'PT1M', resets_at: '2026-01-01T10:21:00.000Z' })
  const long = (value: number) => ({ value, limit: 5, window: 'PT1H30M', resets_at: '2026-01-01T10:30:00.000Z' })
  const month = (value: number) => ({ value, limit: 100, window: 'P1M', resets_at: '2026-02-01T00:00:00.000Z' })
  expect((await service.manage('GET', '/usage')).body).toEqual({
    api_calls: { ...minute(0), windows: [minute(0), long(0)] },
    bulk_api_calls: none,
    api_calls_cycle: { ...month(0), windows: [month(0)] },
    object: 'usage',
  })
  await service.calls(4)
  await service.calls(2, '/v1/probes/import')
  expect((await service.manage('GET', '/usage')).body).toEqual({
    api_calls: { ...minute(3), windows: [minute(3), long(3)] },
    bulk_api_calls: none,
    api_calls_cycle: { ...month(5), windows: [month(5)] },
    object: 'usage',
  })
  service.move(60_000)
  await service.calls(1)
  expect((await service.manage('GET', '/usage')).body.api_calls).toMatchObject(long(4))
})

test('without limits nothing is counted, and usage says so', async () => {
  const service = await limited({})
  await service.calls(2)
  const none = { value: null, limit: null, window: null, resets_at: null, windows: [] }
  expect(await service.manage('GET', '/usage')).toMatchObject({
    status: 200,
    body: { api_calls: none, bulk_api_calls: none, api_calls_cycle: none, object: 'usage' },
  })
  await service.manage('PUT', '/limits', { bulk_api_calls: [{ value: 7, duration: 'P1D' }] })
  expect((await service.manage('GET', '/usage')).body.bulk_api_calls).toMatchObject({
    value: 0,
    limit: 7,
    window: 'P1D',
  })
})
