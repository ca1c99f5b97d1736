import { type Line, subtotalOf, unitPrice } from '../cart.ts'
import type { EvaluationScope } from '../evaluation-scope.ts'
import { productMetadata } from '../goods.ts'
import type { KnownRedeemable } from '../schema/index.ts'
import { compare, divide, type Exact, fraction, major, whole } from './exact.ts'
import { momentValueOf, pointOf, type Value } from './value.ts'

/** The evaluation scope, with the current line for values per line. */
export type FormulaScope = EvaluationScope & { readonly line?: Line }

/** Reads an operand; null and undefined mean missing. */
type OperandReader = (scope: FormulaScope) => Value | null | undefined

/** Returns the metadata of an operand with a key: `ORDER_METADATA("channel")`. */
type MetadataReader = (scope: FormulaScope) => unknown

const money = (amount: number | null | undefined): Exact | null => (amount == null ? null : major(amount))
const count = (number: number | null | undefined): Exact | null =>
  Number.isSafeInteger(number) ? whole(number as number) : null

const voucherOf = ({ redeemable }: FormulaScope) => (redeemable?.kind === 'promotion_tier' ? null : redeemable)
const tierOf = ({ redeemable }: FormulaScope): KnownRedeemable | null =>
  redeemable?.kind === 'promotion_tier' ? redeemable : null

/**
 * Lines with units. A line with quantity 0 (sent so, or fully replaced) is not part of the order; if it counted, a client
 * could raise a discount by sending empty lines.
 */
function boughtLines({ cart, work }: FormulaScope): Line[] | undefined {
  work.spend((cart?.lines.length ?? 0) / 8)
  return cart?.lines.filter(({ quantity }) => quantity > 0)
}

function priceOf(line: Line): Exact | null {
  const price = unitPrice(line)
  return price === null ? null : fraction(price.amount, price.of)
}

/** The cheapest line (−1) or the most expensive (1); on a tie the one with the lowest subtotal, then the first. */
function extremeLine(scope: FormulaScope, sign: 1 | -1): Line | undefined {
  let found: Line | undefined
  let best: Exact | undefined
  scope.work.spend((scope.cart?.lines.length ?? 0) / 2)
  for (const line of boughtLines(scope) ?? []) {
    const price = priceOf(line)
    if (price === null) continue
    const ahead = best === undefined ? 1 : compare(price, best) * sign
    if (ahead > 0 || (ahead === 0 && found !== undefined && subtotalOrInfinity(line) < subtotalOrInfinity(found)))
      [found, best] = [line, price]
  }
  return found
}

const subtotalOrInfinity = (line: Line): number => subtotalOf(line) ?? Number.POSITIVE_INFINITY

const valuesOfLine: Record<string, (line: Line) => Exact | null> = {
  PRICE: (line) => {
    const price = priceOf(line)
    return price === null ? null : (divide(price, whole(100)) as Exact) // cannot exceed the length limit
  },
  AMOUNT: ({ amount }) => money(amount),
  SUBTOTAL: (line) => money(subtotalOf(line)),
  UNITS_QUANTITY: ({ quantity }) => whole(quantity),
}

const metadataOfLine: Record<string, (line: Line) => unknown> = {
  METADATA: ({ item }) => item.facts.metadata,
  PRODUCT_METADATA: ({ item }) => productMetadata(item),
}

const pickedLines: Array<[prefix: string, pick: (scope: FormulaScope) => Line | undefined]> = [
  ['', ({ line }) => line],
  ['CHEAPEST_', (scope) => extremeLine(scope, -1)],
  ['MOST_EXPENSIVE_', (scope) => extremeLine(scope, 1)],
]

/** `ORDER_ITEM_PRICE`, `CHEAPEST_ORDER_ITEM_PRICE` and so on: the same operands for three lines. */
function ofPickedLines<T>(
  readers: Record<string, (line: Line) => T>,
): Record<string, (scope: FormulaScope) => T | undefined> {
  const all: Record<string, (scope: FormulaScope) => T | undefined> = {}
  for (const [prefix, pick] of pickedLines) {
    for (const [name, read] of Object.entries(readers)) {
      all[`${prefix}ORDER_ITEM_${name}`] = (scope) => {
        const line = pick(scope)
        return line === undefined ? undefined : read(line)
      }
    }
  }
  return all
}

export const operands: Readonly<Record<string, OperandReader>> = {
  ORDER_AMOUNT: ({ cart }) => money(cart?.amount),
  ORDER_ITEMS_QUANTITY: (scope) => count(boughtLines(scope)?.length),
  ORDER_UNITS_QUANTITY: (scope) => count(boughtLines(scope)?.reduce((sum, { quantity }) => sum + quantity, 0)),
  ORDER_BUNDLE_QUANTITY: ({ bundle_quantity }) => whole(bundle_quantity),
  ...ofPickedLines(valuesOfLine),
  VOUCHER_REDEMPTION_QUANTITY: (scope) => count(voucherOf(scope)?.quantity),
  VOUCHER_REDEEMED_QUANTITY: (scope) => count(voucherOf(scope)?.redeemed_quantity),
  VOUCHER_PUBLISH_COUNT: (scope) => {
    const voucher = voucherOf(scope)
    return voucher == null ? null : whole(voucher.publish_count ?? 0)
  },
  VOUCHER_START_DATE: (scope) => pointOf(voucherOf(scope)?.start_date),
  VOUCHER_EXPIRATION_DATE: (scope) => pointOf(voucherOf(scope)?.expiration_date),
  PROMOTION_TIER_START_DATE: (scope) => pointOf(tierOf(scope)?.start_date),
  PROMOTION_TIER_EXPIRATION_DATE: (scope) => pointOf(tierOf(scope)?.expiration_date),
  CUSTOMER_BIRTHDATE: ({ customer }) => momentValueOf(customer?.birthdate ?? ''),
  TODAY: ({ clock }) => ({ day: clock.wall().day }),
  NOW: ({ clock }) => ({ at: clock.at }),
}

export const keyedOperands: Readonly<Record<string, MetadataReader>> = {
  ORDER_METADATA: ({ cart }) => cart?.facts.metadata,
  CUSTOMER_METADATA: ({ customer }) => customer?.metadata,
  REDEMPTION_METADATA: ({ metadata }) => metadata,
  REDEEMABLE_METADATA: ({ redeemable }) => redeemable?.metadata,
  PUBLICATION_METADATA: (scope) => voucherOf(scope)?.publication_metadata,
  ...ofPickedLines(metadataOfLine),
}

/** Available only for values computed per line. */
export const isOfLine = (operand: string): boolean => operand.startsWith('ORDER_ITEM_')

/**
 * Operands available when points are earned: there is an order and a customer, but no redeemable
 * (docs/reference/earning-rules.md#base-points).
 */
export const isForPoints = (operand: string): boolean =>
  /^(?:CHEAPEST_|MOST_EXPENSIVE_|(?:ORDER_AMOUNT|ORDER_(?:ITEMS|UNITS)_QUANTITY|(?:ORDER|CUSTOMER)_METADATA|CUSTOMER_BIRTHDATE|TODAY|NOW)$)/.test(
    operand,
  )
