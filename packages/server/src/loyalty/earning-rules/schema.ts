import {
  EarningPoints,
  FreeText,
  Instant,
  Maybe,
  Metadata,
  Name,
  Nullable,
  PendingPoints,
  PointsExpirationRules,
} from '@guerdon/engine/schema'
import { type Static, type TSchema, Type } from 'typebox'
import { mapValues, NumericText } from '../../core/http/numeric-text.ts'
import { limits } from '../../core/lib/limits.ts'
import { listOf, PageQuery } from '../../core/query/list.ts'
import { ValidityBody, ValidityView } from '../../rules/terms/validity.ts'

const Reference = Type.Object({ id: Type.String() })

/**
 * A rule that pays points for an event (docs/reference/earning-rules.md#rule-object). Members without a value are left out,
 * except for nullable ones.
 */
export const EarningRule = Type.Object({
  id: Type.String({ description: '`ern_` and 24 characters.' }),
  created_at: Instant,
  updated_at: Nullable(Instant),
  validation_rule_id: Nullable(Type.String()),
  loyalty: EarningPoints,
  event: Type.String({
    description:
      '`order.paid`, `customer.segment.entered`, `customer.loyalty.tier.joined`, `.left`, `.upgraded`, `.downgraded`, ' +
      '`.prolonged`, or the name of a custom event.',
  }),
  custom_event: Type.Optional(Type.Object({ schema_id: Type.String() })),
  segment: Type.Optional(Reference),
  loyalty_tier: Type.Optional(Reference),
  pending_points: Type.Optional(PendingPoints),
  expiration_rules: Type.Optional(PointsExpirationRules),
  source: Type.Object({
    banner: Type.Optional(FreeText),
    object_id: Type.String(),
    object_type: Type.Literal('campaign'),
  }),
  active: Type.Boolean(),
  ...ValidityView,
  metadata: Metadata,
  automation_id: Type.String(),
  object: Type.Literal('earning_rule'),
})
export type EarningRule = Static<typeof EarningRule>

export const EarningRuleList = listOf('data', EarningRule, { total: true })

export const EarningRuleQuery = Type.Object(
  PageQuery({ order: ['created_at', '-created_at', 'updated_at', '-updated_at'] }),
)
export type EarningRuleQuery = Static<typeof EarningRuleQuery>

const settings = {
  validation_rule_id: Maybe(Name),
  source: Maybe(Type.Object({ banner: Maybe(FreeText) })),
  active: Maybe(Type.Boolean()),
  pending_points: Maybe(PendingPoints),
  expiration_rules: Maybe(PointsExpirationRules),
  ...ValidityBody,
  metadata: Maybe(Metadata),
}

const newRule = <T extends TSchema>(loyalty: T) =>
  Type.Object({
    event: Type.String({ minLength: 1, maxLength: limits.event_name_length_max }),
    loyalty,
    segment: Maybe(Type.Object({ id: Maybe(Name) })),
    custom_event: Maybe(Type.Object({ schema_id: Maybe(Name) })),
    loyalty_tier: Maybe(
      Type.Object({ id: Maybe(Name) }, { description: 'A tier, or `__ANY__`: every tier of this campaign.' }),
    ),
    ...settings,
  })

/** Rules after numeric strings are converted. */
export const NewEarningRules = Type.Array(newRule(EarningPoints))
export type NewEarningRule = Static<typeof NewEarningRules>[number]

const changes = <T extends TSchema>(loyalty: T) => Type.Object({ loyalty: Type.Optional(loyalty), ...settings })

/**
 * Changes of a rule. Its event cannot change; members about the event are ignored (docs/reference/earning-rules.md#endpoints).
 */
export const EarningRuleChanges = changes(EarningPoints)
export type EarningRuleChanges = Static<typeof EarningRuleChanges>

/** Points as sent. A calculation without its parameters passes here: `pointsOf` refuses it, with a message of its own. */
export const EarningPointsBody = NumericText(withEmptySources(EarningPoints))

function withEmptySources(schema: typeof EarningPoints): typeof EarningPoints {
  const relaxed = ({ anyOf, properties = {}, ...rest }: ObjectSchema): ObjectSchema => ({
    ...rest,
    ...(anyOf === undefined
      ? { properties: mapValues(properties, withoutRequired) }
      : { properties, anyOf: anyOf.map(relaxed) }),
  })
  const withoutRequired = (member: ObjectSchema): ObjectSchema =>
    member.properties === undefined ? member : { ...member, required: [] }
  return relaxed(schema as ObjectSchema) as typeof EarningPoints
}

interface ObjectSchema {
  properties?: Record<string, ObjectSchema>
  required?: string[]
  anyOf?: ObjectSchema[]
}

export const CreateEarningRule = NumericText(newRule(EarningPointsBody))

export const CreateEarningRules = Type.Array(CreateEarningRule, {
  minItems: 1,
  maxItems: limits.earning_rules_sent_max,
  examples: [
    [
      {
        event: 'order.paid',
        loyalty: {
          type: 'PROPORTIONAL',
          calculation_type: 'ORDER_AMOUNT',
          order: { amount: { every: 100, points: 1 } },
        },
        source: { banner: 'A point for every 1.00' },
      },
    ],
  ],
})

export const EarningRules = Type.Array(EarningRule)

/** Points without a type keep the type of the stored rule; `withTypeOf` adds it, and only then can they be validated. */
const PointsOfSameType = Type.Object(
  { type: Type.Optional(Type.Null()) },
  {
    description:
      'Members as for a new rule: what is left out of `type` and `calculation_type` stays, the rest is replaced.',
  },
)

export const UpdateEarningRule = NumericText(changes(Type.Union([EarningPointsBody, PointsOfSameType])))
export type UpdateEarningRule = Static<typeof UpdateEarningRule>
