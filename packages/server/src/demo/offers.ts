import { defaultStackingRules } from '@guerdon/engine'
import { toInstant } from '../core/lib/instant.ts'
import { insertStackingRules } from '../rules/stacking-rules/store.ts'
import type { Audience } from './audience.ts'
import type { Goods } from './goods.ts'
import { campaignNames, codes } from './known.ts'
import { type Plan, partnershipAmount } from './plan.ts'
import type { DemoShop, Reply } from './shop.ts'

/** What the history needs of the offers. */
export interface Offers {
  /** Ids of the tiers of the cart promotion, the cheapest first, with the amount from which each applies. */
  cart_tiers: ReadonlyArray<{ id: string; from: number }>
  club_coupons: string
}

type Rules = Record<string, object | string>

/** Makes categories, validation rules, and the campaigns of codes, gift cards and promotions. */
export async function addOffers(shop: DemoShop, goods: Goods, audience: Audience, plan: Plan): Promise<Offers> {
  const category = await addCategories(shop)
  const { call, clock } = shop
  const rule = async (name: string, rules: Rules, more: object = {}): Promise<string> => {
    clock.advance(30)
    return (await call('POST', '/v1/validation-rules', { name, type: 'expression', rules, ...more })).id
  }
  const campaign = async (name: string, body: object): Promise<Reply> => {
    clock.advance(60)
    return call('POST', '/v1/campaigns', { name, ...body })
  }
  const collection = (name: string) => ({ object: 'products_collection', id: goods.collections.get(name) })
  const product = (sourceId: string) => goods.products.get(sourceId) as string

  const oncePerCustomer = { name: 'redemption.count.per_customer', conditions: { $less_than_or_equal: [1] } }
  const orderFrom = (amount: number) => ({ name: 'order.amount', conditions: { $more_than_or_equal: [amount] } })
  const budget = (amount: number) => ({
    name: 'campaign.orders.amount_discounted',
    conditions: { $less_than_or_equal: [amount] },
    error: { message: 'The budget of this partnership is used up.' },
  })
  /** A campaign with one code that everybody types. */
  const oneCode = async (name: string, code: string, discount: object, more: object = {}) => {
    await campaign(name, {
      type: 'STANDALONE',
      voucher: { type: 'DISCOUNT_VOUCHER', code, discount },
      category_id: category.codes,
      ...more,
    })
  }

  await campaign(campaignNames.welcome, {
    type: 'AUTO_UPDATE',
    description: 'Every new customer gets one code for the first order.',
    join_once: true,
    voucher: {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'PERCENT', percent_off: 10, amount_limit: 2_000 },
      redemption: { quantity: 1 },
      code_config: { pattern: 'WELCOME-######', charset: codeCharacters },
    },
    category_id: category.codes,
    validation_rules: [
      await rule('Only whom the code was given to', {
        1: { name: 'publication.redeemable_by_linked_customer', conditions: { $is: [true] } },
      }),
    ],
  })
  await oneCode(
    campaignNames.newsletter,
    codes.newsletter,
    { type: 'AMOUNT', amount_off: 500 },
    {
      description: '5.00 off for readers of the newsletter, once, from 30.00.',
      validation_rules: [
        await rule(
          'Once per customer, from 30.00',
          {
            1: { ...orderFrom(3_000), error: { message: 'This code needs an order of at least 30.00.' } },
            2: { ...oncePerCustomer, error: { message: 'This code can be used once.' } },
            logic: '1 and 2',
          },
          { error: { message: 'This code cannot be used here.' } },
        ),
      ],
    },
  )
  await oneCode(
    campaignNames.vip,
    codes.vip,
    { type: 'PERCENT', percent_off: 20, amount_limit: 5_000 },
    {
      description: '20 % off for VIPs, twice a month.',
      category_id: category.vip,
      validation_rules: [
        await rule('VIPs, twice a month', {
          1: {
            name: 'customer.segment',
            conditions: { $is: [audience.vip] },
            error: { message: 'This code is for our VIPs.' },
          },
          2: { name: 'redemption.count.per_customer.monthly', conditions: { $less_than_or_equal: [2] } },
          logic: '1 and 2',
        }),
      ],
    },
  )
  await oneCode(
    campaignNames.sale,
    codes.sale,
    { type: 'PERCENT', percent_off: 25 },
    {
      description: 'The sale of the season.',
      start_date: toInstant(plan.sale.from),
      expiration_date: toInstant(plan.sale.to),
    },
  )
  await oneCode(
    campaignNames.beans,
    codes.beans,
    { type: 'PERCENT', percent_off: 15, effect: 'APPLY_TO_ITEMS' },
    {
      description: '15 % off all beans.',
      start_date: toInstant(plan.beans.from),
      expiration_date: toInstant(plan.beans.to),
      validation_rules: [
        await rule(
          'Coffee in the cart',
          { 1: { name: 'order.items.any', conditions: { $in: [collection('Coffee')] } } },
          {
            applicable_to: { included: [collection('Coffee')], excluded: [], included_all: false },
          },
        ),
      ],
    },
  )
  await oneCode(
    campaignNames.freeMug,
    codes.freeMug,
    { type: 'UNIT', unit_off: 1, unit_type: product('bell-mug'), effect: 'ADD_NEW_ITEMS' },
    {
      description: 'A mug for everybody who orders for 70.00 or more, or at least six items of tea.',
      validation_rules: [
        await rule('70.00, or six teas', {
          1: orderFrom(7_000),
          2: {
            name: 'order.items.any',
            conditions: { $in: [collection('Tea')] },
            rules: {
              1: { name: 'order.items.aggregated_quantity', conditions: { $more_than_or_equal: [6] } },
              logic: '1',
            },
          },
          logic: '1 or 2',
        }),
      ],
    },
  )
  await oneCode(
    campaignNames.tastingSet,
    codes.tastingSet,
    { type: 'FIXED', fixed_amount: 1_900, effect: 'APPLY_TO_ITEMS' },
    {
      validation_rules: [
        await rule(
          'The tasting set',
          { 1: { name: 'order.items.any', conditions: { $in: [{ object: 'product', id: product('tasting-set') }] } } },
          {
            applicable_to: {
              included: [{ object: 'product', id: product('tasting-set'), price: 1_900 }],
              excluded: [],
              included_all: false,
            },
          },
        ),
      ],
    },
  )
  await oneCode(
    campaignNames.influencer,
    codes.influencer,
    { type: 'AMOUNT', amount_off: partnershipAmount },
    {
      description: 'A blog about coffee passes this code on; the budget was agreed with its author.',
      validation_rules: [
        await rule('Budget of the coffee blog, from 25.00', {
          1: orderFrom(2_500),
          2: budget(plan.influencer.budget),
          logic: '1 and 2',
        }),
      ],
    },
  )
  await oneCode(
    campaignNames.podcast,
    codes.podcast,
    { type: 'AMOUNT', amount_off: partnershipAmount },
    {
      validation_rules: [
        await rule('Budget of the podcast, from 25.00', {
          1: orderFrom(2_500),
          2: budget(plan.podcast.budget),
          logic: '1 and 2',
        }),
      ],
    },
  )
  await campaign(campaignNames.birthday, {
    type: 'STATIC',
    description: 'Printed on cards, which are sent by post.',
    vouchers_count: plan.birthday.codes_count,
    voucher: {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'AMOUNT', amount_off: 800 },
      redemption: { quantity: 1 },
      code_config: { pattern: 'BDAY-######', charset: codeCharacters },
    },
    category_id: category.codes,
  })
  const clubCoupons = await campaign(campaignNames.clubCoupons, {
    type: 'AUTO_UPDATE',
    description: 'Given for points, and for friends who came.',
    voucher: {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'AMOUNT', amount_off: 1_000 },
      redemption: { quantity: 1 },
      code_config: { pattern: 'BELL-######', charset: codeCharacters },
    },
    category_id: category.codes,
    activity_duration_after_publishing: 'P60D',
  })
  await campaign(campaignNames.autumn, {
    type: 'STATIC',
    vouchers_count: 10,
    voucher: {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'PERCENT', percent_off: 30 },
      code_config: { pattern: 'AUTUMN-####', charset: codeCharacters },
    },
  })
  await call('POST', `/v1/campaigns/${encodeURIComponent(campaignNames.autumn)}/disable`)
  await campaign(campaignNames.gift, {
    campaign_type: 'GIFT_VOUCHERS',
    type: 'AUTO_UPDATE',
    voucher: {
      type: 'GIFT_VOUCHER',
      gift: { amount: 5_000 },
      code_config: { pattern: 'GIFT-####-####', charset: codeCharacters },
    },
    category_id: category.gift,
  })
  await shop.runAsyncActions()
  return { cart_tiers: await addCartPromotion(), club_coupons: clubCoupons.id }

  async function addCartPromotion(): Promise<Offers['cart_tiers']> {
    const tiers = [
      { name: '5 % from 50.00', from: 5_000, discount: { type: 'PERCENT', percent_off: 5 } },
      { name: '10 % from 90.00', from: 9_000, discount: { type: 'PERCENT', percent_off: 10 } },
      { name: '20.00 off from 150.00', from: 15_000, discount: { type: 'AMOUNT', amount_off: 2_000 } },
    ]
    const bodies = []
    for (const { name, from, discount } of tiers)
      bodies.push({
        name,
        banner: name,
        action: { discount },
        validation_rules: [await rule(`Order from ${(from / 100).toFixed(2)}`, { 1: orderFrom(from) })],
      })
    const { promotion } = await campaign(campaignNames.cart, {
      campaign_type: 'PROMOTION',
      promotion: { tiers: bodies },
      category_id: category.promotions,
    })
    return promotion.tiers.map(({ id, name }: Reply) => ({ id, from: tiers.find((tier) => tier.name === name)?.from }))
  }
}

/** Without letters and digits that look alike on paper. */
export const codeCharacters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Five categories, and rules by which gift cards go with everything and VIP codes stand alone. */
async function addCategories({ call, clock, inProject }: DemoShop) {
  const categories: Record<'vip' | 'promotions' | 'codes' | 'club' | 'gift', string> = {
    vip: 'VIP',
    promotions: 'Promotions',
    codes: 'Codes',
    club: 'Club',
    gift: 'Gift cards',
  }
  for (const [hierarchy, [key, name]] of Object.entries(categories).entries()) {
    clock.advance(5)
    categories[key as 'vip'] = (await call('POST', '/v1/categories', { name, hierarchy })).id
  }
  await inProject((ctx) =>
    insertStackingRules(ctx, {
      ...defaultStackingRules,
      exclusive_categories: [categories.vip],
      joint_categories: [categories.gift, categories.club],
    }),
  )
  return categories
}
