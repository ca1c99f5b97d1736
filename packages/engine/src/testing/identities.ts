import type { CalculatedOrder, Verdict } from '../schema/index.ts'

/**
 * Checks the invariants of every calculated order (docs/reference/calculated-order.md#amounts-of-the-order and
 * docs/reference/calculated-order.md#order-lines and docs/reference/discounts.md#state-of-a-calculation). Returns the
 * violated ones; tests expect an empty list.
 */
export function brokenIdentities(order: CalculatedOrder): string[] {
  const broken: string[] = []
  const check = (holds: boolean, sentence: string): void => {
    if (!holds) broken.push(sentence)
  }
  const sum = (field: 'discount_amount' | 'applied_discount_amount'): number =>
    order.items.reduce((all, item) => all + (item[field] ?? 0), 0)

  for (const [i, item] of order.items.entries()) {
    const { amount, quantity, discount_amount = 0, applied_discount_amount = 0 } = item
    const { discount_quantity = 0, applied_discount_quantity = 0, applied_quantity = 0 } = item
    check(quantity >= 0 && Number.isSafeInteger(quantity), `line ${i}: quantity ${quantity}`)
    check(discount_quantity <= quantity, `line ${i}: ${discount_quantity} of ${quantity} units discounted`)
    check(applied_discount_quantity <= discount_quantity, `line ${i}: more units applied than discounted`)
    check(applied_quantity <= quantity, `line ${i}: ${applied_quantity} units added, and ${quantity} there`)
    check(applied_discount_amount <= discount_amount, `line ${i}: more applied than discounted`)
    if (amount === undefined) check(discount_amount === 0, `line ${i}: a discount on an unknown amount`)
    else check(item.subtotal_amount === amount - discount_amount, `line ${i}: subtotal = amount − discount`)
    for (const [name, value] of Object.entries(item)) {
      const mayBeNegative = name === 'applied_quantity' || name === 'applied_quantity_amount'
      if (typeof value !== 'number') continue
      check(Number.isSafeInteger(value) && (value >= 0 || mayBeNegative), `line ${i}: ${name} ${value}`)
      check(!Object.is(value, -0), `line ${i}: ${name} is −0`)
    }
  }

  const { amount, initial_amount, discount_amount, items_discount_amount, total_discount_amount, total_amount } = order
  const { applied_discount_amount, items_applied_discount_amount, total_applied_discount_amount } = order
  const amounts = [amount, initial_amount, discount_amount, items_discount_amount, total_discount_amount, total_amount]
  const applied = [applied_discount_amount, items_applied_discount_amount, total_applied_discount_amount]
  const all = [...amounts, ...applied]
  if (amount === undefined) {
    check(
      all.every((value) => value === undefined),
      'all nine amounts, or none',
    )
    return broken
  }
  check(
    all.every((value) => Number.isSafeInteger(value) && (value as number) >= 0),
    `amounts are whole and not negative: ${all.join(', ')}`,
  )
  check(items_discount_amount === sum('discount_amount'), 'items_discount = the sum over the lines')
  check(total_discount_amount === discount_amount! + items_discount_amount!, 'total_discount = order + items')
  check(total_amount === amount - total_discount_amount!, 'total = amount − all discounts')
  check(items_applied_discount_amount === sum('applied_discount_amount'), 'items_applied = the sum over the lines')
  check(
    total_applied_discount_amount === applied_discount_amount! + items_applied_discount_amount!,
    'total_applied = order + items',
  )
  check(applied_discount_amount! <= discount_amount!, 'no more applied to the order than it was discounted')
  return broken
}

/** Checks every order in a verdict, and that the order after the last redeemable is the order of the request. */
export function brokenInVerdict({ order, redeemables }: Verdict): string[] {
  const orders = redeemables.flatMap((outcome) =>
    outcome.status === 'APPLICABLE' && outcome.order !== undefined ? [{ id: outcome.id, order: outcome.order }] : [],
  )
  const broken = orders.flatMap((entry) => brokenIdentities(entry.order).map((text) => `${entry.id}: ${text}`))
  if (order === undefined) return broken
  broken.push(...brokenIdentities(order).map((text) => `order: ${text}`))
  if (order.total_amount !== orders.at(-1)?.order.total_amount) broken.push('the last order is that of the request')
  return broken
}
