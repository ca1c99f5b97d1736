import { assert } from './assert.ts'
import { type Cart, type Line, openCart } from './cart.ts'
import { overlayMetadata } from './goods.ts'
import type { CalculatedItem, CalculatedOrder, OrderFacts } from './schema/index.ts'

/**
 * Calculates an order without redeemables (docs/reference/calculated-order.md#how-an-order-enters). Earlier discounts are
 * capped so that no amount falls below zero. Throws a RangeError when an amount is too large to be exact.
 *
 * Two shirts at 17.00 and three pairs of socks at 4.50 → `amount` 4750, `total_amount` 4750.
 * /
 */
export const calculateOrder = (facts: OrderFacts): CalculatedOrder => calculatedOrder(openCart(facts), 'request')

/**
 * The order as the contract represents it (docs/reference/calculated-order.md#amounts-of-the-order and
 * docs/reference/calculated-order.md#order-lines); the applied amounts are those of the redeemable, or of the request.
 */
export function calculatedOrder(cart: Cart, appliedBy: 'redeemable' | 'request'): CalculatedOrder {
  const isOfRedeemable = appliedBy === 'redeemable'
  let itemsDiscount = 0
  let itemsApplied = 0
  for (const line of cart.lines) {
    itemsDiscount += line.discount
    itemsApplied += isOfRedeemable ? line.applied_discount : line.request_discount
  }
  const items = cart.lines.map((line) => calculatedItem(line, isOfRedeemable))
  const metadata = cart.facts.metadata ?? {}
  if (cart.amount === null) return { items, metadata }
  const orderApplied = isOfRedeemable ? cart.applied_discount : cart.request_discount
  const total = cart.amount - cart.discount - itemsDiscount
  assert(total >= 0, `negative total: ${total}`)
  return {
    amount: cart.amount,
    initial_amount: cart.initial_amount ?? cart.amount,
    discount_amount: cart.discount,
    items_discount_amount: itemsDiscount,
    total_discount_amount: cart.discount + itemsDiscount,
    total_amount: total,
    applied_discount_amount: orderApplied,
    items_applied_discount_amount: itemsApplied,
    total_applied_discount_amount: orderApplied + itemsApplied,
    items,
    metadata,
  }
}

function calculatedItem(line: Line, isOfRedeemable: boolean): CalculatedItem {
  const { item, amount } = line
  const { facts, sku, product, price } = item
  const calculated: CalculatedItem = {
    object: 'order_item',
    quantity: line.quantity,
    initial_quantity: item.initial_quantity,
  }
  if (facts.id != null) calculated.id = facts.id
  const productId = facts.product_id ?? product?.id
  if (productId != null) calculated.product_id = productId
  const skuId = facts.sku_id ?? sku?.id
  if (skuId != null) calculated.sku_id = skuId
  if (facts.source_id != null) calculated.source_id = facts.source_id
  if (facts.related_object != null) calculated.related_object = facts.related_object
  if (price !== null) calculated.price = price
  if (amount !== null) {
    calculated.amount = amount
    calculated.subtotal_amount = amount - line.discount
    if (item.initial_amount !== null) calculated.initial_amount = item.initial_amount
  }
  addApplied(calculated, line, isOfRedeemable)
  if (facts.product != null || facts.catalogue?.product != null)
    calculated.product = mergeFields(facts.catalogue?.product, facts.product, productFields)
  if (facts.sku != null || facts.catalogue?.sku != null)
    calculated.sku = mergeFields(facts.catalogue?.sku, facts.sku, skuFields)
  if (facts.metadata != null) calculated.metadata = facts.metadata
  return calculated
}

function addApplied(calculated: CalculatedItem, line: Line, isOfRedeemable: boolean): void {
  const appliedDiscount = isOfRedeemable ? line.applied_discount : line.request_discount
  const appliedDiscountQuantity = isOfRedeemable ? line.applied_discount_quantity : line.request_discount_quantity
  const appliedQuantity = isOfRedeemable ? line.applied_quantity : line.request_quantity
  const appliedQuantityAmount = isOfRedeemable ? line.applied_quantity_amount : line.request_quantity_amount
  if (line.discount > 0) calculated.discount_amount = line.discount
  if (appliedDiscount > 0) calculated.applied_discount_amount = appliedDiscount
  if (line.discount_quantity > 0) calculated.discount_quantity = line.discount_quantity
  if (appliedDiscountQuantity > 0) calculated.applied_discount_quantity = appliedDiscountQuantity
  if (appliedQuantity !== 0) calculated.applied_quantity = appliedQuantity
  if (appliedQuantityAmount !== 0) calculated.applied_quantity_amount = appliedQuantityAmount
  const details = isOfRedeemable ? line.details : line.request_details
  if (details !== null) calculated.application_details = details
}

const productFields = ['id', 'source_id', 'name', 'metadata', 'price'] as const
const skuFields = ['id', 'source_id', 'sku', 'metadata', 'price'] as const

/** Catalogue data overlaid with sent data; unknown fields are omitted. */
function mergeFields<K extends string, T extends { [key in K]?: unknown }>(
  stored: T | null | undefined,
  sent: T | null | undefined,
  fields: readonly K[],
): T {
  const merged: { [key in K]?: unknown } = {}
  for (const field of fields) {
    const value =
      field === 'metadata' ? overlayMetadata(stored?.[field], sent?.[field]) : (sent?.[field] ?? stored?.[field])
    if (value != null) merged[field] = value
  }
  return merged as T
}
