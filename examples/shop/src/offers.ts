import { type Guerdon, type Result, unwrap } from '@guerdon/client'
import { projectOf } from '../../service/project-of.ts'
import { products } from './catalogue.ts'

/** What the pages need to know of the offers. */
export interface Offers {
  /** Ids of the promotions that need no code. */
  promotions: string[]
}

export const names = { club: 'Coffee club', coupons: 'Club coupons', friends: 'Friends', promotion: 'Big baskets' }

/** Codes for whoever tries the shop. */
export const codes = { hello: 'HELLO10', beans: 'BEANS15', big: 'FROM50', gift: 'GIFT-30' }

const couponPoints = 50

/** Of the codes that are made: the code field takes small letters for capitals. Without those that look alike. */
const capitals = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** Makes the products and offers of the shop, except those that an earlier start has made. */
export async function prepareOffers(guerdon: Guerdon): Promise<Offers> {
  const known = await guerdon.getCampaign({ campaignId: names.promotion })
  if (!isFound(known)) await makeOffers(guerdon)
  const { tiers } = unwrap(await guerdon.listPromotionTiersOfCampaign({ campaignId: names.promotion }))
  return { promotions: tiers.map(({ id }) => id) }
}

function isFound(result: Result<unknown>): boolean {
  if (!result.ok && result.error.status !== 404) unwrap(result)
  return result.ok
}

async function makeOffers(guerdon: Guerdon): Promise<void> {
  await letCodesFail(guerdon)
  const coffees = await makeProducts(guerdon)
  await makeCodes(guerdon, coffees)
  await makeClub(guerdon)
  await makePromotion(guerdon) // last: it says that all of it was made
}

/** By default one code that does not apply stops all the others. */
async function letCodesFail(guerdon: Guerdon): Promise<void> {
  unwrap(await guerdon.createStackingRules(await projectOf(guerdon), { redeemables_application_mode: 'PARTIAL' }))
}

/** Returns the ids of the coffees. */
async function makeProducts(guerdon: Guerdon): Promise<string[]> {
  const coffees: string[] = []
  for (const { id, name, price, kind } of products) {
    const made = unwrap(await guerdon.createProduct({ source_id: id, name, price, metadata: { kind } }))
    if (kind === 'coffee') coffees.push(made.id)
  }
  return coffees
}

async function makeCodes(guerdon: Guerdon, coffees: string[]): Promise<void> {
  const beans = coffees.map((id) => ({ object: 'product' as const, id }))
  const rule = async (body: Parameters<Guerdon['createValidationRule']>[0]) => [
    unwrap(await guerdon.createValidationRule(body)).id,
  ]
  const code = async (name: string, body: Parameters<Guerdon['createVoucherWithCode']>[1]) =>
    unwrap(await guerdon.createVoucherWithCode({ code: name }, body))
  await code(codes.hello, {
    type: 'DISCOUNT_VOUCHER',
    discount: { type: 'PERCENT', percent_off: 10 },
    validation_rules: await rule({
      name: 'Once per customer',
      rules: { 1: { name: 'redemption.count.per_customer', conditions: { $less_than_or_equal: [1] } }, logic: '1' },
      error: { message: 'This code is for your first order.' },
    }),
  })
  await code(codes.beans, {
    type: 'DISCOUNT_VOUCHER',
    discount: { type: 'PERCENT', percent_off: 15, effect: 'APPLY_TO_ITEMS' },
    validation_rules: await rule({
      name: 'Coffee in the cart',
      rules: { 1: { name: 'order.items.any', conditions: { $in: beans } }, logic: '1' },
      error: { message: 'This code is for coffee.' },
      applicable_to: { included: beans, excluded: [], included_all: false },
    }),
  })
  await code(codes.big, {
    type: 'DISCOUNT_VOUCHER',
    discount: { type: 'AMOUNT', amount_off: 500 },
    validation_rules: await rule({
      name: 'From 50.00',
      rules: { 1: { name: 'order.initial_amount', conditions: { $more_than_or_equal: [5_000] } }, logic: '1' },
      error: { message: 'This code needs an order of €50.00 or more.' },
    }),
  })
  await code(codes.gift, { type: 'GIFT_VOUCHER', gift: { amount: 3_000 } })
}

async function makePromotion(guerdon: Guerdon): Promise<void> {
  const from60 = unwrap(
    await guerdon.createValidationRule({
      name: 'From 60.00',
      rules: { 1: { name: 'order.initial_amount', conditions: { $more_than_or_equal: [6_000] } }, logic: '1' },
    }),
  )
  const tier = {
    name: '5 % off from €60.00',
    banner: '5 % off from €60.00',
    action: { discount: { type: 'PERCENT' as const, percent_off: 5 } },
    validation_rules: [from60.id],
  }
  unwrap(
    await guerdon.createCampaign({
      name: names.promotion,
      campaign_type: 'PROMOTION',
      promotion: { tiers: [tier] },
    }),
  )
}

/** Points, tiers, a reward; and codes for friends, whose first order brings their friend the same reward. */
async function makeClub(guerdon: Guerdon): Promise<void> {
  const coupons = unwrap(
    await guerdon.createCampaign({
      name: names.coupons,
      campaign_type: 'DISCOUNT_COUPONS',
      type: 'AUTO_UPDATE',
      voucher: {
        type: 'DISCOUNT_VOUCHER',
        discount: { type: 'AMOUNT', amount_off: 500 },
        redemption: { quantity: 1 },
        code_config: { pattern: 'CLUB-######', charset: capitals },
      },
    }),
  )
  const coupon = unwrap(
    await guerdon.createReward({ name: '€5.00 off your next order', parameters: { campaign: { id: coupons.id } } }),
  )
  const club = unwrap(
    await guerdon.createLoyaltyProgram({
      name: names.club,
      type: 'AUTO_UPDATE',
      voucher: {
        type: 'LOYALTY_CARD',
        loyalty_card: { points: 20 },
        code_config: { pattern: 'CARD-########', charset: capitals },
      },
    }),
  )
  const path = { campaignId: club.id }
  unwrap(
    await guerdon.createEarningRules(path, [
      {
        event: 'order.paid',
        source: { banner: 'One point for every €1.00' },
        loyalty: {
          type: 'PROPORTIONAL',
          calculation_type: 'ORDER_TOTAL_AMOUNT',
          order: { total_amount: { every: 100, points: 1 } },
        },
      },
    ]),
  )
  unwrap(
    await guerdon.createLoyaltyTiers(path, [
      { name: 'Bronze', points: { from: 0, to: 99 } },
      { name: 'Silver', points: { from: 100, to: 299 } },
      { name: 'Gold', points: { from: 300 } },
    ]),
  )
  unwrap(
    await guerdon.assignLoyaltyRewards(path, [
      { reward: coupon.id, parameters: { loyalty: { points: couponPoints } } },
    ]),
  )
  const friends = unwrap(
    await guerdon.createCampaign({
      name: names.friends,
      campaign_type: 'REFERRAL_PROGRAM',
      type: 'AUTO_UPDATE',
      join_once: true,
      voucher: {
        type: 'DISCOUNT_VOUCHER',
        discount: { type: 'PERCENT', percent_off: 10 },
        code_config: { pattern: 'FRIEND-######', charset: capitals },
      },
      referral_program: { conversion_event_type: 'redemption' },
    }),
  )
  unwrap(
    await guerdon.createReferralTier(
      { campaignId: friends.id },
      {
        banner: '€5.00 off for every friend',
        parameters: { criteria: 'EACH_REFEREE' },
        reward: { id: coupon.id },
      },
    ),
  )
}
