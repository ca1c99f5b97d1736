import { defaultLogic } from '@guerdon/engine'
import type { ApplicableTo, BundleRules, Rule, RuleTree } from '@guerdon/engine/schema'
import { unnamedRule } from '../../core/configuration/configuration.ts'
import type { ContextType } from './context-types.ts'
import type { StoredValidationRule } from './schema.ts'

/** The properties of a rule that clients set. */
export interface RuleDefinition {
  name: string
  rules: RuleTree
  /** Null until they are first set; `{}` once they are removed (docs/reference/rules.md#the-rule-object). */
  bundle_rules: BundleRules | null
  error: { message: string } | null
  applicable_to: ApplicableTo
  type: StoredValidationRule['type']
  context_type: ContextType
}

/** The defaults of a rule; such a rule always passes. */
export const defaults: Readonly<RuleDefinition> = {
  name: unnamedRule,
  rules: { logic: '' },
  bundle_rules: null,
  error: null,
  applicable_to: { included: [], excluded: [], included_all: false },
  type: 'expression',
  context_type: 'global',
}

/**
 * The stored form of a valid rule tree: with explicit logic, `{}` where there are no sub-rules, every argument in an array
 * (docs/reference/rules.md#rules-and-logic).
 *
 * `{"2": …, "1": …}` → `{"1": {…, "rules": {}}, "2": {…, "rules": {}}, "logic": "1 and 2"}`.
 */
export function completeRules(sent: RuleTree): RuleTree {
  const tree = completeTree(sent)
  return tree.logic === undefined ? { ...tree, logic: '' } : tree
}

/** The stored form of valid bundle rules (docs/reference/rules.md#bundle-rules). */
export function completeBundle({ limit = 1, ...sent }: BundleRules): BundleRules {
  const tree = completeTree(sent as RuleTree)
  return rulesIn(tree).length === 0 ? {} : { ...tree, limit }
}

function completeTree(tree: RuleTree): RuleTree {
  const rules = rulesIn(tree)
  const hasLogic = typeof tree.logic === 'string' && (rules.length === 0 || tree.logic.trim() !== '')
  const logic = hasLogic ? tree.logic : rules.length === 0 ? undefined : defaultLogic(tree)
  return {
    ...Object.fromEntries(rules.map(([key, rule]) => [key, completeRule(rule)])),
    ...(logic === undefined ? {} : { logic }),
  } as RuleTree
}

const rulesIn = ({ logic: _, ...rules }: RuleTree): Array<[key: string, rule: Rule]> =>
  Object.entries(rules) as Array<[string, Rule]>

/** Only the members of a rule: all others are dropped. */
function completeRule({ name, property, conditions, rules, error }: Rule): Rule {
  return {
    name,
    ...(typeof property === 'string' ? { property } : {}),
    ...(conditions == null ? {} : { conditions: wrapped(conditions) }),
    rules: completeTree(rules ?? {}),
    ...(error == null ? {} : { error: { message: error.message } }),
  }
}

/** Wraps a single argument that was sent without an array. */
const wrapped = (conditions: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(conditions).map(([operator, operand]) => [operator, Array.isArray(operand) ? operand : [operand]]),
  )
