import type { MetadataType } from '@guerdon/engine/schema'
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import type { Condition } from '../core/query/filter/conditions.ts'
import type { Scalar } from '../core/query/filter/field.ts'
import type { Filter, FilterFields } from '../core/query/filter/filter.ts'
import type { DescribedObject } from '../definitions/metadata-schemas/rules.ts'

/** Something that can be exported, and how it becomes a row of a file (docs/reference/exports.md#what-can-be-exported). */
export interface Exportable {
  /** Its rows have a `project_id` and an `id`, and each becomes a row of the file. */
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
  /** What else its columns and filters read; no join may multiply the rows. */
  joins?: RawBuilder<unknown>
  /** Null for what has none, and then neither a field nor a filter of this name. */
  metadata: RawBuilder<unknown> | null
  /** The metadata schema whose keys are the first columns of `metadata`. */
  described_as: DescribedObject | null
  /** By name, without `metadata` and `metadata.<key>`. */
  fields: Readonly<Record<string, Field>>
  default_fields: readonly string[]
  /** Names of fields or of `sort_keys`, with `-` for descending; the first is the default. */
  orders: readonly string[]
  /** The columns of those orders that are not sorted by the field of the same name. */
  sort_keys?: Readonly<Record<string, string>>
  /** Those of `orders` that can be null. */
  sorted_with_nulls: readonly string[]
  /** Those of `orders` that no index has, so that each step sorts all rows. */
  sorted_without_index?: readonly string[]
  /** What is left out whoever asks, such as what lies in the bin. */
  where: Condition
  filterFields(types: Readonly<Record<string, MetadataType>>, ctx: Ctx): FilterFields
  /** Replaces names in a filter by what is stored, such as a code by its id. */
  resolve?(ctx: Ctx, filter: Filter): Promise<Filter>
  /** The column that `parameters.campaign_id` chooses, where there is such a parameter. */
  campaign_id?: string
}

/** A column of the file: an expression over the tables, which may depend on the day or on where the service is. */
export type Field = RawBuilder<unknown> | ((ctx: Ctx) => RawBuilder<unknown>)

export const column = (name: string): RawBuilder<unknown> => sql.ref(name)

/** All that `parameters.fields` may name. */
export const fieldNames = ({ fields, metadata }: Exportable): string[] => [
  ...Object.keys(fields),
  ...(metadata === null ? [] : ['metadata', 'metadata.<key>']),
]

/** A filter with other values for one of its fields. */
export function withValues(filter: Filter, name: string, change: (value: Scalar) => Scalar): Filter {
  const fields = filter.fields.map((one) =>
    one.name === name
      ? {
          ...one,
          conditions: one.conditions.map(({ operator, values }) => ({ operator, values: values.map(change) })),
        }
      : one,
  )
  return { ...filter, fields }
}
