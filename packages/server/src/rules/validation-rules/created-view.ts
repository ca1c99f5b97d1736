import type { ApplicableEntry } from '@guerdon/engine/schema'
import type { CreatedValidationRule, StoredValidationRule, ValidationRuleBody } from './schema.ts'

/** A new rule without what its body did not say (docs/reference/rules.md#the-rule-object). */
export function createdView(
  { applicable_to, assignments_count: _, ...rule }: StoredValidationRule,
  sent: ValidationRuleBody,
): CreatedValidationRule {
  const goods = sent.applicable_to
  return {
    ...rule,
    rules: Object.keys(sent.rules ?? {}).length === 0 ? {} : rule.rules,
    applicable_to:
      goods == null
        ? null
        : {
            ...(goods.included == null ? {} : { included: namedAsSent(applicable_to.included, goods.included) }),
            ...(goods.excluded == null ? {} : { excluded: namedAsSent(applicable_to.excluded, goods.excluded) }),
            included_all: applicable_to.included_all,
          },
  }
}

const namesBesideId = ['source_id', 'product_id', 'product_source_id'] as const

/** Without the names that the catalogue adds to the one that was sent. */
const namedAsSent = (stored: readonly ApplicableEntry[], sent: readonly ApplicableEntry[]): ApplicableEntry[] =>
  stored.map((entry, index) => {
    const shown = { ...entry }
    for (const name of namesBesideId) if (sent[index]?.[name] == null) delete shown[name]
    return shown
  })
