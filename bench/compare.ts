import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ask, median, stretch } from './measure.ts'
import { cpuMilliseconds } from './processes.ts'
import { type Case, ourCases } from './proof/cases.ts'
import { createFixture } from './proof/fixture.ts'
import { type BenchShop, openShop, query } from './shop.ts'

/*
 * Compares this checkout with another one, whose folder is in BENCH_AGAINST (with its packages installed):
 *
 *   git worktree add ../before main~1 && npm ci --prefix ../before
 *   BENCH_AGAINST=../before npm run bench compare
 *
 * Both services run at the same time, each on its own PostgreSQL with the same data. Every round measures each case on one and then
 * on the other, and the next round in the other order, so that a slow minute of the machine affects both. The ratios are
 * medians over the rounds of this checkout to the other: CPU time of the server process per request (Linux only), which is
 * steadier than requests per second on a shared machine. BENCH_CASES limits the cases to those whose name contains a text.
 */

const rounds = Number(process.env.BENCH_ROUNDS ?? 10)
const seconds = 1
const connections = 8
const warmUpSeconds = 4

interface Side {
  shop: BenchShop
  cases: readonly Case[]
}

interface Sample {
  cpu_ms: number
  per_second: number
}

export async function compare(): Promise<void> {
  const against = process.env.BENCH_AGAINST
  if (against === undefined) throw new Error('Set BENCH_AGAINST to the folder of the other checkout.')
  const other = new URL('packages/server/src/main.ts', pathToFileURL(`${resolve(against)}/`))
  const sides = [await openSide(), await openSide(other)] as const
  try {
    const names = sides[0].cases.map(({ name }) => name)
    const wanted = process.env.BENCH_CASES ?? ''
    console.log('| Case | CPU per request | requests per second |\n|---|--:|--:|')
    for (const [index, name] of names.entries()) {
      if (!name.includes(wanted)) continue
      const [ours, theirs] = await measureBoth(sides, index)
      const ratio = (of: keyof Sample) =>
        median(ours.map((sample, round) => sample[of] / (theirs[round] as Sample)[of]))
      console.log(`| ${name} | ${ratio('cpu_ms').toFixed(3)} | ${ratio('per_second').toFixed(3)} |`)
    }
  } finally {
    for (const { shop } of sides) await shop.stop()
  }
}

async function openSide(main?: URL): Promise<Side> {
  const shop = await openShop({ is_durable: true, ...(main === undefined ? {} : { main }) })
  const fixture = await createFixture(shop, { codes: 100_000, promotions: [10, 1_000] })
  await query(shop, 'analyze') // as the database does by itself within a minute
  return { shop, cases: ourCases(fixture) }
}

/** The samples of one case on both sides, paired by round. */
async function measureBoth(sides: readonly [Side, Side], index: number): Promise<[Sample[], Sample[]]> {
  const samples: [Sample[], Sample[]] = [[], []]
  for (const side of sides) {
    await stretch(caseOf(side, index).load, connections, warmUpSeconds)
    await check(caseOf(side, index))
  }
  for (let round = 0; round < rounds; round += 1)
    for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
      samples[side].push(await measure(sides[side], index))
  return samples
}

async function measure(side: Side, index: number): Promise<Sample> {
  const before = cpuMilliseconds(side.shop.pid)
  const { per_second, waits } = await stretch(caseOf(side, index).load, connections, seconds)
  return { per_second, cpu_ms: (cpuMilliseconds(side.shop.pid) - before) / waits.length }
}

const caseOf = ({ cases }: Side, index: number): Case => cases[index] as Case

async function check({ name, load, isRight }: Case): Promise<void> {
  const answer = await ask(load)
  if (!isRight(JSON.parse(answer))) throw new Error(`${name} answers ${answer}`)
}
