import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import { numbersRead } from '../../core/http/numeric-text.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import { refuseProtected } from '../../incentives/campaigns/store.ts'
import { validityColumns } from '../../rules/terms/validity.ts'
import { assignRules, rulesNamed } from '../../rules/validation-rules/assign.ts'
import { listAssignmentsOf } from '../../rules/validation-rules/assignment-store.ts'
import type { StoredValidationRule } from '../../rules/validation-rules/schema.ts'
import { unassign } from '../../rules/validation-rules/unassign.ts'
import { expirationRulesOf, pendingOf, pointsOf, refuseWithoutSource, withTypeOf } from './define.ts'
import { earningRuleValidityOf, toEarningRule } from './earning-rule.ts'
import { type EarningRule, EarningRuleChanges, type UpdateEarningRule } from './schema.ts'
import { getEarningRule, type StoredEarningRule, updateEarningRule } from './store.ts'
import { validityWithin } from './validity.ts'

/** A rule locked exclusively for a change, and its program, locked against deletion. */
export interface RuleInProgram {
  campaign: StoredCampaign
  rule: StoredEarningRule
}

/** Updates a rule; metadata are merged key by key. Its event cannot change. */
export async function changeEarningRule(
  ctx: Ctx,
  { campaign, rule }: RuleInProgram,
  body: UpdateEarningRule,
): Promise<EarningRule> {
  refuseProtected(campaign)
  const changes = withPointsType(rule, body)
  if (changes.loyalty !== undefined) refuseWithoutSource(changes.loyalty)
  const { validation_rule_id, loyalty, pending_points, expiration_rules, source, active, metadata, ...limits } =
    readChanges(changes)
  const rules = validation_rule_id === undefined ? undefined : await rulesNamed(ctx, [validation_rule_id ?? []].flat())
  const validity = validityWithin(campaign, earningRuleValidityOf(rule), limits, '')
  const merged =
    metadata == null ? rule.metadata : (await loadMetadataRules(ctx, 'earning_rule')).merged(rule.metadata, metadata)

  await updateEarningRule(ctx, rule.id, {
    loyalty: loyalty && JSON.stringify(pointsOf(loyalty, rule.event, '')),
    pending_points: pending_points && JSON.stringify(pendingOf(pending_points, rule.event, '')),
    expiration_rules: expiration_rules && JSON.stringify(expirationRulesOf(expiration_rules, '')),
    banner: source?.banner,
    active: active ?? undefined,
    ...validityColumns(validity),
    metadata: JSON.stringify(merged),
  })
  if (rules !== undefined) await replaceRules(ctx, rule.id, rules)
  return emitRuleChanged(ctx, { campaign, rule }, 'updated')
}

const withPointsType = (
  { loyalty: stored }: StoredEarningRule,
  { loyalty, ...changes }: UpdateEarningRule,
): EarningRuleChanges => (loyalty === undefined ? changes : { ...changes, loyalty: withTypeOf(stored, loyalty) })

const readChanges = numbersRead(EarningRuleChanges)

/** Enables or disables a rule; does nothing if it already is. */
export async function switchEarningRule(
  ctx: Ctx,
  { campaign, rule }: RuleInProgram,
  active: boolean,
): Promise<EarningRule> {
  if (rule.active === active) return toEarningRule(rule, rule.validation_rule_id)
  await updateEarningRule(ctx, rule.id, { active })
  return emitRuleChanged(ctx, { campaign, rule }, active ? 'enabled' : 'disabled')
}

/** Replaces the validation rule of a rule; an unchanged assignment is kept. */
async function replaceRules(ctx: Ctx, id: string, rules: readonly StoredValidationRule[]): Promise<void> {
  const assignedIds = (await listAssignmentsOf(ctx, 'earning_rule', [id])).map(({ rule_id }) => rule_id)
  for (const ruleId of assignedIds)
    if (!rules.some((rule) => rule.id === ruleId))
      await unassign(ctx, { rule_id: ruleId, related_object_type: 'earning_rule', related_object_ids: [id] })
  const addedRules = rules.filter((rule) => !assignedIds.includes(rule.id))
  await assignRules(ctx, addedRules, 'earning_rule', id)
}

async function emitRuleChanged(
  ctx: Ctx,
  { campaign, rule }: RuleInProgram,
  change: 'updated' | 'enabled' | 'disabled',
): Promise<EarningRule> {
  const row = await getEarningRule(ctx, campaign.id, rule.id)
  const earningRule = toEarningRule(row, row.validation_rule_id)
  await emit(ctx, `campaign.earning_rule.${change}`, campaign.id, {
    campaign: toSimpleCampaign(campaign),
    earning_rule: earningRule,
  })
  return earningRule
}
