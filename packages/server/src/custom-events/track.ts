import type { Ctx } from '../context.ts'
import { checkCustomEventMetadata } from '../custom-event-schemas/check.ts'
import { getCustomEventSchema } from '../custom-event-schemas/store.ts'
import { toSimpleCustomer } from '../customers/customer.ts'
import { upsertCustomer } from '../customers/upsert.ts'
import { emit } from '../events/emit.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { newId } from '../lib/ids.ts'
import { noteChanged } from '../segments/changed.ts'
import type { TrackEvent, TrackedEvent } from './schema.ts'
import { insertCustomEvent } from './store.ts'

/** Stores what a customer did. Sent twice, it happened twice (spec 04, 10.2). */
export async function trackEvent(ctx: Ctx, body: TrackEvent): Promise<TrackedEvent> {
  const schema = await getCustomEventSchema(ctx, body.event)
  const metadata = body.metadata ?? {}
  checkCustomEventMetadata(schema, metadata)
  const code = body.referral?.code ?? body.loyalty?.code
  if (code !== undefined) throw notFound('voucher', code) // there is none yet that could refer or earn
  const { id, source_id } = body.customer
  if ((id ?? source_id ?? null) === null)
    throw new ApiError('invalid_customer', { details: `Property .customer should have 'id' or 'source_id'` })

  const { customer } = await upsertCustomer(ctx, body.customer)
  const said = { type: body.event, metadata, referral: null, loyalty: null }
  const event = { ...said, id: newId('custom_event'), created_at: ctx.now }
  await insertCustomEvent(ctx, { ...event, customer_id: customer.id, metadata: JSON.stringify(metadata) })
  const actor = toSimpleCustomer(customer)
  await emit(ctx, 'customer.custom_event', customer.id, {
    event: { ...event, object: 'event', customer: actor },
    event_schema: { id: schema.id, name: schema.name },
    customer: actor,
    referral: null,
    loyalty: null,
  })
  await noteChanged(ctx, [customer.id])
  return { object: 'event', ...said, customer: actor }
}
