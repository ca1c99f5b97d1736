import { countersOf } from '@guerdon/engine'
import type { ValidationRule } from '@guerdon/engine/schema'

/**
 * The groups of counters that a rule compares; the counters of a group are queried together
 * (core/db/functions/checkout_counted.sql). Most rules compare none, and nothing is counted for them.
 *
 * A rule on `redemption.count.per_customer.daily` → `['incentive_customer']`.
 */
export function counterGroupsOf({ rules, applicable_to }: Pick<ValidationRule, 'rules' | 'applicable_to'>): string[] {
  const names = countersOf([{ id: '', rules }])
  const groups = new Set<string>(
    [...names].map((name) => groupsByPrefix.find(([prefix]) => name.startsWith(prefix))?.[1] ?? ''),
  )
  if (applicable_to?.included.some(hasLifetimeLimit) === true) groups.add('units')
  groups.delete('')
  return [...groups].sort()
}

/** The first matching prefix decides. */
const groupsByPrefix = [
  ['campaign.redemptions.customers_count', 'campaign_customer'],
  ['campaign.', 'campaign'],
  ['redemption.gift.amount', 'campaign'],
  ['redemption.count.per_customer', 'incentive_customer'],
  ['redemption.count.per_api_key', 'incentive_caller'],
  ['redemption.count.per_user', ''],
  ['redemption.count', 'incentive'],
] as const

const hasLifetimeLimit = (entry: object): boolean =>
  Object.entries(entry).some(([name, value]) => value != null && /^product_.+_quantity_limit(_formula)?$/.test(name))
