import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newProject, type Shop } from '../testing/app.ts'
import { newDiscount, percentOff, redeem, vouchers } from '../testing/checkout.ts'
import { ok } from '../testing/orders.ts'

const at_once = 20

test('redemptions that come at the same time are written together: in fewer transactions than there are of them', async () => {
  const shop = await newProject()
  for (let n = 0; n < at_once; n += 1) await newDiscount(shop, `CODE-${n}`, percentOff(10))
  // How many meet is a matter of chance, on a busy machine: some do, if it is tried a few times.
  let transactions = 0
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const before = await writtenIn(shop)
    const answers = await Promise.all(
      Array.from({ length: at_once }, (_, n) => redeem(shop, { redeemables: vouchers(`CODE-${n}`) })),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect((await ok(shop, 'GET', '/v1/redemptions')).total).toBe(attempt * at_once)
    transactions = (await writtenIn(shop)) - before
    if (transactions < at_once / 2) break
  }
  expect(transactions).toBeLessThan(at_once / 2)
})

/** In how many transactions the redemptions of a project were written. */
async function writtenIn(shop: Shop): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(distinct xmin::text) as n from redemptions where project_id = ${shop.project_id}`.execute(
    shop.service.house.database.db,
  )
  return Number(rows[0]?.n)
}
