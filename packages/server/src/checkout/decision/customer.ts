import type { CustomerFacts } from '@guerdon/engine/schema'
import { newCustomerRow, type StoredCustomer, toCustomer } from '../../audience/customers/customer.ts'
import { overlaidProfile } from '../../audience/customers/upsert.ts'
import { configuredDefinitions } from '../../audience/segments/configured-definitions.ts'
import { segmentsOf } from '../../audience/segments/definitions.ts'
import { asksForSegments } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { newId } from '../../core/lib/ids.ts'
import type { CheckoutRows, Versioned } from './loaded.ts'
import { ambiguous, type CheckoutRequest } from './request.ts'

/** Whose request it is. */
export interface Buyer {
  /** As it is stored; null: somebody new, or without a name. */
  stored: Versioned<StoredCustomer> | null
  /** With what the request says of it, which counts for this request (docs/reference/requests.md#customer); null: nobody. */
  customer: StoredCustomer | null
}

/**
 * The customer of a request, first hit: the one it names, else the one of the stored order, else the holder of a loyalty
 * card among the redeemables (who that is, `checkout_facts` has found). One who is named and not known has an id from here
 * on, by which it is created if it redeems.
 */
export function buyerOf(
  ctx: Ctx,
  { customer: named, tracked_source }: CheckoutRequest,
  { caller }: CheckoutRows,
): Buyer {
  const sourceId = caller === null ? (named?.source_id ?? tracked_source) : caller.source_id
  if (tracked_source !== null && sourceId !== tracked_source) throw ambiguous(tracked_source, sourceId)
  if (named === null) return { stored: caller, customer: caller }
  const before =
    caller ?? newCustomerRow({ id: newId('customer', Date.parse(ctx.now)), source_id: named.source_id }, ctx.now)
  return { stored: caller, customer: overlaidProfile(before, named.profile) }
}

/** The customer as rules and formulas see it; segments are those it is in at that moment. */
export function customerFacts(
  { now, project }: Pick<Ctx, 'now' | 'project'>,
  { customer }: Buyer,
  loaded: CheckoutRows,
): CustomerFacts | null {
  if (customer === null) return null
  const { source_id, birthdate, birthday, metadata, loyalty } = customer
  return {
    id: customer.id,
    source_id,
    birthdate: birthdate ?? birthday,
    metadata,
    segments: asksForSegments(loaded.configuration) ? segmentsAt({ now, project }, customer, loaded) : [],
    loyalty_tiers: Object.values(loyalty.campaigns).flatMap(({ loyalty_tier }) => loyalty_tier ?? []),
  }
}

function segmentsAt(at: Pick<Ctx, 'now' | 'project'>, customer: StoredCustomer, loaded: CheckoutRows): string[] {
  const { configuration, segments, events, publications } = loaded
  const dynamic = segmentsOf(
    configuredDefinitions(configuration),
    { customer: toCustomer(customer), events, publications },
    at,
  )
  // Of the memberships that are stored, those of dynamic segments may be a moment behind.
  const isDynamic = new Set<string>(configuration.segments.map(({ id }) => id))
  return [...segments.filter((id) => !isDynamic.has(id)), ...dynamic]
}
