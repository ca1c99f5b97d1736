import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { asRequest } from '../../testing/background.ts'
import { expectStablePaging } from '../../testing/paging.ts'
import { listActivities } from './activities.ts'

/** Shared by all read-only tests. */
const history = () => (made ??= makeHistory())
let made: ReturnType<typeof makeHistory> | undefined

/** A collection created and then updated four times, one day apart, in the year 2031. */
async function makeHistory(): Promise<{ shop: Shop; path: string }> {
  const shop = await newProject()
  const { body } = await shop.call('POST', '/v1/product-collections', { name: 'Teas', type: 'STATIC' })
  const path = `/v1/product-collections/${body.id}`
  for (let n = 0; n < 4; n += 1) await shop.call('PUT', path, { name: `Teas ${n}` })
  const { db } = shop.service.runtime.database
  const events = await db
    .selectFrom('events')
    .where('project_id', '=', shop.project_id)
    .where('entity_id', '=', body.id)
    .orderBy('id')
    .select('id')
    .execute()
  for (const [day, { id }] of events.entries())
    await db
      .updateTable('event_rows')
      .set({ created_at: `2031-01-0${day + 1}T12:00:00.000Z` })
      .where('project_id', '=', shop.project_id)
      .where('id', '=', id)
      .execute()
  return { shop, path: `${path}/activities` }
}

test.each<[query: string, days: string]>([
  ['', '5 4 3 2 1'],
  ['order=created_at', '1 2 3 4 5'],
  ['limit=2', '5 4'],
  ['starting_after=2031-01-03T12:00:00Z', '2 1'],
  ['starting_after=2031-01-03T12:00:00Z&order=created_at', '4 5'],
  ['start_date=2031-01-02T12:00:00Z&end_date=2031-01-04T12:00:00Z', '4 3 2'], // both included
  ['type=products_collection.created', '1'],
  ['type=products_collection.updated&limit=3', '5 4 3'],
  ['category=EFFECT', '5 4 3 2 1'],
  ['category=ACTION', ''],
])('?%s', async (query, days) => {
  const { shop, path } = await history()
  const { status, body } = await shop.call('GET', `${path}?${query}`)
  expect(status).toBe(200)
  expect(body.data.map(({ created_at }: { created_at: string }) => created_at.slice(9, 10)).join(' ')).toBe(days)
})

test('is paged by the id of the last event', async () => {
  const { shop, path } = await history()
  const first = (await shop.call('GET', `${path}?limit=3`)).body
  expect(first).toMatchObject({ has_more: true, more_starting_after: first.data[2].id })
  const rest = (await shop.call('GET', `${path}?limit=3&starting_after_id=${first.more_starting_after}`)).body
  expect(rest).toMatchObject({ has_more: false, data: { length: 2 } })
})

test.each([
  'type=products_collection.deleted',
  'type=customer.created',
  'category=CAUSE',
  'order=-updated_at',
  'limit=101',
  'start_date=soon',
  'starting_after=soon',
  'starting_after_id=evpc_0',
])('?%s is refused', async (query) => {
  const { shop, path } = await history()
  expect(await shop.call('GET', `${path}?${query}`)).toMatchObject({
    status: 400,
    body: { key: 'invalid_query_params' },
  })
})

test('each event is returned once while new ones arrive, in both orders', async () => {
  const shop = await newProject()
  const { body } = await shop.call('POST', '/v1/product-collections', { name: 'Teas', type: 'STATIC' })
  const path = `/v1/product-collections/${body.id}`
  await expectStablePaging({
    shop,
    path: `${path}/activities`,
    orders: ['created_at', '-created_at'],
    data_ref: 'data',
    async create(n) {
      await shop.call('PUT', path, { name: `Teas ${n}` })
      return (await shop.call('GET', `${path}/activities?limit=1`)).body.data[0].id
    },
  })
})

test('filters events of one campaign, or of campaigns of a type', async () => {
  const shop = await newProject()
  const { runtime } = shop.service
  const campaigns = [
    null,
    { id: 'camp_1', campaign_type: 'PROMOTION' },
    { id: 'camp_2', campaign_type: 'PROMOTION' },
    { id: 'camp_3', campaign_type: 'GIFT_VOUCHERS' },
  ]
  for (const [n, campaign] of campaigns.entries())
    await runtime.database.db
      .insertInto('event_rows')
      .values({
        project_id: shop.project_id,
        id: `evcus_${n}`,
        type: 'customer.voucher.deleted',
        category: 'ACTION',
        entity_id: 'cust_1',
        created_at: '2026-01-01T00:00:00.000Z',
        group_id: 'v-1',
        event_source: '{"channel":"INTERNAL"}',
        campaign_id: campaign?.id ?? null,
        voucher_id: null,
        data: JSON.stringify({ campaign }),
      })
      .execute()
  const project = await runtime.credentials.project(shop.project_id)
  const listed = async (query: { campaign_id?: string; campaign_type?: string }) => {
    const { data } = await asRequest(runtime, project!, (ctx) => listActivities(ctx, 'cust_1', query))
    return data.map(({ id }) => id)
  }
  expect(await listed({})).toHaveLength(4)
  expect(await listed({ campaign_id: 'camp_2' })).toEqual(['evcus_2'])
  expect(await listed({ campaign_type: 'PROMOTION' })).toEqual(['evcus_2', 'evcus_1'])
  expect(await listed({ campaign_id: 'camp_1', campaign_type: 'GIFT_VOUCHERS' })).toEqual([])
})
