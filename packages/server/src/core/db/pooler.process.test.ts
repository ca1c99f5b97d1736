import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, vi, test as vitestTest } from 'vitest'
import { newProjectOn, send } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { atEnd } from '../../testing/closings.ts'
import { newPostgresDatabase } from '../../testing/database.ts'
import { openNode } from '../../testing/nodes.ts'
import { keepsPrepared, type Pooler, startPooler } from '../../testing/pooler.ts'
import { type GuerdonProcess, headersFrom, keysFileIn, retryWhile503, startGuerdon } from '../../testing/process.ts'
import { connectPostgres, type PostgresOptions } from './connect.ts'
import type { Database } from './database.ts'
import { openPostgres } from './open-at-start.ts'
import { preparedStatement } from './prepared-statements.ts'
import { inTransaction } from './transaction.ts'

/*
 * Behind PgBouncer (npm run try-pooler), with two server connections for many clients: whatever a client left on one of them, another one
 * would meet.
 */

const binary = process.env.TEST_POOLER ?? ''
const prepared = binary !== '' && keepsPrepared(binary) ? 'on' : 'off'
const test = vitestTest.runIf(binary !== '')

/** A database, and a pooler of its own before its server. */
async function behindPooler({ migrated = false, settings = [] as string[] } = {}) {
  const { url, drop } = await newPostgresDatabase({ migrated })
  const pooler: Pooler = await startPooler(binary, url, { pool_size: 2, settings })
  atEnd(drop)
  atEnd(pooler.stop)
  return { url: pooler.urlOf(url), session_url: url }
}

/** As a node connects. */
function connectBehind(
  { url, session_url }: { url: string; session_url: string },
  options: Partial<PostgresOptions> = {},
): Database {
  const database = connectPostgres({
    connectionString: url,
    session_url,
    is_pooled: true,
    prepares: prepared === 'on',
    ...options,
  })
  atEnd(() => database.close())
  return database
}

test('two nodes that start at once on an empty database become ready, and serve', async () => {
  const { url, session_url } = await behindPooler()
  const env = { DATABASE_URL: url, DATABASE_SESSION_URL: session_url, DATABASE_PREPARED: prepared, LOG_LEVEL: 'warn' }
  const nodes = await Promise.all([startGuerdon(env), startGuerdon(env)])
  const first = nodes.find(({ output }) => keysFileIn(output()) !== undefined) as GuerdonProcess
  const headers = await headersFrom(first)
  for (const { address } of nodes) {
    const answer = await retryWhile503(() => fetch(`${address}/v1/vouchers?limit=1`, { headers }))
    expect(answer.status).toBe(200)
  }
})

test('a key that is blocked on one node is refused by the other as soon as it is notified', async () => {
  const urls = await behindPooler({ migrated: true })
  const env = { AUTH_MODE: 'either' }
  const stoppedAt = Date.now() // what the other node caches never expires
  const clock = { now: Date.now, set: () => {}, advance: () => {} }
  const here = { ...(await openNode(connectBehind(urls), { env })), clock }
  const elsewhere = await openNode(connectBehind(urls), { env, now: () => stoppedAt })
  const shop = await newProjectOn(here)
  const { body } = await shop.manage('POST', '/api-keys', { name: 'Of both nodes' })
  const pair = { 'x-app-id': body.app_id as string, 'x-app-token': body.secret as string }
  const statusElsewhere = async () => (await send(elsewhere.app, 'GET', '/v1/categories', undefined, pair)).status
  expect(await statusElsewhere()).toBe(200)
  expect(await shop.manage('PUT', `/api-keys/${body.id}`, { status: 'BLOCKED' })).toMatchObject({ status: 200 })
  await until(async () => ((await statusElsewhere()) === 403 ? true : undefined))
})

test('clients share server connections, in UTC whatever the server, the role or another client has set', async () => {
  const urls = await behindPooler()
  const admin = new pg.Client({ connectionString: urls.session_url })
  await admin.connect()
  atEnd(() => admin.end())
  await admin.query(`alter database ${new URL(urls.url).pathname.slice(1)} set timezone = 'Asia/Kolkata'`)
  // Another program opens the server connections of the pooler, and leaves them in its time zone.
  const others = new pg.Pool({ connectionString: urls.url, max: 4 })
  atEnd(() => others.end())
  const zoneOf = async (pool: pg.Pool) =>
    (await pool.query(`select pg_sleep(0.1), current_setting('TimeZone') as zone`)).rows[0].zone
  const zones = () => Promise.all(Array.from({ length: 4 }, () => zoneOf(others)))
  expect(new Set(await zones())).toEqual(new Set(['Asia/Kolkata']))

  const database = connectBehind(urls, { connections_max: 6 })
  const look = `select pg_backend_pid() as pid, to_jsonb(timestamptz '2026-07-01T00:00:00Z') as at, pg_sleep(0.05)`
  for (let round = 1; round <= 3; round += 1) {
    const alone = await Promise.all(Array.from({ length: 12 }, () => database.execute(look)))
    const together = await Promise.all(
      Array.from({ length: 12 }, () => inTransaction(database.db, (trx) => sql.raw(look).execute(trx))),
    )
    const rows = [...alone, ...together].map(({ rows: [row] }) => row as { pid: number; at: string })
    expect(new Set(rows.map(({ at }) => at))).toEqual(new Set(['2026-07-01T00:00:00+00:00']))
    expect(new Set(rows.map(({ pid }) => pid)).size).toBe(2)
    expect(new Set(await zones())).toEqual(new Set(['Asia/Kolkata']))
  }
})

const echo = preparedStatement<{ echoed: number }>('select $1::int as echoed')

test('declared and frequent statements run on every server connection', async () => {
  const urls = await behindPooler()
  const nodes = Array.from({ length: 4 }, () => connectBehind(urls, { connections_max: 3 }))
  for (let round = 0; round < 10; round += 1) {
    const answers = nodes.flatMap(({ db }, node) => [
      echo(db, [node]).then(([row]) => row?.echoed),
      sql<{ said: number }>`select ${node}::int as said, pg_sleep(0.001)`.execute(db).then(({ rows }) => rows[0]?.said),
      inTransaction(db, async (trx) => (await echo(trx, [node]))[0]?.echoed),
    ])
    expect(await Promise.all(answers)).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3])
  }
})

/** Terminates the server connections of the pooler, which opens others. */
const replaceServerConnections = `
  select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`

test.each([
  ['that have prepared the statement before', false],
  ['that the pooler has opened since', true],
])('a table with other columns is read without an error on server connections %s', async (_, areReplaced) => {
  const urls = await behindPooler()
  const database = connectBehind(urls, { connections_max: 4 })
  await database.inSession(async (db) => {
    await sql`create table grown (n int, gone int)`.execute(db)
    await sql`insert into grown values (1, 2)`.execute(db)
  })
  const read = (db: Database['db']) =>
    sql<object>`select *, pg_sleep(0.02)::text as slept from grown where n = ${1}::int`
      .execute(db)
      .then(({ rows }) => rows[0])
  const readAll = (): Promise<unknown[]> =>
    Promise.all(
      Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? read(database.db) : inTransaction(database.db, read))),
    )
  const all = (row: object) => Array(8).fill({ ...row, slept: '' })
  for (let time = 1; time <= 3; time += 1) expect(await readAll()).toEqual(all({ n: 1, gone: 2 }))
  const changes = [
    ['alter table grown add column more text', { n: 1, gone: 2, more: null }],
    ['alter table grown drop column gone', { n: 1, more: null }],
    ['alter table grown add column again int', { n: 1, more: null, again: null }],
  ] as const
  for (const [change, row] of changes) {
    await database.inSession(async (db) => {
      await sql.raw(change).execute(db)
      if (areReplaced) await sql.raw(replaceServerConnections).execute(db)
    })
    if (areReplaced) await until(() => database.execute('select 1').catch(() => undefined))
    for (let time = 1; time <= 3; time += 1) expect(await readAll()).toEqual(all(row))
    if (prepared === 'on') await until(async () => ((await areAllPrepared(readAll)) ? true : undefined))
  }
})

/** Whether each read of a round is sent once, and under a name. */
async function areAllPrepared(readAll: () => Promise<unknown[]>): Promise<boolean> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  await readAll()
  const sent = query.mock.calls.map(([statement]) => statement as unknown as { name?: string; text?: string })
  query.mockRestore()
  const reads = sent.filter(({ text }) => text?.startsWith('select *'))
  return reads.length === 8 && reads.every(({ name }) => name !== undefined)
}

test('a start says what to set where the pooler does not keep prepared statements, and where it does it starts', async () => {
  const without = await behindPooler({ settings: prepared === 'on' ? ['max_prepared_statements = 0'] : [] })
  await expect(openPostgres({ ...without, connections_max: 4, prepares: true })).rejects.toThrow(
    /^The pooler of DATABASE_URL does not keep prepared statements: set DATABASE_PREPARED=off/,
  )
  await (await openPostgres({ ...without, connections_max: 4, prepares: false })).close()
  if (prepared === 'off') return
  await (await openPostgres({ ...(await behindPooler()), connections_max: 4, prepares: true })).close()
})

test('if a pooler stops to keep prepared statements, the error says what to set', async () => {
  const urls = await behindPooler({ settings: prepared === 'on' ? ['max_prepared_statements = 0'] : [] })
  const database = connectBehind(urls, { connections_max: 4, prepares: true })
  const errors = await Promise.all(
    Array.from({ length: 8 }, () =>
      echo(database.db, [1]).then(
        () => '',
        (error: Error) => error.message,
      ),
    ),
  )
  expect(errors.find((message) => message !== '')).toMatch(
    /prepared statement .* The pooler of DATABASE_URL .* DATABASE_PREPARED=off/,
  )
})

test('a session URL that leads to the pooler is refused', async () => {
  const { url } = await behindPooler()
  await expect(
    openPostgres({ url: `${url}?application_name=a`, session_url: url, connections_max: 2, prepares: false }),
  ).rejects.toThrow(/^DATABASE_SESSION_URL: a notification .* does not arrive there/)
})

test('without DATABASE_SESSION_URL, the error of a pooler says at once what to set', async () => {
  const { url } = await behindPooler()
  const problems: string[] = []
  const retries = { retry_seconds: 600, onRetry: (problem: string) => void problems.push(problem) }
  await expect(openPostgres({ url, connections_max: 2 }, retries)).rejects.toThrow(
    /^DATABASE_URL: cannot connect to .*: unsupported startup parameter: .*name the server itself in DATABASE_SESSION_URL/,
  )
  expect(problems).toEqual([])
})

test('a pooler that is restarted is an outage, and nothing more', async () => {
  const { url, drop } = await newPostgresDatabase()
  const before = await startPooler(binary, url, { pool_size: 2 })
  atEnd(drop)
  const database = connectBehind({ url: before.urlOf(url), session_url: url })
  expect(await echo(database.db, [1])).toEqual([{ echoed: 1 }])
  await before.stop()
  await expect(echo(database.db, [2])).rejects.toThrow()
  const again = await startPooler(binary, url, { pool_size: 2, port: Number(new URL(before.urlOf(url)).port) })
  atEnd(again.stop)
  await until(() => echo(database.db, [3]).catch(() => undefined))
})

test('the configuration in docs/operate/database.md works', async () => {
  const page = readFileSync(new URL('../../../../../docs/operate/database.md', import.meta.url), 'utf8')
  const [, block = ''] = /```ini\n([\s\S]*?)```/.exec(page) ?? []
  const lines = block.slice(block.indexOf('[pgbouncer]\n') + '[pgbouncer]\n'.length).split('\n')
  expect(lines).toContain('pool_mode = transaction')
  const ofThisMachine = /^(?:listen_addr|listen_port|auth_file) /
  const ofLaterReleases = prepared === 'off' ? /^max_prepared_statements / : /^$/
  const settings = lines.filter((line) => !ofThisMachine.test(line) && !ofLaterReleases.test(line))
  const urls = await behindPooler({ settings })
  const notices: string[] = []
  const database = await openPostgres(
    { ...urls, connections_max: 8, prepares: prepared === 'on' },
    { onNotice: (notice) => void notices.push(notice) },
  )
  atEnd(() => database.close())
  expect(notices).toEqual([expect.stringMatching(/^the role has got the time limits/)])
  expect(await echo(database.db, [1])).toEqual([{ echoed: 1 }])
})
