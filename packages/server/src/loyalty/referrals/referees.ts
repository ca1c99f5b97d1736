import type { StoredCustomer } from '../../audience/customers/customer.ts'
import type { CustomerBody } from '../../audience/customers/schema.ts'
import { upsertCustomer } from '../../audience/customers/upsert.ts'
import type { Ctx } from '../../core/context.ts'
import { duplicate, invalidPayload, notFound } from '../../core/http/errors.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { hasProfile } from '../../orders/people.ts'
import { listCustomersNamed } from './store.ts'

/**
 * Creates or updates the customers of a request and returns them in its order. Existing customers are locked in the order of
 * their ids and new ones inserted in the order of their keys: two requests with the same customers would otherwise deadlock.
 */
export async function upsertReferees(ctx: Ctx, sent: readonly CustomerBody[]): Promise<StoredCustomer[]> {
  const names = sent.map(keyIn)
  const known = await findExisting(ctx, names)
  const rules = await loadMetadataRules(ctx, 'customer')
  const found = new Map<CustomerBody, StoredCustomer>()
  for (const [name, body] of names.map((name, n) => [name, sent[n] as CustomerBody] as const).sort(byName))
    found.set(body, await upsertReferee(ctx, body, known.get(keyOf(name)), rules))
  const referees = sent.map((body) => found.get(body) as StoredCustomer)
  refuseDuplicates(names, referees)
  return referees
}

/** The key of a customer in a request; if it has an id, its source id is ignored. */
interface CustomerName {
  field: 'id' | 'source_id'
  value: string
}

function keyIn({ id, source_id }: CustomerBody, n: number): CustomerName {
  if (id != null) return { field: 'id', value: id }
  if (source_id != null) return { field: 'source_id', value: source_id }
  throw invalidPayload(`Property .holders[${n}] should have required property 'source_id'`)
}

const keyOf = ({ field, value }: CustomerName): string => `${field} ${value}`

const byName = ([a]: readonly [CustomerName, unknown], [b]: readonly [CustomerName, unknown]): number =>
  a.value < b.value ? -1 : a.value > b.value ? 1 : 0

/** The existing customers, by each of their keys. */
async function findExisting(ctx: Ctx, names: readonly CustomerName[]): Promise<Map<string, StoredCustomer>> {
  const valuesOf = (field: CustomerName['field']) => names.flatMap((name) => (name.field === field ? [name.value] : []))
  const customers = await listCustomersNamed(ctx, { ids: valuesOf('id'), source_ids: valuesOf('source_id') })
  return new Map(
    customers.flatMap((customer) => {
      const { id, source_id } = customer
      const byId = [keyOf({ field: 'id', value: id }), customer] as const
      return source_id === null ? [byId] : [byId, [keyOf({ field: 'source_id', value: source_id }), customer] as const]
    }),
  )
}

async function upsertReferee(
  ctx: Ctx,
  sent: CustomerBody,
  known: StoredCustomer | undefined,
  rules: MetadataRules,
): Promise<StoredCustomer> {
  if (known === undefined && sent.id != null) throw notFound('customer', sent.id)
  if (known !== undefined && !hasProfile(sent)) return known // the request has only the key of the customer: nothing to update
  return (await upsertCustomer(ctx, known === undefined ? sent : { ...sent, id: known.id }, { rules })).customer
}

function refuseDuplicates(names: readonly CustomerName[], referees: readonly StoredCustomer[]): void {
  const ids = new Set<string>()
  for (const [n, { id }] of referees.entries()) {
    const { field, value } = names[n] as CustomerName
    if (ids.has(id)) throw duplicate('customer', field, value)
    ids.add(id)
  }
}
