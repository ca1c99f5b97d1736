import type { CompiledQuery, SelectQueryBuilder, Simplify } from 'kysely'
import type { Db } from '../db/database.ts'
import { runCompiled } from '../db/prepared-statements.ts'
import { limits } from '../lib/limits.ts'
import type { Condition } from './filter/conditions.ts'
import { type Page, type PageInput, type PageOptions, pageOf, unfilteredPage } from './list.ts'
import { boundOf } from './page-sql.ts'

/** A list as `pageOf` takes it, without the conditions of a request. */
interface List<DB, TB extends keyof DB, Row, Order extends string> {
  query: SelectQueryBuilder<DB, TB, Row>
  options: Omit<PageOptions<Order, Row>, 'where' | 'after'>
}

/** The conditions of a request. */
interface Conditions {
  where?: Condition[]
  after?: Condition
}

type ReadPage<Values, Row, Order extends string> = (
  db: Db,
  values: Values,
  input: PageInput<Order>,
  conditions?: Conditions,
) => Promise<Page<Row>>

/** A statement whose parameters are constants, or names of values. */
interface Template {
  text: string
  parameters: readonly unknown[]
}

/**
 * A list that is read often. Without conditions of the request, its statements differ only in their values: each is built once, because
 * building one takes Kysely longer than PostgreSQL takes to send a small page. `build` must pass the values on to the query as they
 * are, and compute nothing from them: instead of values it is also called with placeholders.
 *
 * `const products = declareList((db, { project_id }: { project_id: string }) => ({ query: db.selectFrom('products')…, options: … }))`,
 * then `await products(db, { project_id }, { limit: 10, page: 2 }, { where })`
 */
export function declareList<Values extends object, DB, TB extends keyof DB, Row, Order extends string>(
  build: (db: Db, values: Values) => List<DB, TB, Row, Order>,
): ReadPage<Values, Row, Order> {
  /** By what makes a difference in the text; null: a page that takes more than one statement. */
  const templates = new Map<string, Template | null>()

  return async (db, values, input, { where = [], after } = {}) => {
    const { limit = limits.page_size_default, page = 1, order, starting_after_id } = input
    const readWhole = () => {
      const { query, options } = build(db, values)
      return pageOf<DB, TB, Row, Order>(query, input, { ...options, where, ...(after === undefined ? {} : { after }) })
    }
    if (where.length > 0 || after !== undefined || starting_after_id?.includes('\0')) return readWhole()
    const offset = starting_after_id === undefined && page > 1 ? (page - 1) * limit : null
    const rowsMax = boundOf(limit + 1 + (offset ?? 0))
    const start = starting_after_id !== undefined ? 'after' : offset === null ? 'first' : 'offset'
    const key = `${start} ${rowsMax} ${order ?? ''}`
    let template = templates.get(key)
    if (template === undefined) {
      template = templateOf(build(db, placeholders as Values), {
        ...(order === undefined ? {} : { order }),
        start,
        rowsMax,
      })
      templates.set(key, template)
    }
    if (template === null) return readWhole()
    const given = { ...values, limit: limit + 1, offset, starting_after_id }
    const found = (await runCompiled(db, template.text, valuesFor(template, given))) as Found<Row>[]
    if (found[0] !== undefined) {
      // The rows keep their `list_total`: to copy each without it would take longer than to read it.
      return { rows: found.slice(0, limit), total: found[0].list_total, has_more: found.length > limit }
    }
    // An empty page may be one past the end, which has a total, or one after an unknown object, which is refused.
    return start === 'first' ? { rows: [], total: 0, has_more: false } : readWhole()
  }
}

type Found<Row> = Simplify<Row> & { list_total: number }

function templateOf<DB, TB extends keyof DB, Row, Order extends string>(
  { query, options }: List<DB, TB, Row, Order>,
  { order, start, rowsMax }: { order?: Order; start: 'first' | 'offset' | 'after'; rowsMax: number },
): Template | null {
  const statement = unfilteredPage(query, options, {
    ...(order === undefined ? {} : { order }),
    limit: placeholders.limit as number,
    offset: start === 'offset' ? (placeholders.offset as number) : null,
    rows_max: rowsMax,
    ...(start === 'after' ? { starting_after_id: placeholders.starting_after_id as string } : {}),
  })
  if (statement === null) return null
  const { sql, parameters }: CompiledQuery = statement.compile()
  return { text: sql, parameters }
}

class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  toString(): never {
    throw new Error(`The query of a list computes something from its value ${this.name}`)
  }
}

/** A placeholder under every name. */
const placeholders = new Proxy<Record<string, unknown>>({}, { get: (_, name) => new Placeholder(String(name)) })

const valuesFor = ({ parameters }: Template, values: object): unknown[] =>
  parameters.map((parameter) =>
    parameter instanceof Placeholder ? (values as Record<string, unknown>)[parameter.name] : parameter,
  )
