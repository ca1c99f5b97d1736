import { setTimeout as wait } from 'node:timers/promises'
import { createDatabase } from '../packages/server/src/testing/postgres.ts'
import { startReplicatedPostgres } from '../packages/server/src/testing/replicated-postgres.ts'
import { requestBytes } from './client.ts'
import { ask, median, stretch } from './measure.ts'
import { postgresCpuMeter } from './meter.ts'
import { type Case, ourCases } from './proof/cases.ts'
import { createFixture } from './proof/fixture.ts'
import { type BenchShop, openShopOn, query, thisCheckout } from './shop.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 10)
const seconds = Number(process.env.BENCH_SECONDS ?? 4)
const connections = 8
const warmUpSeconds = Number(process.env.BENCH_WARM_UP ?? 8)
/** After each stretch, so that what the service writes behind its answers is counted. */
const settleMs = 700
const idleMs = 10_000

/** The primary may spend at most this share of the CPU time on a validation that it spends without a replica. */
const ratioMax = 0.6
const held = 'validation, 1 code, 3 lines'

/** CPU time of the primary and of the replica per request, in milliseconds. */
interface Sample {
  primary: number
  replica: number
}

/**
 * What a replica takes off the primary: two services on the same database, of which one has a replica, in turn. Both servers run on
 * this machine, so requests per second say nothing; CPU time of all processes of each server does, with what is written behind the
 * answers and with the log that the replica applies. What the servers do without any request, for two services instead of one, is measured
 * before and taken off. BENCH_CASES limits the cases.
 */
export async function replica(): Promise<void> {
  const servers = await startReplicatedPostgres({ is_durable: true })
  const [standby] = servers.replicas
  if (standby === undefined) throw new Error('There is no replica')
  const { url } = await createDatabase(servers.primary.url)
  const alone = await openShopOn(thisCheckout, { DATABASE_URL: url })
  const fixture = await createFixture(alone, { codes: 20_000, promotions: [10] })
  await query(alone, 'vacuum analyze') // as the database does by itself within a minute
  const helped = await openShopOn(thisCheckout, { DATABASE_URL: url, DATABASE_READ_URL: standby.urlOf(url) })
  const meters = { primary: await postgresCpuMeter(servers.primary.url), replica: await postgresCpuMeter(standby.url) }
  try {
    await untilRead(helped)
    const idle = await measureIdle(meters)
    const perSecond = (server: keyof Sample) => `${(idle[server] * 1_000).toFixed(1)} ms per second`
    console.log(`without requests: primary ${perSecond('primary')}, replica ${perSecond('replica')}`)
    console.log(
      '| Case | primary, without a replica | primary, with one | ratio | replica | replica and primary, to without |\n|---|--:|--:|--:|--:|--:|',
    )
    const casesOf = (shop: BenchShop) => [...ourCases({ ...fixture, shop }), list(shop)]
    const [without, withReplica] = [casesOf(alone), casesOf(helped)]
    for (const [index, { name }] of without.entries()) {
      if (!isRead(name) || !name.includes(process.env.BENCH_CASES ?? '')) continue
      const sides = [without[index] as Case, withReplica[index] as Case] as const
      console.log(rowOf(name, await measureBoth(sides, meters, idle)))
    }
    await showReads(helped)
  } finally {
    await helped.stop()
    await alone.stop()
    await servers.stop()
  }
}

/** Cases of other projects than the first are those of the first service. */
const isRead = (name: string): boolean => name.startsWith('validation') || name.includes('page')

const list = (shop: BenchShop): Case => ({
  name: 'a page of redeemed codes',
  load: {
    port: shop.port,
    asked: 0,
    request: () => requestBytes('GET', '/v1/vouchers?limit=100', shop.headers),
  },
  isRight: ({ vouchers }) => vouchers.length === 100,
})

type Meters = { [Server in keyof Sample]: () => number }

/** CPU time per millisecond. */
async function measureIdle(meters: Meters): Promise<Sample> {
  await wait(settleMs)
  const [start, before] = [performance.now(), { primary: meters.primary(), replica: meters.replica() }]
  await wait(idleMs)
  const elapsed = performance.now() - start
  return {
    primary: (meters.primary() - before.primary) / elapsed,
    replica: (meters.replica() - before.replica) / elapsed,
  }
}

async function measureBoth(cases: readonly [Case, Case], meters: Meters, idle: Sample): Promise<[Sample[], Sample[]]> {
  const samples: [Sample[], Sample[]] = [[], []]
  for (const { name, load, isRight } of cases) {
    await stretch(load, connections, warmUpSeconds)
    const answer = await ask(load)
    if (!isRight(JSON.parse(answer))) throw new Error(`${name} answers ${answer}`)
  }
  for (let round = 0; round < rounds; round += 1)
    for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      await wait(settleMs)
      const [start, before] = [performance.now(), { primary: meters.primary(), replica: meters.replica() }]
      const { waits } = await stretch(cases[side].load, connections, seconds)
      await wait(settleMs)
      const elapsed = performance.now() - start
      const perRequest = (server: keyof Sample) =>
        (meters[server]() - before[server] - idle[server] * elapsed) / waits.length
      samples[side].push({ primary: perRequest('primary'), replica: perRequest('replica') })
    }
  return samples
}

function rowOf(name: string, [without, withReplica]: readonly [Sample[], Sample[]]): string {
  const of = (samples: readonly Sample[], server: keyof Sample) => median(samples.map((sample) => sample[server]))
  const ratio = of(withReplica, 'primary') / of(without, 'primary')
  const both = (of(withReplica, 'primary') + of(withReplica, 'replica')) / of(without, 'primary')
  const verdict = name !== held ? '' : ratio <= ratioMax ? ` (at most ${ratioMax})` : ` (at most ${ratioMax}, missed)`
  const cells = [
    name,
    `${of(without, 'primary').toFixed(3)} ms`,
    `${of(withReplica, 'primary').toFixed(3)} ms`,
    `${ratio.toFixed(2)}${verdict}`,
    `${of(withReplica, 'replica').toFixed(3)} ms`,
    both.toFixed(2),
  ]
  return `| ${cells.join(' | ')} |`
}

/** Until the replica has proven its lag, the primary answers. */
async function untilRead(shop: BenchShop): Promise<void> {
  while (!(await metricsOf(shop)).some((line) => /^guerdon_replica_up\{.*\} 1$/.test(line))) await wait(100)
}

async function showReads(shop: BenchShop): Promise<void> {
  for (const line of await metricsOf(shop)) if (line.startsWith('guerdon_replica')) console.log(line)
}

const metricsOf = async ({ address }: BenchShop): Promise<string[]> =>
  (await (await fetch(`${address}/metrics`)).text()).split('\n')
