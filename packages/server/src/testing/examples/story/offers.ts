import type { Teller } from './teller.ts'

const firstPage = { query: { limit: 10 } }
const twoMugs = [{ source_id: 'mug', quantity: 2, price: 1450 }]
const customer = { source_id: 'customer-1' }

/** A campaign that gives each customer a code, and a promotion without codes. */
export async function tellOffers({ tell, catchUp }: Teller): Promise<void> {
  const summer = { path: { campaignId: 'Summer sale' } }
  await tell('createCampaign', {
    body: {
      name: 'Summer sale',
      campaign_type: 'DISCOUNT_COUPONS',
      type: 'AUTO_UPDATE',
      vouchers_count: 10,
      voucher: {
        type: 'DISCOUNT_VOUCHER',
        discount: { type: 'AMOUNT', amount_off: 500 },
        redemption: { quantity: 1 },
        code_config: { pattern: 'SUMMER-########' },
      },
      metadata: { season: 'summer' },
    },
  })
  await catchUp()
  await tell('getCampaign', summer)
  await tell('listCampaigns', firstPage)
  await tell('updateCampaign', { ...summer, body: { description: '5.00 off an order', metadata: { banner: 'beach' } } })
  await tell('addVouchersToCampaign', summer)
  await tell('addVoucherWithCodeToCampaign', { path: { ...summer.path, code: 'SUMMER-5' }, body: {} })
  await tell('importVouchersToCampaign', { ...summer, body: [{ code: 'SUMMER-6' }, { code: 'SUMMER-7' }] })
  await catchUp()
  await tell('disableCampaign', summer)
  await tell('enableCampaign', summer)
  await tell('createPublication', { body: { campaign: { name: 'Summer sale' }, customer } })
  await tell('listPublications', firstPage)
  await tell('listCustomerRedeemables', { path: { customerId: 'customer-1' }, ...firstPage })
  await tell('getCampaignSummary', summer)

  const promotion = await tell('createCampaign', { body: { name: 'Ten off', campaign_type: 'PROMOTION' } })
  const ofPromotion = { path: { campaignId: promotion.id } }
  const tier = await tell('createPromotionTier', {
    ...ofPromotion,
    body: { name: 'Ten off', banner: '10 % off', action: { discount: { type: 'PERCENT', percent_off: 10 } } },
  })
  const ofTier = { path: { promotionTierId: tier.id } }
  await tell('getPromotionTier', ofTier)
  await tell('updatePromotionTier', { ...ofTier, body: { banner: '10 % off everything' } })
  await tell('listPromotionTiers', firstPage)
  await tell('listPromotionTiersOfCampaign', ofPromotion)
  await tell('validatePromotions', { body: { customer, order: { items: twoMugs } } })
  await tell('validatePromotionTier', { path: { tierId: tier.id }, body: { customer, order: { items: twoMugs } } })
  await tell('redeemPromotionTier', { ...ofTier, body: { customer, order: { items: twoMugs } } })
}
