import { describe, expect, test } from 'vitest'
import { newProject, type Shop, send } from '../../testing/app.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** As docs/reference/stacking.md#stacking-rules lists them. */
const defaults = {
  exclusive_categories: [],
  joint_categories: [],
  redeemables_limit: 30,
  applicable_redeemables_limit: 5,
  applicable_redeemables_per_category_limit: 1,
  applicable_redeemables_category_limits: {},
  applicable_exclusive_redeemables_limit: 1,
  applicable_exclusive_redeemables_per_category_limit: 1,
  discount_calculation_mode: 'DISCOUNTED_AMOUNT',
  initial_amount_mode_categories: [],
  discounted_amount_mode_categories: [],
  redeemables_application_mode: 'ALL',
  redeemables_sorting_rule: 'REQUESTED_ORDER',
  redeemables_products_application_mode: 'STACK',
  redeemables_no_effect_rule: 'REDEEM_ANYWAY',
  no_effect_skip_categories: [],
  no_effect_redeem_anyway_categories: [],
  redeemables_rollback_order_mode: 'WITH_ORDER',
  grouped_redeemables_sorting_rule: 'JOINT_ALWAYS_LAST',
}

async function newRules(shop: Shop, body: object = {}) {
  const answer = await shop.manage('POST', '/stacking-rules', body)
  expect(answer.status).toBe(200)
  return answer.body
}

const inForce = async (shop: Shop) => (await shop.manage('GET', '/stacking-rules')).body

const five = (id: string): Array<[method: string, path: string, body?: object]> => [
  ['GET', '/stacking-rules'],
  ['POST', '/stacking-rules', {}],
  ['GET', `/stacking-rules/${id}`],
  ['PUT', `/stacking-rules/${id}`, { redeemables_limit: 7 }],
  ['DELETE', `/stacking-rules/${id}`],
]

test('requests without management credentials are refused, also with the keys of the project, and nothing changes', async () => {
  const shop = await newProject()
  const { id } = await newRules(shop)
  for (const [method, path, body] of five(id))
    for (const headers of [{}, shop.headers])
      expect(
        await send(shop.service.app, method, `/management/v1/projects/${shop.project_id}${path}`, body, headers),
      ).toMatchObject({
        status: 401,
        body: { key: 'unauthorized' },
      })
  expect((await inForce(shop)).data[0]).toMatchObject({ id, redeemables_limit: 30 })
})

test('the rules of a project are not found under another project, and stay unchanged', async () => {
  const [shop, stranger] = [await newProject(), await newProject()]
  const rules = await newRules(shop, { redeemables_limit: 10 })
  for (const [method, path, body] of five(rules.id).slice(2))
    expect(await stranger.manage(method, path, body)).toMatchObject({
      status: 404,
      body: { key: 'not_found', resource_id: rules.id, resource_type: 'stacking_rules' },
    })
  expect((await inForce(stranger)).data[0].id).toBe('stk_default')
  await newRules(stranger)
  expect((await inForce(shop)).data).toEqual([rules])
})

test('all five operations report an unknown project', async () => {
  const shop = await newProject()
  for (const [method, path, body] of five('stk_default'))
    expect(
      await send(shop.service.app, method, `/management/v1/projects/proj_nowhere${path}`, body, shop.management),
    ).toMatchObject({
      status: 404,
      body: { key: 'not_found', resource_id: 'proj_nowhere', resource_type: 'project' },
    })
})

test('example 20: from the defaults to custom rules and back', async () => {
  const shop = await newProject()
  const list = await inForce(shop)
  expect(list).toEqual({
    object: 'list',
    data_ref: 'data',
    data: [{ id: 'stk_default', ...defaults, created_at: instant, updated_at: null }],
    total: 1,
  })
  expect(
    await shop.manage('POST', '/stacking-rules', { redeemables_limit: 10, applicable_redeemables_limit: 12 }),
  ).toMatchObject({
    status: 400,
    body: { key: 'invalid_payload', details: 'Property .applicable_redeemables_limit must be <= 10' },
  })
  const created = await newRules(shop, { redeemables_limit: 10 })
  expect(created).toEqual({
    id: expect.stringMatching(/^stk_[0-9a-f]{18}$/),
    ...defaults,
    redeemables_limit: 10,
    created_at: instant,
    updated_at: null,
  })
  expect(await shop.manage('POST', '/stacking-rules', {})).toMatchObject({
    status: 409,
    body: {
      key: 'stacking_rules_exist',
      message: 'Stacking rules exist',
      details: 'Cannot exist more stacking rules for given project',
    },
  })
  const path = `/stacking-rules/${created.id}`
  await shop.manage('PUT', path, { exclusive_categories: ['cat_a'] })
  const updated = await shop.manage('PUT', path, { exclusive_categories: ['cat_b'] })
  expect(updated).toMatchObject({ status: 200 })
  expect(updated.body).toEqual({ ...created, exclusive_categories: ['cat_b'], updated_at: instant })
  expect(await inForce(shop)).toEqual({ object: 'list', data_ref: 'data', data: [updated.body], total: 1 })

  expect(await shop.manage('DELETE', path)).toMatchObject({ status: 204, body: null })
  expect(await inForce(shop)).toEqual(list)
})

describe('the default set', () => {
  test('has the creation time of its project and can be read by its id', async () => {
    const shop = await newProject()
    const { created_at } = (await inForce(shop)).data[0]
    const project = shop.service.runtime.database.db
      .selectFrom('projects')
      .where('id', '=', shop.project_id as `proj_${string}`)
    expect((await project.select('created_at').executeTakeFirstOrThrow()).created_at).toBe(created_at)
    expect((await shop.manage('GET', '/stacking-rules/stk_default')).body).toEqual((await inForce(shop)).data[0])
  })

  test('cannot be changed or deleted', async () => {
    const shop = await newProject()
    for (const method of ['PUT', 'DELETE'])
      expect(
        await shop.manage(
          method,
          '/stacking-rules/stk_default',
          method === 'PUT' ? { redeemables_limit: 1 } : undefined,
        ),
      ).toMatchObject({
        status: 404,
        body: { key: 'not_found', resource_id: 'stk_default', resource_type: 'stacking_rules' },
      })
  })

  test('is not found while the project has custom rules', async () => {
    const shop = await newProject()
    await newRules(shop)
    for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const)
      expect(await shop.manage(method, '/stacking-rules/stk_default', body)).toMatchObject({ status: 404 })
  })
})

/** Every field with a non-default value, at its bound if it has one. */
const everything = {
  exclusive_categories: ['cat_a'],
  joint_categories: ['cat_b'],
  redeemables_limit: 29,
  applicable_redeemables_limit: 29,
  applicable_redeemables_per_category_limit: 29,
  applicable_redeemables_category_limits: { cat_a: 1, cat_b: 10 },
  applicable_exclusive_redeemables_limit: 5,
  applicable_exclusive_redeemables_per_category_limit: 5,
  discount_calculation_mode: 'INITIAL_AMOUNT',
  initial_amount_mode_categories: ['cat_c'],
  discounted_amount_mode_categories: ['cat_d'],
  redeemables_application_mode: 'PARTIAL',
  redeemables_sorting_rule: 'CATEGORY_HIERARCHY',
  redeemables_products_application_mode: 'ONCE',
  redeemables_no_effect_rule: 'SKIP',
  no_effect_skip_categories: ['cat_e'],
  no_effect_redeem_anyway_categories: ['cat_f'],
  redeemables_rollback_order_mode: 'WITHOUT_ORDER',
  grouped_redeemables_sorting_rule: 'SORTING_RULE_ORDER',
}

test('every field can be set on creation and update, and categories need not exist', async () => {
  const [shop, other] = [await newProject(), await newProject()]
  expect(Object.keys(everything)).toEqual(Object.keys(defaults))
  expect(await newRules(shop, everything)).toMatchObject(everything)
  const { id } = await newRules(other)
  expect((await other.manage('PUT', `/stacking-rules/${id}`, everything)).body).toMatchObject(everything)
  expect((await inForce(other)).data[0]).toMatchObject(everything)
})

test('an update changes only what is sent; null lifts a limit per category', async () => {
  const shop = await newProject()
  const { id } = await newRules(shop, everything)
  const lifted = {
    applicable_redeemables_per_category_limit: null,
    applicable_exclusive_redeemables_per_category_limit: null,
  }
  const { body } = await shop.manage('PUT', `/stacking-rules/${id}`, lifted)
  expect(body).toMatchObject({ ...everything, ...lifted })
  const emptied = { applicable_redeemables_category_limits: {}, joint_categories: [] }
  expect((await shop.manage('PUT', `/stacking-rules/${id}`, emptied)).body).toMatchObject({
    ...everything,
    ...lifted,
    ...emptied,
  })
})

test('an empty update changes only updated_at', async () => {
  const shop = await newProject()
  const created = await newRules(shop, everything)
  const { body } = await shop.manage('PUT', `/stacking-rules/${created.id}`)
  expect(body).toEqual({ ...created, updated_at: instant })
})

const fieldsWithRange = [
  ['redeemables_limit', 30],
  ['applicable_redeemables_limit', 30],
  ['applicable_redeemables_per_category_limit', 30],
  ['applicable_exclusive_redeemables_limit', 5],
  ['applicable_exclusive_redeemables_per_category_limit', 5],
] as const
const badValues: Array<[body: object, details: string]> = [
  ...fieldsWithRange.flatMap(
    ([name, max]): Array<[object, string]> => [
      [{ [name]: 0 }, `Property .${name} must be >= 1`],
      [{ [name]: max + 1 }, `Property .${name} must be <= ${max}`],
    ],
  ),
  [{ redeemables_limit: '10' }, 'Property .redeemables_limit must be integer'],
  [{ redeemables_limit: null }, 'Property .redeemables_limit must be integer'],
  [{ redeemables_limit: 2.5 }, 'Property .redeemables_limit must be integer'],
  [
    { applicable_redeemables_category_limits: { cat_a: 0 } },
    'Property .applicable_redeemables_category_limits.cat_a must be >= 1',
  ],
  [
    { applicable_redeemables_category_limits: { cat_a: 11 } },
    'Property .applicable_redeemables_category_limits.cat_a must be <= 10',
  ],
  [{ applicable_redeemables_category_limits: [] }, 'Property .applicable_redeemables_category_limits must be object'],
  [{ exclusive_categories: 'cat_a' }, 'Property .exclusive_categories must be array'],
  [{ exclusive_categories: [7] }, 'Property .exclusive_categories[0] must be string'],
  [{ exclusive_categories: null }, 'Property .exclusive_categories must be array'],
  ...Object.entries({
    discount_calculation_mode: 'INITIAL_AMOUNT, DISCOUNTED_AMOUNT',
    redeemables_application_mode: 'ALL, PARTIAL',
    redeemables_sorting_rule: 'CATEGORY_HIERARCHY, REQUESTED_ORDER',
    redeemables_products_application_mode: 'STACK, ONCE',
    redeemables_no_effect_rule: 'REDEEM_ANYWAY, SKIP',
    redeemables_rollback_order_mode: 'WITH_ORDER, WITHOUT_ORDER',
    grouped_redeemables_sorting_rule: 'JOINT_ALWAYS_LAST, SORTING_RULE_ORDER',
  }).map(([name, words]): [object, string] => [
    { [name]: 'SOMETIMES' },
    `Property .${name} must be equal to one of the allowed values [ ${words} ]`,
  ]),
  [
    { exclusive_categories: ['cat_a'], joint_categories: ['cat_a'] },
    'Category cat_a must not be in both .exclusive_categories and .joint_categories',
  ],
]

test('creation and update refuse values out of range, with an error that names the field', async () => {
  const [shop, fresh] = [await newProject(), await newProject()]
  const rules = await newRules(shop)
  for (const [body, details] of badValues) {
    const refusal = { status: 400, body: { key: 'invalid_payload', message: 'Invalid payload', details } }
    expect(await fresh.manage('POST', '/stacking-rules', body)).toMatchObject(refusal)
    expect(await shop.manage('PUT', `/stacking-rules/${rules.id}`, body)).toMatchObject(refusal)
  }
  expect((await inForce(fresh)).data[0].id).toBe('stk_default')
  expect((await inForce(shop)).data).toEqual([rules])
})

test('an update is validated against the resulting rules, not the body alone', async () => {
  const shop = await newProject()
  const { id } = await newRules(shop, {
    redeemables_limit: 10,
    applicable_redeemables_limit: 8,
    exclusive_categories: ['cat_a'],
  })
  const path = `/stacking-rules/${id}`
  expect(await shop.manage('PUT', path, { redeemables_limit: 7 })).toMatchObject({
    status: 400,
    body: { details: 'Property .applicable_redeemables_limit must be <= 7' },
  })
  expect(await shop.manage('PUT', path, { joint_categories: ['cat_a'] })).toMatchObject({
    status: 400,
    body: { details: 'Category cat_a must not be in both .exclusive_categories and .joint_categories' },
  })
  expect(await shop.manage('PUT', path, { redeemables_limit: 7, applicable_redeemables_limit: 7 })).toMatchObject({
    status: 200,
  })
  expect(await shop.manage('PUT', path, { joint_categories: ['cat_a'], exclusive_categories: [] })).toMatchObject({
    status: 200,
  })
})

test('unknown rules are reported before the body is validated', async () => {
  const shop = await newProject()
  expect(await shop.manage('PUT', '/stacking-rules/stk_0', { redeemables_limit: 'wrong' })).toMatchObject({
    status: 404,
    body: { resource_id: 'stk_0', resource_type: 'stacking_rules' },
  })
})

test('deleted rules are gone, and the next ones have another id', async () => {
  const shop = await newProject()
  const { id } = await newRules(shop, { redeemables_limit: 10 })
  await shop.manage('DELETE', `/stacking-rules/${id}`)
  for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const)
    expect(await shop.manage(method, `/stacking-rules/${id}`, body)).toMatchObject({ status: 404 })
  const next = await newRules(shop)
  expect(next.id).not.toBe(id)
  expect(next.redeemables_limit).toBe(30)
})

test('of 10 concurrent creations, one succeeds', async () => {
  const shop = await newProject()
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => shop.manage('POST', '/stacking-rules', { redeemables_limit: 10 + index })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
  expect((await inForce(shop)).data).toEqual([answers.find(({ status }) => status === 200)!.body])
})

test('concurrent updates of different fields lose none of them', async () => {
  const shop = await newProject()
  const { id } = await newRules(shop)
  await Promise.all(
    Object.entries(everything).map(([name, value]) => shop.manage('PUT', `/stacking-rules/${id}`, { [name]: value })),
  )
  const refusedAlone = [
    'applicable_redeemables_per_category_limit',
    'applicable_exclusive_redeemables_per_category_limit',
  ]
  const expected = Object.fromEntries(Object.entries(everything).filter(([name]) => !refusedAlone.includes(name)))
  expect((await inForce(shop)).data[0]).toMatchObject(expected)
})

test('every change increments the configuration version and stamps the rules', async () => {
  const shop = await newProject()
  const { db } = shop.service.runtime.database
  const versions = async () => {
    const project = db
      .selectFrom('projects')
      .where('id', '=', shop.project_id as `proj_${string}`)
      .select('config_version')
    const rules = db.selectFrom('stacking_rules').where('project_id', '=', shop.project_id).select('config_version')
    return [(await project.executeTakeFirstOrThrow()).config_version, (await rules.executeTakeFirst())?.config_version]
  }
  const { id } = await newRules(shop)
  expect(await versions()).toEqual([1, 1])
  await shop.manage('PUT', `/stacking-rules/${id}`, { redeemables_limit: 20 })
  expect(await versions()).toEqual([2, 2])
  await shop.manage('POST', '/stacking-rules', {})
  await shop.manage('PUT', `/stacking-rules/${id}`, { redeemables_limit: 2 })
  expect(await versions()).toEqual([2, 2])
  await shop.manage('DELETE', `/stacking-rules/${id}`)
  expect(await versions()).toEqual([3, undefined])
})
