import { InstantInput, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { Activity } from '../../core/events/activities.ts'
import { eventTypes } from '../../core/events/catalogue.ts'
import { limits } from '../../core/lib/limits.ts'
import { CursorQuery } from '../../core/query/list.ts'

/** An event as it is stored (docs/reference/events.md#event-record). */
export const StoredEvent = Type.Object({
  ...Activity.properties,
  entity_id: Type.String({ description: 'The id of the object that the event is about.' }),
})
export type StoredEvent = Static<typeof StoredEvent>

export const StoredEventList = Type.Object({
  object: Type.Literal('list'),
  data_ref: Type.Literal('data'),
  data: Type.Array(StoredEvent),
  has_more: Type.Boolean({
    description:
      'A page may be short and still be followed by others; an empty one only after a million events that do not match.',
  }),
  cursor: Type.String({ description: 'Where the next page begins. Keep it, also when there are no more events yet.' }),
})
export type StoredEventList = Static<typeof StoredEventList>

const { limit, order } = CursorQuery({ order: ['created_at', '-created_at'] })

export const StoredEventQuery = Type.Object({
  limit,
  order,
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The `cursor` of the page before; `end`: after everything that has happened until now.',
    }),
  ),
  type: Type.Optional(
    Type.Array(OneOf(eventTypes), { maxItems: limits.filter_values_max, description: 'Repeat it for several.' }),
  ),
  category: Type.Optional(Activity.properties.category),
  entity_id: Type.Optional(Type.String({ minLength: 1 })),
  group_id: Type.Optional(Type.String({ minLength: 1, description: 'The id of the request that caused them.' })),
  campaign_id: Type.Optional(Type.String({ minLength: 1 })),
  voucher_id: Type.Optional(Type.String({ minLength: 1 })),
  created_at: Type.Optional(Type.Object({ before: Type.Optional(InstantInput), after: Type.Optional(InstantInput) })),
})
export type StoredEventQuery = Static<typeof StoredEventQuery>
