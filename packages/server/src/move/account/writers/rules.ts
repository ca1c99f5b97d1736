import { defaultStackingRules } from '@guerdon/engine'
import type { StackingRules } from '@guerdon/engine/schema'
import { compileValidator } from '../../../core/http/validation.ts'
import { mergeRules, whyNotConsistent } from '../../../rules/stacking-rules/rules.ts'
import { StackingRulesBody } from '../../../rules/stacking-rules/schema.ts'
import { defineRule } from '../../../rules/validation-rules/define.ts'
import { defaults } from '../../../rules/validation-rules/definition.ts'
import { ValidationRuleBody } from '../../../rules/validation-rules/schema.ts'
import { forEach, ownId, reference, type Writer } from '../batch.ts'
import { type Foreign, LeftOut, moments, oneOf, requiredText } from '../foreign.ts'
import { present, type Table } from '../insert-rows.ts'
import { keptId } from '../kept-id.ts'
import { insertConfiguration } from './definitions.ts'

const ruleShape = compileValidator(ValidationRuleBody)

export const rules: Writer = {
  list: 'rules',
  size: 200,
  async write(batch) {
    const rows = await forEach(batch, async (rule) => {
      const fault = ruleShape.firstError(rule, { root: 'Payload', required: 'should' })
      if (fault !== null) throw new LeftOut(fault)
      const { bundle_rules, ...definition } = await defineRule(batch.ctx, rule as ValidationRuleBody)
      return {
        id: ownId(batch, 'validation_rule', rule),
        ...defaults,
        ...definition,
        bundle_rules: bundle_rules ?? null,
        ...moments(rule, batch.copied_at),
      }
    })
    await insertConfiguration(batch, 'validation_rules', rows)
  },
}

/** The tables of the objects to which a rule can be assigned. */
const assignedTo = {
  voucher: ['vouchers', 'voucher'],
  campaign: ['campaigns', 'campaign'],
  promotion_tier: ['promotion_tiers', 'promotion_tier'],
  earning_rule: ['earning_rules', 'earning_rule'],
  reward_assignment: ['reward_assignments', 'reward_assignment'],
} as const satisfies Record<string, readonly [Table, string]>
const assignedTypes = Object.keys(assignedTo) as Array<keyof typeof assignedTo>

export const ruleAssignments: Writer = {
  list: 'rule-assignments',
  size: 1_000,
  async write(batch) {
    const { ctx } = batch
    const rows = await forEach(batch, (assignment) => {
      const type = oneOf(assignment, 'related_object_type', assignedTypes)
      return {
        id: ownId(batch, 'rule_assignment', assignment),
        rule_id: ruleOf(assignment),
        related_object_type: type,
        related_object_id: keptId(assignedTo[type][1], requiredText(assignment, 'related_object_id')),
        ...moments(assignment, batch.copied_at),
      }
    })
    const ruleIds = await present(
      ctx,
      'validation_rules',
      rows.map(({ rule_id }) => rule_id),
    )
    const known = new Map<string, Set<string>>()
    for (const type of assignedTypes) {
      const ids = rows.filter((row) => row.related_object_type === type).map((row) => row.related_object_id)
      known.set(type, await present(ctx, assignedTo[type][0], ids))
    }
    const complete = await forEach({ ...batch, objects: rows }, (row) => {
      if (!ruleIds.has(row.rule_id as string)) throw new LeftOut('its rule was not carried over')
      if (!known.get(row.related_object_type as string)?.has(row.related_object_id as string))
        throw new LeftOut(`its ${row.related_object_type} was not carried over`)
      return row as (typeof rows)[number]
    })
    await insertConfiguration(batch, 'rule_assignments', complete)
  },
}

function ruleOf(assignment: Foreign) {
  const id =
    reference('validation_rule', assignment, 'rule_id') ?? reference('validation_rule', assignment, 'parent_id')
  if (id === null) throw new LeftOut('Property .rule_id is missing')
  return id
}

const stackingShape = compileValidator(StackingRulesBody)

export const stackingRules: Writer = {
  list: 'stacking-rules',
  size: 1,
  async write(batch) {
    const rows = await forEach(batch, (sent) => {
      const fault = stackingShape.firstError(sent, { root: 'Payload', required: 'should' })
      if (fault !== null) throw new LeftOut(fault)
      const stacking = mergeRules(defaultStackingRules, sent as Partial<StackingRules>)
      const reason = whyNotConsistent(stacking)
      if (reason !== null) throw new LeftOut(reason)
      return { id: ownId(batch, 'stacking_rules', sent), rules: stacking, ...moments(sent, batch.copied_at) }
    })
    await insertConfiguration(batch, 'stacking_rules', rows)
  },
}
