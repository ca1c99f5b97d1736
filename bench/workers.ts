import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { limitCpu } from './cpu-share.ts'
import { type Load, median, stretch, waitsOf } from './measure.ts'
import { type Meter, openMeter } from './meter.ts'
import { childrenOf, cpuMilliseconds } from './processes.ts'
import { ourCases } from './proof/cases.ts'
import { createFixture, type Fixture } from './proof/fixture.ts'
import { type BenchDatabase, type BenchShop, openDatabase, openShopAt } from './shop.ts'

/*
 * Several workers on one port (`WORKERS`): rates, CPU time per request of service and database, how evenly the workers are busy, and what
 * the database waits for. The numbers of workers take turns on one database, BENCH_ROUNDS times (3), with BENCH_SECONDS (10) for each case,
 * so that a slow minute of the machine slows all of them. Compare the ratios; client, service and database share the machine.
 *
 * Where all of these are more than the machine has cores for, more workers only get in each other's way. Then BENCH_WORKER_CORES=0.15 measures
 * each case a second time, with that share of a core for each worker, so that the machine is not what ends.
 */

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 10)
const numbers = (process.env.BENCH_WORKERS ?? '1,2,4').split(',').map(Number)
/** For V8 to optimize the code, for each of the workers. */
const warmUpSeconds = Math.max(2, seconds / 2)
/** More redemptions per second than any machine has done so far would use up the codes, and fail the bench. */
const redemptionsPerSecond = Number(process.env.BENCH_REDEMPTIONS_PER_SECOND ?? 2_000)
const connections = 32
/** The share of a core that a worker may use when the cases are measured a second time; null: they are not. */
const cores = process.env.BENCH_WORKER_CORES === undefined ? null : Number(process.env.BENCH_WORKER_CORES)

const variants = cores === null ? [''] : ['', `, ${cores} cores for each worker`]

const cases = ['validation, 1 code, 3 lines', 'redemption, distinct codes'] as const

interface Measured {
  per_second: number
  p50_ms: number
  p99_ms: number
  /** Per request: of the workers, of their supervisor, of PostgreSQL and of this client. */
  workers_ms: number
  supervisor_ms: number
  postgres_ms: number
  client_ms: number
  /** CPU time of the idlest worker as a share of that of the busiest. */
  evenness: number
  waits: Waits
}

/** How often each wait was seen in a sample of the statements that run; `CPU`: it waits for nothing. */
interface Waits {
  samples: number
  seen: Map<string, number>
  /** Statements in all samples that waited for a lock of a row or a table. */
  blocked: number
}

export async function workers(): Promise<void> {
  const database = await openDatabase({ is_durable: true })
  try {
    // Before anything is filled: the database would be busy with itself.
    const idle = new Map<number, Idle>()
    for (const count of numbers) idle.set(count, await idleOf(database, count))
    const fixture = await fill(database)
    const nodes: MeasuredNode[] = []
    const asked = new Map<string, number>()
    for (let round = 0; round < rounds; round += 1)
      for (const count of numbers) nodes.push(await measureNode(database, fixture, count, asked))
    print(nodes)
    printIdle(idle)
  } finally {
    await database.remove()
  }
}

interface MeasuredNode {
  count: number
  cases: Map<string, Measured>
}

/** CPU time in milliseconds per second without any request. */
interface Idle {
  service: number
  postgres: number
}

async function fill(database: BenchDatabase): Promise<Fixture> {
  const shop = await openShopAt(database, {})
  try {
    const redeeming = rounds * sum(numbers.map((count) => count * warmUpSeconds + seconds * variants.length))
    return await createFixture(shop, { codes: Math.ceil(redeeming * redemptionsPerSecond), promotions: [] })
  } finally {
    await shop.stop()
  }
}

/** `asked`: how far each case has come, since a code is redeemed once. */
async function measureNode(
  database: BenchDatabase,
  fixture: Fixture,
  count: number,
  asked: Map<string, number>,
): Promise<MeasuredNode> {
  const shop = await openShopAt(database, { WORKERS: String(count) })
  const meter = await openMeter(shop.pid, database.url)
  try {
    await untilServing(shop, count)
    const measured: MeasuredNode = { count, cases: new Map() }
    const known = ourCases({ ...fixture, shop: { ...fixture.shop, ...pick(shop) } })
    for (const name of cases) {
      const found = known.find((each) => each.name === name)
      if (found === undefined) throw new Error(`There is no case ${name}`)
      const load = { ...found.load, asked: asked.get(name) ?? 0 }
      await stretch(load, connections, warmUpSeconds * count)
      for (const variant of variants) {
        const unlimit = variant === '' ? () => {} : limitCpu(workersOf(shop), cores as number)
        measured.cases.set(name + variant, await measureCase(shop, database, meter, load))
        unlimit()
      }
      asked.set(name, load.asked)
    }
    return measured
  } finally {
    await meter.close()
    await shop.stop()
  }
}

/** Where this start of the service is, and with which token. */
const pick = ({ address, port, headers, pid }: BenchShop) => ({ address, port, headers, pid })

async function untilServing({ address }: BenchShop, count: number): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${address}/metrics`)).text()
    if (text.includes(`guerdon_workers{state="serving"} ${count}\n`)) return
    await sleep(100)
  }
}

async function idleOf(database: BenchDatabase, count: number): Promise<Idle> {
  const shop = await openShopAt(database, { WORKERS: String(count) })
  const meter = await openMeter(shop.pid, database.url)
  try {
    await untilServing(shop, count)
    await sleep(3_000) // what a start does last
    const before = await usageOf(shop, meter)
    await sleep(idleSeconds * 1_000)
    const after = await usageOf(shop, meter)
    const service = sum(after.workers) - sum(before.workers) + after.supervisor - before.supervisor
    return { service: service / idleSeconds, postgres: (after.postgres - before.postgres) / idleSeconds }
  } finally {
    await meter.close()
    await shop.stop()
  }
}

const idleSeconds = 10

/** The ids of the processes that serve: a node with one worker has no supervisor. */
function workersOf({ pid }: BenchShop): number[] {
  const children = childrenOf(pid)
  return children.length === 0 ? [pid] : children
}

async function measureCase(shop: BenchShop, database: BenchDatabase, meter: Meter, load: Load): Promise<Measured> {
  const sampler = await sampleWaits(database.url)
  const before = await usageOf(shop, meter)
  const client = process.cpuUsage()
  const { per_second, waits } = await stretch(load, connections, seconds)
  const { user, system } = process.cpuUsage(client)
  const after = await usageOf(shop, meter)
  const busy = after.workers.map((ms, index) => ms - (before.workers[index] as number))
  const perRequest = (ms: number) => ms / waits.length
  const { p50, p99 } = waitsOf(waits)
  return {
    per_second,
    p50_ms: p50,
    p99_ms: p99,
    workers_ms: perRequest(sum(busy)),
    supervisor_ms: perRequest(after.supervisor - before.supervisor),
    postgres_ms: perRequest(after.postgres - before.postgres),
    client_ms: perRequest((user + system) / 1_000),
    evenness: Math.min(...busy) / Math.max(...busy),
    waits: await sampler.end(),
  }
}

/** CPU time so far in milliseconds. */
async function usageOf(shop: BenchShop, meter: Meter) {
  const workers = workersOf(shop)
  const { postgres_cpu_ms } = await meter.read()
  return {
    workers: workers.map(cpuMilliseconds),
    supervisor: workers.includes(shop.pid) ? 0 : cpuMilliseconds(shop.pid),
    postgres: postgres_cpu_ms,
  }
}

/** Looks at the statements of the service ten times a second. */
async function sampleWaits(databaseUrl: string): Promise<{ end(): Promise<Waits> }> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const waits: Waits = { samples: 0, seen: new Map(), blocked: 0 }
  let isOver = false
  const text = `select coalesce(wait_event_type || ' ' || wait_event, 'CPU') as wait, count(*)::int as count,
      count(*) filter (where wait_event_type = 'Lock')::int as blocked
    from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and state = 'active' and pid <> pg_backend_pid()
    group by 1`
  const sampling = (async () => {
    while (!isOver) {
      const { rows } = await client.query(text)
      waits.samples += 1
      for (const { wait, count, blocked } of rows) {
        waits.seen.set(wait, (waits.seen.get(wait) ?? 0) + count)
        waits.blocked += blocked
      }
      await sleep(100)
    }
  })()
  return {
    async end() {
      isOver = true
      await sampling
      await client.end()
      return waits
    },
  }
}

/** Medians over the rounds. */
function print(nodes: readonly MeasuredNode[]): void {
  for (const name of cases.flatMap((name) => variants.map((variant) => name + variant))) {
    console.log(`\n${name}, ${connections} connections`)
    console.log(
      '| workers | requests/s | × 1 worker | p50 | p99 | CPU per request: workers | supervisor | PostgreSQL | client | idlest : busiest |',
    )
    console.log('|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|')
    const first = figureOf(nodes, numbers[0] as number, name)
    for (const count of numbers) {
      const of = figureOf(nodes, count, name)
      const cells = [
        String(count),
        of('per_second').toFixed(0),
        (of('per_second') / first('per_second')).toFixed(2),
        `${of('p50_ms').toFixed(1)} ms`,
        `${of('p99_ms').toFixed(1)} ms`,
        ...(['workers_ms', 'supervisor_ms', 'postgres_ms', 'client_ms'] as const).map(
          (each) => `${of(each).toFixed(3)} ms`,
        ),
        of('evenness').toFixed(2),
      ]
      console.log(`| ${cells.join(' | ')} |`)
    }
    console.log('\nWhat running statements wait for (mean number of them, of all samples):')
    for (const count of numbers) console.log(`${count}: ${waitsLine(nodes, count, name)}`)
  }
}

function printIdle(idle: ReadonlyMap<number, Idle>): void {
  console.log('\nWithout requests, CPU time in milliseconds per second:')
  for (const [count, { service, postgres }] of idle)
    console.log(`${count}: service ${service.toFixed(1)}, PostgreSQL ${postgres.toFixed(1)}`)
}

function figureOf(nodes: readonly MeasuredNode[], count: number, name: string) {
  const measured = resultsOf(nodes, count, name)
  return (figure: Exclude<keyof Measured, 'waits'>) => median(measured.map((each) => each[figure]))
}

function resultsOf(nodes: readonly MeasuredNode[], count: number, name: string): Measured[] {
  return nodes.flatMap((node) => (node.count === count ? [node.cases.get(name) as Measured] : []))
}

function waitsLine(nodes: readonly MeasuredNode[], count: number, name: string): string {
  const all = resultsOf(nodes, count, name).map(({ waits }) => waits)
  const samples = sum(all.map((waits) => waits.samples))
  const seen = new Map<string, number>()
  for (const waits of all) for (const [wait, times] of waits.seen) seen.set(wait, (seen.get(wait) ?? 0) + times)
  const most = [...seen].sort(([, one], [, other]) => other - one).slice(0, 8)
  const shown = most.map(([wait, times]) => `${wait} ${(times / samples).toFixed(2)}`)
  return `${shown.join(', ') || 'nothing ran'}; blocked by locks ${(sum(all.map((waits) => waits.blocked)) / samples).toFixed(3)}`
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
