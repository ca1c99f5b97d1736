import { defaultStackingRules, evaluate } from '@guerdon/engine'
import type { Discount, ItemFacts, Redeemable, ValidationRule } from '@guerdon/engine/schema'
import { ValidationRule as ValidationRuleSchema } from '@guerdon/engine/schema'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'

/*
 * The stored form of a rule is exactly what the engine takes: no conversion happens between the row and the decision, so
 * that a row cached in memory is also compiled only once (docs/decisions/0011).
 */

/** Saves a rule through the API and reads its row, as a checkout does. */
async function saved(shop: Shop, body: object): Promise<ValidationRule> {
  const { status, body: answer } = await shop.call('POST', '/v1/validation-rules', body)
  expect({ status, answer }).toMatchObject({ status: 200 })
  const rule = await shop.service.runtime.database.db
    .selectFrom('validation_rules')
    .where('project_id', '=', shop.project_id)
    .where('id', '=', answer.id)
    .select(['id', 'rules', 'bundle_rules', 'applicable_to', 'error'])
    .executeTakeFirstOrThrow()
  expect(Value.Check(ValidationRuleSchema, rule)).toBe(true)
  return rule as ValidationRule
}

const coupon = (discount: Discount, rule: ValidationRule): Redeemable => ({
  kind: 'discount_voucher',
  object: 'voucher',
  id: 'COUPON',
  resource_id: 'v_coupon',
  code: 'COUPON',
  active: true,
  quantity: null,
  redeemed_quantity: 0,
  discount,
  rules: [rule],
})

const giftCard = (balance: number): Redeemable => ({
  kind: 'gift_voucher',
  object: 'voucher',
  id: 'GIFT',
  resource_id: 'v_gift',
  code: 'GIFT',
  active: true,
  quantity: null,
  redeemed_quantity: 0,
  gift: { balance },
})

const bought = (items: ItemFacts[], ...redeemables: Redeemable[]) =>
  evaluate({
    now: '2025-02-26T11:00:00.000Z',
    timezone: 'Europe/Warsaw',
    stacking_rules: { ...defaultStackingRules, applicable_redeemables_per_category_limit: null },
    order: { items },
    redeemables,
  })

const statusesOf = (verdict: ReturnType<typeof evaluate>) => verdict.redeemables.map(({ status }) => status)

const cart: ItemFacts[] = [{ product_id: 'prod_x', quantity: 1, price: 12_000 }]

test('E1 Logic: "and" binds tighter than "or", and the first false rule is reported', async () => {
  const shop = await newProject()
  const is = (holds: boolean, key: number) => ({
    name: 'order.amount',
    conditions: holds ? { $more_than: [1] } : { $less_than: [1] },
    error: { message: `Rule ${key}` },
  })
  const withFourth = async (fourth: boolean) => {
    const rules = { '1': is(false, 1), '2': is(true, 2), '3': is(false, 3), '4': is(fourth, 4) }
    const rule = await saved(shop, { rules: { ...rules, logic: '1 or 2 and (3 or 4)' } })
    return bought(cart, coupon({ type: 'AMOUNT', amount_off: 100 }, rule)).redeemables
  }
  expect(await withFourth(true)).toMatchObject([{ status: 'APPLICABLE' }])
  expect(await withFourth(false)).toMatchObject([
    { status: 'INAPPLICABLE', reason: { key: 'order_rules_violated', error: { message: 'Rule 1' } } },
  ])
})

test('E4 Amount rules in a stack: order.amount is reduced by earlier redeemables, order.initial_amount is not', async () => {
  const rule = await saved(await newProject(), {
    rules: {
      '1': { name: 'order.amount', conditions: { $more_than_or_equal: 11_000 } },
      '2': { name: 'order.initial_amount', conditions: { $less_than: [13_000] } },
      logic: '1 and 2',
    },
  })
  const tenPercent = coupon({ type: 'PERCENT', percent_off: 10 }, rule)
  const first = bought(cart, tenPercent)
  expect(first).toMatchObject({ valid: true, order: { total_discount_amount: 1_200, total_amount: 10_800 } })

  const afterGift = bought(cart, giftCard(1_500), tenPercent)
  expect(afterGift.redeemables.at(-1)).toMatchObject({
    status: 'INAPPLICABLE',
    reason: {
      key: 'order_rules_violated',
      details: `Discount Coupon cannot be redeemed because of violated validation rules: ${rule.id}`,
    },
  })
})

test('E5 Floor on the result: order.total_amount is compared after the discount', async () => {
  const rule = await saved(await newProject(), {
    rules: { '1': { name: 'order.total_amount', conditions: { $more_than: [500] } } },
    error: { message: 'Not that low' },
  })
  const fiveThousand = [{ product_id: 'prod_x', quantity: 1, price: 5_000 }]
  const off = (amountOff: number) => bought(fiveThousand, coupon({ type: 'AMOUNT', amount_off: amountOff }, rule))
  expect(off(4_600).redeemables).toMatchObject([
    { status: 'INAPPLICABLE', reason: { key: 'order_rules_violated', error: { message: 'Not that low' } } },
  ])
  expect(off(4_400)).toMatchObject({ valid: true, order: { total_amount: 600 } })
})

test('E6 Sub-rules on one line: they are evaluated together on each line', async () => {
  const shop = await newProject()
  const lines: ItemFacts[] = [
    { product_id: 'prod_x', quantity: 1, price: 6_000 },
    { product_id: 'prod_x', quantity: 3, price: 2_000 },
    { product_id: 'prod_y', quantity: 1, price: 100 },
  ]
  const x = { id: 'prod_x', object: 'product' }
  const price = { name: 'order.items.price', conditions: { $more_than_or_equal: [5_000] } }
  const quantity = { name: 'order.items.quantity', conditions: { $more_than_or_equal: [2] } }
  const any = (rules?: object) => ({ name: 'order.items.any', conditions: { $is: [x] }, rules })
  const cases: Array<[rule: object, holds: boolean]> = [
    [any({ '1': price, '2': quantity, logic: '1 and 2' }), false],
    [any({ '1': price, '2': quantity }), false], // the same, filled in
    [any({ '1': price, '2': quantity, logic: '1 or 2' }), true],
    [any({ '1': { name: 'order.items.aggregated_quantity', conditions: { $is: [4] } } }), true],
    [any({ '1': { name: 'order.items.aggregated_amount', conditions: { $is: 12_000 } } }), true],
    [any(), true],
    [{ name: 'order.items.every', conditions: { $is: [x] } }, false],
    [{ name: 'order.items.count', conditions: { $is: [5] } }, true],
  ]
  for (const [sent, holds] of cases) {
    const rule = await saved(shop, { rules: { '1': sent } })
    const verdict = bought(lines, coupon({ type: 'AMOUNT', amount_off: 100 }, rule))
    expect({ sent, statuses: statusesOf(verdict) }).toEqual({
      sent,
      statuses: [holds ? 'APPLICABLE' : 'INAPPLICABLE'],
    })
  }
})

test('a rule without conditions passes, and covers a product that was sent by its source id', async () => {
  const shop = await newProject()
  await shop.service.runtime.database.db
    .insertInto('products')
    .values({
      project_id: shop.project_id,
      id: 'prod_y',
      source_id: 'why',
      attributes: '[]',
      metadata: '{}',
      created_at: new Date().toISOString(),
    })
    .execute()
  const rule = await saved(shop, { applicable_to: { included: [{ object: 'product', source_id: 'why' }] } })
  const lines = [
    { product_id: 'prod_x', quantity: 1, price: 6_000 },
    { product_id: 'prod_y', quantity: 2, price: 1_000 },
  ]
  const half = coupon({ type: 'PERCENT', percent_off: 50, effect: 'APPLY_TO_ITEMS' }, rule)
  expect(bought(lines, half)).toMatchObject({ valid: true, order: { total_discount_amount: 1_000 } })
})

test('E14 Bundle: a unit counts for one rule of the bundle only', async () => {
  const rule = await saved(await newProject(), {
    bundle_rules: {
      limit: 3,
      '1': { name: 'order.items.any', conditions: { $is: [{ id: 'tea-green', object: 'sku' }] } },
      '2': {
        name: 'order.items.any',
        conditions: { $is: [{ id: 'tea', object: 'product' }] },
        rules: { '1': { name: 'order.items.aggregated_quantity', conditions: { $is: [2] } } },
      },
    },
  })
  const lines = ['tea-green', 'tea-black'].map((skuId) => ({
    sku_id: skuId,
    product_id: 'tea',
    quantity: 3,
    price: 500,
  }))
  const verdict = bought(lines, coupon({ type: 'AMOUNT', amount_off: 100 }, rule))
  expect(verdict.redeemables).toMatchObject([{ status: 'APPLICABLE', bundle: { quantity: 2, limit: 3 } }])
})
