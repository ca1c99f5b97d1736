import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { evaluate } from '../evaluate.ts'
import { examples } from '../testing/examples.ts'
import { amountOff, percentOff, unitsOff } from '../testing/shop.ts'
import { Discount, Facts, Verdict } from './index.ts'

const faults = (schema: TSchema, value: unknown): string[] =>
  [...Value.Errors(schema, value)].map(({ instancePath, message }) => `${instancePath} ${message}`)

describe('what goes in and what comes out is what the vocabulary says', () => {
  test.each(examples)('example $number: $about', ({ facts }) => {
    expect(faults(Facts, facts)).toEqual([])
    expect(faults(Verdict, evaluate(facts))).toEqual([])
    expect(faults(Verdict, evaluate(facts, { explain: true }))).toEqual([])
  })
})

describe('discounts that the contract does not know', () => {
  test.each<[why: string, discount: unknown]>([
    ['another type', { type: 'FREE' }],
    ['an effect of another type', { ...percentOff(5), effect: 'APPLY_TO_ITEMS_BY_QUANTITY' }],
    ['more than everything', percentOff(100.5)],
    ['less than nothing', amountOff(-1)],
    ['half a unit', unitsOff(0.5, 'mug')],
    ['units of nothing', { type: 'UNIT', units: [{ unit_off: 1 }] }],
  ])('%s', (_, discount) => {
    expect(Value.Check(Discount, discount)).toBe(false)
  })

  test('null is the same as absent', () => {
    expect(
      Value.Check(Discount, { ...percentOff(5), amount_limit: null, effect: null, percent_off_formula: null }),
    ).toBe(true)
  })
})
