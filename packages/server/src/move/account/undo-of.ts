import type { Undo, UndoneLine } from '../../redemptions/undo.ts'
import { amount, type Foreign, isForeign, list } from './foreign.ts'

/**
 * What a rollback of a redemption will subtract, as far as the order of the redemption tells. The units that count towards
 * lifetime limits of goods are in no answer of the API.
 */
export function undoOf(order: Foreign, day: string, credits: number): Undo {
  const lines = list(order, 'items').filter(isForeign).flatMap(lineOf)
  return {
    order: {
      amount: lines.reduce((sum, line) => sum + line.amount, 0),
      discount_amount: amount(order, 'applied_discount_amount'),
    },
    lines,
    goods: [],
    units: {},
    day,
    orders_amount: amount(order, 'amount'),
    discounted_amount: amount(order, 'total_applied_discount_amount'),
    credits,
  }
}

/** A line that the redemption changed; one without an id cannot be found again. */
function lineOf(item: Foreign): UndoneLine[] {
  if (typeof item.id !== 'string') return []
  const line = {
    quantity: amount(item, 'applied_quantity'),
    amount: amount(item, 'applied_quantity_amount'),
    discount_amount: amount(item, 'applied_discount_amount'),
    discount_quantity: amount(item, 'applied_discount_quantity'),
    free_quantity: 0,
  }
  return Object.values(line).every((value) => value === 0) ? [] : [{ id: item.id, ...line }]
}
