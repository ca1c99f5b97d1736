import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../testing/app.ts'
import { newCampaign, newVoucher } from '../testing/campaigns.ts'
import { exportLines } from '../testing/exports.ts'
import { ok } from '../testing/orders.ts'
import { newPromotion, newTier } from '../testing/promotions.ts'
import { newRedemption, ofTier, ofVoucher } from '../testing/redemptions.ts'
import { exportables } from './objects.ts'

/** Minutes after the beginning of 2026. */
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()

/** A success, a failure, a gift card, a loyalty card and its rollback, a tier: one minute after another. */
async function newHistory(shop: Shop) {
  const campaign = await newCampaign(shop, 'Spring')
  const tier = await newTier(shop, await newPromotion(shop, 'Promo'))
  const anna = await ok(shop, 'POST', '/v1/customers', { source_id: 'anna', name: 'Anna' })
  const ten = await ok(shop, 'POST', '/v1/campaigns/Spring/vouchers/TEN', {})
  const gift = await newVoucher(shop, 'GIFT', { type: 'GIFT_VOUCHER', discount: undefined, gift: { amount: 900 } })
  const card = await newVoucher(shop, 'CARD', { type: 'LOYALTY_CARD', discount: undefined, loyalty_card: { points: 9 } })
  const order = { id: 'ord_1', source_id: null, amount: 1000, items: [], metadata: {}, object: 'order' }
  const one = await newRedemption(shop, { id: 'r_1', ...ofVoucher(ten), customer_id: anna.id, tracking_id: 't1', order_id: 'ord_1', order, metadata: { till: 7 }, created_at: at(1) })
  await newRedemption(shop, { id: 'rf_2', ...ofVoucher(ten), result: 'FAILURE', failure_code: 'voucher_expired', failure_message: 'expired', created_at: at(2) })
  await newRedemption(shop, { id: 'r_3', ...ofVoucher(gift), amount: 400, parent_id: one, metadata: { shop: 'north' }, created_at: at(3) })
  await newRedemption(shop, { id: 'r_4', ...ofVoucher(card), amount: 5, status: 'ROLLED_BACK', created_at: at(4) })
  await newRedemption(shop, { id: 'rr_5', object: 'redemption_rollback', ...ofVoucher(card), amount: -5, redemption_id: 'r_4', created_at: at(5) })
  await newRedemption(shop, { id: 'r_6', ...ofTier(tier), created_at: at(6) })
  return { anna, tier, campaign, ten }
} // biome-ignore format: a row is a line

test('an export of redemptions has its fields, defaults and orders', async () => {
  const shop = await newProject()
  const { anna, tier } = await newHistory(shop)
  expect(await exportLines(shop, 'redemption')).toEqual([
    'ID,Object,Voucher Code,Customer ID,Date,Result',
    `r_6,redemption,,,${at(6)},SUCCESS`,
    `rr_5,redemption_rollback,CARD,,${at(5)},SUCCESS`,
    `r_4,redemption,CARD,,${at(4)},SUCCESS`,
    `r_3,redemption,GIFT,,${at(3)},SUCCESS`,
    `rf_2,redemption,TEN,,${at(2)},FAILURE`,
    `r_1,redemption,TEN,${anna.id},${at(1)},SUCCESS`,
  ])
  const fields = ['id', 'campaign', 'promotion_tier_id', 'customer_source_id', 'customer_name', 'tracking_id', 'order_id', 'order_amount', 'gift_amount', 'loyalty_points', 'failure_code', 'failure_message', 'metadata'] // biome-ignore format: one list
  expect(await exportLines(shop, 'redemption', { order: 'created_at', fields })).toEqual([
    'ID,Campaign,Promotion Tier ID,Customer Source ID,Customer Name,Tracking ID,Order ID,Order Amount,Gift Amount,Loyalty Points,Failure Code,Failure Message,metadata.shop,metadata.till',
    'r_1,Spring,,anna,Anna,t1,ord_1,1000,,,,,,7',
    'rf_2,Spring,,,,,,,,,voucher_expired,expired,,',
    'r_3,,,,,,,,400,,,,north,',
    'r_4,,,,,,,,,5,,,,',
    'rr_5,,,,,,,,,-5,,,,',
    `r_6,Promo,${tier.id},,,,,,,,,,,`,
  ])
  const sorted: Record<string, string> = {
    created_at: 'r_1 rf_2 r_3 r_4 rr_5 r_6',
    id: 'r_1 r_3 r_4 r_6 rf_2 rr_5',
    voucher_code: 'r_4 rr_5 r_3 r_1 rf_2 r_6',
    '-voucher_code': 'rf_2 r_1 r_3 rr_5 r_4 r_6',
    tracking_id: 'r_1 r_3 r_4 r_6 rf_2 rr_5',
    '-customer_id': 'r_1 rr_5 rf_2 r_6 r_4 r_3',
  }
  for (const order of exportables.redemption.orders) {
    const [, ...rows] = await exportLines(shop, 'redemption', { order, fields: ['id'] })
    expect(rows.length, order).toBe(6)
    if (order in sorted) expect([order, rows.join(' ')]).toEqual([order, sorted[order]])
  }
})

describe('filters', () => {
  test('are those of the list and its parameters', async () => {
    const shop = await newProject()
    const { anna, tier, campaign } = await newHistory(shop)
    const cases: Array<[filters: object, found: string]> = [
      [{ created_at: { conditions: { $after: [at(4)] } } }, 'rr_5 r_6'],
      [{ campaign: { conditions: { $is: 'Spring' } } }, 'r_1 rf_2'],
      [{ campaign_name: { conditions: { $starts_with: 'P' } } }, 'r_6'],
      [{ customer: { conditions: { $contains: ['anna'] } } }, 'r_1'],
      [{ customer: { conditions: { $contains: [anna.id] } } }, 'r_1'],
      [{ customer_id: { conditions: { $has_value: '' } } }, 'r_1'],
      [{ voucher: { conditions: { $in: ['GIFT', 'CARD'] } } }, 'r_3 r_4 rr_5'],
      [{ voucher_code: { conditions: { $is_unknown: '' } } }, 'r_6'],
      [{ related_object: { conditions: { $is: 'promotion_tier' } } }, 'r_6'],
      [{ related_object_id: { conditions: { $is: tier.id } } }, 'r_6'],
      [{ related_object_parent_id: { conditions: { $is: campaign.id } } }, 'r_1 rf_2'],
      [{ parent_redemption_id: { conditions: { $is: 'r_1' } } }, 'r_3'],
      [{ failure_code: { conditions: { $is: 'voucher_expired' } } }, 'rf_2'],
      [{ result: { conditions: { $is: 'FAILURE' } } }, 'rf_2'],
      [{ object: { conditions: { $is: 'redemption_rollback' } } }, 'rr_5'],
      [{ status: { conditions: { $is: 'ROLLED_BACK' } } }, 'r_4'],
      [{ user_login: { conditions: { $has_value: '' } } }, ''],
      [{ 'metadata.till': { conditions: { $is: 7 } } }, 'r_1'],
    ]
    for (const [filters, found] of cases) {
      const [, ...rows] = await exportLines(shop, 'redemption', { order: 'created_at', fields: ['id'], filters })
      expect(rows.join(' '), JSON.stringify(filters)).toBe(found)
    }
  })

  test('by unknown fields are refused', async () => {
    const shop = await newProject()
    const create = (parameters: object) => shop.call('POST', '/v1/exports', { exported_object: 'redemption', parameters })
    expect(await create({ filters: { colour: { conditions: { $is: 'red' } } } })).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
    expect(await create({ order: 'date' })).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
    expect(await create({ fields: ['id', 'colour'] })).toMatchObject({ status: 400, body: { key: 'invalid_export_fields' } })
  }) // biome-ignore format: one case is one line
})

test('the trash bin and other projects are excluded', async () => {
  const [shop, other] = [await newProject(), await newProject()]
  await newHistory(other)
  await newHistory(shop)
  await shop.call('DELETE', '/v1/vouchers/CARD')
  await shop.call('DELETE', '/v1/campaigns/Spring')
  await shop.call('DELETE', '/v1/campaigns/Promo')
  expect(await exportLines(shop, 'redemption', { fields: ['id'] })).toEqual(['ID', 'r_3'])
})
