import { describe, expect, test } from 'vitest'
import type {
  CatalogueProduct,
  CatalogueSku,
  Discount,
  ItemFacts,
  OrderFacts,
  Redeemable,
  StackingRules,
} from '../schema/index.ts'
import {
  applicable,
  discountsOrReasons,
  evaluateChecked,
  fieldOfLines,
  lineDiscounts,
  orderOf,
} from '../testing/evaluated.ts'
import {
  amountOff,
  facts,
  line,
  on,
  order,
  percentOff,
  product,
  sku,
  stored,
  storedSku,
  unitsOff,
  voucher,
} from '../testing/shop.ts'

const mug: CatalogueProduct = product('mug', { name: 'Mug', price: 1500 })
const tea: CatalogueProduct = product('tea', { name: 'Tea', price: 1000 })
const bag: CatalogueProduct = product('bag', { name: 'Bag' }) // no price
const green: CatalogueSku = sku('green', { product_id: 'tea', price: 1200 })
const plain: CatalogueSku = sku('plain', { product_id: 'mug' })
const collections = { drinks: { type: 'STATIC', products: [{ id: 'tea', object: 'product' }] } } as const
const Addnew = { effect: 'ADD_NEW_ITEMS' } as const
const Addmissing = { effect: 'ADD_MISSING_ITEMS' } as const

const shop = (given: OrderFacts | null, redeemables: Redeemable[], rules: Partial<StackingRules> = {}) =>
  facts({
    order: given,
    redeemables,
    rules,
    products: [mug, tea, bag],
    skus: [green, plain],
    collections: collections as never,
  })
const given = (givenOrder: OrderFacts | null, ...discount: Discount[]) =>
  shop(
    givenOrder,
    discount.map((one, i) => voucher(String(i + 1), one)),
  )
const mugAndTea = () => order(stored(mug, 1), stored(tea, 2))

describe('added free units', () => {
  test('join the line of the good and do not change the amount to pay', () => {
    const verdict = evaluateChecked(given(mugAndTea(), unitsOff(3, 'mug', Addnew)))
    expect(orderOf(verdict)).toMatchObject({ amount: 8000, initial_amount: 3500, total_amount: 3500 })
    expect(orderOf(verdict).items[0]).toMatchObject({
      quantity: 4,
      initial_quantity: 1,
      amount: 6000,
      initial_amount: 1500,
      discount_amount: 4500,
      applied_discount_amount: 4500,
      subtotal_amount: 1500,
      discount_quantity: 3,
      applied_discount_quantity: 3,
      applied_quantity: 3,
      applied_quantity_amount: 4500,
    })
  })

  test('get a new line when there is none; its initial amount is 0', () => {
    const verdict = evaluateChecked(given(order(stored(tea, 2)), unitsOff(2, 'mug', Addnew)))
    expect(orderOf(verdict)).toMatchObject({ amount: 5000, initial_amount: 2000, total_amount: 2000 })
    expect(orderOf(verdict).items[1]).toEqual({
      object: 'order_item',
      product_id: 'mug',
      quantity: 2,
      initial_quantity: 0,
      price: 1500,
      amount: 3000,
      initial_amount: 0,
      subtotal_amount: 0,
      discount_amount: 3000,
      applied_discount_amount: 3000,
      discount_quantity: 2,
      applied_discount_quantity: 2,
      applied_quantity: 2,
      applied_quantity_amount: 3000,
      product: { id: 'mug', name: 'Mug', price: 1500 },
    })
  })

  test("of an SKU have both ids, and the product's price when the SKU has none", () => {
    const [first] = orderOf(evaluateChecked(given({ items: [] }, unitsOff(1, 'green')))).items
    expect(first).toMatchObject({ product_id: 'tea', sku_id: 'green', price: 1200 })
    const [second] = orderOf(evaluateChecked(given({ items: [] }, unitsOff(1, 'plain')))).items
    expect(second).toMatchObject({ product_id: 'mug', sku_id: 'plain', price: 1500 })
  })

  test('of a product do not join a line of its SKUs, nor the reverse', () => {
    const items = () => [storedSku(green, 1, 1200), stored(tea, 1)]
    expect(fieldOfLines(evaluateChecked(given({ items: items() }, unitsOff(1, 'tea', Addnew))), 'quantity')).toEqual([
      1, 2,
    ])
    expect(fieldOfLines(evaluateChecked(given({ items: items() }, unitsOff(1, 'green', Addnew))), 'quantity')).toEqual([
      2, 1,
    ])
    const onlySku = { items: [storedSku(green, 1, 1200)] }
    expect(fieldOfLines(evaluateChecked(given(onlySku, unitsOff(1, 'tea', Addnew))), 'sku_id')).toEqual([
      'green',
      undefined,
    ])
  })

  test('are valued like the units of the line when its amount is not price × quantity', () => {
    const reduced = { ...stored(mug, 2), amount: 2000 } // 10.00 each, though a mug is 15.00
    const verdict = evaluateChecked(given({ items: [reduced] }, unitsOff(1, 'mug', Addnew)))
    expect(orderOf(verdict)).toMatchObject({ amount: 3000, total_amount: 2000 })
    expect(orderOf(verdict).items[0]).toMatchObject({ amount: 3000, discount_amount: 1000, subtotal_amount: 2000 })
    const thirds = { ...stored(mug, 3), amount: 1000 }
    expect(orderOf(evaluateChecked(given({ items: [thirds] }, unitsOff(2, 'mug', Addnew))))).toMatchObject({
      amount: 1667, // 666.67 more
      total_amount: 1000,
    })
  })

  test('use the price of the line rather than that of the catalogue', () => {
    const verdict = evaluateChecked(given({ items: [{ ...stored(mug, 1), price: 900 }] }, unitsOff(1, 'mug', Addnew)))
    expect(orderOf(verdict)).toMatchObject({ amount: 1800, total_amount: 900 })
  })

  test('on a line without units use the price', () => {
    const verdict = evaluateChecked(given(order(stored(mug, 0), stored(tea, 1)), unitsOff(2, 'mug', Addnew)))
    expect(orderOf(verdict)).toMatchObject({ amount: 4000, total_amount: 1000 })
    expect(fieldOfLines(verdict, 'quantity')).toEqual([2, 1])
  })

  test('without a price change only quantities', () => {
    const verdict = evaluateChecked(given(order(stored(tea, 1)), unitsOff(2, 'bag')))
    expect(orderOf(verdict)).toMatchObject({ amount: 1000, total_amount: 1000 })
    expect(orderOf(verdict).items[1]).toEqual({
      object: 'order_item',
      product_id: 'bag',
      quantity: 2,
      initial_quantity: 0,
      discount_quantity: 2,
      applied_discount_quantity: 2,
      applied_quantity: 2,
      product: { id: 'bag', name: 'Bag' },
    })
    expect(verdict.redeemables).toMatchObject([{ has_effect: true }])
  })

  test('on a line of unknown amount leave it unknown', () => {
    const unknown: ItemFacts = { product_id: 'mug', quantity: 2 } // without catalogue data, so without a price
    const verdict = evaluateChecked(given({ items: [unknown, stored(tea, 1)] }, unitsOff(1, 'mug', Addnew)))
    expect(orderOf(verdict)).toMatchObject({ amount: 1000, total_amount: 1000 })
    expect(orderOf(verdict).items[0]).toMatchObject({ quantity: 3, discount_quantity: 1 })
    expect(orderOf(verdict).items[0]).not.toHaveProperty('amount')
  })

  test('of quantity 0 have no effect', () => {
    expect(evaluateChecked(given(mugAndTea(), unitsOff(0, 'mug'))).redeemables).toMatchObject([{ has_effect: false }])
    expect(fieldOfLines(evaluateChecked(given(mugAndTea(), unitsOff(0, 'bag', Addnew))), 'quantity')).toEqual([1, 2])
  })

  test('by formula are rounded down to whole units', () => {
    const formula = unitsOff(1, 'mug', { ...Addnew, unit_off_formula: 'ORDER_UNITS_QUANTITY / 2 + 0.4' }) // 1.9
    expect(fieldOfLines(evaluateChecked(given(mugAndTea(), formula)), 'quantity')).toEqual([2, 2])
    const negative = unitsOff(1, 'mug', { ...Addnew, unit_off_formula: '0 - 2' })
    expect(fieldOfLines(evaluateChecked(given(mugAndTea(), negative)), 'quantity')).toEqual([1, 2])
  })

  test.each(['nothing', 'constructor', '__proto__', ''])('of a good that does not exist (%j) are refused', (id) => {
    expect(evaluateChecked(given(mugAndTea(), unitsOff(1, id)))).toMatchObject({
      valid: false,
      redeemables: [{ reason: { key: 'not_found', resource_type: 'product', resource_id: id } }],
    })
  })

  test('beyond the safe integers are refused without an exception', () => {
    const most = Number.MAX_SAFE_INTEGER
    for (const discount of [
      unitsOff(most, 'mug', Addnew),
      unitsOff(most, 'mug', Addmissing),
      unitsOff(most, 'drinks', { effect: 'ADD_SAME_ITEMS' }),
      unitsOff(most, 'mug', { effect: 'REPLACE_ITEMS' }),
      { type: 'UNIT', units: [{ unit_type: 'mug', unit_off: most }] } as Discount,
    ]) {
      expect(discountsOrReasons(evaluateChecked(given(mugAndTea(), discount)))).toEqual(['invalid_amount'])
    }
  })
})

describe('ADD_MISSING_ITEMS', () => {
  test('adds the units that are not in the order yet', () => {
    const verdict = evaluateChecked(given(mugAndTea(), unitsOff(3, 'mug')))
    expect(orderOf(verdict)).toMatchObject({ initial_amount: 3500, amount: 6500, total_amount: 2000 })
    expect(orderOf(verdict).items[0]).toMatchObject({
      quantity: 3,
      applied_quantity: 2,
      applied_quantity_amount: 3000,
      discount_quantity: 3,
      discount_amount: 4500,
    })
  })

  test('makes units in the order free, line by line', () => {
    const lines = order(stored(mug, 2), stored(tea, 1), { ...stored(mug, 2), price: 1000 })
    const verdict = evaluateChecked(given(lines, unitsOff(3, 'mug')))
    expect(lineDiscounts(verdict)).toEqual([3000, 0, 1000])
    expect(fieldOfLines(verdict, 'discount_quantity')).toEqual([2, undefined, 1])
    expect(fieldOfLines(verdict, 'applied_quantity')).toEqual([undefined, undefined, undefined])
  })

  test('discounts a freed unit by its remaining price', () => {
    const redeemables = [voucher('1', percentOff(10, { effect: 'APPLY_TO_ITEMS' })), voucher('2', unitsOff(1, 'mug'))]
    const verdict = evaluateChecked(shop(order({ ...stored(mug, 4), price: 250 }), redeemables))
    expect(discountsOrReasons(verdict)).toEqual([100, 225]) // a quarter of 9.00
    expect(orderOf(verdict).items[0]).toMatchObject({ subtotal_amount: 675, quantity: 4 })
  })

  test('does not count units that are free already', () => {
    const verdict = evaluateChecked(given(mugAndTea(), unitsOff(1, 'mug'), unitsOff(2, 'mug')))
    expect(discountsOrReasons(verdict)).toEqual([1500, 3000])
    expect(orderOf(verdict)).toMatchObject({ amount: 6500, total_amount: 2000 })
    const before = { ...stored(mug, 2), free_quantity: 1, discount_quantity: 1, discount_amount: 1500 }
    const again = evaluateChecked(given({ items: [before] }, unitsOff(2, 'mug')))
    expect(orderOf(again).items[0]).toMatchObject({ quantity: 3, discount_amount: 4500, discount_quantity: 3 })
  })

  test('discounts freed units by at most the amount to pay', () => {
    const redeemables = [voucher('1', amountOff(3000)), voucher('2', unitsOff(1, 'mug'))] // 35.00 − 30.00: 5.00 are left
    const verdict = evaluateChecked(shop(mugAndTea(), redeemables))
    expect(discountsOrReasons(verdict)).toEqual([3000, 500])
    expect(orderOf(verdict)).toMatchObject({ total_amount: 0 })
    const twoLines = shop(order(stored(mug, 1), stored(mug, 1), stored(tea, 2)), [
      voucher('1', amountOff(3000)), // 50.00 − 30.00: 20.00 are left
      voucher('2', unitsOff(2, 'mug')),
    ])
    expect(lineDiscounts(evaluateChecked(twoLines))).toEqual([1500, 500, 0])
  })

  test('adds the missing units to an order that is free already', () => {
    const verdict = evaluateChecked(
      shop(mugAndTea(), [voucher('1', percentOff(100)), voucher('2', unitsOff(2, 'mug'))]),
    )
    expect(discountsOrReasons(verdict)).toEqual([3500, 1500]) // one freed for nothing, one added
    expect(orderOf(verdict)).toMatchObject({ amount: 5000, total_amount: 0 })
    expect(verdict.redeemables[1]).toMatchObject({ has_effect: true })
  })
})

describe('free shipping', () => {
  const shipping = unitsOff(1, 'prod_5h1pp1ng')

  test('adds a line without amounts, and counts as an effect', () => {
    const verdict = evaluateChecked(given(mugAndTea(), shipping))
    expect(orderOf(verdict)).toMatchObject({ amount: 3500, total_amount: 3500 })
    expect(orderOf(verdict).items[2]).toEqual({
      object: 'order_item',
      product_id: 'prod_5h1pp1ng',
      quantity: 1,
      initial_quantity: 0,
      discount_quantity: 1,
      applied_discount_quantity: 1,
      applied_quantity: 1,
      product: { id: 'prod_5h1pp1ng', source_id: '5h1pp1ng', name: 'Shipping' },
    })
    expect(verdict.redeemables).toMatchObject([{ has_effect: true }])
  })

  test('joins its line when applied twice', () => {
    const verdict = evaluateChecked(given(mugAndTea(), shipping, shipping))
    expect(fieldOfLines(verdict, 'quantity')).toEqual([1, 2, 2])
    expect(fieldOfLines(verdict, 'discount_quantity')).toEqual([undefined, undefined, 2])
  })

  test('discounts a paid shipping line', () => {
    const verdict = evaluateChecked(given(order(stored(mug, 1), line('prod_5h1pp1ng', 1, 490)), shipping))
    expect(lineDiscounts(verdict)).toEqual([0, 490])
    expect(orderOf(verdict)).toMatchObject({ amount: 1990, total_amount: 1500 })
  })
})

describe('ADD_MANY_ITEMS', () => {
  test('applies its units in order, each with its own effect', () => {
    const many: Discount = {
      type: 'UNIT',
      units: [
        { unit_type: 'mug', unit_off: 2, product: { id: 'mug' } },
        { unit_type: 'mug', unit_off: 1, effect: 'ADD_NEW_ITEMS' },
        { unit_type: 'green', unit_off_formula: 'ORDER_ITEMS_QUANTITY', effect: 'ADD_NEW_ITEMS', sku: { id: 'green' } },
      ],
    }
    const verdict = evaluateChecked(given(mugAndTea(), many))
    // One mug freed and one added, one more added, two green teas.
    expect(fieldOfLines(verdict, 'quantity')).toEqual([3, 2, 2])
    expect(lineDiscounts(verdict)).toEqual([4500, 0, 2400])
    expect(orderOf(verdict)).toMatchObject({ amount: 3500 + 3000 + 2400, total_amount: 2000 })
    expect(applicable(verdict.redeemables[0]).discount).toEqual({
      type: 'UNIT',
      effect: 'ADD_MANY_ITEMS',
      units: [
        { unit_type: 'mug', unit_off: 2, effect: 'ADD_MISSING_ITEMS', product: { id: 'mug' } },
        { unit_type: 'mug', unit_off: 1, effect: 'ADD_NEW_ITEMS' },
        { unit_type: 'green', unit_off: 2, effect: 'ADD_NEW_ITEMS', sku: { id: 'green' } },
      ],
      is_dynamic: true,
    })
  })

  test('is refused as a whole when one good does not exist, and does not change the order', () => {
    const many: Discount = {
      type: 'UNIT',
      units: [
        { unit_type: 'mug', unit_off: 1 },
        { unit_type: 'gone', unit_off: 1 },
      ],
    }
    const verdict = evaluateChecked(
      shop(mugAndTea(), [voucher('1', many), voucher('2', amountOff(100))], {
        redeemables_application_mode: 'PARTIAL',
      }),
    )
    expect(discountsOrReasons(verdict)).toEqual(['not_found', 100])
    expect(fieldOfLines(verdict, 'quantity')).toEqual([1, 2])
  })
})

describe('ADD_SAME_ITEMS', () => {
  const same = (unitOff: number, collection = 'drinks') => unitsOff(unitOff, collection, { effect: 'ADD_SAME_ITEMS' })

  test('adds units to every line of the collection', () => {
    const lines = order(stored(mug, 1), stored(tea, 2), storedSku(green, 1, 1200), stored(tea, 0))
    const verdict = evaluateChecked(given(lines, same(2)))
    expect(fieldOfLines(verdict, 'quantity')).toEqual([1, 4, 3, 0])
    expect(lineDiscounts(verdict)).toEqual([0, 2000, 2400, 0])
    expect(orderOf(verdict)).toMatchObject({ amount: 4700 + 4400, total_amount: 4700 })
  })

  test('for all products needs no catalogue entry', () => {
    expect(fieldOfLines(evaluateChecked(given(mugAndTea(), same(1, 'pc_a11pr0dUc75'))), 'quantity')).toEqual([2, 3])
  })

  test('for a collection that does not exist is refused', () => {
    expect(evaluateChecked(given(mugAndTea(), same(1, 'gone')))).toMatchObject({
      valid: false,
      redeemables: [{ reason: { key: 'not_found', resource_type: 'products_collection' } }],
    })
    expect(evaluateChecked(given(mugAndTea(), same(1, 'constructor'))).valid).toBe(false)
  })
})

describe('application mode ONCE', () => {
  const once = { redeemables_products_application_mode: 'ONCE' } as const

  test('free units count as a discount and are not given to a discounted good', () => {
    const both = (first: Discount, second: Discount) =>
      discountsOrReasons(evaluateChecked(shop(mugAndTea(), [voucher('1', first), voucher('2', second)], once)))
    const ten = percentOff(10, { effect: 'APPLY_TO_ITEMS' })
    expect(both(unitsOff(1, 'mug', Addnew), ten)).toEqual([1500, 200]) // tea only
    expect(both(ten, unitsOff(1, 'mug', Addnew))).toEqual([350, 0])
    expect(both(ten, unitsOff(1, 'tea', { effect: 'ADD_MISSING_ITEMS' }))).toEqual([350, 0])
    expect(both(ten, unitsOff(1, 'drinks', { effect: 'ADD_SAME_ITEMS' }))).toEqual([350, 0])
    expect(both(ten, unitsOff(1, 'bag', Addnew))).toEqual([350, 0])
    expect(both(unitsOff(1, 'bag', Addnew), unitsOff(1, 'bag', Addnew))).toEqual([0, 0])
  })

  test('an SKU and its product are different goods', () => {
    const items = () => [storedSku(green, 1, 1000), stored(tea, 1)]
    const verdict = evaluateChecked(
      shop(
        { items: items() },
        [
          voucher('1', percentOff(10), { rules: [on({ object: 'sku', id: 'green' })] }),
          voucher('2', percentOff(20), { rules: [on('tea')] }),
        ],
        once,
      ),
    )
    expect(lineDiscounts(verdict)).toEqual([100, 200])
  })

  test('goods discounted by an earlier redemption of the order get no further discount', () => {
    const before = { ...mugAndTea(), discounted_goods: ['tea'] }
    const verdict = evaluateChecked(shop(before, [voucher('1', percentOff(10, { effect: 'APPLY_TO_ITEMS' }))], once))
    expect(lineDiscounts(verdict)).toEqual([150, 0])
    const many = evaluateChecked(shop(before, [voucher('1', percentOff(10, { effect: 'APPLY_TO_ITEMS' }))]))
    expect(lineDiscounts(many)).toEqual([150, 200])
  })
})
