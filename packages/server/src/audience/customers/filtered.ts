import type { Ctx } from '../../core/context.ts'
import { type StoredCustomer, toCustomer } from './customer.ts'
import type { EventTally, FilteredCustomer, ReceivedPublication } from './fields.ts'

type CustomerId = StoredCustomer['id']

/** Loads all data that a filter can read for these customers. */
export async function toFiltered(ctx: Ctx, customers: readonly StoredCustomer[]): Promise<FilteredCustomer[]> {
  if (customers.length === 0) return []
  const ids = customers.map(({ id }) => id)
  const [events, publications] = [await listTallies(ctx, ids), await listPublications(ctx, ids)]
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
    const tallies = events.get(customer_id) ?? new Map<string, EventTally>()
    events.set(customer_id, tallies.set(type, tally))
  }
  return events
}

async function listPublications(
  { db, project_id }: Ctx,
  ids: readonly CustomerId[],
): Promise<Map<string, ReceivedPublication[]>> {
  const rows = await db
    .selectFrom('publications')
    .where('project_id', '=', project_id)
    .where('customer_id', 'in', ids)
    .where('result', '=', 'SUCCESS')
    .select(['customer_id', 'voucher_ids', 'created_at'])
    .execute()
  const publications = new Map<string, ReceivedPublication[]>()
  for (const { customer_id, ...publication } of rows) {
    const received = publications.get(customer_id as string) ?? []
    received.push(publication)
    publications.set(customer_id as string, received)
  }
  return publications
}
