import { InstantInput } from '@guerdon/engine/schema'
import { type Expression, type SelectQueryBuilder, type Simplify, sql } from 'kysely'
import { type Static, type TSchema, Type } from 'typebox'
import { invalidQuery } from '../http/errors.ts'
import type { Instant } from '../lib/instant.ts'
import { limits } from '../lib/limits.ts'
import type { Condition } from './filter/conditions.ts'
import {
  afterObject,
  boundOf,
  type Part,
  pageSql,
  readPosition,
  type Sort,
  type SortColumn,
  sortOf,
} from './page-sql.ts'

/**
 * Query properties of a list in pages; the first order is the default. Meant to be spread:
 * `Type.Object({ ...PageQuery({ order: ['-created_at', 'created_at'] }), ...DateQuery, ...FilterQuery })`.
 */
export function PageQuery<const O extends readonly [string, ...string[]]>({ order }: { order: O }) {
  return {
    limit: Type.Optional(Limit),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.page_max, default: 1 })),
    order: Type.Optional(Order(order)),
    starting_after_id: StartingAfterId,
  }
}

/** Query properties of a list with a cursor. */
export function CursorQuery<const O extends readonly [string, ...string[]]>({ order }: { order: O }) {
  return {
    limit: Type.Optional(Limit),
    order: Type.Optional(Order(order)),
    starting_after_id: StartingAfterId,
  }
}

export const StartingAfterId = Type.Optional(
  Type.String({ minLength: 1, description: 'Continues after the object with this id, in the order asked for.' }),
)

const Limit = Type.Integer({ minimum: 1, maximum: limits.page_size_max, default: limits.page_size_default })

const Order = <const O extends readonly [string, ...string[]]>(order: O) =>
  Type.Unsafe<O[number]>({ type: 'string', enum: [...order], default: order[0] })

const Bounds = Type.Optional(Type.Object({ before: Type.Optional(InstantInput), after: Type.Optional(InstantInput) }))

/** Query properties that `dateBounds` turns into conditions. */
export const DateQuery = {
  created_at: Bounds,
  updated_at: Bounds,
  start_date: Type.Optional(InstantInput),
  end_date: Type.Optional(InstantInput),
}

/** `ids=a&ids=b` or `ids[0]=a&ids[1]=b`: only these objects; see `idsSql`. */
export const IdsQuery = {
  ids: Type.Optional(Type.Array(Type.String(), { maxItems: limits.filter_values_max })),
}

export const idsSql = (ids: string[] | undefined, column = 'id'): Condition[] =>
  ids === undefined ? [] : [sql`${sql.ref(column)} = any(${ids}::text[])`]

/** The `filters` of a list: validated as an object here, parsed by `parseFilter`. */
export const FilterQuery = { filters: Type.Optional(Type.Unsafe<unknown>({ type: 'object' })) }

/** Properties of a list besides its items; a total returned only on request is `optional`. */
interface ListParts {
  total?: true | 'optional'
  cursor?: true
}

type ListOf<Name extends string, Item, Parts extends ListParts> = { object: 'list'; data_ref: Name } & {
  [K in Name]: Item[]
} & (Parts extends { total: true }
    ? { total: number }
    : Parts extends { total: 'optional' }
      ? { total?: number }
      : unknown) &
  (Parts extends { cursor: true } ? { has_more: boolean; more_starting_after?: string } : unknown)

/** The schema of a list with its items in the property `name`: `listOf('vouchers', Voucher, { total: true })`. */
export function listOf<const Name extends string, Item extends TSchema, const Parts extends ListParts>(
  name: Name,
  item: Item,
  { total, cursor }: Parts,
) {
  const totalSchema = Type.Integer({ minimum: 0, description: 'All that match, on every page.' })
  return Type.Unsafe<Simplify<ListOf<Name, Static<Item>, Parts>>>(
    Type.Object({
      object: Type.Literal('list'),
      data_ref: Type.Literal(name),
      [name]: Type.Array(item),
      ...(total === undefined ? {} : { total: total === true ? totalSchema : Type.Optional(totalSchema) }),
      ...(cursor === undefined
        ? {}
        : {
            has_more: Type.Boolean(),
            more_starting_after: Type.Optional(Type.String({ description: 'The `starting_after_id` of the rest.' })),
          }),
    }),
  )
}

/** The reply that `listOf` describes. */
export function listed<
  const Name extends string,
  Item,
  More extends { total?: number; has_more?: boolean; more_starting_after?: string },
>(name: Name, items: Item[], more: More) {
  return { object: 'list', data_ref: name, [name]: items, ...more } as Simplify<
    { object: 'list'; data_ref: Name } & { [K in Name]: Item[] } & More
  >
}

/** `-created_at` and `created_at` sort by the same column. */
type SortedBy<Order extends string> = Order extends `-${infer Name}` ? Name : Order

/** A column that is nullable in the row type must be declared nullable, otherwise paging would lose rows. */
type SortColumns<Order extends string, Row> = {
  [Name in SortedBy<Order>]: Name extends keyof Row
    ? null extends Row[Name]
      ? { nullable: string }
      : SortColumn
    : SortColumn
}

export interface ListOptions<Order extends string, Row> {
  columns: SortColumns<Order, Row>
  default_order: Order
  /** The column that breaks ties: `id` by default, qualified if the query joins tables. */
  id?: string
  /** Conditions of the request: `dateBounds`, `filterSql`. */
  where?: Condition[]
}

export interface PageOptions<Order extends string, Row> extends ListOptions<Order, Row> {
  /** The stored number of all rows (core/db/tallies.ts), used when the request has no conditions. */
  total?: Expression<number>
  /** Where the page begins, if requested; rows before it still count in the total. */
  after?: Condition
}

/** Which page is asked for. */
export interface PageInput<Order extends string> {
  limit?: number
  page?: number
  order?: Order
  starting_after_id?: string
}

export interface Page<Row> {
  rows: Simplify<Row>[]
  total: number
  has_more: boolean
}

/**
 * One page of a query that is already restricted to its project, and the number of all matching rows. Both come from one
 * statement: the count is a separate subquery, so that the page can still be read from an index and stop early. With
 * `starting_after_id` the page begins after the current position of that object, even if it has moved since it was listed.
 */
export async function pageOf<DB, TB extends keyof DB, Row, Order extends string>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { limit = limits.page_size_default, page = 1, order, starting_after_id }: PageInput<Order>,
  { columns, default_order, id = 'id', where = [], total, after }: PageOptions<NoInfer<Order>, Row>,
): Promise<Page<Row>> {
  const sort = sortOf(order ?? default_order, columns, id)
  const isFiltered = where.length > 0 || after !== undefined
  const start = [
    ...(after === undefined ? [] : [after]),
    ...(starting_after_id === undefined ? [] : [await startAfter(query, starting_after_id, sort, isFiltered)]),
  ]
  const matching = withConditions(query, where)
  const count = where.length === 0 && total !== undefined ? total : countSql(matching)
  const offset = start.length === 0 && page > 1 ? (page - 1) * limit : null
  const part = partOf({ limit: limit + 1, offset }, isFiltered)
  const found = await pageSql(withTotal(withConditions(matching, start), count), sort, part).execute()
  const rows = found.slice(0, limit).map(({ list_total: _, ...row }) => row as Simplify<Row>)
  if (found[0] !== undefined) return { rows, total: found[0].list_total, has_more: found.length > limit }
  if (starting_after_id !== undefined) await requirePosition(query, starting_after_id, sort)
  // Past the last page there is no row that carries the total.
  const isPast = page > 1 || start.length > 0
  return { rows, total: isPast ? await totalOf(matching, count) : 0, has_more: false }
}

/** The statement of a page without conditions; null if it needs to know the position of an object first. */
export function unfilteredPage<DB, TB extends keyof DB, Row, Order extends string>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { columns, default_order, id = 'id', total }: PageOptions<NoInfer<Order>, Row>,
  { order, starting_after_id, ...part }: Part & { order?: Order; starting_after_id?: string },
): SelectQueryBuilder<DB, TB, Row & { list_total: number }> | null {
  const sort = sortOf(order ?? default_order, columns, id)
  if (starting_after_id !== undefined && sort.nullable) return null
  const start = starting_after_id === undefined ? [] : [afterObject(query, starting_after_id, sort)]
  return pageSql(withTotal(withConditions(query, start), total ?? countSql(query)), sort, part)
}

/**
 * A list that is filtered is planned for the values of its filter: few or most of the rows may match them, and the index to read
 * depends on that. All other pages are read along the index that has their order, whatever the values.
 */
const partOf = ({ limit, offset }: Pick<Part, 'limit' | 'offset'>, isFiltered: boolean): Part => ({
  limit,
  offset,
  rows_max: isFiltered ? null : boundOf(limit + (offset ?? 0)),
})

/** The condition for the rows after an object. */
async function startAfter<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  objectId: string,
  sort: Sort,
  isFiltered: boolean,
): Promise<Condition> {
  const needsPosition = isFiltered || sort.nullable || objectId.includes('\0')
  return needsPosition ? requirePosition(query, objectId, sort) : afterObject(query, objectId, sort)
}

async function requirePosition<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  objectId: string,
  sort: Sort,
): Promise<Condition> {
  const position = await readPosition(query, objectId, sort)
  if (position === undefined) throw invalidQuery('Property .starting_after_id must be the id of an object in this list')
  return position
}

/** The number of rows of a query that match the conditions. */
export function countOf<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  where: Condition[] = [],
): Promise<number> {
  const matching = withConditions(query, where)
  return totalOf(matching, countSql(matching))
}

/**
 * The rows strictly after the object `starting_after_id`, which is looked up without `where`: it may no longer match. Rows
 * inserted or deleted in the meantime do not shift other rows to another page.
 */
export async function cursorOf<DB, TB extends keyof DB, Row extends { id: string }, Order extends string>(
  query: SelectQueryBuilder<DB, TB, Row>,
  {
    limit = limits.page_size_default,
    order,
    starting_after_id,
  }: { limit?: number; order?: Order; starting_after_id?: string },
  { columns, default_order, id = 'id', where = [] }: ListOptions<NoInfer<Order>, Row>,
): Promise<{ rows: Simplify<Row>[]; has_more: boolean; more_starting_after?: string }> {
  const sort = sortOf(order ?? default_order, columns, id)
  const isFiltered = where.length > 0
  const after = starting_after_id === undefined ? [] : [await startAfter(query, starting_after_id, sort, isFiltered)]
  const part = partOf({ limit: limit + 1, offset: null }, isFiltered)
  const found = await pageSql(withConditions(query, [...where, ...after]), sort, part).execute()
  if (found.length === 0 && starting_after_id !== undefined) await requirePosition(query, starting_after_id, sort)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  if (found.length === rows.length || last === undefined) return { rows, has_more: false }
  return { rows, has_more: true, more_starting_after: (last as { id: string }).id }
}

/** The bounds of `DateQuery`: `before` and `after` are strict, `start_date` and `end_date` are inclusive. */
export function dateBounds(
  { created_at, updated_at, start_date, end_date }: DateInput,
  columns: { created_at?: string; updated_at?: string } = {},
): Condition[] {
  const created = sql.ref(columns.created_at ?? 'created_at')
  const updated = sql.ref(columns.updated_at ?? 'updated_at')
  const bounds: Condition[] = []
  if (created_at?.before !== undefined) bounds.push(sql`${created} < ${created_at.before}::timestamptz`)
  if (created_at?.after !== undefined) bounds.push(sql`${created} > ${created_at.after}::timestamptz`)
  if (updated_at?.before !== undefined) bounds.push(sql`${updated} < ${updated_at.before}::timestamptz`)
  if (updated_at?.after !== undefined) bounds.push(sql`${updated} > ${updated_at.after}::timestamptz`)
  if (start_date !== undefined) bounds.push(sql`${created} >= ${start_date}::timestamptz`)
  if (end_date !== undefined) bounds.push(sql`${created} <= ${end_date}::timestamptz`)
  return bounds
}

interface DateInput {
  created_at?: { before?: Instant; after?: Instant }
  updated_at?: { before?: Instant; after?: Instant }
  start_date?: Instant
  end_date?: Instant
}

function withConditions<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  where: Condition[],
): SelectQueryBuilder<DB, TB, Row> {
  return where.reduce((restricted, condition) => restricted.where(condition), query)
}

const countSql = <DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>): Expression<number> =>
  sql<number>`(select count(*) from ${query.clearOrderBy()} as matching)`

/** Each row with the number of all rows, counted once. */
function withTotal<DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>, count: Expression<number>) {
  return query.select(sql<number>`${count}`.as('list_total')).$castTo<Row & { list_total: number }>()
}

async function totalOf<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  count: Expression<number>,
): Promise<number> {
  const first = await withTotal(query, count).clearOrderBy().limit(1).executeTakeFirst()
  return (first as { list_total: number } | undefined)?.list_total ?? 0
}
