import { writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { OtherCheckout } from '../against.ts'
import { ask, median, stretch } from '../measure.ts'
import { type Meter, openMeter } from '../meter.ts'
import { type BenchShop, openEmbeddedShop, openShop, query } from '../shop.ts'
import { embeddedNames, limitCases, ourCases } from './cases.ts'
import { createFixture, generateCodes, importCodes } from './fixture.ts'
import { type LimitServers, startLimits } from './limits.ts'
import { machineOf } from './machine.ts'
import { type Grouped, type Measured, measureAll, type Plan } from './results.ts'
import { bulkTable, costTable, tableOf, targetTable, writesTable } from './table.ts'
import { targetsOf } from './targets.ts'
import { type Writes, writesOf } from './writes.ts'

/** Many connections first: by the time there is only one, V8 has optimized the code. */
const plan: Plan = { connections: [32, 8, 1], rounds: Number(process.env.BENCH_ROUNDS ?? 5), seconds: 1 }
const embeddedPlan: Plan = { connections: [32, 8, 1], rounds: 3, seconds: 1 }
/** V8 optimizes frequently called code; without a warm-up the compilation would be measured. */
const warmUp = { connections: 32, seconds: 8 }
/** After each stretch, so that what the service writes behind its answers counts for the case that caused it. */
const settleMs = 700
/** Codes generated and imported per round, and the number of rounds. */
const bulk = { codes: 20_000, rounds: 3 }
const resultsFile = new URL('../results.json', import.meta.url)

/** Measures every performance claim together with the baselines in one run, and another version of the service, if there is one. */
export async function proof(other: OtherCheckout | null): Promise<void> {
  const start = performance.now()
  const { machine, bulk_rates, measured, writes } = await withPostgres(async (shop) => {
    const limits = await startLimits(shop.database_url)
    try {
      return {
        machine: await machineOf(shop),
        ...(await onPostgres(shop, limits, other)),
        bulk_rates: await bulkRates(shop),
      }
    } finally {
      await limits.stop()
    }
  })
  measured.push(...(await onEmbedded()))
  const targets = targetsOf(measured)
  const before = other === null ? null : targetsOf(measured, 'before')
  const seconds = Math.round((performance.now() - start) / 1_000)
  say('')
  const { processor, cores, memory_gb, system, node, postgres } = machine
  console.log(`${processor}, ${cores} cores, ${memory_gb} GB, ${system}, Node ${node}, PostgreSQL ${postgres}`)
  for (const table of [tableOf(measured), costTable(measured), writesTable(writes), bulkTable(bulk_rates)])
    console.log(`\n${table}`)
  console.log(`\n${targetTable(targets, before)}\n`)
  const missed = targets.filter(({ is_met }) => !is_met).length
  console.log(`${targets.length - missed} of ${targets.length} targets are met; ${seconds} s in total`)
  writeFileSync(
    resultsFile,
    JSON.stringify({ machine, plan, seconds, measured, writes, bulk_rates, targets, before }, null, 2),
  )
}

async function withPostgres<Result>(work: (shop: BenchShop) => Promise<Result>, main?: URL): Promise<Result> {
  const shop = await openShop({ is_durable: true, ...(main && { main }) })
  try {
    return await work(shop)
  } finally {
    await shop.stop()
  }
}

async function onPostgres(
  shop: BenchShop,
  limits: LimitServers,
  other: OtherCheckout | null,
): Promise<{ measured: Measured[]; writes: Writes[] }> {
  if (other === null) return measureOn(shop, limits, [])
  return withPostgres((before) => measureOn(shop, limits, [before]), other.main)
}

async function measureOn(shop: BenchShop, { ports, pids }: LimitServers, before: readonly BenchShop[]) {
  const meters: Meter[] = []
  const meterOf = async (pid: number, databaseUrl: string): Promise<Meter> => {
    const meter = await openMeter(pid, databaseUrl)
    meters.push(meter)
    return meter
  }
  try {
    const [http, fastify] = [await meterOf(pids.http, ''), await meterOf(pids.fastify, shop.database_url)]
    const cases: Grouped[] = limitCases(ports).map((each) => ({
      ...each,
      group: 'limits',
      meter: each.name === 'node:http' ? http : fastify,
    }))
    for (const [group, each] of [...before.map((each) => ['before', each] as const), ['ours', shop] as const]) {
      say('creating the test data')
      const fixture = await createFixture(each, { codes: 100_000, promotions: [10, 1_000, 10_000] })
      await query(each, 'analyze') // as the database does by itself within a minute
      const meter = await meterOf(each.pid, each.database_url)
      cases.push(...ourCases(fixture).map((one) => ({ ...one, group, meter })))
    }
    const measured = await run(cases, plan)
    const redemptions = cases.filter(({ name }) => name === 'redemption, distinct codes' || name === byHand)
    const writes: Writes[] = []
    for (const { name, group, load } of redemptions)
      writes.push({
        name: group === 'before' ? `${name}, before` : name,
        ...(await writesOf(group === 'before' ? (before[0] as BenchShop) : shop, load)),
      })
    return { measured, writes }
  } finally {
    for (const meter of meters) await meter.close()
  }
}

const byHand = 'Fastify and a redemption by hand'

async function onEmbedded(): Promise<Measured[]> {
  say('creating the test data on the embedded database')
  const shop = await openEmbeddedShop()
  try {
    const fixture = await createFixture(shop, { codes: 25_000, promotions: [] })
    const cases = ourCases(fixture).filter(({ name }) => embeddedNames.has(name))
    const meter = await openMeter(shop.pid, '')
    return await run(
      cases.map((each) => ({ ...each, group: 'embedded', meter })),
      embeddedPlan,
    )
  } finally {
    await shop.stop()
  }
}

async function run(cases: readonly Grouped[], plan: Plan): Promise<Measured[]> {
  for (const { name, load } of cases) {
    say(`warming up: ${name}`)
    await stretch(load, warmUp.connections, warmUp.seconds)
  }
  await checkAll(cases)
  const measured = await measureAll(cases, plan, async ({ name, group, load }, connections, round) => {
    say(`${connections} connections, round ${round} of ${plan.rounds}: ${name}${group === 'before' ? ', before' : ''}`)
    const measured = await stretch(load, connections, plan.seconds)
    await wait(settleMs)
    return measured
  })
  await checkAll(cases)
  return measured
}

/** Checks the response of every case, before and after measuring. */
async function checkAll(cases: readonly Grouped[]): Promise<void> {
  for (const { name, load, isRight } of cases) {
    const answer = await ask(load)
    if (!isRight(JSON.parse(answer))) throw new Error(`${name} answers ${answer}`)
  }
}

/** Codes per second, the median of several runs. */
async function bulkRates(shop: BenchShop): Promise<Record<'generated' | 'imported', number>> {
  const rates = { generated: [] as number[], imported: [] as number[] }
  for (let round = 1; round <= bulk.rounds; round += 1) {
    say(`generating and importing codes, round ${round} of ${bulk.rounds}`)
    rates.generated.push(bulk.codes / (await generateCodes(shop, `Generated ${round}`, bulk.codes)))
    rates.imported.push(
      bulk.codes / (await importCodes(shop, `Imported ${round}`, bulk.codes, { prefix: `BULK-${round}` })),
    )
  }
  return { generated: median(rates.generated), imported: median(rates.imported) }
}

/** Prints progress: on a terminal one line that is rewritten, otherwise one line each. */
function say(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${text}`)
  else if (text !== '') console.log(text)
}
