import { describe, expect, test } from 'vitest'
import type { ApplicableEntry, OrderFacts, Redeemable, StackingRules } from '../schema/index.ts'
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
  giftCard,
  line,
  on,
  order,
  percentOff,
  product,
  stored,
  unitsOff,
  voucher,
} from '../testing/shop.ts'

const small = product('small', { price: 320 })
const large = product('large', { price: 410 })
const cheap = product('cheap', { price: 100 })
const bare = product('bare') // no price
const toItems = { effect: 'APPLY_TO_ITEMS' } as const
const everything: ApplicableEntry = { object: 'products_collection', id: 'pc_a11pr0dUc75' }

const shop = (given: OrderFacts | null, redeemables: Redeemable[], rules: Partial<StackingRules> = {}) =>
  facts({ order: given, redeemables, rules, products: [small, large, cheap, bare] })

/** Replaces the selected units by units of a good. */
const replace = (unitType: string, entry: Partial<ApplicableEntry> = {}, unitOff = 1) =>
  voucher('R', unitsOff(unitOff, unitType, { effect: 'REPLACE_ITEMS' }), {
    rules: [on({ object: 'product', id: 'small', ...entry })],
  })

describe('replacement units', () => {
  test('cost the customer no more: two of three small units become large', () => {
    const verdict = evaluateChecked(shop(order(stored(small, 3)), [replace('large', { aggregated_quantity_limit: 2 })]))
    expect(orderOf(verdict)).toMatchObject({
      initial_amount: 960,
      amount: 1140, // 9.60 − 6.40 + 8.20
      items_discount_amount: 180,
      total_amount: 960,
    })
    const [source, target] = orderOf(verdict).items
    expect(source).toMatchObject({
      quantity: 1,
      initial_quantity: 3,
      amount: 320,
      initial_amount: 960,
      applied_quantity: -2,
      applied_quantity_amount: -640,
    })
    expect(target).toMatchObject({
      product_id: 'large',
      quantity: 2,
      initial_quantity: 0,
      amount: 820,
      initial_amount: 0,
      discount_amount: 180,
      applied_quantity: 2,
      applied_quantity_amount: 820,
      application_details: [
        {
          source_index: 0,
          source_applied_quantity: -2,
          source_applied_quantity_amount: -640,
          target_index: 1,
          target_applied_quantity: 2,
          target_applied_quantity_amount: 820,
          target_applied_discount_amount: 180,
        },
      ],
    })
    expect(target).not.toHaveProperty('discount_quantity')
  })

  test('lower the order total when they are cheaper', () => {
    const verdict = evaluateChecked(shop(order(stored(small, 3)), [replace('cheap')]))
    expect(orderOf(verdict)).toMatchObject({ amount: 300, items_discount_amount: 0, total_amount: 300 })
    expect(verdict.redeemables).toMatchObject([{ has_effect: true, discounted_goods: ['cheap'] }])
  })

  test('can be several per replaced unit: three for one', () => {
    const verdict = evaluateChecked(shop(order(stored(small, 2)), [replace('cheap', { quantity_limit: 1 }, 4)]))
    expect(fieldOfLines(verdict, 'quantity')).toEqual([1, 4])
    expect(orderOf(verdict)).toMatchObject({ amount: 720, items_discount_amount: 80, total_amount: 640 })
  })

  test('replace units together with their share of the discount: 3.20 less 10 %', () => {
    const verdict = evaluateChecked(
      shop(order(stored(small, 3)), [voucher('P', percentOff(10, toItems)), replace('large', { quantity_limit: 1 })]),
    )
    // 9.60 − 0.96; one unit is removed with 3.20 and 0.32; a large unit is added for 4.10, discounted by 1.22.
    expect(orderOf(verdict)).toMatchObject({ amount: 1050, items_discount_amount: 64 + 122, total_amount: 864 })
    expect(lineDiscounts(verdict)).toEqual([64, 122])
    expect(fieldOfLines(verdict, 'applied_discount_amount')).toEqual([64, 122])
  })

  test('join an existing line, at the value of its units', () => {
    const reduced = { ...stored(large, 2), amount: 700 } // 3.50 each
    const verdict = evaluateChecked(shop({ items: [stored(small, 1), reduced] }, [replace('large')]))
    expect(orderOf(verdict).items[1]).toMatchObject({ quantity: 3, amount: 1050, discount_amount: 30 })
    expect(orderOf(verdict)).toMatchObject({ amount: 1050, total_amount: 1020 })
  })

  test('from several lines are listed per source line', () => {
    const verdict = evaluateChecked(
      shop(order(stored(small, 1), line('tray', 1, 900), { ...stored(small, 2), price: 500 }), [replace('large')]),
    )
    const [first, , second, target] = orderOf(verdict).items
    expect([first, second]).toMatchObject([
      { quantity: 0, amount: 0 },
      { quantity: 0, amount: 0 },
    ])
    // 3.20 for 4.10 is 0.90 off; 10.00 for 8.20 is 1.80 cheaper.
    expect(target).toMatchObject({ quantity: 3, amount: 1230, discount_amount: 90 })
    expect(target?.application_details).toMatchObject([
      { source_index: 0, target_index: 3, target_applied_discount_amount: 90 },
      { source_index: 2, source_applied_quantity: -2, target_index: 3, target_applied_discount_amount: 0 },
    ])
    expect(orderOf(verdict)).toMatchObject({ amount: 2130, total_amount: 2040 }) // 22.20 − 1.80
  })

  test('are listed by the redeemable and by the request', () => {
    const verdict = evaluateChecked(
      shop(order(stored(small, 2)), [replace('large', { quantity_limit: 1 }), { ...replace('large'), id: 'R2' }]),
    )
    const [first, second] = verdict.redeemables.map((one) => applicable(one).order?.items[1]?.application_details)
    expect([first?.length, second?.length]).toEqual([1, 1])
    expect(fieldOfLines(verdict, 'application_details')[1]).toEqual([...first!, ...second!])
  })

  test('of the same good change nothing, unless their number is larger', () => {
    const same = evaluateChecked(shop(order(stored(small, 3)), [replace('small')]))
    expect(same.redeemables).toMatchObject([{ has_effect: false }])
    expect(orderOf(same)).toMatchObject({ amount: 960, total_amount: 960 })
    const twice = evaluateChecked(shop(order(stored(small, 3)), [replace('small', {}, 2)]))
    expect(orderOf(twice)).toMatchObject({ amount: 1920, items_discount_amount: 960, total_amount: 960 })
    expect(fieldOfLines(twice, 'applied_quantity')).toEqual([3])
  })

  test('of the same good with unknown price keep its value', () => {
    const verdict = evaluateChecked(
      shop({ items: [{ product_id: 'bare', quantity: 2, amount: 500 }] }, [replace('bare', { id: 'bare' })]),
    )
    expect(orderOf(verdict)).toMatchObject({ amount: 500, total_amount: 500 })
  })

  test('may join a line that is also replaced', () => {
    // All units become large, including the large ones: 3.20 for 4.10, and 4.10 for 4.10.
    const lines = order(stored(small, 1), stored(large, 1))
    const verdict = evaluateChecked(shop(lines, [replace('large', everything)]))
    expect(fieldOfLines(verdict, 'quantity')).toEqual([0, 2])
    expect(orderOf(verdict)).toMatchObject({ amount: 820, items_discount_amount: 90, total_amount: 730 })
    expect(fieldOfLines(verdict, 'applied_discount_amount')).toEqual([undefined, 90])
  })

  test('without a price are added without an amount, and the replaced units are no longer paid', () => {
    const verdict = evaluateChecked(
      shop(order(stored(small, 3), line('tray', 1, 900)), [replace('bare', { quantity_limit: 1 })]),
    )
    expect(orderOf(verdict)).toMatchObject({ amount: 1540, total_amount: 1540 })
    expect(orderOf(verdict).items[2]).toMatchObject({ product_id: 'bare', quantity: 1, applied_quantity: 1 })
    expect(orderOf(verdict).items[2]).not.toHaveProperty('amount')
  })

  test('for units of unknown price cost nothing more', () => {
    const verdict = evaluateChecked(shop({ amount: 5000, items: [line('small', 2)] }, [replace('large')]))
    expect(orderOf(verdict)).toMatchObject({ amount: 5820, items_discount_amount: 820, total_amount: 5000 })
    const unknown = evaluateChecked(shop({ items: [line('small', 2)] }, [replace('large')]))
    expect(orderOf(unknown)).not.toHaveProperty('amount')
    expect(fieldOfLines(unknown, 'quantity')).toEqual([0, 2])
  })

  test('change nothing when the good does not exist, the number is 0, or no unit is selected', () => {
    expect(discountsOrReasons(evaluateChecked(shop(order(stored(small, 3)), [replace('gone')])))).toEqual(['not_found'])
    expect(evaluateChecked(shop(order(stored(small, 3)), [replace('large', {}, 0)])).redeemables).toMatchObject([
      { has_effect: false },
    ])
    const nothing = evaluateChecked(shop(order(line('tray', 1, 900)), [replace('large')]))
    expect(orderOf(nothing).items).toHaveLength(1)
  })

  test('free units are not replaced', () => {
    const storedLine = { ...stored(small, 3), free_quantity: 1, discount_quantity: 1, discount_amount: 320 }
    const verdict = evaluateChecked(shop({ items: [storedLine] }, [replace('large')]))
    expect(fieldOfLines(verdict, 'quantity')).toEqual([1, 2])
    expect(orderOf(verdict).total_amount).toBe(640)
  })

  test('counts of discounted units shrink with the quantity', () => {
    const verdict = evaluateChecked(
      shop(order(stored(small, 3)), [
        voucher('Q', amountOff(10, { effect: 'APPLY_TO_ITEMS_BY_QUANTITY' })),
        replace('large', { quantity_limit: 2 }),
      ]),
    )
    expect(fieldOfLines(verdict, 'discount_quantity')).toEqual([1, undefined])
    expect(fieldOfLines(verdict, 'applied_discount_quantity')).toEqual([1, undefined])
  })
})

describe('an order that becomes cheaper than its discounts', () => {
  test('reduces its order-level discount: 9.60 − 8.00, then 3 × 1.00', () => {
    const verdict = evaluateChecked(shop(order(stored(small, 3)), [voucher('A', amountOff(800)), replace('cheap')]))
    expect(orderOf(verdict)).toMatchObject({
      amount: 300,
      discount_amount: 300,
      applied_discount_amount: 300,
      total_amount: 0,
    })
  })

  test('reduces a discount granted before the request too', () => {
    const before = { discount_amount: 500, items: [stored(small, 3)] }
    const verdict = evaluateChecked(shop(before, [giftCard('G', 400, { credits: 400 }), replace('cheap')]))
    expect(orderOf(verdict)).toMatchObject({
      amount: 300,
      discount_amount: 300,
      applied_discount_amount: 300,
      total_amount: 0,
    })
  })

  test('never lowers a sent order amount below its discounts', () => {
    const given = { amount: 500, items: [stored(small, 3), { ...line('tray', 1, 900), discount_amount: 200 }] }
    const verdict = evaluateChecked(shop(given, [replace('cheap', { aggregated_quantity_limit: 2 })]))
    // 5.00 − 6.40 + 2.00 = 0.60, but the discounts are already 2.00.
    expect(orderOf(verdict)).toMatchObject({ amount: 200, items_discount_amount: 200, total_amount: 0 })
  })
})

test('ONCE: a discounted good is neither replaced nor a replacement', () => {
  const once = { redeemables_products_application_mode: 'ONCE' } as const
  const both = (first: Redeemable) =>
    fieldOfLines(
      evaluateChecked(shop(order(stored(small, 2), stored(large, 1)), [first, replace('large')], once)),
      'quantity',
    )
  expect(both(voucher('P', percentOff(10), { rules: [on('small')] }))).toEqual([2, 1])
  expect(both(voucher('P', percentOff(10), { rules: [on('large')] }))).toEqual([2, 1])
  expect(both(voucher('P', percentOff(10)))).toEqual([0, 3])
})
