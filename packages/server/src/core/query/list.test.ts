// @embedded: plans and collations
import { randomBytes } from 'node:crypto'
import { type ColumnType, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../testing/database.ts'
import { anotherConnection, postgresUrl } from '../../testing/nodes.ts'
import { statementsSentBy } from '../../testing/sent-statements.ts'
import type { Db } from '../db/database.ts'
import { compileValidator } from '../http/validation.ts'
import type { Instant } from '../lib/instant.ts'
import { declareList } from './declared-list.ts'
import { type FilterFields, filterSql, metadataField, parseFilter } from './filter/filter.ts'
import {
  CursorQuery,
  countOf,
  cursorOf,
  DateQuery,
  dateBounds,
  FilterQuery,
  listed,
  listOf,
  PageQuery,
  pageOf,
} from './list.ts'

interface ThingRow {
  project_id: string
  id: string
  name: string | null
  price: ColumnType<number | null, number | string | null>
  active: boolean | null
  born: string | null
  seen: Instant | null
  tags: ColumnType<unknown[], string>
  metadata: ColumnType<object, string>
  created_at: Instant
  updated_at: Instant | null
}

const orders = [
  '-created_at',
  'created_at',
  '-updated_at',
  'updated_at',
  '-name',
  'name',
  '-price',
  'price',
  '-id',
  'id',
] as const
type Order = (typeof orders)[number]

const options = {
  columns: {
    id: 'id',
    created_at: 'created_at',
    updated_at: { nullable: 'updated_at' },
    name: { nullable: 'name' },
    price: { nullable: 'price' },
  },
  default_order: '-created_at' as Order,
}

const schema = `list_${randomBytes(6).toString('hex')}`

async function things() {
  const { db } = await testDatabase()
  return db.withTables<{ things: ThingRow }>().withSchema(schema)
}

beforeAll(async () => {
  const { db } = await testDatabase()
  for (const statement of [
    `create schema ${schema}`,
    `create table ${schema}.things (
      project_id text collate "C" not null, id text collate "C" not null, name text, price numeric, active boolean, born date, seen timestamptz(3),
      tags jsonb not null, metadata jsonb not null, created_at timestamptz(3) not null, updated_at timestamptz(3), primary key (project_id, id)
    )`,
    `create index things_metadata on ${schema}.things using gin (metadata jsonb_path_ops)`,
    `create index things_newest on ${schema}.things (project_id, created_at desc, id desc)`,
  ])
    await sql.raw(statement).execute(db)
})

type Thing = {
  id: string
  name: string | null
  price: number | string | null
  created_at: Instant
  updated_at: Instant | null
  color?: string
}

const newProject = () => `proj_${randomBytes(4).toString('hex')}`

async function insert(projectId: string, rows: Thing[]) {
  const values = rows.map(({ color, ...row }) => ({
    ...row,
    project_id: projectId,
    active: null,
    born: null,
    seen: null,
    tags: '[]',
    metadata: JSON.stringify(color === undefined ? {} : { color }),
  }))
  await (await things()).insertInto('things').values(values).execute()
}

/** 25 unsorted things, with ties in every column and nulls in three; some prices differ only beyond the precision of a double. */
const twentyFive: Thing[] = Array.from({ length: 25 }, (_, n) => ({
  id: `t${String((n * 7) % 25).padStart(2, '0')}`,
  name: n % 5 === 0 ? null : `name ${n % 4}`,
  price: n % 6 === 0 ? null : `90071992547409${90 + (n % 3)}.5`,
  created_at: `2025-01-0${1 + (n % 6)}T00:00:00.00${n % 2}Z`,
  updated_at: n % 3 === 0 ? null : `2025-02-0${1 + (n % 2)}T00:00:00.000Z`,
  color: n % 2 === 0 ? 'red' : 'blue',
}))

let filled: Promise<string> | undefined

/** A project with these things, beside another one: for tests that leave them as they are. */
function unchangedProject(): Promise<string> {
  filled ??= (async () => {
    const projectId = newProject()
    for (const each of [projectId, newProject()]) await insert(each, twentyFive)
    return projectId
  })()
  return filled
}

async function queryOf(projectId: string) {
  return (await things())
    .selectFrom('things')
    .where('project_id', '=', projectId)
    .select(['id', 'name', 'created_at', 'updated_at'])
}

/** The documented order, in JavaScript: nulls last, ties by id in the direction of the sort. */
function inOrder(rows: Thing[], order: Order): string[] {
  const sign = order.startsWith('-') ? -1 : 1
  const column = order.replace('-', '') as 'id' | 'name' | 'price' | 'created_at' | 'updated_at'
  return [...rows]
    .sort((a, b) => {
      const [left, right] = [a[column], b[column]]
      if (left === null || right === null)
        return Number(left === null) - Number(right === null) || sign * (a.id < b.id ? -1 : 1)
      if (left !== right) return sign * (left < right ? -1 : 1)
      return sign * (a.id < b.id ? -1 : 1)
    })
    .map(({ id }) => id)
}

describe('pages', () => {
  test.each(orders)('25 things by %s: each once, in order, with the total', async (order) => {
    const projectId = await unchangedProject()
    const seen: string[] = []
    for (let page = 1; page <= 4; page += 1) {
      const { rows, total, has_more } = await pageOf(await queryOf(projectId), { limit: 7, page, order }, options)
      expect({ total, has_more }).toEqual({ total: 25, has_more: page < 4 })
      expect(rows).toHaveLength(page === 4 ? 4 : 7)
      seen.push(...rows.map(({ id }) => id))
    }
    expect(seen).toEqual(inOrder(twentyFive, order))
  })

  test('a page past the end is empty and still has the total', async () => {
    const projectId = await unchangedProject()
    expect(await pageOf(await queryOf(projectId), { limit: 10, page: 4 }, options)).toEqual({
      rows: [],
      total: 25,
      has_more: false,
    })
    expect(await pageOf(await queryOf(newProject()), {}, options)).toEqual({ rows: [], total: 0, has_more: false })
    expect(await pageOf(await queryOf(newProject()), { page: 2 }, options)).toEqual({
      rows: [],
      total: 0,
      has_more: false,
    })
  })

  test('without parameters: the first ten in the default order; rows have the selected columns', async () => {
    const projectId = await unchangedProject()
    const { rows } = await pageOf(await queryOf(projectId), {}, options)
    expect(rows.map(({ id }) => id)).toEqual(inOrder(twentyFive, '-created_at').slice(0, 10))
    const { id, name, created_at, updated_at } = twentyFive.find(({ id }) => id === rows[0]?.id) as Thing
    expect(rows[0]).toEqual({ id, name, created_at, updated_at })
  })

  test('the total counts the rows that match the conditions', async () => {
    const projectId = await unchangedProject()
    const red = filterSql(parseFilter({ 'metadata.color': { conditions: { $is: 'red' } } }, fields), moment)
    const query = await queryOf(projectId)
    const { rows, total } = await pageOf(query, { limit: 3, order: 'id' as Order }, { ...options, where: [red] })
    const expected = inOrder(
      twentyFive.filter(({ color }) => color === 'red'),
      'id',
    )
    expect([rows.map(({ id }) => id), total]).toEqual([expected.slice(0, 3), 13])
    expect([await countOf(query, [red]), await countOf(query)]).toEqual([13, 25])
    expect(await pageOf(query, { limit: 3, page: 9 }, { ...options, where: [red] })).toEqual({
      rows: [],
      total: 13,
      has_more: false,
    })
  })

  test.each(orders)('by %s with starting_after_id: the following rows, whatever page is requested', async (order) => {
    const projectId = await unchangedProject()
    const query = await queryOf(projectId)
    const seen: string[] = []
    for (let cursor = {}, hasMore = true; hasMore; cursor = { page: 9, starting_after_id: seen.at(-1) }) {
      const answer = await pageOf(query, { limit: 4, order, ...cursor }, options)
      seen.push(...answer.rows.map(({ id }) => id))
      expect(answer.total).toBe(25)
      hasMore = answer.has_more
    }
    expect(seen).toEqual(inOrder(twentyFive, order))
  })

  test('a stored total is used without conditions; `after` moves only the start', async () => {
    const projectId = await unchangedProject()
    const query = await queryOf(projectId)
    const kept = { ...options, total: sql<number>`7::bigint` }
    expect(await pageOf(query, {}, kept)).toMatchObject({ total: 7 })
    expect(await pageOf(query, { page: 9 }, kept)).toMatchObject({ rows: [], total: 7 })
    expect(await pageOf(query, {}, { ...kept, where: [sql`true`] })).toMatchObject({ total: 25 })
    const none = await pageOf(query, {}, { ...options, after: sql`false` })
    expect(none).toEqual({ rows: [], total: 25, has_more: false })
  })

  test('a query with its own grouping and order is counted by its rows', async () => {
    const projectId = await unchangedProject()
    const query = (await things())
      .selectFrom('things')
      .where('project_id', '=', projectId)
      .groupBy('name')
      .select(['name', sql<number>`count(*)`.as('things')])
    const byName = { columns: { name: { nullable: 'name' } }, default_order: 'name' as const, id: 'name' }
    expect(await pageOf(query, { limit: 2 }, byName)).toEqual({
      rows: [
        { name: 'name 0', things: 5 },
        { name: 'name 1', things: 5 },
      ],
      total: 5,
      has_more: true,
    })
    expect(await countOf(query.orderBy('name'))).toBe(5)
  })
})

describe('cursors', () => {
  test.each(orders)('25 things by %s: each once, in order, while others are inserted and deleted', async (order) => {
    const projectId = newProject()
    await insert(projectId, twentyFive)
    const query = await queryOf(projectId)
    const seen: string[] = []
    let startingAfterId: string | undefined
    for (let page = 1; page <= 30; page += 1) {
      const answer = await cursorOf(
        query,
        { limit: 4, order, ...(startingAfterId === undefined ? {} : { starting_after_id: startingAfterId }) },
        options,
      )
      seen.push(...answer.rows.map(({ id }) => id))
      expect(answer.more_starting_after).toBe(answer.has_more ? seen.at(-1) : undefined)
      if (!answer.has_more) break
      startingAfterId = answer.more_starting_after as string
      // New rows before and after the cursor in every order, and one that is deleted again.
      const newcomer = {
        name: page % 2 === 0 ? null : `name ${page % 4}`,
        price: page % 3 === 0 ? null : page,
        updated_at: null,
      }
      await insert(projectId, [
        { ...newcomer, id: `a${page}`, created_at: '2024-12-31T00:00:00.000Z' },
        { ...newcomer, id: `z${page}`, created_at: '2025-12-31T00:00:00.000Z' },
      ])
      await (await things())
        .deleteFrom('things')
        .where('project_id', '=', projectId)
        .where('id', '=', `a${page - 1}`)
        .execute()
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((id) => id.startsWith('t'))).toEqual(inOrder(twentyFive, order))
  })

  test('the last page says so, also when it is full', async () => {
    const projectId = newProject()
    await insert(projectId, twentyFive.slice(0, 4))
    const query = await queryOf(projectId)
    const ids = inOrder(twentyFive.slice(0, 4), 'id')
    const page = async (input: { limit: number; starting_after_id?: string }) => {
      const { rows, ...more } = await cursorOf(query, { order: 'id' as Order, ...input }, options)
      return { ids: rows.map(({ id }) => id), ...more }
    }
    expect(await page({ limit: 4 })).toEqual({ ids, has_more: false })
    expect(await page({ limit: 3 })).toEqual({ ids: ids.slice(0, 3), has_more: true, more_starting_after: ids[2] })
    expect(await page({ limit: 3, starting_after_id: ids[2] as string })).toEqual({
      ids: ids.slice(3),
      has_more: false,
    })
    expect(await page({ limit: 3, starting_after_id: ids[3] as string })).toEqual({ ids: [], has_more: false })
  })

  test('an id that no longer matches still marks its position; an unknown id, or one of another project, is refused', async () => {
    const projectId = await unchangedProject()
    const query = await queryOf(projectId)
    const after = (startingAfterId: string) =>
      cursorOf(
        query,
        { limit: 2, order: 'id' as Order, starting_after_id: startingAfterId },
        { ...options, where: [sql`metadata @> '{"color": "red"}'`] },
      )
    const red = inOrder(
      twentyFive.filter(({ color }) => color === 'red'),
      'id',
    )
    const blue = twentyFive.find(({ color }) => color === 'blue') as Thing
    expect((await after(blue.id)).rows.map(({ id }) => id)).toEqual(red.filter((id) => id > blue.id).slice(0, 2))

    const elsewhere = newProject()
    await insert(elsewhere, [{ ...blue, id: 'foreign' }])
    for (const id of ['foreign', 'unknown', '', `' or true --`, 'a\0b'])
      await expect(after(id)).rejects.toMatchObject({
        key: 'invalid_query_params',
        facts: { details: 'Property .starting_after_id must be the id of an object in this list' },
      })
  })
})

const fields: FilterFields = {
  created_at: { type: 'datetime', column: 'created_at' },
  'metadata.*': metadataField('metadata'),
}
const moment = { now: '2025-01-03T12:00:00.000Z', timezone: 'UTC' }

test('before and after are exclusive, start_date and end_date inclusive', async () => {
  const projectId = newProject()
  const at = (n: number) => `2025-01-01T00:00:00.00${n}Z`
  await insert(
    projectId,
    [1, 2, 3, 4].map((n) => ({
      id: `${n}`,
      name: null,
      price: null,
      created_at: at(n),
      updated_at: n === 4 ? null : at(n + 1),
    })),
  )
  const query = await queryOf(projectId)
  const ids = async (bounds: Parameters<typeof dateBounds>[0]) => {
    const { rows } = await pageOf(query, { order: 'id' as Order }, { ...options, where: dateBounds(bounds) })
    return rows.map(({ id }) => id).join('')
  }
  expect(await ids({})).toBe('1234')
  expect(await ids({ created_at: { before: at(3) } })).toBe('12')
  expect(await ids({ created_at: { after: at(3) } })).toBe('4')
  expect(await ids({ created_at: { after: at(1), before: at(4) } })).toBe('23')
  expect(await ids({ updated_at: { before: at(3) } })).toBe('1')
  expect(await ids({ updated_at: { after: at(3) } })).toBe('3')
  expect(await ids({ start_date: at(2) })).toBe('234')
  expect(await ids({ end_date: at(2) })).toBe('12')
  expect(await ids({ start_date: at(2), end_date: at(2) })).toBe('2')
  const qualified = dateBounds(
    { end_date: at(2), updated_at: { after: at(2) } },
    { created_at: 'things.created_at', updated_at: 'things.updated_at' },
  )
  expect((await pageOf(query, {}, { ...options, where: qualified })).rows.map(({ id }) => id)).toEqual(['2'])
})

describe('schemas', () => {
  const Query = Type.Object({
    ...PageQuery({ order: ['-created_at', 'created_at'] }),
    ...DateQuery,
    ...FilterQuery,
  })
  const validator = compileValidator(Query)
  const read = (query: unknown) => {
    const value = validator.coerce(query)
    return validator.firstError(value, { root: 'Query', required: 'should' }) ?? value
  }

  test('a query is parsed with its defaults, and values out of range are refused, not clamped', () => {
    expect(read({})).toEqual({ limit: 10, page: 1, order: '-created_at' })
    const filters = { name: { conditions: { $is: 'a' } } }
    expect(
      read({ limit: '100', page: '100', order: 'created_at', created_at: { before: '2025-01-01' }, filters }),
    ).toEqual({
      limit: 100,
      page: 100,
      order: 'created_at',
      created_at: { before: '2025-01-01T00:00:00.000Z' },
      filters,
    })
    expect(read({ limit: '0' })).toBe('Property .limit must be >= 1')
    expect(read({ limit: '101' })).toBe('Property .limit must be <= 100')
    expect(read({ page: '101' })).toBe('Property .page must be <= 100')
    expect(read({ order: 'name' })).toBe(
      'Property .order must be equal to one of the allowed values [ -created_at, created_at ]',
    )
    expect(read({ filters: 'name' })).toBe('Property .filters must be object')
    expect(read({ updated_at: { after: 'soon' } })).toBe(
      'Property .updated_at.after cannot be recognized as a ISO-8601 compliant date',
    )
    expect(
      compileValidator(Type.Object(CursorQuery({ order: ['-id', 'id'] }))).coerce({ starting_after_id: 'a' }),
    ).toEqual({
      limit: 10,
      order: '-id',
      starting_after_id: 'a',
    })
  })

  test('a list matches its schema', () => {
    const Item = Type.Object({ id: Type.String() })
    const Pages = listOf('vouchers', Item, { total: true })
    const Cursor = listOf('data', Item, { cursor: true, total: 'optional' })
    const pages: Static<typeof Pages> = listed('vouchers', [{ id: 'a' }], { total: 7 })
    const cursor: Static<typeof Cursor> = listed('data', [{ id: 'a' }], { has_more: true, more_starting_after: 'a' })
    expect(pages).toEqual({ object: 'list', data_ref: 'vouchers', vouchers: [{ id: 'a' }], total: 7 })
    expect([
      Check(Pages, pages),
      Check(Cursor, cursor),
      Check(Cursor, listed('data', [], { has_more: false, total: 0 })),
    ]).toEqual([true, true, true])
    expect([Check(Pages, cursor), Check(Pages, { ...pages, total: undefined }), Check(Cursor, pages)]).toEqual([
      false,
      false,
      false,
    ])
    expect(Check(Pages, { ...pages, vouchers: [{}] })).toBe(false)
    const untold = listed('vouchers', [{ id: 'a' }], {})
    // @ts-expect-error The total is not optional here.
    const without: Static<typeof Pages> = untold
    expect(Check(Pages, without)).toBe(false)
  })

  test('a nullable column must be declared nullable, and every order needs a column', async () => {
    const query = await queryOf(newProject())
    const byUpdate = { order: 'updated_at' as const }
    const neverNull = { columns: { updated_at: 'updated_at' }, default_order: 'updated_at' as const }
    // @ts-expect-error `updated_at` of the rows can be null.
    expect(await pageOf(query, byUpdate, neverNull)).toEqual({ rows: [], total: 0, has_more: false })
    const byName = { order: 'name' as 'id' | 'name' }
    const onlyId = { columns: { id: 'id' }, default_order: 'id' as const }
    // @ts-expect-error There is no column for `name`.
    await expect(pageOf(query, byName, onlyId)).rejects.toThrow()
  })
})

describe('plans of a big table', () => {
  const [big, small] = [newProject(), newProject()]
  const table = sql.table(`${schema}.many_things`)

  /** Nearly all rows belong to one of two projects. */
  beforeAll(async () => {
    const { db, kind } = await testDatabase()
    const count = kind === 'pglite' ? 200 : 20_000 // the embedded database plans every execution for its values
    await sql`create table ${table} (like ${sql.table(`${schema}.things`)} including indexes)`.execute(db)
    await sql`insert into ${table} (project_id, id, name, tags, metadata, created_at)
      select case when n > 40 then ${big} else ${small} end, 't' || lpad(n::text, 6, '0'),
        case when n between 41 and 45 then 'rare' else 'common' end, '[]', '{}',
        '2025-01-01T00:00:00Z'::timestamptz + n * interval '1 minute'
      from generate_series(1, ${sql.lit(count)}::int) n`.execute(db)
    await sql`analyze ${table}`.execute(db)
  })

  const thingsOf = (db: Db, project: string) =>
    db
      .withTables<{ many_things: ThingRow }>()
      .withSchema(schema)
      .selectFrom('many_things')
      .where('project_id', '=', project)
      .select(['id', 'name', 'created_at', 'updated_at'])

  const stored = { ...options, total: sql<number>`7::bigint` }

  /** How often the statements of a transaction that end so were planned for any values, and for theirs. */
  async function plansOf(trx: Db, end: string): Promise<Array<{ generic: number; custom: number }>> {
    const { rows } = await sql<{ generic: number; custom: number }>`
      select generic_plans as generic, custom_plans as custom from pg_prepared_statements
      where statement like ${`%"${schema}"."many_things"%${end}`}`.execute(trx)
    return rows
  }

  test('pages keep one plan for all projects, limits and pages; filtered ones are planned for their values', async () => {
    const { db: shared, kind } = await testDatabase()
    // On PostgreSQL over a pool of its own: that of all tests may have prepared as many statements as it may by now.
    const { db } = kind === 'pglite' ? { db: shared } : anotherConnection(postgresUrl())
    await db.transaction().execute(async (trx) => {
      for (let n = 0; n < 20; n += 1) {
        const project = n % 2 === 0 ? big : small
        expect((await pageOf(thingsOf(trx, project), { limit: 1 + n }, stored)).rows.length).toBe(1 + n)
        await pageOf(thingsOf(trx, project), { limit: 10, page: 5 + (n % 2) }, stored)
        const name = n % 2 === 0 ? 'rare' : 'common'
        const { rows } = await pageOf(thingsOf(trx, big), {}, { ...stored, where: [sql<boolean>`name = ${name}`] })
        expect(rows[0]).toMatchObject({ name })
      }
      if (kind === 'pglite') return // it prepares statements by messages of its own
      for (const end of ['limit 32) as "page" limit $2', 'limit 128) as "page" limit $2 offset $3']) {
        const [plans, ...others] = await plansOf(trx, end)
        expect([plans?.custom, plans?.generic, others]).toEqual([expect.toBeOneOf([5, 10]), expect.any(Number), []])
        // Five plans for values, then the one for any; and again if this connection has just discarded plans that were ten seconds old.
        expect((plans?.custom ?? 0) + (plans?.generic ?? 0)).toBe(16)
      }
      expect(await plansOf(trx, 'name = $%')).toEqual([]) // not prepared
    })
  })

  test.each([
    ['the first page', {}],
    ['a later page', { page: 90 }],
    ['the page after an object', { starting_after_id: 't000030' }],
  ])('the plan of %s for any values reads only its rows, along the index', async (_, page) => {
    const { db, kind } = await testDatabase()
    if (kind === 'pglite') return // it plans every execution for its values
    const { sent } = await statementsSentBy(() => pageOf(thingsOf(db, small), page, stored))
    const statement = sent.find((text) => text.includes('as "page"')) as string
    const values = new Set(statement.match(/\$\d+/g)).size
    // `explain (generic_plan)` is new in PostgreSQL 16.
    const rows = await db.transaction().execute(async (trx) => {
      await sql`set local plan_cache_mode = force_generic_plan`.execute(trx)
      await sql.raw(`prepare listed as ${statement}`).execute(trx)
      const execute = `explain execute listed (${Array.from({ length: values }, () => 'null').join(', ')})`
      const { rows } = await sql.raw<Record<string, string>>(execute).execute(trx)
      await sql`deallocate listed`.execute(trx)
      return rows
    })
    const plan = rows.map((line) => line['QUERY PLAN']).join('\n')
    expect(plan).toMatch(/Index (Only )?Scan (Backward )?using many_things_project_id_created_at_id_idx/)
    expect(plan).not.toMatch(/Sort|Seq Scan/)
  })
})

describe('a declared list', () => {
  const declared = () => {
    let built = 0
    const list = declareList((db, { project_id }: { project_id: string }) => {
      built += 1
      const query = db.withTables<{ things: ThingRow }>().withSchema(schema).selectFrom('things')
      return {
        query: query.where('project_id', '=', project_id).select(['id', 'name', 'created_at', 'updated_at']),
        options,
      }
    })
    return { list, built: () => built }
  }

  test.each(orders)('by %s has the pages of an undeclared one, and is built once for all projects', async (order) => {
    const { db } = await testDatabase()
    const { list, built } = declared()
    for (const projectId of [newProject(), newProject()]) {
      await insert(projectId, twentyFive)
      const sameAs = async (input: object) => {
        const { rows, ...more } = await list(db, { project_id: projectId }, { order, ...input })
        const expected = await pageOf(await queryOf(projectId), { order, ...input }, options)
        expect({ rows: rows.map(({ id }) => id), ...more }).toEqual({
          ...expected,
          rows: expected.rows.map(({ id }) => id),
        })
        return rows
      }
      const first = await sameAs({ limit: 7 })
      for (const page of [2, 3, 4]) await sameAs({ limit: 7, page })
      await sameAs({ limit: 25 })
      await sameAs({ limit: 25, starting_after_id: first.at(-1)?.id })
    }
    const nullable = typeof options.columns[order.replace('-', '') as 'id'] === 'object'
    // The first page, later ones, and those after an object: where that takes two statements, they are built each time.
    expect(built()).toBe(nullable ? 5 : 3)
  })

  test('past the end it has the total; after an unknown object it is refused; conditions restrict it', async () => {
    const { db } = await testDatabase()
    const { list } = declared()
    const projectId = await unchangedProject()
    expect(await list(db, { project_id: projectId }, { page: 9 })).toEqual({ rows: [], total: 25, has_more: false })
    expect(await list(db, { project_id: newProject() }, {})).toEqual({ rows: [], total: 0, has_more: false })
    for (const startingAfterId of ['unknown', 'a\0b'])
      await expect(list(db, { project_id: projectId }, { starting_after_id: startingAfterId })).rejects.toMatchObject({
        key: 'invalid_query_params',
      })
    const red = await list(db, { project_id: projectId }, {}, { where: [sql`metadata @> '{"color": "red"}'`] })
    expect(red.total).toBe(13)
    expect(await list(db, { project_id: projectId }, {}, { after: sql`false` })).toMatchObject({ rows: [], total: 25 })
  })

  test('cannot compute something from its values', async () => {
    const { db } = await testDatabase()
    const list = declareList((db, { project_id }: { project_id: string }) => ({
      query: db
        .withTables<{ things: ThingRow }>()
        .selectFrom('things')
        .where('name', '=', `of ${project_id}`)
        .selectAll(),
      options,
    }))
    await expect(list(db, { project_id: 'p' }, {})).rejects.toThrow('computes something from its value project_id')
  })
})

interface Explainable {
  explain(): Promise<Array<Record<string, unknown>>>
}

describe('indexes', () => {
  /** The plan with sequential scans disabled, as for a big table. */
  async function planOf(build: (db: Awaited<ReturnType<typeof things>>) => Explainable): Promise<string> {
    const { db } = await testDatabase()
    return db.transaction().execute(async (trx) => {
      await sql`set local enable_seqscan = off`.execute(trx)
      const plan = await build(trx.withTables<{ things: ThingRow }>().withSchema(schema)).explain()
      return plan.map((line) => line['QUERY PLAN']).join('\n')
    })
  }
  const condition = (raw: unknown) => filterSql(parseFilter(raw, fields), moment)

  test.each(['$is', '$in'])('%s on metadata uses the GIN index', async (operator) => {
    const found = condition({ 'metadata.color': { conditions: { [operator]: ['red', '5', 'true'] } } })
    const plan = await planOf((db) => db.selectFrom('things').where(found).select('id'))
    expect(plan).toContain('Bitmap Index Scan on things_metadata')
    expect(plan).not.toContain('Seq Scan')
  })

  test('days of a moment use an index on the column, newest first without sorting', async () => {
    const recent = condition({ created_at: { conditions: { $less_than: 7 } } })
    const plan = await planOf((db) =>
      db
        .selectFrom('things')
        .where('project_id', '=', 'p')
        .where(recent)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .select('id'),
    )
    expect(plan).toMatch(/Index (Only )?Scan using things_newest/)
    expect(plan).toMatch(/Index Cond: .*created_at >= /)
    expect(plan).not.toContain('Sort')
  })
})
