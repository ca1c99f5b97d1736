import type {} from '@guerdon/engine/voucherify-sdk'
import type { DiscountVouchersTypesEnum } from '@voucherify/sdk'
import { expect, test } from 'vitest'
import { clientOf } from './client.ts'

const client = clientOf('qualifications')

test('redeemables that qualify for an order are listed, the best deal first, with filters and pages', async () => {
  const { qualifications, promotions } = (await client()).library
  const campaign = await promotions.create({
    name: 'Sale',
    campaign_type: 'PROMOTION',
    promotion: {
      tiers: [10, 30, 20].map((percentOff) => ({
        name: `${percentOff}%`,
        banner: '',
        action: { discount: { type: 'PERCENT' as DiscountVouchersTypesEnum.PERCENT, percent_off: percentOff } },
      })),
    },
  })
  const found = await qualifications.checkEligibility({
    customer: { source_id: 'ann' },
    order: { amount: 10_000 },
    scenario: 'ALL',
    mode: 'ADVANCED',
    options: {
      sorting_rule: 'BEST_DEAL',
      limit: 2,
      filters: { junction: 'and', campaign_id: { conditions: { $in: [campaign.id] } } },
      expand: ['redeemable', 'category', 'validation_rules'],
    },
    metadata: { channel: 'web' },
  })
  expect(found).toMatchObject({
    redeemables: { object: 'list', data_ref: 'data', has_more: true },
    tracking_id: expect.any(String),
    order: { amount: 10_000 },
    stacking_rules: { redeemables_limit: expect.any(Number) },
  })
  expect(found.redeemables.data).toMatchObject([
    { object: 'promotion_tier', name: '30%', order: { total_discount_amount: 3_000, total_amount: 7_000 } },
    { object: 'promotion_tier', name: '20%', order: { total_discount_amount: 2_000, total_amount: 8_000 } },
  ])
})

test.each(['AND', 'OR'] as const)('filter junction %s works like its lower-case form', async (junction) => {
  const { qualifications } = (await client()).library
  const filters = { junction, campaign_id: { conditions: { $is: ['camp_0'] } } }
  expect(await qualifications.checkEligibility({ options: { filters } })).toMatchObject({ redeemables: { data: [] } })
})

test('with our types, a qualification takes options.explain and returns explanations', async () => {
  const { qualifications, vouchers } = (await client()).library
  const discount = { type: 'AMOUNT' as DiscountVouchersTypesEnum.AMOUNT, amount_off: 500 }
  await vouchers.create({ code: 'WHY', type: 'DISCOUNT_VOUCHER', discount })
  const { redeemables } = await qualifications.checkEligibility({
    order: { amount: 2_000 },
    options: { explain: true, filters: { code: { conditions: { $is: ['WHY'] } } } },
  })
  expect(redeemables.data[0]?.explanation?.sentence).toMatch(/^Voucher WHY takes 5\.00 off/)
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
