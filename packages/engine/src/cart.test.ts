import { describe, expect, test } from 'vitest'
import { calculatedOrder, calculateOrder } from './calculated-order.ts'
import { openCart, paidUnits, subtotalOf, totalOf } from './cart.ts'
import type { ItemFacts, OrderFacts } from './schema/index.ts'
import { discountsOrReasons, evaluateChecked, fieldOfLines, orderOf } from './testing/evaluated.ts'
import { brokenIdentities } from './testing/identities.ts'
import {
  amountOff,
  facts,
  line,
  order,
  percentOff,
  product,
  sku,
  storedSku,
  unitsOff,
  voucher,
} from './testing/shop.ts'

/** The calculated order without redeemables; every sum is checked. */
function calculateChecked(given: OrderFacts) {
  const calculated = calculateOrder(given)
  expect(brokenIdentities(calculated)).toEqual([])
  return calculated
}

describe('amount of a line', () => {
  const catalogue = { sku: sku('s', { price: 700, product_id: 'p' }), product: product('p', { price: 800 }) }

  test.each<[string, ItemFacts, number | undefined]>([
    ['the price of the line', { price: 100, sku: { price: 200 }, product: { price: 300 }, catalogue }, 100],
    ['the price sent for the SKU', { sku: { price: 200 }, product: { price: 300 }, catalogue }, 200],
    ['the price stored for the SKU', { product: { price: 300 }, catalogue }, 700],
    ['the price sent for the product', { product: { price: 300 }, catalogue: { product: catalogue.product } }, 300],
    ['the price stored for the product', { catalogue: { product: catalogue.product } }, 800],
    ['no price', { product_id: 'p' }, undefined],
    ['a price of 0 is a price', { price: 0, product: { price: 300 } }, 0],
  ])('%s', (_, item, price) => {
    const [first] = calculateChecked({ items: [{ ...item, quantity: 3 }] }).items
    expect(first?.price).toBe(price)
    expect(first?.amount).toBe(price === undefined ? undefined : price * 3)
  })

  test('a sent amount takes precedence over price × quantity, and the price is kept', () => {
    const [first] = calculateChecked({ items: [{ product_id: 'p', quantity: 3, price: 500, amount: 1200 }] }).items
    expect(first).toMatchObject({ price: 500, amount: 1200, initial_amount: 1200, subtotal_amount: 1200 })
  })

  test('a sent amount does not define the unit price', () => {
    const [first] = calculateChecked({ items: [{ product_id: 'p', quantity: 3, amount: 1000 }] }).items
    expect(first).toMatchObject({ quantity: 3, amount: 1000 })
    expect(first).not.toHaveProperty('price')
  })

  test('a line without a quantity has one unit', () => {
    expect(calculateChecked({ items: [{ price: 250 }] }).items[0]).toMatchObject({
      quantity: 1,
      initial_quantity: 1,
      amount: 250,
    })
  })

  test('a line of quantity 0 costs nothing', () => {
    expect(calculateChecked({ items: [line('p', 0, 250), line('q', 1, 100)] })).toMatchObject({
      amount: 100,
      items: [{ quantity: 0, amount: 0, price: 250 }, { amount: 100 }],
    })
  })
})

describe('amount of an order', () => {
  // Example E20 of docs/reference.
  const lines: ItemFacts[] = [
    { ...storedSku(sku('s', { product_id: 'p' }), 2), sku: { price: 1700 }, product: { price: 2100 } },
    { product_id: 'q', quantity: 3, catalogue: { product: product('q', { price: 450 }) } },
  ]

  test('is the sum of its lines when no amount was sent', () => {
    expect(calculateChecked({ items: lines })).toMatchObject({
      amount: 4750, // 3400 + 1350
      initial_amount: 4750,
      total_amount: 4750,
      items: [{ price: 1700, amount: 3400 }, { amount: 1350 }],
    })
  })

  test('is the sent amount even if the lines add up to another', () => {
    expect(calculateChecked({ amount: 5000, items: lines })).toMatchObject({ amount: 5000, total_amount: 5000 })
    expect(calculateChecked({ amount: 10_000, items: [line('a', 2)] })).toEqual({
      amount: 10_000,
      initial_amount: 10_000,
      discount_amount: 0,
      items_discount_amount: 0,
      total_discount_amount: 0,
      total_amount: 10_000,
      applied_discount_amount: 0,
      items_applied_discount_amount: 0,
      total_applied_discount_amount: 0,
      items: [{ object: 'order_item', product_id: 'a', quantity: 2, initial_quantity: 2 }],
      metadata: {},
    })
  })

  test('is the sum of the lines with a known amount', () => {
    expect(calculateChecked(order(line('a', 2), line('b', 2, 300))).amount).toBe(600)
  })

  test('is unknown without any line amount: then all nine amounts are absent', () => {
    expect(calculateChecked(order(line('a', 2)))).toEqual({
      items: [{ object: 'order_item', product_id: 'a', quantity: 2, initial_quantity: 2 }],
      metadata: {},
    })
    expect(calculateChecked({})).toEqual({ items: [], metadata: {} })
    expect(totalOf(openCart({}))).toBe(0)
  })

  test('throws for an amount that is too large to be exact, instead of rounding', () => {
    const given = facts({ order: order(line('a', 2, 2 ** 52)), redeemables: [voucher('P', percentOff(10))] })
    expect(evaluateChecked(given)).toEqual({
      valid: false,
      redeemables: [
        {
          status: 'INAPPLICABLE',
          object: 'voucher',
          id: 'P',
          reason: { key: 'invalid_amount', message: 'Invalid Amount', details: 'amount out of range' },
        },
      ],
    })
    const sum = facts({
      order: order(line('a', 1, 2 ** 53 - 1), line('b', 1, 1)),
      redeemables: [voucher('P', percentOff(10))],
    })
    expect(discountsOrReasons(evaluateChecked(sum))).toEqual(['invalid_amount'])
  })
})

describe('discounts granted before the request', () => {
  test('are capped so that no line and no total falls below zero', () => {
    const calculated = calculateChecked({
      items: [
        { product_id: 'a', price: 500, discount_amount: 900 }, // a line of 5.00 cannot be 9.00 cheaper
        { product_id: 'b', price: 700, discount_amount: 200 },
        { product_id: 'c', discount_amount: 100 }, // its amount is unknown
      ],
      discount_amount: 800, // 5.00 are left: 12.00 − 5.00 − 2.00
    })
    expect(calculated).toMatchObject({
      amount: 1200,
      items_discount_amount: 700,
      discount_amount: 500,
      total_amount: 0,
      total_applied_discount_amount: 0,
      items: [{ discount_amount: 500, subtotal_amount: 0 }, { discount_amount: 200, subtotal_amount: 500 }, {}],
    })
    expect(calculated.items[2]).not.toHaveProperty('discount_amount')
  })

  test('are capped by an order amount that is less than its lines', () => {
    const given = {
      amount: 600,
      items: [
        { price: 500, discount_amount: 500 },
        { price: 500, discount_amount: 300 },
      ],
    }
    expect(calculateChecked(given)).toMatchObject({ items_discount_amount: 600, total_amount: 0 })
    expect(calculateChecked({ ...given, discount_amount: 50 })).toMatchObject({ discount_amount: 0, total_amount: 0 })
  })

  test('reduce the base of the next: 10 % of 25.00 − 5.00 − 4.00', () => {
    const given = facts({
      order: { discount_amount: 400, items: [{ ...line('a', 5, 500), discount_amount: 500 }] },
      redeemables: [voucher('P', percentOff(10))],
    })
    expect(orderOf(evaluateChecked(given))).toMatchObject({
      amount: 2500,
      discount_amount: 560, // 4.00 from before, 1.60 now
      items_discount_amount: 500,
      applied_discount_amount: 160,
      total_amount: 1440,
    })
  })

  test('free units stay free', () => {
    const cart = openCart({
      items: [{ ...line('mug', 3, 1500), discount_amount: 3000, discount_quantity: 2, free_quantity: 2 }],
    })
    const [mugs] = cart.lines
    expect(paidUnits(mugs!)).toBe(1)
    expect(subtotalOf(mugs!)).toBe(1500)
    expect(calculatedOrder(cart, 'request').items[0]).toMatchObject({ discount_quantity: 2, discount_amount: 3000 })
  })

  test('counts of discounted and free units never exceed the quantity', () => {
    expect(
      calculateChecked({ items: [{ ...line('a', 2, 100), discount_quantity: 9 }] }).items[0]?.discount_quantity,
    ).toBe(2)
    expect(calculateChecked({ items: [{ ...line('a', 2, 100), free_quantity: 9 }] }).items[0]?.discount_quantity).toBe(
      2,
    )
  })

  test('a stored order keeps its initial amounts and quantities', () => {
    const calculated = calculateChecked({
      initial_amount: 1000,
      items: [{ ...line('a', 3, 500), initial_quantity: 2, initial_amount: 1000 }],
    })
    expect(calculated).toMatchObject({ amount: 1500, initial_amount: 1000 })
    expect(calculated.items[0]).toMatchObject({ quantity: 3, initial_quantity: 2, initial_amount: 1000 })
  })
})

describe('product and SKU of a calculated line', () => {
  test('are the catalogue data overlaid with the sent data', () => {
    const [shirt] = calculateChecked({
      items: [
        {
          id: 'ordli_1',
          source_id: 'shirt-m',
          related_object: 'sku',
          quantity: 1,
          product: { name: 'Shirt', metadata: { season: 'summer' } },
          sku: { price: 900, metadata: { size: 'M' } },
          metadata: { gift: true },
          catalogue: {
            product: product('prod_1', { source_id: 'shirt', name: 'Old', metadata: { season: 'old', kind: 'cloth' } }),
            sku: sku('sku_1', { source_id: 'shirt-m', sku: 'Shirt M', price: 1000, product_id: 'prod_1' }),
          },
        },
      ],
    }).items
    expect(shirt).toEqual({
      object: 'order_item',
      id: 'ordli_1',
      source_id: 'shirt-m',
      related_object: 'sku',
      product_id: 'prod_1',
      sku_id: 'sku_1',
      quantity: 1,
      initial_quantity: 1,
      price: 900,
      amount: 900,
      initial_amount: 900,
      subtotal_amount: 900,
      product: { id: 'prod_1', source_id: 'shirt', name: 'Shirt', metadata: { season: 'summer', kind: 'cloth' } },
      sku: { id: 'sku_1', source_id: 'shirt-m', sku: 'Shirt M', price: 900, metadata: { size: 'M' } },
      metadata: { gift: true },
    })
  })
})

describe('applied amounts', () => {
  const given = facts({
    order: order(line('a', 1, 1000), line('b', 1, 2000)),
    redeemables: [
      voucher('1', amountOff(100, { effect: 'APPLY_TO_ITEMS' })),
      voucher('2', amountOff(300)),
      voucher('3', percentOff(50, { effect: 'APPLY_TO_ITEMS' })),
    ],
  })

  test('are per redeemable in outcomes and total in the verdict; discounts always include all', () => {
    const verdict = evaluateChecked(given)
    expect(verdict.redeemables).toMatchObject([
      { order: { applied_discount_amount: 0, items_applied_discount_amount: 200, discount_amount: 0 } },
      { order: { applied_discount_amount: 300, items_applied_discount_amount: 0, items_discount_amount: 200 } },
      // Half of 9.00 and 19.00.
      { order: { applied_discount_amount: 0, items_applied_discount_amount: 1400, items_discount_amount: 1600 } },
    ])
    expect(orderOf(verdict)).toMatchObject({
      applied_discount_amount: 300,
      items_applied_discount_amount: 1600,
      total_applied_discount_amount: 1900,
      total_amount: 1100,
    })
    expect(fieldOfLines(verdict, 'applied_discount_amount')).toEqual([550, 1050])
  })

  test('of the request exclude earlier discounts', () => {
    const verdict = evaluateChecked(
      facts({
        order: { discount_amount: 100, items: [{ ...line('a', 1, 1000), discount_amount: 200 }] },
        redeemables: [voucher('1', amountOff(50)), voucher('2', amountOff(30, { effect: 'APPLY_TO_ITEMS' }))],
      }),
    )
    expect(orderOf(verdict)).toMatchObject({
      discount_amount: 150,
      applied_discount_amount: 50,
      items_discount_amount: 230,
      items_applied_discount_amount: 30,
      total_amount: 620,
    })
  })
})

describe('an order of unknown amount', () => {
  test('stays unknown when a good with a price is given away with it', () => {
    const verdict = evaluateChecked(
      facts({
        order: order(line('tea', 2)),
        products: [product('mug', { price: 1500 })],
        redeemables: [
          voucher('1', unitsOff(1, 'mug')),
          voucher('2', percentOff(10, { effect: 'APPLY_TO_ITEMS' })),
          voucher('3', amountOff(500)),
        ],
      }),
    )
    expect(verdict.redeemables.map((outcome) => outcome.status)).toEqual(['APPLICABLE', 'APPLICABLE', 'APPLICABLE'])
    expect(orderOf(verdict)).not.toHaveProperty('amount')
    expect(orderOf(verdict).items[1]).toMatchObject({
      product_id: 'mug',
      quantity: 1,
      amount: 1500,
      discount_amount: 1500,
      subtotal_amount: 0,
    })
  })
})
