import { formulaFaults } from '@guerdon/engine'
import { Discount, type UnitDiscount } from '@guerdon/engine/schema'
import { Type } from 'typebox'
import { getCollection } from '../../catalogue/product-collections/store.ts'
import { findProduct } from '../../catalogue/products/store.ts'
import { findSku } from '../../catalogue/skus/store.ts'
import type { Ctx } from '../../core/context.ts'
import { type ApiError, notFound } from '../../core/http/errors.ts'
import { compileValidator } from '../../core/http/validation.ts'
import { knownOnly } from '../../core/lib/known-only.ts'

/** A discount in a body: only known to be an object there, since what is wrong with it is refused with the key of its noun. */
export const DiscountBody = Type.Unsafe<object>({
  type: 'object',
  additionalProperties: true,
  description: '`type` is AMOUNT, PERCENT, FIXED or UNIT, and decides which members belong to it.',
})

/**
 * A discount that somebody sent, checked and as it is stored: without what we do not know, without nulls, with the names
 * of the goods it gives away (docs/reference/vouchers.md#discount-of-a-voucher). Goods that do not exist are 404.
 */
export async function discountOf(
  ctx: Ctx,
  sent: unknown,
  refuse: (details: string) => ApiError,
  goods: KnownGoods = new Map(),
): Promise<Discount> {
  const fault = shape.fault({ discount: sent }, { root: 'Payload', required: 'should' })
  if (fault !== null) throw refuse(fault)
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

/** Whether it gives units of several goods; without an effect, having them says so. */
const givesMany = ({ effect, units }: UnitDiscount): boolean =>
  effect === 'ADD_MANY_ITEMS' || (effect === undefined && units !== undefined)

/** What a discount of a type takes off. */
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

/** The names of the goods come from the catalogue, whatever was sent. */
async function withGoods(ctx: Ctx, discount: UnitDiscount, goods: KnownGoods): Promise<Discount> {
  const { product: _, sku: __, units, unit_type, ...rest } = discount
  if (givesMany(discount)) {
    const named = []
    for (const { product: _, sku: __, ...unit } of units ?? [])
      named.push({ ...unit, ...(await goodOf(ctx, unit.unit_type, goods)) })
    return { ...rest, units: named }
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

/** Goods that were looked up before, for whoever reads many discounts at once. */
export type KnownGoods = Map<string, Good>

async function goodOf(ctx: Ctx, key: string, known: KnownGoods): Promise<Good> {
  const good = known.get(key) ?? (await findGood(ctx, key))
  known.set(key, good)
  return good
}

async function findGood(ctx: Ctx, key: string): Promise<Good> {
  const product = await findProduct(ctx, key)
  if (product !== undefined) {
    const { id, source_id, name } = product
    return { unit_type: id, product: withoutNulls({ id, source_id, name }) }
  }
  const found = await findSku(ctx, key)
  if (found === undefined) throw notFound('product', key)
  const { id, source_id, sku } = found
  return { unit_type: id, sku: withoutNulls({ id, source_id, sku }) }
}

/** Without members that are null. */
const withoutNulls = (object: object): object =>
  Object.fromEntries(Object.entries(object).filter(([, member]) => member !== null))
