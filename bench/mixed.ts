import { Connection } from './client.ts'
import { type Load, median, quantile, stretch } from './measure.ts'
import { type Meter, openMeter, type Usage } from './meter.ts'
import { type Case, ourCases } from './proof/cases.ts'
import { createFixture } from './proof/fixture.ts'
import { type BenchShop, openShop, query, residentMb } from './shop.ts'

/*
 * A shop in a steady state: mixed requests at 70 % of what the machine can do, for 20 minutes (BENCH_MINUTES), on tables that begin
 * with BENCH_REDEMPTIONS redemptions. Latency, memory and CPU time per call must not grow.
 */

const minutes = Number(process.env.BENCH_MINUTES ?? 20)
const redemptionsBefore = Number(process.env.BENCH_REDEMPTIONS ?? 750_000)
const share = 0.7
const connections = 16

/** Of ten thousand requests. */
const mix: Record<string, number> = {
  'validation, 1 code, 3 lines': 5_500,
  'validation, 5 codes, 10 lines': 500,
  'redemption, one hot code': 2_000,
  'redemption, distinct codes': 500,
  'qualification, 10 tiers': 300,
  publication: 200,
  'GET voucher': 900,
  'list, first page': 100,
}

/** Growth from the first to the last quarter of the run that counts as none, on a machine with neighbours. */
const bounds = { p99: 1.5, memory: 1.1, cpu: 1.1 }

interface Minute {
  per_second: number
  p50_ms: number
  p99_ms: number
  service_cpu_ms: number
  postgres_cpu_ms: number
  memory_mb: number
  redemptions: number
}

export async function mixed(): Promise<void> {
  const shop = await openShop({ is_durable: true })
  const meter = await openMeter(shop.pid, shop.database_url)
  try {
    const load = mixOf(ourCases(await createFixture(shop, { codes: 100_000, promotions: [10] })))
    await stretch(load, connections, 20) // V8 optimizes the code
    await multiplyRedemptions(shop)
    await query(shop, 'vacuum analyze')
    const { per_second: limit } = await stretch(load, connections, 20)
    console.log(`${Math.round(limit)} requests/s at most; ${Math.round(limit * share)} for ${minutes} minutes`)
    console.log('| minute | requests/s | p50 | p99 | service CPU | PostgreSQL CPU | memory | redemptions |')
    console.log('|--:|--:|--:|--:|--:|--:|--:|--:|')
    const measured: Minute[] = []
    for (let minute = 1; minute <= minutes; minute += 1) {
      const each = await measureMinute(shop, meter, load, limit * share)
      measured.push(each)
      console.log(lineOf(minute, each))
    }
    judge(measured)
  } finally {
    await meter.close()
    await shop.stop()
  }
}

/** Requests of all cases in turn, as often as their share, in an order that is the same in every run. */
function mixOf(cases: readonly Case[]): Load {
  const chosen = Object.entries(mix).map(([name, weight]) => {
    const found = cases.find((each) => each.name === name)
    if (found === undefined) throw new Error(`There is no case ${name}`)
    return { load: found.load, weight, credit: 0 }
  })
  const total = chosen.reduce((sum, { weight }) => sum + weight, 0)
  return {
    port: (chosen[0] as (typeof chosen)[0]).load.port,
    asked: 0,
    request() {
      for (const each of chosen) each.credit += each.weight
      const next = chosen.reduce((most, each) => (each.credit > most.credit ? each : most))
      next.credit -= total
      return next.load.request(next.load.asked++)
    },
  }
}

/** Copies one redemption with its order and events until there are as many as wanted, in statements that end in time. */
async function multiplyRedemptions(shop: BenchShop): Promise<void> {
  const [sample] = await query(
    shop,
    `select r.id, r.order_id, e.parts_id from redemptions r
      join event_rows e on e.project_id = r.project_id and e.entity_id = r.id where e.parts_id is not null limit 1`,
  )
  const statements = [
    await copyOf(shop, 'orders', ['id'], sample.order_id),
    await copyOf(shop, 'redemptions', ['id', 'order_id'], sample.id),
    await copyOf(shop, 'event_parts', ['id'], sample.parts_id),
    await copyOf(shop, 'event_rows', ['parts_id', 'id'], sample.parts_id),
  ]
  const atOnce = 50_000
  for (let from = 0; from < redemptionsBefore; from += atOnce) {
    const to = Math.min(from + atOnce, redemptionsBefore) - 1
    for (const { text, id } of statements) await query(shop, text, [from, to, id])
  }
}

/**
 * A statement that copies the rows whose first of `ids`, columns with ids, is $3. The ids of copies begin with the number of the
 * copy instead of the time: they are older than those of the run.
 */
async function copyOf(shop: BenchShop, table: string, ids: readonly string[], id: string) {
  // Without the columns that PostgreSQL computes.
  const columns = await query(
    shop,
    `select format('%I', column_name) as name from information_schema.columns
      where table_schema = current_schema and table_name = $1 and is_generated = 'NEVER'`,
    [table],
  )
  const values = columns.map(({ name }) =>
    ids.includes(name) ? `regexp_replace(${name}, '_.{9}([^_]*)$', '_0' || lpad(to_hex(n), 8, '0') || '\\1')` : name,
  )
  const text = `insert into ${table} (${columns.map(({ name }) => name).join(', ')})
    select ${values.join(', ')} from generate_series($1::int, $2::int) n cross join ${table} where ${ids[0]} = $3`
  return { text, id }
}

/** Sends requests at a rate, whatever the replies take: one that waits for a connection waits as a customer would. */
async function measureMinute(shop: BenchShop, meter: Meter, load: Load, perSecond: number): Promise<Minute> {
  const before = await meter.read()
  const waits = await atRate(load, perSecond, 60)
  const after = await meter.read()
  const [{ count }] = await query(shop, 'select reltuples::float8 as count from pg_class where relname = $1', [
    'redemptions',
  ])
  const perCall = (of: keyof Usage) => (after[of] - before[of]) / waits.length
  return {
    per_second: waits.length / 60,
    p50_ms: quantile(waits, 0.5),
    p99_ms: quantile(waits, 0.99),
    service_cpu_ms: perCall('service_cpu_ms'),
    postgres_cpu_ms: perCall('postgres_cpu_ms'),
    memory_mb: residentMb(shop),
    redemptions: count,
  }
}

async function atRate(load: Load, perSecond: number, seconds: number): Promise<number[]> {
  const opened = await Promise.all(Array.from({ length: connections }, () => Connection.open(load.port)))
  const start = performance.now()
  const total = Math.round(perSecond * seconds)
  const waits: number[] = []
  let next = 0
  try {
    await Promise.all(
      opened.map(async (connection) => {
        while (next < total) {
          const due = start + (next++ * 1_000) / perSecond
          const early = due - performance.now()
          if (early > 1) await new Promise((resolve) => setTimeout(resolve, early))
          const status = await connection.ask(load.request(load.asked++))
          if (status < 200 || status > 299) throw new Error(`${status}: ${connection.body()}`)
          waits.push(performance.now() - due)
        }
      }),
    )
  } finally {
    for (const connection of opened) connection.close()
  }
  return waits
}

function lineOf(minute: number, each: Minute): string {
  const cells = [
    String(minute),
    each.per_second.toFixed(0),
    `${each.p50_ms.toFixed(1)} ms`,
    `${each.p99_ms.toFixed(1)} ms`,
    `${each.service_cpu_ms.toFixed(3)} ms`,
    `${each.postgres_cpu_ms.toFixed(3)} ms`,
    `${each.memory_mb.toFixed(0)} MB`,
    Math.round(each.redemptions).toLocaleString('en'),
  ]
  return `| ${cells.join(' | ')} |`
}

/** Compares the last quarter of the run with the first. */
function judge(measured: readonly Minute[]): void {
  const quarter = Math.max(1, Math.floor(measured.length / 4))
  const growth = (of: (minute: Minute) => number) =>
    median(measured.slice(-quarter).map(of)) / median(measured.slice(0, quarter).map(of))
  const figures = {
    p99: growth(({ p99_ms }) => p99_ms),
    memory: growth(({ memory_mb }) => memory_mb),
    cpu: growth(({ service_cpu_ms, postgres_cpu_ms }) => service_cpu_ms + postgres_cpu_ms),
  }
  for (const [name, most] of Object.entries(bounds)) {
    const grown = figures[name as keyof typeof figures]
    console.log(`${name}: ${grown.toFixed(2)} ×, at most ${most} ×${grown <= most ? '' : ', missed'}`)
  }
}
