import { qualify } from '@guerdon/engine'
import type { CoveredEntries, Outcome, PromotionTier, ValidationRule } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { assembleCheckout, refuseMetadata } from '../decision/facts.ts'
import { loadCheckout } from '../decision/load.ts'
import { readRequest } from '../decision/request.ts'
import { refusalView } from '../decision/results.ts'
import { checkNamesOnPrimary } from '../decision/unknown-names.ts'
import { comparesCounters } from './scenarios.ts'
import type { ExaminationBody, RuleValidation } from './schema.ts'

/** Whether a rule alone holds for a customer and an order, and for which lines (docs/reference/rules.md#trying-a-rule). */
export async function tryRule(ctx: Ctx, rule: ValidationRule, body: ExaminationBody): Promise<RuleValidation> {
  const request = readRequest(ctx, body, [])
  const checkout = assembleCheckout(ctx, request, await loadCheckout(ctx, request, { db: ctx.db }))
  await checkNamesOnPrimary(ctx, checkout)
  refuseMetadata(checkout)
  const [outcome] = qualify(
    { ...checkout.facts, redeemables: [offerWith(rule)] },
    { omit: comparesCounters, is_qualification: true },
  ) as [Outcome]
  if (outcome.status === 'APPLICABLE') {
    const { applicable_to, inapplicable_to } = outcome
    return { valid: true, rule_id: rule.id, applicable_to, inapplicable_to }
  }
  const { reason } = outcome
  const nothing: CoveredEntries = { data: [], total: 0, data_ref: 'data', object: 'list' }
  return {
    valid: false,
    rule_id: rule.id,
    applicable_to: nothing,
    inapplicable_to: nothing,
    reason: reason.error?.message ?? reason.message,
    error: refusalView(ctx, reason, null, outcome),
  }
}

/** An offer that nothing but the rule restricts; a discount on lines shows which of them the rule covers. */
const offerWith = (rule: ValidationRule): PromotionTier => ({
  kind: 'promotion_tier',
  object: 'promotion_tier',
  id: rule.id,
  resource_id: rule.id,
  active: true,
  rules: [rule],
  discount: { type: 'PERCENT', percent_off: 100, effect: 'APPLY_TO_ITEMS' },
})
