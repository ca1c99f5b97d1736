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
import { defaultStackingRules } from '../stacking.ts'

/** Wednesday noon. */
export const noon = '2025-02-26T12:00:00.000Z'

/** A line of a product; without a price its amount is unknown. */
export const line = (productId: string, quantity: number, price?: number): ItemFacts => ({
  product_id: productId,
  quantity,
  ...(price === undefined ? {} : { price }),
})

export const order = (...items: ItemFacts[]): OrderFacts => ({ items })

export const product = (id: string, more: Partial<CatalogueProduct> = {}): CatalogueProduct => ({ id, ...more })
export const sku = (id: string, more: Partial<CatalogueSku> = {}): CatalogueSku => ({ id, ...more })

/** A line of a catalogue product. */
export const stored = (product: CatalogueProduct, quantity: number): ItemFacts => ({
  product_id: product.id,
  quantity,
  catalogue: { product },
})

/** A line of a catalogue SKU and its product. */
export const storedSku = (sku: CatalogueSku, quantity: number, price?: number): ItemFacts => ({
  sku_id: sku.id,
  quantity,
  ...(price === undefined ? {} : { price }),
  catalogue: { sku, product: product(sku.product_id ?? '') },
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

/** A rule that includes goods: product ids, or entries. */
export const on = (...goods: Array<string | ApplicableEntry>): ValidationRule =>
  covering({ included: goods.map(entry) })

export const covering = (coverage: {
  included?: ApplicableEntry[]
  excluded?: ApplicableEntry[]
  included_all?: boolean
}): ValidationRule => ({
  id: 'val_goods',
  rules: { logic: '' },
  applicable_to: {
    included: coverage.included ?? [],
    excluded: coverage.excluded ?? [],
    included_all: coverage.included_all ?? false,
  },
})

const entry = (good: string | ApplicableEntry): ApplicableEntry =>
  typeof good === 'string' ? { object: 'product', id: good } : good

const commonFields = (id: string, object: 'voucher' | 'promotion_tier') => ({
  object,
  id,
  resource_id: `our_${id}`,
  active: true,
})

export const voucher = (id: string, discount: Discount, more: Partial<DiscountVoucher> = {}): DiscountVoucher => ({
  kind: 'discount_voucher',
  ...commonFields(id, 'voucher'),
  object: 'voucher',
  code: id,
  quantity: null,
  redeemed_quantity: 0,
  discount,
  ...more,
})

export const giftCard = (id: string, balance: number, more: Partial<GiftVoucher> = {}): GiftVoucher => ({
  kind: 'gift_voucher',
  ...commonFields(id, 'voucher'),
  object: 'voucher',
  code: id,
  quantity: null,
  redeemed_quantity: 0,
  gift: { balance },
  ...more,
})

export const loyaltyCard = (id: string, balance: number, more: Partial<LoyaltyCard> = {}): LoyaltyCard => ({
  kind: 'loyalty_card',
  ...commonFields(id, 'voucher'),
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
  ...commonFields(id, 'promotion_tier'),
  object: 'promotion_tier',
  discount,
  ...more,
})

export const category = (id: string, hierarchy = 0) => ({ category: { id, hierarchy } })

/** Facts of a request; `rules` override the default stacking rules. */
export const facts = (
  parts: Omit<Partial<Facts>, 'redeemables' | 'stacking_rules'> & {
    redeemables: Redeemable[]
    rules?: Partial<StackingRules>
    products?: CatalogueProduct[]
    skus?: CatalogueSku[]
    collections?: Catalogue['collections']
  },
): Facts => {
  const { rules, products = [], skus = [], collections, catalogue, ...more } = parts
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
