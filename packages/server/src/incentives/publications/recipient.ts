import type { StoredCustomer } from '../../audience/customers/customer.ts'
import { disabledOnClient, mayWriteCustomers, refuseUnlessActsFor } from '../../audience/customers/on-client-side.ts'
import type { CustomerBody } from '../../audience/customers/schema.ts'
import { upsertCustomer } from '../../audience/customers/upsert.ts'
import type { Ctx } from '../../core/context.ts'
import type { CustomerRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { idPrefix } from '../../core/lib/ids.ts'
import { hasCustomerFields, hasProfile } from '../../orders/people.ts'
import { rollbackUnlessResult } from './rollback-unless-result.ts'
import type { CreatePublication } from './schema.ts'

type RequestCustomer = CreatePublication['customer']

/** Whether a request identifies a customer: an empty object does not. */
export const identifiesCustomer = (sent: RequestCustomer): boolean =>
  typeof sent === 'string' || hasCustomerFields(sent)

/** Whether the request has customer data beyond its identity, and may write it. */
export const needsUpdate = (ctx: Ctx, sent: RequestCustomer): boolean =>
  typeof sent !== 'string' && hasProfile(sent) && mayWriteCustomers(ctx)

/**
 * The customer that receives the voucher, if it exists. It is locked against deletion until the end of the transaction;
 * with `exclusive` (FOR UPDATE), concurrent requests for the same customer run one after another.
 */
export async function findRecipient(
  ctx: Ctx,
  sent: RequestCustomer,
  { exclusive }: { exclusive: boolean },
): Promise<StoredCustomer | undefined> {
  const customer = await findAndLock(ctx, sent, exclusive)
  if (customer === undefined) refuseUnlessNew(ctx, sent)
  refuseUnlessActsFor(ctx, customer)
  return customer
}

/**
 * The customer after the request: created, or updated with the data that was sent
 * (docs/reference/customers.md#how-requests-name-a-customer). Undefined if a concurrent request created it meanwhile: the
 * caller must first check what that request published.
 */
export async function writeRecipient(
  ctx: Ctx,
  sent: RequestCustomer,
  existing: StoredCustomer | undefined,
): Promise<StoredCustomer | undefined> {
  const body: CustomerBody = typeof sent === 'string' ? { source_id: sent } : sent
  if (existing !== undefined)
    return needsUpdate(ctx, sent) ? (await upsertCustomer(ctx, { ...body, id: existing.id })).customer : existing
  const { source_id } = body
  if (source_id == null) return (await upsertCustomer(ctx, body)).customer
  return rollbackUnlessResult(ctx, async () => {
    const { customer, isNew } = await upsertCustomer(ctx, body)
    return isNew ? customer : undefined
  })
}

/**
 * Refuses an unknown id, and any unknown customer if the client side may not create customers
 * (docs/reference/client-side.md#common-rules).
 */
function refuseUnlessNew(ctx: Ctx, sent: RequestCustomer): void {
  if (!mayWriteCustomers(ctx)) throw disabledOnClient('client_create_customer_enabled')
  const id = typeof sent === 'string' ? (sent.startsWith(idPrefix('customer')) ? sent : null) : sent.id
  if (id != null) throw notFound('customer', id)
}

async function findAndLock(
  { db, project_id }: Ctx,
  sent: RequestCustomer,
  exclusive: boolean,
): Promise<StoredCustomer | undefined> {
  const { id, source_id } = typeof sent === 'string' ? { id: sent, source_id: sent } : identityIn(sent)
  if (id === null && source_id === null) return undefined
  return db
    .selectFrom('customers')
    .where('project_id', '=', project_id)
    .where((is) =>
      is.or([
        ...(id === null ? [] : [is('id', '=', id as CustomerRow['id'])]),
        ...(source_id === null ? [] : [is('source_id', '=', source_id)]),
      ]),
    )
    .where('deleted_at', 'is', null)
    .orderBy((is) => is('id', '=', (id ?? '') as CustomerRow['id']), 'desc')
    .limit(1)
    .selectAll()
    .$if(exclusive, (query) => query.forUpdate())
    .$if(!exclusive, (query) => query.forKeyShare())
    .executeTakeFirst()
}

/** An id takes precedence over a source id. */
const identityIn = ({ id, source_id }: CustomerBody): { id: string | null; source_id: string | null } =>
  id == null ? { id: null, source_id: source_id ?? null } : { id, source_id: null }
