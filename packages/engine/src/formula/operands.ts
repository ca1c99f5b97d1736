import { type Line, subtotalOf, unitPrice } from '../cart.ts'
import type { EvaluationScope } from '../evaluation-scope.ts'
import { productMetadata } from '../goods.ts'
import type { KnownRedeemable } from '../schema/index.ts'
import { compare, divide, type Exact, fraction, major, whole } from './exact.ts'
import { momentOf, pointOf, type Value } from './value.ts'

/** The scene, on a line or not. */
export type Sight = EvaluationScope & { readonly line?: Line }

/** A value of the scene; null and undefined are missing. */
type Look = (sight: Sight) => Value | null | undefined

/** Where the values of a name with a key are: `ORDER_METADATA("channel")`. */
type LookUp = (sight: Sight) => unknown

const money = (amount: number | null | undefined): Exact | null => (amount == null ? null : major(amount))
const count = (number: number | null | undefined): Exact | null =>
  Number.isSafeInteger(number) ? whole(number as number) : null

const voucherOf = ({ redeemable }: Sight) => (redeemable?.kind === 'promotion_tier' ? null : redeemable)
const tierOf = ({ redeemable }: Sight): KnownRedeemable | null =>
  redeemable?.kind === 'promotion_tier' ? redeemable : null

/**
 * Lines that are being bought. One without units (sent so, or replaced by another good) is no longer part of the order;
 * and if it counted, a client could raise a discount by sending empty lines.
 */
const boughtLines = ({ cart }: Sight): Line[] | undefined => cart?.lines.filter(({ quantity }) => quantity > 0)

function priceOf(line: Line): Exact | null {
  const price = unitPrice(line)
  return price === null ? null : fraction(price.amount, price.of)
}

/** The cheapest line (−1) or the dearest (1); of several the one with the lowest subtotal, of these the first. */
function extremeLine(sight: Sight, sign: 1 | -1): Line | undefined {
  let found: Line | undefined
  let best: Exact | undefined
  for (const line of boughtLines(sight) ?? []) {
    const price = priceOf(line)
    if (price === null) continue
    const ahead = best === undefined ? 1 : compare(price, best) * sign
    if (ahead > 0 || (ahead === 0 && found !== undefined && restOf(line) < restOf(found))) [found, best] = [line, price]
  }
  return found
}

const restOf = (line: Line): number => subtotalOf(line) ?? Number.POSITIVE_INFINITY

const valuesOfLine: Record<string, (line: Line) => Exact | null> = {
  PRICE: (line) => {
    const price = priceOf(line)
    return price === null ? null : (divide(price, whole(100)) as Exact) // too short to get too long
  },
  AMOUNT: ({ amount }) => money(amount),
  SUBTOTAL: (line) => money(subtotalOf(line)),
  UNITS_QUANTITY: ({ quantity }) => whole(quantity),
}

const metadataOfLine: Record<string, (line: Line) => unknown> = {
  METADATA: ({ item }) => item.facts.metadata,
  PRODUCT_METADATA: ({ item }) => productMetadata(item),
}

const pickedLines: Array<[prefix: string, pick: (sight: Sight) => Line | undefined]> = [
  ['', ({ line }) => line],
  ['CHEAPEST_', (sight) => extremeLine(sight, -1)],
  ['MOST_EXPENSIVE_', (sight) => extremeLine(sight, 1)],
]

/** `ORDER_ITEM_PRICE`, `CHEAPEST_ORDER_ITEM_PRICE` and so on: the same values of three lines. */
function ofPickedLines<T>(looks: Record<string, (line: Line) => T>): Record<string, (sight: Sight) => T | undefined> {
  const all: Record<string, (sight: Sight) => T | undefined> = {}
  for (const [prefix, pick] of pickedLines) {
    for (const [name, look] of Object.entries(looks)) {
      all[`${prefix}ORDER_ITEM_${name}`] = (sight) => {
        const line = pick(sight)
        return line === undefined ? undefined : look(line)
      }
    }
  }
  return all
}

export const operands: Readonly<Record<string, Look>> = {
  ORDER_AMOUNT: ({ cart }) => money(cart?.amount),
  ORDER_ITEMS_QUANTITY: (sight) => count(boughtLines(sight)?.length),
  ORDER_UNITS_QUANTITY: ({ cart }) => count(cart?.lines.reduce((sum, { quantity }) => sum + quantity, 0)),
  ORDER_BUNDLE_QUANTITY: ({ bundle_quantity }) => whole(bundle_quantity),
  ...ofPickedLines(valuesOfLine),
  VOUCHER_REDEMPTION_QUANTITY: (sight) => count(voucherOf(sight)?.quantity),
  VOUCHER_REDEEMED_QUANTITY: (sight) => count(voucherOf(sight)?.redeemed_quantity),
  VOUCHER_PUBLISH_COUNT: (sight) => {
    const voucher = voucherOf(sight)
    return voucher == null ? null : whole(voucher.publish_count ?? 0)
  },
  VOUCHER_START_DATE: (sight) => pointOf(voucherOf(sight)?.start_date),
  VOUCHER_EXPIRATION_DATE: (sight) => pointOf(voucherOf(sight)?.expiration_date),
  PROMOTION_TIER_START_DATE: (sight) => pointOf(tierOf(sight)?.start_date),
  PROMOTION_TIER_EXPIRATION_DATE: (sight) => pointOf(tierOf(sight)?.expiration_date),
  CUSTOMER_BIRTHDATE: ({ customer }) => momentOf(customer?.birthdate ?? ''),
  TODAY: ({ clock }) => ({ day: clock.wall().day }),
  NOW: ({ clock }) => ({ at: clock.at }),
}

export const keyedOperands: Readonly<Record<string, LookUp>> = {
  ORDER_METADATA: ({ cart }) => cart?.facts.metadata,
  CUSTOMER_METADATA: ({ customer }) => customer?.metadata,
  REDEMPTION_METADATA: ({ metadata }) => metadata,
  REDEEMABLE_METADATA: ({ redeemable }) => redeemable?.metadata,
  PUBLICATION_METADATA: (sight) => voucherOf(sight)?.publication_metadata,
  ...ofPickedLines(metadataOfLine),
}

/** Exists only where a value is computed line by line. */
export const isOfLine = (operand: string): boolean => operand.startsWith('ORDER_ITEM_')

/**
 * Where points are earned there is an order and a customer, but nothing that is redeemed
 * (docs/reference/earning-rules.md#base-points).
 */
export const isForPoints = (operand: string): boolean =>
  /^(?:CHEAPEST_|MOST_EXPENSIVE_|(?:ORDER_AMOUNT|ORDER_(?:ITEMS|UNITS)_QUANTITY|(?:ORDER|CUSTOMER)_METADATA|CUSTOMER_BIRTHDATE|TODAY|NOW)$)/.test(
    operand,
  )
