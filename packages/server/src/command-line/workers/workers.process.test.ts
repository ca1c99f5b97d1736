import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { newPostgresDatabase } from '../../testing/database.ts'
import { untilOthersWait } from '../../testing/lock-waits.ts'
import {
  type GuerdonProcess,
  headersFrom,
  keysFileIn,
  retryWhile503,
  runGuerdon,
  startGuerdon,
} from '../../testing/process.ts'

async function emptyDatabase(): Promise<string> {
  const { url, drop } = await newPostgresDatabase()
  onTestFinished(drop)
  return url
}

/** A line of the log. */
interface Line {
  msg: string
  worker?: number
  pid?: number
  [field: string]: unknown
}

const linesOf = ({ output }: Pick<GuerdonProcess, 'output'>): Line[] =>
  output()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line) as Line] : []))

const linesWith = (node: GuerdonProcess, message: string) => linesOf(node).filter(({ msg }) => msg === message)

/** The process of each worker that became ready, in the order of the log. */
const startedPids = (node: GuerdonProcess) => linesWith(node, 'a worker serves').map(({ pid }) => pid as number)

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function startNode(workers: number, env: Record<string, string> = {}): Promise<GuerdonProcess> {
  const node = await startGuerdon({ DATABASE_URL: await emptyDatabase(), WORKERS: String(workers), ...env })
  await expect.poll(() => startedPids(node).length).toBe(workers)
  return node
}

/** How many of them have an outcome by now. */
async function settledOf(promises: Array<Promise<unknown>>): Promise<number> {
  const states = await Promise.all(promises.map((each) => Promise.race([each.then(() => true), sleep(0, false)])))
  return states.filter(Boolean).length
}

interface Call {
  method?: string
  path?: string
  headers?: Record<string, string>
  agent?: Agent
}

/** An answer over a connection of its own, or over one that the agent keeps. */
function answerOf(
  address: string,
  { method = 'GET', path = '/v1/categories', headers = {}, agent }: Call,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${address}${path}`, { method, headers, agent: agent ?? false }, (reply) => {
      let body = ''
      reply.on('data', (chunk: Buffer) => (body += chunk.toString()))
      reply.on('end', () => resolve({ status: reply.statusCode as number, body }))
      reply.on('error', reject)
    })
    sent.on('error', reject)
    sent.end()
  })
}

const sampleOf = (metrics: string, series: string): number =>
  Number(
    metrics
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')
      .at(-1) ?? Number.NaN,
  )

const metricsOf = async (address: string) => (await answerOf(address, { path: '/metrics' })).body

/** How many requests the node has served, of all workers that it ever had. */
const countedIn = (metrics: string) =>
  sampleOf(metrics, 'guerdon_http_requests_total{operation="listCategories",status="200"}')

test('several workers share one port, print one welcome, and end together', async () => {
  const node = await startNode(3, { LOG_REQUESTS: 'true' })
  const headers = await headersFrom(node)
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => retryWhile503(() => fetch(`${node.address}/v1/categories`, { headers }))),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  await expect
    .poll(
      () => new Set(linesOf(node).flatMap(({ operation, worker }) => (operation === 'listCategories' ? [worker] : []))),
    )
    .toEqual(new Set([1, 2, 3]))
  for (const once of ['is starting on PostgreSQL', 'is ready on', 'keys are made only now'])
    expect(node.output().split(once)).toHaveLength(2)
  expect(countedIn(await metricsOf(node.address))).toBe(30)

  const pids = startedPids(node)
  expect(new Set(pids).size).toBe(3)
  // As Ctrl-C in a terminal does: every process of the node gets the signal, and that is no second one.
  node.kill('SIGINT')
  for (const pid of pids) process.kill(pid, 'SIGINT')
  expect(await node.ended).toBe(0)
  expect(pids.filter(isAlive)).toEqual([])
})

test('a worker that dies is replaced, its counters stay, and the others serve meanwhile', async () => {
  const node = await startNode(2)
  const headers = await headersFrom(node)
  for (let sent = 0; sent < 10; sent += 1) expect((await answerOf(node.address, { headers })).status).toBe(200)
  expect(countedIn(await metricsOf(node.address))).toBe(10)

  const [first] = startedPids(node) as [number]
  process.kill(first, 'SIGKILL')
  await expect.poll(() => linesWith(node, 'a worker died; another takes its place')).toHaveLength(1)
  expect(linesWith(node, 'a worker died; another takes its place')[0]).toMatchObject({ pid: first, signal: 'SIGKILL' })
  for (let sent = 0; sent < 10; sent += 1) expect((await answerOf(node.address, { headers })).status).toBe(200)
  await expect.poll(() => startedPids(node)).toHaveLength(3)
  const metrics = await metricsOf(node.address)
  expect(countedIn(metrics)).toBe(20)
  expect(sampleOf(metrics, 'guerdon_workers{state="serving"}')).toBe(2)
  expect(sampleOf(metrics, 'guerdon_worker_restarts_total{reason="died"}')).toBe(1)
})

test('a connection that a worker did not take before it died is served by another worker, or closed if there is none', async () => {
  const node = await startNode(3)
  const headers = await headersFrom(node)
  const [first, second, third] = startedPids(node) as [number, number, number]
  // Frozen, they are handed connections and take none.
  process.kill(first, 'SIGSTOP')
  process.kill(second, 'SIGSTOP')
  const answers = Array.from({ length: 12 }, () => answerOf(node.address, { headers }))
  await expect.poll(() => settledOf(answers)).toBe(10)
  process.kill(first, 'SIGKILL')
  process.kill(second, 'SIGKILL')
  expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]))

  await expect.poll(() => startedPids(node)).toHaveLength(5)
  const serving = [third, ...startedPids(node).slice(3)]
  for (const pid of serving) process.kill(pid, 'SIGSTOP')
  const lost = Array.from({ length: 6 }, () => answerOf(node.address, { headers }).catch(() => 'closed'))
  expect(await settledOf(lost)).toBe(0)
  await sleep(300) // until the supervisor has accepted them
  for (const pid of serving) process.kill(pid, 'SIGKILL')
  expect(await Promise.all(lost)).toEqual(lost.map(() => 'closed'))
})

test('a request under way is answered when the node stops, and a second signal ends all workers at once', async () => {
  const databaseUrl = await emptyDatabase()
  const node = await startGuerdon({ DATABASE_URL: databaseUrl, WORKERS: '2' })
  await expect.poll(() => startedPids(node)).toHaveLength(2)
  const headers = await headersFrom(node)
  const { running, release } = await heldRequest(node, databaseUrl, headers)
  node.kill('SIGTERM')
  await expect.poll(() => answerOf(node.address, { headers }).catch(() => 'refused')).toBe('refused')
  await release()
  expect((await running).status).toBe(200)
  expect(await node.ended).toBe(0)

  const draining = await startGuerdon({ DATABASE_URL: databaseUrl, WORKERS: '2', DRAIN_SECONDS: '300' })
  await expect.poll(() => startedPids(draining)).toHaveLength(2)
  draining.kill('SIGTERM')
  await expect.poll(async () => (await answerOf(draining.address, { path: '/health/ready' })).status).toBe(503)
  expect((await answerOf(draining.address, { headers })).status).toBe(200)
  draining.kill('SIGTERM')
  expect(await draining.ended).toBe(130)
  await expect.poll(() => startedPids(draining).filter(isAlive)).toEqual([])
})

test('workers whose supervisor was killed answer what is under way, and end', async () => {
  const databaseUrl = await emptyDatabase()
  const node = await startGuerdon({ DATABASE_URL: databaseUrl, WORKERS: '2', DRAIN_SECONDS: '300' })
  await expect.poll(() => startedPids(node)).toHaveLength(2)
  const { running, release } = await heldRequest(node, databaseUrl, await headersFrom(node))
  node.kill('SIGKILL')
  await expect.poll(() => linesOf(node).filter(({ reason }) => reason === 'supervisor_ended')).toHaveLength(2)
  await release()
  expect((await running).status).toBe(200)
  await expect.poll(() => startedPids(node).filter(isAlive)).toEqual([])
})

test('SIGHUP replaces all workers without a failed request, on new and on kept connections, and no counter goes back', async () => {
  const node = await startNode(2, { METRICS_PORT: '0', LOG_REQUESTS: 'false' })
  const headers = await headersFrom(node)
  const [{ address, port }] = linesWith(node, 'metrics are served on a port of their own') as [Line]
  const scraped = `http://${address}:${port}`
  const old = startedPids(node)
  const failures: unknown[] = []
  let answered = 0
  let running = true
  const callUntilTheEnd = async (agent: Agent | undefined, pauseMs: number) => {
    while (running) {
      const reply = await answerOf(node.address, { headers, ...(agent === undefined ? {} : { agent }) }).catch(
        (error: unknown) => ({ status: error }),
      )
      if (reply.status === 200) answered += 1
      else failures.push(reply)
      await sleep(pauseMs)
    }
  }
  const seen: number[] = []
  const watchMetrics = async () => {
    while (running) {
      seen.push(countedIn(await metricsOf(scraped)))
      await sleep(50)
    }
  }
  const keptConnection = () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    return agent
  }
  const work = Promise.all([
    ...[0, 5, 20].map((pauseMs) => callUntilTheEnd(undefined, pauseMs)),
    // Idle for a moment between two calls: what closes such a connection at the wrong time fails the next one.
    ...[0, 5, 20, 100, 400].map((pauseMs) => callUntilTheEnd(keptConnection(), pauseMs)),
    watchMetrics(),
  ])
  await expect.poll(() => answered).toBeGreaterThan(50)
  node.kill('SIGHUP')
  await expect.poll(() => linesWith(node, 'replacing the workers')).toHaveLength(1)
  node.kill('SIGHUP') // comes while the first is under way, and is done after it
  await expect.poll(() => linesWith(node, 'the workers are replaced'), { timeout: 200_000 }).toHaveLength(2)
  const pids = startedPids(node)
  expect(pids).toHaveLength(6)
  await expect.poll(() => pids.filter(isAlive), { timeout: 200_000 }).toEqual(pids.slice(-2))
  expect(old.filter((pid) => pids.slice(-2).includes(pid))).toEqual([])
  running = false
  await work
  expect(failures).toEqual([])
  expect(seen.filter((count, index) => count < (seen[index - 1] ?? 0))).toEqual([])
  const metrics = await metricsOf(scraped)
  expect(countedIn(metrics)).toBe(answered)
  expect(sampleOf(metrics, 'guerdon_worker_restarts_total{reason="replaced"}')).toBe(4)
  node.kill('SIGTERM')
  expect(await node.ended).toBe(0)
})

test('a kept connection that is idle while its worker is replaced can still be used', async () => {
  const node = await startNode(2)
  const headers = await headersFrom(node)
  const agents = Array.from({ length: 4 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  onTestFinished(() => {
    for (const agent of agents) agent.destroy()
  })
  for (const agent of agents) expect((await answerOf(node.address, { headers, agent })).status).toBe(200)
  const [first, second] = startedPids(node) as [number, number]
  node.kill('SIGHUP')
  await expect.poll(() => linesOf(node).filter(({ reason }) => reason === 'replaced')).toHaveLength(1)
  // It has been told to end, and has idle connections only.
  await sleep(500)
  expect([first, second].map(isAlive)).toEqual([true, true])
  for (const agent of agents) expect((await answerOf(node.address, { headers, agent })).status).toBe(200)
  await expect.poll(() => isAlive(first)).toBe(false)
})

test('new workers that cannot start leave the old ones serving, and the log says why', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-messages-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'messages.json')
  writeFileSync(file, '{}')
  const node = await startNode(2, { ERROR_MESSAGES_FILE: file })
  const headers = await headersFrom(node)
  writeFileSync(file, '{')
  node.kill('SIGHUP')
  await expect
    .poll(() => linesWith(node, 'a new worker could not start: the old ones go on serving'))
    .toEqual([expect.objectContaining({ level: 'error', code: 1 })])
  expect(node.output()).toContain('ERROR_MESSAGES_FILE: must be a JSON object')
  expect((await answerOf(node.address, { headers })).status).toBe(200)
  expect(startedPids(node).map(isAlive)).toEqual([true, true])
  writeFileSync(file, '{}')
  node.kill('SIGHUP')
  await expect.poll(() => linesWith(node, 'the workers are replaced'), { timeout: 200_000 }).toHaveLength(1)
})

test('workers that die and cannot start again end the command, so that its supervisor sees it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-messages-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'messages.json')
  writeFileSync(file, '{}')
  const node = await startNode(2, { ERROR_MESSAGES_FILE: file })
  writeFileSync(file, '{')
  for (const pid of startedPids(node)) process.kill(pid, 'SIGKILL')
  expect(await node.ended).toBe(1)
  expect(linesWith(node, 'a worker could not start').length).toBeGreaterThan(0)
})

test('a start that fails ends the command with the message and the code of a single process', async () => {
  const databaseUrl = await emptyDatabase()
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const env = { DATABASE_URL: databaseUrl, WORKERS: '2', LOG_LEVEL: 'warn' }
  const busy = runGuerdon([], { ...env, PORT: String(port) })
  expect(await busy.ended).toBe(1)
  expect(busy.output()).toContain(`PORT: ${port} is in use on 127.0.0.1.`)
  expect(keysFileIn(busy.output())).toBeDefined()

  const url = Object.assign(new URL(databaseUrl), { pathname: '/nowhere' })
  const lost = runGuerdon([], { ...env, PORT: '0', DATABASE_URL: url.href })
  expect(await lost.ended).toBe(1)
  expect(lost.output()).toContain('database "nowhere" does not exist.')
})

test('a client that reaches several workers has no more calls than one that reaches one', async () => {
  const node = await startNode(3, {
    AUTH_MODE: 'either',
    CLIENT_RATE_LIMIT: '5/PT1H',
    WRONG_CREDENTIALS_LIMIT: '3/PT1H',
    BOOTSTRAP_PROJECT_JSON: JSON.stringify({ client_trusted_domains: ['shop.example'] }),
  })
  const keys = readFileSync(keysFileIn(node.output()), 'utf8')
  const value = (name: string) => new RegExp(`${name}: +(\\S+)`).exec(keys)?.[1] as string
  const page = {
    'X-App-Id': value('X-Client-Application-Id'),
    'X-App-Token': value('X-Client-Token'),
    Origin: 'https://shop.example',
  }
  const call: Call = { method: 'POST', path: '/v1/oauth/token', headers: page }
  const statuses = await Promise.all(
    Array.from({ length: 60 }, () => answerOf(node.address, call).then(({ status }) => status)),
  )
  expect(statuses.filter((status) => status !== 429)).toHaveLength(5)

  // Three wrong secrets are refused at once; from the fourth on each waits longer, whichever worker it reaches.
  const pair = { 'X-App-Id': value('X-App-Id'), 'X-App-Token': 'wrong' }
  const waits: number[] = []
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const startedAt = performance.now()
    expect((await answerOf(node.address, { headers: pair })).status).toBe(401)
    waits.push(performance.now() - startedAt)
  }
  expect(waits[3]).toBeGreaterThan(90)
  expect(waits[4]).toBeGreaterThan(190)
})

/** A request for a token that waits for a lock until it is released. */
async function heldRequest(node: GuerdonProcess, databaseUrl: string, headers: Record<string, string>) {
  const { default: pg } = await import('pg')
  const [holder, watcher] = [1, 2].map(() => new pg.Client({ connectionString: databaseUrl })) as [
    InstanceType<typeof pg.Client>,
    InstanceType<typeof pg.Client>,
  ]
  await holder.connect()
  await watcher.connect()
  onTestFinished(() => watcher.end())
  const { rows } = await holder.query('select id, pg_backend_pid() as pid from projects')
  await holder.query('begin')
  await holder.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`oauth ${rows[0].id}`])
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'api' })
  const running = retryWhile503(() => fetch(`${node.address}/v1/oauth/token`, { method: 'POST', headers, body }))
  await untilOthersWait({ execute: (text, values) => watcher.query(text, values) }, rows[0].pid)
  return {
    running,
    async release() {
      await holder.query('commit')
      await holder.end()
    },
  }
}
