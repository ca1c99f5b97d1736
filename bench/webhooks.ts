import { setTimeout } from 'node:timers/promises'
import { freePort } from '../packages/server/src/testing/postgres.ts'
import { type Load, median, stretch } from './measure.ts'
import { cpuMilliseconds, startServer } from './processes.ts'
import { type Case, ourCases } from './proof/cases.ts'
import { createFixture } from './proof/fixture.ts'
import { type BenchShop, call, managementHeaders, newProject, openShop, query } from './shop.ts'

/*
 * What one active webhook costs a checkout: two projects of one service with the same data, one of which has a webhook for
 * redemptions whose target answers at once. Every round measures both, interleaved, at 8 connections. The deliveries run
 * meanwhile, in the same process. CPU time is that of the service; "with deliveries" also contains those that a round left waiting.
 */

const rounds = Number(process.env.BENCH_ROUNDS ?? 8)
const seconds = 2
const connections = 8
const warmUpSeconds = 4
const codes = 60_000

/** The ratio that each case may have, with a webhook to without, by each of the figures below. */
const allowed = new Map([
  ['redemption, distinct codes', 1.25],
  ['validation, 1 code, 3 lines', 1.05],
])

interface Sample {
  per_second: number
  cpu_ms: number
  /** CPU time per request until the last send-out is delivered. */
  cpu_all_ms: number
}

export async function webhooks(): Promise<void> {
  const shop = await openShop({ is_durable: true, env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } })
  const port = await freePort()
  const target = await startServer('./servers/webhook-target.ts', { PORT: String(port) })
  try {
    const quiet = await prepare(await newProject(shop, 'No webhook'))
    const telling = await prepare(await newProject(shop, 'One webhook'))
    const events = ['redemption.succeeded', 'redemption.failed', 'voucher.published', 'customer.created']
    const path = `/management/v1/projects/${telling.shop.project_id}/webhooks`
    const body = { target_url: `http://127.0.0.1:${port}/`, events }
    await call({ ...shop, headers: managementHeaders }, 'POST', path, body)
    await query(shop, 'analyze')
    console.log('| Case | requests per second | CPU per request | with deliveries | at most |\n|---|--:|--:|--:|--:|')
    for (const [name, most] of allowed) {
      const samples = await measureBoth(shop, loadOf(quiet.cases, name), loadOf(telling.cases, name))
      const ratio = (of: keyof Sample) =>
        median(
          samples.map(([quiet, telling]) => (of === 'per_second' ? quiet[of] / telling[of] : telling[of] / quiet[of])),
        )
      const figures = [ratio('per_second'), ratio('cpu_ms'), ratio('cpu_all_ms')].map((each) =>
        each <= most ? `${each.toFixed(3)} ×` : `**${each.toFixed(3)} ×**, missed`,
      )
      console.log(`| ${name} | ${figures.join(' | ')} | ${most} × |`)
    }
    await tellDeliveries(shop)
  } finally {
    await target.stop()
    await shop.stop()
  }
}

async function prepare(shop: BenchShop): Promise<{ shop: BenchShop; cases: readonly Case[] }> {
  return { shop, cases: ourCases(await createFixture(shop, { codes, promotions: [] })) }
}

function loadOf(cases: readonly Case[], name: string): Load {
  const found = cases.find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no case ${name}`)
  return found.load
}

/** The samples of both projects, paired by round, each round in the other order. */
async function measureBoth(shop: BenchShop, quiet: Load, telling: Load): Promise<Array<[Sample, Sample]>> {
  for (const load of [quiet, telling]) await stretch(load, connections, warmUpSeconds)
  await allDelivered(shop)
  const samples: Array<[Sample, Sample]> = []
  for (let round = 0; round < rounds; round += 1) {
    const isFirst = round % 2 === 0
    const first = await measure(shop, isFirst ? quiet : telling)
    const second = await measure(shop, isFirst ? telling : quiet)
    samples.push(isFirst ? [first, second] : [second, first])
  }
  return samples
}

async function measure(shop: BenchShop, load: Load): Promise<Sample> {
  const before = cpuMilliseconds(shop.pid)
  const { per_second, waits } = await stretch(load, connections, seconds)
  const cpuMs = (cpuMilliseconds(shop.pid) - before) / waits.length
  await allDelivered(shop)
  return { per_second, cpu_ms: cpuMs, cpu_all_ms: (cpuMilliseconds(shop.pid) - before) / waits.length }
}

async function allDelivered(shop: BenchShop): Promise<void> {
  for (;;) {
    const [{ waiting }] = await query(
      shop,
      'select count(*)::int as waiting from webhook_sendouts where next_attempt_at is not null',
    )
    if (waiting === 0) return
    await setTimeout(20)
  }
}

/** How many send-outs were delivered, and how long after their event the last attempt was. */
async function tellDeliveries(shop: BenchShop): Promise<void> {
  const [{ sent, p50, p99 }] = await query(
    shop,
    `select count(*)::int as sent,
      percentile_cont(0.5) within group (order by extract(epoch from executed_at - created_at)) as p50,
      percentile_cont(0.99) within group (order by extract(epoch from executed_at - created_at)) as p99
    from webhook_sendouts where status = 'SUCCEEDED'`,
  )
  console.log(`\n${sent} send-outs delivered; after the event: p50 ${p50.toFixed(2)} s, p99 ${p99.toFixed(2)} s`)
}
