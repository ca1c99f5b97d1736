import { expect, test } from 'vitest'
import { Ratio } from '../money.ts'
import { formulaAmount, formulaPercent, formulaUnits } from './index.ts'

const outOfRange = { fault: 'the result is out of range', position: 0 }

test.each([
  ['17.92', 1_792],
  ['17.925', 1_793], // half up
  ['17.9249', 1_792],
  ['0', 0],
  ['-3', 0],
  ['-0.001', 0],
  ['90071992547409.91', 9_007_199_254_740_991],
  ['90071992547409.914', 9_007_199_254_740_991],
  ['90071992547409.915', outOfRange],
])('%s as an amount is %o', (result, amount) => {
  expect(formulaAmount(Ratio.fromDecimal(result))).toEqual(amount)
})

test.each([
  ['15', '15'],
  ['12.345', '12.345'],
  ['100', '100'],
  ['100.001', '100'],
  ['115', '100'],
  ['-0.5', '0'],
  ['0', '0'],
])('%s as a percentage is %s', (result, percent) => {
  expect(formulaPercent(Ratio.fromDecimal(result))).toEqual(Ratio.fromDecimal(percent))
})

test('a percentage stays exact', () => {
  expect(formulaPercent(Ratio.of(100, 3))).toEqual({ n: 100n, d: 3n })
})

test.each([
  ['2.25', 2],
  ['2.999', 2],
  ['3', 3],
  ['0.5', 0],
  ['-0.5', 0],
  ['-7', 0],
  ['9007199254740991.9', 9_007_199_254_740_991],
  ['9007199254740992', outOfRange],
])('%s as units is %o', (result, units) => {
  expect(formulaUnits(Ratio.fromDecimal(result))).toEqual(units)
})

test('faults pass through', () => {
  const fault = { fault: 'division by zero', position: 4 }
  expect([formulaAmount(fault), formulaPercent(fault), formulaUnits(fault)]).toEqual([fault, fault, fault])
})
