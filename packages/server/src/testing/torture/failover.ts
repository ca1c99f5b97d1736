import { takeover } from '../checkout-load/faults.ts'
import { runLoad } from '../checkout-load/load.ts'
import { openShop, printedBy, query, type Shop } from '../checkout-load/shop.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { startPatroniCluster } from '../cluster/patroni.ts'
import { startPromoteCluster } from '../cluster/promote.ts'
import { recordFindings, recordStrikes, recordViolation, seedOf, type TortureReport } from './report.ts'
import { recordTakeovers } from './takeovers.ts'
import { whenAborted } from './torture.ts'

export interface FailoverOptions {
  kills: number
  with_patroni: boolean
  signal?: AbortSignal
}

/** How often the primary is lost before the tables are compared with what was acknowledged. */
const strikesPerRound = 2
/** A loss that takes longer than this has left the cluster in a state from which it does not recover by itself. */
const lossSecondsMax = 300

/**
 * Loses the primary of a cluster again and again during the load, each kind of loss in turn, and records everything in the report. Ends
 * early when a violation is found.
 */
export async function failOver(report: TortureReport, { kills, with_patroni, signal }: FailoverOptions): Promise<void> {
  report.doing = 'starting the cluster'
  const cluster = await (with_patroni ? startPatroniCluster() : startPromoteCluster())
  let shop: Shop | null = null
  const late = setTimeout(() => lateness.abort(), (kills * lossSecondsMax + 600) * 1_000).unref()
  const lateness = new AbortController()
  try {
    report.doing = 'starting the service'
    shop = await Promise.race([openShop(cluster.url, report.answers, { has_ordinary_waits: true }), endedBy(signal)])
    const ended = whenAborted(lateness.signal).then(() => {
      throw new Error(`${report.doing} did not end in time`)
    })
    await Promise.race([rounds(report, cluster, shop, kills), whenAborted(signal), ended])
  } catch (error) {
    if (!signal?.aborted) recordViolation(report, (error as Error).stack ?? String(error))
  }
  clearTimeout(late)
  const violations = [...report.violations]
  if (violations.length > 0 && shop !== null) report.printed = printedBy(shop)
  await Promise.all((shop?.nodes ?? []).map((node) => node.kill()))
  await cluster.stop()
  report.violations = violations
}

const endedBy = (signal: AbortSignal | undefined): Promise<never> =>
  whenAborted(signal).then(() => {
    throw new Error('aborted')
  })

async function rounds(report: TortureReport, cluster: Cluster, first: Shop, kills: number): Promise<void> {
  const losses = Object.entries(cluster.losses)
  for (let left = kills; left > 0 && report.violations.length === 0; ) {
    const [name, { lose, heal }] = losses[report.round % losses.length] as (typeof losses)[number]
    report.round += 1
    const strikesCount = Math.min(left, strikesPerRound)
    left -= strikesCount
    // The load compares all rows of a project with the model, so it runs in a new project.
    const shop = await first.another()
    const recover = async () => {
      await heal()
      // A promoted server does not know how much was changed before, so autovacuum would not look at its tables for a while.
      await query(shop, 'analyze')
    }
    const faults = Array.from({ length: strikesCount }, () => takeover(name, lose, recover))
    const load = await runLoad(shop, {
      seed: seedOf(report),
      seconds: 0,
      faults,
      tell: (doing) => {
        report.doing = doing
      },
    })
    report.replayed += load.replayed
    report.slowest_ms = Math.max(report.slowest_ms, load.slowest_ms)
    recordStrikes(report, load.strikes)
    recordFindings(report, load.findings)
    recordTakeovers(report.takeovers, name, load)
  }
}
