import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import type { OrderRow } from '../core/db/tables.ts'
import { tally, tallyOf } from '../core/db/tallies.ts'
import { isDuplicate } from '../core/db/transaction.ts'
import { duplicate, invalidPayload, notFound } from '../core/http/errors.ts'
import { limits } from '../core/lib/limits.ts'
import type { Condition } from '../core/query/filter/conditions.ts'
import { pageOf } from '../core/query/list.ts'
import type { StoredItem, StoredOrder } from './order.ts'
import type { OrderQuery } from './schema.ts'

type OrderId = OrderRow['id']

/** What may be written; the totals follow from it in the database. */
export type OrderColumns = Omit<StoredOrder, 'project_id' | 'total_discount_amount' | 'total_amount'>

/** An order by our id, or else by the shop's own (docs/reference/products.md#ids-and-source-ids); 404 when there is none. */
export async function getOrder(ctx: Ctx, key: string, options: { lock?: boolean } = {}): Promise<StoredOrder> {
  const order = await findOrder(ctx, key, options)
  if (order === undefined) throw notFound('order', key)
  return order
}

/**
 * An order by our id, or else by the shop's own. Whoever changes an order locks it first, and the customers after it, in
 * the order of their ids: so nobody waits in a circle.
 */
export async function findOrder(ctx: Ctx, key: string, options: LockOptions = {}): Promise<StoredOrder | undefined> {
  const row = await ordersOf(ctx, options)
    .where((is) => is.or([is('id', '=', key as OrderId), is('source_id', '=', key)]))
    .orderBy((is) => is('id', '=', key as OrderId), 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? undefined : toStored(row)
}

export async function findOrderById(ctx: Ctx, id: string, options: LockOptions = {}): Promise<StoredOrder | undefined> {
  const row = await ordersOf(ctx, options)
    .where('id', '=', id as OrderId)
    .executeTakeFirst()
  return row === undefined ? undefined : toStored(row)
}

export async function findOrderBySource(
  ctx: Ctx,
  sourceId: string,
  options: LockOptions = {},
): Promise<StoredOrder | undefined> {
  const row = await ordersOf(ctx, options).where('source_id', '=', sourceId).executeTakeFirst()
  return row === undefined ? undefined : toStored(row)
}

interface LockOptions {
  lock?: boolean
}

const ordersOf = ({ db, project_id }: Ctx, { lock = false }: LockOptions) =>
  db
    .selectFrom('orders')
    .where('project_id', '=', project_id)
    .selectAll()
    .$if(lock, (query) => query.forUpdate())

/**
 * Makes whoever names an order by one of these source ids wait until the end of the transaction, also while there is no
 * such order: of many who create it, each but the first finds it, before it holds anything that the first one needs.
 */
export async function lockSources({ db, project_id }: Ctx, sourceIds: readonly string[]): Promise<void> {
  if (sourceIds.length === 0) return
  const names = [...new Set(sourceIds)].map((sourceId) => `order ${project_id} ${sourceId}`).sort()
  await sql`select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest(${names}::text[]) as name`.execute(db)
}

/** Locks the orders that some ids and source ids name, for a step of an import that will change them one by one. */
export async function lockOrders(
  { db, project_id }: Ctx,
  { ids, source_ids }: { ids: readonly string[]; source_ids: readonly string[] },
): Promise<void> {
  await sql`
    select id from orders
    where project_id = ${project_id} and (id = any(${ids}::text[]) or source_id = any(${source_ids}::text[]))
    order by id for update`.execute(db)
}

/** A new order, or undefined when another one has its `source_id`. */
export async function insertOrder({ db, project_id }: Ctx, columns: OrderColumns): Promise<StoredOrder | undefined> {
  const row = await db
    .insertInto('orders')
    .values({ project_id, ...columns, ...jsonOf(columns) })
    .onConflict((conflict) => conflict.columns(['project_id', 'source_id']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) return undefined
  await tally(db, project_id, 'orders', 1)
  return toStored(row)
}

/** Writes an order that the caller has locked; 409 when another one has its `source_id`. */
export async function updateOrder({ db, project_id }: Ctx, { id, ...columns }: OrderColumns): Promise<StoredOrder> {
  try {
    const row = await db
      .updateTable('orders')
      .set({ ...columns, ...jsonOf(columns) })
      .where('project_id', '=', project_id)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return toStored(row)
  } catch (error) {
    if (isDuplicate(error)) throw duplicate('order', 'source_id', columns.source_id as string)
    throw error
  }
}

export async function listOrders(
  { db, project_id }: Ctx,
  query: OrderQuery,
  where: Condition[],
): Promise<{ orders: StoredOrder[]; total: number }> {
  const { rows, total } = await pageOf(
    db.selectFrom('orders').where('project_id', '=', project_id).selectAll(),
    query,
    {
      columns: { created_at: 'created_at', updated_at: { nullable: 'updated_at' } },
      default_order: '-created_at',
      where,
      total: tallyOf(project_id, 'orders'),
    },
  )
  return { orders: rows.map(toStored), total }
}

function jsonOf({
  items,
  metadata,
  redemptions,
  discounted_goods,
}: Pick<OrderColumns, 'items' | 'metadata' | 'redemptions' | 'discounted_goods'>) {
  return {
    items: itemsJson(items),
    metadata: JSON.stringify(metadata),
    redemptions: redemptions && JSON.stringify(redemptions),
    discounted_goods: discounted_goods && JSON.stringify(discounted_goods),
  }
}

/** What the catalogue says of a line is stored with it, so that a small request can become a large order. */
export function itemsJson(items: readonly object[]): string {
  const json = JSON.stringify(items)
  if (Buffer.byteLength(json) > limits.order_items_bytes_max)
    throw invalidPayload(
      `Property .items must NOT take more than ${limits.order_items_bytes_max} bytes as it is stored`,
    )
  return json
}

const toStored = (row: Selectable<OrderRow>): StoredOrder => ({ ...row, items: row.items as StoredItem[] })

/** Orders by their ids; those that are gone are left out. */
export async function listOrdersById({ db, project_id }: Ctx, ids: readonly string[]): Promise<StoredOrder[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('orders')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .selectAll()
    .execute()
  return rows as StoredOrder[]
}
