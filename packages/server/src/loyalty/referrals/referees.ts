import type { StoredCustomer } from '../../audience/customers/customer.ts'
import type { CustomerBody } from '../../audience/customers/schema.ts'
import { upsertCustomer } from '../../audience/customers/upsert.ts'
import type { Ctx } from '../../core/context.ts'
import { duplicate, invalidPayload, notFound } from '../../core/http/errors.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { hasProfile } from '../../orders/people.ts'
import { listCustomersNamed } from './store.ts'

/**
 * The customers whom a request names, each created or brought up to date by what it says, in the order of the request.
 * Those who are known are locked in the order of their ids and new ones are written in the order of their names: two
 * requests that name the same people would otherwise wait for each other.
 */
export async function upsertReferees(ctx: Ctx, sent: readonly CustomerBody[]): Promise<StoredCustomer[]> {
  const names = sent.map(nameIn)
  const known = await findKnown(ctx, names)
  const rules = await loadMetadataRules(ctx, 'customer')
  const found = new Map<CustomerBody, StoredCustomer>()
  for (const [name, one] of names.map((name, n) => [name, sent[n] as CustomerBody] as const).sort(byName))
    found.set(one, await upsertReferee(ctx, one, known.get(keyOf(name)), rules))
  const referees = sent.map((one) => found.get(one) as StoredCustomer)
  refuseTwice(names, referees)
  return referees
}

/** What a request calls a customer; with an id, the source id says nothing. */
interface CustomerName {
  field: 'id' | 'source_id'
  value: string
}

function nameIn({ id, source_id }: CustomerBody, n: number): CustomerName {
  if (id != null) return { field: 'id', value: id }
  if (source_id != null) return { field: 'source_id', value: source_id }
  throw invalidPayload(`Property .holders[${n}] should have required property 'source_id'`)
}

const keyOf = ({ field, value }: CustomerName): string => `${field} ${value}`

const byName = ([a]: readonly [CustomerName, unknown], [b]: readonly [CustomerName, unknown]): number =>
  a.value < b.value ? -1 : a.value > b.value ? 1 : 0

/** Those who exist, by each of their names. */
async function findKnown(ctx: Ctx, names: readonly CustomerName[]): Promise<Map<string, StoredCustomer>> {
  const valuesOf = (field: CustomerName['field']) => names.flatMap((name) => (name.field === field ? [name.value] : []))
  const customers = await listCustomersNamed(ctx, { ids: valuesOf('id'), source_ids: valuesOf('source_id') })
  return new Map(
    customers.flatMap((customer) => {
      const { id, source_id } = customer
      const own = [keyOf({ field: 'id', value: id }), customer] as const
      return source_id === null ? [own] : [own, [keyOf({ field: 'source_id', value: source_id }), customer] as const]
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
  if (known !== undefined && !hasProfile(sent)) return known // who is only named has nothing to be brought up to date
  return (await upsertCustomer(ctx, known === undefined ? sent : { ...sent, id: known.id }, { rules })).customer
}

function refuseTwice(names: readonly CustomerName[], referees: readonly StoredCustomer[]): void {
  const ids = new Set<string>()
  for (const [n, { id }] of referees.entries()) {
    const { field, value } = names[n] as CustomerName
    if (ids.has(id)) throw duplicate('customer', field, value)
    ids.add(id)
  }
}
