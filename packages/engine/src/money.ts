import { assert } from './assert.ts'

// Amounts are integers in minor units, in `number`. Everything between two amounts is exact, and is rounded once.
// "Half up" is commercial rounding: a half goes away from zero, so that a refund is the mirror of its sale
// (2.5 → 3 and −2.5 → −3). Unsafe integers are a bug of the caller and stop the work.

/**
 * `a × b / c`, exact, rounded half up.
 *
 * `mulDiv(1999, 2, 3)` → 1333 (1332.67); two of three units of a line worth 19.99.
 */
export function mulDiv(a: number, b: number, c: number): number {
  return toAmount(roundedQuotient(exact(a) * exact(b), exact(c)))
}

/**
 * A percentage of an amount, rounded half up. The percent counts as it is written: 33.333 is 33333/1000, not the
 * nearest binary fraction.
 *
 * `percentOf(1999, 15)` → 300 (299.85).
 */
export function percentOf(amount: number, percent: number): number {
  const { n, d } = Ratio.fromDecimal(percent)
  return toAmount(roundedQuotient(exact(amount) * n, d * 100n))
}

/**
 * Splits a total in proportion to weights by largest remainder: every share is cut to an integer, and the missing units
 * go one by one to the largest rests, the earlier line first. The shares always add up to the total, each is less than
 * one unit away from its exact value, and a negative total gives the mirrored shares. A line without weight gets
 * nothing, unless no line has any: then all count the same.
 *
 * `allocate(1000, [1999, 1000])` → [667, 333]: 666.55… and 333.44…; the unit goes to the larger rest.
 */
export function allocate(total: number, weights: ReadonlyArray<number | Ratio>): number[] {
  if (total < 0) return allocate(-total, weights).map((share) => 0 - share) // a bare minus would turn 0 into −0
  assert(weights.length > 0 || total === 0, `nothing to spread ${total} over`)
  const parts = wholeParts(weights)
  const whole = sum(parts)
  const products = parts.map((part) => exact(total) * part)
  const shares = products.map((product) => product / whole)
  const missing = exact(total) - sum(shares)
  const rests = products.map((product, line) => ({ line, rest: product % whole }))
  rests.sort((a, b) => (a.rest > b.rest ? -1 : a.rest < b.rest ? 1 : 0)) // stable: equal rests keep the order of the lines
  for (const { line } of rests.slice(0, Number(missing))) shares[line] = (shares[line] as bigint) + 1n
  return shares.map(toAmount)
}

/** The weights as integers in the same proportion to each other. */
function wholeParts(weights: ReadonlyArray<number | Ratio>): bigint[] {
  const ratios = weights.map((weight) => (typeof weight === 'number' ? Ratio.of(weight, 1) : weight))
  assert(
    ratios.every(({ n }) => n >= 0n),
    'a weight is negative',
  )
  if (ratios.every(({ n }) => n === 0n)) return ratios.map(() => 1n)
  const common = ratios.reduce((product, { d }) => (product / greatestCommonDivisor(product, d)) * d, 1n)
  return ratios.map(({ n, d }) => n * (common / d))
}

/**
 * An exact fraction `n / d`, in lowest terms and with a positive denominator, so that equal values look equal.
 * It lives between two amounts only: neither facts nor verdicts carry it, because JSON has no bigint.
 */
export interface Ratio {
  readonly n: bigint
  readonly d: bigint
}

export const Ratio = {
  of(n: number, d: number): Ratio {
    return lowest(exact(n), exact(d))
  },

  /** Reads a decimal as it is written, a number in its shortest form: `0.1`, `-12.50`, `1e-7`. */
  fromDecimal(decimal: number | string): Ratio {
    const [, sign, whole = '', fraction = '', power = '0'] = decimalForm.exec(String(decimal)) ?? []
    assert(sign !== undefined, `not a decimal: ${decimal}`)
    assert(Math.abs(Number(power)) <= exponent_max, `exponent out of range: ${decimal}`)
    const digits = BigInt(sign + whole + fraction)
    const exponent = Number(power) - fraction.length
    return exponent < 0 ? lowest(digits, 10n ** BigInt(-exponent)) : { n: digits * 10n ** BigInt(exponent), d: 1n }
  },

  add: (a: Ratio, b: Ratio): Ratio => lowest(a.n * b.d + b.n * a.d, a.d * b.d),
  sub: (a: Ratio, b: Ratio): Ratio => lowest(a.n * b.d - b.n * a.d, a.d * b.d),
  mul: (a: Ratio, b: Ratio): Ratio => lowest(a.n * b.n, a.d * b.d),
  div: (a: Ratio, b: Ratio): Ratio => lowest(a.n * b.d, a.d * b.n),

  /** Negative, zero or positive, as `sort` wants it. */
  compare(a: Ratio, b: Ratio): -1 | 0 | 1 {
    const difference = a.n * b.d - b.n * a.d
    return difference === 0n ? 0 : difference < 0n ? -1 : 1
  },

  /** The amount, rounded half up: the one rounding at the end. */
  toInteger: (a: Ratio): number => toAmount(roundedQuotient(a.n, a.d)),
}

const decimalForm = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Every finite number fits (they end at 1e308 and 5e-324); without an end, `1e999999999` would eat the memory. */
const exponent_max = 400

function lowest(n: bigint, d: bigint): Ratio {
  assert(d !== 0n, 'division by zero')
  const divisor = greatestCommonDivisor(n, d)
  return d < 0n ? { n: -n / divisor, d: -d / divisor } : { n: n / divisor, d: d / divisor }
}

/** Always positive; the arguments are not both zero. */
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

function toAmount(value: bigint): number {
  const amount = Number(value)
  assert(Number.isSafeInteger(amount), `not a safe integer: ${value}`)
  return amount
}
