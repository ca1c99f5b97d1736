import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CustomerRow } from '../../core/db/tables.ts'

/**
 * Updates the order summary of a customer after one of its orders became PAID or FULFILLED, left those statuses, or changed its
 * amount. Adds `amount` and `count` to the totals in SQL and looks up the latest order again.
 */
export async function adjustOrderSummary(
  { db, project_id }: Ctx,
  customerId: CustomerRow['id'],
  { amount, count }: { amount: number; count: number },
): Promise<void> {
  // Lock in a separate statement: the update then has a fresh snapshot with the orders of the transaction that held the lock.
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
        where o.project_id = ${project_id} and o.customer_id = c.id and o.status in ('PAID', 'FULFILLED')
        order by o.created_at desc, o.id desc limit 1
      )
    where c.project_id = ${project_id} and c.id = ${customerId}`.execute(db)
}
