import { calculateOrder } from '@guerdon/engine'
import type { CalculatedItem, CalculatedOrder, ItemFacts } from '@guerdon/engine/schema'
import { newId } from '../core/lib/ids.ts'
import { type ItemInput, invalidAmount, type OrderInput } from './input.ts'
import type { StoredItem, StoredOrder } from './order.ts'

/** What an order costs, and its lines: the columns that follow from each other. */
export type OrderAmounts = Pick<
  StoredOrder,
  'amount' | 'initial_amount' | 'discount_amount' | 'items_discount_amount' | 'items'
>

/**
 * What an order costs after a request (docs/reference/orders.md#amounts). An amount that was sent wins over the sum of the lines;
 * one that was stored wins as long as the lines stay. Discounts are cut to what they are taken off
 * (docs/reference/calculated-order.md#how-an-order-enters): first those of the lines, one after another, then that of the order.
 */
export function amountsOf(
  before: StoredOrder | null,
  sent: OrderInput,
  lines: ReadonlyArray<ItemInput & ItemFacts> | null,
): OrderAmounts {
  const calculated = calculatedOf({
    amount: sent.amount ?? (lines === null ? before?.amount : null) ?? null,
    discount_amount: sent.discount_amount ?? before?.discount_amount ?? 0,
    items: lines === null ? (before?.items ?? []) : [...lines],
  })
  const amount = calculated.amount ?? null
  // Units that redemptions added are part of the amount, but not of what the order was at first.
  const initialAmount = before !== null && before.amount === amount ? before.initial_amount : amount
  return {
    amount,
    initial_amount: sent.initial_amount ?? initialAmount,
    discount_amount: calculated.discount_amount ?? 0,
    items_discount_amount: calculated.items_discount_amount ?? 0,
    items:
      lines === null
        ? (before?.items ?? []).map((item, index) => keptItem(item, calculated.items[index] as CalculatedItem))
        : newItems(lines, calculated.items, before?.items ?? []),
  }
}

function calculatedOf(facts: Parameters<typeof calculateOrder>[0]): CalculatedOrder {
  try {
    return calculateOrder(facts)
  } catch (error) {
    if (error instanceof RangeError) throw invalidAmount()
    throw error
  }
}

/** A line that nobody sent keeps all that redemptions wrote on it; only its discount may have been cut. */
function keptItem(item: StoredItem, { discount_amount = 0, subtotal_amount }: CalculatedItem): StoredItem {
  if ((item.discount_amount ?? 0) === discount_amount) return item
  const { discount_amount: _, applied_discount_amount = 0, ...rest } = item
  const applied = Math.min(applied_discount_amount, discount_amount)
  return {
    ...rest,
    ...(discount_amount === 0 ? {} : { discount_amount }),
    ...(applied === 0 ? {} : { applied_discount_amount: applied }),
    ...(subtotal_amount === undefined ? {} : { subtotal_amount }),
  }
}

/**
 * Lines that were sent. One that names a line of the order is that line, and keeps its id
 * (docs/reference/calculated-order.md#order-lines).
 */
function newItems(
  lines: readonly ItemInput[],
  calculated: readonly CalculatedItem[],
  before: readonly StoredItem[],
): StoredItem[] {
  const freeIds = new Set(before.map(({ id }) => id))
  return calculated.map((item, index) => {
    const { id, product, sku } = lines[index] as ItemInput
    const isKept = id !== undefined && freeIds.delete(id)
    // The engine leaves out what it does not know, rather than to say null.
    const stored = { ...item, id: isKept ? id : newId('order_line') } as StoredItem
    if (product?.override !== undefined) stored.product = { ...stored.product, override: product.override }
    if (sku?.override !== undefined) stored.sku = { ...stored.sku, override: sku.override }
    return stored
  })
}
