import { connect, createServer } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../../testing/background.ts'
import { newPostgresDatabase } from '../../testing/database.ts'
import { isDistributedRun } from '../../testing/distributed.ts'
import { openForgetfulProxy } from '../../testing/forgetful-proxy.ts'
import { postgresUrl } from '../../testing/nodes.ts'
import { connectPostgres, type PostgresOptions } from './connect.ts'
import type { Database } from './database.ts'
import { openPostgres, StartError } from './open-at-start.ts'
import { isOutage } from './outage.ts'
import { preparedStatement } from './prepared-statements.ts'
import { inTransaction } from './transaction.ts'

/*
 * What a node sends when DATABASE_URL leads to a transaction pooler, looked at on a server without one: there, what is kept in a session
 * can be seen. core/db/pooler.process.test.ts shows the same behind PgBouncer.
 */

function connectPooled(options: Partial<PostgresOptions> = {}): Database {
  const url = postgresUrl()
  const database = connectPostgres({ connectionString: url, session_url: url, is_pooled: true, ...options })
  onTestFinished(() => database.close())
  return database
}

const settings = `
  select name, setting from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'TimeZone') order by name collate "C"`

const settingsIn = (db: Database['db']) => sql<{ name: string; setting: string }>`${sql.raw(settings)}`.execute(db)

test('nothing is set in a session but the time zone, which poolers keep for each client', async () => {
  const database = connectPooled({ connections_max: 1 })
  const startup = await database.execute(
    `select name from pg_settings where source in ('client', 'session') order by name collate "C"`,
  )
  expect(startup.rows).toEqual([{ name: 'TimeZone' }, { name: 'application_name' }, { name: 'client_encoding' }])
  const { rows: during } = await inTransaction(database.db, settingsIn)
  expect(during).toEqual([
    { name: 'TimeZone', setting: 'UTC' },
    { name: 'idle_in_transaction_session_timeout', setting: '180000' },
    { name: 'lock_timeout', setting: '30000' },
    { name: 'statement_timeout', setting: '180000' },
  ])
  const { rows: serializable } = await database.db.transaction().setIsolationLevel('serializable').execute(settingsIn)
  expect(serializable).toEqual(during)
  const { rows: afterwards } = await settingsIn(database.db)
  // A distributed database has a lock timeout of its own, since sessions cannot pass theirs on.
  const lockTimeout = isDistributedRun() ? '30000' : '0'
  expect(afterwards.map(({ setting }) => setting)).toEqual(['UTC', '0', lockTimeout, '0'])
})

const echo = preparedStatement<{ echoed: string }>('select $1::text as echoed')

test.each([
  ['a pool', {}],
  ['a pool behind a pooler', { is_pooled: true }],
])('with DATABASE_PREPARED=off, %s prepares nothing under a name, in a transaction or not', async (_, options) => {
  const database = connectPostgres({ connectionString: postgresUrl(), connections_max: 1, prepares: false, ...options })
  onTestFinished(() => database.close())
  for (let time = 1; time <= 8; time += 1) {
    expect(await echo(database.db, ['declared'])).toEqual([{ echoed: 'declared' }])
    expect((await sql`select ${'frequent'}::text as said`.execute(database.db)).rows).toEqual([{ said: 'frequent' }])
    await inTransaction(database.db, (trx) => echo(trx, ['declared']))
  }
  expect((await database.execute('select name from pg_prepared_statements')).rows).toEqual([])
})

test('a pool behind a pooler discards no plans, which other clients use too', async () => {
  const database = connectPooled({ connections_max: 1 })
  await echo(database.db, ['first'])
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000)
  onTestFinished(() => clock.mockRestore())
  const query = vi.spyOn(pg.Client.prototype, 'query')
  onTestFinished(() => query.mockRestore())
  await echo(database.db, ['second'])
  const texts = query.mock.calls.map(([sent]) => (sent as { text?: string }).text)
  expect(texts).toEqual(['select $1::text as echoed'])
})

test('work that needs a session gets one, on a connection of its own', async () => {
  const database = connectPooled({ connections_max: 1 })
  const pid = sql<{ pid: number; timeout: string }>`
    select pg_backend_pid() as pid, current_setting('statement_timeout') as timeout`
  const [pooled] = (await pid.execute(database.db)).rows
  await database.inSession(async (db) => {
    const [own] = (await pid.execute(db)).rows
    expect(own).toEqual({ pid: expect.any(Number), timeout: '3min' })
    expect(own?.pid).not.toBe(pooled?.pid)
  })
})

describe('statements without an answer, behind a pooler', () => {
  test('are waited for while the pooler accepts connections, and no server process is asked about', async () => {
    const database = connectPooled({ statement_answer_seconds: 0.1 })
    const watcher = connectPostgres({ connectionString: postgresUrl() })
    onTestFinished(() => watcher.close())
    const sleeping = database.execute(`select 'done' as answer from pg_sleep(3)`)
    const seen = new Set<string>()
    let isOver = false
    void sleeping.finally(() => {
      isOver = true
    })
    while (!isOver) {
      const { rows } = await watcher.execute(
        `select query from pg_stat_activity where application_name = 'guerdon' and query like '%pg_stat_activity where pid = any%' and pid <> pg_backend_pid()
           and query_start > now() - interval '2 seconds'`,
      )
      for (const { query } of rows as { query: string }[]) seen.add(query)
    }
    expect((await sleeping).rows).toEqual([{ answer: 'done' }])
    expect([...seen]).toEqual([])
  })

  test('fail as an outage when the pooler accepts no connections', async () => {
    const proxy = await openForgetfulProxy(postgresUrl())
    const database = connectPooled({ connectionString: proxy.url })
    await database.execute('select 1')
    proxy.forgetAll()
    const sentAt = performance.now()
    const error = await database.execute('select 2').catch((thrown: unknown) => thrown)
    expect(isOutage(error)).toBe(true)
    expect(performance.now() - sentAt).toBeLessThan(10_000)
    proxy.remember()
    await until(() => database.execute('select 3').catch(() => undefined))
  })

  test('fail as an outage after longer than any may take, and the server process goes on', async () => {
    const database = connectPooled({ statement_answer_seconds: 0.1, pooled_answer_seconds: 1 })
    const watcher = connectPostgres({ connectionString: postgresUrl() })
    onTestFinished(() => watcher.close())
    const text = `select 'a statement of ${crypto.randomUUID()}', pg_sleep(20)`
    expect(isOutage(await database.execute(text).catch((thrown: unknown) => thrown))).toBe(true)
    const { rows } = await watcher.execute('select state from pg_stat_activity where query = $1', [text])
    expect(rows).toEqual([{ state: 'active' }])
    await watcher.execute('select pg_terminate_backend(pid) from pg_stat_activity where query = $1', [text])
  })
})

describe('a start with DATABASE_SESSION_URL', () => {
  const startWith = async (urls: { url: string; session_url: string; prepares?: boolean }, notices: string[] = []) => {
    const onNotice = (notice: string) => void notices.push(notice)
    const database = await openPostgres({ connections_max: 2, prepares: false, ...urls }, { onNotice })
    onTestFinished(() => database.close())
    return database
  }
  const refusalOf = async (urls: Parameters<typeof startWith>[0]) => {
    const error = await startWith(urls).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(StartError)
    return (error as Error).message
  }
  const newDatabase = async () => {
    const { url, drop } = await newPostgresDatabase()
    onTestFinished(drop)
    return url
  }

  test('gives the role its time limits in this database, once', async () => {
    const url = await newDatabase()
    const notices: string[] = []
    const database = await startWith({ url, session_url: url }, notices)
    expect(notices).toEqual([
      expect.stringMatching(/alter role "postgres" in database "\w+" set statement_timeout = '180s'; alter role/),
    ])
    expect((await settingsIn(database.db)).rows.map(({ setting }) => setting)).toEqual(['UTC', '0', '30000', '180000'])
    await startWith({ url, session_url: url }, notices)
    expect(notices).toHaveLength(1)
  })

  test('several at once do not fail each other', async () => {
    const url = await newDatabase()
    await Promise.all(Array.from({ length: 6 }, () => startWith({ url, session_url: url })))
  })

  test('keeps a shorter time limit that the role has', async () => {
    const url = await newDatabase()
    const admin = connectPostgres({ connectionString: url })
    onTestFinished(() => admin.close())
    await admin.execute(
      `alter database ${new URL(url).pathname.slice(1)} set statement_timeout = '20s'; alter database ${new URL(url).pathname.slice(1)} set lock_timeout = '5s'`,
    )
    const notices: string[] = []
    const database = await startWith({ url, session_url: url }, notices)
    expect((await settingsIn(database.db)).rows.map(({ setting }) => setting)).toEqual(['UTC', '0', '5000', '20000'])
    expect(notices).toEqual([])
  })

  test('prints the statement for an administrator where the role may not be altered', async () => {
    const url = await newDatabase()
    const admin = connectPostgres({ connectionString: url })
    const names = ['pooled', 'direct'].map((word) => `${word}_${new URL(url).pathname.slice(1)}`) as [string, string]
    for (const name of names) await admin.execute(`create role ${name} login password 'hidden-word'`)
    onTestFinished(async () => {
      for (const name of names) await admin.execute(`drop owned by ${name}; drop role ${name}`)
      await admin.close()
    })
    const urlOf = (username: string) => Object.assign(new URL(url), { username, password: 'hidden-word' }).href
    const urls = { url: urlOf(names[0]), session_url: urlOf(names[1]) }
    const message = await refusalOf(urls)
    expect(message).not.toContain('hidden-word')
    const [, command = ''] = /Run as an administrator, and start again: (.*)/.exec(message) ?? []
    expect(command).toContain(`alter role "${names[0]}" in database`)
    await admin.execute(command)
    await startWith(urls)
  })

  test('refuses a session URL of another database, and names the setting', async () => {
    const [url, another] = [await newDatabase(), await newDatabase()]
    expect(await refusalOf({ url, session_url: another })).toMatch(
      /^DATABASE_SESSION_URL: a notification that was sent through DATABASE_URL does not arrive there/,
    )
  })

  test('names the session URL that it cannot connect to, without its password', async () => {
    const url = await newDatabase()
    const sessionUrl = Object.assign(new URL(url), { pathname: '/nowhere', password: 'hidden-word' }).href
    expect(await refusalOf({ url, session_url: sessionUrl })).toMatch(
      /^DATABASE_SESSION_URL: cannot connect to postgres@127\.0\.0\.1:\d+\/nowhere: (?!.*hidden-word)/,
    )
  })

  test('refuses to prepare statements where nobody keeps them for the client', async () => {
    const url = await newDatabase()
    expect(await refusalOf({ url, session_url: url, prepares: true })).toMatch(
      /set DATABASE_PREPARED=off, or max_prepared_statements in PgBouncer 1\.21 or newer/,
    )
  })

  test('refuses a pooler that lends server connections of another time zone', async () => {
    const url = await newDatabase()
    expect(await refusalOf({ url: await behindATimeZoneChange(url), session_url: url })).toMatch(
      /^DATABASE_URL: the pooler lends server connections with the time zone GMT, but Guerdon needs UTC.*alter role "postgres" in database "\w+" set timezone = 'UTC';$/,
    )
  })
})

/** The URL of a proxy that starts every connection with the time zone GMT instead of UTC. */
async function behindATimeZoneChange(databaseUrl: string): Promise<string> {
  const { hostname, port } = new URL(databaseUrl)
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    near.on('error', () => far.destroy()).on('close', () => far.destroy())
    far.on('error', () => near.destroy())
    far.pipe(near)
    near.on('data', (bytes) =>
      far.write(Buffer.from(bytes.toString('latin1').replace('TimeZone\0UTC\0', 'TimeZone\0GMT\0'), 'latin1')),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return Object.assign(new URL(databaseUrl), { port: String((server.address() as { port: number }).port) }).href
}
