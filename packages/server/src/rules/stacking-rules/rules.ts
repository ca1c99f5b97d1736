import { defaultStackingRules } from '@guerdon/engine'
import type { StackingRules } from '@guerdon/engine/schema'
import type { StackingRulesBody } from './schema.ts'

/** The rules after an update: fields that were sent replace the old ones; lists and the map are replaced as a whole. */
export function mergeRules(rules: StackingRules, body: StackingRulesBody): StackingRules {
  const names = Object.keys(defaultStackingRules) as Array<keyof StackingRules>
  return Object.fromEntries(
    names.map((name) => [name, body[name] === undefined ? rules[name] : body[name]]),
  ) as unknown as StackingRules
}

/** The reason why a set of rules contradicts itself, worded as a body error, or null. */
export function whyNotConsistent(rules: StackingRules): string | null {
  for (const [smaller, larger] of orderedLimits) {
    const [value, bound] = [rules[smaller], rules[larger]]
    if (value !== null && bound !== null && value > bound) return `Property .${smaller} must be <= ${bound}`
  }
  for (const [first, second] of disjointLists) {
    const shared = rules[first].find((id) => rules[second].includes(id))
    if (shared !== undefined) return `Category ${shared} must not be in both .${first} and .${second}`
  }
  return null
}

const orderedLimits = [
  ['applicable_redeemables_limit', 'redeemables_limit'],
  ['applicable_redeemables_per_category_limit', 'applicable_redeemables_limit'],
  ['applicable_exclusive_redeemables_per_category_limit', 'applicable_exclusive_redeemables_limit'],
] as const

const disjointLists = [
  ['exclusive_categories', 'joint_categories'],
  ['initial_amount_mode_categories', 'discounted_amount_mode_categories'],
  ['no_effect_skip_categories', 'no_effect_redeem_anyway_categories'],
] as const

/** Every list of category ids in the rules. */
const categoryLists = disjointLists.flat()

export function referencesCategory(rules: StackingRules, categoryId: string): boolean {
  const isLimited = Object.hasOwn(rules.applicable_redeemables_category_limits, categoryId)
  return isLimited || categoryLists.some((name) => rules[name].includes(categoryId))
}

/** The rules without a category that is about to be deleted. */
export function withoutCategory(rules: StackingRules, categoryId: string): StackingRules {
  const { [categoryId]: _, ...applicableRedeemablesCategoryLimits } = rules.applicable_redeemables_category_limits
  const lists = Object.fromEntries(categoryLists.map((name) => [name, rules[name].filter((id) => id !== categoryId)]))
  return mergeRules(rules, { ...lists, applicable_redeemables_category_limits: applicableRedeemablesCategoryLimits })
}
