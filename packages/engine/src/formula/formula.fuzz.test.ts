import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openCart } from '../cart.ts'
import type { LineScope } from '../evaluation-scope.ts'
import { Ratio } from '../money.ts'
import { cpuTimeOf } from '../testing/cpu-time.ts'
import { clockAt } from '../time/index.ts'
import { WorkMeter } from '../work.ts'
import { functions } from './functions.ts'
import { compileFormula, evaluateFormula, type Formula, formulaAmount, formulaUnits, isFault } from './index.ts'
import { exactBitsMax } from './limits.ts'
import { keyedOperands, operands } from './operands.ts'
import { levels } from './operators.ts'

const cart = openCart({
  amount: 25_600,
  metadata: { n: 0.1, s: '5', l: [1, 'a'], huge: 123456789e200 },
  items: [
    { quantity: 3, amount: 1_000 },
    { quantity: 1, price: 700 },
  ],
})
const scope: LineScope = {
  clock: clockAt('2025-02-28T23:30:00.000Z', 'America/St_Johns'),
  customer: { birthdate: '2000-02-29', metadata: { n: 3 } },
  caller: null,
  metadata: {},
  catalogue: {},
  cart,
  redeemable: null,
  event_metadata: null,
  counters: {},
  bundle_quantity: 0,
  get work() {
    return new WorkMeter()
  },
  effect: null,
  line: cart.lines[0]!,
}

/** Compiling any text gives a well-formed result, and the same one again. */
function answers(text: string): void {
  const formula = compileFormula(text)
  if (isFault(formula)) {
    expect(formula.fault).not.toBe('')
    expect(formula.position).toBeGreaterThanOrEqual(0)
    expect(formula.position).toBeLessThanOrEqual(text.length)
    return
  }
  const result = evaluateFormula(formula, scope)
  expect(evaluateFormula(formula, scope)).toEqual(result)
  if (isFault(result)) {
    expect(result.position).toBeGreaterThanOrEqual(0)
    expect(result.position).toBeLessThan(text.length)
    return
  }
  expect(result.d > 0n).toBe(true)
  expect(result.d <= 2n ** BigInt(exactBitsMax) && result.n ** 2n <= 2n ** BigInt(2 * exactBitsMax)).toBe(true)
  expect(Ratio.mul(result, { n: 1n, d: 1n })).toEqual(result) // in lowest terms
  for (const value of [formulaAmount(result), formulaUnits(result)]) {
    if (!isFault(value)) expect(Number.isSafeInteger(value) && value >= 0).toBe(true)
  }
}

const words = [
  ...Object.keys(functions),
  ...Object.keys(operands),
  ...Object.keys(keyedOperands),
  ...levels.flatMap((level) => Object.keys(level.operators)),
  ...['IF', 'DEFAULT_TO', 'SWITCH', 'SWITCH_CASE', 'order.bundle.quantity', '(', ')', ';', '(', ')', ';'],
  ...['0', '1', '2.50', '99999999999999999999', '"n"', '"2025-01-31"', '"', '\\', 'é', '.', ','],
]

describe('every text compiles or gives a well-formed fault', () => {
  test('arbitrary characters', () => {
    const units = fc.oneof(fc.integer({ min: 32, max: 126 }), fc.nat(0xffff)) // halves of surrogate pairs too
    const text = fc.array(units, { maxLength: 60 }).map((codes) => String.fromCharCode(...codes))
    fc.assert(fc.property(text, answers), { numRuns: 500 })
  })

  test('arbitrary words of the language', () => {
    const text = fc.array(fc.constantFrom(...words), { maxLength: 25 }).map((parts) => parts.join(' '))
    fc.assert(fc.property(text, answers), { numRuns: 1_000 })
  })

  test('formulas generated from the grammar', () => {
    fc.assert(fc.property(wellFormed, answers), { numRuns: 1_000 })
  })

  test('well-formed formulas compile', () => {
    fc.assert(
      fc.property(wellFormed, (text) => {
        const formula = compileFormula(text)
        if (isFault(formula)) expect(formula.fault).toMatch(/too many values|longer than|no date/)
      }),
    )
  })

  test('truncated formulas', () => {
    fc.assert(
      fc.property(wellFormed, fc.nat(200), (text, length) => answers(text.slice(0, length))),
      { numRuns: 500 },
    )
  })
})

const { expression: wellFormed } = fc.letrec<{ expression: string; call: string }>((tie) => {
  const some = (max: number) =>
    fc.array(tie('expression'), { minLength: 1, maxLength: max }).map((args) => args.join(';'))
  const operator = fc.constantFrom(...levels.flatMap((level) => Object.keys(level.operators)))
  return {
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom(
        '0',
        '1',
        '12',
        '0.07',
        '"n"',
        '"5"',
        '"2025-02-28"',
        'ORDER_METADATA("n")',
        'ORDER_METADATA("l")',
      ),
      fc.constantFrom(...Object.keys(operands)),
      tie('call'),
      fc.tuple(tie('expression'), operator, tie('expression')).map(([a, sign, b]) => `((${a}) ${sign} (${b}))`),
    ),
    call: fc.oneof(
      some(3).map((args) => `MAX(${args})`),
      some(3).map((args) => `DEFAULT_TO(${args})`),
      fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `POW(${a};${b})`),
      fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `ROUND(${a};${b})`),
      fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `IF((${a}) = (${b});${a};${b})`),
      fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `SWITCH(${a};SWITCH_CASE(${b};1);${b})`),
      tie('expression').map((a) => `MONTHS_SINCE(${a})`),
    ),
  }
})

describe('arithmetic agrees with fractions', () => {
  /** An expression of the four operations, unary minus and modulo: as text, and its value computed without the parser. */
  interface Tree {
    text: string
    value: Ratio | null
  }
  const calculations: Record<string, (a: Ratio, b: Ratio) => Ratio | null> = {
    '+': Ratio.add,
    '-': Ratio.sub,
    '*': Ratio.mul,
    x: Ratio.mul,
    '/': (a, b) => (b.n === 0n ? null : Ratio.div(a, b)),
    '%': (a, b) => {
      if (b.n === 0n) return null
      const { n, d } = Ratio.div(a, b)
      return Ratio.sub(a, Ratio.mul(b, { n: n / d, d: 1n }))
    },
  }
  const literal = fc
    .tuple(
      fc.oneof(fc.nat(20), fc.maxSafeNat()),
      fc.oneof(
        fc.constant(''),
        fc.nat(9_999).map((digits) => `.${digits}`),
      ),
    )
    .map(([whole, digits]): Tree => ({ text: `${whole}${digits}`, value: Ratio.fromDecimal(`${whole}${digits}`) }))
  const { tree } = fc.letrec<{ tree: Tree; operation: Tree; minus: Tree }>((tie) => ({
    tree: fc.oneof({ maxDepth: 3 }, literal, tie('operation'), tie('operation'), tie('minus')),
    minus: tie('tree').map(({ text, value }) => ({
      text: `(-(${text}))`,
      value: value && Ratio.sub(Ratio.of(0, 1), value),
    })),
    operation: fc
      .tuple(tie('tree'), fc.constantFrom(...Object.keys(calculations)), tie('tree'))
      .map(([a, sign, b]) => ({
        text: `(${a.text} ${sign} ${b.text})`,
        value: a.value && b.value && calculations[sign]!(a.value, b.value),
      })),
  }))

  const fits = ({ n, d }: Ratio) => n ** 2n < 2n ** BigInt(2 * exactBitsMax) && d < 2n ** BigInt(exactBitsMax)

  test('in every expression tree', () => {
    fc.assert(
      fc.property(tree, ({ text, value }) => {
        const result = evaluateFormula(compileFormula(text) as Formula, scope)
        if (isFault(result) && result.fault === 'the number is too long') return
        if (value === null) expect(result).toMatchObject({ fault: 'division by zero' })
        else if (fits(value)) expect(result).toEqual(value)
      }),
      { numRuns: 2_000 },
    )
  })

  test('without parentheses, by precedence and left to right', () => {
    const sums = fc.array(
      fc.tuple(
        fc.constantFrom('+', '-'),
        fc.array(fc.tuple(fc.constantFrom('*', '/', '%'), literal), { maxLength: 3 }),
        literal,
      ),
      { minLength: 1, maxLength: 4 },
    )
    fc.assert(
      fc.property(sums, (terms) => {
        let text = '0'
        let total: Ratio | null = Ratio.of(0, 1)
        for (const [sign, factors, first] of terms) {
          text += ` ${sign} ${first.text}${factors.map(([mul, { text }]) => ` ${mul} ${text}`).join('')}`
          const start: Ratio | null = first.value
          const term = factors.reduce((a, [mul, b]) => a && calculations[mul]!(a, b.value!), start)
          total = total && term && calculations[sign]!(total, term)
        }
        const result = evaluateFormula(compileFormula(text) as Formula, scope)
        if (isFault(result) && result.fault === 'the number is too long') return
        expect(result).toEqual(total ?? { fault: 'division by zero', position: expect.any(Number) })
      }),
      { numRuns: 1_000 },
    )
  })

  test('in comparisons', () => {
    fc.assert(
      fc.property(tree, tree, (a, b) => {
        fc.pre(a.value !== null && b.value !== null && fits(a.value) && fits(b.value))
        const text = `IF(${a.text} < ${b.text};-1;IF(${a.text} = ${b.text};0;1))`
        const result = evaluateFormula(compileFormula(text) as Formula, scope)
        if (isFault(result)) return
        expect(Number(result.n)).toBe(Ratio.compare(a.value!, b.value!))
      }),
    )
  })
})

/** CI machines are slow, so the bounds are loose: without limits these would take hours. */
describe('no formula takes unbounded time or memory', () => {
  const repeated = (start: string, part: string, times: number) => start + part.repeat(times)
  test.each([
    ['a tower of powers', `${'POW(9;'.repeat(49)}9${')'.repeat(49)}`],
    ['a negative tower', 'POW(1/3;POW(9;POW(9;9)))'],
    ['a power of a huge exponent', `POW(2;${'9'.repeat(150)})`],
    ['one to a huge power', `POW(-1;${'9'.repeat(150)})`],
    ['long products', repeated('1', ' * POW(7;91) / POW(7;90)', 80)],
    [
      'long fractions, up and down',
      repeated('POW(7;89)/POW(3;160)', '*POW(11;70)/POW(13;69)/POW(11;70)*POW(13;69)', 40),
    ],
    ['sums of unlike fractions', Array.from({ length: 240 }, (_, i) => `1/${2 * i + 3}`).join('+')],
    ['powers to fractions', repeated('2', '*POW(1.000001;0.000001)', 160)],
    ['a literal of 5,000 digits', '9'.repeat(5_000)],
    ['a literal of 4,990 decimal places', `0.${'3'.repeat(4_990)}`],
    ['huge rounding', 'ROUND(POW(10;154);20) + ROUND(POW(10;154);-20)'],
    ['parentheses', repeated('', '(', 5_000)],
    ['minus signs', repeated('', '-', 5_000)],
    ['quotes', repeated('', '"', 4_999)],
    ['backslashes', `"${'\\'.repeat(4_998)}`],
    ['white space', `1${' '.repeat(4_990)}é`],
    ['calls', repeated('', 'IF(1>2;', 700)],
    ['cases', `SWITCH(1;${repeated('', 'SWITCH_CASE(2;3)', 300)};4)`],
    ['lists', `5 IN_ARRAY "${'5.0000001,'.repeat(490)}"`],
    ['lists of long numbers', `5 IN_ARRAY "${`${'7'.repeat(159)},`.repeat(30)}"`],
  ])('%s', (_, text) => {
    expect(cpuTimeOf(() => answers(text))).toBeLessThan(1_000)
  })

  test('the number of operations on long numbers is limited', () => {
    const text = repeated('POW(7;89)', ' * 3 / 3', 60)
    const formula = compileFormula(text) as Formula
    expect(evaluateFormula(formula, scope)).toMatchObject({ fault: 'too many operations on long numbers' })
    const fewer = compileFormula(repeated('POW(7;89)', ' * 3 / 3', 49)) as Formula
    expect(evaluateFormula(fewer, scope)).toEqual({ n: 7n ** 89n, d: 1n })
  })
})
