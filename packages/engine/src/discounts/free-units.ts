import {
  appendLine,
  type Cart,
  changeQuantity,
  countDiscounted,
  discountLine,
  type Line,
  paidUnits,
  totalOf,
} from '../cart.ts'
import type { EvaluationScope } from '../evaluation-scope.ts'
import { allProducts, isInCollection } from '../goods.ts'
import { inRange, mulDiv } from '../money.ts'
import { notFound } from '../reasons.ts'
import type { AppliedDiscount, CatalogueProduct, FreeUnits, Reason, UnitDiscount } from '../schema/index.ts'
import { ownEntry } from '../values.ts'
import { replaceUnits } from './replace-units.ts'
import { unitsSetting } from './settings.ts'
import { isLineOf, type UnitGood, valueOfUnits } from './unit-goods.ts'
import type { ReachedLines, Use } from './use.ts'

export type UnitEffect = NonNullable<UnitDiscount['effect']>

/**
 * Gives units away, or replaces them by others.
 *
 * Three free mugs, one already in the cart: that one becomes free and two are added (ADD_MISSING_ITEMS), or three are
 * added to the one that is paid for (ADD_NEW_ITEMS).
 * /
 */
export function freeUnits(
  cart: Cart,
  discount: UnitDiscount,
  effect: UnitEffect,
  use: Use,
): { applied: AppliedDiscount; reached?: ReachedLines } | Reason {
  const { product, sku } = discount
  const goodFields = { ...(product == null ? {} : { product }), ...(sku == null ? {} : { sku }) }
  if (effect === 'ADD_MANY_ITEMS') return manyUnits(cart, discount, use)

  const unitType = discount.unit_type ?? ''
  const { value, is_dynamic } = unitsOf(discount, use)
  const unitOff = effect === 'REPLACE_ITEMS' ? value : inRange(value * use.bundles)
  const applied: AppliedDiscount = {
    type: 'UNIT',
    effect,
    unit_off: unitOff,
    unit_type: unitType,
    ...goodFields,
    is_dynamic,
  }

  if (effect === 'ADD_SAME_ITEMS') {
    if (unitType !== allProducts && ownEntry(use.scope.catalogue.collections, unitType) === undefined) {
      return notFound('products_collection', unitType)
    }
    addSame(cart, unitType, unitOff, use)
    return { applied }
  }
  const good = goodOfUnit(unitType, use.scope)
  if (good === null) return notFound('product', unitType)
  if (effect === 'REPLACE_ITEMS') return { applied, reached: replaceUnits(cart, good, unitOff, use) }
  addUnits(cart, good, unitOff, effect, use)
  return { applied }
}

function manyUnits(cart: Cart, discount: UnitDiscount, use: Use): { applied: AppliedDiscount } | Reason {
  const units: NonNullable<AppliedDiscount['units']> = []
  let isDynamic = false
  for (const entry of discount.units ?? []) {
    const good = goodOfUnit(entry.unit_type, use.scope)
    if (good === null) return notFound('product', entry.unit_type)
    const setting = unitsOf(entry, use)
    const unitOff = inRange(setting.value * use.bundles)
    const effect = entry.effect ?? 'ADD_MISSING_ITEMS'
    const { product, sku, unit_type } = entry
    isDynamic ||= setting.is_dynamic
    units.push({
      unit_off: unitOff,
      unit_type,
      effect,
      ...(product == null ? {} : { product }),
      ...(sku == null ? {} : { sku }),
    })
    addUnits(cart, good, unitOff, effect, use)
  }
  return { applied: { type: 'UNIT', effect: 'ADD_MANY_ITEMS', units, is_dynamic: isDynamic } }
}

const unitsOf = ({ unit_off, unit_off_formula }: UnitDiscount | FreeUnits, { scope, trace }: Use) =>
  unitsSetting(unit_off, { field: 'unit_off', formula: unit_off_formula, scope, trace })

/** A built-in product of every project: free shipping adds one unit of it to the order. */
const shipping: CatalogueProduct = { id: 'prod_5h1pp1ng', source_id: '5h1pp1ng', name: 'Shipping' }

/** The product or SKU of a unit discount; null when it is no longer in the catalogue. */
function goodOfUnit(id: string, { catalogue }: EvaluationScope): UnitGood | null {
  const sku = ownEntry(catalogue.skus, id)
  if (sku !== undefined) {
    const product = ownEntry(catalogue.products, sku.product_id ?? '')
    const price = sku.price ?? product?.price ?? null
    return { id, is_sku: true, facts: { catalogue: { sku, product: product ?? null } }, price }
  }
  const product = ownEntry(catalogue.products, id) ?? (id === shipping.id ? shipping : undefined)
  return product === undefined
    ? null
    : { id, is_sku: false, facts: { catalogue: { product } }, price: product.price ?? null }
}

function addUnits(
  cart: Cart,
  good: UnitGood,
  units: number,
  effect: 'ADD_MISSING_ITEMS' | 'ADD_NEW_ITEMS',
  use: Use,
): void {
  if (use.blocked?.has(good.id)) return
  const missing = effect === 'ADD_NEW_ITEMS' ? units : freePaidUnits(cart, good, units, use)
  if (missing === 0) return
  const line = cart.lines.find((candidate) => isLineOf(candidate, good)) ?? appendLine(cart, good.facts)
  addFree(cart, line, missing, good.price, use)
}

/** Makes units in the order free, line by line; returns how many more are needed. */
function freePaidUnits(cart: Cart, good: UnitGood, units: number, { trace }: Use): number {
  let unitsNeeded = units
  let leftToPay = totalOf(cart)
  for (const line of cart.lines) {
    const paidQuantity = paidUnits(line)
    const freedUnits = Math.min(unitsNeeded, paidQuantity)
    if (freedUnits <= 0 || !isLineOf(line, good)) continue
    const value = line.amount === null ? 0 : mulDiv(line.amount - line.discount, freedUnits, paidQuantity)
    const amount = Math.min(value, leftToPay)
    leftToPay -= amount
    discountLine(line, amount)
    countDiscounted(line, freedUnits, 'free')
    trace?.push({ step: 'units', line: line.item.index, quantity: freedUnits, how: 'freed', amount })
    unitsNeeded -= freedUnits
  }
  return unitsNeeded
}

/** Adds free units: the order amount and the discount grow by the same value, so the amount to pay does not change. */
function addFree(cart: Cart, line: Line, units: number, cataloguePrice: number | null, { trace }: Use): void {
  const amount = valueOfUnits(line, units, cataloguePrice)
  changeQuantity(cart, line, units, amount)
  if (amount !== null) discountLine(line, amount)
  countDiscounted(line, units, 'free')
  trace?.push({ step: 'units', line: line.item.index, quantity: units, how: 'added', amount: amount ?? 0 })
}

function addSame(cart: Cart, collectionId: string, units: number, use: Use): void {
  if (units === 0) return
  for (const line of cart.lines) {
    const { item } = line
    if (line.quantity === 0 || use.blocked?.has(item.good) || !isInCollection(item, collectionId, use.scope)) continue
    addFree(cart, line, units, null, use)
  }
}
