import type {} from '@guerdon/engine/voucherify-sdk'
import type { DiscountVouchersTypesEnum } from '@voucherify/sdk'
import { expect, test } from 'vitest'
import { clientOf } from './client.ts'

const client = clientOf('validations')

async function newCoupon(code: string, amountOff: number) {
  const { vouchers } = (await client()).library
  const discount = { type: 'AMOUNT' as DiscountVouchersTypesEnum.AMOUNT, amount_off: amountOff }
  await vouchers.create({ code, type: 'DISCOUNT_VOUCHER', discount })
}

test('a voucher is validated by either method', async () => {
  const { validations } = (await client()).library
  await newCoupon('FIVE', 500)
  const context = {
    customer: { source_id: 'ann' },
    order: { items: [{ source_id: 'mug', related_object: 'product' as const, quantity: 2, price: 1_000 }] },
  }
  const valid = {
    valid: true,
    code: 'FIVE',
    discount: { type: 'AMOUNT', amount_off: 500 },
    order: { amount: 2_000, total_discount_amount: 500, total_amount: 1_500 },
    tracking_id: expect.any(String),
  }
  expect(await validations.validateVoucher('FIVE', context)).toMatchObject(valid)
  expect(await validations.validate('FIVE', context)).toMatchObject(valid)
  expect(await validations.validate('NO SUCH CODE')).toMatchObject({
    valid: false,
    code: 'NO SUCH CODE',
    error: { code: 404, key: 'not_found' },
  })
})

test('without a code, promotions are validated', async () => {
  const { validations, promotions } = (await client()).library
  const { promotion } = await promotions.create({
    name: 'Sale',
    campaign_type: 'PROMOTION',
    promotion: {
      tiers: [
        {
          name: 'Tier',
          banner: '',
          action: { discount: { type: 'PERCENT' as DiscountVouchersTypesEnum.PERCENT, percent_off: 10 } },
        },
      ],
    },
  })
  expect(await validations.validate({ customer: { source_id: 'ann' }, order: { amount: 1_000 } })).toMatchObject({
    valid: true,
    promotions: [{ id: promotion.tiers?.[0]?.id, order: { total_amount: 900 } }],
  })
})

test('several vouchers are validated together, and an inapplicable one is reported', async () => {
  const { validations } = (await client()).library
  await newCoupon('ONE', 100)
  await newCoupon('TWO', 200)
  const together = (...codes: string[]) =>
    validations.validateStackable({
      redeemables: codes.map((id) => ({ object: 'voucher', id })),
      order: { amount: 1_000 },
      customer: { source_id: 'ann' },
      options: { expand: ['order', 'redeemable'] },
    })
  expect(await together('ONE', 'TWO')).toMatchObject({
    valid: true,
    redeemables: [
      { status: 'APPLICABLE', id: 'ONE', result: { discount: { amount_off: 100 } } },
      { status: 'APPLICABLE', id: 'TWO', result: { discount: { amount_off: 200 } } },
    ],
    order: { amount: 1_000, total_discount_amount: 300, total_amount: 700 },
    stacking_rules: { redeemables_limit: 30 },
  })
  expect(await together('NONE', 'ONE')).toMatchObject({
    valid: false,
    redeemables: [
      { status: 'INAPPLICABLE', id: 'NONE', result: { error: { code: 404, key: 'not_found' } } },
      { status: 'SKIPPED', id: 'ONE' },
    ],
  })
})

test('with our types, a validation takes options.explain and returns explanations', async () => {
  const { validations } = (await client()).library
  await newCoupon('WHY', 500)
  const order = { amount: 2_000 }
  const { redeemables } = await validations.validateStackable({
    redeemables: [{ object: 'voucher', id: 'WHY' }],
    order,
    options: { expand: ['order'], explain: true, as_of: '2030-01-01' },
  })
  expect(redeemables?.[0]?.explanation?.sentence).toMatch(/^Voucher WHY takes 5\.00 off/)
  const { explanation } = await validations.validateVoucher('WHY', { order, options: { explain: true } })
  expect(explanation?.steps.length).toBeGreaterThan(0)
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
