import { expect, test } from 'vitest'
import { compileFormula, formulaLengthMax, isFault } from './index.ts'
import { formulaDepthMax, formulaValuesMax } from './limits.ts'

test.each([
  ['', 'the formula ends too early', 0],
  ['   ', 'the formula ends too early', 0],
  ['1 +', 'the formula ends too early', 3],
  ['1 + ', 'the formula ends too early', 3],
  ['1 2', '"2" is not expected here', 2],
  ['1 "a"', 'a text is not expected here', 2],
  ['* 2', '"*" is not expected here', 0],
  ['--2', '"-" is not expected here', 1],
  ['1 + + 2', '"+" is not expected here', 4],
  ['1 < 2 < 3', '"<" is not expected here', 6],
  ['1 = 2 is 3', '"is" is not expected here', 6],
  ['(1 + 2', '")" is missing', 6],
  ['1 + 2)', '")" is not expected here', 5],
  ['()', '")" is not expected here', 1],
  ['MIN()', '")" is not expected here', 4],
  ['MIN 1', '"(" is missing', 4],
  ['MIN', '"(" is missing', 3],
  ['MIN(1,2)', '"," has no meaning', 5],
  ['MIN(1;2', '")" is missing', 7],
  ['MIN(1;)', '")" is not expected here', 6],
  ['1 + POW(2)', 'POW takes 2 arguments, not 1', 4],
  ['POW(2;3;4)', 'POW takes 2 arguments, not 3', 0],
  ['ROUND(1;2;3)', 'ROUND takes 1 to 2 arguments, not 3', 0],
  ['IF(1 > 2;3)', 'IF takes 3 arguments, not 2', 0],
  ['TODAY(1)', '"(" is not expected here', 5],
  ['YEAR(TODAY;TODAY)', 'YEAR takes 1 argument, not 2', 0],
  ['SWITCH(1;2)', 'SWITCH_CASE is missing', 9],
  ['SWITCH(1;SWITCH_CASE(1;2))', '";" is missing', 25],
  ['SWITCH(1;SWITCH_CASE(1;2);)', '")" is not expected here', 26],
  ['SWITCH(1;SWITCH_CASE(1);2)', 'SWITCH_CASE takes 2 arguments, not 1', 9],
  ['SWITCH(1;SWITCH_CASE(1;2);3;4)', '")" is missing', 27],
  ['SWITCH(1;SWITCH_CASE(1;2);SWITCH_CASE(2;3);4)', '"SWITCH_CASE" is not known', 26],
  ['SWITCH_CASE(1;2)', '"SWITCH_CASE" is not known', 0],
  ['1 + TOTAL', '"TOTAL" is not known', 4],
  ['order_amount', `"order_amount" is not known. Did you mean 'ORDER_AMOUNT'?`, 0],
  ['ORDER_UNIT_QUANTITY', `"ORDER_UNIT_QUANTITY" is not known. Did you mean 'ORDER_UNITS_QUANTITY'?`, 0],
  ['ORDER_METADATE("a")', `"ORDER_METADATE" is not known. Did you mean 'ORDER_METADATA'?`, 0],
  ['min(1;2)', `"min" is not known. Did you mean 'MIN'?`, 0],
  ['Order', '"Order" is not known', 0],
  ['constructor', '"constructor" is not known', 0],
  ['toString(1)', '"toString" is not known', 0],
  ['1 valueOf 2', '"valueOf" is not expected here', 2],
  ['1 and 2', '"and" is not expected here', 2],
  ['1 Is 2', '"Is" is not expected here', 2],
  ['x', '"x" is not expected here', 0],
  ['AND', '"AND" is not known', 0],
  ['is', '"is" is not known', 0],
  ['ORDER_METADATA', '"(" is missing', 14],
  ['ORDER_METADATA()', 'a key in quotes is missing', 15],
  ['ORDER_METADATA(5)', 'a key in quotes is missing', 15],
  ['ORDER_METADATA("a";"b")', '")" is missing', 18],
  ['ORDER_METADATA("a" + "b")', '")" is missing', 19],
  ['1 + "abc', 'a text is not closed', 4],
  ['"abc\\"', 'a text is not closed', 0],
  ["'abc'", `"'" has no meaning`, 0],
  ['1 + 💶', '"💶" has no meaning', 4],
  ['.5', '"." has no meaning', 0],
  ['5.', '"." has no meaning', 1],
  ['1 ! 2', '"!" has no meaning', 2],
  ['1 && 2', '"&" has no meaning', 2],
  ['DATE(TODAY;TODAY)', 'DATE takes 1 argument, not 2', 0],
  ['DATE_TIME(NOW;NOW)', 'DATE_TIME takes 1 argument, not 2', 0],
  ['DATE("2025-02-30")', 'this is no date', 5],
  ['1 + DAYS_SINCE( DATE ( "soon" ) )', 'this is no date', 23],
  ['DATE_TIME("2025-01-01T25:00Z")', 'this is no date', 10],
  [`1 + ${'9'.repeat(161)}`, 'the number is too long', 4],
  [`1 + 0.${'1'.repeat(156)}`, 'the number is too long', 4],
])('%s: %s at %d', (text, fault, position) => {
  expect(compileFormula(text)).toEqual({ fault, position })
})

test.each([
  'DATE("2025-02-28")',
  'DATE_TIME("2025-02-28T10:00:00+01:00")',
  'DATE(ORDER_METADATA("pickup"))',
  'IF ( 1 > 2 ; 3 ; 4 )',
  'SWITCH ( 1 ; SWITCH_CASE ( 1 ; 2 )\n\tSWITCH_CASE(2;3) ; 4 )',
  'ORDER_METADATA ( "a" )',
  '"AND" is "is"',
  '"\\\\" is "\\""',
])('%s is a formula', (text) => {
  expect(isFault(compileFormula(text))).toBe(false)
})

test('length, depth and number of values are limited', () => {
  const sum = (values: number) => Array(values).fill('1').join('+')
  const nested = (depth: number) => '('.repeat(depth) + 1 + ')'.repeat(depth)
  expect(isFault(compileFormula('1'.padEnd(formulaLengthMax)))).toBe(false)
  expect(compileFormula('1'.padEnd(formulaLengthMax + 1))).toEqual({
    fault: 'longer than 5000 characters',
    position: 5_000,
  })
  expect(isFault(compileFormula(sum(formulaValuesMax)))).toBe(false)
  expect(compileFormula(sum(formulaValuesMax + 1))).toEqual({ fault: 'too many values', position: 1_000 })
  expect(isFault(compileFormula(nested(formulaDepthMax - 1)))).toBe(false)
  expect(compileFormula(nested(formulaDepthMax))).toEqual({ fault: 'nested too deeply', position: 50 })
  // Depth decreases at a closing parenthesis: many parentheses side by side are accepted, and do not allow deeper nesting.
  expect(isFault(compileFormula(Array(60).fill('(1)').join('+')))).toBe(false)
  expect(compileFormula('((1)+'.repeat(60))).toMatchObject({ fault: 'nested too deeply' })
  expect(compileFormula('MIN('.repeat(1_250))).toEqual({ fault: 'nested too deeply', position: 200 })
})
