import type { Ctx } from '../context.ts'
import { type StoredCustomer, toCustomer } from './customer.ts'
import type { EventTally, FilteredCustomer } from './fields.ts'

/** Customers with all that a filter may ask of them. */
export async function toFiltered(
  { db, project_id }: Ctx,
  customers: readonly StoredCustomer[],
): Promise<FilteredCustomer[]> {
  if (customers.length === 0) return []
  const tallies = await db
    .selectFrom('custom_event_tallies')
    .where('project_id', '=', project_id)
    .where(
      'customer_id',
      'in',
      customers.map(({ id }) => id),
    )
    .select(['customer_id', 'type', 'count', 'first_at', 'last_at'])
    .execute()
  const events = new Map<string, Map<string, EventTally>>()
  for (const { customer_id, type, ...tally } of tallies) {
    const own = events.get(customer_id) ?? new Map<string, EventTally>()
    events.set(customer_id, own.set(type, tally))
  }
  return customers.map((row) => ({ customer: toCustomer(row), events: events.get(row.id) ?? new Map() }))
}
