import type { ColumnType, JSONColumnType } from 'kysely'

/** A `jsonb` column: read as a value, written as JSON text. */
export type Json<T extends object | null = object> = JSONColumnType<T & object, string, string>

/** A nullable `jsonb` column. */
export type NullableJson<T extends object> = ColumnType<T | null, string | null | undefined, string | null>

/** Custom key/value pairs. */
export type MetadataColumn = Json<Record<string, unknown>>

/** Validity periods in addition to start and expiration date (docs/reference/validity-periods.md). */
export interface ValidityColumns {
  validity_timeframe: NullableJson<{ interval: string; duration: string }>
  validity_day_of_week: NullableJson<number[]>
  validity_hours: NullableJson<{
    daily: Array<{ start_time: string; expiration_time?: string; days_of_week?: number[] }>
  }>
}
