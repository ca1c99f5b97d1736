import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultLogic, isRuleKey, type Logic, parseLogic } from './logic.ts'

/** The tree as text: `any(1, all(2, 3))`. */
const logicText = (logic: Logic): string =>
  'key' in logic
    ? logic.key
    : 'all' in logic
      ? `all(${logic.all.map(logicText).join(', ')})`
      : `any(${logic.any.map(logicText).join(', ')})`

function parsed(text: string): string {
  const logic = parseLogic(text)
  return logic === null ? 'nothing' : 'fault' in logic ? `${logic.fault} at ${logic.position}` : logicText(logic)
}

test.each<[text: string, expected: string]>([
  ['1', '1'],
  ['1 or 2 and (3 or 4)', 'any(1, all(2, any(3, 4)))'],
  ['1 and 2 or 3 and 4', 'any(all(1, 2), all(3, 4))'],
  ['  ( 1\tAND\n2 )OR(vip.gold)', 'any(all(1, 2), vip.gold)'],
  ['((1))', '1'],
  ['1 and 2 and 3', 'all(1, 2, 3)'],
  ['', 'nothing'],
  [' \n', 'nothing'],
  ['1 2', "expects 'and' or 'or' at 2"],
  ['1 and', 'expects a rule or a parenthesis at 5'],
  ['or 1', 'expects a rule or a parenthesis at 0'],
  ['1 and or 2', 'expects a rule or a parenthesis at 6'],
  ['(1 or 2', 'expects a closing parenthesis at 7'],
  ['1)', "expects 'and' or 'or' at 1"],
  ['()', 'expects a rule or a parenthesis at 1'],
  ['not 1', "expects 'and' or 'or' at 4"],
  ['('.repeat(51) + 1 + ')'.repeat(51), 'has more than 50 parentheses in each other at 50'],
  ['('.repeat(50) + 1 + ')'.repeat(50), '1'],
  ['1'.repeat(5_001), 'is longer than 5000 characters at 0'],
])('%j: %s', (text, expected) => {
  expect(parsed(text)).toBe(expected)
})

describe('any text', () => {
  test('is parsed, or refused with a position inside it', () => {
    const words = fc.array(fc.constantFrom('1', '2', 'a', 'and', 'or', 'OR', '(', ')', ' ', '\n'), { maxLength: 200 })
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          words.map((words) => words.join(' ')),
          words.map((words) => words.join('')),
        ),
        (text) => {
          const logic = parseLogic(text)
          if (logic === null) expect(text.trim()).toBe('')
          else if ('fault' in logic) {
            expect(logic.position).toBeGreaterThanOrEqual(0)
            expect(logic.position).toBeLessThanOrEqual(text.length)
          } else expect(logicText(logic)).not.toBe('')
        },
      ),
      { numRuns: 1_000 },
    )
  })

  test('printed from a tree parses back to the tree', () => {
    const { expression } = fc.letrec<{ expression: Logic; joined: Logic }>((tie) => ({
      expression: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('1', '2', 'x').map((key) => ({ key })),
        tie('joined'),
      ),
      joined: fc
        .tuple(fc.boolean(), fc.array(tie('expression'), { minLength: 2, maxLength: 3 }))
        .map(([isAll, parts]): Logic => (isAll ? { all: parts } : { any: parts })),
    }))
    const written = (logic: Logic): string =>
      'key' in logic
        ? logic.key
        : 'all' in logic
          ? `(${logic.all.map(written).join(' and ')})`
          : `(${logic.any.map(written).join(' or ')})`
    fc.assert(
      fc.property(expression, (logic) => {
        expect(parsed(written(logic))).toBe(logicText(logic))
      }),
    )
  })
})

test('E2: without logic all rules are required, numeric keys first in ascending order', () => {
  const rule = { name: 'order.amount' }
  expect(defaultLogic({ '2': rule, '1': rule })).toBe('1 and 2')
  expect(defaultLogic({ b: rule, '10': rule, a: rule, '9': rule, logic: ' ' })).toBe('9 and 10 and a and b')
  expect(defaultLogic({ '1': rule })).toBe('1')
  expect(defaultLogic({})).toBe('')
  expect(defaultLogic(null)).toBe('')
})

test.each<[key: string, is_key: boolean]>([
  ['1', true],
  ['vip.gold', true],
  ['__proto__', true],
  ['', false],
  ['a b', false],
  ['(a', false],
  ['And', false],
  ['or', false],
])('the key %j: %s', (key, isKey) => {
  expect(isRuleKey(key)).toBe(isKey)
})
