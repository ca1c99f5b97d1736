import { expect, onTestFinished, test } from 'vitest'
import { takeover } from '../testing/checkout-load/faults.ts'
import { violationsOf } from '../testing/checkout-load/findings.ts'
import { runLoad } from '../testing/checkout-load/load.ts'
import { openShop, printedBy } from '../testing/checkout-load/shop.ts'
import { startPrimaryAndStandby } from '../testing/standby.ts'

const seed = Number(process.env.GUERDON_TORTURE_SEED ?? Date.now() % 1_000_000)

/*
 * The load of `npm run torture -- --failover`, once, on the bundled PostgreSQL: two nodes with both hosts in their DATABASE_URL follow a
 * synchronous standby that takes the place of the killed primary. Every request is acknowledged in the end, after it was repeated
 * with its Idempotency-Key where it got no answer; all that was acknowledged is stored, once, and no limit is exceeded.
 */
test(`random concurrent requests stay exact while the standby takes over (seed ${seed})`, async () => {
  const { primary, standby, url, stop } = await startPrimaryAndStandby()
  onTestFinished(stop)
  const shop = await openShop(url)
  onTestFinished(() => shop.close())
  const fault = takeover('kill -9 of the primary', () => primary.signal('SIGKILL'), standby.promote)
  const { findings, requests, strikes } = await runLoad(shop, { seed, seconds: 1, requests_min: 200, faults: [fault] })
  expect(violationsOf(findings), printedBy(shop).join('\n')).toEqual([])
  expect(requests).toBeGreaterThan(200)
  expect(strikes).toMatchObject([{ requests_hit: expect.toSatisfy((hit: number) => hit > 0) }])
})
