import { expect, onTestFinished, test } from 'vitest'
import { databaseKill, serverKill } from '../testing/checkout-load/faults.ts'
import { violationsOf } from '../testing/checkout-load/findings.ts'
import { runLoad } from '../testing/checkout-load/load.ts'
import { openShop, printedBy } from '../testing/checkout-load/shop.ts'
import { createDatabase } from '../testing/postgres.ts'
import { openPostgres } from '../testing/torture/mortal-postgres.ts'

const seed = Number(process.env.GUERDON_TORTURE_SEED ?? Date.now() % 1_000_000)

/*
 * The load of `npm run torture`, for seconds: random requests, checked against a model, at first without faults. Every
 * acknowledged request is stored, none is stored partially, and an unanswered request takes effect once when it is repeated with
 * its Idempotency-Key; holds of sessions at the time of the crash are released when the sessions expire.
 */
test(`random concurrent requests stay exact while a server and PostgreSQL are killed with kill -9 (seed ${seed})`, async () => {
  const { url, mortal, stop } = await openPostgres(process.env.TEST_DATABASE_URL)
  onTestFinished(stop)
  const database = await createDatabase(url)
  onTestFinished(database.drop)
  const shop = await openShop(database.url)
  onTestFinished(() => shop.close())
  const faults = [serverKill(shop, seed % 2), ...(mortal === null ? [] : [databaseKill(mortal)])]
  const { findings, requests, strikes } = await runLoad(shop, { seed, seconds: 1, requests_min: 200, faults })
  expect(violationsOf(findings), printedBy(shop).join('\n')).toEqual([])
  expect(requests).toBeGreaterThan(200)
  expect(strikes).toHaveLength(faults.length)
  for (const { name, requests_hit } of strikes) expect(requests_hit, name).toBeGreaterThan(0)
})
