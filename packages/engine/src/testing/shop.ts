import type {
  ApplicableEntry,
  Catalogue,
  CatalogueProduct,
  CatalogueSku,
  Discount,
  DiscountVoucher,
  Facts,
  GiftVoucher,
  ItemFacts,
  LoyaltyCard,
  OrderFacts,
  PromotionTier,
  Redeemable,
  StackingRules,
  ValidationRule,
} from '../schema/index.ts'
import { defaultStackingRules } from '../stacking-defaults.ts'

/** A Wednesday, at noon. */
export const noon = '2025-02-26T12:00:00.000Z'

/** A line of some units of a product at a price; without a price nobody knows what it costs. */
export const line = (productId: string, quantity: number, price?: number): ItemFacts => ({
  product_id: productId,
  quantity,
  ...(price === undefined ? {} : { price }),
})

export const order = (...items: ItemFacts[]): OrderFacts => ({ items })

export const product = (id: string, more: Partial<CatalogueProduct> = {}): CatalogueProduct => ({ id, ...more })
export const sku = (id: string, more: Partial<CatalogueSku> = {}): CatalogueSku => ({ id, ...more })

/** A line of the catalogue. */
export const stored = (of: CatalogueProduct, quantity: number): ItemFacts => ({
  product_id: of.id,
  quantity,
  catalogue: { product: of },
})

/** A line of an SKU; it also belongs to the product. */
export const storedSku = (of: CatalogueSku, quantity: number, price?: number): ItemFacts => ({
  sku_id: of.id,
  quantity,
  ...(price === undefined ? {} : { price }),
  catalogue: { sku: of, product: product(of.product_id ?? '') },
})

export const percentOff = (percent: number, more: Partial<Extract<Discount, { type: 'PERCENT' }>> = {}): Discount => ({
  type: 'PERCENT',
  percent_off: percent,
  ...more,
})
export const amountOff = (amount: number, more: Partial<Extract<Discount, { type: 'AMOUNT' }>> = {}): Discount => ({
  type: 'AMOUNT',
  amount_off: amount,
  ...more,
})
export const fixedPrice = (
  fixedAmount: number,
  more: Partial<Extract<Discount, { type: 'FIXED' }>> = {},
): Discount => ({
  type: 'FIXED',
  fixed_amount: fixedAmount,
  ...more,
})
export const unitsOff = (
  unitOff: number,
  unitType: string,
  more: Partial<Extract<Discount, { type: 'UNIT' }>> = {},
): Discount => ({ type: 'UNIT', unit_off: unitOff, unit_type: unitType, ...more })

/** A rule that covers goods: product ids, or entries. */
export const on = (...goods: Array<string | ApplicableEntry>): ValidationRule =>
  covering({ included: goods.map(entry) })

export const covering = (of: {
  included?: ApplicableEntry[]
  excluded?: ApplicableEntry[]
  included_all?: boolean
}): ValidationRule => ({
  id: 'val_goods',
  rules: { logic: '' },
  applicable_to: { included: of.included ?? [], excluded: of.excluded ?? [], included_all: of.included_all ?? false },
})

const entry = (good: string | ApplicableEntry): ApplicableEntry =>
  typeof good === 'string' ? { object: 'product', id: good } : good

const of = (id: string, object: 'voucher' | 'promotion_tier') => ({
  object,
  id,
  resource_id: `our_${id}`,
  active: true,
})

export const voucher = (id: string, discount: Discount, more: Partial<DiscountVoucher> = {}): DiscountVoucher => ({
  kind: 'discount_voucher',
  ...of(id, 'voucher'),
  object: 'voucher',
  code: id,
  quantity: null,
  redeemed_quantity: 0,
  discount,
  ...more,
})

export const giftCard = (id: string, balance: number, more: Partial<GiftVoucher> = {}): GiftVoucher => ({
  kind: 'gift_voucher',
  ...of(id, 'voucher'),
  object: 'voucher',
  code: id,
  quantity: null,
  redeemed_quantity: 0,
  gift: { balance },
  ...more,
})

export const loyaltyCard = (id: string, balance: number, more: Partial<LoyaltyCard> = {}): LoyaltyCard => ({
  kind: 'loyalty_card',
  ...of(id, 'voucher'),
  object: 'voucher',
  code: id,
  quantity: null,
  redeemed_quantity: 0,
  balance,
  holder_id: 'cust_1',
  ...more,
})

export const tier = (id: string, discount: Discount | null, more: Partial<PromotionTier> = {}): PromotionTier => ({
  kind: 'promotion_tier',
  ...of(id, 'promotion_tier'),
  object: 'promotion_tier',
  discount,
  ...more,
})

export const category = (id: string, hierarchy = 0) => ({ category: { id, hierarchy } })

/** Facts of a request; stacking rules are the defaults, changed by `rules`. */
export const facts = (
  of: Omit<Partial<Facts>, 'redeemables' | 'stacking_rules'> & {
    redeemables: Redeemable[]
    rules?: Partial<StackingRules>
    products?: CatalogueProduct[]
    skus?: CatalogueSku[]
    collections?: Catalogue['collections']
  },
): Facts => {
  const { rules, products = [], skus = [], collections, catalogue, ...more } = of
  return {
    now: noon,
    timezone: 'UTC',
    ...more,
    catalogue: {
      products: Object.fromEntries(products.map((one) => [one.id, one])),
      skus: Object.fromEntries(skus.map((one) => [one.id, one])),
      ...(collections == null ? {} : { collections }),
      ...catalogue,
    },
    stacking_rules: { ...defaultStackingRules, ...rules },
  }
}
