import { Metadata, Name, Nullable } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { clientReply } from '../../audience/customers/client-view.ts'
import { CustomerBody } from '../../audience/customers/schema.ts'
import { CustomEvent } from '../../core/events/shapes.ts'
import { limits } from '../../core/lib/limits.ts'

/** An action of a customer in the shop, as sent by the shop. */
export const TrackEvent = Type.Object(
  {
    event: Type.String({ minLength: 1, maxLength: limits.event_name_length_max }),
    customer: CustomerBody,
    referral: Type.Optional(Nullable(Type.Object({ code: Name, referrer_id: Type.Optional(Nullable(Name)) }))),
    loyalty: Type.Optional(Nullable(Type.Object({ code: Name }))),
    metadata: Type.Optional(Nullable(Metadata)),
  },
  {
    examples: [{ event: 'newsletter_signed_up', customer: { source_id: 'customer-1' }, metadata: { channel: 'web' } }],
  },
)
export type TrackEvent = Static<typeof TrackEvent>

const { id: _, created_at: __, ...trackedEvent } = CustomEvent.properties

export const TrackedEvent = Type.Object({ ...trackedEvent, referral: Type.Null(), loyalty: Type.Null() })
export type TrackedEvent = Static<typeof TrackedEvent>

/** The same on the client side (docs/reference/client-side.md#answers). */
export const ClientTrackedEvent = clientReply(TrackedEvent)
