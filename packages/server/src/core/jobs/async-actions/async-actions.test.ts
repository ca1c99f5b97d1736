import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../../testing/app.ts'
import { newId } from '../../lib/ids.ts'

/** Inserts a record directly as a job would: these tests are about reading. */
async function insertAction({ service, project_id }: Shop, createdAt: string, more: object = {}): Promise<string> {
  const id = newId('async_action')
  await service.runtime.database.db
    .insertInto('async_actions')
    .values({
      project_id,
      id,
      type: 'CUSTOMERS.IMPORT_CSV',
      status: 'ENQUEUED',
      operation_status: 'UNKNOWN',
      created_at: createdAt,
      updated_at: createdAt,
      request_id: 'v-019b76daa80012ab34',
      event_source: '{"channel":"API"}',
      processing_time: null,
      progress: 0,
      input: '{"file":"secret"}',
      state: '{}',
      result: null,
      ...more,
    })
    .execute()
  return id
}

const done = {
  status: 'DONE',
  operation_status: 'SUCCESS',
  processing_time: 1_200,
  progress: 100,
  result: '{"done_count":3}',
}

test('requires credentials', async () => {
  const { service } = await newProject()
  for (const url of ['/v1/async-actions', '/v1/async-actions/aa_1'])
    expect(await service.app.inject({ method: 'GET', url })).toMatchObject({ statusCode: 401 })
})

test('actions of another project are not visible', async () => {
  const id = await insertAction(await newProject(), '2026-01-01T00:00:00.000Z')
  const other = await newProject()
  expect((await other.call('GET', '/v1/async-actions')).body).toEqual({
    object: 'list',
    data_ref: 'async_actions',
    async_actions: [],
    has_more: false,
  })
  expect(await other.call('GET', `/v1/async-actions/${id}`)).toMatchObject({
    status: 404,
    body: {
      key: 'not_found',
      details: `Cannot find async_action with id ${id}`,
      resource_id: id,
      resource_type: 'async_action',
    },
  })
})

test('a queued action has neither processing_time nor result; a finished one has both, the result only in the single read', async () => {
  const shop = await newProject()
  const waiting = await insertAction(shop, '2026-01-01T00:00:00.000Z')
  const over = await insertAction(shop, '2026-01-02T00:00:00.000Z', done)
  const shown = {
    id: waiting,
    type: 'CUSTOMERS.IMPORT_CSV',
    status: 'ENQUEUED',
    operation_status: 'UNKNOWN',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    request_id: 'v-019b76daa80012ab34',
    progress: 0,
    object: 'async_action',
  }
  expect(await shop.call('GET', `/v1/async-actions/${waiting}`)).toMatchObject({ status: 200, body: shown })
  expect((await shop.call('GET', `/v1/async-actions/${waiting}`)).body).toEqual(shown)

  const { body } = await shop.call('GET', `/v1/async-actions/${over}`)
  expect(body).toMatchObject({ status: 'DONE', progress: 100, processing_time: 1_200, result: { done_count: 3 } })
  const { result: _, ...listed } = body
  expect((await shop.call('GET', '/v1/async-actions')).body).toEqual({
    object: 'list',
    data_ref: 'async_actions',
    async_actions: [listed, shown],
    has_more: false,
  })
})

test('the list is newest first and paged by the created_at of the last action', async () => {
  const shop = await newProject()
  const ids: string[] = []
  for (let day = 11; day <= 23; day += 1) ids.unshift(await insertAction(shop, `2026-01-${day}T00:00:00.000Z`))
  const read = async (query: string) => {
    const { status, body } = await shop.call('GET', `/v1/async-actions${query}`)
    expect(status).toBe(200)
    return body as { async_actions: Array<{ id: string; created_at: string }>; has_more: boolean }
  }
  const first = await read('')
  expect(first.async_actions.map(({ id }) => id)).toEqual(ids.slice(0, 10))
  expect(first.has_more).toBe(true)
  const rest = await read(`?limit=3&end_date=${first.async_actions[9]?.created_at}`)
  expect(rest.async_actions.map(({ id }) => id)).toEqual(ids.slice(10))
  expect(rest.has_more).toBe(false)
  expect((await read('?end_date=2026-01-11')).async_actions).toEqual([]) // strictly before
  expect((await read('?limit=2')).async_actions.map(({ id }) => id)).toEqual(ids.slice(0, 2))
})

test('actions of one moment are all listed, page by page', async () => {
  const shop = await newProject()
  const ids: string[] = []
  for (let n = 0; n < 5; n += 1) ids.unshift(await insertAction(shop, '2026-01-11T00:00:00.000Z'))
  const found: string[] = []
  for (let after = ''; found.length < ids.length; after = `&starting_after_id=${found.at(-1)}`) {
    const { body } = await shop.call('GET', `/v1/async-actions?limit=2${after}`)
    found.push(...body.async_actions.map(({ id }: { id: string }) => id))
    expect(body.has_more).toBe(found.length < ids.length)
  }
  expect(found).toEqual(ids)
})

test.each(['starting_after_id=aa_none', 'end_date=yesterday', 'limit=0', 'limit=101', 'limit=many'])(
  '?%s is refused',
  async (query) => {
    const shop = await newProject()
    expect(await shop.call('GET', `/v1/async-actions?${query}`)).toMatchObject({
      status: 400,
      body: { key: 'invalid_query_params' },
    })
  },
)
