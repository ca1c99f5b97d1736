import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { type Condition, yes } from '../lib/filter/conditions.ts'
import { limits } from '../lib/limits.ts'
import { exportFilterSql } from './filter.ts'
import { type Exportable, type ExportedObject, exportables } from './objects.ts'
import type { ExportParameters } from './schema.ts'

/** What an export is about. */
export interface Exported {
  exported_object: ExportedObject
  parameters: ExportParameters
}

/** Where a page of rows ended. */
export interface Position {
  /** What the rows are sorted by, as text; null comes last. */
  value: string | null
  id: string
}

/** The keys of the metadata of the next rows by id, and the last of these; null when there are no more rows. */
export async function readKeys(
  ctx: Ctx,
  exported: Exported,
  after: string,
): Promise<{ keys: string[]; last: string | null }> {
  const { table } = exportables[exported.exported_object]
  const { rows } = await sql<{ keys: string[]; last: string | null; count: number }>`
    with page as materialized (
      select ${sql.ref(`${table}.id`)} as id, ${sql.ref(`${table}.metadata`)} as metadata from ${sql.table(table)}
      where ${await conditionOf(ctx, exported)} and ${sql.ref(`${table}.id`)} > ${after}
      order by ${sql.ref(`${table}.id`)} limit ${sql.lit(keys_rows)}
    )
    select array(select distinct key from page, jsonb_object_keys(page.metadata) as key) as keys,
      (select max(id) from page) as last, (select count(*) from page) as count`.execute(ctx.db)
  const { keys = [], last = null, count = 0 } = rows[0] ?? {}
  return { keys, last: count < keys_rows ? null : last }
}

/** Reading keys alone is quick. */
const keys_rows = 5_000

/**
 * The next rows as lists of values, in the order of the columns. A row that moves while the export runs, because what it
 * is sorted by has changed, is written where it stands when its turn comes: by `created_at` and `id` nothing ever moves.
 */
export async function readRows(
  ctx: Ctx,
  exported: Exported,
  columns: string[],
  after: Position | null,
): Promise<{ rows: unknown[][]; last: Position | null }> {
  const exportable: Exportable = exportables[exported.exported_object]
  const { table, fields } = exportable
  const read = columns.flatMap((name, index) =>
    Object.hasOwn(fields, name) ? [sql`, ${fields[name]} as ${sql.ref(`c${index}`)}`] : [],
  )
  const sort = sortOf(exportable, exported.parameters.order)
  const { rows } = await sql<Record<string, unknown> & Position>`
    select ${sort.id} as id, (${sort.key})::text as value, ${sql.ref(`${table}.metadata`)} as metadata
      ${sql.join(read, sql``)}
    from ${sql.table(table)} where ${await conditionOf(ctx, exported)} and ${after === null ? yes : isAfter(sort, after)}
    order by ${orderSql(sort)}
    limit ${sql.lit(limits.export_step_rows)}`.execute(ctx.db)
  const last = rows.at(-1)
  return {
    rows: rows.map((row) => columns.map((name, index) => cellOf(row, name, index))),
    last: last === undefined || rows.length < limits.export_step_rows ? null : { value: last.value, id: last.id },
  }
}

async function conditionOf(ctx: Ctx, { exported_object, parameters }: Exported): Promise<RawBuilder<unknown>> {
  const { table, where } = exportables[exported_object]
  const filter = await exportFilterSql(ctx, exported_object, parameters.filters)
  return sql`${sql.ref(`${table}.project_id`)} = ${ctx.project_id} and ${where} and ${filter}`
}

interface Sort {
  isDescending: boolean
  key: RawBuilder<unknown>
  isNullable: boolean
  id: RawBuilder<unknown>
}

function sortOf({ table, fields, sorted_with_nulls }: Exportable, order: string): Sort {
  const isDescending = order.startsWith('-')
  const name = isDescending ? order.slice(1) : order
  return {
    isDescending,
    key: fields[name] as RawBuilder<unknown>,
    isNullable: sorted_with_nulls.includes(name),
    id: sql.ref(`${table}.id`),
  }
}

/** `nulls last` only where there can be nulls: an index that is read backwards has them first. */
function orderSql({ isDescending, key, isNullable, id }: Sort): RawBuilder<unknown> {
  const direction = isDescending ? sql`desc` : sql`asc`
  return sql`${key} ${direction}${isNullable ? sql` nulls last` : sql``}, ${id} ${direction}`
}

function isAfter({ isDescending, key, isNullable, id }: Sort, after: Position): Condition {
  const beyond = isDescending ? sql`<` : sql`>`
  if (after.value === null) return sql`(${key} is null and ${id} ${beyond} ${after.id})`
  const later: Condition = sql`(${key}, ${id}) ${beyond} (${after.value}, ${after.id})`
  return isNullable ? sql`(${later} or ${key} is null)` : later
}

function cellOf(row: Record<string, unknown>, column: string, index: number): unknown {
  if (!column.startsWith('metadata.')) return row[`c${index}`]
  const metadata = row.metadata as Record<string, unknown>
  const key = column.slice('metadata.'.length)
  return Object.hasOwn(metadata, key) ? metadata[key] : null
}
