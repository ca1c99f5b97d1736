import { Ratio } from '../money.ts'
import type { UnlocatedFault } from './fault.ts'
import { exactBitsMax, roundingDigitsMax } from './limits.ts'

/**
 * A number in a formula: an exact fraction in lowest terms with a positive denominator. Fractions of safe integers use
 * plain numbers, because reducing a fraction of bigints costs a microsecond or more; larger ones are a Ratio.
 */
export type Exact = Small | Ratio

interface Small {
  readonly n: number
  readonly d: number
}

export const isSmall = (a: Exact): a is Small => typeof a.n === 'number'

/** A safe integer. Adding 0 turns −0, which JSON can contain, into 0: there is only one zero. */
export const whole = (n: number): Exact => ({ n: n + 0, d: 1 })

/** A fraction of safe integers; the denominator is positive. */
export const fraction = (n: number, d: number): Exact => small(n, d) as Exact

/** Converts minor units to major units: 1050 → 10.5. */
export const major = (amount: number): Exact => fraction(amount, 100)

/** A finite number by its decimal notation: 0.1 is one tenth. */
export const ofNumber = (value: number): Exact | UnlocatedFault =>
  Number.isSafeInteger(value) ? whole(value) : checkLength(Ratio.fromDecimal(value))

/** Parses `12` or `12.50`, with or without a minus; null for any other string. */
export function ofText(text: string): Exact | UnlocatedFault | null {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return null
  return text.length > digitsMax ? tooLong : checkLength(Ratio.fromDecimal(text))
}

export const toRatio = (a: Exact): Ratio => (isSmall(a) ? { n: BigInt(a.n), d: BigInt(a.d) } : a)

export function add(a: Exact, b: Exact): Exact | UnlocatedFault {
  if (isSmall(a) && isSmall(b)) {
    const [left, right] = [a.n * b.d, b.n * a.d]
    const sum = isSafe(left) && isSafe(right) ? small(left + right, a.d * b.d) : null
    if (sum !== null) return sum
  }
  return checkLength(Ratio.add(toRatio(a), toRatio(b)))
}

export const subtract = (a: Exact, b: Exact): Exact | UnlocatedFault => add(a, negate(b))

export function multiply(a: Exact, b: Exact): Exact | UnlocatedFault {
  const product = isSmall(a) && isSmall(b) ? small(a.n * b.n, a.d * b.d) : null
  return product ?? checkLength(Ratio.mul(toRatio(a), toRatio(b)))
}

export const divide = (a: Exact, b: Exact): Exact | UnlocatedFault => (isZero(b) ? byZero : multiply(a, inverse(b)))

/** Remainder of the division: −7 % 3 is −1, 7.5 % 2 is 1.5. The sign is that of a. */
export function modulo(a: Exact, b: Exact): Exact | UnlocatedFault {
  if (isZero(b)) return byZero
  const [left, right] = [toRatio(a), toRatio(b)]
  return reduceFraction((left.n * right.d) % (right.n * left.d), left.d * right.d)
}

export const negate = (a: Exact): Exact => (isSmall(a) ? { n: 0 - a.n, d: a.d } : { n: -a.n, d: a.d })

/** Negative, zero or positive. */
export function compare(a: Exact, b: Exact): number {
  if (isSmall(a) && isSmall(b)) {
    const [left, right] = [a.n * b.d, b.n * a.d]
    if (isSafe(left) && isSafe(right)) return left - right
  }
  return Ratio.compare(toRatio(a), toRatio(b))
}

/**
 * Integer exponents are exact. Roots use the platform's floating-point `pow`, rounded to 15 significant digits, so that
 * POW(1000;1/3) is 10 and not 9.999999999999998. Engines may differ in the last bit of `pow`; that rarely affects the 15th
 * digit, but it is the only operation in which two platforms could disagree.
 */
export function power(a: Exact, b: Exact): Exact | UnlocatedFault {
  const [base, exponent] = [toRatio(a), toRatio(b)]
  if (exponent.d !== 1n) return root(toNumber(base), toNumber(exponent))
  if (exponent.n < 0n) return base.n === 0n ? byZero : power(inverse(a), negate(b))
  const size = Math.max(doublings(base.n), doublings(base.d))
  // Checked before computing: 9^9^9 has 370 million digits.
  if (size * Number(exponent.n) > exactBitsMax) return tooLong
  return checkLength({ n: base.n ** exponent.n, d: base.d ** exponent.n })
}

function root(base: number, exponent: number): Exact | UnlocatedFault {
  const value = base ** exponent
  if (Number.isFinite(value)) return checkLength(Ratio.fromDecimal(value.toPrecision(15)))
  return base === 0 ? byZero : base < 0 ? { fault: 'a fractional power of a negative number' } : tooLong
}

/** The integer binary logarithm of the magnitude. */
const doublings = (value: bigint): number => (value < 0n ? -value : value).toString(2).length - 1

const toNumber = ({ n, d }: Ratio): number => Number(n) / Number(d)

/** Rounds a fraction to an integer; the denominator is positive. */
export type Rounding = (n: bigint, d: bigint) => bigint

export const floor: Rounding = (n, d) => (n % d < 0n ? n / d - 1n : n / d)
export const ceil: Rounding = (n, d) => -floor(-n, d)

/** Half up, away from zero, as for money (money.ts). */
export const halfUp: Rounding = (n, d) => (n < 0n ? -halfUp(-n, d) : (2n * n + d) / (2n * d))

/** Rounds to decimal places; negative `digits` round to tens, hundreds and so on. */
export function roundTo(a: Exact, digits: Exact, rounding: Rounding): Exact | UnlocatedFault {
  if (!isSmall(digits) || digits.d !== 1 || Math.abs(digits.n) > roundingDigitsMax) {
    return { fault: `digits must be a whole number from −${roundingDigitsMax} to ${roundingDigitsMax}` }
  }
  const { n, d } = toRatio(a)
  const scale = 10n ** BigInt(Math.abs(digits.n))
  if (digits.n < 0) return checkLength({ n: rounding(n, d * scale) * scale, d: 1n })
  return reduceFraction(rounding(n * scale, d), scale)
}

export const tooLong: UnlocatedFault = { fault: 'the number is too long' }
const byZero: UnlocatedFault = { fault: 'division by zero' }

const isZero = (a: Exact): boolean => (isSmall(a) ? a.n === 0 : a.n === 0n)

/** The argument must not be zero. */
function inverse(a: Exact): Exact {
  if (isSmall(a)) return a.n < 0 ? { n: -a.d, d: -a.n } : { n: a.d, d: a.n }
  return a.n < 0n ? { n: -a.d, d: -a.n } : { n: a.d, d: a.n }
}

/** Reduces to lowest terms; null when numerator or denominator is not a safe integer. The denominator is positive. */
function small(n: number, d: number): Small | null {
  if (!isSafe(n) || !isSafe(d)) return null
  let [larger, smaller] = [Math.abs(n), d]
  while (smaller !== 0) [larger, smaller] = [smaller, larger % smaller]
  return { n: n / larger + 0, d: d / larger } // −0, as in −3 × 0, becomes 0
}

const isSafe = Number.isSafeInteger

const reduceFraction = (n: bigint, d: bigint): Exact | UnlocatedFault =>
  small(Number(n), Number(d)) ?? checkLength(Ratio.div({ n, d: 1n }, { n: d, d: 1n }))

/** Converts to plain numbers when they fit, so that equal values have equal representations; fails beyond `exactBitsMax`. */
function checkLength(ratio: Ratio): Exact | UnlocatedFault {
  const { n, d } = ratio
  if (isSafe(Number(n)) && isSafe(Number(d))) return { n: Number(n), d: Number(d) }
  return n > longest || n < -longest || d > longest ? tooLong : ratio
}

const longest = 2n ** BigInt(exactBitsMax)

/** Maximum length of a number literal: 2^512 has 155 digits. Longer literals are not parsed. */
const digitsMax = 160
