import { defaultStackingRules } from '@guerdon/engine'
import { expect, test } from 'vitest'
import { merged, namesCategory, whyNotConsistent, withoutCategory } from './rules.ts'
import type { StackingRulesBody } from './schema.ts'

const rules = (body: StackingRulesBody) => merged(defaultStackingRules, body)

test('what is not sent stays; what is sent replaces the whole list or map; null is a value', () => {
  const before = rules({
    exclusive_categories: ['cat_a', 'cat_b'],
    applicable_redeemables_category_limits: { cat_a: 1, cat_b: 2 },
    redeemables_limit: 10,
  })
  const after = merged(before, {
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

test('merging keeps to the nineteen fields, whatever else a body or a row holds', () => {
  expect(Object.keys(defaultStackingRules)).toHaveLength(19)
  expect(merged(defaultStackingRules, { id: 'stk_mine', color: 'red' } as StackingRulesBody)).toEqual(
    defaultStackingRules,
  )
})

test('the defaults do not contradict themselves', () => {
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
  [{ applicable_redeemables_category_limits: { cat_a: 10 } }, null], // a value of its own, bound to nothing else
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
test.each(places)('a category is found in %j, and afterwards no more', (body) => {
  expect(namesCategory(rules(body), 'cat_a')).toBe(true)
  expect(namesCategory(rules(body), 'cat_x')).toBe(false)
  expect(namesCategory(withoutCategory(rules(body), 'cat_a'), 'cat_a')).toBe(false)
})

test('taking a category out leaves the others and their order, and the given rules as they were', () => {
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
