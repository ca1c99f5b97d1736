import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { tally } from '../../core/db/tallies.ts'
import { deleteEvents } from '../../core/events/delete-events.ts'
import { emit } from '../../core/events/emit.ts'
import { newId } from '../../core/lib/ids.ts'
import { type StoredCustomer, toCustomer } from './customer.ts'
import { scheduleLateErasure } from './late-events.ts'
import type { PermanentDeletion } from './schema.ts'
import { updateCustomer } from './store.ts'

/**
 * Soft-deletes a customer. Its `source_id` is free at once; its orders, redemptions and events keep its id
 * (docs/reference/customers.md#endpoints).
 */
export async function hideCustomer(ctx: Ctx, { id, source_id }: StoredCustomer): Promise<void> {
  const { db, project_id, now } = ctx
  const hidden = await updateCustomer(ctx, id, {
    source_id: source_id === null ? null : `${source_id}_deleted${now}`,
    deleted_at: now,
  })
  await tally(db, project_id, 'customers', -1)
  await deleteMemberships(ctx, id)
  await emit(ctx, 'customer.deleted', id, { customer: toCustomer(hidden) })
}

/** Deletes a customer and all data about it permanently, and returns how many rows of each kind were deleted. */
export async function eraseCustomer(ctx: Ctx, { id, deleted_at }: StoredCustomer): Promise<PermanentDeletion> {
  const { db, project_id, now } = ctx
  const deleteRows = async (table: string, condition: ReturnType<typeof sql>): Promise<number> => {
    const { numAffectedRows = 0n } =
      await sql`delete from ${sql.table(table)} where project_id = ${project_id} and ${condition}`.execute(db)
    return Number(numAffectedRows)
  }
  // Its own events first: events of other objects may share stored parts with them.
  const ownEvents = await deleteEvents(db, project_id, sql`entity_id = ${id}`)
  const orderEvents = ownEvents.filter((type) => type.startsWith('customer.order.')).length
  const holdingEvents = await ctx.reactions.customerErased(ctx, id)
  // Deleting its loyalty cards has emitted new events about the customer.
  const lateEvents = await deleteEvents(db, project_id, sql`entity_id = ${id}`)
  const customerEvents = ownEvents.length - orderEvents + holdingEvents + lateEvents.length
  const events = await deleteRows('custom_events', sql`customer_id = ${id}`)
  await deleteRows('custom_event_tallies', sql`customer_id = ${id}`)
  const orders = await deleteRows('orders', sql`customer_id = ${id}`)
  await sql`update orders set referrer_id = null where project_id = ${project_id} and referrer_id = ${id}`.execute(db)
  const segments = await deleteMemberships(ctx, id)
  await deleteRows('consent_decisions', sql`customer_id = ${id}`)
  await deleteRows('customers', sql`id = ${id}`)
  if (deleted_at === null) await tally(db, project_id, 'customers', -1)
  await tally(db, project_id, 'orders', -orders)
  await scheduleLateErasure(ctx, id)
  return {
    id: newId('permanent_deletion'),
    created_at: now,
    related_object_id: id,
    related_object: 'customer',
    status: 'DONE',
    data_json: {
      events,
      customer_events: customerEvents,
      daily_events: 0,
      segments,
      orders,
      order_events: orderEvents,
      customer: 1,
    },
    object: 'pernament_deletion',
  }
}

async function deleteMemberships({ db, project_id }: Ctx, id: StoredCustomer['id']): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('segment_members')
    .where('project_id', '=', project_id)
    .where('customer_id', '=', id)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
