import { auditBooks } from './audit.ts'
import { judgeBounds } from './bounds.ts'
import { between, newChance } from './chance.ts'
import { judgeReplays, judgeRows } from './compare.ts'
import type { Fault, Strike } from './faults.ts'
import type { Finding } from './findings.ts'
import { furnish } from './goods.ts'
import { newLedger } from './model.ts'
import { type Run, sharedOrders } from './run.ts'
import { heldIsFreeAgain } from './sessions.ts'
import { pause, query, type Shop } from './shop.ts'
import { oneStep } from './steps.ts'
import { useUp } from './use-up.ts'

/*
 * A load of checkouts over several nodes, and a model that says what must be true afterwards: whoever was told "done" finds
 * it done, once, and nobody was told "no" while there was something left. Nothing in here needs a test runner.
 *
 *   const shop = await openShop(database_url)
 *   const { findings } = await runLoad(shop, { seed: 1, seconds: 60 })
 */

export interface LoadOptions {
  seed: number
  /** How long it goes on before anything breaks. */
  seconds: number
  /** It goes on for longer where a busy machine has not answered so many requests by then. */
  requests_min?: number
  workers?: number
  /** What then breaks while it goes on, one after the other; calls that nobody answers are sent again. */
  faults?: readonly Fault[]
  /** Is told what it is about to do. */
  tell?: (doing: string) => void
}

export interface LoadReport {
  /** So many were answered. */
  requests: number
  /** Requests that had to be sent again, because nobody answered or the service said that it cannot. */
  unanswered: number
  /** Those of them that had been done after all, and were answered from memory. */
  replayed: number
  slowest_ms: number
  strikes: Strike[]
  findings: Finding[]
}

/**
 * Redeems, rolls back, holds and releases at random, then compares everything with the model. It counts everything, so
 * there has to be nothing in the shop but what it makes itself.
 */
export async function runLoad(
  shop: Shop,
  { seed, seconds, requests_min = 0, workers = 16, faults = [], tell = () => {} }: LoadOptions,
): Promise<LoadReport> {
  tell('furnishing')
  const goods = await furnish(shop)
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
  // Only now that nobody waits for an answer: from here on every request has a key with which it can be sent again.
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
  const findings = await judge(run)
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
    await strike()
    await pause(200) // what was sent before it was back has failed by then
    strikes.push({ name, requests_hit: ledger.unanswered - before })
  }
}

async function judge(run: Run): Promise<Finding[]> {
  const { shop, ledger } = run
  const held = await heldIsFreeAgain(run)
  await useUp(run)
  const compared = [
    held,
    ...judgeBounds(ledger),
    ...(await judgeRows(run)),
    ...(await auditBooks(shop)),
    await judgeReplays(run),
    await judgeListeners(shop),
  ]
  const lookedFor = 'answers that a request cannot have'
  return [{ looked_for: lookedFor, times: ledger.requests, violations: ledger.violations }, ...compared]
}

/** Whoever lost the connection on which it hears of changes has opened another, and one. */
async function judgeListeners(shop: Shop): Promise<Finding> {
  const [{ listeners }] = await query(
    shop,
    `select count(*) as listeners from pg_stat_activity
    where application_name = 'guerdon-listen' and datname = current_database()`,
  )
  const lookedFor = 'more connections that listen for changes than nodes'
  const { length: nodesCount } = shop.nodes
  return { looked_for: lookedFor, times: 1, violations: listeners <= nodesCount ? [] : [`${lookedFor}: ${listeners}`] }
}
