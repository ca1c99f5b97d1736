import { expect, onTestFinished, test } from 'vitest'
import { databaseKill, serverKill } from '../testing/checkout-load/faults.ts'
import { violationsOf } from '../testing/checkout-load/findings.ts'
import { runLoad } from '../testing/checkout-load/load.ts'
import { openShop, printedBy } from '../testing/checkout-load/shop.ts'
import { createDatabase } from '../testing/postgres.ts'
import { openPostgres } from '../testing/torture/mortal-postgres.ts'

const seed = Number(process.env.GUERDON_TORTURE_SEED ?? Date.now() % 1_000_000)

/*
 * The load of `npm run torture`, for seconds: at random, against a model, and at first with nothing broken. Whatever was
 * acknowledged is there, nothing is there in part, and a request that nobody answered is done once when it is sent again
 * with its key; what sessions held when it happened is free when they have ended.
 */
test(`everything at once, at random, then kill -9 of a server and of PostgreSQL in the middle of it (seed ${seed})`, async () => {
  const { url, mortal, stop } = await openPostgres(process.env.TEST_DATABASE_URL)
  onTestFinished(stop)
  const database = await createDatabase(url)
  onTestFinished(database.drop)
  const shop = await openShop(database.url)
  onTestFinished(() => shop.close())
  const faults = [serverKill(shop, seed % 2), ...(mortal === null ? [] : [databaseKill(mortal)])]
  const { findings, requests, strikes } = await runLoad(shop, { seed, seconds: 4, requests_min: 50, faults })
  expect(violationsOf(findings), printedBy(shop).join('\n')).toEqual([])
  expect(requests).toBeGreaterThan(40)
  expect(strikes).toHaveLength(faults.length)
  for (const { name, requests_hit } of strikes) expect(requests_hit, name).toBeGreaterThan(0)
})
