import { Ratio } from '../money.ts'
import type { Trouble } from './fault.ts'
import { exactBitsMax, roundingDigitsMax } from './limits.ts'

/**
 * A number of a formula: exact, in lowest terms, its denominator positive. As long as both parts are safe integers they
 * are plain numbers, because reducing a fraction of bigints costs a microsecond and more; beyond, it is a Ratio.
 */
export type Exact = Small | Ratio

interface Small {
  readonly n: number
  readonly d: number
}

export const isSmall = (a: Exact): a is Small => typeof a.n === 'number'

/** A safe integer. */
export const whole = (n: number): Exact => ({ n, d: 1 })

/** A fraction of safe integers; the denominator is positive. */
export const fraction = (n: number, d: number): Exact => small(n, d) as Exact

/** Minor units as major ones: 1050 → 10.5. */
export const major = (amount: number): Exact => fraction(amount, 100)

/** A finite number as it is written: 0.1 is a tenth. */
export const ofNumber = (value: number): Exact | Trouble =>
  Number.isSafeInteger(value) ? whole(value) : bounded(Ratio.fromDecimal(value))

/** `12` or `12.50`, with or without a minus; null when the text is anything else. */
export function ofText(text: string): Exact | Trouble | null {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return null
  return text.length > digitsMax ? tooLong : bounded(Ratio.fromDecimal(text))
}

export const toRatio = (a: Exact): Ratio => (isSmall(a) ? { n: BigInt(a.n), d: BigInt(a.d) } : a)

export function add(a: Exact, b: Exact): Exact | Trouble {
  if (isSmall(a) && isSmall(b)) {
    const [left, right] = [a.n * b.d, b.n * a.d]
    const sum = isSafe(left) && isSafe(right) ? small(left + right, a.d * b.d) : null
    if (sum !== null) return sum
  }
  return bounded(Ratio.add(toRatio(a), toRatio(b)))
}

export const subtract = (a: Exact, b: Exact): Exact | Trouble => add(a, negated(b))

export function multiply(a: Exact, b: Exact): Exact | Trouble {
  const product = isSmall(a) && isSmall(b) ? small(a.n * b.n, a.d * b.d) : null
  return product ?? bounded(Ratio.mul(toRatio(a), toRatio(b)))
}

export const divide = (a: Exact, b: Exact): Exact | Trouble => (isZero(b) ? byZero : multiply(a, inverse(b)))

/** What is left after whole parts of b: −7 % 3 is −1, 7.5 % 2 is 1.5. The sign is that of a. */
export function modulo(a: Exact, b: Exact): Exact | Trouble {
  if (isZero(b)) return byZero
  const [left, right] = [toRatio(a), toRatio(b)]
  return reduced((left.n * right.d) % (right.n * left.d), left.d * right.d)
}

export const negated = (a: Exact): Exact => (isSmall(a) ? { n: 0 - a.n, d: a.d } : { n: -a.n, d: a.d })

/** Negative, zero or positive. */
export function compare(a: Exact, b: Exact): number {
  if (isSmall(a) && isSmall(b)) {
    const [left, right] = [a.n * b.d, b.n * a.d]
    if (isSafe(left) && isSafe(right)) return left - right
  }
  return Ratio.compare(toRatio(a), toRatio(b))
}

/**
 * A whole exponent is calculated exactly. Roots cannot be: they go through the machine's own `pow` and come back as 15
 * significant digits, so that POW(1000;1/3) is 10 and not 9.999999999999998. Engines may differ in the last bit of `pow`;
 * that rarely reaches the 15th digit, but it is the one place where two machines could disagree.
 */
export function power(a: Exact, b: Exact): Exact | Trouble {
  const [base, exponent] = [toRatio(a), toRatio(b)]
  if (exponent.d !== 1n) return root(toNumber(base), toNumber(exponent))
  if (exponent.n < 0n) return base.n === 0n ? byZero : power(inverse(a), negated(b))
  const size = Math.max(doublings(base.n), doublings(base.d))
  // Asked before the power is taken: 9^9^9 has 370 million digits.
  if (size * Number(exponent.n) > exactBitsMax) return tooLong
  return bounded({ n: base.n ** exponent.n, d: base.d ** exponent.n })
}

function root(base: number, exponent: number): Exact | Trouble {
  const value = base ** exponent
  if (Number.isFinite(value)) return bounded(Ratio.fromDecimal(value.toPrecision(15)))
  return base === 0 ? byZero : base < 0 ? { fault: 'a fractional power of a negative number' } : tooLong
}

/** How often a number can be halved before it is one. */
const doublings = (value: bigint): number => (value < 0n ? -value : value).toString(2).length - 1

const toNumber = ({ n, d }: Ratio): number => Number(n) / Number(d)

/** A fraction in, a whole number out; the denominator is positive. */
export type Rounding = (n: bigint, d: bigint) => bigint

export const floor: Rounding = (n, d) => (n % d < 0n ? n / d - 1n : n / d)
export const ceil: Rounding = (n, d) => -floor(-n, d)

/** Half up, away from zero, as all money is rounded (money.ts). */
export const halfUp: Rounding = (n, d) => (n < 0n ? -halfUp(-n, d) : (2n * n + d) / (2n * d))

/** Rounds to digits after the point; a negative number of digits means tens, hundreds and so on. */
export function rounded(a: Exact, digits: Exact, rounding: Rounding): Exact | Trouble {
  if (!isSmall(digits) || digits.d !== 1 || Math.abs(digits.n) > roundingDigitsMax) {
    return { fault: `digits must be a whole number from −${roundingDigitsMax} to ${roundingDigitsMax}` }
  }
  const { n, d } = toRatio(a)
  const scale = 10n ** BigInt(Math.abs(digits.n))
  if (digits.n < 0) return bounded({ n: rounding(n, d * scale) * scale, d: 1n })
  return reduced(rounding(n * scale, d), scale)
}

export const tooLong: Trouble = { fault: 'the number is too long' }
const byZero: Trouble = { fault: 'division by zero' }

const isZero = (a: Exact): boolean => (isSmall(a) ? a.n === 0 : a.n === 0n)

/** Of anything but zero. */
function inverse(a: Exact): Exact {
  if (isSmall(a)) return a.n < 0 ? { n: -a.d, d: -a.n } : { n: a.d, d: a.n }
  return a.n < 0n ? { n: -a.d, d: -a.n } : { n: a.d, d: a.n }
}

/** In lowest terms, or null when a part is not exact any more. The denominator is positive. */
function small(n: number, d: number): Small | null {
  if (!isSafe(n) || !isSafe(d)) return null
  let [larger, smaller] = [Math.abs(n), d]
  while (smaller !== 0) [larger, smaller] = [smaller, larger % smaller]
  return { n: n / larger, d: d / larger }
}

const isSafe = Number.isSafeInteger

const reduced = (n: bigint, d: bigint): Exact | Trouble =>
  small(Number(n), Number(d)) ?? bounded(Ratio.div({ n, d: 1n }, { n: d, d: 1n }))

/** Equal values have equal forms, so what fits into numbers becomes numbers again. */
function bounded(ratio: Ratio): Exact | Trouble {
  const { n, d } = ratio
  if (isSafe(Number(n)) && isSafe(Number(d))) return { n: Number(n), d: Number(d) }
  return n > longest || n < -longest || d > longest ? tooLong : ratio
}

const longest = 2n ** BigInt(exactBitsMax)

/** Characters of a number in a text: 2^512 has 155 digits. What is longer is not even read. */
const digitsMax = 160
