import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** A piece of a WHERE clause. Null counts as false, as it does there. */
export type Condition = RawBuilder<SqlBool>

export const yes: Condition = sql`true`
export const no: Condition = sql`false`
export const isNot = (condition: Condition): Condition => sql`(${condition}) is not true`

export const all = (conditions: Condition[]): Condition => joined(conditions, sql` and `, yes)
export const any = (conditions: Condition[]): Condition => joined(conditions, sql` or `, no)

function joined(conditions: Condition[], word: RawBuilder<unknown>, none: Condition): Condition {
  if (conditions.length < 2) return conditions[0] ?? none
  return sql`(${sql.join(conditions, word)})`
}
