import { assert } from './assert.ts'

// Amounts are integers in minor units, stored as `number`. Intermediate values are exact and rounded once. "Half up" is
// commercial rounding, away from zero, so a refund mirrors its sale (2.5 → 3 and −2.5 → −3). An unsafe integer as an
// argument is a bug of the caller and fails an assertion; a result that is too large to be exact throws a RangeError, which
// the evaluation turns into the refusal `invalid_amount`.

/**
 * `a × b / c`, exact, rounded half up.
 *
 * `mulDiv(1999, 2, 3)` → 1333 (1332.67); two of three units of a line worth 19.99.
 */
export function mulDiv(a: number, b: number, c: number): number {
  const product = a * b
  // Fast path: `%` on doubles is exact as long as the doubled product is a safe integer. Bigints cost twenty times as much.
  const areSafe = Number.isSafeInteger(a) && Number.isSafeInteger(b) && Number.isSafeInteger(c)
  if (product >= 0 && product <= halfSafe && c > 0 && areSafe) {
    const rest = product % c
    return (product - rest) / c + (rest * 2 >= c ? 1 : 0)
  }
  return toAmount(roundedQuotient(exact(a) * exact(b), exact(c)))
}

const halfSafe = (Number.MAX_SAFE_INTEGER - 1) / 2

/**
 * The unrounded value of some units of an amount that covers several units: `amount × units / of`; `of` is positive. Kept
 * as three numbers instead of a quotient, so no precision is lost at any size.
 */
export interface Part {
  readonly amount: number
  readonly units: number
  readonly of: number
}

/** `roundedPart({ amount: 1999, units: 2, of: 3 })` → 1333 (1332.67). */
export const roundedPart = ({ amount, units, of }: Part): number => (units === of ? amount : mulDiv(amount, units, of))

/**
 * A percentage of a part, rounded half up once, at the end.
 *
 * `percentOfPart({ amount: 1000, units: 2, of: 3 }, Ratio.of(10, 1))` → 67 (66.67); ten percent of two of three units of a
 * line of 10.00.
 * /
 */
export function percentOfPart({ amount, units, of }: Part, percent: Ratio): number {
  const [percentN, percentD] = [Number(percent.n), Number(percent.d)]
  const [value, divisor] = units === of ? [amount, percentD * 100] : [amount * units, of * percentD * 100]
  if (value <= halfSafe && percentN <= halfSafe && divisor <= halfSafe) return mulDiv(value, percentN, divisor)
  return toAmount(roundedQuotient(exact(amount) * exact(units) * percent.n, exact(of) * percent.d * 100n))
}

/**
 * Splits a total in proportion to weights by the largest-remainder method: shares are rounded down, and the missing units
 * go one by one to the largest remainders, the earlier line first. The shares always add up to the total, each is less than
 * one unit away from its exact value, and a negative total gives the mirrored shares. A line of weight 0 gets nothing,
 * unless all weights are 0: then all lines count the same.
 *
 * `allocate(1000, [1999, 1000])` → [667, 333]: 666.55… and 333.44…; the unit goes to the larger remainder.
 * /
 */
export function allocate(total: number, weights: ReadonlyArray<number | Ratio>): number[] {
  if (total < 0) return allocate(-total, weights).map((share) => 0 - share) // unary minus would turn 0 into −0
  assert(weights.length > 0 || total === 0, `nothing to spread ${total} over`)
  const parts = wholeParts(weights)
  const whole = sum(parts)
  const products = parts.map((part) => exact(total) * part)
  const shares = products.map((product) => product / whole)
  const missing = exact(total) - sum(shares)
  const remainders = products.map((product, line) => ({ line, remainder: product % whole }))
  // Stable sort: equal remainders keep the order of the lines.
  remainders.sort((a, b) => (a.remainder > b.remainder ? -1 : a.remainder < b.remainder ? 1 : 0))
  for (const { line } of remainders.slice(0, Number(missing))) shares[line] = (shares[line] as bigint) + 1n
  return shares.map(toAmount)
}

/** The weights scaled to integers in the same proportion. */
function wholeParts(weights: ReadonlyArray<number | Ratio>): bigint[] {
  const ratios = weights.map((weight) => (typeof weight === 'number' ? Ratio.of(weight, 1) : weight))
  assert(
    ratios.every(({ n }) => n >= 0n),
    'a weight is negative',
  )
  if (ratios.every(({ n }) => n === 0n)) return ratios.map(() => 1n)
  const common = commonDenominator(ratios)
  return ratios.map(({ n, d }) => n * (common / d))
}

const commonDenominator = (ratios: readonly Ratio[]): bigint =>
  ratios.reduce((product, { d }) => (d === 1n ? product : (product / greatestCommonDivisor(product, d)) * d), 1n)

/**
 * The floor of a sum, over one common denominator. Adding hundreds of fractions one by one would reduce each intermediate
 * sum to lowest terms, with numbers of thousands of digits.
 *
 * `floorOfSum([Ratio.of(5, 2), Ratio.of(5, 3)])` → 4 (4.17).
 * /
 */
export function floorOfSum(ratios: readonly Ratio[]): number {
  const common = commonDenominator(ratios)
  return toAmount(sum(ratios.map(({ n, d }) => n * (common / d))) / common)
}

/**
 * An exact fraction `n / d` in lowest terms with a positive denominator, so equal values have equal fields. For
 * intermediate values only: facts and verdicts cannot contain it, because JSON has no bigint.
 */
export interface Ratio {
  readonly n: bigint
  readonly d: bigint
}

export const Ratio = {
  of(n: number, d: number): Ratio {
    return reduceFraction(exact(n), exact(d))
  },

  ofPart: ({ amount, units, of }: Part): Ratio =>
    units === of ? { n: exact(amount), d: 1n } : reduceFraction(exact(amount) * exact(units), exact(of)),

  /** Parses a decimal as written, a number in its shortest form: `0.1`, `-12.50`, `1e-7`. */
  fromDecimal(decimal: number | string): Ratio {
    const [, sign, whole = '', fraction = '', power = '0'] = decimalForm.exec(String(decimal)) ?? []
    assert(sign !== undefined, `not a decimal: ${decimal}`)
    assert(Math.abs(Number(power)) <= exponentMax, `exponent out of range: ${decimal}`)
    const digits = BigInt(sign + whole + fraction)
    const exponent = Number(power) - fraction.length
    return exponent < 0
      ? reduceFraction(digits, 10n ** BigInt(-exponent))
      : { n: digits * 10n ** BigInt(exponent), d: 1n }
  },

  add: (a: Ratio, b: Ratio): Ratio => reduceFraction(a.n * b.d + b.n * a.d, a.d * b.d),
  sub: (a: Ratio, b: Ratio): Ratio => reduceFraction(a.n * b.d - b.n * a.d, a.d * b.d),
  mul: (a: Ratio, b: Ratio): Ratio => reduceFraction(a.n * b.n, a.d * b.d),
  div: (a: Ratio, b: Ratio): Ratio => reduceFraction(a.n * b.d, a.d * b.n),

  /** Negative, zero or positive, as `sort` wants it. */
  compare(a: Ratio, b: Ratio): -1 | 0 | 1 {
    const difference = a.n * b.d - b.n * a.d
    return difference === 0n ? 0 : difference < 0n ? -1 : 1
  },

  /** Rounds half up to an amount: the only rounding, at the end. */
  toInteger: (a: Ratio): number => toAmount(roundedQuotient(a.n, a.d)),

  /** The nearest `number`, for display; never used in calculations. */
  toNumber: (a: Ratio): number =>
    isSafe(a.n) && isSafe(a.d) ? Number(a.n) / Number(a.d) : Number((a.n * shownScale) / a.d) / Number(shownScale),

  /** Exact text for explanations: a decimal if it terminates, else a fraction. `1249.875`, `1000/3`. */
  toText(a: Ratio): string {
    const places = decimalPlaces(a.d)
    if (places === null) return `${a.n}/${a.d}`
    if (places === 0) return String(a.n / a.d)
    const digits = String((magnitude(a.n) * 10n ** BigInt(places)) / a.d).padStart(places + 1, '0')
    return `${a.n < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`
  },
}

const shownScale = 10n ** 17n

/** Decimal places of a fraction with this denominator; null when the decimal does not terminate within 20 places. */
function decimalPlaces(d: bigint): number | null {
  let power = 1n
  for (let places = 0; places <= 20; places += 1, power *= 10n) if (power % d === 0n) return places
  return null
}

const isSafe = (value: bigint): boolean => value <= safeMax && value >= -safeMax
const safeMax = BigInt(Number.MAX_SAFE_INTEGER)

const decimalForm = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Covers every finite number (1e308 to 5e-324); without the limit, `1e999999999` would exhaust memory. */
const exponentMax = 400

function reduceFraction(n: bigint, d: bigint): Ratio {
  assert(d !== 0n, 'division by zero')
  const divisor = greatestCommonDivisor(n, d)
  return d < 0n ? { n: -n / divisor, d: -d / divisor } : { n: n / divisor, d: d / divisor }
}

/** Always positive; the arguments must not both be zero. */
function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [magnitude(a), magnitude(b)]
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller]
  return larger
}

function roundedQuotient(n: bigint, d: bigint): bigint {
  assert(d !== 0n, 'division by zero')
  const quotient = (magnitude(n) * 2n + magnitude(d)) / (magnitude(d) * 2n)
  return n < 0n === d < 0n ? quotient : -quotient
}

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n)

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)

function exact(amount: number): bigint {
  assert(Number.isSafeInteger(amount), `not a safe integer: ${amount}`)
  return BigInt(amount)
}

const toAmount = (value: bigint): number => inRange(Number(value))

/** Returns the amount, or throws a RangeError when it is too large to be exact. */
export function inRange(amount: number): number {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`not a safe integer: ${amount}`)
  return amount
}

/** Compares `a × b` with `c × d`: negative, zero or positive. */
export function compareProducts(a: number, b: number, c: number, d: number): number {
  const [left, right] = [a * b, c * d]
  if (left <= Number.MAX_SAFE_INTEGER && right <= Number.MAX_SAFE_INTEGER) return left - right
  const difference = exact(a) * exact(b) - exact(c) * exact(d)
  return difference === 0n ? 0 : difference < 0n ? -1 : 1
}
