import type { UsageRow } from '../core/db/tables.ts'
import { amountsOf, type OrderAmounts } from '../orders/amounts.ts'
import type { StoredItem, StoredOrder } from '../orders/order.ts'

/** The changes of one redemption, for a rollback to subtract; amounts are signed: after minus before. */
export interface Undo {
  order: { amount: number; discount_amount: number }
  /** The changed lines, with their ids in the stored order. */
  lines: UndoneLine[]
  /** The goods that it discounted, as `orders.discounted_goods` counts them. */
  goods: string[]
  /** Units that count towards lifetime limits, by their scope in `usage`. */
  units: Record<string, number>
  /** The transaction by which a card paid. */
  transaction_id?: string
  /** The day and the amounts under which it was counted in `usage`. */
  day: string
  orders_amount: number
  discounted_amount: number
  credits: number
}

/** Rows of `usage` for units: they have no day, because lifetime limits sum up all of a scope. */
export const usedUnits = (
  units: Undo['units'],
  { is_undone }: { is_undone: boolean },
): Array<Omit<UsageRow, 'project_id' | 'id'>> =>
  Object.entries(units).map(([scopeId, count]) => ({
    scope_id: scopeId,
    day: '1970-01-01',
    is_undone,
    redemptions: count,
    orders_amount: 0,
    discounted_amount: 0,
    credits: 0,
  }))

export type UndoneLine = Record<Figure, number> & {
  id: string
  /** The line had no amount before: it has neither a price nor an amount of the shop. */
  adds_amount?: true
}

type Figure = 'quantity' | 'amount' | 'discount_amount' | 'discount_quantity' | 'free_quantity'

/**
 * The order without the effects of some redemptions (docs/reference/rollbacks.md#effects): their discounts and units are
 * subtracted, lines that they added disappear, units that they replaced come back. The effects of other redemptions stay. Lines
 * that the shop has replaced since are not changed.
 *
 * Two free mugs added to a line of one, 1 + 2 of 1500 for 0, undone → 1 of 1500, and an order amount lower by 3000.
 */
export function undone(
  order: StoredOrder,
  undos: readonly Undo[],
): OrderAmounts & Pick<StoredOrder, 'discounted_goods'> {
  const changes = sumOfLines(undos)
  const items: StoredItem[] = []
  let amountRemoved = undos.reduce((sum, { order: { amount } }) => sum + amount, 0)
  for (const { amount } of changes.values()) amountRemoved -= amount
  for (const item of order.items) {
    const change = changes.get(item.id as string)
    const line = withoutApplied(change === undefined ? item : lineWithout(item, change))
    amountRemoved += (item.amount ?? 0) - (line.amount ?? 0)
    if (line.quantity > 0 || line.initial_quantity > 0 || change === undefined) items.push(line)
  }
  const discount = undos.reduce((sum, undo) => sum + undo.order.discount_amount, 0)
  const remaining: StoredOrder = {
    ...order,
    amount: order.amount === null ? null : Math.max(0, order.amount - amountRemoved),
    discount_amount: Math.max(0, order.discount_amount - discount),
    items,
  }
  // The discounts of other redemptions may exceed the amount that remains: `amountsOf` caps them.
  return { ...amountsOf(remaining, {}, null), discounted_goods: goodsWithout(order.discounted_goods, undos) }
}

/** Several redemptions may have changed the same line. */
function sumOfLines(undos: readonly Undo[]): Map<string, UndoneLine> {
  const sums = new Map<string, UndoneLine>()
  for (const line of undos.flatMap(({ lines }) => lines)) {
    const sum = sums.get(line.id) ?? { ...zeroFigures, id: line.id }
    const next = { ...sum }
    for (const name of figures) next[name] += line[name]
    if (line.adds_amount) next.adds_amount = true
    sums.set(line.id, next)
  }
  return sums
}

const figures = ['quantity', 'amount', 'discount_amount', 'discount_quantity', 'free_quantity'] as const
const zeroFigures = { quantity: 0, amount: 0, discount_amount: 0, discount_quantity: 0, free_quantity: 0 }

/** The shop may have changed the line since: subtracts no more than the line has. */
function lineWithout(item: StoredItem, change: UndoneLine): StoredItem {
  const { amount, discount_amount, discount_quantity, free_quantity, subtotal_amount: _, ...rest } = item
  const quantity = Math.max(0, item.quantity - change.quantity)
  const remaining = {
    amount:
      amount === undefined || (change.adds_amount && amount === change.amount)
        ? undefined
        : Math.max(0, amount - change.amount),
    discount: Math.max(0, (discount_amount ?? 0) - change.discount_amount),
    discounted: Math.min(quantity, Math.max(0, (discount_quantity ?? 0) - change.discount_quantity)),
    free: Math.min(quantity, Math.max(0, (free_quantity ?? 0) - change.free_quantity)),
  }
  return {
    ...rest,
    quantity,
    ...(remaining.amount === undefined
      ? {}
      : { amount: remaining.amount, subtotal_amount: Math.max(0, remaining.amount - remaining.discount) }),
    ...(remaining.discount === 0 ? {} : { discount_amount: remaining.discount }),
    ...(remaining.discounted === 0 ? {} : { discount_quantity: remaining.discounted }),
    ...(remaining.free === 0 ? {} : { free_quantity: remaining.free }),
  }
}

/** Without `applied_*`: they describe the latest redemption, which may be the one that is undone. */
function withoutApplied(item: StoredItem): StoredItem {
  const {
    applied_discount_amount: _,
    applied_discount_quantity: __,
    applied_quantity: ___,
    applied_quantity_amount: ____,
    application_details: _____,
    ...rest
  } = item
  return rest
}

function goodsWithout(goods: Record<string, number> | null, undos: readonly Undo[]): StoredOrder['discounted_goods'] {
  const counts = { ...goods }
  for (const good of undos.flatMap((undo) => undo.goods)) {
    const count = (counts[good] ?? 0) - 1
    if (count > 0) counts[good] = count
    else delete counts[good]
  }
  return Object.keys(counts).length === 0 ? null : counts
}
