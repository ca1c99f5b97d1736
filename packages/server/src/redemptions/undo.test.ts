import { calculateOrder, evaluate } from '@guerdon/engine'
import type { CalculatedOrder, Facts } from '@guerdon/engine/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyFacts, anyRedeemable, factsOf, freshOrder } from '../../../engine/src/testing/arbitrary.ts'
import type { Checkout } from '../checkout/decision/facts.ts'
import { withLineIds } from '../checkout/decision/order.ts'
import type { Ctx } from '../core/context.ts'
import type { StoredItem, StoredOrder } from '../orders/order.ts'
import { scaled } from '../testing/scale.ts'
import { type RedeemedOrder, redeemedOrder } from './redeemed-order.ts'
import { type Undo, type UndoneLine, undone } from './undo.ts'

const bareOrder = {
  project_id: 'proj_1',
  id: 'ord_1',
  source_id: null,
  status: 'PAID',
  metadata: {},
  customer_id: null,
  referrer_id: null,
  redemptions: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: null,
} as const

/** An order with these lines and this order-level discount. */
function order(items: StoredItem[], more: Partial<StoredOrder> = {}): StoredOrder {
  const amount = items.reduce((sum, item) => sum + (item.amount ?? 0), 0)
  const itemsDiscountAmount = items.reduce((sum, item) => sum + (item.discount_amount ?? 0), 0)
  const made = {
    ...bareOrder,
    amount,
    initial_amount: amount,
    discount_amount: 0,
    items_discount_amount: itemsDiscountAmount,
    items,
    discounted_goods: null,
    client_order: null,
    ...more,
  }
  const totalDiscountAmount = made.discount_amount + itemsDiscountAmount
  return { ...made, total_discount_amount: totalDiscountAmount, total_amount: (made.amount ?? 0) - totalDiscountAmount }
}

const line = (id: string, quantity: number, price: number, more: Partial<StoredItem> = {}): StoredItem => {
  const made = { object: 'order_item' as const, id, quantity, initial_quantity: quantity, price, ...more }
  const amount = more.amount ?? quantity * price
  return { ...made, amount, subtotal_amount: amount - (more.discount_amount ?? 0) }
}

const undo = (more: Partial<Undo>): Undo => ({
  order: { amount: 0, discount_amount: 0 },
  lines: [],
  goods: [],
  units: {},
  day: '2026-01-01',
  orders_amount: 0,
  discounted_amount: 0,
  credits: 0,
  ...more,
})

const change = (id: string, more: Partial<UndoneLine>): UndoneLine => ({
  id,
  quantity: 0,
  amount: 0,
  discount_amount: 0,
  discount_quantity: 0,
  free_quantity: 0,
  ...more,
})

const discount = (discountAmount: number): Undo => undo({ order: { amount: 0, discount_amount: discountAmount } })

describe('undoing a redemption reverts in the order', () => {
  test('an order-level discount', () => {
    expect(undone(order([line('a', 1, 1000)], { discount_amount: 300 }), [discount(300)])).toEqual({
      amount: 1000,
      initial_amount: 1000,
      discount_amount: 0,
      items_discount_amount: 0,
      items: [line('a', 1, 1000)],
      discounted_goods: null,
    })
  })

  test('a discount on lines, while another one stays', () => {
    const bought = order([
      line('a', 2, 1000, { discount_amount: 700, discount_quantity: 2 }),
      line('b', 1, 500, { discount_amount: 100 }),
    ])
    const left = undone(bought, [
      undo({
        lines: [change('a', { discount_amount: 400, discount_quantity: 1 }), change('b', { discount_amount: 100 })],
      }),
    ])
    expect(left).toMatchObject({ amount: 2500, discount_amount: 0, items_discount_amount: 300 })
    expect(left.items).toEqual([line('a', 2, 1000, { discount_amount: 300, discount_quantity: 1 }), line('b', 1, 500)])
  })

  const gift = line('gift', 2, 999, {
    initial_quantity: 0,
    discount_amount: 1998,
    discount_quantity: 2,
    free_quantity: 2,
  })
  const given = change('gift', {
    quantity: 2,
    amount: 1998,
    discount_amount: 1998,
    discount_quantity: 2,
    free_quantity: 2,
  })

  test('an added line, which disappears', () => {
    const bought = order([line('a', 1, 1000), gift], { initial_amount: 1000 })
    const left = undone(bought, [undo({ order: { amount: 1998, discount_amount: 0 }, lines: [given] })])
    expect(left).toMatchObject({ amount: 1000, initial_amount: 1000, items_discount_amount: 0 })
    expect(left.items).toEqual([line('a', 1, 1000)])
  })

  test('units of an added line, which stays with the units of another redemption', () => {
    const more = line('gift', 3, 999, {
      initial_quantity: 0,
      discount_amount: 2997,
      discount_quantity: 3,
      free_quantity: 3,
    })
    const left = undone(order([more], { initial_amount: 0 }), [
      undo({ order: { amount: 1998, discount_amount: 0 }, lines: [given] }),
    ])
    expect(left).toMatchObject({ amount: 999, items_discount_amount: 999 })
    expect(left.items).toEqual([
      line('gift', 1, 999, { initial_quantity: 0, discount_amount: 999, discount_quantity: 1, free_quantity: 1 }),
    ])
  })

  test('units added to a line of the shop', () => {
    const mugs = line('mug', 3, 1500, {
      initial_quantity: 1,
      discount_amount: 4500,
      discount_quantity: 3,
      free_quantity: 3,
    })
    const left = undone(order([mugs], { initial_amount: 1500 }), [
      undo({
        order: { amount: 3000, discount_amount: 0 },
        lines: [
          change('mug', { quantity: 2, amount: 3000, discount_amount: 4500, discount_quantity: 3, free_quantity: 3 }),
        ],
      }),
    ])
    expect(left).toMatchObject({ amount: 1500, items_discount_amount: 0 })
    expect(left.items).toEqual([line('mug', 1, 1500)])
  })

  test('a replacement: the replaced units come back, the replacing ones disappear', () => {
    const bought = order(
      [
        line('old', 0, 2000, { initial_quantity: 2, initial_amount: 4000 }),
        line('new', 2, 2500, { initial_quantity: 0, discount_amount: 1000 }),
      ],
      { initial_amount: 4000 },
    )
    const left = undone(bought, [
      undo({
        order: { amount: 1000, discount_amount: 0 },
        lines: [
          change('old', { quantity: -2, amount: -4000 }),
          change('new', { quantity: 2, amount: 5000, discount_amount: 1000 }),
        ],
      }),
    ])
    expect(left).toMatchObject({ amount: 4000, initial_amount: 4000, items_discount_amount: 0 })
    expect(left.items).toEqual([line('old', 2, 2000, { initial_amount: 4000 })])
  })

  test('the applied_* amounts of the latest redemption', () => {
    const applied = {
      applied_discount_amount: 200,
      applied_discount_quantity: 1,
      applied_quantity: 1,
      applied_quantity_amount: 5,
      application_details: [],
    }
    const bought = order([line('a', 1, 1000, { discount_amount: 300, ...applied }), line('b', 1, 10, applied)])
    expect(undone(bought, [undo({ lines: [change('a', { discount_amount: 200 })] })]).items).toEqual([
      line('a', 1, 1000, { discount_amount: 100 }),
      line('b', 1, 10),
    ])
  })

  test('discounted goods, unless another redemption discounted them too', () => {
    const bought = order([line('a', 1, 1000)], { discounted_goods: { apple: 2, bread: 1, dates: 1 } })
    const left = undone(bought, [undo({ goods: ['apple', 'bread'] })])
    expect(left.discounted_goods).toEqual({ apple: 1, dates: 1 })
    expect(undone({ ...bought, ...left }, [undo({ goods: ['apple', 'dates'] })]).discounted_goods).toBeNull()
  })

  test('an unknown amount, which stays unknown', () => {
    const bought = order([], { amount: null, initial_amount: null })
    expect(undone(bought, [undo({})])).toMatchObject({ amount: null, discount_amount: 0 })
  })
})

describe('when the shop has changed the order since', () => {
  test('replaced lines are not changed, and the amount is that of the new lines', () => {
    const left = undone(order([line('other', 1, 800)]), [
      undo({
        order: { amount: 1998, discount_amount: 0 },
        lines: [change('gift', { quantity: 2, amount: 1998, discount_amount: 1998 })],
      }),
    ])
    expect(left).toMatchObject({ amount: 800, items: [{ id: 'other', amount: 800 }] })
  })

  test('no more is subtracted from a line than it has', () => {
    const left = undone(order([line('a', 1, 800), line('b', 1, 500)]), [
      undo({
        order: { amount: 2400, discount_amount: 500 },
        lines: [change('a', { quantity: 3, amount: 2400, discount_amount: 900, discount_quantity: 3 })],
      }),
    ])
    expect(left).toMatchObject({ amount: 500, discount_amount: 0, items_discount_amount: 0 })
    expect(left.items).toMatchObject([{ quantity: 0, amount: 0, subtotal_amount: 0 }, { amount: 500 }])
  })

  test('discounts of other redemptions are capped at the remaining amount', () => {
    const bought = order([line('a', 1, 100), line('b', 1, 900, { initial_quantity: 0 })], { discount_amount: 600 })
    const left = undone(bought, [
      undo({ order: { amount: 900, discount_amount: 0 }, lines: [change('b', { quantity: 1, amount: 900 })] }),
    ])
    expect(left).toMatchObject({ amount: 100, discount_amount: 100 })
  })

  test('a line without a price loses the amount that a redemption gave it, also if that is 0', () => {
    const { price: _, ...unpriced } = line('a', 1, 0)
    const bought = order([unpriced])
    expect(undone(bought, [undo({ lines: [change('a', { adds_amount: true })] })]).items).toEqual([
      { object: 'order_item', id: 'a', quantity: 1, initial_quantity: 1 },
    ])
    // The shop sent the amount 0 itself.
    expect(undone(bought, [undo({ lines: [change('a', { discount_quantity: 1 })] })]).items).toMatchObject([
      { id: 'a', amount: 0 },
    ])
  })
})

describe('for any effects of the engine on an order', () => {
  /** The order that redemptions of these facts store, or null where nothing applies. */
  function redeemed(given: Facts): { facts: Facts; redeemed: RedeemedOrder } | null {
    const facts = { ...given, order: withLineIds(given.order) }
    // A line of quantity 0 has the initial quantity of an added one, and disappears like it
    // (docs/reference/rollbacks.md#effects).
    if (facts.order?.items?.some(({ quantity }) => quantity === 0)) return null
    const verdict = evaluate(facts)
    const checkout = {
      facts,
      rows: { order: null, replaced_order: null, customers: [] },
      request: { order: facts.order, referrer: null },
      candidates: [],
    }
    const ctx = { project_id: 'proj_1', now: bareOrder.created_at, caller: { channel: 'API' } }
    const done = redeemedOrder(ctx as Ctx, checkout as unknown as Checkout, verdict, null)
    return done === null || done.order.amount === null ? null : { facts, redeemed: done }
  }

  // A line that the shop sent with quantity 0 looks like an added one, and may disappear with the units added to it.
  const amounts = ({ amount, discount_amount, items_discount_amount, items }: Omit<CalculatedOrder, 'metadata'>) => ({
    amount,
    discount_amount,
    items_discount_amount,
    items: items.filter(({ quantity, initial_quantity }) => quantity + initial_quantity > 0),
  })
  /** The order before any redemption. */
  const initially = ({ order }: Facts) => {
    const calculated = calculateOrder(order as NonNullable<Facts['order']>)
    const items = calculated.items.map((item, index) => {
      const freeQuantity = Math.min(order?.items?.[index]?.free_quantity ?? 0, item.quantity)
      return { ...item, ...(freeQuantity === 0 ? {} : { free_quantity: freeQuantity }) }
    })
    return amounts({ ...calculated, items })
  }

  const left = ({ amount, ...order }: ReturnType<typeof undone>) =>
    amounts({ ...order, ...(amount === null ? {} : { amount }) } as Omit<CalculatedOrder, 'metadata'>)

  test('undoing all redemptions together restores the order', () => {
    let count = 0
    fc.assert(
      fc.property(anyFacts, (given) => {
        const example = redeemed(given)
        if (example === null) return
        count += 1
        const { order, steps } = example.redeemed
        const all = undone(
          order,
          steps.map(({ undo: step }) => undo(step)),
        )
        expect(left(all)).toEqual(initially(example.facts))
        expect(all.initial_amount).toBe(order.initial_amount)
        expect(all.discounted_goods).toBeNull()
      }),
      { numRuns: scaled(800, 250) },
    )
    expect(count).toBeGreaterThan(scaled(100, 30))
  })

  test('undoing redemptions one by one, in any order, restores the order', () => {
    const replaces = (facts: Facts) => JSON.stringify(facts.redeemables).includes('REPLACE_ITEMS')
    const some = fc
      .tuple(
        freshOrder,
        fc.array(anyRedeemable, { minLength: 2, maxLength: 4 }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      )
      .map(([order, make, chance]) => ({
        facts: factsOf(
          order,
          make.map((one, index) => one(`R${index}`)),
        ),
        chance,
      }))
    fc.assert(
      fc.property(some, ({ facts, chance }) => {
        const example = replaces(facts) ? null : redeemed(facts)
        if (example === null) return
        const steps = example.redeemed.steps
          .map((step) => ({ step, place: chance.next().value as number }))
          .sort((a, b) => a.place - b.place)
        let order = example.redeemed.order
        for (const { step } of steps) order = { ...order, ...undone(order, [undo(step.undo)]) }
        expect(left(order)).toEqual(initially(example.facts))
      }),
      { numRuns: scaled(400, 150) },
    )
  })
})
