import type { CustomerFacts } from '@guerdon/engine/schema'
import { newCustomerRow, type StoredCustomer, toCustomer } from '../../audience/customers/customer.ts'
import { ambiguous, isPage } from '../../audience/customers/on-client-side.ts'
import { withProfile } from '../../audience/customers/upsert.ts'
import { configuredDefinitions } from '../../audience/segments/configured-definitions.ts'
import { segmentsOf } from '../../audience/segments/definitions.ts'
import { asksForSegments } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { newId } from '../../core/lib/ids.ts'
import type { CheckoutRows, Versioned } from './checkout-rows.ts'
import type { CheckoutRequest } from './request.ts'

/** The customer of a request. */
export interface Buyer {
  /** As stored; null: new, anonymous, or none. */
  stored: Versioned<StoredCustomer> | null
  /** With the profile that the request sends (docs/reference/requests.md#customer); null: none. */
  customer: StoredCustomer | null
}

/**
 * The customer of a request, first hit: the one it names, else the one of the stored order, else the holder of a loyalty
 * card among the redeemables (`namedCustomer` in details.ts). An unknown customer that the request names gets its id here; a
 * redemption creates it under this id.
 */
export function buyerOf(
  ctx: Ctx,
  { customer: sent, tracked }: CheckoutRequest,
  { caller, is_unproven }: CheckoutRows,
): Buyer {
  const sourceId = caller === null ? (sent?.source_id ?? tracked?.source_id ?? null) : caller.source_id
  if (tracked !== null && sourceId !== tracked.source_id) throw ambiguous(tracked.sent, sent?.sent ?? null)
  // The card names a holder that the page has not proven: anybody but the holder, so that the card is refused.
  if (sent === null && is_unproven)
    return {
      stored: null,
      customer: newCustomerRow({ id: newId('customer', Date.parse(ctx.now)), source_id: null }, ctx.now),
    }
  if (sent === null) return { stored: caller, customer: caller }
  const before =
    caller ?? newCustomerRow({ id: newId('customer', Date.parse(ctx.now)), source_id: sent.source_id }, ctx.now)
  return { stored: caller, customer: withProfile(before, sent.profile) }
}

/** The customer as rules and formulas see it, with the segments that it is in at that moment. */
export function customerFacts(
  { now, project, caller }: Pick<Ctx, 'now' | 'project' | 'caller'>,
  buyer: Buyer,
  rows: CheckoutRows,
): CustomerFacts | null {
  // Whom the shop knows does not become somebody else by what a page says.
  const customer = isPage({ caller }) ? (buyer.stored ?? buyer.customer) : buyer.customer
  if (customer === null) return null
  const { source_id, birthdate, birthday, metadata, loyalty } = customer
  return {
    id: customer.id,
    source_id,
    birthdate: birthdate ?? birthday,
    metadata,
    segments: asksForSegments(rows.configuration) ? segmentsAt({ now, project }, customer, rows) : [],
    loyalty_tiers: Object.values(loyalty.campaigns).flatMap(({ loyalty_tier }) => loyalty_tier ?? []),
  }
}

function segmentsAt(at: Pick<Ctx, 'now' | 'project'>, customer: StoredCustomer, rows: CheckoutRows): string[] {
  const { configuration, segments, events, publications } = rows
  const dynamicSegments = segmentsOf(
    configuredDefinitions(configuration),
    { customer: toCustomer(customer), events, publications },
    at,
  )
  // Stored memberships of dynamic segments may lag behind: these are recomputed.
  const dynamicIds = new Set<string>(configuration.segments.map(({ id }) => id))
  return [...segments.filter((id) => !dynamicIds.has(id)), ...dynamicSegments]
}
