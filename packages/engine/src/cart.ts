import { inRange, mulDiv, type Part } from './money.ts'
import type { ApplicationDetail, ItemFacts, OrderFacts } from './schema/index.ts'

/** What a line sells: ids and the facts sent. It is immutable during a calculation. */
export interface Item {
  /** Position in the order; lines added by a redeemable come after the sent lines. */
  readonly index: number
  /** The line as sent; for a line added by a redeemable, the catalogue data. */
  readonly facts: ItemFacts
  readonly sku: GoodIds | null
  readonly product: GoodIds | null
  /** Id of the SKU, else of the product, else a unique key of the line; lines of the same good share it. */
  readonly good: string
  /** Price of one unit, sent or from the catalogue. */
  readonly price: number | null
  readonly initial_quantity: number
  readonly initial_amount: number | null
}

/** Ids of a good. For a good that is not in the catalogue only one of them may be known. */
export interface GoodIds {
  readonly id: string | null
  readonly source_id: string | null
}

/** Mutable state of a line. `applied_…` is the effect of the current redeemable, `request_…` that of the whole request. */
export interface Line {
  readonly item: Item
  quantity: number
  /** Units given away by a unit discount. */
  free_quantity: number
  /** Null when neither amount nor price is known; such a line gets no discount. */
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
  /** Source lines of replaced units. */
  details: ApplicationDetail[] | null
  request_details: ApplicationDetail[] | null
}

/** Mutable state of an order. */
export interface Cart {
  readonly facts: OrderFacts
  readonly initial_amount: number | null
  /** Null when neither the order nor any line has an amount: then no amounts are calculated. */
  amount: number | null
  /** Order-level discount, including earlier requests. */
  discount: number
  applied_discount: number
  request_discount: number
  lines: Line[]
}

/** Builds the initial state of an order (docs/reference/calculated-order.md#how-an-order-enters). */
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
  applyEarlierDiscounts(cart)
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

/** A line without ids is a good of its own. */
const goodOf = (sku: GoodIds | null, product: GoodIds | null, index: number): string =>
  sku?.id ?? sku?.source_id ?? product?.id ?? product?.source_id ?? `#${index}`

function amountOf(facts: ItemFacts, price: number | null): number | null {
  if (facts.amount != null) return facts.amount
  return price === null ? null : inRange(price * (facts.quantity ?? 1))
}

function skuOf({ catalogue, sku_id, sku, source_id, related_object }: ItemFacts): GoodIds | null {
  const stored = catalogue?.sku
  if (stored != null) return { id: stored.id, source_id: stored.source_id ?? null }
  const id = sku_id ?? sku?.id ?? null
  const source = (related_object === 'sku' ? source_id : null) ?? sku?.source_id ?? null
  return id === null && source === null ? null : { id, source_id: source }
}

function productOf({ catalogue, product_id, product, source_id, related_object }: ItemFacts): GoodIds | null {
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

/** Applies discounts granted before this request, capped so that no line and no total falls below zero. */
function applyEarlierDiscounts(cart: Cart): void {
  let remaining = cart.amount ?? 0
  for (const line of cart.lines) {
    line.discount = Math.min(line.item.facts.discount_amount ?? 0, line.amount ?? 0, remaining)
    remaining -= line.discount
  }
  cart.discount = Math.min(cart.facts.discount_amount ?? 0, remaining)
}

/** The amount to pay; 0 when the amount of the order is unknown, so nothing can be discounted. */
export function totalOf(cart: Cart): number {
  if (cart.amount === null) return 0
  let total = cart.amount - cart.discount
  for (const line of cart.lines) total -= line.discount
  return total
}

/** The amount to pay for a line; null when unknown. */
export const subtotalOf = (line: Line): number | null => (line.amount === null ? null : line.amount - line.discount)

/**
 * Price of one unit, else its share of the line amount (docs/reference/discounts.md#lines-and-units); null when neither is
 * known.
 */
export function unitPrice({ item, amount, quantity }: Line): Part | null {
  if (item.price !== null) return { amount: item.price, units: 1, of: 1 }
  return amount === null || quantity === 0 ? null : { amount, units: 1, of: quantity }
}

/** Units that are not free. */
export const paidUnits = (line: Line): number => line.quantity - line.free_quantity

/** Copies the state for the next redeemable, with nothing applied yet. Discarding the copy undoes the redeemable. */
export function copyForNextRedeemable(cart: Cart): Cart {
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

/** Adds an order-level discount. */
export function discountOrder(cart: Cart, amount: number): void {
  cart.discount += amount
  cart.applied_discount += amount
  cart.request_discount += amount
}

/** Adds a discount to a line. */
export function discountLine(line: Line, amount: number): void {
  line.discount += amount
  line.applied_discount += amount
  line.request_discount += amount
}

/**
 * Adds units to a line, or removes them; `amount` is the change of the line amount and the order amount. An unknown order
 * amount stays unknown.
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

/** Removes units from a line and returns their share of its amount and discount. */
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

/** Counts units as discounted. Free units are added; other counts overlap, so the larger one is kept. */
export function countDiscounted(line: Line, units: number, kind: 'free' | 'counted'): void {
  if (kind === 'free') line.free_quantity += units
  const after = (before: number) => Math.min(line.quantity, kind === 'free' ? before + units : Math.max(before, units))
  line.discount_quantity = after(line.discount_quantity)
  line.applied_discount_quantity = after(line.applied_discount_quantity)
  line.request_discount_quantity = after(line.request_discount_quantity)
}

/**
 * Restores a total of at least zero after units became cheaper: first reduces the order-level discount, which may exceed
 * the new amount. A sent order amount may even be less than the removed lines; then the amount is raised to its discounts.
 */
export function restoreNonNegativeTotal(cart: Cart): void {
  if (cart.amount === null) return
  cart.discount -= Math.min(cart.discount, Math.max(0, -totalOf(cart)))
  cart.request_discount = Math.min(cart.request_discount, cart.discount)
  cart.amount += Math.max(0, -totalOf(cart))
}

/** Appends a line for units that fit no existing line. */
export function appendLine(cart: Cart, facts: ItemFacts): Line {
  const index = cart.lines.length
  const item: Item = { ...itemOf({ ...facts, quantity: 0 }, index), initial_amount: 0 }
  const line = emptyLine(item)
  cart.lines.push(line)
  return line
}
