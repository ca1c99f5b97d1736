import type { MetadataType } from '@guerdon/engine/schema'
import type { Expression } from 'kysely'
import type { Instant } from '../../lib/instant.ts'
import type { Condition } from './conditions.ts'

export type FilterField = {
  /** A column's name, or an expression: text, number, boolean, date, timestamptz or jsonb, as the type says. */
  column: string | Expression<unknown>
  /** What state operators mean on this field; those it does not name are false. Here `conditions` and `$` may be left out. */
  states?: Partial<Record<StateOperator, (moment: Moment) => Condition>>
} & (
  | { type: 'string'; case_insensitive?: boolean }
  | { type: 'number' | 'boolean' | 'datetime' | 'array' }
  /** Several moments, of which one is enough: the column is a statement that reads them. */
  | { type: 'datetimes' }
  /** A birthday has no year: "today" and "next month" are asked of its month and day. */
  | { type: 'date'; ignores_year?: boolean }
  /** With the type that the project's metadata schema gives to the key, if it does. */
  | { type: 'metadata'; key: string; value_type?: MetadataType }
)

/** When and where the question is asked: days are cut in the project's time zone. */
export interface Moment {
  now: Instant
  timezone: string
}

export type StateOperator =
  | '$active'
  | '$expired'
  | '$before_start'
  | '$enabled'
  | '$disabled'
  | '$redeemed'
  | '$redeemable'
  | '$failed'
  | '$in_progress'

export type Scalar = string | number | boolean

export function toNumber(given: Scalar): number | null {
  if (typeof given === 'number') return Number.isFinite(given) ? given : null
  if (typeof given !== 'string' || !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(given)) return null
  const number = Number(given)
  return Number.isFinite(number) ? number : null
}

export function toBoolean(given: Scalar): boolean | null {
  const text = String(given).toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : null
}
