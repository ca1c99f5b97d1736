import type { StoredCustomer } from '../../audience/customers/customer.ts'
import { disabledOnClient, mayWriteCustomers } from '../../audience/customers/on-client-side.ts'
import type { CustomerBody } from '../../audience/customers/schema.ts'
import { upsertCustomer } from '../../audience/customers/upsert.ts'
import type { Ctx } from '../../core/context.ts'
import type { CustomerRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { idPrefix } from '../../core/lib/ids.ts'
import { hasProfile, saysAnything } from '../../orders/people.ts'
import { rollbackUnlessResult } from './rollback-unless-result.ts'
import type { CreatePublication } from './schema.ts'

type Named = CreatePublication['customer']

/** Whether a request says who gets the code: an empty object names nobody. */
export const namesSomebody = (sent: Named): boolean => typeof sent === 'string' || saysAnything(sent)

/** Whether more is said of the customer than who it is, and may be written down. */
export const isToBeWritten = (ctx: Ctx, sent: Named): boolean =>
  typeof sent !== 'string' && hasProfile(sent) && mayWriteCustomers(ctx)

/**
 * The customer who gets a code, if there is one yet. It stays until the end of the transaction; with `alone`, of several
 * requests for the same customer each works on what the one before it left.
 */
export async function findRecipient(
  ctx: Ctx,
  sent: Named,
  { alone }: { alone: boolean },
): Promise<StoredCustomer | undefined> {
  const found = await findNamed(ctx, sent, alone)
  if (found === undefined) refuseUnlessNew(ctx, sent)
  return found
}

/**
 * The customer as it is after the request: created, or brought up to date by what was sent
 * (docs/reference/customers.md#how-requests-name-a-customer). Undefined when another request has created it meanwhile: what that
 * one did has to be looked at first.
 */
export async function writeRecipient(
  ctx: Ctx,
  sent: Named,
  known: StoredCustomer | undefined,
): Promise<StoredCustomer | undefined> {
  const body: CustomerBody = typeof sent === 'string' ? { source_id: sent } : sent
  if (known !== undefined)
    return isToBeWritten(ctx, sent) ? (await upsertCustomer(ctx, { ...body, id: known.id })).customer : known
  const { source_id } = body
  if (source_id == null) return (await upsertCustomer(ctx, body)).customer
  return rollbackUnlessResult(ctx, async () => {
    const { customer, isNew } = await upsertCustomer(ctx, body)
    return isNew ? customer : undefined
  })
}

/**
 * An unknown id is a mistake, and nobody new comes in from a client side that may not create customers
 * (docs/reference/client-side.md#common-rules).
 */
function refuseUnlessNew(ctx: Ctx, sent: Named): void {
  if (!mayWriteCustomers(ctx)) throw disabledOnClient('client_create_customer_enabled')
  const id = typeof sent === 'string' ? (sent.startsWith(idPrefix('customer')) ? sent : null) : sent.id
  if (id != null) throw notFound('customer', id)
}

async function findNamed({ db, project_id }: Ctx, sent: Named, alone: boolean): Promise<StoredCustomer | undefined> {
  const { id, source_id } = typeof sent === 'string' ? { id: sent, source_id: sent } : whoIn(sent)
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
    .$if(alone, (query) => query.forUpdate())
    .$if(!alone, (query) => query.forKeyShare())
    .executeTakeFirst()
}

/** With an id, the source id is ignored. */
const whoIn = ({ id, source_id }: CustomerBody): { id: string | null; source_id: string | null } =>
  id == null ? { id: null, source_id: source_id ?? null } : { id, source_id: null }
