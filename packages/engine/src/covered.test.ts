import { describe, expect, test } from 'vitest'
import type { ApplicableEntry, CoveredEntry, Discount, OrderFacts, ValidationRule } from './schema/index.ts'
import { applicable, evaluateChecked } from './testing/evaluated.ts'
import {
  amountOff,
  covering,
  facts,
  giftCard,
  line,
  on,
  order,
  percentOff,
  product,
  sku,
  storedSku,
  unitsOff,
  voucher,
} from './testing/shop.ts'

const everything: ApplicableEntry = { object: 'products_collection', id: 'pc_a11pr0dUc75' }
const defaultApplication = { effect: 'APPLY_TO_EVERY', target: 'ITEM', skip_initially: 0, repeat: 1 }
const none = { object: 'list', data_ref: 'data', data: [], total: 0 }

const lists = (givenOrder: OrderFacts | null, rules: ValidationRule[], discount: Discount = percentOff(10)) => {
  const { applicable_to, inapplicable_to } = applicable(
    evaluateChecked(
      facts({
        order: givenOrder,
        products: [product('mug', { price: 100 })],
        redeemables: [voucher('V', discount, { rules })],
      }),
    ).redeemables[0],
  )
  expect(applicable_to.total).toBe(applicable_to.data.length)
  expect(inapplicable_to.total).toBe(inapplicable_to.data.length)
  return { applicable_to, inapplicable_to }
}

const two = () => order(line('cup', 2, 1450), line('tray', 1, 3890))

describe('applicable_to and inapplicable_to', () => {
  test('list each entry as defined, with its lines', () => {
    const { applicable_to, inapplicable_to } = lists(two(), [
      on({ object: 'product', id: 'cup', quantity_limit: 1 }, 'spoon'),
    ])
    expect(applicable_to).toEqual({
      object: 'list',
      data_ref: 'data',
      total: 2,
      data: [
        {
          object: 'product',
          id: 'cup',
          quantity_limit: 1,
          strict: false,
          ...defaultApplication,
          order_item_indices: [0],
          order_item_units: [{ index: 0, units: [1, 2] }],
        },
        { object: 'product', id: 'spoon', strict: false, ...defaultApplication },
      ],
    })
    expect(inapplicable_to).toEqual(none)
  })

  test('are empty when no rule includes or excludes goods', () => {
    expect(lists(two(), [])).toEqual({ applicable_to: none, inapplicable_to: none })
    expect(lists(two(), [covering({})])).toEqual({ applicable_to: none, inapplicable_to: none })
  })

  test('list a collection also per good', () => {
    const items = [
      {
        ...storedSku(sku('green', { product_id: 'tea', source_id: 'g-1' }), 1, 100),
        catalogue: {
          sku: sku('green', { product_id: 'tea', source_id: 'g-1' }),
          product: product('tea', { source_id: 't-1' }),
        },
      },
      { source_id: 'unknown-cup', quantity: 2, price: 300 },
      { quantity: 1, price: 200 },
      { source_id: 'unknown-cup', quantity: 1, price: 300 },
    ]
    const entry = { ...everything, effect: 'APPLY_FROM_CHEAPEST', skip_initially: 0 } as const
    const covered: CoveredEntry = {
      strict: true,
      ...defaultApplication,
      effect: 'APPLY_FROM_CHEAPEST',
      object: 'product',
    } as CoveredEntry
    expect(lists({ items }, [on(entry)]).applicable_to.data).toEqual([
      {
        ...everything,
        ...defaultApplication,
        effect: 'APPLY_FROM_CHEAPEST',
        strict: false,
        order_item_indices: [0, 2, 3, 1],
        order_item_units: [
          { index: 0, units: [1] },
          { index: 2, units: [1] },
          { index: 3, units: [1] },
          { index: 1, units: [1, 2] },
        ],
      },
      {
        ...covered,
        object: 'sku',
        id: 'green',
        source_id: 'g-1',
        product_id: 'tea',
        product_source_id: 't-1',
        order_item_indices: [0],
        order_item_units: [{ index: 0, units: [1] }],
      },
      { ...covered, order_item_indices: [2], order_item_units: [{ index: 2, units: [1] }] }, // it has no name
      {
        ...covered,
        id: 'unknown-cup',
        source_id: 'unknown-cup',
        order_item_indices: [3, 1],
        order_item_units: [
          { index: 3, units: [1] },
          { index: 1, units: [1, 2] },
        ],
      },
    ])
  })

  test('an SKU entry is strict', () => {
    const [first] = lists(two(), [on({ object: 'sku', id: 'green' })]).applicable_to.data
    expect(first).toEqual({ object: 'sku', id: 'green', strict: true, ...defaultApplication })
  })

  test('list the goods of the order with included_all, or with exclusions only', () => {
    const shown = (rule: ValidationRule) =>
      lists(two(), [rule]).applicable_to.data.map(({ id, strict }) => ({ id, strict }))
    const cup = { id: 'cup', strict: true }
    const tray = { id: 'tray', strict: true }
    expect(shown(covering({ included_all: true }))).toEqual([cup, tray])
    expect(shown(covering({ excluded: [{ object: 'product', id: 'cup' }] }))).toEqual([tray])
    expect(shown(covering({ included: [{ object: 'product', id: 'tray' }], included_all: true }))).toEqual([
      { id: 'tray', strict: false },
      cup,
    ])
  })

  test('list excluded goods only in inapplicable_to', () => {
    const excluded: ApplicableEntry[] = [
      { object: 'product', id: 'cup' },
      { object: 'product', id: 'spoon' },
    ]
    const { applicable_to, inapplicable_to } = lists(two(), [covering({ included: [everything], excluded })])
    expect(applicable_to.data).toMatchObject([{ order_item_indices: [1] }, { id: 'tray' }])
    expect(inapplicable_to.data).toEqual([
      {
        object: 'product',
        id: 'cup',
        strict: false,
        ...defaultApplication,
        order_item_indices: [0],
        order_item_units: [{ index: 0, units: [1, 2] }],
      },
      { object: 'product', id: 'spoon', strict: false, ...defaultApplication },
    ])
  })

  test('list selected lines that got no discount', () => {
    const limited = amountOff(100, { effect: 'APPLY_TO_ITEMS', aggregated_amount_limit: 100 })
    const [first] = lists(two(), [on(everything)], limited).applicable_to.data
    expect(first?.order_item_indices).toEqual([0, 1])
  })

  test('omit lines whose units are all capped to 0', () => {
    const capped = { ...everything, aggregated_quantity_limit: 2 }
    expect(lists(two(), [on(capped)]).applicable_to.data[0]?.order_item_indices).toEqual([0])
  })

  test('are informational for an order-level discount and do not restrict it', () => {
    const onOrder = percentOff(10, { effect: 'APPLY_TO_ORDER' })
    expect(lists(two(), [on('cup')], onOrder).applicable_to.data).toMatchObject([
      { id: 'cup', order_item_indices: [0] },
    ])
    expect(lists(two(), [on('tray')], unitsOff(1, 'mug')).applicable_to.data).toMatchObject([
      { order_item_indices: [1] },
    ])
    const gift = evaluateChecked(facts({ order: two(), redeemables: [giftCard('G', 50, { rules: [on('cup')] })] }))
      .redeemables[0]
    expect(applicable(gift).applicable_to.data).toMatchObject([{ order_item_indices: [0] }])
  })

  test('list units as they were before their replacement', () => {
    const replace = unitsOff(1, 'mug', { effect: 'REPLACE_ITEMS' })
    const [first] = lists(two(), [on({ object: 'product', id: 'cup', quantity_limit: 1 })], replace).applicable_to.data
    expect(first).toMatchObject({ order_item_indices: [0], order_item_units: [{ index: 0, units: [1, 2] }] })
  })

  test('omit unit numbers for orders of more than 1,000 units', () => {
    const units = (quantity: number) =>
      lists(order(line('cup', quantity, 1), line('tray', 1, 1)), [on('cup')]).applicable_to.data[0]?.order_item_units
    expect(units(999)?.[0]?.units).toHaveLength(999)
    expect(units(1000)).toEqual([{ index: 0, units_limit_exceeded: true }])
  })

  test('are absent for a refused redeemable', () => {
    const [outcome] = evaluateChecked(
      facts({ order: two(), redeemables: [voucher('V', percentOff(10), { active: false })] }),
    ).redeemables
    expect(outcome).not.toHaveProperty('applicable_to')
  })
})
