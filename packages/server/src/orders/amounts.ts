import { calculateOrder } from '@guerdon/engine'
import type { CalculatedItem, CalculatedOrder, ItemFacts } from '@guerdon/engine/schema'
import { newId } from '../core/lib/ids.ts'
import { type ItemInput, invalidAmount, type OrderInput } from './input.ts'
import type { StoredItem, StoredOrder } from './order.ts'

/** The amount columns of an order and its lines, which are always computed together. */
export type OrderAmounts = Pick<
  StoredOrder,
  'amount' | 'initial_amount' | 'discount_amount' | 'items_discount_amount' | 'items'
>

/**
 * Computes the amounts of an order after a request (docs/reference/orders.md#amounts). An amount in the request takes precedence
 * over the sum of the lines; the stored amount is kept only while the lines stay the same. Discounts are capped at the amount
 * they apply to (docs/reference/calculated-order.md#how-an-order-enters): first the line discounts in order, then the order's.
 */
export function amountsOf(
  before: StoredOrder | null,
  sent: OrderInput,
  lines: ReadonlyArray<ItemInput & ItemFacts> | null,
): OrderAmounts {
  const calculated = calculateOrRefuse({
    amount: sent.amount ?? (lines === null ? before?.amount : null) ?? null,
    discount_amount: sent.discount_amount ?? before?.discount_amount ?? 0,
    items: lines === null ? (before?.items ?? []) : [...lines],
  })
  const amount = calculated.amount ?? null
  // Units added by redemptions count in `amount`, but not in `initial_amount`.
  const initialAmount = before !== null && before.amount === amount ? before.initial_amount : amount
  return {
    amount,
    initial_amount: sent.initial_amount ?? initialAmount,
    discount_amount: calculated.discount_amount ?? 0,
    items_discount_amount: calculated.items_discount_amount ?? 0,
    items:
      lines === null
        ? (before?.items ?? []).map((item, index) =>
            withCappedDiscount(item, calculated.items[index] as CalculatedItem),
          )
        : itemsFromRequest(lines, calculated.items, before?.items ?? []),
  }
}

function calculateOrRefuse(facts: Parameters<typeof calculateOrder>[0]): CalculatedOrder {
  try {
    return calculateOrder(facts)
  } catch (error) {
    if (error instanceof RangeError) throw invalidAmount()
    throw error
  }
}

/** A line that the request does not send keeps everything that redemptions stored on it; only its discount may be capped. */
function withCappedDiscount(item: StoredItem, { discount_amount = 0, subtotal_amount }: CalculatedItem): StoredItem {
  if ((item.discount_amount ?? 0) === discount_amount) return item
  const { discount_amount: _, applied_discount_amount = 0, ...rest } = item
  const appliedDiscount = Math.min(applied_discount_amount, discount_amount)
  return {
    ...rest,
    ...(discount_amount === 0 ? {} : { discount_amount }),
    ...(appliedDiscount === 0 ? {} : { applied_discount_amount: appliedDiscount }),
    ...(subtotal_amount === undefined ? {} : { subtotal_amount }),
  }
}

/**
 * The lines of the request. A line sent with the id of a stored line of this order keeps that id; every other line gets a new
 * one (docs/reference/calculated-order.md#order-lines).
 */
function itemsFromRequest(
  lines: readonly ItemInput[],
  calculated: readonly CalculatedItem[],
  before: readonly StoredItem[],
): StoredItem[] {
  const unusedIds = new Set(before.map(({ id }) => id))
  return calculated.map((item, index) => {
    const { id, product, sku } = lines[index] as ItemInput
    const isKept = id !== undefined && unusedIds.delete(id)
    // The engine omits unknown fields instead of returning null.
    const stored = { ...item, id: isKept ? id : newId('order_line') } as StoredItem
    if (product?.override !== undefined) stored.product = { ...stored.product, override: product.override }
    if (sku?.override !== undefined) stored.sku = { ...stored.sku, override: sku.override }
    return stored
  })
}
