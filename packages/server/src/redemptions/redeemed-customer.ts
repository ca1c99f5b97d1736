import { isDeepStrictEqual } from 'node:util'
import { type StoredCustomer, toCustomer } from '../audience/customers/customer.ts'
import { disabledOnClient, isPage, mayWriteCustomers, unproven } from '../audience/customers/on-client-side.ts'
import { sentMetadata } from '../audience/customers/upsert.ts'
import type { Checkout } from '../checkout/decision/facts.ts'
import type { Ctx } from '../core/context.ts'
import type { CustomerChange, CustomerFigure } from '../core/db/checkout-changes.ts'
import type { NewEvent } from '../core/events/emit.ts'
import { notFound } from '../core/http/errors.ts'
import { idPrefix } from '../core/lib/ids.ts'
import { metadataRulesOf } from '../definitions/metadata-schemas/configured-rules.ts'
import { invalidAmount } from '../orders/input.ts'

/** The customer after the redemption, without its new figures, and whether its row has to be inserted or updated. */
export interface RedeemingCustomer {
  /** Null: the redemption has no customer. */
  customer: StoredCustomer | null
  isNew: boolean
  isChanged: boolean
  xmin: string | null
  events: NewEvent[]
}

/**
 * Refuses an unproven customer, an unknown customer id, and a new customer from a client side that may not create customers
 * (docs/reference/client-side.md#common-rules).
 */
export function refuseCustomer(ctx: Ctx, { request: { customer: sent }, rows, buyer }: Checkout): void {
  if (rows.is_unproven) throw unproven()
  if (sent === null || buyer.stored !== null) return
  const id = sent.id !== null && (sent.source_id === null || sent.id.startsWith(idPrefix('customer'))) ? sent.id : null
  if (id !== null) throw notFound('customer', id)
  if (!mayWriteCustomers(ctx)) throw disabledOnClient('client_create_customer_enabled')
}

/** The redeeming customer: created, or updated with the profile that was sent (docs/reference/requests.md#customer). */
export function redeemingCustomer(ctx: Ctx, { request, buyer, rows }: Checkout): RedeemingCustomer {
  const { stored, customer } = buyer
  const profile = request.customer?.profile ?? {}
  const rules = metadataRulesOf(rows.configuration, 'customer')
  if (customer === null) return { customer: null, isNew: false, isChanged: false, xmin: null, events: [] }
  if (stored === null) {
    if (!isPage(ctx)) rules.check(profile.metadata ?? {}, { isNew: true })
    const created: StoredCustomer = { ...customer, project_id: ctx.project_id }
    return {
      customer: created,
      isNew: true,
      isChanged: true,
      xmin: null,
      events: [customerEvent('customer.created', created)],
    }
  }
  const { xmin, ...before } = stored
  // The request sends no profile.
  if (customer === stored) return { customer: before, isNew: false, isChanged: false, xmin, events: [] }
  const { xmin: _, ...evaluated } = customer as typeof stored
  if (!mayWriteCustomers(ctx) || isDeepStrictEqual(before, evaluated))
    return { customer: before, isNew: false, isChanged: false, xmin, events: [] }
  const metadata = rules.merged(before.metadata, sentMetadata(ctx, profile))
  const changed = { ...evaluated, metadata, updated_at: ctx.now }
  return {
    customer: changed,
    isNew: false,
    isChanged: true,
    xmin,
    events: [customerEvent('customer.updated', changed)],
  }
}

const customerEvent = (type: 'customer.created' | 'customer.updated', customer: StoredCustomer): NewEvent => ({
  type,
  entity_id: customer.id,
  data: { customer: toCustomer(customer) },
})

export interface CustomerMove {
  add: Partial<Record<CustomerFigure, number>>
  latest?: { amount: number; date: string }
  looks_for_latest?: true
}

/** The change of the customer row. Refuses a sum that is too large to be exact, as it would an amount. */
export function customerChange(
  { customer, isNew, isChanged, xmin }: RedeemingCustomer,
  { add, latest, looks_for_latest }: CustomerMove,
): CustomerChange | null {
  if (customer === null) return null
  for (const [figure, by] of Object.entries(add) as Array<[CustomerFigure, number]>)
    if (!Number.isSafeInteger(customer[figure] + by)) throw invalidAmount()
  if (isNew) {
    const figures = Object.fromEntries(
      (Object.entries(add) as Array<[CustomerFigure, number]>).map(([figure, by]) => [figure, customer[figure] + by]),
    )
    const last = latest === undefined ? {} : { last_order_amount: latest.amount, last_order_date: latest.date }
    return { id: customer.id, row: { ...customer, ...figures, ...last } }
  }
  return {
    id: customer.id,
    ...(isChanged && xmin !== null ? { xmin, set: profileOf(customer) } : {}),
    add,
    ...(latest === undefined ? {} : { latest }),
    ...(looks_for_latest === undefined ? {} : { looks_for_latest }),
  }
}

function profileOf(customer: StoredCustomer): Partial<StoredCustomer> {
  const { name, description, email, phone, birthdate, birthday, address, metadata, updated_at } = customer
  return { name, description, email, phone, birthdate, birthday, address, metadata, updated_at }
}
