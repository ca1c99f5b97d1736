import { expect, onTestFinished, test } from 'vitest'
import { databaseKill, type Fault, serverKill } from '../../testing/checkout-load/faults.ts'
import { openShop, printedBy } from '../../testing/checkout-load/shop.ts'
import { createDatabase } from '../../testing/postgres.ts'
import { openPostgres } from '../../testing/torture/mortal-postgres.ts'
import { runWebhookLoad } from '../../testing/webhook-load/load.ts'

const seed = Number(process.env.GUERDON_TORTURE_SEED ?? Date.now() % 1_000_000)
/** `GUERDON_WEBHOOK_LOAD=5000,20` runs 5,000 redemptions and 20 kills, which takes minutes, and then some requests get no answer. */
const { GUERDON_WEBHOOK_LOAD: asked } = process.env
const isLong = asked !== undefined
const [redemptions = 0, kills = 0] = (asked ?? '400,3').split(',').map(Number)

test(`every event arrives at least once, with the same id and bytes, while ${kills} processes are killed with kill -9 (seed ${seed})`, async () => {
  const { url, mortal, stop } = await openPostgres(process.env.TEST_DATABASE_URL)
  onTestFinished(stop)
  const database = await createDatabase(url)
  onTestFinished(database.drop)
  const shop = await openShop(database.url)
  onTestFinished(() => shop.close())
  // In turn: each node, then PostgreSQL if it is ours.
  const kinds = [
    ...shop.nodes.map((_, victim) => serverKill(shop, victim)),
    ...(mortal === null ? [] : [databaseKill(mortal)]),
  ]
  const faults = Array.from({ length: kills }, (_, index) => kinds[index % kinds.length] as Fault)
  const report = await runWebhookLoad(shop, { seed, redemptions, faults, drops_every: isLong ? 97 : null })
  expect(report.violations, printedBy(shop).join('\n')).toEqual([])
  expect(report.redeemed).toBeGreaterThan(redemptions / 2)
  expect(report.unanswered).toBeGreaterThan(0)
  expect(report.deliveries).toBeGreaterThan(report.redeemed)
  if (isLong) process.stdout.write(`${JSON.stringify({ kills, ...report })}\n`)
}, 900_000)
