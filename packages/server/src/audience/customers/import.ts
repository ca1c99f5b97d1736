import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { analyzeIfGrown } from '../../core/db/statistics.ts'
import type { CustomerRow } from '../../core/db/tables.ts'
import { tally } from '../../core/db/tallies.ts'
import { emitMany, type NewEvent } from '../../core/events/emit.ts'
import { invalidPayload, notFound } from '../../core/http/errors.ts'
import { type CsvRow, defineCsvImport, readCells } from '../../core/jobs/csv-import.ts'
import { type ImportRow, type Refusal, readEach } from '../../core/jobs/file-import.ts'
import { newId } from '../../core/lib/ids.ts'
import { parseInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { queueMembershipCheck } from '../segments/queue-membership-check.ts'
import { newCustomerRow, type StoredCustomer, toCustomer } from './customer.ts'

/** Each row overwrites a whole profile: fields without a value are cleared (docs/reference/customers.md#csv-import). */
export const importCustomers = defineCsvImport<MetadataRules>({
  type: 'CUSTOMERS.IMPORT_CSV',
  noun: 'customer(s)',
  prepare: (ctx) => loadMetadataRules(ctx, 'customer'),
  failure: ({ row, cells }) => ({
    source_id: Object.entries(cells).find(([name]) => name.toLowerCase() === 'source_id')?.[1] || null,
    row,
  }),
  async rows(ctx, rows, rules) {
    const refused: Refusal[] = []
    for (let at = 0; at < rows.length; at += batchRows)
      refused.push(...(await saveRows(ctx, rows.slice(at, at + batchRows), rules)))
    await analyzeIfGrown(ctx.db, ctx.project_id, 'customers')
    return refused
  },
})

/** Small enough for a batch to be collected while still in the young generation: memory does not grow with the file. */
const batchRows = 250

/**
 * Saves a batch of rows: parses and checks each row on its own, then writes all with one update statement for existing
 * customers and one insert for new ones. Of several rows for one customer the last one wins.
 */
async function saveRows(ctx: Ctx, rows: CsvRow[], rules: MetadataRules): Promise<Refusal[]> {
  const { passed: profiles, refused } = await readEach(rows, (row) => readProfile(row, rules))
  const stored = await lockStored(
    ctx,
    profiles.flatMap(({ id }) => id ?? []),
    profiles.flatMap(({ id, source_id }) => (id === null ? (source_id ?? []) : [])),
  )
  const updates = new Map<string, Overwrite>()
  const inserts = new Map<string, Overwrite>()
  for (const profile of profiles) {
    const { row, id, source_id, ...columns } = profile
    const found = stored.find((customer) =>
      id === null ? source_id !== null && customer.source_id === source_id : customer.id === id,
    )
    if (found !== undefined) updates.set(found.id, { ...columns, id: found.id, source_id: found.source_id })
    else if (id !== null) refused.push({ row, reason: notFound('customer', id).message })
    else {
      const freshId = newId('customer', Date.parse(ctx.now))
      inserts.set(source_id ?? freshId, { ...columns, id: freshId, source_id })
    }
  }
  await overwrite(ctx, [...updates.values()])
  const created = await insertAll(ctx, [...inserts.values()])
  // Customers created concurrently by another transaction made the insert skip their rows: overwrite them like existing ones.
  const conflicting = [...inserts.values()].flatMap(({ id, source_id }) => (created.has(id) ? [] : (source_id ?? [])))
  const skipped = (await lockStored(ctx, [], conflicting)).map(({ id, source_id }) => ({
    ...(inserts.get(source_id as string) as Overwrite),
    id,
  }))
  await overwrite(ctx, skipped)
  await queueMembershipCheck(ctx, [...updates.keys(), ...created, ...skipped.map(({ id }) => id)])
  return refused
}

interface Profile extends Columns, ImportRow {
  id: string | null
  source_id: string | null
}

type Columns = Pick<
  Selectable<CustomerRow>,
  'name' | 'description' | 'email' | 'phone' | 'birthdate' | 'address' | 'metadata'
>

type Overwrite = Columns & Pick<StoredCustomer, 'id' | 'source_id'>

const addressParts = ['city', 'state', 'line_1', 'line_2', 'country', 'postal_code'] as const
const nameColumns = ['name', 'email', 'phone', 'source_id', ...addressParts.map((part) => `address_${part}` as const)]
const knownColumns = ['id', 'birthdate', 'description', ...nameColumns] as const

/** Parses a row as a profile; throws an `ApiError` if it is invalid. */
function readProfile({ row, cells }: CsvRow, rules: MetadataRules): Profile {
  const { values, metadata } = readCells(cells, knownColumns, rules)
  for (const name of nameColumns) refuseLonger(values, name, limits.name_length_max)
  refuseLonger(values, 'description', limits.text_length_max)
  rules.check(metadata, { isNew: true }) // the row replaces all metadata, so required keys must be present
  const address = addressParts.map((part) => [part, values[`address_${part}`] ?? null] as const)
  return {
    row,
    id: values.id ?? null,
    source_id: values.source_id ?? null,
    name: values.name ?? null,
    description: values.description ?? null,
    email: values.email ?? null,
    phone: values.phone ?? null,
    birthdate: values.birthdate === undefined ? null : dayOf(values.birthdate),
    address: address.some(([, value]) => value !== null) ? Object.fromEntries(address) : null,
    metadata,
  }
}

function refuseLonger(values: Partial<Record<string, string>>, column: string, lengthMax: number): void {
  if ([...(values[column] ?? '')].length > lengthMax)
    throw invalidPayload(`Column ${column} must NOT have more than ${lengthMax} characters`)
}

function dayOf(text: string): string {
  if (!/^(?!0000)\d{4}-/.test(text) || parseInstant(text) === null)
    throw invalidPayload('Column birthdate cannot be recognized as a ISO-8601 compliant date')
  return text.slice(0, 10)
}

/** Locks the customers with these ids or source ids, in the order of their ids. */
async function lockStored({ db, project_id }: Ctx, ids: string[], sourceIds: string[]) {
  if (ids.length === 0 && sourceIds.length === 0) return []
  const { rows } = await sql<Pick<StoredCustomer, 'id' | 'source_id'>>`
    select id, source_id from customers
    where project_id = ${project_id} and deleted_at is null
      and (id = any(${ids}::text[]) or source_id = any(${sourceIds}::text[]))
    order by id for update`.execute(db)
  return rows
}

/** Passes all rows as one JSON parameter: a statement takes at most 65,535 parameters. */
const recordsOf = (rows: readonly Overwrite[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id text, source_id text, name text, description text,
    email text, phone text, birthdate date, address jsonb, metadata jsonb)`

async function overwrite({ db, project_id, now }: Ctx, rows: readonly Overwrite[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    update customers c set
      name = r.name, description = r.description, email = r.email, phone = r.phone, birthdate = r.birthdate,
      birthday = null, address = nullif(r.address, 'null'::jsonb), metadata = r.metadata, updated_at = ${now}::timestamptz
    from ${recordsOf(rows)}
    where c.project_id = ${project_id} and c.id = r.id`.execute(db)
}

async function insertAll(ctx: Ctx, rows: readonly Overwrite[]): Promise<Set<StoredCustomer['id']>> {
  if (rows.length === 0) return new Set()
  const { db, project_id, now } = ctx
  const { rows: inserted } = await sql<Pick<StoredCustomer, 'id'>>`
    insert into customers (project_id, id, source_id, name, description, email, phone, birthdate, address, metadata, created_at)
    select own.id, r.id, r.source_id, r.name, r.description, r.email, r.phone, r.birthdate, nullif(r.address, 'null'::jsonb),
      r.metadata,
      ${now}::timestamptz
    from projects own, ${recordsOf(rows)} where own.id = ${project_id}
    on conflict (project_id, source_id) where deleted_at is null do nothing
    returning id`.execute(db)
  const created = new Set(inserted.map(({ id }) => id))
  await tally(db, project_id, 'customers', created.size)
  await emitMany(
    ctx,
    rows.flatMap((row): NewEvent[] => {
      if (!created.has(row.id)) return []
      const customer = toCustomer(newCustomerRow(row, now))
      return [{ type: 'customer.created', entity_id: row.id, data: { customer } }]
    }),
  )
  return created
}
