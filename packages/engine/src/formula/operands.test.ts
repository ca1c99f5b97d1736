import { describe, expect, test } from 'vitest'
import { discountLine, type Line, openCart } from '../cart.ts'
import type { EvaluationScope, LineScope } from '../evaluation-scope.ts'
import { Ratio } from '../money.ts'
import type { DiscountVoucher, ItemFacts, KnownRedeemable, OrderFacts } from '../schema/index.ts'
import { clockAt } from '../time/index.ts'
import { WorkMeter } from '../work.ts'
import { compileFormula, evaluateFormula, isFault } from './index.ts'

const voucher: DiscountVoucher = {
  kind: 'discount_voucher',
  object: 'voucher',
  id: 'SPRING',
  code: 'SPRING',
  resource_id: 'v_1',
  active: true,
  start_date: '2025-01-10T20:00:00.000Z', // 11 January in Tokyo
  expiration_date: '2025-12-24T12:00:00.000Z',
  metadata: { level: 4 },
  quantity: 50,
  redeemed_quantity: 7,
  publish_count: 3,
  publication_metadata: { channel: { weight: 2.5 } },
  discount: { type: 'AMOUNT', amount_off: 100 },
}

const tier: KnownRedeemable = {
  kind: 'promotion_tier',
  object: 'promotion_tier',
  id: 'promo_1',
  resource_id: 'promo_1',
  active: true,
  start_date: '2025-02-01T00:00:00.000Z',
  expiration_date: '2025-04-01T00:00:00.000Z',
  metadata: { level: 9 },
}

/** Tea and tin cost the same; tea is worth less as a line, and less still after its item discount. */
const order: OrderFacts = {
  amount: 25_600,
  metadata: { gift_wrap: 2 },
  items: [
    { product_id: 'pot', quantity: 1, price: 5_650, metadata: { weight: 3 } },
    { product_id: 'tin', quantity: 3, price: 2_000 },
    {
      product_id: 'tea',
      quantity: 2,
      price: 2_000,
      discount_amount: 150,
      metadata: { weight: 1 },
      product: { metadata: { aroma: 8 } },
      catalogue: { product: { id: 'tea', metadata: { aroma: 5, grams: 250 } } },
    },
    { product_id: 'cup', quantity: 4, price: 3_000 },
  ],
}

const scopeOf = (facts: OrderFacts | null, redeemable: KnownRedeemable | null = voucher): EvaluationScope => ({
  clock: clockAt('2025-02-28T23:30:00.000Z', 'Asia/Tokyo'),
  customer: { birthdate: '1990-05-17', metadata: { visits: 12 } },
  caller: null,
  metadata: { till: 6 },
  catalogue: {},
  cart: facts === null ? null : openCart(facts),
  redeemable,
  event_metadata: null,
  counters: {},
  bundle_quantity: 3,
  work: new WorkMeter(),
  effect: null,
})

/** The value as a decimal, or `missing`. */
function evaluateText(text: string, scope: EvaluationScope | LineScope): unknown {
  const formula = compileFormula(text)
  if (isFault(formula)) throw new Error(`${formula.fault}: ${text}`)
  const value = evaluateFormula(formula, scope)
  return isFault(value) ? (value.fault.endsWith(' has no value') ? 'missing' : value.fault) : value
}

const exactly = (value: number | string) => (value === 'missing' ? value : Ratio.fromDecimal(value))

test.each([
  ['ORDER_AMOUNT', 256],
  ['ORDER_ITEMS_QUANTITY', 4],
  ['ORDER_UNITS_QUANTITY', 10],
  ['ORDER_BUNDLE_QUANTITY', 3],
  ['order.bundle.quantity', 3],
  ['ORDER_METADATA("gift_wrap")', 2],
  ['CUSTOMER_METADATA("visits")', 12],
  ['REDEMPTION_METADATA("till")', 6],
  ['REDEEMABLE_METADATA("level")', 4],
  ['PUBLICATION_METADATA("channel.weight")', 2.5],
  ['VOUCHER_REDEMPTION_QUANTITY', 50],
  ['VOUCHER_REDEEMED_QUANTITY', 7],
  ['VOUCHER_PUBLISH_COUNT', 3],
  ['DAY_OF_MONTH(VOUCHER_START_DATE)', 11],
  ['MONTH(VOUCHER_EXPIRATION_DATE)', 12],
  ['YEAR(CUSTOMER_BIRTHDATE)', 1990],
  ['DAY_OF_MONTH(TODAY)', 1],
  ['DAY_OF_MONTH(NOW)', 1],
  ['CHEAPEST_ORDER_ITEM_PRICE', 20],
  ['CHEAPEST_ORDER_ITEM_AMOUNT', 40],
  ['CHEAPEST_ORDER_ITEM_SUBTOTAL', 38.5],
  ['CHEAPEST_ORDER_ITEM_UNITS_QUANTITY', 2],
  ['CHEAPEST_ORDER_ITEM_METADATA("weight")', 1],
  ['CHEAPEST_ORDER_ITEM_PRODUCT_METADATA("aroma")', 8], // sent data take precedence over the catalogue
  ['CHEAPEST_ORDER_ITEM_PRODUCT_METADATA("grams")', 250],
  ['CHEAPEST_ORDER_ITEM_METADATA("aroma")', 'missing'],
  ['CHEAPEST_ORDER_ITEM_PRODUCT_METADATA("weight")', 'missing'],
  ['MOST_EXPENSIVE_ORDER_ITEM_PRICE', 56.5],
  ['MOST_EXPENSIVE_ORDER_ITEM_AMOUNT', 56.5],
  ['MOST_EXPENSIVE_ORDER_ITEM_SUBTOTAL', 56.5],
  ['MOST_EXPENSIVE_ORDER_ITEM_UNITS_QUANTITY', 1],
  ['MOST_EXPENSIVE_ORDER_ITEM_METADATA("weight")', 3],
  ['MOST_EXPENSIVE_ORDER_ITEM_PRODUCT_METADATA("weight")', 'missing'],
  ['ORDER_ITEM_PRICE', 'missing'],
  ['ORDER_ITEM_AMOUNT', 'missing'],
  ['ORDER_ITEM_SUBTOTAL', 'missing'],
  ['ORDER_ITEM_UNITS_QUANTITY', 'missing'],
  ['ORDER_ITEM_METADATA("weight")', 'missing'],
  ['ORDER_ITEM_PRODUCT_METADATA("aroma")', 'missing'],
  ['YEAR(PROMOTION_TIER_START_DATE)', 'missing'],
  ['YEAR(PROMOTION_TIER_EXPIRATION_DATE)', 'missing'],
])('%s of a voucher on the order is %s', (text, expected) => {
  expect(evaluateText(text, scopeOf(order))).toEqual(exactly(expected))
})

test.each([
  ['ORDER_ITEM_PRICE', 20],
  ['ORDER_ITEM_AMOUNT', 40],
  ['ORDER_ITEM_SUBTOTAL', 38.5],
  ['ORDER_ITEM_UNITS_QUANTITY', 2],
  ['ORDER_ITEM_METADATA("weight")', 1],
  ['ORDER_ITEM_METADATA("aroma")', 'missing'],
  ['ORDER_ITEM_PRODUCT_METADATA("aroma")', 8],
  ['ORDER_ITEM_PRODUCT_METADATA("grams")', 250],
  ['ORDER_ITEM_PRODUCT_METADATA("weight")', 'missing'],
  ['MOST_EXPENSIVE_ORDER_ITEM_PRICE - ORDER_ITEM_PRICE', 36.5],
])('%s on the line of the tea is %s', (text, expected) => {
  const scope = scopeOf(order)
  expect(evaluateText(text, { ...scope, line: scope.cart?.lines[2] as Line })).toEqual(exactly(expected))
})

test.each([
  ['MONTH(PROMOTION_TIER_START_DATE)', 2],
  ['MONTH(PROMOTION_TIER_EXPIRATION_DATE)', 4],
  ['REDEEMABLE_METADATA("level")', 9],
  ['YEAR(VOUCHER_START_DATE)', 'missing'],
  ['YEAR(VOUCHER_EXPIRATION_DATE)', 'missing'],
  ['VOUCHER_REDEMPTION_QUANTITY', 'missing'],
  ['VOUCHER_REDEEMED_QUANTITY', 'missing'],
  ['VOUCHER_PUBLISH_COUNT', 'missing'],
  ['PUBLICATION_METADATA("channel.weight")', 'missing'],
])('%s of a promotion tier is %s', (text, expected) => {
  expect(evaluateText(text, scopeOf(order, tier))).toEqual(exactly(expected))
})

test.each([
  'ORDER_AMOUNT',
  'ORDER_ITEMS_QUANTITY',
  'ORDER_UNITS_QUANTITY',
  'ORDER_METADATA("a")',
  'CUSTOMER_METADATA("visits")',
  'YEAR(CUSTOMER_BIRTHDATE)',
  'REDEMPTION_METADATA("a")',
  'REDEEMABLE_METADATA("level")',
  'VOUCHER_REDEEMED_QUANTITY',
  'VOUCHER_PUBLISH_COUNT',
  'CHEAPEST_ORDER_ITEM_PRICE',
  'MOST_EXPENSIVE_ORDER_ITEM_METADATA("a")',
])('%s is missing without order, customer and redeemable', (text) => {
  expect(evaluateText(text, { ...scopeOf(null, null), customer: null, metadata: null })).toBe('missing')
})

describe('fields that a voucher does not have', () => {
  test('are missing, except the publish count, which is 0', () => {
    const { publish_count: _, start_date: __, expiration_date: ___, ...rest } = voucher
    const scope = scopeOf(order, { ...rest, quantity: null })
    expect(evaluateText('VOUCHER_REDEMPTION_QUANTITY', scope)).toBe('missing')
    expect(evaluateText('YEAR(VOUCHER_START_DATE)', scope)).toBe('missing')
    expect(evaluateText('YEAR(VOUCHER_EXPIRATION_DATE)', scope)).toBe('missing')
    expect(evaluateText('VOUCHER_PUBLISH_COUNT', scope)).toEqual(Ratio.of(0, 1))
  })
})

describe('the cheapest and the most expensive line', () => {
  const picked = (which: 'CHEAPEST' | 'MOST_EXPENSIVE', ...items: ItemFacts[]) => {
    const marked = items.map((item, index) => ({ ...item, metadata: { index } }))
    const found = evaluateText(`${which}_ORDER_ITEM_METADATA("index")`, scopeOf({ items: marked }))
    return found === 'missing' ? found : Number((found as Ratio).n)
  }

  test('on equal prices the line with the lowest subtotal, then the first line', () => {
    const lines = [
      { price: 500, quantity: 3 },
      { price: 500, quantity: 2, discount_amount: 100 }, // 900
      { price: 500, quantity: 2, discount_amount: 200 }, // 800
      { price: 500, quantity: 2, discount_amount: 200 },
    ]
    expect(picked('CHEAPEST', ...lines)).toBe(2)
    expect(picked('MOST_EXPENSIVE', ...lines)).toBe(2)
  })

  test('is chosen by unit price, not by line amount', () => {
    const lines = [
      { price: 500, quantity: 1 },
      { price: 100, quantity: 90 },
    ]
    expect(picked('CHEAPEST', ...lines)).toBe(1)
    expect(picked('MOST_EXPENSIVE', ...lines)).toBe(0)
  })

  test('a sent price is compared even if the amount implies another', () => {
    const lines = [
      { price: 500, quantity: 1, amount: 100 },
      { price: 400, quantity: 1 },
    ]
    expect(picked('CHEAPEST', ...lines)).toBe(1)
    expect(evaluateText('MOST_EXPENSIVE_ORDER_ITEM_PRICE', scopeOf({ items: lines }))).toEqual(Ratio.of(5, 1))
  })

  test('without a price, the amount per unit is compared', () => {
    const lines = [
      { price: 334, quantity: 1 },
      { amount: 1_000, quantity: 3 },
      { price: 333, quantity: 1 },
    ]
    expect(picked('CHEAPEST', ...lines)).toBe(2)
    expect(picked('CHEAPEST', ...lines.slice(0, 2))).toBe(1)
    expect(evaluateText('CHEAPEST_ORDER_ITEM_PRICE', scopeOf({ items: lines.slice(0, 2) }))).toEqual(Ratio.of(10, 3))
  })

  test('lines without units or without a price are ignored', () => {
    const lines = [
      { quantity: 1 },
      { price: 1, quantity: 0 },
      { price: 700, quantity: 1 },
      { price: 9_999, quantity: 0 },
    ]
    expect(picked('CHEAPEST', ...lines)).toBe(2)
    expect(picked('MOST_EXPENSIVE', ...lines)).toBe(2)
    expect(picked('CHEAPEST', ...lines.slice(0, 2))).toBe('missing')
  })
})

test('lines without units do not count, and an order without lines has none', () => {
  const scope = scopeOf({ items: [{ price: 100, quantity: 0 }, { price: 100 }] })
  expect(evaluateText('ORDER_ITEMS_QUANTITY', scope)).toEqual(Ratio.of(1, 1))
  expect(evaluateText('ORDER_UNITS_QUANTITY', scope)).toEqual(Ratio.of(1, 1))
  expect(evaluateText('ORDER_ITEMS_QUANTITY', scopeOf({ amount: 5 }))).toEqual(Ratio.of(0, 1))
  expect(evaluateText('ORDER_AMOUNT', scopeOf({ items: [{ quantity: 1 }] }))).toBe('missing')
})

test('operands of a line without price, amount or units are missing', () => {
  const scope = scopeOf({ items: [{ quantity: 0, amount: 0 }, { quantity: 2 }] })
  const on = (index: number) => ({ ...scope, line: scope.cart?.lines[index] as Line })
  expect(evaluateText('ORDER_ITEM_PRICE', on(0))).toBe('missing')
  expect(evaluateText('ORDER_ITEM_AMOUNT', on(0))).toEqual(Ratio.of(0, 1))
  expect(evaluateText('ORDER_ITEM_PRICE', on(1))).toBe('missing')
  expect(evaluateText('ORDER_ITEM_AMOUNT', on(1))).toBe('missing')
  expect(evaluateText('ORDER_ITEM_SUBTOTAL', on(1))).toBe('missing')
})

test('operands read the current cart, and ORDER_AMOUNT is the amount before discounts', () => {
  const scope = scopeOf(order)
  discountLine(scope.cart?.lines[3] as Line, 11_950)
  expect(evaluateText('ORDER_AMOUNT', scope)).toEqual(Ratio.of(256, 1))
  expect(evaluateText('ORDER_ITEM_SUBTOTAL', { ...scope, line: scope.cart?.lines[3] as Line })).toEqual(
    Ratio.fromDecimal(0.5),
  )
})

test('a quantity beyond the safe integers is missing', () => {
  const items = [{ quantity: Number.MAX_SAFE_INTEGER }, { quantity: 1 }]
  expect(evaluateText('ORDER_UNITS_QUANTITY', scopeOf({ items }))).toBe('missing')
})

test('an invalid birthdate is missing', () => {
  expect(evaluateText('YEAR(CUSTOMER_BIRTHDATE)', { ...scopeOf(order), customer: { birthdate: 'in spring' } })).toBe(
    'missing',
  )
})
