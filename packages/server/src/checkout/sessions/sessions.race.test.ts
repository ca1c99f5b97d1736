import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Answer, newProject, type Shop } from '../../testing/app.ts'
import { amountOff, newDiscount, newGiftCard, newTier, validated, vouchers } from '../../testing/checkout.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { newPromotion } from '../../testing/promotions.ts'

const order = { amount: 1000 }
const lock = (key: string) => ({ session: { type: 'LOCK', key } })

/** Sends a validation, again while it is refused because it queued for too long behind others; it must be answered with 200. */
async function validate(shop: Shop, path: string, body: object): Promise<Answer['body']> {
  for (;;) {
    const { status, body: reply } = await shop.call('POST', path, body)
    if (reply.key === 'multiple_requests') continue
    expect(status, JSON.stringify(reply)).toBe(200)
    return reply
  }
}

describe('concurrent sessions', () => {
  test('hold a voucher at most as often as it can be redeemed', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'Q', amountOff(100), { redemption: { quantity: 3 } })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        validate(shop, n % 2 === 0 ? '/v1/validations' : '/v1/vouchers/Q/validate', {
          ...(n % 2 === 0 ? { redeemables: vouchers('Q') } : {}),
          order,
          ...lock(`S${n}`),
        }),
      ),
    )
    expect(answers.filter(({ valid }) => valid)).toHaveLength(3)
    expect(await validated(shop, { redeemables: vouchers('Q'), order })).toMatchObject({ valid: false })
  })

  test('never hold the same credits twice', async () => {
    const shop = await newProject()
    await newGiftCard(shop, 'G', 1000)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        validate(shop, '/v1/vouchers/G/validate', { order, gift: { credits: 300 }, ...lock(`S${n}`) }),
      ),
    )
    expect(answers.filter(({ valid }) => valid)).toHaveLength(3)
  })

  test('with the same key are one session', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'Q', amountOff(100), { redemption: { quantity: 1 } })
    const { id } = await newTier(shop, await newPromotion(shop))
    const request = { redeemables: [{ object: 'promotion_tier', id }, ...vouchers('Q')], order, ...lock('S') }
    const answers = await Promise.all(Array.from({ length: 8 }, () => validate(shop, '/v1/validations', request)))
    expect(answers.map(({ valid }) => valid)).toEqual(answers.map(() => true))
    const path = `/v1/promotions/tiers/${id}/validation`
    await Promise.all(Array.from({ length: 8 }, () => validate(shop, path, { order, ...lock('T') })))
    const { db } = shop.service.runtime.database
    const holds = await db
      .selectFrom('holds')
      .where('project_id', '=', shop.project_id)
      .orderBy('session_key')
      .orderBy('quantity')
      .select(['session_key', 'quantity'])
      .execute()
    expect(holds).toEqual([
      { session_key: 'S', quantity: 0 },
      { session_key: 'S', quantity: 1 },
      { session_key: 'T', quantity: 0 },
    ])
  })
})

test('extending a session and ending it as expired do not deadlock', async () => {
  const shop = await newProject()
  const { database } = shop.service.runtime
  const { db } = database
  for (const code of ['A', 'B']) await newDiscount(shop, code, amountOff(100), { redemption: { quantity: 1 } })
  await validated(shop, { redeemables: vouchers('A', 'B'), order, ...lock('S') })
  const held = await db
    .selectFrom('holds as h')
    .innerJoin('vouchers as v', (join) =>
      join.onRef('v.project_id', '=', 'h.project_id').onRef('v.id', '=', 'h.resource_id'),
    )
    .where('h.project_id', '=', shop.project_id)
    .orderBy('h.resource_id')
    .select(['h.resource_id as id', 'h.expires_at as ended_at', sql<string>`v.xmin::text`.as('xmin')])
    .execute()
  const save = (changes: object) => {
    const payload = { now: new Date().toISOString(), lock_timeout: '120s', ...changes }
    return sql`select checkout_save_all(${shop.project_id}, ${JSON.stringify(payload)}::jsonb, null)`.execute(db)
  }
  const saved = await db.transaction().execute(async (trx) => {
    await sql`select from holds where project_id = ${shop.project_id} and resource_id = ${held[0]?.id} for update`.execute(
      trx,
    )
    const holder = await backendOf(trx)
    const goesOn = save({ released: 'S' })
    await untilOthersWait(database, holder, 1)
    const ends = save({ vouchers: held.toReversed().map((code) => ({ ...code, is_held: true })) })
    await untilOthersWait(database, holder, 2)
    return [goesOn, ends]
  })
  await Promise.all(saved)
  expect(
    await db.selectFrom('holds').where('project_id', '=', shop.project_id).select('session_key').execute(),
  ).toEqual([])
})
