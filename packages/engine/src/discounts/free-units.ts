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
import type { Reached, Use } from './use.ts'

export type UnitEffect = NonNullable<UnitDiscount['effect']>

/**
 * Gives units away, or swaps them for others.
 *
 * Three free mugs, one already in the cart: that one becomes free and two are added (ADD_MISSING_ITEMS), or three are
 * added to the one that is paid for (ADD_NEW_ITEMS).
 */
export function freeUnits(
  cart: Cart,
  discount: UnitDiscount,
  effect: UnitEffect,
  use: Use,
): { applied: AppliedDiscount; reached?: Reached } | Reason {
  const { product, sku } = discount
  const shown = { ...(product == null ? {} : { product }), ...(sku == null ? {} : { sku }) }
  if (effect === 'ADD_MANY_ITEMS') return manyUnits(cart, discount, use)

  const unitType = discount.unit_type ?? ''
  const { value, is_dynamic } = unitsOf(discount, use)
  const unitOff = effect === 'REPLACE_ITEMS' ? value : inRange(value * use.bundles)
  const applied: AppliedDiscount = {
    type: 'UNIT',
    effect,
    unit_off: unitOff,
    unit_type: unitType,
    ...shown,
    is_dynamic,
  }

  if (effect === 'ADD_SAME_ITEMS') {
    if (unitType !== allProducts && ownEntry(use.scene.catalogue.collections, unitType) === undefined) {
      return notFound('products_collection', unitType)
    }
    addSame(cart, unitType, unitOff, use)
    return { applied }
  }
  const good = goodOfUnit(unitType, use.scene)
  if (good === null) return notFound('product', unitType)
  if (effect === 'REPLACE_ITEMS') return { applied, reached: replaceUnits(cart, good, unitOff, use) }
  addUnits(cart, good, unitOff, effect, use)
  return { applied }
}

function manyUnits(cart: Cart, discount: UnitDiscount, use: Use): { applied: AppliedDiscount } | Reason {
  const units: NonNullable<AppliedDiscount['units']> = []
  let isDynamic = false
  for (const entry of discount.units ?? []) {
    const good = goodOfUnit(entry.unit_type, use.scene)
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

const unitsOf = ({ unit_off, unit_off_formula }: UnitDiscount | FreeUnits, { scene, trace }: Use) =>
  unitsSetting(unit_off, { field: 'unit_off', formula: unit_off_formula, scene, trace })

/** Built into every project: an order that ships for free gets one unit of it. */
const shipping: CatalogueProduct = { id: 'prod_5h1pp1ng', source_id: '5h1pp1ng', name: 'Shipping' }

/** Null when the catalogue no longer has it. */
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

/** Makes units free that are in the order already, line by line; answers how many more are needed. */
function freePaidUnits(cart: Cart, good: UnitGood, units: number, { trace }: Use): number {
  let needed = units
  let leftToPay = totalOf(cart)
  for (const line of cart.lines) {
    const paid = paidUnits(line)
    const freed = Math.min(needed, paid)
    if (freed <= 0 || !isLineOf(line, good)) continue
    const value = line.amount === null ? 0 : mulDiv(line.amount - line.discount, freed, paid)
    const amount = Math.min(value, leftToPay)
    leftToPay -= amount
    discountLine(line, amount)
    countDiscounted(line, freed, 'free')
    trace?.push({ step: 'units', line: line.item.index, quantity: freed, how: 'freed', amount })
    needed -= freed
  }
  return needed
}

/** Adds units that cost nothing: the amount of the order grows with its discount, so what is to pay stays the same. */
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
    if (line.quantity === 0 || use.blocked?.has(item.good) || !isInCollection(item, collectionId, use.scene)) continue
    addFree(cart, line, units, null, use)
  }
}
