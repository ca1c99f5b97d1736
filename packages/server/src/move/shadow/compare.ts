import type { Money, Outcome } from './outcome.ts'

/** Why two answers differ; the first that applies. */
export const causes = {
  failed_here: 'no verdict here',
  failed_there: 'no verdict there',
  missing_here: 'redeemable missing here',
  missing_there: 'redeemable missing there',
  refused_here: 'valid there, refused here',
  refused_there: 'refused there, valid here',
  other_reason: 'refused on both sides, for another reason',
  other_redeemables: 'other redeemables applied',
  other_stacking_order: 'other order of stacking',
  other_amount: 'other amount before discounts',
  rounding: 'discount differs by a cent',
  other_discount: 'other discount',
  other_total: 'other total',
  other_lines: 'same total, other split over the lines',
} as const

export type Cause = keyof typeof causes

export interface Difference {
  cause: Cause
  /** Differences of one cause with the same detail are counted together. */
  detail: string
}

/** What is different, or null. The arguments: the answer of the present service, and ours. */
export function differenceOf(there: Outcome, here: Outcome): Difference | null {
  if (here.kind === 'failed') {
    if (there.kind === 'failed' && there.status === here.status && there.key === here.key) return null
    return { cause: 'failed_here', detail: `${here.status} ${here.key}`.trim() }
  }
  if (there.kind === 'failed') return { cause: 'failed_there', detail: `${there.status} ${there.key}`.trim() }
  if (there.kind === 'refused' && here.kind === 'refused') return differenceOfRefusals(there.key, here.key)
  if (here.kind === 'refused') {
    const cause = isMissing(here.key) ? 'missing_here' : 'refused_here'
    return { cause, detail: here.key }
  }
  if (there.kind === 'refused') {
    const cause = isMissing(there.key) ? 'missing_there' : 'refused_there'
    return { cause, detail: there.key }
  }
  return differenceOfSelection(there.applied, here.applied) ?? differenceOfMoney(there.money, here.money)
}

/** `not_found`, `voucher_not_found`, `promotion_tier_not_found` … */
const isMissing = (key: string): boolean => key.endsWith('not_found')

function differenceOfRefusals(there: string, here: string): Difference | null {
  if (there === here || (isMissing(there) && isMissing(here))) return null
  if (isMissing(here)) return { cause: 'missing_here', detail: `there: ${there}` }
  if (isMissing(there)) return { cause: 'missing_there', detail: `here: ${here}` }
  return { cause: 'other_reason', detail: `there: ${there}, here: ${here}` }
}

function differenceOfSelection(there: readonly string[], here: readonly string[]): Difference | null {
  if (there.length === here.length && there.every((id, place) => id === here[place])) return null
  const isSame = there.toSorted().join('\n') === here.toSorted().join('\n')
  if (isSame) return { cause: 'other_stacking_order', detail: `${there.length} redeemables` }
  return { cause: 'other_redeemables', detail: `there: ${there.length}, here: ${here.length}` }
}

function differenceOfMoney(there: Money, here: Money): Difference | null {
  const isOther = (name: 'amount' | 'discount' | 'total') =>
    there[name] !== null && here[name] !== null && there[name] !== here[name]
  if (isOther('amount')) return { cause: 'other_amount', detail: '' }
  if (isOther('discount')) {
    const isCent = Math.abs((there.discount as number) - (here.discount as number)) === 1
    return { cause: isCent ? 'rounding' : 'other_discount', detail: '' }
  }
  if (isOther('total')) return { cause: 'other_total', detail: '' }
  const areComparable = there.lines.length === here.lines.length
  if (areComparable && there.lines.some((discount, place) => discount !== here.lines[place]))
    return { cause: 'other_lines', detail: '' }
  return null
}
