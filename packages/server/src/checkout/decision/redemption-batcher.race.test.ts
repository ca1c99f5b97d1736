import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { inTransaction } from '../../core/db/transaction.ts'
import { limits } from '../../core/lib/limits.ts'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { newDiscount, newGiftCard, percentOff, redeem, voucher, vouchers } from '../../testing/checkout.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { anotherConnection, openNode, postgresUrl } from '../../testing/nodes.ts'
import { ok } from '../../testing/orders.ts'
import { scaled } from '../../testing/scale.ts'
import { statementsSentBy } from '../../testing/sent-statements.ts'

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

test('two nodes that redeem one code take turns in batches, and every redemption gets its own redeemed_quantity', async () => {
  const { shop, inTurn } = await onTwoNodes()
  const [quantity, count] = [scaled(70, 24), scaled(120, 40)]
  await newDiscount(shop, 'HOT', percentOff(10), { redemption: { quantity } })
  await newDiscount(shop, 'OTHER', percentOff(10))
  const { answer: answers, sent } = await statementsSentBy(() =>
    Promise.all(Array.from({ length: count }, (_, n) => inTurn(n, n % 10 === 9 ? 'OTHER' : 'HOT'))),
  )
  const outcomes = (code: string) => answers.filter((_, n) => (n % 10 === 9 ? 'OTHER' : 'HOT') === code)
  const done = outcomes('HOT').filter(({ status }) => status === 200)
  const counts = done.map(({ body }) => body.redemptions[0].voucher.redemption.redeemed_quantity)
  expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: quantity }, (_, n) => n + 1))
  for (const { body } of outcomes('HOT').filter((answer) => !done.includes(answer)))
    expect(body.key).toBe('quantity_exceeded')
  expect(outcomes('OTHER').map(({ status }) => status)).toEqual(outcomes('OTHER').map(() => 200))
  expect((await ok(shop, 'GET', '/v1/vouchers/HOT')).redemption.redeemed_quantity).toBe(quantity)
  const customers = await Promise.all([0, 1, 2, 3].map((n) => ok(shop, 'GET', `/v1/customers/c${n}`)))
  const succeeded = customers.map(({ summary }) => summary.redemptions.total_succeeded)
  expect(succeeded.reduce((sum, n) => sum + n, 0)).toBe(quantity + count / 10)
  const saves = sent.filter((text) => text.startsWith('select checkout_save'))
  expect(saves.length).toBeLessThan(count / 2) // each on its own would be one, and more with every lost conflict
})

test('holds, gift credits and changes of a code on two nodes: no limit is exceeded', async () => {
  const { shop, nodes, inTurn } = await onTwoNodes()
  const [quantity, count] = [scaled(20, 10), scaled(30, 14)]
  await newDiscount(shop, 'HELD', percentOff(10), { redemption: { quantity } })
  await newDiscount(shop, 'ENDED', percentOff(10))
  await newGiftCard(shop, 'GIFT', 1_000)
  const hold = (n: number) => {
    const session = { type: 'LOCK', key: `s${n}` }
    return post(n, '/v1/validations', { redeemables: vouchers('HELD'), session })
  }
  const post = (n: number, path: string, body: object) =>
    untilDecided(() => send(nodes[n % 2 === 0 ? 0 : 1].app, 'POST', path, body, shop.headers))
  const [held, redeemed, gifts, ended] = await Promise.all([
    Promise.all(Array.from({ length: quantity / 2 }, (_, n) => hold(n))),
    Promise.all(Array.from({ length: count }, (_, n) => inTurn(n, 'HELD'))),
    Promise.all(
      Array.from({ length: scaled(12, 8) }, (_, n) =>
        post(n, '/v1/redemptions', {
          redeemables: [voucher('GIFT', { gift: { credits: 150 } })],
          order: { amount: 10_000 },
        }),
      ),
    ),
    Promise.all(Array.from({ length: count }, (_, n) => inTurn(n, 'ENDED'))),
    ok(shop, 'PUT', '/v1/vouchers/ENDED', { active: false }),
  ])
  const successes = (answers: typeof redeemed) => answers.filter(({ status }) => status === 200).length
  const holders = held.filter(({ body }) => (body as { valid: boolean }).valid).length
  expect(successes(redeemed)).toBe(quantity - holders)
  expect((await ok(shop, 'GET', '/v1/vouchers/HELD')).redemption.redeemed_quantity).toBe(quantity - holders)
  expect(successes(gifts)).toBe(6)
  expect((await ok(shop, 'GET', '/v1/vouchers/GIFT')).gift.balance).toBe(100)
  expect((await ok(shop, 'GET', '/v1/vouchers/ENDED')).redemption.redeemed_quantity).toBe(successes(ended))
})

/** A project with four customers on two nodes; `inTurn` redeems a code on one or the other. */
async function onTwoNodes() {
  const shop = await newProject()
  const nodes = [shop.service, await openNode(anotherConnection(postgresUrl()))] as const
  for (let n = 0; n < 4; n += 1) await ok(shop, 'POST', '/v1/customers', { source_id: `c${n}` })
  const inTurn = (n: number, code: string) =>
    untilDecided(() =>
      send(
        nodes[n % 2 === 0 ? 0 : 1].app,
        'POST',
        '/v1/redemptions',
        { redeemables: vouchers(code), customer: { source_id: `c${n % 4}` }, order: { amount: 10_000 } },
        shop.headers,
      ),
    )
  return { shop, nodes, inTurn }
}

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

/** Repeats a request that waited too long for a lock, as on a busy machine. */
async function untilDecided(call: () => Promise<{ status: number; body: Body }>) {
  for (;;) {
    const answer = await call()
    if (answer.body.key !== 'multiple_requests') return answer
  }
}

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
