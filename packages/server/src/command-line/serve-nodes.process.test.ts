import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { newPostgresDatabase } from '../testing/database.ts'
import { untilOthersWait } from '../testing/lock-waits.ts'
import { headersFrom, keysFileIn, retryWhile503, runGuerdon, startGuerdon } from '../testing/process.ts'

async function emptyDatabase(): Promise<string> {
  const { url, drop } = await newPostgresDatabase()
  onTestFinished(drop)
  return url
}

test('of four processes started at once on an empty PostgreSQL one bootstraps it, and all become ready', async () => {
  const databaseUrl = await emptyDatabase()
  const nodes = await Promise.all(
    Array.from({ length: 4 }, () =>
      startGuerdon({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn', DATABASE_CONNECTIONS: '2' }),
    ),
  )
  const first = nodes.filter((node) => node.output().includes('keys are made only now'))
  expect(first).toHaveLength(1)
  const headers = await headersFrom(first[0] as (typeof nodes)[number])
  const answers = await Promise.all(
    nodes.map(({ address }) => retryWhile503(() => fetch(`${address}/v1/categories`, { headers }))),
  )
  expect(answers.map(({ status }) => status)).toEqual(nodes.map(() => 200))
  for (const node of nodes) node.kill('SIGTERM')
  expect(await Promise.all(nodes.map(({ ended }) => ended))).toEqual(nodes.map(() => 0))
})

test('SIGTERM finishes the running request, logs it and refuses new ones', async () => {
  const databaseUrl = await emptyDatabase()
  const node = await startGuerdon({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' })
  const headers = await headersFrom(node)
  // Holds the lock that issuing a token needs, so that a request is in flight when the signal arrives.
  const { default: pg } = await import('pg')
  const holder = new pg.Client({ connectionString: databaseUrl })
  await holder.connect()
  const { rows } = await holder.query('select id from projects')
  await holder.query('begin')
  await holder.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`oauth ${rows[0].id}`])
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'api' })
  const running = retryWhile503(() => fetch(`${node.address}/v1/oauth/token`, { method: 'POST', headers, body }))
  const watcher = new pg.Client({ connectionString: databaseUrl })
  await watcher.connect()
  onTestFinished(() => watcher.end())
  const { rows: backends } = await holder.query('select pg_backend_pid() as pid')
  await untilOthersWait({ execute: (text, values) => watcher.query(text, values) }, backends[0].pid)
  node.kill('SIGTERM')
  await expect
    .poll(() =>
      fetch(`${node.address}/v1/categories`, { headers }).then(
        () => 'answered',
        () => 'refused',
      ),
    )
    .toBe('refused')
  await holder.query('commit')
  await holder.end()
  const { status, headers: answered } = await running
  expect(status).toBe(200)
  expect(await node.ended).toBe(0)
  const id = answered.get('x-request-id')?.replace('v-', 'log_')
  const { rows: logged } = await watcher.query('select endpoint, status_code from audit_log where id = $1', [id])
  expect(logged).toEqual([{ endpoint: 'POST_v1_oauth_token', status_code: 200 }])
})

test('a node that drains is not ready, still serves requests, and ends at once on a second signal', async () => {
  const node = await startGuerdon({ DATABASE_URL: await emptyDatabase(), LOG_LEVEL: 'warn', DRAIN_SECONDS: '300' })
  const headers = await headersFrom(node)
  node.kill('SIGTERM')
  await expect.poll(async () => (await fetch(`${node.address}/health/ready`)).status).toBe(503)
  const answer = await retryWhile503(() => fetch(`${node.address}/v1/categories`, { headers }))
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
  node.kill('SIGTERM')
  expect(await node.ended).toBe(130)
})

test('a first start that cannot listen names the setting, and where the keys are that it has made', async () => {
  const databaseUrl = await emptyDatabase()
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const busy = runGuerdon([], { DATABASE_URL: databaseUrl, PORT: String(port), LOG_LEVEL: 'warn' })
  expect(await busy.ended).toBe(1)
  expect(busy.output()).toContain(`PORT: ${port} is in use on 127.0.0.1.`)
  expect(readFileSync(keysFileIn(busy.output()), 'utf8')).toMatch(/X-App-Token: +[0-9a-f-]{36}/)

  const elsewhere = runGuerdon([], { DATABASE_URL: databaseUrl, PORT: '0', HOST: '203.0.113.1', LOG_LEVEL: 'warn' })
  expect(await elsewhere.ended).toBe(1)
  expect(elsewhere.output()).toContain('HOST: 203.0.113.1 is no address of this machine.')
})

test('a start that fails after it has connected ends the process with code 1', async () => {
  const { url, drop } = await newPostgresDatabase({ migrated: true })
  onTestFinished(drop)
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('create schema pgboss; create table pgboss.version (version text)') // not what pg-boss expects
  const { output, ended } = runGuerdon([], { DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'warn' })
  expect(await ended, output()).toBe(1)
})
