import { isDeepStrictEqual } from 'node:util'
import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import { notFound } from '../../core/http/errors.ts'
import { warn } from '../../core/http/warnings.ts'
import { newId } from '../../core/lib/ids.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { queueMembershipCheck } from '../segments/queue-membership-check.ts'
import { type StoredCustomer, toCustomer } from './customer.ts'
import { isPage } from './on-client-side.ts'
import type { CustomerBody, CustomerProfile } from './schema.ts'
import { findCustomerById, findCustomerBySource, insertCustomer, updateCustomer } from './store.ts'

export interface UpsertOptions {
  /** Preloaded by callers that write many customers. */
  rules?: MetadataRules
  /**
   * Which events are not emitted. Bulk updates emit no `customer.updated` (docs/reference/events.md#what-webhook-types-carry); imports
   * of orders no `customer.created` either (docs/reference/orders.md#import).
   */
  silent?: 'no' | 'updates' | 'all'
  /** Decides whether an existing customer is updated or left as it is, or throws. Default: updated. */
  mayChange?(existing: StoredCustomer): boolean
}

export interface Upserted {
  customer: StoredCustomer
  isNew: boolean
}

/**
 * Creates or updates the customer of a request (docs/reference/customers.md#how-requests-name-a-customer): by `id`, which must
 * exist; else by `source_id`; else as a new, anonymous one. The row stays locked until the end of the transaction, so concurrent
 * requests update it one after another and no update is lost.
 */
export async function upsertCustomer(ctx: Ctx, sent: CustomerBody, options: UpsertOptions = {}): Promise<Upserted> {
  const rules = options.rules ?? (await loadMetadataRules(ctx, 'customer'))
  const { id, source_id, ...profile } = sent
  if (id !== undefined && id !== null) {
    const found = await findCustomerById(ctx, id, { lock: true })
    if (found === undefined) throw notFound('customer', id)
    return { customer: await changeIfAllowed(ctx, found, profile, { ...options, rules }), isNew: false }
  }
  for (;;) {
    const found =
      source_id === undefined || source_id === null
        ? undefined
        : await findCustomerBySource(ctx, source_id, { lock: true })
    if (found !== undefined)
      return { customer: await changeIfAllowed(ctx, found, profile, { ...options, rules }), isNew: false }
    const created = await createCustomer(ctx, source_id ?? null, profile, { ...options, rules })
    if (created !== undefined) return { customer: created, isNew: true }
    // A concurrent request has just created this customer: retry as an update.
  }
}

async function changeIfAllowed(
  ctx: Ctx,
  existing: StoredCustomer,
  profile: CustomerProfile,
  options: UpsertOptions & { rules: MetadataRules },
): Promise<StoredCustomer> {
  return options.mayChange?.(existing) === false ? existing : changeCustomer(ctx, existing, profile, options)
}

async function createCustomer(
  ctx: Ctx,
  sourceId: string | null,
  profile: CustomerProfile,
  { rules, silent = 'no' }: UpsertOptions & { rules: MetadataRules },
): Promise<StoredCustomer | undefined> {
  const metadata = sentMetadata(ctx, profile)
  if (!isPage(ctx)) rules.check(metadata, { isNew: true })
  const customer = await insertCustomer(ctx, {
    id: newId('customer', Date.parse(ctx.now)),
    source_id: sourceId,
    ...columnsOf(profile),
    metadata: JSON.stringify(metadata),
    created_at: ctx.now,
  })
  if (customer === undefined) return undefined
  if (silent !== 'all') await emit(ctx, 'customer.created', customer.id, { customer: toCustomer(customer) })
  await queueMembershipCheck(ctx, [customer.id])
  return customer
}

/** Merges the sent fields into a locked customer. Emits `customer.updated` only if a value other than `updated_at` changed. */
export async function changeCustomer(
  ctx: Ctx,
  customer: StoredCustomer,
  profile: CustomerProfile,
  { rules, silent = 'no' }: UpsertOptions & { rules: MetadataRules },
): Promise<StoredCustomer> {
  const metadata = rules.merged(customer.metadata, sentMetadata(ctx, profile))
  const updated = await updateCustomer(ctx, customer.id, {
    ...columnsOf(profile, customer),
    metadata: JSON.stringify(metadata),
    updated_at: ctx.now,
  })
  await queueMembershipCheck(ctx, [updated.id]) // always: `updated_at` has changed at least, and segments may filter by it
  if (silent === 'no' && !isSame(customer, updated))
    await emit(ctx, 'customer.updated', updated.id, { customer: toCustomer(updated) })
  return updated
}

/** The metadata that a request sets. Rules compare metadata, so a page sets none (docs/reference/client-side.md#answers). */
export function sentMetadata(ctx: Ctx, { metadata }: CustomerProfile): Record<string, unknown> {
  if (metadata == null || !isPage(ctx)) return metadata ?? {}
  warn(ctx, 'Metadata of a customer is for the server side only and was ignored.')
  return {}
}

interface ProfileColumns {
  name?: string | null
  description?: string | null
  email?: string | null
  phone?: string | null
  birthdate?: string | null
  birthday?: string | null
  /** JSON. */
  address?: string | null
}

/** The sent fields as columns; `null` clears a column. Parts of an address that were not sent are kept. */
function columnsOf(profile: CustomerProfile, stored?: StoredCustomer): ProfileColumns {
  const columns: ProfileColumns = {}
  for (const name of ['name', 'description', 'email', 'phone', 'birthdate', 'birthday'] as const)
    if (profile[name] !== undefined) columns[name] = profile[name]
  const { address } = profile
  if (address !== undefined)
    columns.address = address === null ? null : JSON.stringify({ ...stored?.address, ...addressOf(address) })
  return columns
}

/** The columns of a new customer with these fields, as JSON: for a statement that inserts several. */
export function newCustomerColumns(ctx: Ctx, sourceId: string, profile: CustomerProfile) {
  const { address, ...columns } = columnsOf(profile)
  return {
    id: newId('customer', Date.parse(ctx.now)),
    source_id: sourceId,
    ...columns,
    ...(address == null ? {} : { address: JSON.parse(address) as object }),
    metadata: sentMetadata(ctx, profile),
    created_at: ctx.now,
  }
}

/** A customer with the sent fields merged in, without saving it. */
export function withProfile(customer: StoredCustomer, profile: CustomerProfile): StoredCustomer {
  if (Object.keys(profile).length === 0) return customer
  const { address, ...columns } = columnsOf(profile, customer)
  return {
    ...customer,
    ...columns,
    ...(address === undefined ? {} : { address: address === null ? null : JSON.parse(address) }),
    metadata: { ...customer.metadata, ...profile.metadata },
  }
}

const addressParts = ['city', 'state', 'line_1', 'line_2', 'country', 'postal_code'] as const

/** The known parts of a sent address. */
function addressOf(sent: NonNullable<CustomerProfile['address']>): Record<string, string | null> {
  return Object.fromEntries(addressParts.flatMap((part) => (sent[part] === undefined ? [] : [[part, sent[part]]])))
}

function isSame({ updated_at: _, ...before }: StoredCustomer, { updated_at: __, ...after }: StoredCustomer): boolean {
  return isDeepStrictEqual(before, after)
}
