import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allocate, mulDiv, percentOf, Ratio } from './index.ts'

const amount = fc.maxSafeInteger()
const nonZero = amount.filter((value) => value !== 0)
const natural = fc.maxSafeNat()

/** Half up written another way: the floor of the doubled magnitude, plus one, halved. */
function halfUp(n: bigint, d: bigint): bigint {
  const negative = n < 0n !== d < 0n
  const doubled = (2n * (n < 0n ? -n : n)) / (d < 0n ? -d : d)
  const rounded = (doubled + 1n) / 2n
  return negative ? -rounded : rounded
}

const isSafe = (value: bigint) => Number.isSafeInteger(Number(value))

describe('mulDiv', () => {
  test.each([
    [1999, 2, 3, 1333], // 1332.67
    [1000, 1, 3, 333], // 333.33
    [5, 1, 2, 3], // 2.5: a half goes up
    [-5, 1, 2, -3], // −2.5: and away from zero, as a refund mirrors its sale
    [5, 1, -2, -3],
    [-5, 1, -2, 3],
    [1, 1, 2, 1],
    [-1, 1, 2, -1],
    [-1, 1, 3, 0],
    [0, 5, -7, 0],
    [9007199254740991, 9007199254740991, 9007199254740991, 9007199254740991], // the product has 32 digits
    [9007199254740991, 3, 6, 4503599627370496], // …495.5
  ])('%d × %d / %d is %d', (a, b, c, expected) => {
    expect(mulDiv(a, b, c)).toBe(expected)
  })

  test('is exact, whatever the size of the product', () => {
    fc.assert(
      fc.property(amount, amount, nonZero, (a, b, c) => {
        const expected = halfUp(BigInt(a) * BigInt(b), BigInt(c))
        if (isSafe(expected)) expect(mulDiv(a, b, c)).toBe(Number(expected))
        else expect(() => mulDiv(a, b, c)).toThrow('not a safe integer')
      }),
    )
  })

  test('a refund mirrors its sale', () => {
    fc.assert(
      fc.property(amount, fc.nat(1000), fc.integer({ min: 1000 }), (a, b, c) => {
        expect(mulDiv(-a, b, c)).toBe(0 - mulDiv(a, b, c))
      }),
    )
  })

  test('halves, fractions, unsafe integers and a zero divisor stop the work', () => {
    expect(() => mulDiv(0.5, 1, 1)).toThrow('not a safe integer: 0.5')
    expect(() => mulDiv(1, 2 ** 53, 1)).toThrow('not a safe integer')
    expect(() => mulDiv(1, 1, Number.NaN)).toThrow('not a safe integer')
    expect(() => mulDiv(2 ** 52, 2, 1)).toThrow('not a safe integer')
    expect(() => mulDiv(1, 1, 0)).toThrow('division by zero')
  })
})

describe('percentOf', () => {
  test.each([
    [1999, 15, 300], // 299.85
    [1000, 33.333, 333], // 333.33
    [10_000, 33.335, 3334], // 3333.5
    [2500, 1.14, 29], // 28.5; in floats, 2500 × 1.14 / 100 is 28.499999999999996
    [50, 1, 1], // 0.5
    [-50, 1, -1],
    [49, 1, 0],
    [1999, 0, 0],
    [1999, 100, 1999],
    [1999, 250, 4998], // 4997.5
    [1_000_000_000_000, 1e-7, 1_000], // the exponent form
    [1_000_000_000_000, 0.0000001, 1_000],
    [9_007_199_254_740_991, 33.333333333333336, 3_002_399_751_580_331], // …330.57
  ])('of %d, %d percent are %d', (of, percent, expected) => {
    expect(percentOf(of, percent)).toBe(expected)
  })

  test('whole percents are hundredths', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 100 }), (of, percent) => {
        expect(percentOf(of, percent)).toBe(mulDiv(of, percent, 100))
      }),
    )
  })

  test('every decimal place counts', () => {
    const places = fc.integer({ min: 0, max: 15 })
    fc.assert(
      fc.property(natural, fc.nat(99), places, natural, (of, whole, count, digits) => {
        const fraction = String(digits)
          .padStart(16, '0')
          .slice(-count || 16)
        const text = count === 0 ? `${whole}` : `${whole}.${fraction}`
        fc.pre(Number(text).toString() === text) // a literal that a number carries as it is written
        const expected = halfUp(BigInt(of) * BigInt(text.replace('.', '')), 100n * 10n ** BigInt(count))
        expect(percentOf(of, Number(text))).toBe(Number(expected))
      }),
    )
  })

  test('what is no number, or gives no safe amount, stops the work', () => {
    expect(() => percentOf(1, 1e21)).toThrow('not a safe integer')
    expect(() => percentOf(100, Number.NaN)).toThrow('not a decimal: NaN')
    expect(() => percentOf(100, Number.POSITIVE_INFINITY)).toThrow('not a decimal: Infinity')
    expect(() => percentOf(0.1, 10)).toThrow('not a safe integer')
  })
})

describe('allocate', () => {
  test.each([
    [1000, [1, 1, 1], [334, 333, 333]], // all rests are equal: the first line gets the cent
    [1000, [1999, 1000], [667, 333]], // 666.55… and 333.44…: the cent goes to the larger rest
    [1000, [1999, 3001, 501], [363, 546, 91]], // 363.38…, 545.53…, 91.07…
    [1000, [1, 2, 4], [143, 286, 571]], // 142.85…, 285.71…, 571.42…: two cents are missing
    [2, [1, 3], [1, 1]], // 0.5 and 1.5: a tie, so the earlier line
    [2, [3, 1], [2, 0]],
    [100, [0, 5, 0], [0, 100, 0]], // without weight, without share
    [10, [0, 0, 0], [4, 3, 3]], // no weight at all: all lines count the same
    [0, [0, 0], [0, 0]],
    [0, [], []],
    [-1000, [1, 1, 1], [-334, -333, -333]], // a refund mirrors its sale
    [-10, [0, 5], [0, -10]],
    [7, [1999], [7]],
    [
      9_007_199_254_740_991,
      [9_007_199_254_740_991, 9_007_199_254_740_991],
      [4_503_599_627_370_496, 4_503_599_627_370_495],
    ],
  ])('%d over %j is %j', (total, weights, expected) => {
    expect(allocate(total, weights)).toEqual(expected)
  })

  test('weights may be fractions: two of three units worth 10.00 weigh as much as 6.66…', () => {
    expect(allocate(500, [Ratio.of(2000, 3), Ratio.of(1000, 3)])).toEqual([333, 167]) // 333.33 and 166.67
    expect(allocate(500, [Ratio.of(2000, 3), 1000])).toEqual([200, 300])
  })

  const weights = fc.array(fc.oneof(fc.nat(5), fc.nat(100_000), natural), { minLength: 1, maxLength: 30 })
  const total = fc.oneof(fc.integer({ min: -100, max: 100 }), fc.integer(), amount)
  const sum = (values: number[]) => values.reduce((all, value) => all + BigInt(value), 0n)

  test('the shares always add up', () => {
    fc.assert(
      fc.property(total, weights, (total, weights) => {
        const shares = allocate(total, weights)
        expect(shares).toHaveLength(weights.length)
        expect(sum(shares)).toBe(BigInt(total))
      }),
    )
  })

  test('each share is less than one unit from its exact value', () => {
    fc.assert(
      fc.property(total, weights, (total, weights) => {
        const whole = sum(weights)
        fc.pre(whole > 0n)
        for (const [line, share] of allocate(total, weights).entries()) {
          const off = BigInt(share) * whole - BigInt(total) * BigInt(weights[line] as number)
          expect(off < whole && off > -whole).toBe(true)
        }
      }),
    )
  })

  test('a heavier line never gets less, an equal one later never more', () => {
    fc.assert(
      fc.property(natural, weights, (total, weights) => {
        const lines = allocate(total, weights).map((share, line) => ({ share, line, weight: weights[line] as number }))
        lines.sort((a, b) => b.weight - a.weight || a.line - b.line)
        const shares = lines.map(({ share }) => share)
        expect(shares).toEqual(shares.toSorted((a, b) => b - a))
      }),
    )
  })

  test('the order of the lines matters only between equal rests', () => {
    const shuffled = weights.chain((given) =>
      fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
    )
    const pairs = (weights: number[], shares: number[]) =>
      weights.map((weight, line) => `${weight} ${shares[line]}`).sort()
    fc.assert(
      fc.property(natural, shuffled, (total, [given, moved]) => {
        const whole = sum(given)
        fc.pre(whole > 0n)
        const different = [...new Set(given)]
        const rests = new Set(different.map((weight) => (BigInt(total) * BigInt(weight)) % whole))
        fc.pre(rests.size === different.length)
        expect(pairs(moved, allocate(total, moved))).toEqual(pairs(given, allocate(total, given)))
      }),
    )
  })

  test('a refund mirrors its sale, also in the shares', () => {
    fc.assert(
      fc.property(total, weights, (total, weights) => {
        expect(allocate(0 - total, weights)).toEqual(allocate(total, weights).map((share) => 0 - share))
      }),
    )
  })

  test('the unit of the weights does not matter', () => {
    fc.assert(
      fc.property(
        total,
        fc.array(fc.nat(1_000_000), { minLength: 1 }),
        fc.integer({ min: 1, max: 1000 }),
        (total, weights, unit) => {
          const shares = allocate(total, weights)
          expect(
            allocate(
              total,
              weights.map((weight) => weight * unit),
            ),
          ).toEqual(shares)
          expect(
            allocate(
              total,
              weights.map((weight) => Ratio.of(weight, unit)),
            ),
          ).toEqual(shares)
        },
      ),
    )
  })

  test('no lines, a negative weight and an unsafe integer stop the work', () => {
    expect(() => allocate(1, [])).toThrow('nothing to spread 1 over')
    expect(() => allocate(1, [2, -1])).toThrow('a weight is negative')
    expect(() => allocate(0.5, [1])).toThrow('not a safe integer')
    expect(() => allocate(1, [0.5])).toThrow('not a safe integer')
    expect(() => allocate(Number.NaN, [])).toThrow('nothing to spread')
  })
})

describe('Ratio', () => {
  const ratio = fc.tuple(amount, nonZero).map(([n, d]) => Ratio.of(n, d))
  const zero = Ratio.of(0, 1)
  const one = Ratio.of(1, 1)

  test('equal values look equal', () => {
    expect(Ratio.of(2, 4)).toEqual({ n: 1n, d: 2n })
    expect(Ratio.of(1, -2)).toEqual({ n: -1n, d: 2n })
    expect(Ratio.of(0, -7)).toEqual({ n: 0n, d: 1n })
  })

  test.each([
    ['0', 0n, 1n],
    ['-0', 0n, 1n],
    ['12.50', 25n, 2n],
    ['-0.1', -1n, 10n],
    ['007', 7n, 1n],
    ['1e3', 1000n, 1n],
    ['1.5E+2', 150n, 1n],
    ['1.25e1', 25n, 2n],
    ['12e-1', 6n, 5n],
    [0.1, 1n, 10n], // not 3602879701896397/36028797018963968
    [33.333, 33333n, 1000n],
    [1e-7, 1n, 10_000_000n],
    [1.5e-7, 3n, 20_000_000n],
    [1e21, 10n ** 21n, 1n],
    [-2.5, -5n, 2n],
    [5e-324, 1n, 2n * 10n ** 323n],
  ])('%s is read as it is written', (decimal, n, d) => {
    expect(Ratio.fromDecimal(decimal)).toEqual({ n, d })
  })

  test('every finite number is read back', () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
        const { n, d } = Ratio.fromDecimal(value)
        const digits = 400n // the quotient as text, far beyond what a number distinguishes
        expect(Number(`${(n * 10n ** digits) / d}e-${digits}`)).toBe(value === 0 ? 0 : value)
      }),
    )
  })

  test.each(['', ' 1', '1 ', '.5', '5.', '+1', '--1', '1,5', '0x10', '1e', 'e1', 'NaN', 'Infinity', '1n', '١'])(
    '“%s” is no decimal',
    (text) => {
      expect(() => Ratio.fromDecimal(text)).toThrow('not a decimal')
    },
  )

  test('an exponent that would fill the memory stops the work', () => {
    expect(() => Ratio.fromDecimal('1e999999999')).toThrow('exponent out of range')
    expect(() => Ratio.fromDecimal('1e-401')).toThrow('exponent out of range')
  })

  test('a long calculation loses nothing: a third, three times, is one', () => {
    const third = Ratio.div(one, Ratio.of(3, 1))
    expect(Ratio.add(third, Ratio.add(third, third))).toEqual(one)
    expect(Ratio.add(Ratio.fromDecimal(0.1), Ratio.fromDecimal(0.2))).toEqual(Ratio.fromDecimal(0.3))
  })

  test('addition and multiplication keep their laws', () => {
    const { add, sub, mul, div } = Ratio
    fc.assert(
      fc.property(ratio, ratio, ratio, (a, b, c) => {
        expect(add(a, b)).toEqual(add(b, a))
        expect(mul(a, b)).toEqual(mul(b, a))
        expect(add(add(a, b), c)).toEqual(add(a, add(b, c)))
        expect(mul(mul(a, b), c)).toEqual(mul(a, mul(b, c)))
        expect(mul(a, add(b, c))).toEqual(add(mul(a, b), mul(a, c)))
        expect(add(a, zero)).toEqual(a)
        expect(mul(a, one)).toEqual(a)
        expect(sub(add(a, b), b)).toEqual(a)
        if (b.n !== 0n) expect(div(mul(a, b), b)).toEqual(a)
      }),
    )
  })

  test('the order is total, and addition keeps it', () => {
    fc.assert(
      fc.property(ratio, ratio, ratio, (a, b, c) => {
        expect(Ratio.compare(a, b)).toBe(0 - Ratio.compare(b, a))
        expect(Ratio.compare(a, a)).toBe(0)
        expect(Ratio.compare(Ratio.add(a, c), Ratio.add(b, c))).toBe(Ratio.compare(a, b))
        expect(Ratio.compare(a, b)).toBe(Math.sign(Number(Ratio.sub(a, b).n)))
      }),
    )
    expect(Ratio.compare(Ratio.of(-1, 2), Ratio.of(-1, 3))).toBe(-1)
  })

  test('rounding at the end is the same as mulDiv', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: 1000 }), (a, b, c) => {
        expect(Ratio.toInteger(Ratio.mul(Ratio.of(a, 1), Ratio.of(b, c)))).toBe(mulDiv(a, b, c))
      }),
    )
    expect(Ratio.toInteger(Ratio.fromDecimal(2.5))).toBe(3)
    expect(Ratio.toInteger(Ratio.fromDecimal(-2.5))).toBe(-3)
    expect(Ratio.toInteger(Ratio.fromDecimal(2.4999999999999996))).toBe(2)
  })

  test('a zero divisor and a result that is no safe amount stop the work', () => {
    expect(() => Ratio.of(1, 0)).toThrow('division by zero')
    expect(() => Ratio.div(one, zero)).toThrow('division by zero')
    expect(() => Ratio.toInteger(Ratio.fromDecimal(1e21))).toThrow('not a safe integer')
  })
})
