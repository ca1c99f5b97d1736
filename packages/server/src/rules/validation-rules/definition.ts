import { defaultLogic } from '@guerdon/engine'
import type { ApplicableTo, BundleRules, Rule, RuleTree } from '@guerdon/engine/schema'
import type { ContextType } from './context-types.ts'
import type { StoredValidationRule } from './schema.ts'

/** What somebody decides about a rule. */
export interface RuleDefinition {
  name: string
  rules: RuleTree
  /** Null while they were never set; `{}` once they are taken away (docs/reference/rules.md#the-rule-object). */
  bundle_rules: BundleRules | null
  error: { message: string } | null
  applicable_to: ApplicableTo
  type: StoredValidationRule['type']
  context_type: ContextType
}

/** A rule of which nothing is said; it always holds. */
export const defaults: Readonly<RuleDefinition> = {
  name: 'Business Validation Rule',
  rules: { logic: '' },
  bundle_rules: null,
  error: null,
  applicable_to: { included: [], excluded: [], included_all: false },
  type: 'expression',
  context_type: 'global',
}

/**
 * A tree of rules without fault, as it is stored: with the logic it means, `{}` where there are no sub-rules, every argument
 * in an array (docs/reference/rules.md#rules-and-logic).
 *
 * `{"2": …, "1": …}` → `{"1": {…, "rules": {}}, "2": {…, "rules": {}}, "logic": "1 and 2"}`.
 */
export function filledRules(sent: RuleTree): RuleTree {
  const tree = filledTree(sent)
  return tree.logic === undefined ? { ...tree, logic: '' } : tree
}

/** Bundle rules without fault, as they are stored (docs/reference/rules.md#bundle-rules). */
export function filledBundle({ limit = 1, ...sent }: BundleRules): BundleRules {
  const tree = filledTree(sent as RuleTree)
  return rulesIn(tree).length === 0 ? {} : { ...tree, limit }
}

function filledTree(tree: RuleTree): RuleTree {
  const rules = rulesIn(tree)
  const isSaid = typeof tree.logic === 'string' && (rules.length === 0 || tree.logic.trim() !== '')
  const logic = isSaid ? tree.logic : rules.length === 0 ? undefined : defaultLogic(tree)
  return {
    ...Object.fromEntries(rules.map(([key, rule]) => [key, filledRule(rule)])),
    ...(logic === undefined ? {} : { logic }),
  } as RuleTree
}

const rulesIn = ({ logic: _, ...rules }: RuleTree): Array<[key: string, rule: Rule]> =>
  Object.entries(rules) as Array<[string, Rule]>

/** Only what a rule may have: everything else that was sent is ignored. */
function filledRule({ name, property, conditions, rules, error }: Rule): Rule {
  return {
    name,
    ...(typeof property === 'string' ? { property } : {}),
    ...(conditions == null ? {} : { conditions: wrapped(conditions) }),
    rules: filledTree(rules ?? {}),
    ...(error == null ? {} : { error: { message: error.message } }),
  }
}

/** A single argument may be sent without its array. */
const wrapped = (conditions: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(conditions).map(([operator, given]) => [operator, Array.isArray(given) ? given : [given]]),
  )
