import type { StoredCustomer } from '../audience/customers/customer.ts'
import type { CustomerBody } from '../audience/customers/schema.ts'
import { findCustomerById, findCustomerBySource, getCustomer, listCustomersById } from '../audience/customers/store.ts'
import { type UpsertOptions, upsertCustomer } from '../audience/customers/upsert.ts'
import type { Ctx } from '../core/context.ts'
import type { CustomerRow } from '../core/db/tables.ts'
import type { OrderInput } from './input.ts'
import type { StoredOrder } from './order.ts'

type CustomerId = CustomerRow['id']

/** Who an order belongs to and who brought it. The ids may outlive the customers: a deleted one is nobody (null). */
export interface People {
  customer_id: CustomerId | null
  customer: StoredCustomer | null
  referrer_id: CustomerId | null
  referrer: StoredCustomer | null
}

/**
 * The customer and the referrer of an order after a request: those it names, created or brought up to date
 * (docs/reference/customers.md#how-requests-name-a-customer), and otherwise those the order has. The customer stays locked until
 * the end of the transaction.
 */
export async function peopleOf(
  ctx: Ctx,
  before: StoredOrder | null,
  { customer, referrer, referrer_id }: OrderInput,
  options: UpsertOptions,
): Promise<People> {
  const named: Named = {
    ...(saysAnything(customer) ? { customer } : {}),
    ...(saysAnything(referrer) ? { referrer } : {}),
  }
  await lockInOrder(ctx, before, named)
  const found = await findOrUpsert(ctx, named, options)

  const storedCustomerId = before?.customer_id ?? null
  const keptReferrerId = referrer_id === undefined ? (before?.referrer_id ?? null) : null
  const people: People = {
    customer_id: found.customer?.id ?? storedCustomerId,
    customer: found.customer ?? (await customerOf(ctx, storedCustomerId, { lock: true })),
    referrer_id: found.referrer?.id ?? keptReferrerId,
    referrer: found.referrer ?? (await customerOf(ctx, keptReferrerId, { lock: false })),
  }
  if (found.referrer !== undefined || typeof referrer_id !== 'string') return people
  const chosen = await getCustomer(ctx, referrer_id)
  return { ...people, referrer: chosen, referrer_id: chosen.id }
}

type Role = 'customer' | 'referrer'
type Named = Partial<Record<Role, CustomerBody>>

const profileFields = [
  'name',
  'description',
  'email',
  'phone',
  'birthdate',
  'birthday',
  'address',
  'metadata',
] as const satisfies ReadonlyArray<keyof CustomerBody>

/**
 * An order without any field of a customer has none, rather than a new one without a name
 * (docs/reference/customers.md#how-requests-name-a-customer).
 */
export const saysAnything = (sent: CustomerBody | undefined): sent is CustomerBody =>
  sent !== undefined &&
  (sent.id != null || sent.source_id != null || profileFields.some((name) => sent[name] != null && isSaid(sent[name])))

/** Whether more is said of a customer than who it is; null says that something is to be cleared. */
export const hasProfile = (sent: CustomerBody): boolean => profileFields.some((name) => isSaid(sent[name]))

const isSaid = (value: unknown): boolean =>
  value !== undefined && (typeof value !== 'object' || value === null || Object.keys(value).length > 0)

/**
 * Locks all customers that this request will change, in the order of their ids, if there are several: one who buys on the
 * word of another and the other way round would wait for each other. Those who are new are nobody's to wait for. A
 * referrer who is only named is not changed: half of all orders may name the same.
 */
async function lockInOrder(ctx: Ctx, before: StoredOrder | null, { customer, referrer }: Named): Promise<void> {
  const sent = [customer, referrer !== undefined && hasProfile(referrer) ? referrer : undefined]
  const ids = new Set<CustomerId>(before?.customer_id == null ? [] : [before.customer_id])
  const changed = sent.filter((one) => one !== undefined)
  if (changed.length === 0 || changed.length + ids.size < 2) return
  for (const { id, source_id } of changed) {
    if (id != null) ids.add(id as CustomerId)
    else if (source_id != null) {
      const known = await findCustomerBySource(ctx, source_id)
      if (known !== undefined) ids.add(known.id)
    }
  }
  if (ids.size > 1) await listCustomersById(ctx, [...ids], { lock: true })
}

/** In the order of what they are called: two requests that create the same two would otherwise wait for each other. */
async function findOrUpsert(
  ctx: Ctx,
  named: Named,
  options: UpsertOptions,
): Promise<Partial<Record<Role, StoredCustomer>>> {
  const found: Partial<Record<Role, StoredCustomer>> = {}
  const nameOf = (role: Role) => named[role]?.id ?? named[role]?.source_id ?? ''
  const roles: Role[] = nameOf('customer') <= nameOf('referrer') ? ['customer', 'referrer'] : ['referrer', 'customer']
  for (const role of roles) {
    const sent = named[role]
    if (sent === undefined) continue
    const known = hasProfile(sent) ? undefined : await findNamed(ctx, sent, { lock: role === 'customer' })
    found[role] = known ?? (await upsertCustomer(ctx, sent, options)).customer
  }
  return found
}

/** Who is only named has nothing to be brought up to date. */
async function findNamed(
  ctx: Ctx,
  { id, source_id }: CustomerBody,
  options: { lock: boolean },
): Promise<StoredCustomer | undefined> {
  if (id != null) return findCustomerById(ctx, id, options)
  return source_id == null ? undefined : findCustomerBySource(ctx, source_id, options)
}

async function customerOf(ctx: Ctx, id: CustomerId | null, options: { lock: boolean }): Promise<StoredCustomer | null> {
  return id === null ? null : ((await findCustomerById(ctx, id, options)) ?? null)
}
