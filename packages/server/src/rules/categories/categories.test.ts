import { describe, expect, test } from 'vitest'
import { newProject, type Shop, send } from '../../testing/app.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

async function newCategory(shop: Shop, name: string, hierarchy = 0): Promise<string> {
  const { status, body } = await shop.call('POST', '/v1/categories', { name, hierarchy })
  expect(status).toBe(200)
  return body.id
}

const namesOf = async (shop: Shop): Promise<string[]> =>
  (await shop.call('GET', '/v1/categories')).body.data.map(({ name }: { name: string }) => name)

/** The five operations on a category of this id. */
const five = (id: string): Array<[method: string, path: string, body?: object]> => [
  ['GET', '/v1/categories'],
  ['POST', '/v1/categories', { name: 'Stolen', hierarchy: 0 }],
  ['GET', `/v1/categories/${id}`],
  ['PUT', `/v1/categories/${id}`, { name: 'Stolen', hierarchy: 0 }],
  ['DELETE', `/v1/categories/${id}`],
]

describe('authorization', () => {
  test('requests without a key are refused, and nothing changes', async () => {
    const shop = await newProject()
    const id = await newCategory(shop, 'Summer')
    for (const [method, path, body] of five(id))
      expect(await send(shop.service.app, method, path, body)).toMatchObject({
        status: 401,
        body: { key: 'unauthorized' },
      })
    expect(await namesOf(shop)).toEqual(['Summer'])
  })

  test('another project can neither see nor change the category', async () => {
    const [shop, stranger] = [await newProject(), await newProject()]
    const id = await newCategory(shop, 'Summer', 1)
    const [list, create, ...others] = five(id)

    expect((await stranger.call(...list!)).body).toEqual({
      object: 'list',
      data_ref: 'data',
      data: [],
      total: 0,
      has_more: false,
    })
    for (const call of others)
      expect(await stranger.call(...call)).toMatchObject({ status: 404, body: { key: 'not_found', resource_id: id } })
    expect(await stranger.call(...create!)).toMatchObject({ status: 200 })

    expect((await shop.call('GET', `/v1/categories/${id}`)).body).toMatchObject({ name: 'Summer', hierarchy: 1 })
    expect(await namesOf(shop)).toEqual(['Summer'])
  })

  test('a token of another scope is refused by all five operations', async () => {
    const shop = await newProject()
    const id = await newCategory(shop, 'Summer')
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const token = await shop.call(
      'POST',
      '/v1/oauth/token',
      'grant_type=client_credentials&scope=vouchers client_api',
      form,
    )
    for (const [method, path, body] of five(id))
      expect(await shop.call(method, path, body, { authorization: `Bearer ${token.body.access_token}` })).toMatchObject(
        {
          status: 403,
          body: { details: 'Access token does not cover this resource. Required scope: api or categories' },
        },
      )
  })
})

test('a category can be created, read, updated and deleted', async () => {
  const shop = await newProject()
  const created = await shop.call('POST', '/v1/categories', { name: 'Summer', hierarchy: 2 })
  expect(created.status).toBe(200)
  expect(created.body).toEqual({
    id: expect.stringMatching(/^cat_[0-9a-f]{18}$/),
    name: 'Summer',
    hierarchy: 2,
    created_at: instant,
    object: 'category',
  })
  const path = `/v1/categories/${created.body.id}`
  expect((await shop.call('GET', path)).body).toEqual(created.body)

  const updated = await shop.call('PUT', path, { name: 'Winter', hierarchy: 0 })
  expect(updated.status).toBe(200)
  expect(updated.body).toEqual({ ...created.body, name: 'Winter', hierarchy: 0, updated_at: instant })
  expect((await shop.call('GET', path)).body).toEqual(updated.body)

  expect(await shop.call('DELETE', path)).toMatchObject({ status: 204, body: null })
  expect(await shop.call('GET', path)).toMatchObject({
    status: 404,
    body: {
      code: 404,
      key: 'not_found',
      message: 'Resource not found',
      details: `Cannot find category with id ${created.body.id}`,
      resource_id: created.body.id,
      resource_type: 'category',
      request_id: expect.stringMatching(/^v-[0-9a-f]{18}$/),
    },
  })
})

describe('GET /v1/categories', () => {
  test('lists all categories, newest first, whatever their number', async () => {
    const shop = await newProject()
    const names = Array.from({ length: 12 }, (_, index) => `Category ${index}`)
    for (const name of names) await newCategory(shop, name)
    const { status, body } = await shop.call('GET', '/v1/categories')
    expect(status).toBe(200)
    expect(body).toMatchObject({ object: 'list', data_ref: 'data', total: 12 })
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(names.toReversed())
    expect(body.data[0]).toEqual((await shop.call('GET', `/v1/categories/${body.data[0].id}`)).body)
  })

  test('does not page: paging parameters are ignored', async () => {
    const shop = await newProject()
    for (const name of ['A', 'B', 'C']) await newCategory(shop, name)
    expect((await shop.call('GET', '/v1/categories?limit=1&page=7')).body).toMatchObject({
      data: { length: 3 },
      total: 3,
    })
  })
})

const badBodies: Array<[body: unknown, details: string]> = [
  [undefined, "Payload should have required property 'name'"],
  [{}, "Payload should have required property 'name'"],
  [{ hierarchy: 0 }, "Payload should have required property 'name'"],
  [{ name: 'A' }, "Payload should have required property 'hierarchy'"],
  [[], 'Payload must be object'],
  [{ name: 7, hierarchy: 0 }, 'Property .name must be string'],
  [{ name: null, hierarchy: 0 }, 'Property .name must be string'],
  [{ name: '', hierarchy: 0 }, 'Property .name must NOT have fewer than 1 characters'],
  [{ name: 'n'.repeat(256), hierarchy: 0 }, 'Property .name must NOT have more than 255 characters'],
  [{ name: 'A', hierarchy: -1 }, 'Property .hierarchy must be >= 0'],
  [{ name: 'A', hierarchy: 1.5 }, 'Property .hierarchy must be integer'],
  [{ name: 'A', hierarchy: '1' }, 'Property .hierarchy must be integer'],
  [{ name: 'A', hierarchy: null }, 'Property .hierarchy must be integer'],
  [{ name: 'A', hierarchy: 2 ** 53 }, 'Property .hierarchy must be <= 9007199254740991'],
]

test.each(badBodies)('creation and update refuse %j: %s', async (body, details) => {
  const shop = await newProject()
  const path = `/v1/categories/${await newCategory(shop, 'Summer', 5)}`
  const refusal = { status: 400, body: { key: 'invalid_payload', message: 'Invalid payload', details } }
  expect(await shop.call('POST', '/v1/categories', body)).toMatchObject(refusal)
  expect(await shop.call('PUT', path, body)).toMatchObject(refusal)
  expect((await shop.call('GET', '/v1/categories')).body.data).toMatchObject([{ name: 'Summer', hierarchy: 5 }])
})

describe('POST /v1/categories', () => {
  test('takes a name of 255 characters, counted as a reader counts them, and the largest hierarchy', async () => {
    const shop = await newProject()
    const name = '🎁'.repeat(255)
    const { status, body } = await shop.call('POST', '/v1/categories', { name, hierarchy: Number.MAX_SAFE_INTEGER })
    expect(status).toBe(200)
    expect(body).toMatchObject({ name, hierarchy: Number.MAX_SAFE_INTEGER })
  })

  test('ignores unknown fields, also read-only ones', async () => {
    const shop = await newProject()
    const { body } = await shop.call('POST', '/v1/categories', {
      name: 'A',
      hierarchy: 0,
      id: 'cat_mine',
      color: 'red',
    })
    expect(body.id).not.toBe('cat_mine')
    expect(Object.keys(body).sort()).toEqual(['created_at', 'hierarchy', 'id', 'name', 'object', 'warnings'])
  })

  test('a name is unique per project, case-sensitively', async () => {
    const [shop, other] = [await newProject(), await newProject()]
    await newCategory(shop, 'Summer')
    expect(await shop.call('POST', '/v1/categories', { name: 'Summer', hierarchy: 9 })).toMatchObject({
      status: 409,
      body: {
        code: 409,
        key: 'duplicate_found',
        message: 'Duplicated resource found',
        details: 'Duplicated category exists with name Summer',
        resource_id: 'Summer',
        resource_type: 'category',
      },
    })
    await newCategory(shop, 'summer')
    await newCategory(other, 'Summer')
    expect(await namesOf(shop)).toEqual(['summer', 'Summer'])
  })

  test('of 20 concurrent creations with one name, one succeeds', async () => {
    const shop = await newProject()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, hierarchy) => shop.call('POST', '/v1/categories', { name: 'Summer', hierarchy })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    const winner = answers.find(({ status }) => status === 200)!
    expect((await shop.call('GET', '/v1/categories')).body.data).toEqual([winner.body])
  })
})

describe('PUT /v1/categories/{categoryId}', () => {
  test('an unknown category is reported before the body is validated', async () => {
    const shop = await newProject()
    expect(await shop.call('PUT', '/v1/categories/cat_0', { hierarchy: 'wrong' })).toMatchObject({
      status: 404,
      body: { key: 'not_found', resource_id: 'cat_0', resource_type: 'category' },
    })
  })

  test('a taken name is refused and nothing changes; keeping the own name is allowed', async () => {
    const shop = await newProject()
    await newCategory(shop, 'Summer')
    const id = await newCategory(shop, 'Winter', 1)
    expect(await shop.call('PUT', `/v1/categories/${id}`, { name: 'Summer', hierarchy: 2 })).toMatchObject({
      status: 409,
      body: {
        key: 'duplicate_found',
        details: 'Duplicated category exists with name Summer',
        resource_type: 'category',
      },
    })
    expect((await shop.call('GET', `/v1/categories/${id}`)).body).toMatchObject({ name: 'Winter', hierarchy: 1 })
    expect(await shop.call('PUT', `/v1/categories/${id}`, { name: 'Winter', hierarchy: 3 })).toMatchObject({
      status: 200,
      body: { name: 'Winter', hierarchy: 3 },
    })
  })

  test('of 10 categories renamed concurrently to one name, one succeeds', async () => {
    const shop = await newProject()
    const names = Array.from({ length: 10 }, (_, index) => `Category ${index}`)
    const ids = []
    for (const name of names) ids.push(await newCategory(shop, name))
    const answers = await Promise.all(
      ids.map((id) => shop.call('PUT', `/v1/categories/${id}`, { name: 'Sale', hierarchy: 0 })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    expect((await namesOf(shop)).filter((name) => name === 'Sale')).toHaveLength(1)
  })
})

describe('DELETE /v1/categories/{categoryId}', () => {
  test('an unknown category cannot be deleted, nor a deleted one again', async () => {
    const shop = await newProject()
    expect(await shop.call('DELETE', '/v1/categories/cat_0')).toMatchObject({ status: 404 })
    const id = await newCategory(shop, 'Summer')
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.call('DELETE', `/v1/categories/${id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404])
  })

  test('the name of a deleted category is free again', async () => {
    const shop = await newProject()
    const id = await newCategory(shop, 'Summer')
    await shop.call('DELETE', `/v1/categories/${id}`)
    expect(await newCategory(shop, 'Summer')).not.toBe(id)
  })

  test('a non-boolean value is refused before the category is looked up', async () => {
    const shop = await newProject()
    expect(await shop.call('DELETE', '/v1/categories/cat_0?remove_from_stacking_rules=perhaps')).toMatchObject({
      status: 400,
      body: {
        key: 'invalid_query_params',
        message: 'Invalid query params',
        details: 'Property .remove_from_stacking_rules must be boolean',
      },
    })
  })

  /** Each place in the stacking rules that can reference a category. */
  const places: Array<[place: string, rules: (id: string) => object]> = [
    ...[
      'exclusive_categories',
      'joint_categories',
      'initial_amount_mode_categories',
      'discounted_amount_mode_categories',
      'no_effect_skip_categories',
      'no_effect_redeem_anyway_categories',
    ].map((place): [string, (id: string) => object] => [place, (id) => ({ [place]: [id, 'cat_other'] })]),
    [
      'applicable_redeemables_category_limits',
      (id) => ({ applicable_redeemables_category_limits: { [id]: 2, cat_other: 3 } }),
    ],
  ]

  test.each(places)('is refused while %s references it, and the error names the stacking rules', async (_, rules) => {
    const shop = await newProject()
    const id = await newCategory(shop, 'Summer')
    const { body: stored } = await shop.manage('POST', '/stacking-rules', rules(id))
    for (const query of ['', '?remove_from_stacking_rules=false'])
      expect(await shop.call('DELETE', `/v1/categories/${id}${query}`)).toEqual({
        status: 400,
        headers: expect.anything(),
        body: {
          code: 400,
          key: 'resource_in_use',
          message: 'Resource in use',
          details: `Resource category with id ${id} is in use by stacking_rules with ids [${stored.id}]`,
          resource_id: id,
          resource_type: 'category',
          related_object_ids: [stored.id],
          related_object_type: 'stacking_rules',
          related_object_total: 1,
          request_id: expect.any(String),
        },
      })
    expect(await namesOf(shop)).toEqual(['Summer'])
  })

  test('with remove_from_stacking_rules the rules lose this category everywhere, and nothing else', async () => {
    const shop = await newProject()
    const id = await newCategory(shop, 'Summer')
    const lists = {
      exclusive_categories: [id, 'cat_a'],
      initial_amount_mode_categories: ['cat_b', id, 'cat_c'],
      no_effect_skip_categories: [id],
      applicable_redeemables_category_limits: { [id]: 2, cat_d: 3 },
      redeemables_limit: 10,
    }
    const { body: before } = await shop.manage('POST', '/stacking-rules', lists)
    expect(await shop.call('DELETE', `/v1/categories/${id}?remove_from_stacking_rules=true`)).toMatchObject({
      status: 204,
    })
    expect((await shop.manage('GET', `/stacking-rules/${before.id}`)).body).toEqual({
      ...before,
      exclusive_categories: ['cat_a'],
      initial_amount_mode_categories: ['cat_b', 'cat_c'],
      no_effect_skip_categories: [],
      applicable_redeemables_category_limits: { cat_d: 3 },
      updated_at: instant,
    })
    expect(await namesOf(shop)).toEqual([])
  })

  test('stacking rules without the category do not block its deletion, and stay unchanged', async () => {
    const shop = await newProject()
    const id = await newCategory(shop, 'Summer')
    const { body: rules } = await shop.manage('POST', '/stacking-rules', { exclusive_categories: ['cat_other'] })
    expect(await shop.call('DELETE', `/v1/categories/${id}?remove_from_stacking_rules=true`)).toMatchObject({
      status: 204,
    })
    expect((await shop.manage('GET', `/stacking-rules/${rules.id}`)).body).toEqual(rules)
  })
})

test('every change increments the configuration version and stamps its row; a refusal does not', async () => {
  const shop = await newProject()
  const { db } = shop.service.runtime.database
  const version = async () => {
    const query = db
      .selectFrom('projects')
      .where('id', '=', shop.project_id as `proj_${string}`)
      .select('config_version')
    return (await query.executeTakeFirstOrThrow()).config_version
  }
  const stampOf = async (id: string) => {
    const query = db
      .selectFrom('categories')
      .where('project_id', '=', shop.project_id)
      .where('id', '=', id as `cat_${string}`)
    return (await query.select('config_version').executeTakeFirstOrThrow()).config_version
  }
  expect(await version()).toBe(0)
  const summer = await newCategory(shop, 'Summer')
  expect([await version(), await stampOf(summer)]).toEqual([1, 1])
  const winter = await newCategory(shop, 'Winter')
  expect([await version(), await stampOf(winter)]).toEqual([2, 2])
  await shop.call('PUT', `/v1/categories/${summer}`, { name: 'Spring', hierarchy: 0 })
  expect([await version(), await stampOf(summer), await stampOf(winter)]).toEqual([3, 3, 2])

  await shop.call('PUT', `/v1/categories/${summer}`, { name: 'Winter', hierarchy: 0 })
  await shop.call('POST', '/v1/categories', { name: 'Winter', hierarchy: 0 })
  await shop.call('DELETE', '/v1/categories/cat_0')
  expect([await version(), await stampOf(summer), await stampOf(winter)]).toEqual([3, 3, 2])

  await shop.call('DELETE', `/v1/categories/${winter}`)
  expect(await version()).toBe(4)
})
