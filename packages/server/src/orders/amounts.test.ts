import fc from 'fast-check'
import { expect, test } from 'vitest'
import { amountsOf, type OrderAmounts } from './amounts.ts'
import { type OrderInput, readOrder } from './input.ts'
import type { StoredOrder } from './order.ts'
import type { CreateOrder } from './schema.ts'

const amounts = fc.integer({ min: 0, max: 5_000 })
const lines = fc.array(
  fc.record(
    {
      quantity: fc.integer({ min: 0, max: 9 }),
      price: amounts,
      amount: amounts,
      discount_amount: amounts,
      discount_quantity: fc.integer({ min: 0, max: 9 }),
    },
    { requiredKeys: [] },
  ),
  { maxLength: 5 },
)
const bodies = fc.record(
  { amount: amounts, initial_amount: amounts, discount_amount: amounts, items: lines },
  { requiredKeys: [] },
) as fc.Arbitrary<CreateOrder>

const after = (before: OrderAmounts | null, sent: OrderInput): OrderAmounts =>
  amountsOf(before as StoredOrder | null, sent, sent.items ?? null)

/** The invariants of every stored order. */
function expectIdentities({ amount, discount_amount, items_discount_amount, items }: OrderAmounts): void {
  expect((amount ?? 0) - discount_amount - items_discount_amount).toBeGreaterThanOrEqual(0)
  expect(items_discount_amount).toBe(items.reduce((sum, line) => sum + (line.discount_amount ?? 0), 0))
  for (const line of items) {
    if (line.amount === undefined) expect(line.discount_amount).toBeUndefined()
    else expect(line.subtotal_amount).toBe(line.amount - (line.discount_amount ?? 0))
    expect(line.subtotal_amount ?? 0).toBeGreaterThanOrEqual(0)
    expect(line.applied_discount_amount ?? 0).toBeLessThanOrEqual(line.discount_amount ?? 0)
  }
}

test('the amounts of an order add up after any request and any update that follows', () => {
  fc.assert(
    fc.property(fc.array(bodies, { minLength: 1, maxLength: 4 }), (sent) => {
      let order: OrderAmounts | null = null
      for (const body of sent) {
        const input = readOrder(body)
        const before: OrderAmounts | null = order
        order = after(before, input)
        expectIdentities(order)
        if (input.amount !== undefined) expect(order.amount).toBe(input.amount)
        if (input.items === undefined && before !== null)
          expect(order.items.map(({ id }) => id)).toEqual(before.items.map(({ id }) => id))
      }
    }),
    { numRuns: 300 },
  )
})

test('sending the same request again changes no amount', () => {
  fc.assert(
    fc.property(bodies, (body) => {
      const order = after(null, readOrder(body))
      const { items: _, ...rest } = readOrder(body)
      expect(after(order, {})).toEqual(order)
      expect(after(order, rest)).toEqual(order)
    }),
    { numRuns: 300 },
  )
})
