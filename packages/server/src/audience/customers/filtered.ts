import type { Ctx } from '../../core/context.ts'
import { type StoredCustomer, toCustomer } from './customer.ts'
import type { EventTally, FilteredCustomer, Received } from './fields.ts'

type CustomerId = StoredCustomer['id']

/** Customers with all that a filter may ask of them. */
export async function toFiltered(ctx: Ctx, customers: readonly StoredCustomer[]): Promise<FilteredCustomer[]> {
  if (customers.length === 0) return []
  const ids = customers.map(({ id }) => id)
  const [events, publications] = [await listTallies(ctx, ids), await listReceived(ctx, ids)]
  return customers.map((row) => ({
    customer: toCustomer(row),
    events: events.get(row.id) ?? new Map(),
    publications: publications.get(row.id) ?? [],
  }))
}

async function listTallies(
  { db, project_id }: Ctx,
  ids: readonly CustomerId[],
): Promise<Map<string, Map<string, EventTally>>> {
  const rows = await db
    .selectFrom('custom_event_tallies')
    .where('project_id', '=', project_id)
    .where('customer_id', 'in', ids)
    .select(['customer_id', 'type', 'count', 'first_at', 'last_at'])
    .execute()
  const events = new Map<string, Map<string, EventTally>>()
  for (const { customer_id, type, ...tally } of rows) {
    const own = events.get(customer_id) ?? new Map<string, EventTally>()
    events.set(customer_id, own.set(type, tally))
  }
  return events
}

async function listReceived({ db, project_id }: Ctx, ids: readonly CustomerId[]): Promise<Map<string, Received[]>> {
  const rows = await db
    .selectFrom('publications')
    .where('project_id', '=', project_id)
    .where('customer_id', 'in', ids)
    .where('result', '=', 'SUCCESS')
    .select(['customer_id', 'voucher_ids', 'created_at'])
    .execute()
  const received = new Map<string, Received[]>()
  for (const { customer_id, ...publication } of rows) {
    const own = received.get(customer_id as string) ?? []
    own.push(publication)
    received.set(customer_id as string, own)
  }
  return received
}
