import { expect, test } from 'vitest'
import { updateCustomers } from '../audience/customers/bulk.ts'
import { clientOf } from './client.ts'

const client = clientOf('async-actions')

test('an action can be read while it is queued and when it is done, and is listed', async () => {
  const { library, work } = await client()
  const { asyncActions, customers } = library
  const started = [
    await customers.updateInBulk([{ source_id: 'ann', name: 'Ann' }]),
    await customers.updateInBulk([{ source_id: 'bob', name: 'Bob' }]),
  ]
  const [first, second] = started.map(({ async_action_id }) => async_action_id) as [string, string]
  const waiting = await asyncActions.get(first)
  expect(waiting).toMatchObject({
    id: first,
    type: 'CUSTOMERS.BULK_UPDATE',
    status: 'ENQUEUED',
    object: 'async_action',
  })

  await work(updateCustomers)
  const done = await asyncActions.get(first)
  expect(done).toMatchObject({ id: first, status: 'DONE', progress: 100, result: { done_count: 1 } })
  expect(await customers.get('ann')).toMatchObject({ name: 'Ann' })

  const list = await asyncActions.list({ limit: 10 })
  expect(list).toMatchObject({ object: 'list', data_ref: 'async_actions' })
  expect(list.async_actions.map(({ id, status }) => [id, status])).toEqual([
    [second, 'DONE'],
    [first, 'DONE'],
  ])
  expect((await asyncActions.list({ end_date: '2020-01-01T00:00:00Z' })).async_actions).toEqual([])
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
