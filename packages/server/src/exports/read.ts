import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import { limits } from '../core/lib/limits.ts'
import { type Condition, yes } from '../core/query/filter/conditions.ts'
import {
  type AskedRows,
  column,
  type Exportable,
  type ExportableTable,
  type Field,
  type Position,
} from './exportable.ts'
import { exportFilterSql, parseExportFilter } from './filter.ts'
import { type ExportedObject, exportables } from './objects.ts'
import type { StoredParameters } from './schema.ts'

/** What an export reads. */
export interface Exported {
  exported_object: ExportedObject
  parameters: StoredParameters
}

/** The metadata keys of the next rows by id, and the id of the last row; null when there are no more rows. */
export async function readKeys(
  ctx: Ctx,
  exported: Exported,
  after: string,
): Promise<{ keys: string[]; last: string | null }> {
  const exportable = exportables[exported.exported_object] as ExportableTable
  const id = idOf(exportable)
  const { rows } = await sql<{ keys: string[]; last: string | null; count: number }>`
    with page as materialized (
      select ${id} as id, ${exportable.metadata} as metadata from ${tablesOf(exportable)}
      where ${await conditionOf(ctx, exportable, exported)} and ${id} > ${after}
      order by ${id} limit ${sql.lit(keysRows)}
    )
    select array(select distinct key from page, jsonb_object_keys(page.metadata) as key) as keys,
      (select max(id) from page) as last, (select count(*) from page) as count`.execute(ctx.db)
  const { keys = [], last = null, count = 0 } = rows[0] ?? {}
  return { keys, last: count < keysRows ? null : last }
}

/** Many, because reading only keys is fast. */
const keysRows = 5_000

/**
 * The next rows as lists of values, in the order of the columns. A row whose sort value changes while the export runs is written
 * at the position it has when the export gets there, so possibly twice or never; by `created_at` and `id` rows never move.
 */
export async function readRows(
  ctx: Ctx,
  exported: Exported,
  columns: string[],
  after: Position | null,
): Promise<{ rows: unknown[][]; last: Position | null }> {
  const exportable: Exportable = exportables[exported.exported_object]
  if (exportable.table === undefined) return exportable.readRows(ctx, await askedRows(ctx, exported, columns), after)
  const sort = sortOf(ctx, exportable, exported.parameters.order)
  const where = await conditionOf(ctx, exportable, exported)
  const hasMetadata = columns.some((name) => name.startsWith('metadata.'))
  // Without an index every step sorts all rows, so steps are larger; not with metadata, which may need much memory.
  const rowsMax = sort.isIndexed || hasMetadata ? limits.export_step_rows : limits.export_sorted_step_rows
  const pageRows: Row[] = []
  for (const range of rangesAfter(sort, after)) {
    const missing = rowsMax - pageRows.length
    if (missing === 0) break
    const { rows } = await sql<Row>`
      select ${sort.id} as id, (${sort.key ?? sort.id})::text as value,
        ${hasMetadata ? exportable.metadata : sql`null`} as metadata ${selectList(ctx, exportable, columns)}
      from ${tablesOf(exportable)} where ${where} and ${range.where}
      order by ${range.order} limit ${sql.lit(missing)}`.execute(ctx.db)
    pageRows.push(...rows)
  }
  const last = pageRows.at(-1)
  return {
    rows: pageRows.map((row) => columns.map((name, index) => cellOf(row, name, index))),
    last: last === undefined || pageRows.length < rowsMax ? null : { value: last.value, id: last.id },
  }
}

type Row = Position & { metadata: Record<string, unknown> | null } & Record<string, unknown>

async function askedRows(ctx: Ctx, { exported_object, parameters }: Exported, columns: string[]): Promise<AskedRows> {
  const { order, filters } = parameters
  const filter = await parseExportFilter(ctx, exported_object, filters)
  return { columns, order, filter, where: await exportFilterSql(ctx, exported_object, filters) }
}

const idOf = ({ table }: ExportableTable): RawBuilder<unknown> => column(`${table}.id`)

const tablesOf = ({ table, joins }: ExportableTable): RawBuilder<unknown> => sql`${sql.table(table)} ${joins ?? sql``}`

const sqlOf = (ctx: Ctx, field: Field): RawBuilder<unknown> => (typeof field === 'function' ? field(ctx) : field)

/** The select list: each field under the number of its column. */
function selectList(ctx: Ctx, { fields }: ExportableTable, columns: string[]): RawBuilder<unknown> {
  const expressions = columns.flatMap((name, index) =>
    Object.hasOwn(fields, name) ? [sql`, ${sqlOf(ctx, fields[name] as Field)} as ${sql.ref(`c${index}`)}`] : [],
  )
  return sql.join(expressions, sql``)
}

async function conditionOf(
  ctx: Ctx,
  { table, where, campaign_id }: ExportableTable,
  { exported_object, parameters }: Exported,
): Promise<Condition> {
  const filter = await exportFilterSql(ctx, exported_object, parameters.asked ?? parameters.filters)
  const bound = await exportFilterSql(ctx, exported_object, parameters.bound)
  const inCampaign =
    campaign_id !== undefined && typeof parameters.campaign_id === 'string'
      ? sql`${column(campaign_id)} = ${parameters.campaign_id}`
      : yes
  return sql`${column(`${table}.project_id`)} = ${ctx.project_id} and ${where} and ${inCampaign} and ${bound} and ${filter}`
}

interface Sort {
  isDescending: boolean
  /** Null when the rows are sorted by their id alone. */
  key: RawBuilder<unknown> | null
  isNullable: boolean
  isIndexed: boolean
  id: RawBuilder<unknown>
}

function sortOf(ctx: Ctx, exportable: ExportableTable, order: string): Sort {
  const { table, fields, sort_keys = {}, sorted_with_nulls, sorted_without_index = [] } = exportable
  const isDescending = order.startsWith('-')
  const name = isDescending ? order.slice(1) : order
  const sortColumn = Object.hasOwn(sort_keys, name) ? (sort_keys[name] as string) : null
  const key = sortColumn === null ? sqlOf(ctx, fields[name] as Field) : column(sortColumn)
  const isById = sortColumn === `${table}.id`
  return {
    isDescending,
    key: isById ? null : key,
    isNullable: sorted_with_nulls.includes(name),
    isIndexed: !sorted_without_index.includes(name),
    id: idOf(exportable),
  }
}

interface RowRange {
  where: Condition
  order: RawBuilder<unknown>
}

/**
 * The rows after a position, as up to two ranges: rows with a sort value, then rows where it is null. Each range is in the order
 * of an index, scanned forwards or backwards; a single range would not be, because an index scanned backwards has nulls first.
 */
function rangesAfter({ isDescending, key, isNullable, id }: Sort, after: Position | null): RowRange[] {
  const direction = isDescending ? sql`desc` : sql`asc`
  const beyond = isDescending ? sql`<` : sql`>`
  const byId = sql`${id} ${direction}`
  const beyondId: Condition = after === null ? yes : sql`${id} ${beyond} ${after.id}`
  if (key === null) return [{ where: beyondId, order: byId }]

  const nulls = (where: Condition): RowRange => ({ where: sql`${key} is null and ${where}`, order: byId })
  if (after?.value === null) return [nulls(beyondId)]
  const later: Condition = after === null ? yes : sql`(${key}, ${id}) ${beyond} (${after.value}, ${after.id})`
  const valued: RowRange = {
    where: isNullable ? sql`${key} is not null and ${later}` : later,
    order: sql`${key} ${direction}, ${byId}`,
  }
  return isNullable ? [valued, nulls(yes)] : [valued]
}

function cellOf(row: Row, column: string, index: number): unknown {
  if (!column.startsWith('metadata.')) return row[`c${index}`]
  const metadata = row.metadata ?? {}
  const key = column.slice('metadata.'.length)
  return Object.hasOwn(metadata, key) ? metadata[key] : null
}
