import { type Static, Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import type { Ctx } from '../core/context.ts'
import { type Operation, operation } from '../core/http/operation.ts'
import { listed, listOf, PageQuery, pageOf } from '../core/query/list.ts'
import { Category } from '../rules/categories/schema.ts'
import { newProject } from './app.ts'
import { expectStablePaging } from './paging.ts'

const orders = [
  '-created_at',
  'created_at',
  '-updated_at',
  'updated_at',
  '-hierarchy',
  'hierarchy',
  '-name',
  'name',
] as const
const Query = Type.Object(PageQuery({ order: orders }))
type Query = Static<typeof Query>
type Page = { rows: Category[]; has_more?: boolean; more_starting_after?: string }

async function pageOfCategories(
  { db, project_id }: Ctx,
  query: Query,
): Promise<{ rows: Category[]; has_more: boolean }> {
  const { rows, has_more } = await pageOf(
    db.selectFrom('categories').where('project_id', '=', project_id).selectAll(),
    query,
    {
      columns: {
        created_at: 'created_at',
        updated_at: { nullable: 'updated_at' },
        hierarchy: 'hierarchy',
        name: 'name',
      },
      default_order: '-created_at',
    },
  )
  return {
    rows: rows.map(({ updated_at, ...row }) => ({ ...row, ...(updated_at && { updated_at }), object: 'category' })),
    has_more,
  }
}

/** A list operation whose pages come from `page`, which may be correct or wrong. */
const probe = (name: string, page: (ctx: Ctx, query: Query) => Promise<Page>): Operation =>
  operation({
    id: `list_${name}`,
    method: 'GET',
    path: `/v1/probe-${name}` as '/v1/probe',
    summary: 'List categories in pages',
    query: Query,
    reply: Type.Unsafe<unknown>(listOf('data', Category, { total: 'optional', cursor: true })),
    errors: ['invalid_query_params'],
    run: async (ctx, { query }) => {
      const { rows, ...more } = await page(ctx, query)
      return listed('data', rows, { has_more: false, ...more })
    },
  })

const lastId = ({ rows }: Page): { more_starting_after?: string } => {
  const last = rows.at(-1)
  return last === undefined ? {} : { more_starting_after: last.id }
}

/** Pages by offset: a new row shifts the rows of later pages. */
async function byOffset(ctx: Ctx, { starting_after_id = '0', ...query }: Query): Promise<Page> {
  const page = Number(starting_after_id) + 1
  return { ...(await pageOfCategories(ctx, { ...query, page })), more_starting_after: `${page}` }
}

const probes = [
  probe('right', pageOfCategories),
  probe('cursor', async (ctx, query) => {
    const page = await pageOfCategories(ctx, query)
    return { ...page, ...lastId(page) }
  }),
  probe('offset', byOffset),
  probe('endless', async (ctx, { limit, order }) => pageOfCategories(ctx, { limit, order } as Query)),
  probe('unsorted', (ctx, query) => pageOfCategories(ctx, { ...query, order: '-created_at' })),
  probe('keyless', async (ctx, query) => {
    const { rows, ...more } = await pageOfCategories(ctx, query)
    return { ...more, rows: rows.map(({ updated_at: _, ...row }) => row) }
  }),
  probe('short', async (ctx, query) => ({ ...(await pageOfCategories(ctx, query)), has_more: false })),
  probe('nameless', async (ctx, query) => ({ rows: [], has_more: (await pageOfCategories(ctx, query)).has_more })),
]

async function walk(name: string, orders: readonly string[]): Promise<void> {
  const shop = await newProject({ extra: probes })
  await expectStablePaging({
    shop,
    path: `/v1/probe-${name}`,
    orders,
    data_ref: 'data',
    async create(n) {
      const { body } = await shop.call('POST', '/v1/categories', { name: `n${(n * 37) % 100} ${n}`, hierarchy: n % 5 })
      // A third of the rows is never updated, so that some lack the sort key.
      if (orders.includes('updated_at') && n % 3 !== 0)
        await shop.call('PUT', `/v1/categories/${body.id}`, { name: body.name, hierarchy: body.hierarchy })
      return body.id
    },
  })
}

test('correct paging passes in every order while rows are inserted', () => walk('right', orders))

test('paging with an explicit cursor passes too', () => walk('cursor', ['-hierarchy', 'name']))

describe('expectStablePaging detects', () => {
  test.each([
    [
      'offset paging, which shifts with each new row',
      'offset',
      '-created_at',
      /old row \d+ \(cat_\w+\) was listed 2 times, on the pages/,
    ],
    ['rows out of order', 'unsorted', 'hierarchy', /page \d+: (old|new) row .* with hierarchy \d came after/],
    ['the wrong direction', 'unsorted', 'created_at', /with created_at "20.*" came after/],
    ['a sort key that no row contains', 'keyless', 'updated_at', /no row has a updated_at: say in `sorted`/],
    ['rows that are never listed', 'short', 'name', /old row \d+ \(cat_\w+\) was never listed/],
    ['a list that starts over', 'endless', 'created_at', /does not end/],
    ['has_more without a row to continue after', 'nameless', 'created_at', /the id to continue after/],
  ])('%s', async (_what, name, order, message) => {
    const failure = await walk(name, [order]).then(
      () => null,
      (error: Error & { actual?: unknown }) =>
        `${error.message} ${JSON.stringify(error.actual)?.replaceAll('\\"', '"')}`,
    )
    expect(failure).toMatch(message)
  })
})
