import { describe, expect, test } from 'vitest'
import { newProject } from '../testing/app.ts'
import { amountOff, newDiscount, newGiftCard, newTier, validated, vouchers } from '../testing/checkout.ts'
import { ok } from '../testing/orders.ts'
import { newPromotion } from '../testing/promotions.ts'

const order = { amount: 1000 }
const lock = (key: string) => ({ session: { type: 'LOCK', key } })

describe('of many sessions at once', () => {
  test('as many get hold of a code as there are redemptions of it', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'Q', amountOff(100), { redemption: { quantity: 3 } })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        shop.call('POST', n % 2 === 0 ? '/v1/validations' : '/v1/vouchers/Q/validate', {
          ...(n % 2 === 0 ? { redeemables: vouchers('Q') } : {}),
          order,
          ...lock(`S${n}`),
        }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(answers.filter(({ body }) => body.valid)).toHaveLength(3)
    expect(await validated(shop, { redeemables: vouchers('Q'), order })).toMatchObject({ valid: false })
  })

  test('none holds credits that another holds', async () => {
    const shop = await newProject()
    await newGiftCard(shop, 'G', 1000)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        ok(shop, 'POST', '/v1/vouchers/G/validate', { order, gift: { credits: 300 }, ...lock(`S${n}`) }),
      ),
    )
    expect(answers.filter(({ valid }) => valid)).toHaveLength(3)
  })

  test('the same one twice is one', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'Q', amountOff(100), { redemption: { quantity: 1 } })
    const { id } = await newTier(shop, await newPromotion(shop))
    const asked = { redeemables: [{ object: 'promotion_tier', id }, ...vouchers('Q')], order, ...lock('S') }
    const answers = await Promise.all(Array.from({ length: 8 }, () => validated(shop, asked)))
    expect(answers.map(({ valid }) => valid)).toEqual(answers.map(() => true))
    const path = `/v1/promotions/tiers/${id}/validation`
    await Promise.all(Array.from({ length: 8 }, () => ok(shop, 'POST', path, { order, ...lock('T') })))
    const { db } = shop.service.house.database
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
