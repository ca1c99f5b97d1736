import { InstantInput } from '@guerdon/engine/schema'
import { type Expression, type RawBuilder, type SelectQueryBuilder, type Simplify, sql } from 'kysely'
import { type Static, type TSchema, Type } from 'typebox'
import { invalidQuery } from '../http/errors.ts'
import type { Instant } from '../lib/instant.ts'
import { limits } from '../lib/limits.ts'
import type { Condition } from './filter/conditions.ts'

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

/** Query properties of a list that continues after an object. */
export function CursorQuery<const O extends readonly [string, ...string[]]>({ order }: { order: O }) {
  return {
    limit: Type.Optional(Limit),
    order: Type.Optional(Order(order)),
    starting_after_id: StartingAfterId,
  }
}

const StartingAfterId = Type.Optional(
  Type.String({ description: 'Continues after the object with this id, in the order asked for.' }),
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

/** `ids=a&ids=b` or `ids[0]=a&ids[1]=b`: only these, as `idsSql` says it. */
export const IdsQuery = {
  ids: Type.Optional(Type.Array(Type.String(), { maxItems: limits.filter_values_max })),
}

export const idsSql = (ids: string[] | undefined, column = 'id'): Condition[] =>
  ids === undefined ? [] : [sql`${sql.ref(column)} = any(${ids}::text[])`]

/** The `filters` of a list: only known to be an object here, read by `parseFilter`. */
export const FilterQuery = { filters: Type.Optional(Type.Unsafe<unknown>({ type: 'object' })) }

/** What a list says beyond its items; a total that only comes when asked for is `optional`. */
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

/** The schema of a list whose items stand under `name`: `listOf('vouchers', Voucher, { total: true })`. */
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

/** The answer that `listOf` describes. */
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

/** A column that is never null, or one that can be: its nulls come last in both directions. */
type SortColumn = string | { nullable: string }

/** A column that the rows show as nullable must be declared so, otherwise paging would lose rows. */
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
  /** The column that breaks ties, `id` unless the query joins tables. */
  id?: string
  /** What the caller asked for: `dateBounds`, `filterSql`. */
  where?: Condition[]
}

export interface PageOptions<Order extends string, Row> extends ListOptions<Order, Row> {
  /** The number of all rows where somebody keeps it (core/db/tallies.ts); used while the caller asked for nothing special. */
  total?: Expression<number>
  /** Where the page begins, when the caller said so: what comes before still counts in the total. */
  after?: Condition
}

/**
 * One page of a query that is already restricted to its project, and the number of all rows that match. Both come from
 * one statement: the count is a subquery of its own, so that the page can still be read from an index and stop early.
 * With `starting_after_id` the page begins after that object instead, wherever it has moved since it was listed.
 */
export async function pageOf<DB, TB extends keyof DB, Row, Order extends string>(
  query: SelectQueryBuilder<DB, TB, Row>,
  {
    limit = limits.page_size_default,
    page = 1,
    order,
    starting_after_id,
  }: { limit?: number; page?: number; order?: Order; starting_after_id?: string },
  { columns, default_order, id = 'id', where = [], total, after }: PageOptions<NoInfer<Order>, Row>,
): Promise<{ rows: Simplify<Row>[]; total: number; has_more: boolean }> {
  const sort = sortOf(order ?? default_order, columns, id)
  const start = [
    ...(after === undefined ? [] : [after]),
    ...(starting_after_id === undefined ? [] : [await conditionAfter(query, starting_after_id, sort)]),
  ]
  const matching = narrowed(query, where)
  const count = where.length === 0 && total !== undefined ? total : countSql(matching)
  const found = await sorted(withTotal(narrowed(matching, start), count), sort)
    .limit(limit + 1)
    .offset(start.length === 0 ? (page - 1) * limit : 0)
    .execute()
  const rows = found.slice(0, limit).map(({ list_total: _, ...row }) => row as Simplify<Row>)
  if (found[0] !== undefined) return { rows, total: found[0].list_total, has_more: found.length > limit }
  // Past the end there is no row to carry the total.
  const isPast = page > 1 || start.length > 0
  return { rows, total: isPast ? await totalOf(matching, count) : 0, has_more: false }
}

/** The number of rows of a query that meet some conditions. */
export function countOf<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  where: Condition[] = [],
): Promise<number> {
  const matching = narrowed(query, where)
  return totalOf(matching, countSql(matching))
}

/**
 * The rows strictly after the object `starting_after_id`, which is looked up in the query without `where`: it may have
 * ceased to match since it was listed. Rows that are added or removed meanwhile move no other row to another page.
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
  const after = starting_after_id === undefined ? [] : [await conditionAfter(query, starting_after_id, sort)]
  const found = await sorted(narrowed(query, [...where, ...after]), sort)
    .limit(limit + 1)
    .execute()
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  if (found.length === rows.length || last === undefined) return { rows, has_more: false }
  return { rows, has_more: true, more_starting_after: (last as { id: string }).id }
}

/** The bounds of `DateQuery`: `before` and `after` are strict, `start_date` and `end_date` belong to the list. */
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

interface Sort {
  direction: 'asc' | 'desc'
  id: RawBuilder<unknown>
  /** Null when the list is sorted by id alone. */
  column: RawBuilder<unknown> | null
  nullable: boolean
}

function sortOf(order: string, columns: Record<string, SortColumn>, id: string): Sort {
  const descending = order.startsWith('-')
  const declared = columns[descending ? order.slice(1) : order] as SortColumn
  const name = typeof declared === 'string' ? declared : declared.nullable
  return {
    direction: descending ? 'desc' : 'asc',
    id: sql.ref(id),
    column: name === id ? null : sql.ref(name),
    nullable: typeof declared === 'object',
  }
}

function narrowed<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  where: Condition[],
): SelectQueryBuilder<DB, TB, Row> {
  return where.reduce((narrower, condition) => narrower.where(condition), query)
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

/** `nulls last` only where there can be nulls: an index that is read backwards has them first. */
function sorted<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { direction, id, column, nullable }: Sort,
): SelectQueryBuilder<DB, TB, Row> {
  if (column === null) return query.orderBy(id, direction)
  const byColumn = query.orderBy(column, (by) => {
    const directed = direction === 'asc' ? by.asc() : by.desc()
    return nullable ? directed.nullsLast() : directed
  })
  return byColumn.orderBy(id, direction)
}

async function conditionAfter<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  startingAfterId: string,
  { direction, id, column, nullable }: Sort,
): Promise<Condition> {
  // As text, and back by the column's own type: a number of JavaScript may be less exact than the stored one.
  const known = startingAfterId.includes('\0') // which no text in the database can hold
    ? undefined
    : await query
        .clearSelect()
        .clearOrderBy()
        .select(sql<string | null>`(${column ?? id})::text`.as('value'))
        .where(sql<boolean>`${id} = ${startingAfterId}`)
        .executeTakeFirst()
  if (known === undefined) throw invalidQuery('Property .starting_after_id must be the id of an object in this list')

  const { value } = known as { value: string | null }
  const beyond = direction === 'asc' ? sql`>` : sql`<`
  if (column === null) return sql`${id} ${beyond} ${startingAfterId}`
  if (value === null) return sql`(${column} is null and ${id} ${beyond} ${startingAfterId})`
  const later: Condition = sql`(${column}, ${id}) ${beyond} (${value}, ${startingAfterId})`
  return nullable ? sql`(${later} or ${column} is null)` : later
}
