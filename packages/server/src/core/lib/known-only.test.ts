import { Discount, PointsExpirationRules, TierExpiration } from '@guerdon/engine/schema'
import { expect, test } from 'vitest'
import { knownOnly } from './known-only.ts'

test('a discount keeps only the properties of its type that are not null', () => {
  const sent = { type: 'PERCENT', percent_off: 10, amount_off: 5, effect: null, colour: 'red' }
  expect(knownOnly(Discount, sent)).toEqual({ type: 'PERCENT', percent_off: 10 })
})

test('the same applies inside lists and nullable objects', () => {
  const unit = { unit_type: 'prod_1', unit_off: 1, effect: 'ADD_NEW_ITEMS' }
  const sent = { type: 'UNIT', effect: 'ADD_MANY_ITEMS', units: [{ ...unit, colour: 'red', product: null }] }
  expect(knownOnly(Discount, sent)).toEqual({ type: 'UNIT', effect: 'ADD_MANY_ITEMS', units: [unit] })
})

test('a variant is selected by its tag, also if the tag is one of several words', () => {
  const rules = { period_type: 'FIXED_DAY_OF_YEAR', fixed_month: 1, fixed_day: 2, period_value: 3 }
  expect(knownOnly(PointsExpirationRules, rules)).toEqual({
    period_type: 'FIXED_DAY_OF_YEAR',
    fixed_month: 1,
    fixed_day: 2,
  })
  const expirationDate = { type: 'CUSTOM', extend: 'P1Y', rounding: { type: 'MONTH', strategy: 'END', value: 3 } }
  expect(
    knownOnly(TierExpiration, { qualification_type: 'BALANCE', expiration_date: expirationDate, more: 1 }),
  ).toEqual({
    qualification_type: 'BALANCE',
    expiration_date: { ...expirationDate, rounding: { type: 'MONTH', strategy: 'END' } },
  })
})
