import { expect, test } from 'vitest'
import { runSegments } from '../testing/loyalty.ts'
import { clientOf } from './client.ts'

const client = clientOf('segments')

test('a static and a filter segment are created, listed for their customers, and deleted', async () => {
  const { library, shop } = await client()
  const { segments, customers } = library
  const { id: ann } = (await customers.create({ source_id: 'ann', address: { city: 'Berlin' } })) as { id: string }
  await customers.create({ source_id: 'bob', address: { city: 'Paris' } })

  const named = await segments.create({ name: 'Friends', type: 'static', customers: [ann] })
  expect(named).toMatchObject({
    id: expect.stringMatching(/^seg_/),
    name: 'Friends',
    type: 'static',
    object: 'segment',
  })
  const filter = { junction: 'AND' as const, 'address.city': { conditions: { $is: ['Berlin'] } } }
  const berlin = await segments.create({ name: 'Berliners', type: 'auto-update', filter })
  await runSegments(shop)
  expect(await segments.get(berlin.id)).toMatchObject({
    name: 'Berliners',
    type: 'auto-update',
    filter: { ...filter, junction: 'and' },
  })

  const list = await segments.list('ann')
  expect(list).toMatchObject({ object: 'list', data_ref: 'data', total: 2 })
  expect(list.data.map(({ name }) => name).toSorted()).toEqual(['Berliners', 'Friends'])
  expect(await segments.list('bob')).toMatchObject({ total: 0, data: [] })
  await segments.delete(named.id)
  await expect(segments.get(named.id)).rejects.toMatchObject({ code: 404, resource_type: 'segment' })
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
