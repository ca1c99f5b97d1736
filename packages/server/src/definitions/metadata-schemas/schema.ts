import { Instant, Int, MapOf, Maybe, MetadataType, Name, Nullable, shownAs } from '@guerdon/engine/schema'
import { type Static, type TSchema, Type } from 'typebox'
import { limits } from '../../core/lib/limits.ts'
import { listOf } from '../../core/query/list.ts'

const Length = Int({ minimum: 0 })
const Values = Type.Array(Type.Unsafe<string | number>({ type: ['string', 'number'] }), {
  maxItems: limits.definition_values_max,
})
const Numbers = Type.Array(Type.Number(), { maxItems: limits.definition_values_max })

const required = { type: MetadataType, array: Type.Boolean(), optional: Type.Boolean() }
const comparisons = {
  eq: Maybe(Values),
  ne: Maybe(Numbers),
  lt: Maybe(Type.Number()),
  lte: Maybe(Type.Number()),
  gt: Maybe(Type.Number()),
  gte: Maybe(Type.Number()),
}
const snake = {
  object_type: Maybe(Name),
  min_length: Maybe(Length),
  max_length: Maybe(Length),
  exact_length: Maybe(Length),
}
const camel = {
  objectType: Maybe(Name),
  minLength: Maybe(Length),
  maxLength: Maybe(Length),
  exactLength: Maybe(Length),
}
const deleted = { deleted: Maybe(Type.Boolean({ description: 'Not checked any more, but still counted.' })) }

/** The definition of one metadata key. */
export const ManagedMetadataDefinition = Type.Object({ ...required, ...snake, ...comparisons, ...deleted })

/** The same under `/v1`, whose responses are in camelCase. */
export const MetadataDefinition = Type.Object({ ...required, ...camel, ...comparisons, ...deleted })

const { type, ...defaulted } = required
const changed = { type, array: Maybe(defaulted.array), optional: Maybe(defaulted.optional) }
/** Described in one spelling: generated clients make names of the fields, in which both would be the same. */
const oneSpelling = (form: TSchema) => ({ [shownAs]: (): TSchema => form })
const SentDefinition = Type.Object(
  { ...required, ...camel, ...snake, ...comparisons, ...deleted },
  oneSpelling(MetadataDefinition),
)
const ChangedDefinition = Type.Object(
  { ...changed, ...camel, ...snake, ...comparisons, ...deleted },
  oneSpelling(Type.Object({ ...changed, ...camel, ...comparisons, ...deleted })),
)
const ManagedChangedDefinition = Type.Object({ ...changed, ...snake, ...comparisons, ...deleted })

const described = {
  id: Type.String({ description: '`ms_` and 24 characters.' }),
  related_object: Name,
}
const stamps = {
  allow_defined_only: Nullable(Type.Boolean()),
  created_at: Instant,
  updated_at: Nullable(Instant),
  object: Type.Literal('metadata_schema'),
}

export const ManagedMetadataSchema = Type.Object({
  ...described,
  properties: MapOf(ManagedMetadataDefinition),
  ...stamps,
})
export type ManagedMetadataSchema = Static<typeof ManagedMetadataSchema>

export const MetadataSchema = Type.Object({ ...described, properties: MapOf(MetadataDefinition), ...stamps })
export type MetadataSchema = Static<typeof MetadataSchema>

export const ManagedMetadataSchemaList = listOf('data', ManagedMetadataSchema, { total: true })
export const MetadataSchemaList = listOf('schemas', MetadataSchema, { total: true })

const RelatedObject = Type.String({
  minLength: 1,
  maxLength: limits.name_length_max,
  description: 'The kind of object whose metadata it describes, or the name of a nested schema.',
})
const AllowDefinedOnly = Maybe(Type.Boolean({ description: 'Refuses keys that the schema does not define.' }))

export const CreateManagedMetadataSchema = Type.Object(
  {
    related_object: RelatedObject,
    allow_defined_only: AllowDefinedOnly,
    properties: MapOf(ManagedMetadataDefinition),
  },
  {
    examples: [
      {
        related_object: 'address',
        allow_defined_only: false,
        properties: { city: { type: 'string', array: false, optional: false, max_length: 100 } },
      },
    ],
  },
)
export type CreateManagedMetadataSchema = Static<typeof CreateManagedMetadataSchema>

/** Under `/v1`, definitions may be sent in camelCase and in snake_case. */
export const CreateMetadataSchema = Type.Object(
  { related_object: RelatedObject, allow_defined_only: AllowDefinedOnly, properties: MapOf(SentDefinition) },
  {
    examples: [
      {
        related_object: 'customer',
        allow_defined_only: false,
        properties: { language: { type: 'string', array: false, optional: true, eq: ['en', 'pl'] } },
      },
    ],
  },
)
export type CreateMetadataSchema = Static<typeof CreateMetadataSchema>

export const UpdateManagedMetadataSchema = Type.Object({
  allow_defined_only: AllowDefinedOnly,
  properties: MapOf(ManagedChangedDefinition),
})
export type UpdateManagedMetadataSchema = Static<typeof UpdateManagedMetadataSchema>

export const UpdateMetadataSchema = Type.Object({
  allow_defined_only: AllowDefinedOnly,
  properties: MapOf(ChangedDefinition),
})
export type UpdateMetadataSchema = Static<typeof UpdateMetadataSchema>
