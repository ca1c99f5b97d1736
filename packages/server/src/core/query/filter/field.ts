import type { FilterOperator, StateOperator } from '@guerdon/engine'
import type { MetadataType } from '@guerdon/engine/schema'
import type { Expression } from 'kysely'
import type { Instant } from '../../lib/instant.ts'
import type { Condition } from './conditions.ts'

export type FilterField = {
  /** A column name or an expression: text, number, boolean, date, timestamptz or jsonb, according to the type. */
  column: string | Expression<unknown>
  /** The state operators of this field; others are false. A filter on it may omit `conditions` and `$`. */
  states?: Partial<Record<StateOperator, (moment: FilterMoment) => Condition>>
  /** The only operators of this field; undefined: all. */
  operators?: readonly FilterOperator[]
} & (
  | { type: 'string'; case_insensitive?: boolean }
  | { type: 'number' | 'boolean' | 'datetime' | 'array' }
  /** Several moments, one of which must match: the column is a subquery that reads them. */
  | { type: 'datetimes' }
  /** A birthday has no year: "today" and "next month" compare its month and day. */
  | { type: 'date'; ignores_year?: boolean }
  /** `value_type` is the type of the key in the metadata schema of the project, if defined. */
  | { type: 'metadata'; key: string; value_type?: MetadataType }
)

/** The time of the request and the time zone of the project, in which days begin and end. */
export interface FilterMoment {
  now: Instant
  timezone: string
}
