import { describe, expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import {
  newDiscount,
  newProduct,
  newTier,
  percentOff,
  redeem,
  redeemed,
  validate,
  validated,
  vouchers,
} from '../../testing/checkout.ts'
import { ok } from '../../testing/orders.ts'
import { newPromotion } from '../../testing/promotions.ts'

async function newShop() {
  const shop = await newProject()
  await newDiscount(shop, 'TEN', percentOff(10))
  return shop
}

const redeemables = vouchers('TEN')
const line = (sourceId: string, price?: number, quantity = 1) => ({
  source_id: sourceId,
  quantity,
  ...(price === undefined ? {} : { price }),
})

describe('an amount that contradicts the lines', () => {
  const order = { amount: 2_500, items: [line('mug', 950, 2)] }
  const warnings = ['The order counts as 25.00, its amount, but its lines are 19.00 together.'] // 2 × 9.50

  test('is warned of by every validation and redemption', async () => {
    const shop = await newShop()
    const { id } = await newTier(shop, await newPromotion(shop))
    for (const [path, body] of [
      ['/v1/validations', { redeemables }],
      ['/v1/vouchers/TEN/validate', {}],
      [`/v1/promotions/tiers/${id}/validation`, {}],
      ['/v1/promotions/validation', {}],
      ['/v1/redemptions', { redeemables }],
      ['/v1/vouchers/TEN/redemption', {}],
      [`/v1/promotions/tiers/${id}/redemption`, {}],
    ] as const)
      expect([path, await ok(shop, 'POST', path, { ...body, order })]).toMatchObject([path, { warnings }])
  })

  test('no warning: lines that add up, lines without a price, an amount alone, lines of a stored order', async () => {
    const shop = await newShop()
    const gift = await newProduct(shop, 'Gift')
    for (const order of [
      { amount: 1_900, items: [line('mug', 950, 2)] },
      { items: [line('mug', 950, 2)] },
      { amount: 2_500, items: [line(gift.id)] },
      { amount: 2_500 },
    ])
      expect(await validated(shop, { redeemables, order })).not.toHaveProperty('warnings')
    const { id } = await ok(shop, 'POST', '/v1/orders', order)
    expect(await validated(shop, { redeemables, order: { id, amount: 3_000 } })).not.toHaveProperty('warnings')
  })
})

describe('a line without a price whose goods are unknown', () => {
  const order = { items: [line('mug', 950), line('mgu')] }
  const warning =
    /^The order counts line 2 \("mgu"\) as nothing: no known product or SKU, and neither a price nor an amount\.$/

  test('is warned of by a validation, and refused by a redemption', async () => {
    const shop = await newShop()
    expect(await validated(shop, { redeemables, order })).toMatchObject({
      valid: true,
      warnings: [expect.stringMatching(warning)],
    })
    expect(await redeem(shop, { redeemables, order })).toMatchObject({
      status: 400,
      body: {
        key: 'invalid_payload',
        details: expect.stringContaining('Property .order.items[1] ("mgu") must have a price or an amount'),
      },
    })
    expect((await ok(shop, 'GET', '/v1/vouchers/TEN')).redemption.redeemed_quantity).toBe(0)
  })

  test('is redeemed with a warning if the request allows it, or says what the order amounts to', async () => {
    const shop = await newShop()
    const answer = await redeemed(shop, { redeemables, order, options: { allow_unknown_items: true } })
    expect(answer).toMatchObject({ order: { amount: 950 }, warnings: [expect.stringMatching(warning)] })
    const { warnings } = await redeemed(shop, { redeemables, order: { ...order, amount: 2_000 } })
    expect(warnings).toEqual([expect.stringMatching(warning)])
  })

  test('is not meant: known goods, goods that are described, a line with an amount; what is refused anyway says why', async () => {
    const shop = await newShop()
    const gift = await newProduct(shop, 'Gift')
    for (const item of [
      line(gift.id),
      { source_id: 'new', quantity: 1, product: { price: 500 } },
      { source_id: 'new', quantity: 1, amount: 500 },
    ])
      expect(await validated(shop, { redeemables, order: { items: [item] } })).not.toHaveProperty('warnings')
    const unknownCode = { redeemables: vouchers('NOWHERE'), order }
    expect(await redeem(shop, unknownCode)).toMatchObject({ body: { key: 'not_found' } })
  })

  test('of many, three are named', async () => {
    const shop = await newShop()
    const items = [...'abcde'].map((id) => line(id))
    const { warnings } = await validated(shop, { redeemables, order: { items } })
    expect(warnings).toEqual([
      expect.stringContaining('line 1 ("a"), line 2 ("b"), line 3 ("c") and 2 more as nothing'),
    ])
  })
})

describe('an amount with decimals', () => {
  const refusals = async (order: object) => {
    const shop = await newShop()
    const { status, body } = await validate(shop, { redeemables, order })
    return [status, body.details]
  }

  test('is refused with the number that was probably meant', async () => {
    expect(await refusals({ amount: 19.99 })).toEqual([
      400,
      'Property .order.amount must be integer,string,null: amounts are in minor units, so 19.99 is sent as 1999',
    ])
    expect(await refusals({ amount: '19.99' })).toEqual([
      400,
      'Property .order.amount must be integer: amounts are in minor units, so 19.99 is sent as 1999',
    ])
    expect(await refusals({ items: [{ source_id: 'mug', quantity: 1, price: 0.5 }] })).toEqual([
      400,
      expect.stringContaining(
        '.order.items[0].price must be integer,string,null: amounts are in minor units, so 0.5 is sent as 50',
      ),
    ])
  })

  test('without a guess where more than two are sent, and without a word about amounts elsewhere', async () => {
    expect(await refusals({ amount: 19.999 })).toEqual([
      400,
      'Property .order.amount must be integer,string,null: amounts are in minor units',
    ])
    const [, details] = await refusals({ items: [{ source_id: 'mug', quantity: 1.5, price: 100 }] })
    expect(details).not.toContain('minor')
  })
})
