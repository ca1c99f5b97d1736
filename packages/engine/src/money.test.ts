import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allocate, compareProducts, floorOfSum, inRange, mulDiv, percentOfPart, Ratio, roundedPart } from './money.ts'

const amount = fc.maxSafeInteger()
const nonZero = amount.filter((value) => value !== 0)
const natural = fc.maxSafeNat()

/** Another implementation of half up: the floor of the doubled magnitude, plus one, halved. */
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

  test('is exact for products of every size', () => {
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

  test('non-integers, unsafe integers and a zero divisor throw', () => {
    expect(() => mulDiv(0.5, 1, 1)).toThrow('not a safe integer: 0.5')
    expect(() => mulDiv(1, 2 ** 53, 1)).toThrow('not a safe integer')
    expect(() => mulDiv(1, 1, Number.NaN)).toThrow('not a safe integer')
    expect(() => mulDiv(2 ** 52, 2, 1)).toThrow('not a safe integer')
    expect(() => mulDiv(1, 1, 0)).toThrow('division by zero')
  })
})

describe('percentOfPart of a whole amount', () => {
  const percentOf = (whole: number, percent: number): number =>
    percentOfPart({ amount: whole, units: 1, of: 1 }, Ratio.fromDecimal(percent))

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

  test('every decimal place of the percentage counts', () => {
    const places = fc.integer({ min: 0, max: 15 })
    fc.assert(
      fc.property(natural, fc.nat(99), places, natural, (of, whole, count, digits) => {
        const fraction = String(digits)
          .padStart(16, '0')
          .slice(-count || 16)
        const text = count === 0 ? `${whole}` : `${whole}.${fraction}`
        fc.pre(Number(text).toString() === text) // only literals that a number represents in the same notation
        const expected = halfUp(BigInt(of) * BigInt(text.replace('.', '')), 100n * 10n ** BigInt(count))
        expect(percentOf(of, Number(text))).toBe(Number(expected))
      }),
    )
  })

  test('an invalid percentage or an unsafe result throws', () => {
    expect(() => percentOf(1, 1e21)).toThrow('not a safe integer')
    expect(() => percentOf(100, Number.NaN)).toThrow('not a decimal: NaN')
    expect(() => percentOf(100, Number.POSITIVE_INFINITY)).toThrow('not a decimal: Infinity')
    expect(() => percentOf(0.1, 10)).toThrow('not a safe integer')
  })
})

describe('allocate', () => {
  test.each([
    [1000, [1, 1, 1], [334, 333, 333]], // all remainders are equal: the first line gets the cent
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

  test('the order of the lines matters only for equal remainders', () => {
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

  test('the shares of a refund mirror those of its sale', () => {
    fc.assert(
      fc.property(total, weights, (total, weights) => {
        expect(allocate(0 - total, weights)).toEqual(allocate(total, weights).map((share) => 0 - share))
      }),
    )
  })

  test('scaling the weights does not change the shares', () => {
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

  test('no lines, a negative weight and an unsafe integer throw', () => {
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

  test('equal values have equal fields', () => {
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
  ])('%s is parsed exactly', (decimal, n, d) => {
    expect(Ratio.fromDecimal(decimal)).toEqual({ n, d })
  })

  test('every finite number round-trips', () => {
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

  test('an exponent that would exhaust memory throws', () => {
    expect(() => Ratio.fromDecimal('1e999999999')).toThrow('exponent out of range')
    expect(() => Ratio.fromDecimal('1e-401')).toThrow('exponent out of range')
  })

  test('a third, added three times, is one', () => {
    const third = Ratio.div(one, Ratio.of(3, 1))
    expect(Ratio.add(third, Ratio.add(third, third))).toEqual(one)
    expect(Ratio.add(Ratio.fromDecimal(0.1), Ratio.fromDecimal(0.2))).toEqual(Ratio.fromDecimal(0.3))
  })

  test('addition and multiplication are commutative, associative and distributive', () => {
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

  test('comparison is a total order that addition preserves', () => {
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

  test('a zero divisor and an unsafe result throw', () => {
    expect(() => Ratio.of(1, 0)).toThrow('division by zero')
    expect(() => Ratio.div(one, zero)).toThrow('division by zero')
    expect(() => Ratio.toInteger(Ratio.fromDecimal(1e21))).toThrow('not a safe integer')
  })
})

describe('fast path of mulDiv', () => {
  // The fast path ends where the doubled product is no longer exact: around (2^53 − 2) / 2.
  const edge = 2 ** 52 - 1
  test.each([
    [edge, 1, 2, 2 ** 51], // 2^51 − 1/2
    [edge - 1, 1, 2, 2 ** 51 - 1],
    [edge + 1, 1, 2, 2 ** 51],
    [edge + 2, 1, 2, 2 ** 51 + 1], // 2^51 + 1/2, the long way
    [1, edge, edge, 1],
    [0, 0, 1, 0],
    [7, 0, 3, 0],
    [1, 1, Number.MAX_SAFE_INTEGER, 0],
    [edge, 1, Number.MAX_SAFE_INTEGER, 0], // just under a half
    [edge + 1, 1, Number.MAX_SAFE_INTEGER, 1], // just over it
  ])('%d × %d / %d is %d', (a, b, c, expected) => {
    expect(mulDiv(a, b, c)).toBe(expected)
  })

  test('agrees with the slow path on both sides of its limit', () => {
    const near = fc.integer({ min: 2 ** 26 - 50, max: 2 ** 26 + 50 })
    fc.assert(
      fc.property(near, near, fc.integer({ min: 1, max: 1000 }), (a, b, c) => {
        expect(mulDiv(a, b, c)).toBe(Number(halfUp(BigInt(a) * BigInt(b), BigInt(c))))
      }),
      { numRuns: 2000 },
    )
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(10_000), fc.integer({ min: 1, max: 10_000 }), (a, b, c) => {
        expect(mulDiv(a, b, c)).toBe(Number(halfUp(BigInt(a) * BigInt(b), BigInt(c))))
      }),
      { numRuns: 2000 },
    )
  })

  test('rejects unsafe arguments even if the product is small', () => {
    expect(() => mulDiv(0, 2 ** 53, 1)).toThrow('not a safe integer')
    expect(() => mulDiv(1, 1, 2 ** 53)).toThrow('not a safe integer')
    expect(() => mulDiv(0.5, 2, 1)).toThrow('not a safe integer')
    expect(() => mulDiv(2, 0.5, 1)).toThrow('not a safe integer')
  })

  test('never returns −0', () => {
    expect(Object.is(mulDiv(0, -5, 7), 0)).toBe(true)
    expect(Object.is(mulDiv(-0, 5, 7), 0)).toBe(true)
  })
})

describe('values that are too large', () => {
  test('throw a RangeError as a result', () => {
    expect(() => mulDiv(2 ** 52, 4, 1)).toThrow(RangeError)
    expect(() => inRange(2 ** 53)).toThrow(RangeError)
    expect(() => Ratio.toInteger(Ratio.fromDecimal('1e17'))).toThrow(RangeError)
    expect(inRange(Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER)
    expect(inRange(Number.MIN_SAFE_INTEGER)).toBe(Number.MIN_SAFE_INTEGER)
  })

  test('fail an assertion as an argument', () => {
    expect(() => mulDiv(2 ** 53, 3, 1)).not.toThrow(RangeError)
    expect(() => mulDiv(2 ** 53, 3, 1)).toThrow('Assertion failed')
  })
})

describe('Part', () => {
  test('is rounded once', () => {
    expect(roundedPart({ amount: 1999, units: 2, of: 3 })).toBe(1333) // 1332.67
    expect(roundedPart({ amount: 1999, units: 3, of: 3 })).toBe(1999)
    expect(roundedPart({ amount: 1, units: 1, of: 2 })).toBe(1)
  })

  test.each([
    [1000, 2, 3, '10', 67], // 66.67
    [1000, 3, 3, '10', 100],
    [14, 1, 3, '10', 0], // 0.4667; of a rounded 5 it would be 0.5
    [9999, 1, 1, '12.5', 1250], // 1249.875
    [100, 1, 1, '0.5', 1], // 0.5
    [99, 1, 1, '0.5', 0], // 0.495
    [3, 1, 2, '33.333333', 0], // 0.4999999995
    [3, 1, 2, '33.333334', 1], // 0.50000001
    [1_000_000_000_000, 333_333, 1_000_000, '10', 33_333_300_000], // the product is beyond 2^53
    [9_007_199_254_740_991, 1, 1, '33.333333333333336', 3_002_399_751_580_331], // …330.57
    [9_007_199_254_740_991, 9_007_199_254_740_990, 9_007_199_254_740_991, '100', 9_007_199_254_740_990],
  ])('of %d, %d of %d units at %s percent are %d', (amount, units, of, percent, expected) => {
    expect(percentOfPart({ amount, units, of }, Ratio.fromDecimal(percent))).toBe(expected)
  })

  test('a percentage of a part is exact at every size', () => {
    const positive = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
    const sizes = fc.oneof(fc.nat(10_000), natural)
    fc.assert(
      fc.property(
        sizes,
        fc.oneof(fc.integer({ min: 1, max: 100 }), positive),
        fc.nat(100),
        fc.nat(10_000),
        (amount, of, part, bp) => {
          const units = Number((BigInt(of) * BigInt(part)) / 100n) // at most all of them
          const percent = Ratio.of(bp, 100)
          const exact = halfUp(BigInt(amount) * BigInt(units) * BigInt(bp), BigInt(of) * 10_000n)
          expect(percentOfPart({ amount, units, of }, percent)).toBe(Number(exact))
        },
      ),
      { numRuns: 3000 },
    )
  })
})

describe('compareProducts', () => {
  test.each([
    [2, 3, 3, 2, 0],
    [2, 3, 2, 4, -1],
    [2, 4, 2, 3, 1],
    [0, 5, 0, 7, 0],
    [94_906_267, 94_906_267, 94_906_266, 94_906_268, 1], // n² and n² − 1, both beyond 2^53 and the same as doubles
    [2 ** 53 - 1, 2 ** 53 - 1, 2 ** 53 - 1, 2 ** 53 - 2, 1],
    [1, 2 ** 53 - 1, 2 ** 53 - 1, 2, -1],
  ])('%d × %d against %d × %d', (a, b, c, d, expected) => {
    expect(Math.sign(compareProducts(a, b, c, d))).toBe(expected)
    expect(Math.sign(compareProducts(c, d, a, b))).toBe(0 - expected)
  })

  test('is exact', () => {
    fc.assert(
      fc.property(natural, natural, natural, natural, (a, b, c, d) => {
        const difference = BigInt(a) * BigInt(b) - BigInt(c) * BigInt(d)
        expect(Math.sign(compareProducts(a, b, c, d))).toBe(difference === 0n ? 0 : difference < 0n ? -1 : 1)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('Ratio as text and as number', () => {
  test.each<[number, number, string, number]>([
    [5, 2, '2.5', 2.5],
    [-5, 2, '-2.5', -2.5],
    [4, 2, '2', 2],
    [-4, 2, '-2', -2],
    [0, 3, '0', 0],
    [1, 3, '1/3', 1 / 3],
    [-1, 3, '-1/3', -1 / 3],
    [1000, 3, '1000/3', 1000 / 3],
    [1, 8, '0.125', 0.125],
    [-1, 80, '-0.0125', -0.0125],
    [9999, 8, '1249.875', 1249.875],
    [1, 10_000_000_000, '0.0000000001', 1e-10],
  ])('%d / %d is %s', (n, d, text, number) => {
    const ratio = Ratio.of(n, d)
    expect(Ratio.toText(ratio)).toBe(text)
    expect(Ratio.toNumber(ratio)).toBe(number)
  })

  test('a decimal of more than 20 places is shown as a fraction', () => {
    const tiny = { n: 1n, d: 10n ** 21n }
    expect(Ratio.toText(tiny)).toBe(`1/${10n ** 21n}`)
    expect(Ratio.toText({ n: 1n, d: 10n ** 20n })).toBe(`0.${'1'.padStart(20, '0')}`)
  })

  test('values beyond the range of safe integers convert to a number', () => {
    expect(Ratio.toNumber({ n: 10n ** 30n + 1n, d: 3n * 10n ** 30n })).toBeCloseTo(1 / 3, 15)
    expect(Ratio.toNumber({ n: -(10n ** 30n), d: 10n ** 28n })).toBe(-100)
  })

  test('ofPart gives the ratio of a part', () => {
    expect(Ratio.ofPart({ amount: 1000, units: 2, of: 6 })).toEqual(Ratio.of(1000, 3))
    expect(Ratio.ofPart({ amount: 1000, units: 6, of: 6 })).toEqual(Ratio.of(1000, 1))
  })

  test.each<[Array<[number, number]>, number]>([
    [
      [
        [5, 2],
        [5, 3],
      ],
      4,
    ], // 4.17
    [
      [
        [1, 2],
        [1, 2],
      ],
      1,
    ],
    [
      [
        [1, 3],
        [1, 3],
        [1, 3],
      ],
      1,
    ],
    [
      [
        [1, 3],
        [1, 3],
      ],
      0,
    ],
    [[], 0],
  ])('the floor of the sum of %j is %d', (ratios, expected) => {
    expect(floorOfSum(ratios.map(([n, d]) => Ratio.of(n, d)))).toBe(expected)
  })
})
