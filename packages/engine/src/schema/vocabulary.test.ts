import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { evaluate } from '../evaluate.ts'
import { checkFilter } from '../filter/index.ts'
import { operators as filterOperators } from '../filter/operators.ts'
import { operators as ruleOperators } from '../rules/conditions.ts'
import { checkRules } from '../rules/index.ts'
import { knownNames } from '../rules/names.ts'
import { examples } from '../testing/examples.ts'
import { amountOff, percentOff, unitsOff } from '../testing/shop.ts'
import { Discount, Facts, FilterConditions, RuleConditions, ruleNames, Verdict } from './index.ts'

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

describe('the document shows the conditions that the compilers accept', () => {
  test('the names of rules', () => {
    expect([...ruleNames].sort()).toEqual([...knownNames].sort())
  })

  test('the operators of rules, and which of them take an argument without a list', () => {
    expect(Object.keys(RuleConditions.properties)).toEqual([...Object.keys(ruleOperators), '$from'])
    const texts: Readonly<Record<string, unknown>> = {
      $timeframe: '2026-01-01;P1D;PT2H',
      $timeframe_absolute: '2026-01-01;2026-02-01',
      $timeframe_daily_hours: '09:00;17:00;1,2',
      $after: '2026-01-01',
      $before: '2026-01-01',
    }
    for (const operator of Object.keys(ruleOperators))
      for (const argument of [texts[operator] ?? 5, [texts[operator] ?? 5], [], null, [null], { id: 'x' }]) {
        const conditions = { [operator]: argument }
        const isAccepted = checkRules({ '1': { name: 'order.metadata', property: 'p', conditions } }).length === 0
        expect([conditions, Value.Check(RuleConditions, conditions)]).toEqual([conditions, isAccepted])
      }
  })

  test('an unknown operator is none', () => {
    const conditions = { $like: ['a'] }
    expect(checkRules({ '1': { name: 'order.metadata', property: 'p', conditions } })).not.toEqual([])
    expect(checkFilter({ 'metadata.p': { conditions } })).not.toBeNull()
    expect(Value.Check(RuleConditions, conditions)).toBe(false)
    expect(Value.Check(FilterConditions, conditions)).toBe(false)
  })

  test('goods as arguments of rules', () => {
    const good = { id: 'pc_1', object: 'products_collection' }
    for (const operator of ['$is', '$is_not', '$in', '$not_in', '$from'])
      for (const argument of [[good], [{ source_id: 'mug' }], ['prod_1'], 'prod_1', [], good, [[good]]]) {
        const conditions = { [operator]: argument }
        const isAccepted = ['order.items.any', 'product.id'].some(
          (name) => checkRules({ '1': { name, conditions } }).length === 0,
        )
        expect([conditions, Value.Check(RuleConditions, conditions)]).toEqual([conditions, isAccepted])
      }
  })

  test('the operators of filters', () => {
    expect(Object.keys(FilterConditions.properties)).toEqual(Object.keys(filterOperators))
    for (const [operator, { takes }] of Object.entries(filterOperators)) {
      const one = takes === 'switch' ? true : takes === 'instant' ? '2026-01-01' : 5
      for (const argument of [
        one,
        [one],
        String(one),
        ...(takes === 'switch' || takes === 'nothing' ? [] : [[], null]),
      ]) {
        const conditions = { [operator]: argument }
        const isAccepted = checkFilter({ 'metadata.p': { conditions } }) === null
        expect([conditions, Value.Check(FilterConditions, conditions)]).toEqual([conditions, isAccepted])
      }
    }
  })
})
