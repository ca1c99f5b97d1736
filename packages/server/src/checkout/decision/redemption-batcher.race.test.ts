import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { inTransaction } from '../../core/db/transaction.ts'
import { limits } from '../../core/lib/limits.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { newDiscount, percentOff, redeem, vouchers } from '../../testing/checkout.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { ok } from '../../testing/orders.ts'

const atOnce = 20

test('redemptions that are queued at the same time are saved in one transaction', async () => {
  const shop = await newProject()
  const codes = Array.from({ length: atOnce }, (_, n) => `CODE-${n}`)
  for (const code of codes) await newDiscount(shop, code, percentOff(10))
  const redeemed = async (code: string) => {
    for (;;) {
      const answer = await redeem(shop, { redeemables: vouchers(code) })
      if (answer.body.key !== 'multiple_requests') return answer // it waited for the lock for too long
    }
  }
  await redeemed('CODE-0') // fills the caches
  // The first ones wait for a lock, each in a batch of its own; the others are queued meanwhile.
  const first = codes.slice(0, limits.redemption_batches_max)
  const answers = await withLockedVouchers(shop, first, async (untilTheyWait) => {
    const answers = first.map(redeemed)
    await untilTheyWait(first.length)
    return [...answers, ...codes.slice(first.length).map(redeemed)]
  })
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(codes.map(() => 200))
  expect((await ok(shop, 'GET', '/v1/redemptions')).total).toBe(1 + atOnce)
  expect(await transactionsOf(shop)).toBeLessThan(atOnce / 2)
})

/** Locks some vouchers while `meanwhile` runs, which can wait until so many transactions wait for the locks. */
const withLockedVouchers = async <T>(
  { service, project_id }: Shop,
  codes: readonly string[],
  meanwhile: (untilTheyWait: (count: number) => Promise<void>) => Promise<T[]>,
): Promise<T[]> =>
  inTransaction(service.runtime.database.db, async (trx) => {
    await sql`select 1 from vouchers where project_id = ${project_id} and code = any(${codes}::text[]) for update`.execute(
      trx,
    )
    const holder = await backendOf(trx)
    return meanwhile((count) => untilOthersWait(service.runtime.database, holder, count))
  })

/** The number of transactions in which the redemptions of a project were saved. */
async function transactionsOf({ service, project_id }: Shop): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(distinct xmin::text) as n from redemptions where project_id = ${project_id}`.execute(
    service.runtime.database.db,
  )
  return Number(rows[0]?.n)
}
