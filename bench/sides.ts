import { setTimeout as wait } from 'node:timers/promises'
import { ask, median, stretch } from './measure.ts'
import { type Meter, openMeter } from './meter.ts'
import { type Case, ourCases } from './proof/cases.ts'
import { createFixture } from './proof/fixture.ts'
import { type BenchShop, openShop, query, type ShopOptions } from './shop.ts'

/*
 * Two services that run at the same time, each on its own PostgreSQL with the same data. Every round measures each case on one and
 * then on the other, and the next round in the other order, so that a slow minute of the machine affects both.
 */

const rounds = Number(process.env.BENCH_ROUNDS ?? 10)
const seconds = 1
const connections = 8
/** After each stretch, so that what the service writes behind its answers is counted. */
const settleMs = 700
const warmUpSeconds = Number(process.env.BENCH_WARM_UP ?? 8)

export interface Side {
  shop: BenchShop
  meter: Meter
  cases: readonly Case[]
  stop(): Promise<void>
}

interface Sample {
  /** Of the server process, per request; on Linux only. Steadier than requests per second on a shared machine. */
  cpu_ms: number
  /** Of the server process and PostgreSQL together. */
  total_cpu_ms: number
  postgres_cpu_ms: number
  per_second: number
}

/** How the first side compares with the second: medians over the rounds. */
export interface Ratios extends Sample {
  /** The CPU time per request of both sides, in all. */
  ours_total_cpu_ms: number
  theirs_total_cpu_ms: number
  /** Of PostgreSQL alone. */
  ours_postgres_cpu_ms: number
  theirs_postgres_cpu_ms: number
}

export async function openSide(options: ShopOptions = {}): Promise<Side> {
  const shop = await openShop({ is_durable: true, ...options })
  const fixture = await createFixture(shop, { codes: 100_000, promotions: [10, 1_000] })
  await query(shop, 'analyze') // as the database does by itself within a minute
  const meter = await openMeter(shop.pid, shop.database_url)
  const stop = async () => {
    await meter.close()
    await shop.stop()
  }
  return { shop, meter, cases: ourCases(fixture), stop }
}

export async function compareCase(sides: readonly [Side, Side], index: number): Promise<Ratios> {
  const [ours, theirs] = await measureBoth(sides, index)
  const ratio = (of: keyof Sample) => median(ours.map((sample, round) => sample[of] / (theirs[round] as Sample)[of]))
  const total = (samples: readonly Sample[]) => median(samples.map(({ total_cpu_ms }) => total_cpu_ms))
  const postgres = (samples: readonly Sample[]) => median(samples.map(({ postgres_cpu_ms }) => postgres_cpu_ms))
  return {
    cpu_ms: ratio('cpu_ms'),
    total_cpu_ms: ratio('total_cpu_ms'),
    postgres_cpu_ms: ratio('postgres_cpu_ms'),
    per_second: ratio('per_second'),
    ours_total_cpu_ms: total(ours),
    theirs_total_cpu_ms: total(theirs),
    ours_postgres_cpu_ms: postgres(ours),
    theirs_postgres_cpu_ms: postgres(theirs),
  }
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
  const { meter } = side
  const before = await meter.read()
  const { per_second, waits } = await stretch(caseOf(side, index).load, connections, seconds)
  await wait(settleMs)
  const after = await meter.read()
  const service = after.service_cpu_ms - before.service_cpu_ms
  const postgres = after.postgres_cpu_ms - before.postgres_cpu_ms
  const [cpuMs, postgresCpuMs] = [service / waits.length, postgres / waits.length]
  return { per_second, cpu_ms: cpuMs, postgres_cpu_ms: postgresCpuMs, total_cpu_ms: cpuMs + postgresCpuMs }
}

const caseOf = ({ cases }: Side, index: number): Case => cases[index] as Case

async function check({ name, load, isRight }: Case): Promise<void> {
  const answer = await ask(load)
  if (!isRight(JSON.parse(answer))) throw new Error(`${name} answers ${answer}`)
}
