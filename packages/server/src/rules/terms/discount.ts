import { formulaFaults } from '@guerdon/engine'
import { Discount, OpenObject, type UnitDiscount } from '@guerdon/engine/schema'
import { Type } from 'typebox'
import { getCollection } from '../../catalogue/product-collections/store.ts'
import type { Product } from '../../catalogue/products/schema.ts'
import { findProduct } from '../../catalogue/products/store.ts'
import { findSku } from '../../catalogue/skus/store.ts'
import type { Ctx } from '../../core/context.ts'
import { notFound, type Refuse } from '../../core/http/errors.ts'
import { compileValidator } from '../../core/http/validation.ts'
import { knownOnly } from '../../core/lib/known-only.ts'

/**
 * A discount in a body. The schema only requires an object: discountOf validates it, because the error key depends on the
 * resource.
 */
export const DiscountBody = OpenObject<object>(() => Discount, {
  description: '`type` is AMOUNT, PERCENT, FIXED or UNIT, and decides which members belong to it.',
})

/**
 * Validates a discount and returns its stored form: without unknown members and nulls, with the names of the products it
 * gives away (docs/reference/vouchers.md#discount-of-a-voucher). Unknown products are 404.
 */
export async function discountOf(
  ctx: Ctx,
  sent: unknown,
  refuse: Refuse,
  goods: GoodsCache = new Map(),
): Promise<Discount> {
  const faults = shape.faults({ discount: sent }, { root: 'Payload', required: 'should' })
  if (faults.length > 0) throw refuse(faults)
  const discount = knownOnly(Discount, sent) as Discount
  const reason = whyNotDiscount(discount)
  if (reason !== null) throw refuse(reason)
  return discount.type === 'UNIT' ? withGoods(ctx, discount, goods) : discount
}

const shape = compileValidator(Type.Object({ discount: Discount }))

function whyNotDiscount(discount: Discount): string | null {
  const [formula] = formulaFaults(discount, '.discount.')
  if (formula !== undefined) return `Property ${formula.field} is no formula: ${formula.fault}`
  if (discount.type !== 'UNIT') {
    const value = values[discount.type]
    return value in discount ? null : `Property .discount should have required property '${value}'`
  }
  if (givesMany(discount)) return whyNotUnits(discount.units)
  if (discount.unit_type === undefined) return "Property .discount should have required property 'unit_type'"
  return hasQuantity(discount) ? null : "Property .discount should have required property 'unit_off'"
}

/** Whether the discount adds units of several products; without an effect, the presence of `units` decides. */
const givesMany = ({ effect, units }: UnitDiscount): boolean =>
  effect === 'ADD_MANY_ITEMS' || (effect === undefined && units !== undefined)

/** The member that holds the value, by type of discount. */
const values = { AMOUNT: 'amount_off', PERCENT: 'percent_off', FIXED: 'fixed_amount' } as const

function whyNotUnits(units: UnitDiscount['units']): string | null {
  if (units == null || units.length === 0) return "Property .discount should have required property 'units'"
  for (const [index, unit] of units.entries()) {
    if (unit.effect == null) return `Property .discount.units[${index}] should have required property 'effect'`
    if (!hasQuantity(unit)) return `Property .discount.units[${index}] should have required property 'unit_off'`
  }
  return null
}

const hasQuantity = (unit: { unit_off?: number | null; unit_off_formula?: string | null }): boolean =>
  unit.unit_off !== undefined || unit.unit_off_formula !== undefined

/** Product and SKU names come from the catalogue; names in the request are ignored. */
async function withGoods(ctx: Ctx, discount: UnitDiscount, goods: GoodsCache): Promise<Discount> {
  const { product: _, sku: __, units, unit_type, ...rest } = discount
  if (givesMany(discount)) {
    const unitsWithGoods = []
    for (const { product: _, sku: __, ...unit } of units ?? [])
      unitsWithGoods.push({ ...unit, ...(await goodOf(ctx, unit.unit_type, goods)) })
    return { ...rest, units: unitsWithGoods }
  }
  if (rest.effect === 'ADD_SAME_ITEMS')
    return { ...rest, unit_type: (await getCollection(ctx, unit_type as string)).id }
  return { ...rest, ...(await goodOf(ctx, unit_type as string, goods)) }
}

interface Good {
  unit_type: string
  product?: object
  sku?: object
}

/** Cache of products and SKUs, for callers that read many discounts. */
export type GoodsCache = Map<string, Good>

async function goodOf(ctx: Ctx, key: string, cache: GoodsCache): Promise<Good> {
  const good = cache.get(key) ?? (await findGood(ctx, key))
  cache.set(key, good)
  return good
}

async function findGood(ctx: Ctx, key: string): Promise<Good> {
  const product = await findProduct(ctx, key)
  if (product !== undefined) return { unit_type: product.id, product: summaryOf(product) }
  const storedSku = await findSku(ctx, key)
  if (storedSku === undefined) throw notFound('product', key)
  const { id, source_id, sku, product_id } = storedSku
  const parent = await findProduct(ctx, product_id)
  return {
    unit_type: id,
    sku: withoutNulls({ id, source_id, sku }),
    ...(parent === undefined ? {} : { product: summaryOf(parent) }),
  }
}

const summaryOf = ({ id, source_id, name }: Product): object => withoutNulls({ id, source_id, name })

const withoutNulls = (object: object): object =>
  Object.fromEntries(Object.entries(object).filter(([, member]) => member !== null))
