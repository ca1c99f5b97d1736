import type { Ctx } from '../../core/context.ts'
import { sourceIdOf } from '../../core/http/tracking-id.ts'
import type { StoredCustomer } from './customer.ts'
import { actsFor, ambiguous } from './on-client-side.ts'
import { findCustomer, findCustomerBySource } from './store.ts'

/** How a client-side request names its customer: an id, a source id or a tracking id, which may stand for either. */
interface Names {
  customer?: string
  tracking_id?: string
}

/**
 * The customer that a client-side request acts for (docs/reference/client-side.md#identity). Undefined if it names none, an unknown
 * one or, without proof, an existing one: the caller does not learn which.
 */
export async function findActingCustomer(
  ctx: Ctx,
  { customer, tracking_id: trackingId }: Names,
): Promise<StoredCustomer | undefined> {
  const tracked = trackingId === undefined ? undefined : sourceIdOf(ctx.project, trackingId)
  const named = customer === undefined ? undefined : sourceIdOf(ctx.project, customer)
  const found =
    named === undefined ? tracked && (await findCustomerBySource(ctx, tracked)) : await findCustomer(ctx, named) // an id or a source id
  // Also if there is no such customer: the answer must not tell.
  if (tracked !== undefined && named !== undefined && named !== tracked && (!found || found.source_id !== tracked))
    throw ambiguous(trackingId as string, customer as string)
  return found && actsFor(ctx, found) ? found : undefined
}
