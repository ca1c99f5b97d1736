import { writeFileSync } from 'node:fs'
import { ask, median, stretch } from '../measure.ts'
import { type BenchShop, openEmbeddedShop, openShop, query } from '../shop.ts'
import { embeddedNames, limitCases, ourCases } from './cases.ts'
import { createFixture, generateCodes, importCodes } from './fixture.ts'
import { startLimits } from './limits.ts'
import { machineOf } from './machine.ts'
import { type Grouped, type Measured, measureAll, type Plan } from './results.ts'
import { bulkTable, tableOf, targetTable } from './table.ts'
import { targetsOf } from './targets.ts'

const plan: Plan = { connections: [1, 8, 32], rounds: 5, seconds: 1 }
const embeddedPlan: Plan = { connections: [1, 8, 32], rounds: 3, seconds: 1 }
/** V8 optimizes frequently called code; without a warm-up the compilation would be measured. */
const warmUp = { connections: 8, seconds: 4 }
/** Codes generated and imported per round, and the number of rounds. */
const bulk = { codes: 20_000, rounds: 3 }
const resultsFile = new URL('../results.json', import.meta.url)

/** Measures every performance claim together with the baselines in one run. */
export async function proof(): Promise<void> {
  const start = performance.now()
  const { machine, bulk_rates, measured } = await withPostgres(async (shop) => ({
    machine: await machineOf(shop),
    measured: await onPostgres(shop),
    bulk_rates: await bulkRates(shop),
  }))
  measured.push(...(await onEmbedded()))
  const targets = targetsOf(measured)
  const seconds = Math.round((performance.now() - start) / 1_000)
  say('')
  const { processor, cores, memory_gb, system, node, postgres } = machine
  console.log(`${processor}, ${cores} cores, ${memory_gb} GB, ${system}, Node ${node}, PostgreSQL ${postgres}`)
  console.log(`\n${tableOf(measured)}\n\n${bulkTable(bulk_rates)}\n\n${targetTable(targets)}\n`)
  const missed = targets.filter(({ is_met }) => !is_met).length
  console.log(`${targets.length - missed} of ${targets.length} targets are met; ${seconds} s in total`)
  writeFileSync(resultsFile, JSON.stringify({ machine, plan, seconds, measured, bulk_rates, targets }, null, 2))
}

async function withPostgres<Result>(work: (shop: BenchShop) => Promise<Result>): Promise<Result> {
  const shop = await openShop({ is_durable: true })
  try {
    return await work(shop)
  } finally {
    await shop.stop()
  }
}

async function onPostgres(shop: BenchShop): Promise<Measured[]> {
  say('starting the baseline servers')
  const limits = await startLimits(shop.database_url)
  try {
    say('creating the test data')
    const fixture = await createFixture(shop, { codes: 100_000, promotions: [10, 1_000, 10_000] })
    await query(shop, 'analyze') // as the database does by itself within a minute
    const cases = [
      ...limitCases(limits.ports).map((each) => ({ ...each, group: 'limits' as const })),
      ...ourCases(fixture).map((each) => ({ ...each, group: 'ours' as const })),
    ]
    return await run(cases, plan)
  } finally {
    await limits.stop()
  }
}

async function onEmbedded(): Promise<Measured[]> {
  say('creating the test data on the embedded database')
  const shop = await openEmbeddedShop()
  try {
    const fixture = await createFixture(shop, { codes: 25_000, promotions: [] })
    const cases = ourCases(fixture).filter(({ name }) => embeddedNames.has(name))
    return await run(
      cases.map((each) => ({ ...each, group: 'embedded' as const })),
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
  const measured = await measureAll(cases, plan, ({ name, load }, connections, round) => {
    say(`${connections} connections, round ${round} of ${plan.rounds}: ${name}`)
    return stretch(load, connections, plan.seconds)
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
    rates.imported.push(bulk.codes / (await importCodes(shop, `Imported ${round}`, bulk.codes, `BULK-${round}`)))
  }
  return { generated: median(rates.generated), imported: median(rates.imported) }
}

/** Prints progress: on a terminal one line that is rewritten, otherwise one line each. */
function say(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${text}`)
  else if (text !== '') console.log(text)
}
