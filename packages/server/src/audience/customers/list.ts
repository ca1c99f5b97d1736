import { type SqlBool, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { dateBounds, listed } from '../../core/query/list.ts'
import { memberSql } from '../segments/member-sql.ts'
import { toCustomer } from './customer.ts'
import { customerFilterSql } from './filter.ts'
import type { CustomerQuery } from './schema.ts'
import { listCustomers } from './store.ts'

/** A page of the customers that match a query (docs/reference/customers.md#endpoints). */
export async function pageOfCustomers(ctx: Ctx, query: CustomerQuery) {
  const { email, city, name, segment_id, filters } = query
  const where: Condition[] = dateBounds(query)
  if (email !== undefined) where.push(equalsIgnoringCase(sql`lower(email)`, email))
  if (name !== undefined) where.push(equalsIgnoringCase(sql`lower(name)`, name))
  if (city !== undefined) where.push(equalsIgnoringCase(sql`lower(address ->> 'city')`, city))
  if (segment_id !== undefined) where.push(await memberSql(ctx, segment_id))
  if (filters !== undefined) where.push(await customerFilterSql(ctx, filters))
  const { rows, total, has_more } = await listCustomers(ctx, query, where)
  const last = rows.at(-1)
  return listed('customers', rows.map(toCustomer), {
    total,
    has_more,
    ...(has_more && last !== undefined ? { more_starting_after: last.id } : {}),
  })
}

const equalsIgnoringCase = (value: ReturnType<typeof sql>, text: string) =>
  sql<SqlBool>`${value} = lower(${text}::text)`
