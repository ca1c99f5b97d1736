import { Instant, MapOf, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { limits } from '../../core/lib/limits.ts'
import { listOf } from '../../core/query/list.ts'

/** The definition of one metadata key of an event. */
export const CustomEventProperty = Type.Object({
  type: OneOf(['string', 'number', 'date', 'datetime', 'boolean']),
  optional: Type.Boolean(),
  deleted: Type.Optional(Type.Boolean({ description: 'Not checked any more.' })),
})
export type CustomEventProperty = Static<typeof CustomEventProperty>

const schema = Type.Object({ properties: MapOf(CustomEventProperty) })

const EventName = Type.String({ minLength: 1, maxLength: limits.event_name_length_max })

export const CustomEventSchema = Type.Object({
  id: Type.String({ description: '`ms_` and 24 characters.' }),
  name: EventName,
  schema,
  created_at: Instant,
  updated_at: Type.Optional(Instant),
  object: Type.Literal('custom-event-schema'),
})
export type CustomEventSchema = Static<typeof CustomEventSchema>

export const CustomEventSchemaList = listOf('data', CustomEventSchema, { total: true })

export const CreateCustomEventSchema = Type.Object(
  { name: EventName, schema },
  {
    examples: [{ name: 'sign-up', schema: { properties: { plan: { type: 'string', optional: true } } } }],
  },
)
export type CreateCustomEventSchema = Static<typeof CreateCustomEventSchema>

export const UpdateCustomEventSchema = Type.Object({ schema })
export type UpdateCustomEventSchema = Static<typeof UpdateCustomEventSchema>
