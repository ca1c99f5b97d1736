import { type Expression, sql } from 'kysely'
import type { Condition } from '../../core/query/filter/conditions.ts'

/** Whether a stored filter asks for a location, in any of its fields and in any way of writing a list. */
export const namesLocation = (filter: Expression<unknown>, id: string): Condition =>
  sql`(jsonb_path_exists(${filter}, '$.*.conditions."$in_location".** ? (@ == $id)', ${vars(id)}::jsonb)
    or jsonb_path_exists(${filter}, '$.*.conditions."$not_in_location".** ? (@ == $id)', ${vars(id)}::jsonb))`

const vars = (id: string): string => JSON.stringify({ id })
