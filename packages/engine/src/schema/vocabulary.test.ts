import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { evaluate } from '../evaluate.ts'
import { examples } from '../testing/examples.ts'
import { amountOff, percentOff, unitsOff } from '../testing/shop.ts'
import { Discount, Facts, Verdict } from './index.ts'

const faults = (schema: TSchema, value: unknown): string[] =>
  [...Value.Errors(schema, value)].map(({ instancePath, message }) => `${instancePath} ${message}`)

describe('facts and verdicts match their schemas', () => {
  test.each(examples)('example $number: $about', ({ facts }) => {
    expect(faults(Facts, facts)).toEqual([])
    expect(faults(Verdict, evaluate(facts))).toEqual([])
    expect(faults(Verdict, evaluate(facts, { explain: true }))).toEqual([])
  })
})

describe('the schema rejects invalid discounts', () => {
  test.each<[why: string, discount: unknown]>([
    ['an unknown type', { type: 'FREE' }],
    ['an effect of another discount type', { ...percentOff(5), effect: 'APPLY_TO_ITEMS_BY_QUANTITY' }],
    ['more than 100 percent', percentOff(100.5)],
    ['a negative amount', amountOff(-1)],
    ['half a unit', unitsOff(0.5, 'mug')],
    ['units without a unit_type', { type: 'UNIT', units: [{ unit_off: 1 }] }],
  ])('%s', (_, discount) => {
    expect(Value.Check(Discount, discount)).toBe(false)
  })

  test('null is the same as absent', () => {
    expect(
      Value.Check(Discount, { ...percentOff(5), amount_limit: null, effect: null, percent_off_formula: null }),
    ).toBe(true)
  })
})
