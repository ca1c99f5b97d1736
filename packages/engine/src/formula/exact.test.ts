import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Ratio } from '../money.ts'
import {
  add,
  ceil,
  compare,
  divide,
  type Exact,
  floor,
  fraction,
  halfUp,
  isSmall,
  modulo,
  multiply,
  negate,
  ofText,
  power,
  roundTo,
  subtract,
  toRatio,
  whole,
} from './exact.ts'
import { isFault } from './fault.ts'

/** Small numbers, numbers near the largest safe integer, and larger ones. */
const integer = fc.oneof(fc.integer({ min: -1_000, max: 1_000 }), fc.maxSafeInteger())
const natural = fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }))
const short = fc.tuple(integer, natural).map(([n, d]) => fraction(n, d))
const exact = fc.oneof(
  short,
  fc.tuple(short, short).map(([a, b]) => multiply(a, b) as Exact),
)

describe('arithmetic on two exact numbers', () => {
  const zero = Ratio.of(0, 1)
  test.each([
    ['add', add, Ratio.add],
    ['subtract', subtract, Ratio.sub],
    ['multiply', multiply, Ratio.mul],
    ['divide', divide, (a: Ratio, b: Ratio) => (b.n === 0n ? null : Ratio.div(a, b))],
    [
      'modulo',
      modulo,
      (a: Ratio, b: Ratio) => {
        if (b.n === 0n) return null
        const { n, d } = Ratio.div(a, b)
        return Ratio.sub(a, Ratio.mul(b, { n: n / d, d: 1n }))
      },
    ],
    ['negated', negate, (a: Ratio) => Ratio.sub(zero, a)],
  ])('%s agrees with fractions', (_, calculate, reference) => {
    fc.assert(
      fc.property(exact, exact, (a, b) => {
        const result = calculate(a, b)
        const expected = reference(toRatio(a), toRatio(b))
        if (expected === null) {
          expect(result).toEqual({ fault: 'division by zero' })
          return
        }
        expect(isFault(result)).toBe(false)
        expect(toRatio(result as Exact)).toEqual(expected)
        // Plain numbers whenever they fit, so that equal values have equal representations.
        expect(isSmall(result as Exact)).toBe(
          Number.isSafeInteger(Number(expected.n)) && Number.isSafeInteger(Number(expected.d)),
        )
      }),
      { numRuns: 500 },
    )
  })

  test('comparison agrees with fractions', () => {
    fc.assert(
      fc.property(exact, exact, (a, b) => {
        expect(Math.sign(compare(a, b))).toBe(Ratio.compare(toRatio(a), toRatio(b)))
        expect(compare(a, a)).toBe(0)
      }),
      { numRuns: 500 },
    )
  })
})

test.each([
  ['a product', multiply(whole(-3), whole(0))],
  ['a quotient', divide(whole(0), whole(-3))],
  ['a fraction', fraction(-0, 7)],
  ['a number of JSON', whole(JSON.parse('-0'))],
  ['a remainder', modulo(whole(-6), whole(3))],
])('%s is never −0', (_, result) => {
  expect(result).toEqual({ n: 0, d: 1 })
})

test('a sum is exact even if an intermediate product is not a safe integer', () => {
  // 9007199254740993 has no exact double: computed with doubles, the result would be …987/3.
  expect(add(whole(3_002_399_751_580_331), fraction(-5, 3))).toEqual({ n: 9_007_199_254_740_988, d: 3 })
})

test('an integer power equals repeated multiplication', () => {
  fc.assert(
    fc.property(short, fc.integer({ min: -4, max: 4 }), (a, exponent) => {
      let expected: ReturnType<typeof multiply> = whole(1)
      for (let i = 0; i < Math.abs(exponent); i += 1) expected = multiply(expected as Exact, a)
      if (exponent < 0) expected = divide(whole(1), expected as Exact)
      expect(power(a, whole(exponent))).toEqual(expected)
    }),
  )
})

test.each([
  [2, 512, 2n ** 512n],
  [2, 513, null],
  [3, 323, 3n ** 323n], // the largest power of three below 2^512
  [3, 324, null],
  [-2, 511, -(2n ** 511n)],
  [-3, 325, null],
])('%d to the power of %d', (base, exponent, expected) => {
  const result = power(whole(base), whole(exponent))
  if (expected === null) expect(result).toEqual({ fault: 'the number is too long' })
  else expect(result).toEqual({ n: expected, d: 1n })
})

test('a power with too many digits is refused before it is computed', () => {
  // 2^(2^45) would not fit into the memory of any machine; a bigint of that size throws.
  expect(power(whole(3), whole(2 ** 45))).toEqual({ fault: 'the number is too long' })
  expect(power(fraction(1, 3), whole(2 ** 45))).toEqual({ fault: 'the number is too long' })
  expect(power(whole(1e15), fraction(1_000_001, 2))).toEqual({ fault: 'the number is too long' })
})

test('ROUND, FLOOR and CEIL round to the nearest step (half away from zero), down or up', () => {
  fc.assert(
    fc.property(exact, fc.integer({ min: -20, max: 20 }), (a, digits) => {
      const step = toRatio(power(whole(10), whole(-digits)) as Exact)
      const value = toRatio(a)
      const [down, near, up] = [floor, halfUp, ceil].map((how) => toRatio(roundTo(a, whole(digits), how) as Exact)) as [
        Ratio,
        Ratio,
        Ratio,
      ]
      for (const result of [down, near, up]) expect(Ratio.div(result, step).d).toBe(1n)
      expect(Ratio.compare(down, value)).toBeLessThanOrEqual(0)
      expect(Ratio.compare(up, value)).toBeGreaterThanOrEqual(0)
      expect(Ratio.compare(Ratio.sub(value, down), step)).toBe(-1)
      expect(Ratio.compare(Ratio.sub(up, value), step)).toBe(-1)
      const [below, above] = [Ratio.sub(value, down), Ratio.sub(up, value)]
      const nearer = Ratio.compare(below, above)
      expect(near).toEqual(nearer < 0 || (nearer === 0 && value.n < 0n) ? down : up)
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['12', 12],
  ['-12.50', -12.5],
  ['1e5', null],
  ['', null],
  ['1.', null],
  ['+1', null],
  [' 1', null],
])('%o is the number %d', (text, number) => {
  const value = ofText(text)
  expect(value && toRatio(value as Exact)).toEqual(number && Ratio.fromDecimal(number))
})

test('number literals are limited in length', () => {
  expect(ofText('9'.repeat(154))).toEqual({ n: 10n ** 154n - 1n, d: 1n })
  expect(ofText('9'.repeat(155))).toEqual({ fault: 'the number is too long' })
  expect(ofText(`-${'9'.repeat(155)}`)).toEqual({ fault: 'the number is too long' })
  expect(ofText('1'.padStart(160, '0'))).toEqual({ n: 1, d: 1 })
  expect(ofText('1'.padStart(161, '0'))).toEqual({ fault: 'the number is too long' })
})
