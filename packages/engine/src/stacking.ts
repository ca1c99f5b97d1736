import type { ReasonKey } from './reasons.ts'
import type { Redeemable, StackingRules } from './schema/index.ts'
import { ownEntry } from './values.ts'

/** The defaults of a project without stacking rules (docs/reference/stacking.md#stacking-rules). */
export const defaultStackingRules: StackingRules = {
  exclusive_categories: [],
  joint_categories: [],
  redeemables_limit: 30,
  applicable_redeemables_limit: 5,
  applicable_redeemables_per_category_limit: 1,
  applicable_redeemables_category_limits: {},
  applicable_exclusive_redeemables_limit: 1,
  applicable_exclusive_redeemables_per_category_limit: 1,
  discount_calculation_mode: 'DISCOUNTED_AMOUNT',
  initial_amount_mode_categories: [],
  discounted_amount_mode_categories: [],
  redeemables_application_mode: 'ALL',
  redeemables_sorting_rule: 'REQUESTED_ORDER',
  redeemables_products_application_mode: 'STACK',
  redeemables_no_effect_rule: 'REDEEM_ANYWAY',
  no_effect_skip_categories: [],
  no_effect_redeem_anyway_categories: [],
  redeemables_rollback_order_mode: 'WITH_ORDER',
  grouped_redeemables_sorting_rule: 'JOINT_ALWAYS_LAST',
}

/** A redeemable of the request, and the stacking group of its category. */
export interface Candidate {
  readonly redeemable: Redeemable
  readonly group: 'exclusive' | 'joint' | 'common'
}

const categoryOf = (redeemable: Redeemable): string | null =>
  redeemable.kind === 'unknown' ? null : (redeemable.category?.id ?? null)

export function classify(redeemable: Redeemable, rules: StackingRules): Candidate {
  const category = categoryOf(redeemable)
  if (category !== null && rules.exclusive_categories.includes(category)) return { redeemable, group: 'exclusive' }
  if (category !== null && rules.joint_categories.includes(category)) return { redeemable, group: 'joint' }
  return { redeemable, group: 'common' }
}

/**
 * Sorts the redeemables for application (docs/reference/stacking.md#order-of-application, step 4): as requested, or by
 * category hierarchy, those without a category last.
 */
export function arrange(candidates: readonly Candidate[], rules: StackingRules, isExclusive: boolean): Candidate[] {
  const sorted = [...candidates]
  if (rules.redeemables_sorting_rule === 'CATEGORY_HIERARCHY') {
    sorted.sort((a, b) => rankOf(a.redeemable) - rankOf(b.redeemable)) // stable sort: equal ranks stay as requested
  }
  if (!isExclusive || rules.grouped_redeemables_sorting_rule !== 'JOINT_ALWAYS_LAST') return sorted
  return [...sorted.filter(({ group }) => group !== 'joint'), ...sorted.filter(({ group }) => group === 'joint')]
}

const rankOf = (redeemable: Redeemable): number =>
  redeemable.kind === 'unknown' ? lastRank : (redeemable.category?.hierarchy ?? lastRank)
const lastRank = Number.MAX_SAFE_INTEGER

/** How many redeemables may still be applied: in total, per category, and of the exclusive categories. */
export interface StackingCapacity {
  /** The limit that leaves no capacity for a candidate, with its numbers, or null. */
  whyNot(candidate: Candidate): { key: ReasonKey; used: number; allowed: number } | null
  take(candidate: Candidate): void
}

export function newStackingCapacity(rules: StackingRules): StackingCapacity {
  const counts = { all: 0, exclusive: 0, by_category: new Map<string, number>() }
  const countOfCategory = (category: string | null): number =>
    category === null ? 0 : (counts.by_category.get(category) ?? 0)
  return {
    whyNot({ redeemable, group }) {
      const category = categoryOf(redeemable)
      const checks: Array<[key: ReasonKey, used: number, allowed: number | null]> = []
      if (group === 'exclusive') {
        checks.push(
          [
            'applicable_exclusive_redeemables_limit_exceeded',
            counts.exclusive,
            rules.applicable_exclusive_redeemables_limit,
          ],
          [
            'applicable_exclusive_redeemables_per_category_limit_exceeded',
            countOfCategory(category),
            rules.applicable_exclusive_redeemables_per_category_limit,
          ],
        )
      }
      checks.push(['applicable_redeemables_limit_exceeded', counts.all, rules.applicable_redeemables_limit])
      if (category !== null) {
        checks.push([
          'applicable_redeemables_per_category_limit_exceeded',
          countOfCategory(category),
          ownEntry(rules.applicable_redeemables_category_limits, category) ??
            rules.applicable_redeemables_per_category_limit,
        ])
      }
      const exceededLimit = checks.find(([, used, allowed]) => allowed !== null && used >= allowed)
      return exceededLimit === undefined
        ? null
        : { key: exceededLimit[0], used: exceededLimit[1], allowed: exceededLimit[2] as number }
    },
    take({ redeemable, group }) {
      const category = categoryOf(redeemable)
      counts.all += 1
      if (group === 'exclusive') counts.exclusive += 1
      if (category !== null) counts.by_category.set(category, countOfCategory(category) + 1)
    },
  }
}

/**
 * Whether percentages apply to the initial amount of the order or to its discounted amount
 * (docs/reference/discounts.md#calculation-modes).
 */
export function calculationMode(
  redeemable: Redeemable,
  rules: StackingRules,
): StackingRules['discount_calculation_mode'] {
  const category = categoryOf(redeemable)
  if (category !== null && rules.initial_amount_mode_categories.includes(category)) return 'INITIAL_AMOUNT'
  if (category !== null && rules.discounted_amount_mode_categories.includes(category)) return 'DISCOUNTED_AMOUNT'
  return rules.discount_calculation_mode
}

/** Whether a redeemable without effect is skipped (docs/reference/discounts.md#no-effect). */
export function skipsWithoutEffect(redeemable: Redeemable, rules: StackingRules): boolean {
  const category = categoryOf(redeemable)
  if (category !== null && rules.no_effect_skip_categories.includes(category)) return true
  if (category !== null && rules.no_effect_redeem_anyway_categories.includes(category)) return false
  return rules.redeemables_no_effect_rule === 'SKIP'
}
