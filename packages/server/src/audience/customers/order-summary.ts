import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CustomerRow } from '../../core/db/tables.ts'

/**
 * Brings the order summary of a customer up to date, after an order came to count (PAID, FULFILLED), ceased to, or
 * changed its amount: by how much and by how many. Sums are added to in SQL; which order is the latest is looked up.
 */
export async function adjustOrderSummary(
  { db, project_id }: Ctx,
  customerId: CustomerRow['id'],
  { amount, count }: { amount: number; count: number },
): Promise<void> {
  // Locked by a statement of its own: the update then sees the orders of whoever held the lock before.
  await db
    .selectFrom('customers')
    .where('project_id', '=', project_id)
    .where('id', '=', customerId)
    .select('id')
    .forUpdate()
    .execute()
  await sql`
    update customers c set
      orders_total_amount = c.orders_total_amount + ${amount},
      orders_total_count = c.orders_total_count + ${count},
      (last_order_amount, last_order_date) = (
        select coalesce(o.amount, 0), o.created_at from orders o
        where o.project_id = c.project_id and o.customer_id = c.id and o.status in ('PAID', 'FULFILLED')
        order by o.created_at desc, o.id desc limit 1
      )
    where c.project_id = ${project_id} and c.id = ${customerId}`.execute(db)
}
