import type { ReasonKey } from '../reasons.ts'
import type { Node } from './run.ts'

/** The domain of a rule, as a bit, and the key of its violation. */
export function domainOf(name: string): Pick<Node, 'domain' | 'violation'> {
  const [, domain, violation] = domains.find(([prefix]) => prefix.test(name))!
  return { domain, violation }
}

/** Prefix of rule names, bit of the domain, and key of the violation. */
const domains: ReadonlyArray<[prefix: RegExp, domain: number, violation: ReasonKey]> = [
  [/^customer[._]/, 1, 'customer_rules_violated'],
  [/^(?:order|product|sku)\./, 2, 'order_rules_violated'],
  [/^redemption\./, 4, 'redemption_rules_violated'],
  [/^campaign\./, 8, 'redemption_rules_violated'],
  [/^publication\./, 16, 'redemption_rules_violated'],
  [/^/, 32, 'redemption_rules_violated'],
]

/** Domains that are evaluated, by where a rule runs (docs/reference/rules.md#failure). */
export const available = {
  redemption: 1 + 2 + 4 + 8 + 16,
  'earning.order': 1 + 2,
  'earning.customer': 1,
  'earning.event': 1 + 32,
  'distribution.order': 1 + 2,
  'distribution.event': 1 + 32,
  reward_assignment: 1 + 2 + 4 + 8,
} as const
export type Availability = keyof typeof available
