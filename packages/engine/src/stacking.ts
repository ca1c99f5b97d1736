import type { ReasonKey } from './reasons.ts'
import type { Redeemable, StackingRules } from './schema/index.ts'
import { ownEntry } from './values.ts'

/** A redeemable of the request, and where its category puts it. */
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
 * The order of application (docs/reference/stacking.md#order-of-application, step 4): as requested, or by the hierarchy of
 * categories, none last.
 */
export function arrange(candidates: readonly Candidate[], rules: StackingRules, isExclusive: boolean): Candidate[] {
  const sorted = [...candidates]
  if (rules.redeemables_sorting_rule === 'CATEGORY_HIERARCHY') {
    sorted.sort((a, b) => rankOf(a.redeemable) - rankOf(b.redeemable)) // stable: equal ranks stay as requested
  }
  if (!isExclusive || rules.grouped_redeemables_sorting_rule !== 'JOINT_ALWAYS_LAST') return sorted
  return [...sorted.filter(({ group }) => group !== 'joint'), ...sorted.filter(({ group }) => group === 'joint')]
}

const rankOf = (redeemable: Redeemable): number =>
  redeemable.kind === 'unknown' ? last : (redeemable.category?.hierarchy ?? last)
const last = Number.MAX_SAFE_INTEGER

/** How many may still be applied: in all, of each category, of the exclusive ones. */
export interface StackingCapacity {
  /** Which limit leaves no room for a candidate, with its numbers, or null. */
  whyNot(candidate: Candidate): { key: ReasonKey; used: number; allowed: number } | null
  take(candidate: Candidate): void
}

export function newStackingCapacity(rules: StackingRules): StackingCapacity {
  const counts = { all: 0, exclusive: 0, by_category: new Map<string, number>() }
  const ofCategory = (category: string | null): number =>
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
            ofCategory(category),
            rules.applicable_exclusive_redeemables_per_category_limit,
          ],
        )
      }
      checks.push(['applicable_redeemables_limit_exceeded', counts.all, rules.applicable_redeemables_limit])
      if (category !== null) {
        checks.push([
          'applicable_redeemables_per_category_limit_exceeded',
          ofCategory(category),
          ownEntry(rules.applicable_redeemables_category_limits, category) ??
            rules.applicable_redeemables_per_category_limit,
        ])
      }
      const full = checks.find(([, used, allowed]) => allowed !== null && used >= allowed)
      return full === undefined ? null : { key: full[0], used: full[1], allowed: full[2] as number }
    },
    take({ redeemable, group }) {
      const category = categoryOf(redeemable)
      counts.all += 1
      if (group === 'exclusive') counts.exclusive += 1
      if (category !== null) counts.by_category.set(category, ofCategory(category) + 1)
    },
  }
}

/**
 * Whether percentages are taken of the order as it came in or of what is left of it
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

/** Whether a redeemable that does nothing is skipped (docs/reference/discounts.md#no-effect). */
export function skipsWithoutEffect(redeemable: Redeemable, rules: StackingRules): boolean {
  const category = categoryOf(redeemable)
  if (category !== null && rules.no_effect_skip_categories.includes(category)) return true
  if (category !== null && rules.no_effect_redeem_anyway_categories.includes(category)) return false
  return rules.redeemables_no_effect_rule === 'SKIP'
}
