import { describe, expect, test } from 'vitest'
import { openCart } from '../cart.ts'
import type { EvaluationScope } from '../evaluation-scope.ts'
import { Ratio } from '../money.ts'
import { clockAt } from '../time/index.ts'
import { WorkMeter } from '../work.ts'
import {
  compileFormula,
  evaluateFormula,
  type Formula,
  formulaAmount,
  formulaPercent,
  formulaUnits,
  isFault,
  whyNotForPoints,
} from './index.ts'

/** The order of the examples: 256.00, four lines, nine units. It is Saturday, 1 March 2025, 08:30 in Tokyo. */
const scope: EvaluationScope = {
  clock: clockAt('2025-02-28T23:30:00.000Z', 'Asia/Tokyo'),
  customer: {
    birthdate: '1990-05-17',
    metadata: {
      visits: 12,
      rate: 0.1,
      text: 'say "hi"',
      size: '42',
      vip: true,
      blocked: false,
      tags: ['red', 7, 0.5, true, null, { a: 1 }],
      joined: '2024-01-31',
      seen: '2025-02-28T14:59:59Z', // one second before midnight in Tokyo
      address: { city: { name: 'Oslo' }, zip: 1 },
      'a.b': 'dotted',
      nothing: null,
      huge: 1e300,
      infinite: Number.POSITIVE_INFINITY,
    },
  },
  caller: null,
  metadata: null,
  catalogue: {},
  cart: openCart({
    amount: 25_600,
    metadata: { channel: 'kiosk' },
    items: [
      { product_id: 'tea', quantity: 2, price: 2_000 },
      { product_id: 'cup', quantity: 4, price: 3_000 },
      { product_id: 'pot', quantity: 1, price: 5_600 },
      { product_id: 'tin', quantity: 2, price: 2_000 },
    ],
  }),
  redeemable: null,
  event_metadata: null,
  counters: {},
  bundle_quantity: 3,
  get work() {
    return new WorkMeter()
  },
  effect: null,
}

function formulaOf(text: string): Formula {
  const formula = compileFormula(text)
  if (isFault(formula)) throw new Error(`${formula.fault} at ${formula.position}: ${text}`)
  return formula
}

const calculate = (text: string) => evaluateFormula(formulaOf(text), scope)

/** Formula and result; `null` is "not calculable". */
function table(cases: Array<[text: string, expected: number | string | null]>) {
  test.each(cases)('%s → %s', (text, expected) => {
    const value = calculate(text)
    if (expected === null) expect(value).toMatchObject({ fault: expect.any(String), position: expect.any(Number) })
    else expect(value).toEqual(Ratio.fromDecimal(expected))
  })
}

/** As `table`, for conditions. */
const conditions = (cases: Array<[text: string, expected: boolean | null]>) =>
  table(cases.map(([text, expected]) => [`IF(${text};1;0)`, expected === null ? null : Number(expected)]))

describe('examples 43 to 49 of docs/reference/examples-discounts.md', () => {
  test('43: 7 % of 256.00, rounded to whole units, from the tenth visit on', () => {
    const text = 'IF(ORDER_AMOUNT > 250 AND CUSTOMER_METADATA("visits") > 10;ROUND(ORDER_AMOUNT * 0.07;0);5)'
    expect(formulaAmount(calculate(text))).toBe(1_800) // 17.92 → 18
  })
  test('44: 5 percent plus 2.5 percent per line', () => {
    expect(formulaPercent(calculate('MIN(30;5 + ORDER_ITEMS_QUANTITY * 2.5)'))).toEqual(Ratio.of(15, 1))
  })
  test('45: a quarter of the units, rounded down', () => {
    expect(calculate('ORDER_UNITS_QUANTITY / 4')).toEqual(Ratio.fromDecimal('2.25'))
    expect(formulaUnits(calculate('ORDER_UNITS_QUANTITY / 4'))).toBe(2)
  })
  test('46: a missing metadata key makes the formula not calculable, and the fault names it', () => {
    const fault = { fault: 'CUSTOMER_METADATA("bonus") has no value', position: 0 }
    expect(formulaAmount(calculate('CUSTOMER_METADATA("bonus") + 1'))).toEqual(fault)
  })
  test('47: DEFAULT_TO replaces a missing value', () => {
    expect(formulaAmount(calculate('DEFAULT_TO(CUSTOMER_METADATA("bonus");3)'))).toBe(300)
  })
  test('48: a percentage by channel', () => {
    const text = 'SWITCH(ORDER_METADATA("channel");SWITCH_CASE("app";12) SWITCH_CASE("kiosk";8);4)'
    expect(formulaPercent(calculate(text))).toEqual(Ratio.of(8, 1))
  })
  test('49: a percentage is capped at 100', () => {
    expect(calculate('120 - 10 / 2')).toEqual(Ratio.of(115, 1))
    expect(formulaPercent(calculate('120 - 10 / 2'))).toEqual(Ratio.of(100, 1))
  })
  test('loyalty 6: 33.30 × 0.15 points', () => {
    const cart = openCart({ amount: 3_330 })
    expect(evaluateFormula(formulaOf('ORDER_AMOUNT * 0.15'), { ...scope, cart })).toEqual(Ratio.fromDecimal('4.995'))
  })
})

describe('arithmetic', () => {
  table([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['100 / 10 / 2', 5],
    ['100 / 10 * 2', 20],
    ['17 % 5 * 2', 4],
    ['2 * 17 % 5', 4], // 34 % 5
    ['-2 * -3', 6],
    ['-(1 + 2)', -3],
    ['5 - -3', 8],
    ['5-3', 2],
    ['2 x 3 × 4', 24],
    ['2x3', 6],
    ['ORDER_UNITS_QUANTITYx2', 18],
    ['9 ÷ 2', 4.5],
    ['0.1 + 0.2', 0.3],
    ['0.1 * 3 - 0.3', 0],
    ['1 / 3 * 3', 1],
    ['1.10', 1.1],
    ['007', 7],
    ['7.5 % 2', 1.5],
    ['-7 % 3', -1],
    ['7 % -3', 1],
    ['9007199254740993 - 9007199254740992', 1], // beyond 2^53
    ['9007199254740991 * 9007199254740991 / 9007199254740991', 9007199254740991],
    ['99999999 * 99999999 % 10', 1],
    ['9007199254740993 % 10', 3],
    ['-9007199254740993 / 3', '-3002399751580331'],
    ['1 / 9007199254740993 * 9007199254740993', 1],
    ['1 / -4', -0.25],
    ['1 / 0', null],
    ['1 / (0.5 - 1 / 2)', null],
    ['1 % 0', null],
    ['1 + "2"', null],
    ['-"2"', null],
    ['1 + (1 = 1)', null],
    ['TODAY + 1', null],
    ['"text"', null],
    ['1 = 1', null],
    ['TODAY', null],
    ['CUSTOMER_METADATA("tags")', null],
    ['  1\n+\t2\u00a0', 3],
  ])
})

describe('functions', () => {
  table([
    ['MIN(3;1;2)', 1],
    ['MAX(3;1;2)', 3],
    ['MIN(1/3;0.33)', 0.33],
    ['MAX(-5;-7)', -5],
    ['MAX(4)', 4],
    ['MAX(1;"2")', null],
    ['MIN(9007199254740993;9007199254740992)', '9007199254740992'],
    ['POW(2;10)', 1024],
    ['POW(1.1;2)', 1.21],
    ['POW(2;-2)', 0.25],
    ['POW(-2;3)', -8],
    ['POW(0;0)', 1],
    ['POW(-1;1000001)', -1],
    ['POW(10;50) / POW(10;49)', 10],
    ['POW(4;0.5)', 2],
    ['POW(1000;1/3)', 10], // floating-point pow gives 9.999999999999998
    ['POW(2;0.5)', '1.41421356237310'],
    ['POW(0;-1)', null],
    ['POW(0;-0.5)', null],
    ['POW(-4;0.5)', null],
    ['POW(10;155)', null], // longer than 2^512
    ['POW(10;154) / POW(10;153)', 10],
    ['POW("2";2)', null],
    ['ROUND(2.5)', 3],
    ['ROUND(-2.5)', -3], // as money is: a refund mirrors its sale
    ['ROUND(2.4999)', 2],
    ['ROUND(17.925;2)', 17.93],
    ['ROUND(1250;-2)', 1300],
    ['ROUND(1249;-2)', 1200],
    ['ROUND(1.005;2)', 1.01], // with doubles it would be 1
    ['FLOOR(2.9)', 2],
    ['FLOOR(-2.1)', -3],
    ['FLOOR(17.929;2)', 17.92],
    ['FLOOR(1999;-3)', 1000],
    ['CEIL(2.1)', 3],
    ['CEIL(-2.9)', -2],
    ['CEIL(17.921;2)', 17.93],
    ['CEIL(1001;-3)', 2000],
    ['ROUND(1/3;20)', '0.33333333333333333333'],
    ['ROUND(1;21)', null],
    ['ROUND(1;-21)', null],
    ['ROUND(1;0.5)', null],
    ['ROUND("1")', null],
    ['ROUND(1;"0")', null],
    ['IF(1 < 2;10;20)', 10],
    ['IF(1 > 2;10;20)', 20],
    ['IF(1 < 2;10;1 / 0)', 10],
    ['IF(1 > 2;CUSTOMER_METADATA("nowhere");20)', 20],
    ['IF(1 / 0 > 1;10;20)', null],
    ['IF(1;10;20)', null],
    ['IF("true";10;20)', null],
    ['IF(CUSTOMER_METADATA("vip");10;20)', 10],
    ['IF(1 < 2;"a";20)', null],
    ['DEFAULT_TO(1;2)', 1],
    ['DEFAULT_TO(5)', 5],
    ['DEFAULT_TO(1 / 0;2)', 2],
    ['DEFAULT_TO(1 + CUSTOMER_METADATA("nowhere") * 2;1 + "a";3;4 / 0)', 3],
    ['DEFAULT_TO(CUSTOMER_METADATA("nothing");1 / 0)', null],
    ['DEFAULT_TO(CUSTOMER_METADATA("size");2)', null], // it has a value: a text
    ['DEFAULT_TO(POW(10;999);2)', 2],
    ['SWITCH(2;SWITCH_CASE(1;10) SWITCH_CASE(2;20)SWITCH_CASE(2;30);40)', 20],
    ['SWITCH(2.0;SWITCH_CASE(4 / 2;10);40)', 10],
    ['SWITCH(3;SWITCH_CASE(1;10);40)', 40],
    ['SWITCH(3;SWITCH_CASE("3";10);40)', 40],
    ['SWITCH(3;SWITCH_CASE(3;10) SWITCH_CASE(1 / 0;1);1 / 0)', 10],
    ['SWITCH(3;SWITCH_CASE(1;1 / 0);40)', 40],
    ['SWITCH(3;SWITCH_CASE(1 / 0;1);40)', null],
    ['SWITCH(CUSTOMER_METADATA("vip");SWITCH_CASE("false";1) SWITCH_CASE("true";2);3)', 2],
    ['SWITCH(CUSTOMER_METADATA("nowhere");SWITCH_CASE(1;10);40)', null],
    ['SWITCH(TODAY;SWITCH_CASE(1;10);40)', null],
    ['SWITCH(1;SWITCH_CASE(1;SWITCH(2;SWITCH_CASE(2;5);6));7)', 5],
  ])
})

describe('comparisons', () => {
  conditions([
    ['1 > 1', false],
    ['2 > 1', true],
    ['1 < 1', false],
    ['1 < 2', true],
    ['1 = 1.0', true],
    ['1 = 2', false],
    ['1 >= 1', true],
    ['1 >= 2', false],
    ['1 <= 1', true],
    ['2 <= 1', false],
    ['1 != 1', false],
    ['1 != 2', true],
    ['2 > 3 / 2', true],
    ['3 / 2 < 2', true],
    ['1 / 3 > 0.333333333333333333', true],
    ['9007199254740993 > 9007199254740992', true],
    ['1 + 1 = 4 / 2', true],
    ['"a" = "a"', null],
    ['"b" > "a"', null],
    ['CUSTOMER_METADATA("size") > 1', null], // a text, although it spells a number
    ['CUSTOMER_METADATA("nowhere") != 1', null],
    ['CUSTOMER_METADATA("nowhere") isNot "x"', null],
    ['"a" is "a"', true],
    ['"a" is "A"', false],
    ['"a" isNot "A"', true],
    ['"a" isNot "a"', false],
    ['1 is 1.0', true],
    ['1 isNot 2', true],
    ['CUSTOMER_METADATA("vip") is CUSTOMER_METADATA("blocked")', false],
    ['CUSTOMER_METADATA("vip") is (1 = 1)', true],
    ['CUSTOMER_METADATA("vip") is "true"', true],
    ['"false" isNot CUSTOMER_METADATA("blocked")', false],
    ['1 is "1"', null],
    ['1 isNot "1"', null],
    ['TODAY is TODAY', null],
    ['CUSTOMER_METADATA("text") is "say \\"hi\\""', true],
    ['"a\\\\b" is "a\\b"', true], // a lone backslash stands for itself
    ['"kiosk" startsWith "ki"', true],
    ['"kiosk" startsWith "sk"', false],
    ['"kiosk" endsWith "sk"', true],
    ['"kiosk" endsWith "ki"', false],
    ['"kiosk" contains "ios"', true],
    ['"kiosk" contains "IOS"', false],
    ['"kiosk" contains 1', null],
    ['1 contains "1"', null],
    ['1 startsWith "1"', null],
    ['CUSTOMER_METADATA("tags") contains "red"', true],
    ['CUSTOMER_METADATA("tags") contains "re"', false],
    ['CUSTOMER_METADATA("tags") contains 7', true],
    ['CUSTOMER_METADATA("tags") contains 1 / 2', true],
    ['CUSTOMER_METADATA("tags") contains 8', false],
    ['CUSTOMER_METADATA("tags") contains (1 = 1)', true],
    ['CUSTOMER_METADATA("tags") contains (1 = 2)', false],
    ['CUSTOMER_METADATA("tags") contains TODAY', null],
    ['"b" IN_ARRAY "a, b ,c"', true],
    ['"d" IN_ARRAY "a,b,c"', false],
    ['"b" NOT_IN_ARRAY "a,b,c"', false],
    ['"d" NOT_IN_ARRAY "a,b,c"', true],
    ['"a,b" IN_ARRAY "a,b"', false],
    ['5 IN_ARRAY "1, 5.0"', true],
    ['5 IN_ARRAY "15,a,5x,,1e1"', false],
    ['-5 IN_ARRAY "-5"', true],
    ['CUSTOMER_METADATA("vip") IN_ARRAY "yes,true"', true],
    ['5 IN_ARRAY 5', null],
    ['TODAY IN_ARRAY "2025-03-01"', null],
    ['CUSTOMER_METADATA("tags") NOT_IN_ARRAY "red"', null],
    ['1 = 1 AND 2 = 2', true],
    ['1 = 1 AND 2 = 3', false],
    ['1 = 2 OR 2 = 2', true],
    ['1 = 2 OR 2 = 3', false],
    ['1 = 1 OR 1 = 1 AND 1 = 2', true], // AND binds tighter
    ['(1 = 1 OR 1 = 1) AND 1 = 2', false],
    ['1 = 1 AND 1 = 1 AND 1 = 2', false],
    ['1 = 2 OR 1 = 2 OR 1 = 1', true],
    ['1 = 2 AND CUSTOMER_METADATA("nowhere") = 1', null], // only DEFAULT_TO absorbs a missing value
    ['1 = 1 OR 1 / 0 = 1', null],
    ['1 AND 1', null],
    ['1 = 1 OR "a"', null],
  ])
})

describe('dates, in the time zone of the project', () => {
  table([
    ['DAY_OF_MONTH(TODAY)', 1], // still 28 February in UTC
    ['MONTH(TODAY)', 3],
    ['YEAR(TODAY)', 2025],
    ['DAY_OF_MONTH(NOW)', 1],
    ['DAY_OF_MONTH(CUSTOMER_BIRTHDATE)', 17],
    ['MONTH(CUSTOMER_BIRTHDATE)', 5],
    ['YEAR("1999-12-31")', 1999],
    ['DAYS_SINCE(DATE("2025-02-26"))', 3],
    ['DAYS_SINCE(DATE("2025-03-03"))', -2],
    ['DAYS_SINCE(NOW)', 0],
    ['DAYS_SINCE(CUSTOMER_METADATA("seen"))', 1],
    ['DAYS_SINCE(DATE_TIME("2025-02-28T15:00:00Z"))', 0], // midnight in Tokyo
    ['DAYS_UNTIL(DATE("2025-12-31"))', 305],
    ['DAYS_UNTIL(DATE("2025-02-28"))', -1],
    ['MONTHS_SINCE(TODAY)', 0],
    ['MONTHS_SINCE(DATE("2025-02-01"))', 1],
    ['MONTHS_SINCE(DATE("2025-02-02"))', 0],
    ['MONTHS_SINCE(DATE("2025-03-31"))', 0],
    ['MONTHS_SINCE(DATE("2025-04-01"))', -1],
    ['MONTHS_SINCE(CUSTOMER_METADATA("joined"))', 13], // 31 January 2024: 28 February 2025 was the 13th
    ['MONTHS_UNTIL(DATE("2025-03-31"))', 0],
    ['MONTHS_UNTIL(DATE("2025-04-01"))', 1],
    ['MONTHS_UNTIL(DATE("2024-03-01"))', -12],
    ['YEARS_SINCE(CUSTOMER_BIRTHDATE)', 34],
    ['YEARS_SINCE(DATE("1990-03-01"))', 35],
    ['YEARS_SINCE(DATE("1990-03-02"))', 34],
    ['YEARS_SINCE(DATE("2026-02-28"))', 0],
    ['YEARS_SINCE(DATE("2026-03-01"))', -1],
    ['YEAR(DATE(CUSTOMER_METADATA("seen")))', 2025],
    ['DAY_OF_MONTH(DATE(CUSTOMER_METADATA("seen")))', 28],
    ['DAY_OF_MONTH(DATE(NOW))', 1],
    ['YEAR(5)', null],
    ['YEAR("soon")', null],
    ['DATE("2025-03-01")', null],
    ['DAYS_SINCE(CUSTOMER_METADATA("nowhere"))', null],
    ['DATE_TIME(CUSTOMER_METADATA("text"))', null],
    ['YEAR(DATE(CUSTOMER_METADATA("vip")))', null],
  ])
  conditions([
    ['TODAY DATE_IS DATE("2025-03-01")', true],
    ['TODAY DATE_IS NOW', true],
    ['TODAY DATE_IS DATE_TIME("2025-03-01T14:59:59Z")', true],
    ['TODAY DATE_IS DATE_TIME("2025-03-01T15:00:00Z")', false],
    ['TODAY DATE_IS_NOT DATE("2025-03-01")', false],
    ['TODAY DATE_IS_NOT DATE("2025-02-28")', true],
    ['TODAY DATE_IS "2025-03-01"', true],
    ['NOW IS_AFTER TODAY', true], // 08:30, and the day began at midnight in Tokyo
    ['NOW IS_BEFORE TODAY', false],
    ['TODAY IS_AFTER TODAY', false],
    ['NOW IS_AFTER DATE_TIME("2025-02-28T23:29:59Z")', true],
    ['NOW IS_BEFORE DATE_TIME("2025-03-01T08:30:00+09:00")', false],
    ['NOW IS_BEFORE DATE_TIME("2025-03-01T08:30:01+09:00")', true],
    ['DATE_TIME("2025-02-28T15:00") IS_BEFORE TODAY', false], // no zone means UTC
    ['DATE_TIME("2025-02-28T14:59") IS_BEFORE TODAY', true],
    ['DATE_TIME(TODAY) IS_BEFORE NOW', true],
    ['CUSTOMER_BIRTHDATE IS_BEFORE DATE("2007-03-01")', true],
    ['TODAY IS_AFTER 5', null],
    ['TODAY DATE_IS_NOT "soon"', null],
    ['TODAY > DATE("2025-01-01")', null],
  ])
})

describe('metadata', () => {
  table([
    ['CUSTOMER_METADATA("rate") * 3', 0.3], // exact decimal, not the binary double
    ['CUSTOMER_METADATA("address.zip")', 1],
    ['IF(CUSTOMER_METADATA("address.city.name") is "Oslo";1;2)', 1],
    ['IF(CUSTOMER_METADATA("a.b") is "dotted";1;2)', 1],
    ['CUSTOMER_METADATA("address")', null],
    ['CUSTOMER_METADATA("address.street")', null],
    ['CUSTOMER_METADATA("nothing")', null],
    ['CUSTOMER_METADATA("constructor")', null],
    ['CUSTOMER_METADATA("huge")', null],
    ['CUSTOMER_METADATA("infinite")', null],
    ['CUSTOMER_METADATA("size") * 2', null],
    ['REDEMPTION_METADATA("any")', null],
  ])
})

describe('operands of a formula', () => {
  test('are listed with the position of their first use', () => {
    const formula = formulaOf('ORDER_AMOUNT + ORDER_METADATA("a") * ORDER_AMOUNT - order.bundle.quantity')
    expect([...formula.operands]).toEqual([
      ['ORDER_AMOUNT', 0],
      ['ORDER_METADATA', 15],
      ['ORDER_BUNDLE_QUANTITY', 52],
    ])
    expect(formula.text).toContain('order.bundle.quantity')
  })

  test.each([
    ['ORDER_ITEM_PRICE * 0.5', true],
    ['IF(1 > 2;ORDER_ITEM_METADATA("k");1)', true],
    ['ORDER_ITEMS_QUANTITY', false],
    ['CHEAPEST_ORDER_ITEM_PRICE', false],
    ['1', false],
  ])('%s is computed per line: %s', (text, perLine) => {
    expect(formulaOf(text).per_line).toBe(perLine)
  })

  test.each([
    'ORDER_METADATA("a") + CUSTOMER_METADATA("b") + ORDER_AMOUNT + ORDER_ITEMS_QUANTITY + ORDER_UNITS_QUANTITY',
    'CHEAPEST_ORDER_ITEM_METADATA("a") + MOST_EXPENSIVE_ORDER_ITEM_SUBTOTAL',
    'YEARS_SINCE(CUSTOMER_BIRTHDATE) + DAYS_SINCE(TODAY) + DAYS_SINCE(NOW) + 1',
  ])('%s is available when points are earned', (text) => {
    expect(whyNotForPoints(formulaOf(text))).toBeNull()
  })

  test.each([
    'VOUCHER_REDEEMED_QUANTITY',
    'DAYS_SINCE(VOUCHER_START_DATE)',
    'DAYS_SINCE(PROMOTION_TIER_EXPIRATION_DATE)',
    'REDEMPTION_METADATA("a")',
    'REDEEMABLE_METADATA("a")',
    'PUBLICATION_METADATA("a")',
    'ORDER_ITEM_PRICE',
    'order.bundle.quantity',
  ])('%s is not available when points are earned', (text) => {
    const fault = whyNotForPoints(formulaOf(`TODAY DATE_IS NOW AND ${text} > 1`))
    expect(fault?.fault).toMatch(/^[A-Z_]+ is not available where points are earned$/)
    expect(fault?.position).toBe(22 + (text.startsWith('DAYS') ? 11 : 0))
  })
})

describe('faults of an evaluation have a message and a position', () => {
  test.each([
    ['1 + 2 / (1 - 1)', 'division by zero', 6],
    ['1 + "a"', '+ does not fit a number and a text', 2],
    ['2 * -"a"', '- does not fit a text', 4],
    ['1 + YEAR(5)', 'YEAR does not fit a number', 4],
    ['IF(1 / 0 > 1;1;2)', 'division by zero', 5],
    ['1 + IF(5;1;2)', 'IF does not fit a number', 4],
    ['SWITCH(TODAY;SWITCH_CASE(1;2);3)', 'SWITCH does not fit a date', 0],
    ['TODAY', 'the result is a date, not a number', 0],
    ['CUSTOMER_METADATA("tags")', 'the result is a list, not a number', 0],
    ['1 = 1', 'the result is true or false, not a number', 0],
    ['1 + ORDER_ITEM_PRICE', 'ORDER_ITEM_PRICE has no value', 4],
    ['1 + CUSTOMER_METADATA("a b")', 'CUSTOMER_METADATA("a b") has no value', 4],
    ['1 + CUSTOMER_METADATA("address")', 'an object is no value', 4],
    ['1 + CUSTOMER_METADATA("huge")', 'the number is too long', 4],
    ['POW(10;999)', 'the number is too long', 0],
    ['POW(0;-0.5)', 'division by zero', 0],
    ['POW(-1;0.5)', 'a fractional power of a negative number', 0],
    ['ROUND(1;99)', 'digits must be a whole number from −20 to 20', 0],
  ])('%s: %s at %d', (text, fault, position) => {
    expect(calculate(text)).toEqual({ fault, position })
  })
})

test('a formula is compiled once and cached by text', () => {
  expect(compileFormula('1 + 41')).toBe(compileFormula('1 + 41'))
})

test('the cache of compiled formulas is bounded', () => {
  const first = compileFormula('2 + 40')
  for (let i = 0; i < 200; i += 1) compileFormula(`"${'x'.repeat(4_000)}${i}"`)
  expect(compileFormula('2 + 40')).not.toBe(first)
  expect(calculate('2 + 40')).toEqual(Ratio.of(42, 1))
})
