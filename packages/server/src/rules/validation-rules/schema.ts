import {
  ApplicableEntry,
  ApplicableTo,
  BundleRules,
  CustomMessage,
  Instant,
  Int,
  Maybe,
  Name,
  Nullable,
  OneOf,
  RuleTree,
} from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import type { Id } from '../../core/lib/ids.ts'
import { DateQuery, listOf, PageQuery } from '../../core/query/list.ts'
import { contextTypes } from './context-types.ts'

const RuleId = Type.Unsafe<Id<'validation_rule'>>(Type.String({ description: '`val_` and 12 characters.' }))

const RuleType = OneOf(['expression', 'basic', 'advanced', 'complex'])

/** A validation rule as the API returns it; the `ValidationRule` of the engine is a part of it. */
export const StoredValidationRule = Type.Object({
  id: RuleId,
  name: Name,
  rules: RuleTree,
  bundle_rules: Type.Optional(BundleRules),
  error: Type.Optional(CustomMessage),
  applicable_to: ApplicableTo,
  type: RuleType,
  context_type: OneOf(contextTypes),
  created_at: Instant,
  updated_at: Type.Optional(Instant),
  assignments_count: Int({ minimum: 0 }),
  object: Type.Literal('validation_rules'),
})
export type StoredValidationRule = Static<typeof StoredValidationRule>

const { applicable_to: _, assignments_count: __, ...told } = StoredValidationRule.properties

/** A rule as its creation returns it, where clients expect to find nothing that they did not send. */
export const CreatedValidationRule = Type.Object({
  ...told,
  applicable_to: Nullable(
    Type.Object({
      included: Type.Optional(ApplicableTo.properties.included),
      excluded: Type.Optional(ApplicableTo.properties.excluded),
      included_all: ApplicableTo.properties.included_all,
    }),
  ),
})
export type CreatedValidationRule = Static<typeof CreatedValidationRule>

const entries = Maybe(
  Type.Array(ApplicableEntry, { maxItems: 1_000, description: 'Each needs an `id` or a `source_id`.' }),
)

/** The body of creation and update. An update replaces each property that is sent as a whole. */
export const ValidationRuleBody = Type.Object(
  {
    name: Maybe(Name),
    rules: Maybe(RuleTree),
    bundle_rules: Maybe(BundleRules),
    error: Maybe(Type.Object({ message: Maybe(CustomMessage.properties.message) })),
    applicable_to: Maybe(Type.Object({ included: entries, excluded: entries, included_all: Maybe(Type.Boolean()) })),
    type: Maybe(RuleType),
    context_type: Maybe(
      Type.String({ description: 'Where the rule is meant to be used, one of the values of the answer.' }),
    ),
  },
  {
    examples: [
      {
        name: 'Members, from 50.00',
        rules: {
          '1': { name: 'customer.segment', conditions: { $is: ['seg_members'] }, error: { message: 'Members only' } },
          '2': { name: 'order.amount', conditions: { $more_than_or_equal: [5_000] } },
          logic: '1 and 2',
        },
        error: { message: 'This offer is for members and orders from 50.00' },
      },
    ],
  },
)
export type ValidationRuleBody = Static<typeof ValidationRuleBody>

export const ValidationRuleList = listOf('data', StoredValidationRule, { total: true })

export const ValidationRuleQuery = Type.Object({
  ...PageQuery({ order: ['-created_at', 'created_at', '-updated_at', 'updated_at', '-name', 'name'] }),
  start_date: DateQuery.start_date,
  end_date: DateQuery.end_date,
})
export type ValidationRuleQuery = Static<typeof ValidationRuleQuery>

export const RelatedObjectType = OneOf([
  'voucher',
  'campaign',
  'promotion_tier',
  'earning_rule',
  'reward_assignment',
  'distribution',
])
export type RelatedObjectType = Static<typeof RelatedObjectType>

export const ValidationRuleAssignment = Type.Object({
  id: Type.String({ description: '`asgm_` and 16 characters.' }),
  rule_id: RuleId,
  related_object_id: Type.String(),
  related_object_type: RelatedObjectType,
  created_at: Instant,
  object: Type.Literal('validation_rules_assignment'),
})
export type ValidationRuleAssignment = Static<typeof ValidationRuleAssignment>

const deprecatedId = (id: string) => Maybe(Type.String({ deprecated: true, description: `Older spelling: ${id}.` }))

export const ValidationRuleAssignmentBody = Type.Object(
  {
    related_object_type: Maybe(RelatedObjectType),
    related_object_id: Maybe(
      Type.String({ minLength: 1, description: 'The id; of a voucher also its code, of a campaign also its name.' }),
    ),
    voucher: deprecatedId('the code of a voucher'),
    campaign: deprecatedId('the id of a campaign'),
    promotion_tier: deprecatedId('the id of a promotion tier'),
  },
  { examples: [{ related_object_type: 'voucher', related_object_id: 'SPRING' }] },
)
export type ValidationRuleAssignmentBody = Static<typeof ValidationRuleAssignmentBody>

export const AssignValidationRuleQuery = Type.Object({
  force: Type.Optional(
    Type.Boolean({ description: 'Replaces the assignment of this rule to this object, where there is one.' }),
  ),
})

const page = PageQuery({ order: ['-created_at', 'created_at'] })

export const ValidationRuleAssignmentPageQuery = Type.Object(page)

export const ValidationRuleAssignmentQuery = Type.Object({
  ...page,
  related_object_id: Type.Optional(Type.String({ description: 'Only what is assigned to the object of this id.' })),
  rule: Type.Optional(Type.String({ description: 'Only assignments of the rule of this id.' })),
})
export type ValidationRuleAssignmentQuery = Static<typeof ValidationRuleAssignmentQuery>

export const ValidationRuleAssignmentList = listOf('data', ValidationRuleAssignment, { total: true })
