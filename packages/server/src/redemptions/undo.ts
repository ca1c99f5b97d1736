import type { UsageRow } from '../core/db/tables.ts'
import { amountsOf, type OrderAmounts } from '../orders/amounts.ts'
import type { StoredItem, StoredOrder } from '../orders/order.ts'

/** What one redemption changed, for a rollback to take back; amounts are signed: after it minus before it. */
export interface Undo {
  order: { amount: number; discount_amount: number }
  /** Lines by the ids of the stored order; those that it left alone are not among them. */
  lines: UndoneLine[]
  /** Goods that it discounted, as `orders.discounted_goods` counts them. */
  goods: string[]
  /** Units that count towards limits of a lifetime, by their scope in `usage`. */
  units: Record<string, number>
  /** Of a card: what it was paid with. */
  transaction_id?: string
  /** On which day, and how much, it was counted in `usage`. */
  day: string
  orders_amount: number
  discounted_amount: number
  credits: number
}

/** Units in `usage`, which know no days: all of a scope are one sum. */
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

export type UndoneLine = { id: string } & Record<Figure, number>

type Figure = 'quantity' | 'amount' | 'discount_amount' | 'discount_quantity' | 'free_quantity'

/**
 * The order without what some redemptions did to it (docs/reference/rollbacks.md#effects): their discounts and units are
 * subtracted, lines that they added disappear, units that they replaced come back; what others did to it stays. Lines that the
 * shop has replaced since have nothing to give back.
 *
 * A mug that came as a present, 1 + 2 of 1500 for 0, undone → 1 of 1500, and an order that costs 3000 less.
 */
export function undone(
  order: StoredOrder,
  undos: readonly Undo[],
): OrderAmounts & Pick<StoredOrder, 'discounted_goods'> {
  const changes = sumOfLines(undos)
  const items: StoredItem[] = []
  let lost = undos.reduce((sum, { order: { amount } }) => sum + amount, 0)
  for (const { amount } of changes.values()) lost -= amount
  for (const item of order.items) {
    const change = changes.get(item.id as string)
    const line = withoutApplied(change === undefined ? item : lineWithout(item, change))
    lost += (item.amount ?? 0) - (line.amount ?? 0)
    if (line.quantity > 0 || line.initial_quantity > 0 || change === undefined) items.push(line)
  }
  const discount = undos.reduce((sum, undo) => sum + undo.order.discount_amount, 0)
  const left: StoredOrder = {
    ...order,
    amount: order.amount === null ? null : Math.max(0, order.amount - lost),
    discount_amount: Math.max(0, order.discount_amount - discount),
    items,
  }
  // What others took off may be more than what is left to take it off.
  return { ...amountsOf(left, {}, null), discounted_goods: goodsWithout(order.discounted_goods, undos) }
}

/** Several redemptions may have changed the same line. */
function sumOfLines(undos: readonly Undo[]): Map<string, UndoneLine> {
  const sums = new Map<string, UndoneLine>()
  for (const line of undos.flatMap(({ lines }) => lines)) {
    const sum = sums.get(line.id) ?? { ...nothing, id: line.id }
    const added = { ...sum }
    for (const name of figures) added[name] += line[name]
    sums.set(line.id, added)
  }
  return sums
}

const figures = ['quantity', 'amount', 'discount_amount', 'discount_quantity', 'free_quantity'] as const
const nothing = { quantity: 0, amount: 0, discount_amount: 0, discount_quantity: 0, free_quantity: 0 }

/** The shop may have changed the line since: then it gives back as much as it has. */
function lineWithout(item: StoredItem, change: UndoneLine): StoredItem {
  const { amount, discount_amount, discount_quantity, free_quantity, subtotal_amount: _, ...rest } = item
  const quantity = Math.max(0, item.quantity - change.quantity)
  const left = {
    amount: amount === undefined ? undefined : Math.max(0, amount - change.amount),
    discount: Math.max(0, (discount_amount ?? 0) - change.discount_amount),
    discounted: Math.min(quantity, Math.max(0, (discount_quantity ?? 0) - change.discount_quantity)),
    free: Math.min(quantity, Math.max(0, (free_quantity ?? 0) - change.free_quantity)),
  }
  return {
    ...rest,
    quantity,
    ...(left.amount === undefined
      ? {}
      : { amount: left.amount, subtotal_amount: Math.max(0, left.amount - left.discount) }),
    ...(left.discount === 0 ? {} : { discount_amount: left.discount }),
    ...(left.discounted === 0 ? {} : { discount_quantity: left.discounted }),
    ...(left.free === 0 ? {} : { free_quantity: left.free }),
  }
}

/** What the latest redemption applied says nothing about an order that it is taken from. */
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
