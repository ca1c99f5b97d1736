import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { expectStablePaging } from '../../testing/paging.ts'
import { eventsOf, newPromotion, newTier } from '../../testing/promotions.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const database = (shop: Shop) => shop.service.runtime.database.db

/** A promotion with tiers of these names, and their ids. */
async function promotionOf(shop: Shop, letters: string, name = 'Promotion') {
  const campaign = await newPromotion(shop, name)
  const ids: string[] = []
  for (const letter of letters) ids.push((await newTier(shop, campaign, { name: letter })).id)
  return { campaign, ids, path: `/v1/promotions/${campaign}/stacks` }
}

async function newStack(shop: Shop, path: string, ids: string[], more: object = {}) {
  const { status, body } = await shop.call('POST', path, { name: 'Stack', tiers: { ids }, ...more })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

test('a stack can be created, read, updated and deleted, with an event for each change', async () => {
  const shop = await newProject()
  const { campaign, ids, path } = await promotionOf(shop, 'ABC')
  const { body: category } = await shop.call('POST', '/v1/categories', { name: 'Sale', hierarchy: 1 })
  const [a, b, c] = ids as [string, string, string]
  const created = await newStack(shop, path, [c, a], { category_id: category.id })
  expect(created).toEqual({
    id: expect.stringMatching(/^stack_[0-9A-Za-z]{24}$/),
    name: 'Stack',
    tiers: { ids: [c, a], hierarchy_mode: 'MANUAL' },
    campaign_id: campaign,
    category_id: category.id,
    categories: [category],
    created_at: instant,
    object: 'promotion_stack',
  })
  const own = `${path}/${created.id}`
  expect((await shop.call('GET', own)).body).toEqual(created)
  expect((await shop.call('GET', `/v1/promotions/Promotion/stacks/${created.id}`)).body).toEqual(created)
  const list = { object: 'list', data_ref: 'data', data: [created], total: 1 }
  expect((await shop.call('GET', path)).body).toEqual(list)
  expect((await shop.call('GET', '/v1/promotions/stacks')).body).toEqual(list)

  const renamed = await shop.call('PUT', own, { name: 'Other' })
  expect(renamed.body).toEqual({ ...created, name: 'Other', updated_at: instant })
  const updated = await shop.call('PUT', own, {
    tiers: { ids: [a, b, c], hierarchy_mode: 'MANUAL' },
    category_id: null,
  })
  expect(updated.body).toEqual({
    ...renamed.body,
    tiers: { ids: [a, b, c], hierarchy_mode: 'MANUAL' },
    category_id: null,
    categories: [],
    updated_at: instant,
  })
  expect((await shop.call('GET', own)).body).toEqual(updated.body)

  expect(await shop.call('DELETE', own)).toMatchObject({ status: 204, body: null })
  for (const method of ['GET', 'PUT', 'DELETE'])
    expect(await shop.call(method, own, method === 'PUT' ? { name: 7 } : undefined)).toMatchObject({
      status: 404,
      body: { resource_type: 'promotion_stack', resource_id: created.id },
    })
  const events = await eventsOf(shop, 'campaign.promotion_stack.')
  expect(events.map(({ type, data }) => [type, data.promotion_stack])).toEqual([
    ['campaign.promotion_stack.created', created],
    ['campaign.promotion_stack.updated', renamed.body],
    ['campaign.promotion_stack.updated', updated.body],
    ['campaign.promotion_stack.deleted', updated.body],
  ])
  for (const { entity_id, data } of events) {
    expect(entity_id).toBe(campaign)
    expect(data.campaign).toMatchObject({ id: campaign, campaign_type: 'PROMOTION' })
  }
  expect(await deletionsOf(shop)).toEqual([['promotion_stack', created.id]])
})

async function deletionsOf(shop: Shop) {
  const rows = await database(shop)
    .selectFrom('configuration_deletions')
    .where('project_id', '=', shop.project_id)
    .orderBy('config_version')
    .select(['object_type', 'object_id'])
    .execute()
  return rows.map(({ object_type, object_id }) => [object_type, object_id])
}

const many = (count: number) => Array.from({ length: count }, (_, n) => `promo_${n}`)

const refused: Array<[body: object, details: string]> = [
  [{ name: null }, 'Property .name must be string'],
  [{ name: 'n'.repeat(256) }, 'Property .name must NOT have more than 255 characters'],
  [{ tiers: null }, 'Property .tiers must be object'],
  [{ tiers: {} }, "Property .tiers should have required property 'ids'"],
  [{ tiers: { ids: [] } }, 'Property .tiers.ids must NOT have fewer than 1 items'],
  [{ tiers: { ids: many(31) } }, 'Property .tiers.ids must NOT have more than 30 items'],
  [{ tiers: { ids: ['promo_1', 'promo_2', 'promo_1'] } }, 'Property .tiers.ids must NOT have duplicate items'],
  [
    { tiers: { ids: ['promo_1'], hierarchy_mode: 'AUTO' } },
    'Property .tiers.hierarchy_mode must be equal to one of the allowed values [ MANUAL ]',
  ],
  [{ category_id: 7 }, 'Property .category_id must be string,null'],
]

test.each(refused)('creation and update refuse %j: %s', async (body, details) => {
  const shop = await newProject()
  const { ids, path } = await promotionOf(shop, 'A')
  const stack = await newStack(shop, path, ids)
  const refusal = { status: 400, body: { key: 'invalid_payload', details } }
  expect(await shop.call('POST', path, { name: 'Stack', tiers: { ids }, ...body })).toMatchObject(refusal)
  expect(await shop.call('PUT', `${path}/${stack.id}`, body)).toMatchObject(refusal)
  expect((await shop.call('GET', path)).body.data).toEqual([stack])
})

test('a stack has at most thirty tiers, all of its own campaign, and its references must exist', async () => {
  const shop = await newProject()
  const { ids, path } = await promotionOf(shop, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcd')
  const { ids: foreign } = await promotionOf(shop, 'Z', 'Other')
  expect(ids).toHaveLength(30)
  const stack = await newStack(shop, path, ids.toReversed())
  expect(stack.tiers.ids).toEqual(ids.toReversed())
  for (const [body, resourceType, resourceId] of [
    [{ tiers: { ids: [ids[0], foreign[0]] } }, 'promotion_tier', foreign[0]],
    [{ tiers: { ids: ['promo_0'] } }, 'promotion_tier', 'promo_0'],
    [{ category_id: 'cat_0' }, 'category', 'cat_0'],
  ] as const) {
    const refusal = { status: 404, body: { key: 'not_found', resource_type: resourceType, resource_id: resourceId } }
    expect(await shop.call('POST', path, { name: 'Stack', tiers: { ids }, ...body })).toMatchObject(refusal)
    expect(await shop.call('PUT', `${path}/${stack.id}`, body)).toMatchObject(refusal)
  }
  expect((await shop.call('GET', path)).body.data).toEqual([stack])
})

test('a stack is not found under another campaign or an unknown one', async () => {
  const shop = await newProject()
  const { ids, path } = await promotionOf(shop, 'A')
  const other = await promotionOf(shop, 'Z', 'Other')
  const stack = await newStack(shop, path, ids)
  for (const [method, body] of [['GET'], ['PUT', { name: 7 }], ['DELETE']] as const) {
    expect(await shop.call(method, `${other.path}/${stack.id}`, body)).toMatchObject({
      status: 404,
      body: { resource_type: 'promotion_stack', resource_id: stack.id },
    })
    expect(await shop.call(method, `/v1/promotions/nothing/stacks/${stack.id}`, body)).toMatchObject({
      status: 404,
      body: { resource_type: 'campaign', resource_id: 'nothing' },
    })
  }
  for (const [method, body] of [['GET'], ['POST', { name: 7 }]] as const)
    expect(await shop.call(method, '/v1/promotions/nothing/stacks', body)).toMatchObject({
      status: 404,
      body: { resource_type: 'campaign', resource_id: 'nothing' },
    })
  expect((await shop.call('GET', other.path)).body).toMatchObject({ data: [], total: 0 })
})

test('a deleted category is shown as none', async () => {
  const shop = await newProject()
  const { ids, path } = await promotionOf(shop, 'A')
  const { body: category } = await shop.call('POST', '/v1/categories', { name: 'Sale', hierarchy: 1 })
  const stack = await newStack(shop, path, ids, { category_id: category.id })
  await shop.call('DELETE', `/v1/categories/${category.id}`)
  expect((await shop.call('GET', `${path}/${stack.id}`)).body).toEqual({ ...stack, category_id: null, categories: [] })
})

test('deleting a tier removes it from its stacks, and deletes a stack that becomes empty', async () => {
  const shop = await newProject()
  const { ids, path } = await promotionOf(shop, 'ABC')
  const [a, b, c] = ids as [string, string, string]
  const both = await newStack(shop, path, [c, a, b])
  const alone = await newStack(shop, path, [a])
  const without = await newStack(shop, path, [b])
  await shop.call('DELETE', `/v1/promotions/tiers/${a}`)

  const left = { ...both, tiers: { ids: [c, b], hierarchy_mode: 'MANUAL' }, updated_at: instant }
  expect((await shop.call('GET', path)).body).toMatchObject({ data: [left, without], total: 2 })
  const events = (await eventsOf(shop, 'campaign.promotion_')).slice(6) // three tiers and three stacks were created
  expect(events.map(({ type, data }) => [type, data.promotion_stack ?? data.promotion_tier?.id])).toEqual([
    ['campaign.promotion_stack.updated', left],
    ['campaign.promotion_stack.deleted', alone],
    ['campaign.promotion_tier.deleted', a],
  ])
  expect(await deletionsOf(shop)).toEqual([
    ['promotion_stack', alone.id],
    ['promotion_tier', a],
  ])
})

test('a campaign has at most 1,000 stacks, listed all at once and oldest first', async () => {
  const shop = await newProject()
  const { campaign, ids, path } = await promotionOf(shop, 'A')
  await sql`
    insert into promotion_stacks (project_id, id, campaign_id, name, tier_ids, created_at, config_version)
    select ${shop.project_id}, 'stack_' || n, ${campaign}, n, ${JSON.stringify(ids)}::jsonb, '2026-01-01', 1
    from generate_series(1001, 1999) n
  `.execute(database(shop))
  const last = await newStack(shop, path, ids, { name: 'Last' })
  expect(await shop.call('POST', path, { name: 'One too many', tiers: { ids } })).toMatchObject({
    status: 400,
    body: { key: 'invalid_payload', details: 'A campaign must NOT have more than 1000 promotion stacks' },
  })
  const { body } = await shop.call('GET', `${path}?limit=1`)
  expect(body).toMatchObject({ data: { length: 1000 }, total: 1000 })
  expect(body.data.at(-1)).toEqual(last)
  expect(body.data[0].name).toBe('1001')
})

describe('GET /v1/promotions/stacks', () => {
  test('can be narrowed by dates and filters', async () => {
    const shop = await newProject()
    const { ids, path } = await promotionOf(shop, 'A')
    const stacks = []
    for (const name of ['Summer', 'Winter', 'Summer sale']) stacks.push(await newStack(shop, path, ids, { name }))
    await shop.call('PUT', `${path}/${stacks[1].id}`, {})
    const [summer, winter, sale] = stacks
    const cases: Array<[query: string, names: string[]]> = [
      ['', ['Summer sale', 'Winter', 'Summer']],
      ['order=name', ['Summer', 'Summer sale', 'Winter']],
      ['order=-name&limit=1&page=2', ['Summer sale']],
      ['order=updated_at&limit=1', ['Winter']],
      ['filters[name][conditions][$starts_with]=Summer', ['Summer sale', 'Summer']],
      [
        `filters[id][conditions][$in][0]=${winter.id}&filters[id][conditions][$in][1]=${sale.id}`,
        ['Summer sale', 'Winter'],
      ],
      ['filters[updated_at][conditions][$has_value]=true', ['Winter']],
      [`created_at[before]=${sale.created_at}&order=created_at`, ['Summer', 'Winter']],
      [`[created_at][after]=${summer.created_at}`, ['Summer sale', 'Winter']],
      [`updated_at[after]=${summer.created_at}`, ['Winter']],
    ]
    for (const [query, names] of cases) {
      const { status, body } = await shop.call('GET', `/v1/promotions/stacks?${query}`)
      expect(status, query).toBe(200)
      expect(
        body.data.map(({ name }: { name: string }) => name),
        query,
      ).toEqual(names)
    }
    for (const query of ['filters[colour][conditions][$is]=red', 'order=hierarchy', 'limit=0'])
      expect(await shop.call('GET', `/v1/promotions/stacks?${query}`), query).toMatchObject({
        status: 400,
        body: { key: 'invalid_query_params' },
      })
  })

  test('pages stay stable while stacks are added', async () => {
    const shop = await newProject()
    const { ids, path } = await promotionOf(shop, 'A')
    await expectStablePaging({
      shop,
      path: '/v1/promotions/stacks',
      orders: ['-created_at', 'created_at', 'updated_at', '-updated_at', 'name', '-name'],
      data_ref: 'data',
      async create(n) {
        const { id } = await newStack(shop, path, ids, { name: `stack ${n % 7}` })
        if (n % 3 === 0) await shop.call('PUT', `${path}/${id}`, {})
        return id
      },
    })
  })
})
