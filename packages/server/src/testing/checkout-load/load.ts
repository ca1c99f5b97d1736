import { auditTables } from './audit.ts'
import { checkBounds } from './bounds.ts'
import { between, newChance } from './chance.ts'
import { checkReplays, checkRows } from './compare.ts'
import type { Fault, Strike } from './faults.ts'
import type { Finding } from './findings.ts'
import { createGoods } from './goods.ts'
import { newLedger } from './model.ts'
import { type Run, sharedOrders } from './run.ts'
import { checkExpiredHolds } from './sessions.ts'
import { pause, query, type Shop } from './shop.ts'
import { oneStep } from './steps.ts'
import { useUp } from './use-up.ts'

/*
 * A random load of checkouts on several nodes, compared with a model: every acknowledged request took effect exactly once, and
 * no request was refused while the limit was not reached. Nothing here needs a test runner.
 *
 *   const shop = await openShop(database_url)
 *   const { findings } = await runLoad(shop, { seed: 1, seconds: 60 })
 */

export interface LoadOptions {
  seed: number
  /** The duration of the load before the first fault. */
  seconds: number
  /** The load continues until this many requests are answered, for busy machines. */
  requests_min?: number
  workers?: number
  /** Faults injected afterwards, one by one, while the load continues; unanswered requests are retried. */
  faults?: readonly Fault[]
  /** Called with a description of each phase. */
  tell?: (doing: string) => void
}

export interface LoadReport {
  /** Number of answered requests. */
  requests: number
  /** Requests that had to be retried, because there was no response or a 5xx. */
  unanswered: number
  /** Retried requests that had taken effect, and were replayed by their idempotency key. */
  replayed: number
  slowest_ms: number
  strikes: Strike[]
  findings: Finding[]
}

/**
 * Redeems, rolls back, holds and releases at random, then compares all rows with the model. So the shop must be empty
 * before.
 */
export async function runLoad(
  shop: Shop,
  { seed, seconds, requests_min = 0, workers = 16, faults = [], tell = () => {} }: LoadOptions,
): Promise<LoadReport> {
  tell('creating the test data')
  const goods = await createGoods(shop)
  const ledger = newLedger()
  const run: Run = { shop, goods, ledger, is_disturbed: false, shared: sharedOrders(goods), made: 0 }
  const work = (first: number, goesOn: () => boolean) =>
    Promise.all(
      Array.from({ length: workers }, async (_, number) => {
        const chance = newChance(seed * 1_000 + first + number)
        while (goesOn()) await oneStep(run, chance)
      }),
    )
  tell('load')
  const until = Date.now() + seconds * 1_000
  await work(0, () => Date.now() < until || ledger.requests < requests_min)
  // Faults start only when no request is in flight: from here on every request has an idempotency key for its retries.
  const strikes: Strike[] = []
  if (faults.length > 0) {
    run.is_disturbed = true
    let isOver = false
    const struck = strikeInTurn(run, faults, { seed, strikes, tell }).finally(() => {
      isOver = true
    })
    await Promise.all([work(workers, () => !isOver), struck])
  }
  tell('comparing with the model')
  const findings = await checkAll(run)
  const { requests, unanswered, replayed, slowest_ms } = ledger
  return { requests, unanswered, replayed, slowest_ms, strikes, findings }
}

async function strikeInTurn(
  { ledger }: Run,
  faults: readonly Fault[],
  { seed, strikes, tell }: { seed: number; strikes: Strike[]; tell: (doing: string) => void },
): Promise<void> {
  const chance = newChance(seed)
  for (const { name, strike } of faults) {
    tell(`load, and ${name}`)
    await pause(between(chance, 300, 900))
    const before = ledger.unanswered
    const struckAt = Date.now()
    await strike()
    await pause(200) // requests sent before the restart have failed by then
    const outageMs = longestGap(ledger.acknowledged, struckAt)
    strikes.push({ name, requests_hit: ledger.unanswered - before, outage_ms: outageMs })
  }
}

/** The longest time between two of the moments, from the last one before `since` until now. */
function longestGap(moments: readonly number[], since: number): number {
  const before = moments.findLast((moment) => moment <= since) ?? since
  const after = [...moments.filter((moment) => moment > since), Date.now()]
  return after.reduce((longest, moment, index) => Math.max(longest, moment - (after[index - 1] ?? before)), 0)
}

async function checkAll(run: Run): Promise<Finding[]> {
  const { shop, ledger } = run
  const held = await checkExpiredHolds(run)
  await useUp(run)
  const compared = [
    held,
    ...checkBounds(ledger),
    ...(await checkRows(run)),
    ...(await auditTables(shop)),
    await checkReplays(run),
    await checkListeners(shop),
  ]
  const lookedFor = 'unexpected responses'
  return [{ looked_for: lookedFor, times: ledger.requests, violations: ledger.violations }, ...compared]
}

/** Checks that a node which lost its LISTEN connection has opened only one new one. */
async function checkListeners(shop: Shop): Promise<Finding> {
  const [{ listeners }] = await query(
    shop,
    `select count(*) as listeners from pg_stat_activity
    where application_name = 'guerdon-listen' and datname = current_database()`,
  )
  const lookedFor = 'more LISTEN connections than nodes'
  const { length: nodesCount } = shop.nodes
  return { looked_for: lookedFor, times: 1, violations: listeners <= nodesCount ? [] : [`${lookedFor}: ${listeners}`] }
}
