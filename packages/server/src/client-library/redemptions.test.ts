import type { DiscountVouchersTypesEnum } from '@voucherify/sdk'
import { expect, test } from 'vitest'
import { clientOf } from './client.ts'

const client = clientOf('redemptions')

async function newCoupon(code: string, amountOff = 500, quantity = 1) {
  const { vouchers } = (await client()).library
  const discount = { type: 'AMOUNT' as DiscountVouchersTypesEnum.AMOUNT, amount_off: amountOff }
  return vouchers.create({ code, type: 'DISCOUNT_VOUCHER', discount, redemption: { quantity } })
}

test('a voucher is redeemed once, and rolled back', async () => {
  const { redemptions, vouchers } = (await client()).library
  await newCoupon('ONCE & ONLY')
  const redemption = await redemptions.redeem('ONCE & ONLY', {
    customer: { source_id: 'ann', name: 'Ann', object: 'customer' },
    order: { source_id: 'order-1', amount: 2_000, metadata: { shop: 'Warsaw' } },
    metadata: { till: 7 },
  })
  expect(redemption).toMatchObject({
    id: expect.stringMatching(/^r_/),
    result: 'SUCCESS',
    metadata: { till: 7 },
    customer: { source_id: 'ann' },
    order: { source_id: 'order-1', amount: 2_000, total_discount_amount: 500, total_amount: 1_500 },
    voucher: { code: 'ONCE & ONLY', redemption: { redeemed_quantity: 1 } },
    object: 'redemption',
  })
  await expect(redemptions.redeem('ONCE & ONLY', { order: { amount: 2_000 } })).rejects.toMatchObject({
    code: 400,
    key: 'quantity_exceeded',
  })
  expect(await redemptions.get(redemption.id)).toMatchObject({ id: redemption.id, result: 'SUCCESS' })

  const rollback = await redemptions.rollback(redemption.id, {
    reason: 'returned',
    tracking_id: redemption.tracking_id as string,
  })
  expect(rollback).toMatchObject({
    id: expect.stringMatching(/^rr_/),
    redemption: redemption.id,
    reason: 'returned',
    result: 'SUCCESS',
    object: 'redemption_rollback',
  })
  expect(await vouchers.get('ONCE & ONLY')).toMatchObject({ redemption: { redeemed_quantity: 0 } })
  const history = await redemptions.getForVoucher('ONCE & ONLY')
  expect(history).toMatchObject({ object: 'list', data_ref: 'redemption_entries', quantity: 1, redeemed_quantity: 0 })
  expect(history.redemption_entries?.map(({ id }) => id)).toEqual(expect.arrayContaining([redemption.id, rollback.id]))
})

test('a rollback accepts its reason as a plain string too', async () => {
  const { redemptions } = (await client()).library
  await newCoupon('WORD')
  const { id } = await redemptions.redeem('WORD', { order: { amount: 1_000 } })
  expect(await redemptions.rollback(id, 'broken' as never)).toMatchObject({ redemption: id, reason: 'broken' })
})

test('several vouchers are redeemed together, and rolled back together', async () => {
  const { redemptions, vouchers, orders } = (await client()).library
  await newCoupon('STACK-1', 100)
  await newCoupon('STACK-2', 200)
  const together = await redemptions.redeemStackable({
    redeemables: ['STACK-1', 'STACK-2'].map((id) => ({ object: 'voucher' as const, id })),
    order: {
      source_id: 'order-2',
      amount: 1_000,
      items: [{ source_id: 'mug', related_object: 'product', quantity: 1, price: 1_000 }],
    },
    customer: { source_id: 'bob' },
    options: { expand: ['order', 'redeemable'] },
    metadata: { till: 8 },
  })
  expect(together).toMatchObject({
    redemptions: [{ voucher: { code: 'STACK-1' } }, { voucher: { code: 'STACK-2' } }],
    parent_redemption: { result: 'SUCCESS', metadata: { till: 8 } },
    order: { amount: 1_000, total_discount_amount: 300, total_amount: 700 },
  })
  const { id } = together.parent_redemption
  expect(await orders.get('order-2')).toMatchObject({ total_amount: 700 })

  // Without arguments the library sends a POST without a body.
  const undone = await redemptions.rollbackStackable(id)
  expect(undone).toMatchObject({
    rollbacks: [{ result: 'SUCCESS' }, { result: 'SUCCESS' }],
    parent_rollback: { redemption: id },
  })
  for (const code of ['STACK-1', 'STACK-2'])
    expect(await vouchers.get(code)).toMatchObject({ redemption: { redeemed_quantity: 0 } })
})

test('several vouchers are rolled back together with a reason', async () => {
  const { redemptions } = (await client()).library
  for (const code of ['STACK-3', 'STACK-4']) await newCoupon(code)
  const { parent_redemption } = await redemptions.redeemStackable({
    redeemables: ['STACK-3', 'STACK-4'].map((id) => ({ object: 'voucher', id })),
    order: { amount: 1_000 },
    customer: { source_id: 'bob' },
  })
  const body = { customer: { source_id: 'bob' } }
  expect(await redemptions.rollbackStackable(parent_redemption.id, body, { reason: 'late' })).toMatchObject({
    parent_rollback: { redemption: parent_redemption.id, reason: 'late' },
  })
})

test('redemptions are listed by customer, result, date and campaign', async () => {
  const { redemptions, campaigns, customers } = (await client()).library
  await campaigns.create({
    name: 'Listed',
    campaign_type: 'DISCOUNT_COUPONS',
    type: 'AUTO_UPDATE',
    voucher: {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'AMOUNT' as DiscountVouchersTypesEnum.AMOUNT, amount_off: 50 },
    },
  })
  await campaigns.addCertainVoucher('Listed', 'LISTED')
  const order = { amount: 1_000 }
  const { id } = await redemptions.redeem('LISTED', { customer: { source_id: 'eve', object: 'customer' }, order })
  const { id: customer } = (await customers.get('eve')) as { id: string }
  const listed = {
    object: 'list',
    data_ref: 'redemptions',
    total: 1,
    redemptions: [{ id, voucher: { code: 'LISTED' } }],
  }
  expect(await redemptions.list({ customer, limit: 10, page: 1 })).toMatchObject(listed)
  expect(await redemptions.list({ campaign: 'Listed', result: 'SUCCESS' })).toMatchObject(listed)
  expect(await redemptions.list({ customer, created_at: { after: '2020-01-01T00:00:00Z' } })).toMatchObject(listed)
  expect(await redemptions.list({ created_at: { before: '2020-01-01T00:00:00Z' } })).toMatchObject({ total: 0 })
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
