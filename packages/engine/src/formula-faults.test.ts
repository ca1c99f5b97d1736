import { expect, test } from 'vitest'
import { formulaFaults } from './formula-faults.ts'
import { unitsOff } from './testing/shop.ts'

test('an invalid formula is reported with its field and position', () => {
  const broken = unitsOff(1, 'mug', {
    unit_off_formula: '1 +',
    units: [{ unit_type: 'tea' }, { unit_type: 'mug', unit_off_formula: ')' }],
  })
  expect(formulaFaults(broken)).toEqual([
    { field: 'unit_off_formula', fault: expect.any(String), position: 3 },
    { field: 'units[1].unit_off_formula', fault: expect.any(String), position: 0 },
  ])
})

test('valid formulas and fields without a formula are not reported', () => {
  expect(formulaFaults(unitsOff(1, 'mug', { unit_off_formula: 'ORDER_UNITS_QUANTITY / 4' }))).toEqual([])
  expect(formulaFaults({ object: 'product', id: 'a', price_formula: null, name_formula: 7 })).toEqual([])
})
