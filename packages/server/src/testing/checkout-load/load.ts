import { auditBooks } from './audit.ts'
import { judgeBounds } from './bounds.ts'
import { newChance } from './chance.ts'
import { judgeReplays, judgeRows } from './compare.ts'
import { furnish } from './goods.ts'
import { newLedger } from './model.ts'
import { type Run, sharedOrders } from './run.ts'
import { heldIsFreeAgain } from './sessions.ts'
import type { Shop } from './shop.ts'
import { oneStep } from './steps.ts'
import { useUp } from './use-up.ts'

/*
 * A load of checkouts over several nodes, and a model that says what must be true afterwards: whoever was told "done" finds
 * it done, once, and nobody was told "no" while there was something left. Nothing in here needs a test runner.
 *
 *   const shop = await openShop(database_url)
 *   const { violations } = await runLoad(shop, { seed: 1, seconds: 60 })
 */

export interface LoadOptions {
  seed: number
  seconds: number
  workers?: number
  /** What is done to the nodes or the database while the load goes on; calls that nobody answers are sent again. */
  meanwhile?: () => Promise<void>
}

export interface LoadReport {
  seed: number
  requests: number
  /** How many answers there were of each kind. */
  outcomes: Record<string, number>
  /** Requests that had to be sent again, because nobody answered or the service said that it cannot. */
  unanswered: number
  /** Those of them that had been done after all, and were answered from memory. */
  replayed: number
  slowest_ms: number
  violations: string[]
  /** What the nodes printed, where something is wrong. */
  printed: string[]
}

/** Redeems, rolls back, holds and releases at random, then compares everything with the model. */
export async function runLoad(
  shop: Shop,
  { seed, seconds, workers = 16, meanwhile }: LoadOptions,
): Promise<LoadReport> {
  const goods = await furnish(shop)
  const ledger = newLedger()
  const run: Run = { shop, goods, ledger, is_disturbed: meanwhile !== undefined, shared: sharedOrders(goods), made: 0 }
  const until = Date.now() + seconds * 1_000
  let is_disturbing = meanwhile !== undefined
  const disturbed = meanwhile?.().finally(() => {
    is_disturbing = false
  })
  const working = Array.from({ length: workers }, async (_, number) => {
    const chance = newChance(seed * 1_000 + number)
    while (Date.now() < until || is_disturbing) await oneStep(run, chance)
  })
  await Promise.all([...working, disturbed])
  await heldIsFreeAgain(run)
  await useUp(run)
  ledger.violations.push(...judgeBounds(ledger), ...(await judgeRows(run)), ...(await auditBooks(shop)))
  await judgeReplays(run)
  const outcomes = Object.fromEntries([...ledger.outcomes].sort())
  const requests = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  const { unanswered, replayed, slowest_ms, violations } = ledger
  const printed =
    violations.length === 0 ? [] : shop.nodes.flatMap((node) => node.output().match(/^\{.*/gm)?.slice(0, 3) ?? [])
  return { seed, requests, outcomes, unanswered, replayed, slowest_ms, violations, printed }
}
