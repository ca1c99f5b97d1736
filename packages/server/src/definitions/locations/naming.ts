import { type Expression, sql } from 'kysely'
import type { Condition } from '../../core/query/filter/conditions.ts'

/** Whether a stored filter uses a location, in any field and in any form of the list (value, array, object). */
export const namesLocation = (filter: Expression<unknown>, id: string): Condition =>
  sql`(jsonb_path_exists(${filter}, '$.*.conditions."$in_location".** ? (@ == $id)', ${pathVariables(id)}::jsonb)
    or jsonb_path_exists(${filter}, '$.*.conditions."$not_in_location".** ? (@ == $id)', ${pathVariables(id)}::jsonb))`

const pathVariables = (id: string): string => JSON.stringify({ id })
