import type { Scalar } from '@guerdon/engine'
import type { MetadataType } from '@guerdon/engine/schema'
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import type { AuditLogRow, Role } from '../core/db/tables.ts'
import type { Condition } from '../core/query/filter/conditions.ts'
import type { Filter, FilterFields } from '../core/query/filter/filter.ts'
import type { DescribedObject } from '../definitions/metadata-schemas/rules.ts'

/** An object that can be exported (docs/reference/exports.md#what-can-be-exported). */
export type Exportable = ExportableTable | ExportableLog

interface ExportableObject {
  /** Null: the object has no metadata, and neither a field nor a filter of this name. */
  metadata: RawBuilder<unknown> | null
  /** The metadata schema whose keys come first among the columns of `metadata`. */
  described_as: DescribedObject | null
  default_fields: readonly string[]
  /** Names of fields or of `sort_keys`, with `-` for descending; the first is the default. */
  orders: readonly string[]
  filterFields(types: Readonly<Record<string, MetadataType>>, ctx: Ctx): FilterFields
  /** Refuses filters that `filterFields` admit, when an export is created. */
  checkFilter?(ctx: Ctx, filter: Filter): void
  /** Replaces values in a filter by stored ones, such as a code by the voucher's id. */
  resolve?(ctx: Ctx, filter: Filter): Promise<Filter>
  /** The column that `parameters.campaign_id` filters; undefined: there is no such parameter. */
  campaign_id?: string
  /** Who may export it; undefined: every role. */
  roles?: readonly Role[]
}

/** How the rows of a table become rows of a file. */
export interface ExportableTable extends ExportableObject {
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
  /** By name, without `metadata` and `metadata.<key>`. */
  fields: Readonly<Record<string, Field>>
  /** The sort columns of those `orders` that are not sorted by the field of the same name. */
  sort_keys?: Readonly<Record<string, string>>
  /** The `orders` whose value can be null. */
  sorted_with_nulls: readonly string[]
  /** The `orders` without an index: each step sorts all rows. */
  sorted_without_index?: readonly string[]
  /** Excludes rows from every export, such as those in the trash bin. */
  where: Condition
}

/** The audit log, which is too long for one statement to search it, and whose bodies the database cannot read. */
export interface ExportableLog extends ExportableObject {
  table?: never
  fields: Readonly<Record<string, (row: AuditLogRow) => unknown>>
  /** The rows of the next step; `last` is null when none are left. */
  readRows(ctx: Ctx, asked: AskedRows, after: Position | null): Promise<{ rows: unknown[][]; last: Position | null }>
}

export interface AskedRows {
  columns: readonly string[]
  order: string
  filter: Filter
  /** The same filter. */
  where: Condition
}

/** The position of the last row of a step. */
export interface Position {
  /** Its sort value, as text; null comes last. */
  value: string | null
  id: string
}

/** A column of the file: an SQL expression over the tables, which may depend on the current day or on the settings. */
export type Field = RawBuilder<unknown> | ((ctx: Ctx) => RawBuilder<unknown>)

export const column = (name: string): RawBuilder<unknown> => sql.ref(name)

/** The `orders` of these names, each descending and ascending. */
export const bothWays = (...names: string[]): string[] => names.flatMap((name) => [`-${name}`, name])

/** Whether the caller may export the object, and read its files. */
export const mayExport = ({ caller }: Ctx, { roles }: Exportable): boolean =>
  roles === undefined || roles.includes(caller.role)

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
