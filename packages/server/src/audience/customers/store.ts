import { type Insertable, sql, type Updateable } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CustomerRow } from '../../core/db/tables.ts'
import { tally, tallyOf } from '../../core/db/tallies.ts'
import { notFound } from '../../core/http/errors.ts'
import { declareList } from '../../core/query/declared-list.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import type { StoredCustomer } from './customer.ts'
import type { CustomerQuery } from './schema.ts'

type CustomerId = CustomerRow['id']

/** A customer by our id, or else by the shop's own (docs/reference/products.md#ids-and-source-ids); 404 when there is none. */
export async function getCustomer(ctx: Ctx, key: string, options: { lock?: boolean } = {}): Promise<StoredCustomer> {
  const found = await findCustomer(ctx, key, options)
  if (found === undefined) throw notFound('customer', key)
  return found
}

/** The customers of the project that are not in the bin. */
const customers = ({ db, project_id }: Pick<Ctx, 'db' | 'project_id'>) =>
  db.selectFrom('customers').where('project_id', '=', project_id).where('deleted_at', 'is', null)

export async function findCustomer(
  ctx: Ctx,
  key: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<StoredCustomer | undefined> {
  return customers(ctx)
    .where((is) => is.or([is('id', '=', key as CustomerId), is('source_id', '=', key)]))
    .orderBy((is) => is('id', '=', key as CustomerId), 'desc')
    .limit(1)
    .selectAll()
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
}

/** Customers by our ids, sorted by id: transactions that lock several lock them in the same order and do not deadlock. */
export async function listCustomersById(
  ctx: Ctx,
  ids: readonly CustomerId[],
  { lock = false }: { lock?: boolean } = {},
): Promise<StoredCustomer[]> {
  return customers(ctx)
    .where('id', 'in', ids)
    .orderBy('id')
    .selectAll()
    .$if(lock, (query) => query.forUpdate())
    .execute()
}

export async function findCustomerById(
  ctx: Ctx,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<StoredCustomer | undefined> {
  return customers(ctx)
    .where('id', '=', id as CustomerId)
    .selectAll()
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
}

export async function findCustomerBySource(
  ctx: Ctx,
  sourceId: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<StoredCustomer | undefined> {
  return customers(ctx)
    .where('source_id', '=', sourceId)
    .selectAll()
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
}

/** The source ids among these that belong to a customer. */
export async function listKnownSourceIds(ctx: Ctx, sourceIds: string[]): Promise<Set<string>> {
  const rows = await customers(ctx)
    .where(sql<boolean>`source_id = any(${sourceIds}::text[])`)
    .select('source_id')
    .execute()
  return new Set(rows.map(({ source_id }) => source_id as string))
}

/** Locks a customer for permanent deletion; a soft-deleted one is found by its id. */
export async function getCustomerToErase(ctx: Ctx, key: string): Promise<StoredCustomer> {
  const hidden = await ctx.db
    .selectFrom('customers')
    .where('project_id', '=', ctx.project_id)
    .where('id', '=', key as CustomerId)
    .selectAll()
    .forUpdate()
    .executeTakeFirst()
  return hidden ?? getCustomer(ctx, key, { lock: true })
}

/** Inserts a customer; undefined when a concurrent request has created one with the same `source_id`. */
export async function insertCustomer(
  { db, project_id }: Ctx,
  row: Omit<Insertable<CustomerRow>, 'project_id'>,
): Promise<StoredCustomer | undefined> {
  const inserted = await db
    .insertInto('customers')
    .values({ project_id, ...row })
    .onConflict((conflict) => conflict.columns(['project_id', 'source_id']).where('deleted_at', 'is', null).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (inserted !== undefined) await tally(db, project_id, 'customers', 1)
  return inserted
}

/** Updates columns of a customer that the caller has locked. */
export async function updateCustomer(
  { db, project_id }: Ctx,
  id: CustomerId,
  changes: Updateable<CustomerRow>,
): Promise<StoredCustomer> {
  return db
    .updateTable('customers')
    .set(changes)
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * A page of the customers; the cursor `starting_after` is an instant of the sorted column
 * (docs/reference/lists.md#moment-cursors).
 */
export async function listCustomers(
  ctx: Ctx,
  query: CustomerQuery,
  where: Condition[],
): Promise<{ rows: StoredCustomer[]; total: number; has_more: boolean }> {
  const { order = '-created_at', starting_after } = query
  const after = starting_after === undefined ? {} : { after: afterCursor(order, starting_after) }
  return allCustomers(ctx.db, { project_id: ctx.project_id }, query, { where, ...after })
}

const allCustomers = declareList((db, { project_id }: { project_id: string }) => ({
  query: customers({ db, project_id }).selectAll(),
  options: {
    columns: {
      created_at: 'created_at',
      updated_at: { nullable: 'updated_at' },
      source_id: { nullable: 'source_id' },
    },
    default_order: '-created_at' as NonNullable<CustomerQuery['order']>,
    total: tallyOf(project_id, 'customers'),
  },
}))

/** The condition for rows after the cursor; when sorted by `source_id`, the cursor is compared with `created_at`. */
function afterCursor(order: string, moment: string): Condition {
  const column = sql.ref(order.endsWith('updated_at') ? 'updated_at' : 'created_at')
  return order.startsWith('-') ? sql`${column} < ${moment}::timestamptz` : sql`${column} > ${moment}::timestamptz`
}
