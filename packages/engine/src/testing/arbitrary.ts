import fc from 'fast-check'
import type {
  ApplicableEntry,
  Catalogue,
  Discount,
  Facts,
  ItemFacts,
  OrderFacts,
  Redeemable,
  StackingRules,
  ValidationRule,
} from '../schema/index.ts'
import { defaultStackingRules } from '../stacking.ts'
import { covering, giftCard, loyaltyCard, noon, tier, voucher } from './shop.ts'

// Arbitraries for property tests: a small shop, so that goods, categories and campaigns overlap often.

const products = ['apple', 'bread', 'cheese', 'dates'] as const
const skus = ['bread-s', 'bread-l'] as const // SKUs of bread

const catalogue: Catalogue = {
  products: {
    apple: { id: 'apple', price: 130, source_id: 'src-apple' },
    bread: { id: 'bread', price: 480 },
    cheese: { id: 'cheese', price: 0 },
    dates: { id: 'dates' }, // without a price
    gift: { id: 'gift', price: 999 },
  },
  skus: {
    'bread-s': { id: 'bread-s', product_id: 'bread', price: 300 },
    'bread-l': { id: 'bread-l', product_id: 'bread' },
  },
  collections: {
    bakery: { type: 'STATIC', products: [{ id: 'bread', object: 'product' }] },
    fruit: {
      type: 'STATIC',
      products: [
        { id: 'apple', object: 'product' },
        { id: 'dates', object: 'product' },
      ],
    },
  },
}

/** Optional: present `odds` times as often as absent. */
const maybe = <T>(arbitrary: fc.Arbitrary<T>, odds = 1): fc.Arbitrary<T | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 20 }, { arbitrary, weight: Math.round(odds * 20) })

/** Omits undefined members, as JSON does. */
const record = <T extends Record<string, unknown>>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc
    .record(model)
    .map((made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as T)

const price = fc.oneof({ arbitrary: fc.nat(600), weight: 5 }, fc.constantFrom(0, 1, 99, 100, 333, 12_345))
const quantity = fc.oneof({ arbitrary: fc.nat(5), weight: 9 }, fc.constantFrom(0, 1, 7, 12, 1001, 1_000_000))
const good = fc.oneof(
  { arbitrary: fc.constantFrom(...products).map((productId): ItemFacts => ({ product_id: productId })), weight: 4 },
  fc
    .constantFrom(...products)
    .map((id): ItemFacts => ({ product_id: id, catalogue: { product: catalogue.products![id]! } })),
  fc.constantFrom(...skus).map((id): ItemFacts => {
    const sku = catalogue.skus![id]!
    return { sku_id: id, catalogue: { sku, product: catalogue.products!.bread! } }
  }),
  fc.constant<ItemFacts>({ source_id: 'src-unknown' }),
  fc.constant<ItemFacts>({}),
)

/** A line; a line of a stored order may have discounts and free units. */
const item = (isStored = true): fc.Arbitrary<ItemFacts> =>
  fc
    .tuple(
      good,
      record<ItemFacts>({ quantity, price: maybe(price, 5), amount: maybe(price, 0.2) }),
      isStored
        ? record<ItemFacts>({
            discount_amount: maybe(fc.nat(400), 0.3),
            free_quantity: maybe(fc.nat(2), 0.3),
            discount_quantity: maybe(fc.nat(3), 0.2),
          })
        : fc.constant({}),
    )
    .map((parts) => Object.assign({}, ...parts) as ItemFacts)

export const anyOrder: fc.Arbitrary<OrderFacts> = record<OrderFacts>({
  items: maybe(fc.array(item(), { maxLength: 6 }), 20),
  amount: maybe(fc.nat(4000), 0.25),
  initial_amount: maybe(fc.nat(4000), 0.1),
  discount_amount: maybe(fc.nat(600), 0.3),
  discounted_goods: maybe(fc.subarray([...products]), 0.2),
})

/** An order without earlier discounts, whose amount is the sum of its lines; at least one line has an amount. */
export const freshOrder: fc.Arbitrary<OrderFacts> = fc
  .tuple(
    fc.array(item(false), { minLength: 0, maxLength: 5 }),
    fc.constantFrom(...products),
    fc.integer({ min: 1, max: 5 }),
    price,
  )
  .map(([items, productId, units, each]) => ({
    items: [{ product_id: productId, quantity: units, price: each }, ...items],
  }))

const reference = fc.oneof(
  fc.constantFrom(...products).map((id) => ({ object: 'product' as const, id })),
  fc.constantFrom(...skus).map((id) => ({ object: 'sku' as const, id })),
  fc.constantFrom('bakery', 'fruit', 'pc_a11pr0dUc75').map((id) => ({ object: 'products_collection' as const, id })),
  fc.constant({ object: 'product' as const, source_id: 'src-unknown' }),
)

export const selecting = record<Partial<ApplicableEntry>>({
  strict: maybe(fc.boolean(), 0.3),
  effect: maybe(
    fc.constantFrom(
      'APPLY_TO_EVERY',
      'APPLY_TO_CHEAPEST',
      'APPLY_FROM_CHEAPEST',
      'APPLY_TO_MOST_EXPENSIVE',
      'APPLY_FROM_MOST_EXPENSIVE',
    ),
  ),
  target: maybe(fc.constantFrom('ITEM', 'UNIT')),
  skip_initially: maybe(fc.nat(3), 0.4),
  repeat: maybe(fc.integer({ min: 1, max: 4 }), 0.4),
})

export const unitCaps = record<Partial<ApplicableEntry>>({
  quantity_limit: maybe(fc.integer({ min: 1, max: 4 }), 0.3),
  aggregated_quantity_limit: maybe(fc.integer({ min: 1, max: 6 }), 0.3),
})

export const amountCaps = record<Partial<ApplicableEntry>>({
  amount_limit: maybe(fc.nat(300), 0.3),
  aggregated_amount_limit: maybe(fc.nat(500), 0.3),
})

const lifetimeCaps = record<Partial<ApplicableEntry>>({
  product_campaign_quantity_limit: maybe(fc.nat(6), 0.15),
  product_customer_campaign_quantity_limit: maybe(fc.nat(6), 0.1),
  product_in_collection_campaign_quantity_limit: maybe(fc.nat(4), 0.1),
  product_promotion_tier_quantity_limit: maybe(fc.nat(4), 0.1),
  price: maybe(fc.nat(400), 0.3),
})

const anyEntry: fc.Arbitrary<ApplicableEntry> = fc
  .tuple(reference, selecting, unitCaps, amountCaps, lifetimeCaps)
  .map((parts) => Object.assign({}, ...parts) as ApplicableEntry)

const anyGoods: fc.Arbitrary<ValidationRule> = fc
  .record({
    included: fc.array(anyEntry, { maxLength: 3 }),
    excluded: fc.array(reference, { maxLength: 1 }),
    included_all: fc.boolean(),
  })
  .map(covering)

const percent = fc.oneof(
  fc.nat(100),
  fc.nat(10_000).map((bp) => bp / 100),
  fc.constantFrom(0, 100, 33.333, 12.5),
)
const value = fc.oneof({ arbitrary: fc.nat(900), weight: 5 }, fc.constantFrom(0, 1, 99.5, 100_000))
const units = fc.nat(4)
const unitType = fc.constantFrom('apple', 'bread', 'dates', 'gift', 'bread-s', 'bread-l', 'prod_5h1pp1ng')
const formula = fc.constantFrom(
  'ORDER_AMOUNT / 7',
  'ORDER_ITEM_PRICE / 3',
  'ORDER_UNITS_QUANTITY',
  'CUSTOMER_METADATA("x")',
  '0 - 1',
)

export const amountDiscount: fc.Arbitrary<Discount> = record<Extract<Discount, { type: 'AMOUNT' }>>({
  type: fc.constant('AMOUNT'),
  amount_off: value,
  amount_off_formula: maybe(formula, 0.15),
  aggregated_amount_limit: maybe(fc.nat(800), 0.3),
  effect: maybe(
    fc.constantFrom(
      'APPLY_TO_ORDER',
      'APPLY_TO_ITEMS',
      'APPLY_TO_ITEMS_BY_QUANTITY',
      'APPLY_TO_ITEMS_PROPORTIONALLY',
      'APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY',
    ),
    5,
  ),
})

export const percentDiscount: fc.Arbitrary<Discount> = record<Extract<Discount, { type: 'PERCENT' }>>({
  type: fc.constant('PERCENT'),
  percent_off: percent,
  percent_off_formula: maybe(formula, 0.15),
  amount_limit: maybe(fc.nat(400), 0.3),
  aggregated_amount_limit: maybe(fc.nat(800), 0.3),
  effect: maybe(fc.constantFrom('APPLY_TO_ORDER', 'APPLY_TO_ITEMS')),
})

export const fixedDiscount: fc.Arbitrary<Discount> = record<Extract<Discount, { type: 'FIXED' }>>({
  type: fc.constant('FIXED'),
  fixed_amount: maybe(value, 9),
  fixed_amount_formula: maybe(formula, 0.15),
  effect: maybe(fc.constantFrom('APPLY_TO_ORDER', 'APPLY_TO_ITEMS')),
})

export const unitDiscount = (effect: Extract<Discount, { type: 'UNIT' }>['effect']): fc.Arbitrary<Discount> => {
  const unitTypes = effect === 'ADD_SAME_ITEMS' ? fc.constantFrom('bakery', 'fruit', 'pc_a11pr0dUc75') : unitType
  if (effect === 'ADD_MANY_ITEMS') {
    const unitEntry = fc.record({
      unit_off: units,
      unit_type: unitType,
      effect: fc.constantFrom('ADD_MISSING_ITEMS' as const, 'ADD_NEW_ITEMS' as const),
    })
    return fc
      .array(unitEntry, { maxLength: 3 })
      .map((many): Discount => ({ type: 'UNIT', effect: 'ADD_MANY_ITEMS', units: many }))
  }
  return fc
    .tuple(units, unitTypes)
    .map(([unitOff, type]): Discount => ({ type: 'UNIT', effect: effect ?? null, unit_off: unitOff, unit_type: type }))
}

const anyDiscount: fc.Arbitrary<Discount> = fc.oneof(
  { arbitrary: amountDiscount, weight: 4 },
  { arbitrary: percentDiscount, weight: 4 },
  { arbitrary: fixedDiscount, weight: 2 },
  unitDiscount('ADD_MISSING_ITEMS'),
  unitDiscount('ADD_NEW_ITEMS'),
  unitDiscount('ADD_MANY_ITEMS'),
  unitDiscount('ADD_SAME_ITEMS'),
  unitDiscount('REPLACE_ITEMS'),
)

const categories = fc.constantFrom('cat_a', 'cat_b', 'cat_c')
type Common = {
  category?: { id: string; hierarchy: number }
  campaign?: { id: string; active: boolean }
  rules?: ValidationRule[]
  active: boolean
  units_used?: Record<string, Record<string, number>>
}

const common: fc.Arbitrary<Common> = record<Common>({
  category: maybe(fc.record({ id: categories, hierarchy: fc.nat(2) })),
  campaign: maybe(fc.constantFrom('camp_1', 'camp_2').map((id) => ({ id, active: true }))),
  rules: maybe(
    anyGoods.map((rule) => [rule]),
    2,
  ),
  active: fc.oneof({ arbitrary: fc.constant(true), weight: 19 }, fc.constant(false)),
  units_used: maybe(
    fc.nat(3).map((used) => ({ product_campaign_quantity_limit: { apple: used, fruit: used } })),
    0.2,
  ),
})

const bundle = {
  id: 'val_bundle',
  rules: {},
  bundle_rules: {
    '1': { name: 'order.items.any', conditions: { $is: [{ id: 'apple', object: 'product' }] } },
    limit: 3,
    logic: '1',
  },
}
const floor = {
  id: 'val_floor',
  rules: { '1': { name: 'order.total_amount', conditions: { $more_than: [200] } }, logic: '1' },
}

/** A factory of an arbitrary redeemable with a given id. */
export const anyRedeemable: fc.Arbitrary<(id: string) => Redeemable> = fc.oneof(
  {
    arbitrary: fc
      .tuple(anyDiscount, common, fc.constantFrom(null, null, null, bundle, floor))
      .map(([discount, more, rule]) => (id: string): Redeemable => {
        const rules = [...(more.rules ?? []), ...(rule === null ? [] : [rule])]
        return voucher(id, discount, { ...more, rules })
      }),
    weight: 8,
  },
  fc.tuple(anyDiscount, common).map(
    ([discount, more]) =>
      (id: string): Redeemable =>
        tier(id, discount, more),
  ),
  {
    arbitrary: fc
      .tuple(
        fc.nat(900),
        maybe(fc.nat(900)),
        fc.constantFrom('APPLY_TO_ORDER' as const, 'APPLY_TO_ITEMS' as const),
        common,
      )
      .map(
        ([balance, credits, effect, more]) =>
          (id: string): Redeemable =>
            giftCard(id, balance, { ...more, credits: credits ?? null, gift: { balance, effect } }),
      ),
    weight: 2,
  },
  fc.tuple(fc.nat(500), maybe(fc.nat(300))).map(
    ([balance, points]) =>
      (id: string): Redeemable =>
        loyaltyCard(id, balance, {
          points: points ?? null,
          reward: { type: 'COIN', id: 'rew_1', exchange_ratio: 0.35, points_ratio: 10 },
        }),
  ),
  fc.constant((id: string): Redeemable => ({ kind: 'unknown', object: 'voucher', id })),
)

const anyRules: fc.Arbitrary<StackingRules> = fc
  .record({
    exclusive_categories: fc.constantFrom<string[][]>([], [], ['cat_a']),
    joint_categories: fc.constantFrom<string[][]>([], ['cat_b']),
    applicable_redeemables_limit: fc.integer({ min: 1, max: 6 }),
    applicable_redeemables_per_category_limit: fc.constantFrom(null, 1, 2),
    applicable_exclusive_redeemables_limit: fc.constantFrom(1, 2),
    discount_calculation_mode: fc.constantFrom('INITIAL_AMOUNT' as const, 'DISCOUNTED_AMOUNT' as const),
    initial_amount_mode_categories: fc.constantFrom<string[][]>([], ['cat_c']),
    redeemables_application_mode: fc.constantFrom('ALL' as const, 'PARTIAL' as const, 'PARTIAL' as const),
    redeemables_sorting_rule: fc.constantFrom('REQUESTED_ORDER' as const, 'CATEGORY_HIERARCHY' as const),
    redeemables_products_application_mode: fc.constantFrom('STACK' as const, 'STACK' as const, 'ONCE' as const),
    redeemables_no_effect_rule: fc.constantFrom('REDEEM_ANYWAY' as const, 'SKIP' as const),
    grouped_redeemables_sorting_rule: fc.constantFrom('JOINT_ALWAYS_LAST' as const, 'SORTING_RULE_ORDER' as const),
  })
  .map((rules) => ({ ...defaultStackingRules, ...rules }))

/** Facts around an order and redeemables. */
export const factsOf = (
  order: OrderFacts | null,
  redeemables: Redeemable[],
  rules: StackingRules = defaultStackingRules,
): Facts => ({
  now: noon,
  timezone: 'UTC',
  order,
  customer: { id: 'cust_1' },
  catalogue,
  stacking_rules: rules,
  redeemables,
})

export const anyFacts: fc.Arbitrary<Facts> = fc
  .tuple(fc.option(anyOrder, { freq: 20 }), fc.array(anyRedeemable, { minLength: 1, maxLength: 5 }), anyRules)
  .map(([order, redeemables, rules]) =>
    factsOf(
      order,
      redeemables.map((make, i) => make(`R${i}`)),
      rules,
    ),
  )
