import type { Discount } from '@guerdon/engine/schema'
import type { Configuration } from '../../core/configuration/configuration.ts'
import type { CheckoutRequest } from './request.ts'

/** The tiers that a request refers to, directly or by their stack. */
export function tiersInRequest({ tiers, stacks }: Configuration, redeemables: CheckoutRequest['redeemables']) {
  const ids = redeemables.flatMap(({ object, id }) =>
    object === 'promotion_tier' ? [id] : object === 'promotion_stack' ? (stacks.get(id)?.tier_ids ?? []) : [],
  )
  return ids.flatMap((id) => tiers.get(id) ?? [])
}

/** The assignments of the rewards that a request refers to: they may have their own rules. */
export function rewardAssignmentsInRequest(
  { reward_assignments }: Configuration,
  redeemables: CheckoutRequest['redeemables'],
) {
  const sentIds = new Set(redeemables.flatMap(({ reward }) => [reward?.id ?? [], reward?.assignment_id ?? []].flat()))
  if (sentIds.size === 0) return []
  return [...reward_assignments.values()].filter(({ id, reward_id }) => sentIds.has(id) || sentIds.has(reward_id))
}

/** The products and SKUs that a unit discount gives away: they may not be in the order. */
export function unitTypes(discount: Discount | null): string[] {
  if (discount?.type !== 'UNIT') return []
  const { unit_type, units } = discount as {
    unit_type?: string | null
    units?: Array<{ unit_type?: string | null }> | null
  }
  return [unit_type, ...(units ?? []).map((unit) => unit.unit_type)].filter((id) => id != null)
}
