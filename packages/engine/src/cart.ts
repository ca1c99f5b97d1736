import { inRange, mulDiv, type Part } from './money.ts'
import type { ApplicationDetail, ItemFacts, OrderFacts } from './schema/index.ts'

/** What a line sells: ids under which it is known, and what was said of it. It never changes during a calculation. */
export interface Item {
  /** Position in the order; lines that a redeemable adds come after those that were sent. */
  readonly index: number
  /** As it was sent; of a line that a redeemable added, what the catalogue says. */
  readonly facts: ItemFacts
  readonly sku: Known | null
  readonly product: Known | null
  /** The SKU, else the product, else what was sent: two lines of the same good have the same. */
  readonly good: string
  /** Price of one unit, as sent or as the catalogue says. */
  readonly price: number | null
  readonly initial_quantity: number
  readonly initial_amount: number | null
}

/** Ids of a good. An order may name goods that the catalogue does not know: then one of them is all there is. */
export interface Known {
  readonly id: string | null
  readonly source_id: string | null
}

/** One line while it is calculated. `applied_…` is what the redeemable at hand did, `request_…` what the request did. */
export interface Line {
  readonly item: Item
  quantity: number
  /** Units that nobody pays for: given away by a unit discount. */
  free_quantity: number
  /** Null while neither amount nor price are known; such a line gets no discount. */
  amount: number | null
  discount: number
  discount_quantity: number
  applied_discount: number
  applied_discount_quantity: number
  applied_quantity: number
  applied_quantity_amount: number
  request_discount: number
  request_discount_quantity: number
  request_quantity: number
  request_quantity_amount: number
  /** Where replaced units came from. */
  details: ApplicationDetail[] | null
  request_details: ApplicationDetail[] | null
}

/** An order while it is calculated. */
export interface Cart {
  readonly facts: OrderFacts
  readonly initial_amount: number | null
  /** Null when neither the order nor any line has one: then nothing is computed. */
  amount: number | null
  /** Order-level discount, all of it. */
  discount: number
  applied_discount: number
  request_discount: number
  lines: Line[]
}

/** The order as it enters a calculation (docs/reference/calculated-order.md#how-an-order-enters). */
export function openCart(facts: OrderFacts): Cart {
  const lines = (facts.items ?? []).map((item, index) => openLine(item, index))
  const amount = facts.amount ?? sumOfKnown(lines)
  const cart: Cart = {
    facts,
    initial_amount: facts.initial_amount ?? amount,
    amount,
    discount: 0,
    applied_discount: 0,
    request_discount: 0,
    lines,
  }
  takeEarlierDiscounts(cart)
  return cart
}

function openLine(facts: ItemFacts, index: number): Line {
  const item = itemOf(facts, index)
  const quantity = facts.quantity ?? 1
  const freeQuantity = Math.min(facts.free_quantity ?? 0, quantity)
  return {
    ...emptyLine(item),
    quantity,
    free_quantity: freeQuantity,
    amount: amountOf(facts, item.price),
    discount_quantity: Math.max(freeQuantity, Math.min(facts.discount_quantity ?? 0, quantity)),
  }
}

function emptyLine(item: Item): Line {
  return {
    item,
    quantity: 0,
    free_quantity: 0,
    amount: null,
    discount: 0,
    discount_quantity: 0,
    applied_discount: 0,
    applied_discount_quantity: 0,
    applied_quantity: 0,
    applied_quantity_amount: 0,
    request_discount: 0,
    request_discount_quantity: 0,
    request_quantity: 0,
    request_quantity_amount: 0,
    details: null,
    request_details: null,
  }
}

function itemOf(facts: ItemFacts, index: number): Item {
  const sku = skuOf(facts)
  const product = productOf(facts)
  const price = priceOf(facts)
  return {
    index,
    facts,
    sku,
    product,
    good: goodOf(sku, product, index),
    price,
    initial_quantity: facts.initial_quantity ?? facts.quantity ?? 1,
    initial_amount: facts.initial_amount ?? amountOf(facts, price),
  }
}

/** A line that names nothing is a good of its own. */
const goodOf = (sku: Known | null, product: Known | null, index: number): string =>
  sku?.id ?? sku?.source_id ?? product?.id ?? product?.source_id ?? `#${index}`

function amountOf(facts: ItemFacts, price: number | null): number | null {
  if (facts.amount != null) return facts.amount
  return price === null ? null : inRange(price * (facts.quantity ?? 1))
}

function skuOf({ catalogue, sku_id, sku, source_id, related_object }: ItemFacts): Known | null {
  const stored = catalogue?.sku
  if (stored != null) return { id: stored.id, source_id: stored.source_id ?? null }
  const id = sku_id ?? sku?.id ?? null
  const source = (related_object === 'sku' ? source_id : null) ?? sku?.source_id ?? null
  return id === null && source === null ? null : { id, source_id: source }
}

function productOf({ catalogue, product_id, product, source_id, related_object }: ItemFacts): Known | null {
  const stored = catalogue?.product
  if (stored != null) return { id: stored.id, source_id: stored.source_id ?? null }
  const id = product_id ?? product?.id ?? catalogue?.sku?.product_id ?? null
  const source = (related_object === 'sku' ? null : source_id) ?? product?.source_id ?? null
  return id === null && source === null ? null : { id, source_id: source }
}

const priceOf = ({ price, sku, product, catalogue }: ItemFacts): number | null =>
  price ?? sku?.price ?? catalogue?.sku?.price ?? product?.price ?? catalogue?.product?.price ?? null

function sumOfKnown(lines: readonly Line[]): number | null {
  let sum: number | null = null
  for (const { amount } of lines) if (amount !== null) sum = inRange((sum ?? 0) + amount)
  return sum
}

/** Discounts granted before this request, cut so that no line and no total falls below zero. */
function takeEarlierDiscounts(cart: Cart): void {
  let left = cart.amount ?? 0
  for (const line of cart.lines) {
    line.discount = Math.min(line.item.facts.discount_amount ?? 0, line.amount ?? 0, left)
    left -= line.discount
  }
  cart.discount = Math.min(cart.facts.discount_amount ?? 0, left)
}

/** What is still to pay; nothing that can be discounted while nobody knows what the order costs. */
export function totalOf(cart: Cart): number {
  if (cart.amount === null) return 0
  let total = cart.amount - cart.discount
  for (const line of cart.lines) total -= line.discount
  return total
}

/** What is still to pay for a line, or null when nobody knows. */
export const subtotalOf = (line: Line): number | null => (line.amount === null ? null : line.amount - line.discount)

/**
 * What one unit costs: its price, else its part of the amount of the line (docs/reference/discounts.md#lines-and-units); null
 * when nobody knows.
 */
export function unitPrice({ item, amount, quantity }: Line): Part | null {
  if (item.price !== null) return { amount: item.price, units: 1, of: 1 }
  return amount === null || quantity === 0 ? null : { amount, units: 1, of: quantity }
}

/** Units that somebody pays for. */
export const paidUnits = (line: Line): number => line.quantity - line.free_quantity

/** A copy for the next redeemable: the same state, nothing applied yet. The copy can be thrown away, which undoes it. */
export function nextStep(cart: Cart): Cart {
  return {
    facts: cart.facts,
    initial_amount: cart.initial_amount,
    amount: cart.amount,
    discount: cart.discount,
    applied_discount: 0,
    request_discount: cart.request_discount,
    lines: cart.lines.map((line) => ({
      item: line.item,
      quantity: line.quantity,
      free_quantity: line.free_quantity,
      amount: line.amount,
      discount: line.discount,
      discount_quantity: line.discount_quantity,
      applied_discount: 0,
      applied_discount_quantity: 0,
      applied_quantity: 0,
      applied_quantity_amount: 0,
      request_discount: line.request_discount,
      request_discount_quantity: line.request_discount_quantity,
      request_quantity: line.request_quantity,
      request_quantity_amount: line.request_quantity_amount,
      details: null,
      request_details: line.request_details,
    })),
  }
}

/** Takes an amount off the whole order. */
export function discountOrder(cart: Cart, amount: number): void {
  cart.discount += amount
  cart.applied_discount += amount
  cart.request_discount += amount
}

/** Takes an amount off a line. */
export function discountLine(line: Line, amount: number): void {
  line.discount += amount
  line.applied_discount += amount
  line.request_discount += amount
}

/**
 * Puts units into a line, or takes them out; `amount` is what the amounts of the line and of the order change by. An order
 * whose amount nobody knows is not known better by what is given away with it.
 */
export function changeQuantity(cart: Cart, line: Line, quantity: number, amount: number | null): void {
  line.quantity = inRange(line.quantity + quantity)
  line.applied_quantity += quantity
  line.request_quantity += quantity
  if (amount === null) return
  line.amount = inRange((line.amount ?? 0) + amount)
  line.applied_quantity_amount += amount
  line.request_quantity_amount += amount
  if (cart.amount !== null) cart.amount = inRange(cart.amount + amount)
}

/** Takes units out of a line. They leave with their share of its amount and of its discount, which is the answer. */
export function removeUnits(cart: Cart, line: Line, units: number): { amount: number | null; discount: number } {
  const share = (of: number): number => mulDiv(of, units, line.quantity)
  const amount = line.amount === null ? null : share(line.amount)
  const discount = share(line.discount)
  line.discount -= discount
  line.applied_discount -= share(line.applied_discount)
  line.request_discount -= share(line.request_discount)
  changeQuantity(cart, line, -units, amount === null ? null : -amount)
  line.discount_quantity = Math.min(line.discount_quantity, line.quantity)
  line.applied_discount_quantity = Math.min(line.applied_discount_quantity, line.quantity)
  line.request_discount_quantity = Math.min(line.request_discount_quantity, line.quantity)
  return { amount, discount }
}

/** Counts units as discounted. Free units add up; other counts overlap, so the larger one stays. */
export function countDiscounted(line: Line, units: number, how: 'free' | 'counted'): void {
  if (how === 'free') line.free_quantity += units
  const after = (before: number) => Math.min(line.quantity, how === 'free' ? before + units : Math.max(before, units))
  line.discount_quantity = after(line.discount_quantity)
  line.applied_discount_quantity = after(line.applied_discount_quantity)
  line.request_discount_quantity = after(line.request_discount_quantity)
}

/**
 * Brings an order whose units became cheaper back to zero: what was taken off the whole order may be more than it now
 * costs. An order amount that was sent can even be less than the lines that left; it does not fall below its discounts.
 */
export function settle(cart: Cart): void {
  if (cart.amount === null) return
  cart.discount -= Math.min(cart.discount, Math.max(0, -totalOf(cart)))
  cart.request_discount = Math.min(cart.request_discount, cart.discount)
  cart.amount += Math.max(0, -totalOf(cart))
}

/** A new line at the end of the order, for units that no line can take. */
export function appendLine(cart: Cart, facts: ItemFacts): Line {
  const index = cart.lines.length
  const item: Item = { ...itemOf({ ...facts, quantity: 0 }, index), initial_amount: 0 }
  const line = emptyLine(item)
  cart.lines.push(line)
  return line
}
