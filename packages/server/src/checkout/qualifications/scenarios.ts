import type { EvaluateOptions } from '@guerdon/engine'
import type { ValidationRule } from '@guerdon/engine/schema'
import { counterGroupsOf } from '../../rules/validation-rules/counted.ts'
import type { Scenario } from './schema.ts'

/** What a scenario searches, which rules it evaluates, and what it keeps (docs/reference/qualifications.md). */
export interface ScenarioPolicy {
  /** `generic`: vouchers that every customer may use; `held`: those of the customer. */
  looks_at: { generic: boolean; held: boolean; tiers: boolean; campaigns: boolean; stacks: boolean }
  /** Which rules are evaluated, besides those that no qualification evaluates. */
  evaluates(name: string): boolean
  /** Bundles must be complete. */
  needs_bundles: boolean
  /** All applicable offers, or only those that concern a line of the order. */
  keeps: 'everything' | 'products' | 'product_discounts'
}

const everything = { generic: true, held: true, tiers: true, campaigns: true, stacks: false }
const onlyHeld = { generic: false, held: true, tiers: false, campaigns: false, stacks: false }
const onlyStacks = { generic: false, held: false, tiers: false, campaigns: false, stacks: true }

const isCustomerRule = (name: string): boolean => /^customer[._]/.test(name)
/** Rules about the goods in the order; `order.items.count` concerns no particular product. */
export const isProductRule = (name: string): boolean => /^(?:product|sku)\.|^order\.items\.(?!count$)/.test(name)
const isEither = (name: string): boolean => isCustomerRule(name) || isProductRule(name)
const all = () => true

export const scenarioPolicies: Readonly<Record<Scenario, ScenarioPolicy>> = {
  ALL: { looks_at: everything, evaluates: all, needs_bundles: true, keeps: 'everything' },
  CUSTOMER_WALLET: { looks_at: onlyHeld, evaluates: all, needs_bundles: true, keeps: 'everything' },
  AUDIENCE_ONLY: { looks_at: everything, evaluates: isCustomerRule, needs_bundles: false, keeps: 'everything' },
  PRODUCTS: { looks_at: everything, evaluates: isProductRule, needs_bundles: false, keeps: 'products' },
  PRODUCTS_DISCOUNT: {
    looks_at: everything,
    evaluates: isProductRule,
    needs_bundles: false,
    keeps: 'product_discounts',
  },
  PRODUCTS_BY_CUSTOMER: { looks_at: everything, evaluates: isEither, needs_bundles: false, keeps: 'products' },
  PRODUCTS_DISCOUNT_BY_CUSTOMER: {
    looks_at: everything,
    evaluates: isEither,
    needs_bundles: false,
    keeps: 'product_discounts',
  },
  PROMOTION_STACKS: { looks_at: onlyStacks, evaluates: all, needs_bundles: true, keeps: 'everything' },
}

/**
 * Rules about counters and about the amount before discounts: no qualification evaluates them
 * (docs/reference/qualifications.md).
 */
const isNeverEvaluated = (name: string): boolean => name === 'order.amount' || comparesCounters(name)

/** Rules that only a redemption of something can decide. */
export const comparesCounters = (name: string): boolean =>
  /^(?:campaign\.|redemption\.count\b|redemption\.gift\.amount$)/.test(name)

const isOmitted = ({ evaluates }: ScenarioPolicy, name: string): boolean => isNeverEvaluated(name) || !evaluates(name)

/** The policy as options of the engine. */
export const evaluationModeOf = (policy: ScenarioPolicy): EvaluateOptions => ({
  omit: (name) => isOmitted(policy, name),
  omit_missing_order: true,
  omit_missing_units: policy.keeps !== 'everything',
  is_qualification: true,
  tolerates_missing_bundle: !policy.needs_bundles,
})

/** Properties of a rule that decide what to load before it is evaluated. */
export interface RuleTraits {
  asks_customer: boolean
  asks_products: boolean
  /** Whether the customer holds the code. */
  asks_holder: boolean
  /** The rule has a lifetime limit of discounted units. */
  counts_units: boolean
}

const traitsByRule = new WeakMap<ValidationRule, RuleTraits>()

export function ruleTraits(rule: ValidationRule): RuleTraits {
  let traits = traitsByRule.get(rule)
  if (traits === undefined) {
    const names = Object.values(rule.rules).flatMap((condition) =>
      condition != null && typeof condition === 'object' ? [condition.name] : [],
    )
    const { applicable_to } = rule
    traits = {
      asks_customer: names.some(isCustomerRule),
      asks_products: names.some(isProductRule),
      asks_holder: names.some((name) => name.startsWith('publication.')),
      counts_units: applicable_to != null && counterGroupsOf({ rules: {}, applicable_to }).includes('units'),
    }
    traitsByRule.set(rule, traits)
  }
  return traits
}
