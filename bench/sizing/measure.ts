import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { ask, median, stretch } from '../measure.ts'
import { openMeter } from '../meter.ts'
import { type Case, ourCases } from '../proof/cases.ts'
import { createFixture } from '../proof/fixture.ts'
import { machineOf } from '../proof/machine.ts'
import { type BenchShop, openShop, query } from '../shop.ts'
import present from './figures.json' with { type: 'json' }
import { type CallCost, type CallKind, callKinds, type Figures } from './figures.ts'
import { pageWithFigures } from './page.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const seconds = Number(process.env.BENCH_SECONDS ?? 3)
const connections = 8
const warmUpSeconds = Number(process.env.BENCH_WARM_UP ?? 8)
/** After each stretch, so that what the service writes behind its answers is counted. */
const settleMs = 1_500

/** The measured case of each kind of call. */
const cases: Record<CallKind, string> = {
  redemptions: 'redemption, distinct codes',
  validations: 'validation, 1 code, 3 lines',
  qualifications: 'qualification, 10 tiers',
  publications: 'publication',
  reads: 'GET voucher',
  lists: 'list, first page',
}

/**
 * Measures the figures of `npm run sizing`: CPU time, WAL and disk per call, at 8 connections, on a PostgreSQL that waits for its disk.
 * Writes them into bench/sizing/figures.json and docs/scaling.md.
 */
export async function sizing(): Promise<void> {
  const shop = await openShop({ is_durable: true })
  try {
    const found = ourCases(await createFixture(shop, { codes: 100_000, promotions: [10] }))
    await query(shop, 'analyze')
    const calls: Partial<Record<CallKind, CallCost>> = {}
    for (const kind of callKinds) {
      calls[kind] = await costOf(shop, caseNamed(found, cases[kind]))
      console.log(kind, calls[kind])
    }
    const hot = caseNamed(found, 'redemption, one hot code')
    await stretch(hot.load, 32, warmUpSeconds)
    const { per_second } = await stretch(hot.load, 32, seconds * 2)
    const figures: Figures = {
      machine: { ...(await machineOf(shop)), measured_on: new Date().toISOString().slice(0, 10) },
      calls: calls as Record<CallKind, CallCost>,
      one_code_per_second: Math.round(per_second),
      primary_share: present.primary_share,
    }
    writeFileSync(new URL('./figures.json', import.meta.url), `${JSON.stringify(figures, null, 2)}\n`)
    const page = new URL('../../docs/scaling.md', import.meta.url)
    writeFileSync(page, pageWithFigures(readFileSync(page, 'utf8'), figures))
  } finally {
    await shop.stop()
  }
}

function caseNamed(found: readonly Case[], name: string): Case {
  const one = found.find((each) => each.name === name)
  if (one === undefined) throw new Error(`There is no case ${name}`)
  return one
}

async function costOf(shop: BenchShop, { name, load, isRight }: Case): Promise<CallCost> {
  const meter = await openMeter(shop.pid, shop.database_url)
  try {
    await stretch(load, connections, warmUpSeconds)
    if (!isRight(JSON.parse(await ask(load)))) throw new Error(`${name} answers wrongly`)
    const samples: CallCost[] = []
    for (let round = 0; round < rounds; round += 1) {
      const [before, sizesBefore] = [await meter.read(), await tableSizes(shop)]
      const { waits } = await stretch(load, connections, seconds)
      await wait(settleMs)
      const [after, sizesAfter] = [await meter.read(), await tableSizes(shop)]
      const perCall = (growth: number) => growth / waits.length
      samples.push({
        service_ms: perCall(after.service_cpu_ms - before.service_cpu_ms),
        postgres_ms: perCall(after.postgres_cpu_ms - before.postgres_cpu_ms),
        wal_bytes: perCall(after.wal_bytes - before.wal_bytes),
        record_bytes: perCall(sizesAfter.records - sizesBefore.records),
        event_bytes: perCall(sizesAfter.events - sizesBefore.events),
        audit_bytes: perCall(sizesAfter.audit - sizesBefore.audit),
      })
    }
    const middle = (of: keyof CallCost) => Number(median(samples.map((sample) => sample[of])).toPrecision(3))
    const mean = (of: keyof CallCost) =>
      Math.max(0, Math.round(samples.reduce((sum, sample) => sum + sample[of], 0) / samples.length))
    return {
      service_ms: middle('service_ms'),
      postgres_ms: middle('postgres_ms'),
      wal_bytes: mean('wal_bytes'),
      record_bytes: mean('record_bytes'),
      event_bytes: mean('event_bytes'),
      audit_bytes: mean('audit_bytes'),
    }
  } finally {
    await meter.close()
  }
}

interface TableSizes {
  records: number
  events: number
  audit: number
}

/**
 * The bytes of tables with their indexes. Tables whose rows are folded or deleted again are left out: they do not grow with time, and
 * reuse their pages.
 */
async function tableSizes(shop: BenchShop): Promise<TableSizes> {
  const [sizes] = await query(
    shop,
    `select coalesce(sum(bytes) filter (where name ~ '^event_(rows|parts)'), 0)::float8 as events,
       coalesce(sum(bytes) filter (where name ~ '^audit_'), 0)::float8 as audit,
       coalesce(sum(bytes) filter (where name = any($1)), 0)::float8 as records
     from (select relname as name, pg_total_relation_size(oid) as bytes from pg_class
       where relkind = 'r' and relnamespace = 'public'::regnamespace) as tables`,
    [keptTables],
  )
  return sizes
}

const keptTables = [
  'orders',
  'redemptions',
  'vouchers',
  'voucher_transactions',
  'postings',
  'lots',
  'publications',
  'holders',
  'statistics_sums',
  'statistics_refusals',
  'statistics_orders',
]
