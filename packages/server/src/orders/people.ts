import type { StoredCustomer } from '../audience/customers/customer.ts'
import type { CustomerBody } from '../audience/customers/schema.ts'
import { findCustomerById, findCustomerBySource, getCustomer, listCustomersById } from '../audience/customers/store.ts'
import { type UpsertOptions, upsertCustomer } from '../audience/customers/upsert.ts'
import type { Ctx } from '../core/context.ts'
import type { CustomerRow } from '../core/db/tables.ts'
import type { OrderInput } from './input.ts'
import type { StoredOrder } from './order.ts'

type CustomerId = CustomerRow['id']

/** The customer and the referrer of an order. The order keeps the id of a deleted customer; the customer itself is then null. */
export interface People {
  customer_id: CustomerId | null
  customer: StoredCustomer | null
  referrer_id: CustomerId | null
  referrer: StoredCustomer | null
}

/**
 * The customer and the referrer of an order after a request: those in the request, created or updated
 * (docs/reference/customers.md#how-requests-name-a-customer), otherwise those of the stored order. The customer stays locked
 * until the end of the transaction.
 */
export async function peopleOf(
  ctx: Ctx,
  before: StoredOrder | null,
  { customer, referrer, referrer_id }: OrderInput,
  options: UpsertOptions,
  /** The customer whose summary counts the order so far. */
  previousId: CustomerId | null,
): Promise<People> {
  const bodies: CustomerBodies = {
    ...(hasCustomerFields(customer) ? { customer } : {}),
    ...(hasCustomerFields(referrer) ? { referrer } : {}),
  }
  await lockInIdOrder(ctx, previousId, bodies)
  const customers = await findOrUpsert(ctx, bodies, options)

  const storedCustomerId = before?.customer_id ?? null
  const keptReferrerId = referrer_id === undefined ? (before?.referrer_id ?? null) : null
  const people: People = {
    customer_id: customers.customer?.id ?? storedCustomerId,
    customer: customers.customer ?? (await customerOf(ctx, storedCustomerId, { lock: true })),
    referrer_id: customers.referrer?.id ?? keptReferrerId,
    referrer: customers.referrer ?? (await customerOf(ctx, keptReferrerId, { lock: false })),
  }
  if (customers.referrer !== undefined || typeof referrer_id !== 'string') return people
  const referrerById = await getCustomer(ctx, referrer_id)
  return { ...people, referrer: referrerById, referrer_id: referrerById.id }
}

type Role = 'customer' | 'referrer'
type CustomerBodies = Partial<Record<Role, CustomerBody>>

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
 * Whether a customer object has any field set. An order with an empty customer object has no customer; otherwise every such
 * order would create an anonymous one (docs/reference/customers.md#how-requests-name-a-customer).
 */
export const hasCustomerFields = (sent: CustomerBody | undefined): sent is CustomerBody =>
  sent !== undefined &&
  (sent.id != null || sent.source_id != null || profileFields.some((name) => sent[name] != null && isSet(sent[name])))

/** Whether the body has profile fields besides `id` and `source_id`; null counts, because it clears a field. */
export const hasProfile = (sent: CustomerBody): boolean => profileFields.some((name) => isSet(sent[name]))

const isSet = (value: unknown): boolean =>
  value !== undefined && (typeof value !== 'object' || value === null || Object.keys(value).length > 0)

/**
 * Locks the existing customers that this request will change in the order of their ids, if there are several. Otherwise two
 * orders whose customer and referrer are swapped would deadlock. A referrer sent without profile fields is not changed and not
 * locked: half of all orders may name the same one.
 */
async function lockInIdOrder(
  ctx: Ctx,
  previousId: CustomerId | null,
  { customer, referrer }: CustomerBodies,
): Promise<void> {
  const sent = [customer, referrer !== undefined && hasProfile(referrer) ? referrer : undefined]
  const ids = new Set<CustomerId>(previousId === null ? [] : [previousId])
  const changes = sent.filter((body) => body !== undefined)
  if (changes.length === 0 || changes.length + ids.size < 2) return
  for (const { id, source_id } of changes) {
    if (id != null) ids.add(id as CustomerId)
    else if (source_id != null) {
      const known = await findCustomerBySource(ctx, source_id)
      if (known !== undefined) ids.add(known.id)
    }
  }
  if (ids.size > 1) await listCustomersById(ctx, [...ids], { lock: true })
}

/** Upserts in the order of the ids or source ids: two requests that create the same two customers would otherwise deadlock. */
async function findOrUpsert(
  ctx: Ctx,
  bodies: CustomerBodies,
  options: UpsertOptions,
): Promise<Partial<Record<Role, StoredCustomer>>> {
  const customers: Partial<Record<Role, StoredCustomer>> = {}
  const keyOf = (role: Role) => bodies[role]?.id ?? bodies[role]?.source_id ?? ''
  const roles: Role[] = keyOf('customer') <= keyOf('referrer') ? ['customer', 'referrer'] : ['referrer', 'customer']
  for (const role of roles) {
    const sent = bodies[role]
    if (sent === undefined) continue
    const known = hasProfile(sent) ? undefined : await findExisting(ctx, sent, { lock: role === 'customer' })
    customers[role] = known ?? (await upsertCustomer(ctx, sent, options)).customer
  }
  return customers
}

/** A customer sent without profile fields is only looked up, not written. */
async function findExisting(
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
