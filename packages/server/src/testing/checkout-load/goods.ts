import { amountOff, limitTo, newCards, newCodes } from './codes-and-cards.ts'
import { made, type Shop } from './shop.ts'

/** A redeemable and its limits. */
export interface Thing {
  object: 'voucher' | 'promotion_tier'
  /** The id in requests: a code, or the id of a tier. */
  id: string
  /** The id in the tables. */
  resource_id: string
  kind: 'discount' | 'gift' | 'card' | 'units'
  /** The discount on an order; for units, the discount per unit. */
  off: number
  bounds: Bound[]
  /** The only customer who may use it. */
  holder: string | null
}

/** A limit, and the error key when it is reached; exhausted units are not an error. */
export interface Bound {
  name: string
  max: number
  measure: 'redemptions' | 'discount' | 'credits' | 'units'
  refusal: string | null
  is_per_customer: boolean
}

export interface Goods {
  /** Redeemables for orders with an amount, alone or stacked. */
  things: Thing[]
  /** Redeemables that a session can hold; once held, no other limit can reject them. */
  holdable: Thing[]
  /** Discounts on a product with a limited number of units. */
  units: Thing[]
  product_id: string
  stack: { id: string; tiers: Thing[] }
  reward_id: string
  customers: string[]
}

export async function createGoods(shop: Shop): Promise<Goods> {
  const customers = Array.from({ length: 10 }, (_, number) => `customer-${number}`)
  for (const sourceId of customers) await made(shop, 'POST', '/v1/customers', { source_id: sourceId })
  const codes = await singleCodes(shop)
  const gifts = await giftCards(shop)
  const { cards, reward_id } = await pointCards(shop, customers)
  const { tiers, stack } = await promotion(shop)
  const { units, product_id } = await unitCodes(shop)
  return {
    things: [...codes, ...gifts, ...cards, ...tiers, ...(await campaignCodes(shop))],
    holdable: [...codes.filter(({ bounds }) => bounds.length > 0), ...gifts, ...cards],
    units,
    product_id,
    stack,
    reward_id,
    customers,
  }
}

function singleCodes(shop: Shop): Promise<Thing[]> {
  const codes = [3, 12, 40, null, null].map(async (quantity, index) => {
    const code = `SINGLE-${index}`
    const off = 100 + index
    await made(shop, 'POST', `/v1/vouchers/${code}`, { ...amountOff(off), redemption: { quantity } })
    const bounds = quantity === null ? [] : [bound(`quantity of ${code}`, quantity, 'redemptions', 'quantity_exceeded')]
    return voucherOf(shop, code, { kind: 'discount', off, bounds })
  })
  return Promise.all(codes)
}

function giftCards(shop: Shop): Promise<Thing[]> {
  const cards = [10_000, 10_000, 5_000_000].map(async (amount, index) => {
    const code = `GIFT-${index}`
    await made(shop, 'POST', `/v1/vouchers/${code}`, { type: 'GIFT_VOUCHER', gift: { amount } })
    const bounds = [bound(`credits of ${code}`, amount, 'credits', 'gift_amount_exceeded')]
    return voucherOf(shop, code, { kind: 'gift', off: 0, bounds })
  })
  return Promise.all(cards)
}

async function pointCards(shop: Shop, customers: readonly string[]): Promise<{ cards: Thing[]; reward_id: string }> {
  const points = 2_000
  const { cards, reward_id } = await newCards(shop, customers.slice(0, 3), points)
  return {
    reward_id,
    cards: cards.map(({ code, id, holder }) => ({
      object: 'voucher',
      id: code,
      resource_id: id,
      kind: 'card',
      off: 0,
      bounds: [bound(`points of ${holder}`, points, 'credits', 'loyalty_card_points_exceeded')],
      holder,
    })),
  }
}

async function campaignCodes(shop: Shop): Promise<Thing[]> {
  const codesOf = async (name: string, count: number, off: number, boundsOf: (code: string) => Bound[]) => {
    const codes = Array.from({ length: count }, (_, number) => `${name}-${number}`)
    return Promise.all(codes.map((code) => voucherOf(shop, code, { kind: 'discount', off, bounds: boundsOf(code) })))
  }
  const rules = 'redemption_rules_violated'
  const count = await newCodes(shop, 'COUNT', 6, amountOff(150))
  await limitTo(shop, { campaign: count }, { 'campaign.redemptions.count': 12 })
  const daily = await newCodes(shop, 'DAILY', 3, amountOff(155))
  await limitTo(shop, { campaign: daily }, { 'campaign.redemptions.count.daily': 8 })
  const budget = await newCodes(shop, 'BUDGET', 6, amountOff(370))
  await limitTo(shop, { campaign: budget }, { 'campaign.orders.amount_discounted': 4_000 })
  const faithful = await newCodes(shop, 'FAITHFUL', 4, amountOff(120))
  await limitTo(shop, { campaign: faithful }, { 'campaign.redemptions.customers_count': 5 })
  await limitTo(shop, { campaign: faithful }, { 'redemption.count.per_customer': 2 })
  return [
    ...(await codesOf('COUNT', 6, 150, () => [bound('count', 12, 'redemptions', rules)])),
    // The daily limit starts anew at midnight, which the model does not know: near midnight these codes are not used.
    ...(isNearMidnight() ? [] : await codesOf('DAILY', 3, 155, () => [bound('daily count', 8, 'redemptions', rules)])),
    ...(await codesOf('BUDGET', 6, 370, () => [bound('budget', 4_000, 'discount', rules)])),
    ...(await codesOf('FAITHFUL', 4, 120, (code) => [perCustomer('uses', 5), perCustomer(`uses of ${code}`, 2)])),
  ]
}

/** In UTC, the time zone of the project. */
export const isNearMidnight = (): boolean => new Date(Date.now() + 20 * 60_000).getUTCDate() !== new Date().getUTCDate()

async function promotion(shop: Shop): Promise<{ tiers: Thing[]; stack: Goods['stack'] }> {
  const { id: campaign } = await made(shop, 'POST', '/v1/campaigns', {
    name: 'Promotion',
    campaign_type: 'PROMOTION',
    promotion: { tiers: [] },
  })
  const tiers: Thing[] = []
  for (const [index, off] of [90, 60, 30].entries()) {
    const { id } = await made(shop, 'POST', `/v1/promotions/${campaign}/tiers`, {
      name: `Tier ${index}`,
      action: { discount: { type: 'AMOUNT', amount_off: off, effect: 'APPLY_TO_ORDER' } },
    })
    const bounds = index === 1 ? [perCustomer(`uses of ${id}`, 3)] : []
    if (index === 1) await limitTo(shop, { promotion_tier: id }, { 'redemption.count.per_customer': 3 })
    tiers.push({ object: 'promotion_tier', id, resource_id: id, kind: 'discount', off, bounds, holder: null })
  }
  const stacked = [tiers[0], tiers[2]] as Thing[]
  const { id } = await made(shop, 'POST', `/v1/promotions/${campaign}/stacks`, {
    name: 'Stack',
    tiers: { ids: stacked.map((tier) => tier.id) },
  })
  return { tiers, stack: { id, tiers: stacked } }
}

async function unitCodes(shop: Shop): Promise<{ units: Thing[]; product_id: string }> {
  const { id: productId } = await made(shop, 'POST', '/v1/products', { name: 'Mug', price: 1_000 })
  const voucher = {
    type: 'DISCOUNT_VOUCHER',
    discount: { type: 'PERCENT', percent_off: 50, effect: 'APPLY_TO_ITEMS' },
  }
  const campaign = await newCodes(shop, 'UNITS', 3, voucher)
  const included = [{ object: 'product', id: productId, product_campaign_quantity_limit: 80 }]
  await limitTo(shop, { campaign }, {}, { applicable_to: { included, excluded: [], included_all: false } })
  const bounds = [bound('units', 80, 'units', null)]
  const codes = ['UNITS-0', 'UNITS-1', 'UNITS-2']
  return {
    units: await Promise.all(codes.map((code) => voucherOf(shop, code, { kind: 'units', off: 500, bounds }))),
    product_id: productId,
  }
}

async function voucherOf(shop: Shop, code: string, fields: Pick<Thing, 'kind' | 'off' | 'bounds'>): Promise<Thing> {
  const { id } = await made(shop, 'GET', `/v1/vouchers/${code}`)
  return { object: 'voucher', id: code, resource_id: id, holder: null, ...fields }
}

const bound = (name: string, max: number, measure: Bound['measure'], refusal: string | null): Bound => ({
  name,
  max,
  measure,
  refusal,
  is_per_customer: false,
})

const perCustomer = (name: string, max: number): Bound => ({
  ...bound(name, max, 'redemptions', 'redemption_rules_violated'),
  is_per_customer: true,
})
