import { createCustomEventSchema } from '../definitions/custom-event-schemas/write.ts'
import type { Audience } from './audience.ts'
import type { Goods } from './goods.ts'
import { campaignNames } from './known.ts'
import { codeCharacters, type Offers } from './offers.ts'
import type { DemoShop, Reply } from './shop.ts'

/** What the history needs of the loyalty and the referral program. */
export interface Club {
  id: string
  friends_id: string
  /** Rewards by what they are, with their price in points. */
  rewards: Record<'mug' | 'coupon', { id: string; points: number }>
  /** The reward by which an order is paid with points. */
  coin: string
}

export const reviewEvent = 'review_written'

/** Makes the loyalty program with tiers, earning rules and rewards, and the referral program. */
export async function addClub(shop: DemoShop, goods: Goods, audience: Audience, offers: Offers): Promise<Club> {
  const { call, clock, inProject } = shop
  const step = (method: 'POST', path: string, body: object): Promise<Reply> => {
    clock.advance(45)
    return call(method, path, body)
  }
  const program = await step('POST', '/v1/loyalties', {
    name: campaignNames.club,
    description: 'One point for every 1.00.',
    type: 'AUTO_UPDATE',
    voucher: {
      type: 'LOYALTY_CARD',
      // Three months: the points of the first weeks expire before the end of the history.
      loyalty_card: { points: 20, expiration_rules: { period_type: 'MONTH', period_value: 3 } },
      code_config: { pattern: 'CLUB-######', charset: codeCharacters },
    },
    category: 'Club',
  })
  const path = `/v1/loyalties/${program.id}`
  const review = await inProject((ctx) =>
    createCustomEventSchema(ctx, {
      name: reviewEvent,
      schema: {
        properties: { product: { type: 'string', optional: true }, stars: { type: 'number', optional: true } },
      },
    }),
  )
  const [perAmount] = await step('POST', `${path}/earning-rules`, [
    {
      event: 'order.paid',
      source: { banner: 'One point for every 1.00' },
      loyalty: {
        type: 'PROPORTIONAL',
        calculation_type: 'ORDER_TOTAL_AMOUNT',
        order: { total_amount: { every: 100, points: 1 } },
      },
    },
    {
      event: reviewEvent,
      custom_event: { schema_id: review.id },
      source: { banner: '25 points for a review' },
      loyalty: { type: 'FIXED', points: 25 },
    },
    {
      event: 'customer.segment.entered',
      segment: { id: audience.spenders },
      source: { banner: '100 points for big spenders' },
      loyalty: { type: 'FIXED', points: 100 },
    },
  ])
  const faster = (multiplier: number) => ({ earning_rules: { [perAmount.id]: { type: 'MULTIPLY', multiplier } } })
  await step('POST', `${path}/tiers`, [
    { name: 'Bronze', points: { from: 0, to: 199 } },
    { name: 'Silver', points: { from: 200, to: 599 }, ...faster(1.25) },
    { name: 'Gold', points: { from: 600 }, ...faster(1.5) },
  ] as unknown as object)

  const mug = await step('POST', '/v1/rewards', {
    name: 'Bell Mug',
    parameters: { product: { id: goods.products.get('bell-mug') } },
    stock: 60,
    attributes: { description: 'Our mug, with your name on it.' },
  })
  const coupon = await step('POST', '/v1/rewards', {
    name: '10.00 off',
    parameters: { campaign: { id: offers.club_coupons } },
  })
  const coin = await step('POST', '/v1/rewards', {
    name: 'Pay with points',
    parameters: { coin: { exchange_ratio: 0.05, points_ratio: 1 } },
  })
  await step('POST', `${path}/rewards`, [
    { reward: mug.id, parameters: { loyalty: { points: mugPoints } } },
    { reward: coupon.id, parameters: { loyalty: { points: couponPoints } } },
    { reward: coin.id },
  ] as unknown as object)
  return {
    id: program.id,
    friends_id: await addFriends(),
    rewards: { mug: { id: mug.id, points: mugPoints }, coupon: { id: coupon.id, points: couponPoints } },
    coin: coin.id,
  }

  async function addFriends(): Promise<string> {
    const friends = await step('POST', '/v1/campaigns', {
      name: campaignNames.friends,
      campaign_type: 'REFERRAL_PROGRAM',
      type: 'AUTO_UPDATE',
      voucher: {
        type: 'DISCOUNT_VOUCHER',
        discount: { type: 'PERCENT', percent_off: 10 },
        code_config: { pattern: 'FRIEND-######', charset: codeCharacters },
      },
      referral_program: { conversion_event_type: 'redemption' },
      category: 'Codes',
    })
    await step('POST', `/v1/referrals/${friends.id}/tiers`, {
      banner: '10.00 off for every friend',
      parameters: { criteria: 'EACH_REFEREE' },
      reward: { id: coupon.id },
    })
    await step('POST', `/v1/referrals/${friends.id}/tiers`, {
      banner: 'A mug for five friends',
      parameters: { criteria: 'MIN_REFEREES', min_referees: 5 },
      reward: { id: mug.id },
    })
    return friends.id
  }
}

const mugPoints = 180
const couponPoints = 150
