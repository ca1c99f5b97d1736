import type { Scalar } from '@guerdon/engine'
import type { MetadataType } from '@guerdon/engine/schema'
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import type { Condition } from '../core/query/filter/conditions.ts'
import type { Filter, FilterFields } from '../core/query/filter/filter.ts'
import type { DescribedObject } from '../definitions/metadata-schemas/rules.ts'

/** An object that can be exported, and how its rows become rows of a file (docs/reference/exports.md#what-can-be-exported). */
export interface Exportable {
  /** Has the columns `project_id` and `id`; each row becomes a row of the file. */
  table:
    | 'customers'
    | 'orders'
    | 'products'
    | 'skus'
    | 'vouchers'
    | 'redemptions'
    | 'publications'
    | 'voucher_transactions'
    | 'lots'
  /** Other tables that its fields and filters read; no join may multiply the rows. */
  joins?: RawBuilder<unknown>
  /** Null: the object has no metadata, and neither a field nor a filter of this name. */
  metadata: RawBuilder<unknown> | null
  /** The metadata schema whose keys come first among the columns of `metadata`. */
  described_as: DescribedObject | null
  /** By name, without `metadata` and `metadata.<key>`. */
  fields: Readonly<Record<string, Field>>
  default_fields: readonly string[]
  /** Names of fields or of `sort_keys`, with `-` for descending; the first is the default. */
  orders: readonly string[]
  /** The sort columns of those `orders` that are not sorted by the field of the same name. */
  sort_keys?: Readonly<Record<string, string>>
  /** The `orders` whose value can be null. */
  sorted_with_nulls: readonly string[]
  /** The `orders` without an index: each step sorts all rows. */
  sorted_without_index?: readonly string[]
  /** Excludes rows from every export, such as those in the trash bin. */
  where: Condition
  filterFields(types: Readonly<Record<string, MetadataType>>, ctx: Ctx): FilterFields
  /** Replaces values in a filter by stored ones, such as a code by the voucher's id. */
  resolve?(ctx: Ctx, filter: Filter): Promise<Filter>
  /** The column that `parameters.campaign_id` filters; undefined: there is no such parameter. */
  campaign_id?: string
}

/** A column of the file: an SQL expression over the tables, which may depend on the current day or on the settings. */
export type Field = RawBuilder<unknown> | ((ctx: Ctx) => RawBuilder<unknown>)

export const column = (name: string): RawBuilder<unknown> => sql.ref(name)

/** The `orders` of these names, each descending and ascending. */
export const bothWays = (...names: string[]): string[] => names.flatMap((name) => [`-${name}`, name])

/** The names that `parameters.fields` accepts. */
export const fieldNames = ({ fields, metadata }: Exportable): string[] => [
  ...Object.keys(fields),
  ...(metadata === null ? [] : ['metadata', 'metadata.<key>']),
]

/** Maps the values of one field of a filter. */
export function withValues(filter: Filter, name: string, change: (value: Scalar) => Scalar): Filter {
  const fields = filter.fields.map((field) =>
    field.name === name
      ? {
          ...field,
          conditions: field.conditions.map(({ operator, values }) => ({ operator, values: values.map(change) })),
        }
      : field,
  )
  return { ...filter, fields }
}
