import {
  AliasNode,
  FromNode,
  IdentifierNode,
  type KyselyPlugin,
  LimitNode,
  OffsetNode,
  QueryNode,
  type RawBuilder,
  SelectionNode,
  SelectModifierNode,
  type SelectQueryBuilder,
  SelectQueryNode,
  sql,
  TableNode,
  ValueNode,
} from 'kysely'
import { plannedForValues } from '../db/prepared-statements.ts'
import type { Condition } from './filter/conditions.ts'

/** How a list is sorted. */
export interface Sort {
  direction: 'asc' | 'desc'
  /** The column that breaks ties, as it is declared: `id` or `vouchers.id`. */
  id: string
  /** Null when the list is sorted by id only. */
  column: RawBuilder<unknown> | null
  nullable: boolean
}

/** A sort column; nulls of a nullable column come last in both directions. */
export type SortColumn = string | { nullable: string }

export function sortOf(order: string, columns: Record<string, SortColumn>, id: string): Sort {
  const descending = order.startsWith('-')
  const declared = columns[descending ? order.slice(1) : order] as SortColumn
  const name = typeof declared === 'string' ? declared : declared.nullable
  return {
    direction: descending ? 'desc' : 'asc',
    id,
    column: name === id ? null : sql.ref(name),
    nullable: typeof declared === 'object',
  }
}

/** Which rows of a sorted query make up a page. */
export interface Part {
  limit: number
  /** Null: the page begins with the first row. */
  offset: number | null
  /**
   * A number of rows that contains the page, as a literal of the statement; null: none. PostgreSQL takes a limit or an offset that is a
   * parameter for a tenth of all rows. The plan for any values then looks so expensive that it makes a new plan on each execution,
   * which takes longer than to execute it. A literal in a subquery bounds that tenth.
   */
  rows_max: number | null
}

/** Few different bounds, so that few different statements are prepared: 32, 128, 512 … */
export function boundOf(rows: number): number {
  let bound = 32
  while (bound < rows) bound *= 4
  return bound
}

/** The statement of a page. A page other than the first is cut out before its rows are joined: the rows before it need no joins. */
export function pageSql<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  sort: Sort,
  part: Part,
): SelectQueryBuilder<DB, TB, Row> {
  const { limit, offset, rows_max } = part
  const sorted = applySort(query, sort)
  const first = sorted.limit(rows_max === null ? limit : sql.lit(rows_max))
  const cut = (rows_max === null && offset !== null ? first.offset(offset) : first).toOperationNode() as SelectQueryNode
  const page = offset === null ? null : cutBeforeJoins(cut, sort, part)
  if (rows_max === null) return replacedBy(query, QueryNode.cloneWithEndModifier(page ?? cut, forValues))
  return replacedBy(query, page ?? boundedBy(cut, part))
}

const forValues = SelectModifierNode.createWithExpression(sql.raw(plannedForValues).toOperationNode())

/** `select * from (…) as page limit 11`: the rows of the part, from a query that is limited to more of them. */
function boundedBy(limited: SelectQueryNode, { limit, offset }: Part): SelectQueryNode {
  return {
    ...SelectQueryNode.createFrom([AliasNode.create(limited, IdentifierNode.create('page'))]),
    selections: [SelectionNode.createSelectAll()],
    limit: LimitNode.create(ValueNode.create(limit)),
    ...(offset === null ? {} : { offset: OffsetNode.create(ValueNode.create(offset)) }),
  }
}

/**
 * The same query over a table of which only the rows of the page are left:
 * `select … from (select * from (select vouchers.* from vouchers … order by id limit 2048) as page limit 11 offset 980) as vouchers
 * left join … order by id`. PostgreSQL omits the joins of the inner query of which nothing is used. Null if there is no join, or if a
 * row of the query is not one row of its first table.
 */
function cutBeforeJoins(cut: SelectQueryNode, { id }: Sort, part: Part): SelectQueryNode | null {
  const table = firstTableOf(cut)
  if (table === null || cut.joins === undefined || !id.startsWith(`${table}.`)) return null
  const rows = { ...cut, selections: [SelectionNode.createSelectAllFromTable(TableNode.create(table))] }
  const page = part.rows_max === null ? rows : boundedBy(rows, part)
  const { where: _where, limit: _limit, offset: _offset, ...joined } = cut
  return { ...joined, from: FromNode.create([AliasNode.create(page, IdentifierNode.create(table))]) }
}

/** The name of the table that a plain query selects from; null if it groups rows or selects from something else. */
function firstTableOf(node: SelectQueryNode): string | null {
  const { from, groupBy, distinctOn, frontModifiers, setOperations } = node
  const [first, ...others] = from?.froms ?? []
  const isPlain = [groupBy, distinctOn, frontModifiers, setOperations, node.with].every((part) => part === undefined)
  if (!isPlain || first === undefined || others.length > 0 || !TableNode.is(first)) return null
  const { schema, identifier } = first.table
  return schema === undefined ? identifier.name : null
}

/** A query that runs other SQL on the connection of this one and returns rows of the same type. */
function replacedBy<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  node: SelectQueryNode,
): SelectQueryBuilder<DB, TB, Row> {
  const replace: KyselyPlugin = {
    transformQuery: () => node,
    transformResult: async ({ result }) => result,
  }
  return query.withPlugin(replace)
}

/** `nulls last` only for nullable columns: it would prevent a backward scan of an index, which has nulls first. */
function applySort<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { direction, id, column, nullable }: Sort,
): SelectQueryBuilder<DB, TB, Row> {
  if (column === null) return query.orderBy(sql.ref(id), direction)
  const byColumn = query.orderBy(column, (by) => {
    const directed = direction === 'asc' ? by.asc() : by.desc()
    return nullable ? directed.nullsLast() : directed
  })
  return byColumn.orderBy(sql.ref(id), direction)
}

/**
 * The rows after an object of the query, in one statement with them; none, if the query has no such object. Not for nullable columns:
 * there the condition depends on whether the object has a value.
 */
export function afterObject<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  objectId: string,
  { direction, id, column }: Sort,
): Condition {
  const comparison = direction === 'asc' ? sql`>` : sql`<`
  const value = query
    .clearSelect()
    .clearOrderBy()
    .select(sql`${column ?? sql.ref(id)}`.as('value'))
    .where(sql<boolean>`${sql.ref(id)} = ${objectId}`)
  if (column === null) return sql`${sql.ref(id)} ${comparison} ${value}`
  return sql`(${column}, ${sql.ref(id)}) ${comparison} (${value}, ${objectId})`
}

/** The same condition as the current position of the object requires it; undefined if the query has no such object. */
export async function readPosition<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  objectId: string,
  { direction, id, column, nullable }: Sort,
): Promise<Condition | undefined> {
  if (objectId.includes('\0')) return undefined // PostgreSQL text cannot contain U+0000
  // Read as text, which PostgreSQL casts back to the column type: a JavaScript number may be less precise.
  const row = await query
    .clearSelect()
    .clearOrderBy()
    .select(sql<string | null>`(${column ?? sql.ref(id)})::text`.as('value'))
    .where(sql<boolean>`${sql.ref(id)} = ${objectId}`)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { value } = row as { value: string | null }
  const comparison = direction === 'asc' ? sql`>` : sql`<`
  if (column === null) return sql`${sql.ref(id)} ${comparison} ${objectId}`
  if (value === null) return sql`(${column} is null and ${sql.ref(id)} ${comparison} ${objectId})`
  const later: Condition = sql`(${column}, ${sql.ref(id)}) ${comparison} (${value}, ${objectId})`
  return nullable ? sql`(${later} or ${column} is null)` : later
}
