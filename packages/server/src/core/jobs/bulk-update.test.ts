import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { updateCustomerMetadata, updateCustomers } from '../../audience/customers/bulk.ts'
import { bulkUpdateProductMetadata, bulkUpdateProducts } from '../../catalogue/products/bulk.ts'
import { updateVouchersInBulk, updateVouchersMetadata } from '../../incentives/vouchers/bulk.ts'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { asRequest, runAsyncActions } from '../../testing/background.ts'
import { countedRows } from '../../testing/counting-action.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { limits } from '../lib/limits.ts'
import { type AsyncActionDefinition, runAsyncAction, startAsyncAction } from './async-action.ts'
import { type BulkUpdate, defineBulkUpdate } from './bulk-update.ts'

interface Item {
  source_id: string
}

/** Counts each item; keys that begin with `new` are created, `bad` and `unknown` are refused. */
const counting = (more: Partial<BulkUpdate<Item, null>> = {}, onItem: (item: Item) => void = () => {}) =>
  defineBulkUpdate<Item, null>({
    type: 'PRODUCTS.BULK_UPDATE',
    key: ({ source_id }) => source_id,
    names_source: true,
    prepare: async () => null,
    async item({ db, project_id }, item) {
      const { source_id } = item
      await sql`
        insert into guards as c (project_id, name, version, touched_at) values (${project_id}, ${source_id}, 1, now())
        on conflict (project_id, name) do update set version = c.version + 1`.execute(db)
      if (source_id.startsWith('bad')) throw new ApiError('invalid_product', { details: `Bad, "${source_id}"` })
      if (source_id.startsWith('unknown')) throw notFound('product', source_id)
      onItem(item)
      return { found: !source_id.startsWith('new') }
    },
    ...more,
  }) as AsyncActionDefinition

async function start({ service: { runtime }, project_id }: Shop, items: Item[]): Promise<string> {
  const project = await runtime.credentials.project(project_id)
  const { async_action_id } = await asRequest(runtime, project as NonNullable<typeof project>, (ctx) =>
    startAsyncAction(ctx, counting(), { items }),
  )
  return async_action_id
}

const run = ({ service: { runtime }, project_id }: Shop, action: AsyncActionDefinition) =>
  runAsyncActions(runtime, project_id, [action])
const read = async (shop: Shop, id: string) => (await shop.call('GET', `/v1/async-actions/${id}`)).body
const counted = ({ service: { runtime }, project_id }: Shop) => countedRows({ db: runtime.database.db, project_id })
const itemsWithIds = (...names: string[]): Item[] => names.map((sourceId) => ({ source_id: sourceId }))

/** Downloads a report by its URL, without credentials. */
async function download({ service: { app } }: Shop, url: string): Promise<string> {
  const answer = await send(app, 'GET', new URL(url).pathname)
  expect(answer.status).toBe(200)
  return answer.body as unknown as string
}

test('every item is updated independently, and a report lists the outcome of each', async () => {
  const shop = await newProject({ env: { BASE_URL: 'https://api.shop.example' } })
  const id = await start(shop, itemsWithIds('a', 'new-b', 'bad-c', 'unknown-d', 'e'))
  await run(shop, counting())
  const { result, ...action } = await read(shop, id)
  expect(action).toMatchObject({ status: 'DONE', operation_status: 'FAILED', progress: 100 })
  expect(result).toEqual({
    done_count: 3,
    failed_count: 2,
    reports: [expect.stringMatching(/^https:\/\/api\.shop\.example\/v1\/task-results\/[0-9A-Za-z]{32,}$/)],
    reports_available_till: new Date(Date.parse(action.updated_at) + 30 * 86_400_000).toISOString(),
    errors: [
      { message: 'Invalid product', details: 'Bad, "bad-c"', key: 'invalid_product', source_id: 'bad-c' },
      {
        message: 'Resource not found',
        details: 'Cannot find product with id unknown-d',
        key: 'not_found',
        source_id: 'unknown-d',
      },
    ],
  })
  expect(await download(shop, result.reports[0])).toBe(
    [
      'source_id,found,updated,message',
      'a,true,true,',
      'new-b,false,true,',
      'bad-c,true,false,"Bad, ""bad-c"""',
      'unknown-d,false,false,Cannot find product with id unknown-d',
      'e,true,true,',
      '',
    ].join('\n'),
  )
  expect(await counted(shop)).toEqual({ 1: 3 })
})

test('with `existing`, the definition tells which refused keys exist; without `names_source`, errors contain no key', async () => {
  const shop = await newProject()
  const id = await start(shop, itemsWithIds('bad-1', 'bad-2', 'a'))
  const asked: string[][] = []
  const existing: BulkUpdate<Item, null>['existing'] = async (_ctx, keys) => {
    asked.push(keys)
    return new Set(['bad-2'])
  }
  await run(shop, counting({ names_source: false, existing }))
  const { result } = await read(shop, id)
  expect(asked).toEqual([['bad-1', 'bad-2']])
  expect(result.errors).toEqual([
    { message: 'Invalid product', details: 'Bad, "bad-1"', key: 'invalid_product' },
    { message: 'Invalid product', details: 'Bad, "bad-2"', key: 'invalid_product' },
  ])
  expect((await download(shop, result.reports[0])).split('\n').slice(1, 4)).toEqual([
    'bad-1,false,false,"Bad, ""bad-1"""',
    'bad-2,true,false,"Bad, ""bad-2"""',
    'a,true,true,',
  ])
})

test('a report can be downloaded for 30 days and is then deleted', async () => {
  const shop = await newProject({ env: { BASE_URL: 'http://clock.example' } })
  const id = await start(shop, itemsWithIds('a'))
  await run(shop, counting())
  const { reports, reports_available_till } = (await read(shop, id)).result
  const { clock, app } = shop.service
  const path = new URL(reports[0]).pathname
  clock.set(Date.parse(reports_available_till) - 10_000)
  expect(await send(app, 'GET', path)).toMatchObject({ status: 200 })
  clock.set(reports_available_till)
  expect(await send(app, 'GET', path)).toMatchObject({ status: 404, body: { key: 'not_found' } })
})

test('after a stop and restart, each item is updated and reported once, in order', async () => {
  const shop = await newProject()
  const names = Array.from({ length: 2 * limits.bulk_step_items + 50 }, (_, n) => `item-${n}`)
  const id = await start(shop, itemsWithIds(...names))
  const stopping = new AbortController()
  let seen = 0
  const action = counting({}, () => {
    seen += 1
    if (seen === limits.bulk_step_items + 10) stopping.abort() // in the second step, which still commits
  })
  const { runtime } = shop.service
  const data = { project_id: shop.project_id, action_id: id as `aa_${string}` }
  expect(await runAsyncAction(runtime, [action], data, { retries: 0, signal: stopping.signal })).toBe('again')
  expect(await read(shop, id)).toMatchObject({ status: 'IN_PROGRESS', progress: 80 })

  let isFirst = true
  const interrupted = counting({}, () => {
    if (isFirst) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' })
    isFirst = false
  })
  await expect(run(shop, interrupted)).rejects.toThrow('gone')
  await run(shop, counting())
  const { result } = await read(shop, id)
  expect(result).toMatchObject({ done_count: names.length, failed_count: 0, errors: [] })
  const lines = (await download(shop, result.reports[0])).trimEnd().split('\n').slice(1)
  expect(lines).toEqual(names.map((name) => `${name},true,true,`))
  expect(await counted(shop)).toEqual({ 1: names.length })
})

test('a failed update leaves no report', async () => {
  const shop = await newProject()
  const id = await start(shop, itemsWithIds('a'))
  await run(
    shop,
    counting({}, () => {
      throw new Error('a bug')
    }),
  )
  expect(await read(shop, id)).toMatchObject({ status: 'FAILED', result: { message: 'Internal Server Error' } })
  const { db } = shop.service.runtime.database
  expect(await db.selectFrom('files').where('project_id', '=', shop.project_id).select('id').execute()).toEqual([])
})

test.each([
  ['/v1/products/bulk/async', []],
  ['/v1/products/metadata/async', { source_ids: [], metadata: { a: 1 } }],
  ['/v1/customers/bulk/async', []],
  ['/v1/customers/metadata/async', { source_ids: [], metadata: { a: 1 } }],
  ['/v1/vouchers/bulk/async', []],
  ['/v1/vouchers/metadata/async', { codes: [], metadata: { a: 1 } }],
])('%s with nothing to do is accepted, and ends at once', async (path, body) => {
  const shop = await newProject()
  const { status, body: started } = await shop.call('POST', path, body)
  expect(status).toBe(202)
  await runAsyncActions(shop.service.runtime, shop.project_id, [
    bulkUpdateProducts,
    bulkUpdateProductMetadata,
    updateCustomers,
    updateCustomerMetadata,
    updateVouchersInBulk,
    updateVouchersMetadata,
  ])
  expect((await shop.call('GET', `/v1/async-actions/${started.async_action_id}`)).body).toMatchObject({
    status: 'DONE',
    operation_status: 'SUCCESS',
    progress: 100,
    result: { done_count: 0, failed_count: 0, errors: [] },
  })
})
