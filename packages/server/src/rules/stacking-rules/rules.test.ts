import { defaultStackingRules } from '@guerdon/engine'
import { expect, test } from 'vitest'
import { mergeRules, referencesCategory, whyNotConsistent, withoutCategory } from './rules.ts'
import type { StackingRulesBody } from './schema.ts'

const rules = (body: StackingRulesBody) => mergeRules(defaultStackingRules, body)

test('omitted fields keep their value; a sent list or map replaces the old one; null is a value', () => {
  const before = rules({
    exclusive_categories: ['cat_a', 'cat_b'],
    applicable_redeemables_category_limits: { cat_a: 1, cat_b: 2 },
    redeemables_limit: 10,
  })
  const after = mergeRules(before, {
    exclusive_categories: ['cat_c'],
    applicable_redeemables_category_limits: { cat_c: 3 },
    applicable_redeemables_per_category_limit: null,
  })
  expect(after).toEqual({
    ...before,
    exclusive_categories: ['cat_c'],
    applicable_redeemables_category_limits: { cat_c: 3 },
    applicable_redeemables_per_category_limit: null,
  })
})

test('merging keeps exactly the nineteen fields, whatever else a body or a row contains', () => {
  expect(Object.keys(defaultStackingRules)).toHaveLength(19)
  expect(mergeRules(defaultStackingRules, { id: 'stk_mine', color: 'red' } as StackingRulesBody)).toEqual(
    defaultStackingRules,
  )
})

test('the defaults are consistent', () => {
  expect(whyNotConsistent(defaultStackingRules)).toBeNull()
})

const contradictions: Array<[body: StackingRulesBody, reason: string | null]> = [
  [{ redeemables_limit: 10, applicable_redeemables_limit: 10 }, null],
  [{ redeemables_limit: 10, applicable_redeemables_limit: 11 }, 'Property .applicable_redeemables_limit must be <= 10'],
  [{ redeemables_limit: 4 }, 'Property .applicable_redeemables_limit must be <= 4'], // the default is 5
  [{ applicable_redeemables_per_category_limit: 5 }, null],
  [
    { applicable_redeemables_per_category_limit: 6 },
    'Property .applicable_redeemables_per_category_limit must be <= 5',
  ],
  [{ applicable_redeemables_per_category_limit: null }, null],
  [
    { applicable_exclusive_redeemables_per_category_limit: 2 },
    'Property .applicable_exclusive_redeemables_per_category_limit must be <= 1',
  ],
  [{ applicable_exclusive_redeemables_limit: 2, applicable_exclusive_redeemables_per_category_limit: 2 }, null],
  [{ applicable_exclusive_redeemables_per_category_limit: null }, null],
  [{ applicable_redeemables_category_limits: { cat_a: 10 } }, null], // independent of the other limits
  [{ exclusive_categories: ['a'], joint_categories: ['b'] }, null],
  [
    { exclusive_categories: ['a', 'b'], joint_categories: ['c', 'b'] },
    'Category b must not be in both .exclusive_categories and .joint_categories',
  ],
  [
    { initial_amount_mode_categories: ['a'], discounted_amount_mode_categories: ['a'] },
    'Category a must not be in both .initial_amount_mode_categories and .discounted_amount_mode_categories',
  ],
  [
    { no_effect_skip_categories: ['a'], no_effect_redeem_anyway_categories: ['a'] },
    'Category a must not be in both .no_effect_skip_categories and .no_effect_redeem_anyway_categories',
  ],
  [{ exclusive_categories: ['a'], no_effect_skip_categories: ['a'], initial_amount_mode_categories: ['a'] }, null],
]
test.each(contradictions)('%j: %s', (body, reason) => {
  expect(whyNotConsistent(rules(body))).toBe(reason)
})

const places: StackingRulesBody[] = [
  { exclusive_categories: ['cat_a'] },
  { joint_categories: ['cat_b', 'cat_a'] },
  { initial_amount_mode_categories: ['cat_a'] },
  { discounted_amount_mode_categories: ['cat_a'] },
  { no_effect_skip_categories: ['cat_a'] },
  { no_effect_redeem_anyway_categories: ['cat_a'] },
  { applicable_redeemables_category_limits: { cat_a: 1 } },
]
test.each(places)('a category in %j is found, and not after its removal', (body) => {
  expect(referencesCategory(rules(body), 'cat_a')).toBe(true)
  expect(referencesCategory(rules(body), 'cat_x')).toBe(false)
  expect(referencesCategory(withoutCategory(rules(body), 'cat_a'), 'cat_a')).toBe(false)
})

test('removing a category keeps the others in order, and does not modify the given rules', () => {
  const before = rules({
    exclusive_categories: ['cat_b', 'cat_a', 'cat_c', 'cat_a'],
    applicable_redeemables_category_limits: { cat_a: 1, cat_b: 2 },
  })
  const copy = structuredClone(before)
  expect(withoutCategory(before, 'cat_a')).toEqual({
    ...before,
    exclusive_categories: ['cat_b', 'cat_c'],
    applicable_redeemables_category_limits: { cat_b: 2 },
  })
  expect(before).toEqual(copy)
})
