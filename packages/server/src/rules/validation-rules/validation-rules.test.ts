import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { catalogue, type EventType } from '../../core/events/catalogue.ts'
import { limits } from '../../core/lib/limits.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { expectStablePaging } from '../../testing/paging.ts'
import { contextTypes } from './context-types.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const amount = { name: 'order.amount', conditions: { $more_than: [700] } }
const count = { name: 'order.items.count', conditions: { $less_than: [9] } }
const tea = { id: 'prod_tea', object: 'product' }

const create = (shop: Shop, body: object) => shop.call('POST', '/v1/validation-rules', body)

/** A new rule as it is stored: the answer to its creation has only what was sent. */
async function newRule(shop: Shop, body: object = {}) {
  shop.service.clock.advance(1) // each gets a different time, and with it a place in the order
  const { status, body: rule } = await create(shop, body)
  expect({ status, rule }).toMatchObject({ status: 200 })
  return (await shop.call('GET', `/v1/validation-rules/${rule.id}`)).body
}

const refusal = (details: string) => ({
  status: 400,
  body: { key: 'invalid_validation_rules', message: 'Invalid Validation Rule Definition', details },
})

async function eventsOf(
  shop: Shop,
): Promise<Array<{ type: string; entity_id: string; data: Record<string, unknown> }>> {
  const rows = await shop.service.runtime.database.db
    .selectFrom('events')
    .where('project_id', '=', shop.project_id)
    .orderBy('id')
    .select(['type', 'entity_id', 'data', 'category', 'id'])
    .execute()
  for (const { type, data, category, id } of rows) {
    expect(Value.Check(catalogue[type as EventType].data, data), `${type}: ${JSON.stringify(data)}`).toBe(true)
    expect({ category, prefix: id.slice(0, 6) }).toEqual({ category: 'ACTION', prefix: 'evval_' })
  }
  return rows.map(({ type, entity_id, data }) => ({ type, entity_id, data: data as Record<string, unknown> }))
}

const versionOf = async (shop: Shop): Promise<number> => {
  const { config_version } = await shop.service.runtime.database.db
    .selectFrom('projects')
    .where('id', '=', shop.project_id as `proj_${string}`)
    .select('config_version')
    .executeTakeFirstOrThrow()
  return config_version
}

test('a rule can be created, read, updated and deleted; every change emits an event and increments the version', async () => {
  const shop = await newProject()
  const before = await versionOf(shop)
  const created = await newRule(shop)
  expect(created).toEqual({
    id: expect.stringMatching(/^val_[0-9A-Za-z]{12}$/),
    name: 'Business Validation Rule',
    rules: { logic: '' },
    applicable_to: { excluded: [], included: [], included_all: false },
    type: 'expression',
    context_type: 'global',
    created_at: instant,
    assignments_count: 0,
    object: 'validation_rules',
  })
  const path = `/v1/validation-rules/${created.id}`
  expect((await shop.call('GET', path)).body).toEqual(created)
  expect(await versionOf(shop)).toBe(before + 1)

  const updated = await shop.call('PUT', path, { name: 'Nothing special' })
  expect(updated).toMatchObject({ status: 200 })
  expect(updated.body).toEqual({ ...created, name: 'Nothing special', updated_at: instant })
  expect((await shop.call('GET', path)).body).toEqual(updated.body)
  expect(await versionOf(shop)).toBe(before + 2)

  expect(await shop.call('DELETE', path)).toMatchObject({ status: 204, body: null })
  for (const [method, body] of [['GET'], ['PUT', { name: 7 }], ['DELETE']] as const)
    expect(await shop.call(method, path, body)).toMatchObject({
      status: 404,
      body: {
        key: 'not_found',
        details: `Cannot find validation_rules with id ${created.id}`,
        resource_id: created.id,
        resource_type: 'validation_rules',
      },
    })

  expect(await eventsOf(shop)).toEqual([
    {
      type: 'business_validation_rule.created',
      entity_id: created.id,
      data: { rule: created, created_at: created.created_at },
    },
    {
      type: 'business_validation_rule.updated',
      entity_id: created.id,
      data: { rule: updated.body, updated_at: updated.body.updated_at },
    },
    {
      type: 'business_validation_rule.deleted',
      entity_id: created.id,
      data: { rule: updated.body, deleted_at: instant },
    },
  ])
  const marks = await shop.service.runtime.database.db
    .selectFrom('configuration_deletions')
    .where('project_id', '=', shop.project_id)
    .select(['config_version', 'object_type', 'object_id'])
    .execute()
  expect(marks).toEqual([{ config_version: before + 3, object_type: 'validation_rule', object_id: created.id }])
})

describe('the answer to a creation has what was sent', () => {
  const answerTo = async (shop: Shop, body: object) => {
    const { id: _, created_at: __, ...answer } = (await create(shop, body)).body
    return answer
  }
  const labels = { name: 'Rule', type: 'basic', context_type: 'global', object: 'validation_rules' }
  const sent = { name: 'Rule', type: 'basic' }

  test('nothing of rules, goods and assignments when none were sent', async () => {
    const shop = await newProject()
    expect(await answerTo(shop, sent)).toEqual({ ...labels, rules: {}, applicable_to: null })
    expect(await answerTo(shop, { ...sent, rules: { '1': amount } })).toEqual({
      ...labels,
      rules: { '1': { ...amount, rules: {} }, logic: '1' },
      applicable_to: null,
    })
  })

  test('only the list of goods that was sent, each with the names that were sent', async () => {
    const shop = await newProject()
    const { id } = (await shop.call('POST', '/v1/products', { source_id: 'tea' })).body
    const product = { object: 'product', strict: false, effect: 'APPLY_TO_EVERY' }
    const more = { target: 'ITEM', skip_initially: 0, repeat: 1 }
    const included = [
      { object: 'product', id },
      { object: 'product', source_id: 'tea' },
    ]
    expect(await answerTo(shop, { ...sent, applicable_to: { included } })).toEqual({
      ...labels,
      rules: {},
      applicable_to: {
        included: [
          { ...product, ...more, id },
          { ...product, ...more, id, source_id: 'tea' },
        ],
        included_all: false,
      },
    })
  })
})

describe('the stored form of rules', () => {
  test('E2 Missing logic: the keys are joined with "and", sub-rules are {}', async () => {
    const shop = await newProject()
    const { rules, id } = await newRule(shop, { rules: { '1': amount, '2': count } })
    expect(rules).toEqual({ '1': { ...amount, rules: {} }, '2': { ...count, rules: {} }, logic: '1 and 2' })
    expect((await shop.call('GET', `/v1/validation-rules/${id}`)).body.rules).toEqual(rules)
  })

  const forms: Array<[title: string, sent: unknown, stored: unknown]> = [
    ['one rule', { '1': amount }, { '1': { ...amount, rules: {} }, logic: '1' }],
    [
      'numeric keys come before others, in numeric order',
      { vip: amount, '10': amount, '9': amount, logic: null },
      { vip: expect.anything(), '10': expect.anything(), '9': expect.anything(), logic: '9 and 10 and vip' },
    ],
    ['blank logic counts as missing', { '1': amount, logic: ' \t' }, { '1': expect.anything(), logic: '1' }],
    [
      'logic stays as it was sent',
      { '1': amount, '2': count, logic: '  2  OR (1)' },
      { '1': expect.anything(), '2': expect.anything(), logic: '  2  OR (1)' },
    ],
    [
      'a rule that the logic does not use is kept',
      { '1': amount, '2': count, logic: '2' },
      { '1': { ...amount, rules: {} }, '2': { ...count, rules: {} }, logic: '2' },
    ],
    ['nothing', {}, { logic: '' }],
    ['null', null, { logic: '' }],
    ['logic of nothing', { logic: ' ' }, { logic: ' ' }],
    [
      'sub-rules get their logic too',
      {
        '1': {
          name: 'order.items.any',
          conditions: { $is: [tea] },
          rules: {
            '2': { name: 'order.items.price', conditions: { $is: [5] }, rules: null },
            '1': { name: 'order.items.quantity', conditions: { $is: [1] } },
          },
        },
      },
      {
        '1': {
          name: 'order.items.any',
          conditions: { $is: [tea] },
          rules: {
            '1': { name: 'order.items.quantity', conditions: { $is: [1] }, rules: {} },
            '2': { name: 'order.items.price', conditions: { $is: [5] }, rules: {} },
            logic: '1 and 2',
          },
        },
        logic: '1',
      },
    ],
    [
      'a single argument is wrapped in an array, also in sub-rules',
      {
        '1': { name: 'customer_segment', conditions: { $is: 'seg_a' } },
        '2': {
          name: 'product.id',
          conditions: { $in: 'prod_1' },
          rules: { '1': { name: 'sku.price', conditions: { $less_than: 5 } } },
        },
      },
      {
        '1': { name: 'customer_segment', conditions: { $is: ['seg_a'] }, rules: {} },
        '2': {
          name: 'product.id',
          conditions: { $in: ['prod_1'] },
          rules: { '1': { name: 'sku.price', conditions: { $less_than: [5] }, rules: {} }, logic: '1' },
        },
        logic: '1 and 2',
      },
    ],
    [
      'known members of a rule are kept, all others are ignored',
      {
        '1': {
          name: 'order.metadata',
          property: 'billing.country',
          conditions: { $is: ['PL'] },
          error: { message: 'Only here', color: 'red' },
          color: 'red',
        },
        '2': { name: 'order.amount', property: 7, error: null },
      },
      {
        '1': {
          name: 'order.metadata',
          property: 'billing.country',
          conditions: { $is: ['PL'] },
          rules: {},
          error: { message: 'Only here' },
        },
        '2': { name: 'order.amount', rules: {} },
        logic: '1 and 2',
      },
    ],
    [
      'references keep all their members',
      { '1': { name: 'order.items.any', conditions: { $is: [{ ...tea, type: 'product_or_sku', effect: 'x' }] } } },
      {
        '1': {
          name: 'order.items.any',
          conditions: { $is: [{ ...tea, type: 'product_or_sku', effect: 'x' }] },
          rules: {},
        },
        logic: '1',
      },
    ],
    [
      'keys that are names of built-in object members work like any other',
      { constructor: amount, toString: count },
      { constructor: expect.anything(), toString: expect.anything(), logic: 'constructor and toString' },
    ],
  ]
  test.each(forms)('%s', async (_, rules, stored) => {
    const shop = await newProject()
    const created = await newRule(shop, { rules })
    expect(created.rules).toEqual(stored)
    const path = `/v1/validation-rules/${created.id}`
    await shop.call('PUT', path, { rules: { '1': amount, logic: '1' } })
    expect((await shop.call('PUT', path, { rules })).body.rules).toEqual(stored)
    // A response can be sent again, and changes nothing.
    expect((await shop.call('PUT', path, { rules: created.rules })).body.rules).toEqual(stored)
  })
})

const cart = (id: string) => ({ name: 'order.items.any', conditions: { $is: [{ id, object: 'product' }] } })

const faults: Array<[body: object, details: string]> = [
  // E3 Definition errors
  [
    { rules: { '1': { name: 'order.metadata', conditions: { $is: ['a'] } } } },
    "Rule 'order.metadata' must have a 'property'",
  ],
  [{ rules: { '1': amount, '2': count, logic: '1 and 3' } }, "Property 'logic' names rule '3', which does not exist"],
  [{ rules: { '1': amount, logic: '1 and' } }, "Property 'logic' expects a rule or a parenthesis at position 5"],
  [{ rules: { '1': { name: 'order.weather' } } }, "Rule 'order.weather' is not a known rule"],
  [
    { rules: { '1': { ...amount, conditions: { $like: [1] } } } },
    "Rule 'order.amount' has an unknown operator '$like'",
  ],
  [
    { rules: { '1': { name: 'customer.segment', conditions: { $in: 'seg_a' } } } },
    "Rule 'customer.segment' must have an array of arguments for '$in'",
  ],
  [
    { rules: { '1': { ...amount, conditions: { $is: ['much'] } } } },
    "Rule 'order.amount' must have numbers as arguments for '$is'",
  ],
  [{ rules: { '1': { ...amount, conditions: { $is: [] } } } }, "Rule 'order.amount' must have an argument for '$is'"],
  [
    { rules: { '1': { ...cart('prod_1'), rules: { '1': amount } } } },
    "Rule 'order.amount' is not allowed under 'order.items.any'",
  ],
  [{ rules: { 'a b': amount } }, "Rule key 'a b' must be a word without parentheses, and neither 'and' nor 'or'"],
  [
    { rules: Object.fromEntries(Array.from({ length: 501 }, (_, key) => [key, amount])) },
    'Rules must not be more than 500',
  ],
  [{ rules: { '1': { ...cart('prod_1'), rules: deep(4) } } }, 'Rules must not be nested in more than 4 levels'],
  [
    { rules: { '1': { name: 'product.id', conditions: { $is: Array(1_001).fill('p') } } } },
    "Rule 'product.id' must not have more than 1000 arguments for '$is'",
  ],
  [
    { rules: { '1': { ...amount, error: { message: 'x'.repeat(limits.rule_bytes_max) } } } },
    'Property .rules must not be longer than 524288 bytes of JSON',
  ],
  [
    { bundle_rules: { '1': { ...cart('x'.repeat(limits.rule_bytes_max)) } } },
    'Property .bundle_rules must not be longer than 524288 bytes of JSON',
  ],
  [
    { applicable_to: { included: [{ object: 'product', id: 'x'.repeat(limits.rule_bytes_max) }] } },
    'Property .applicable_to must not be longer than 524288 bytes of JSON',
  ],
  [{ bundle_rules: { '1': amount } }, "Bundle rule '1' must be 'order.items.any'"],
  [{ bundle_rules: { '1': cart('prod_1'), limit: 101 } }, "Bundle rules must have a 'limit' from 1 to 100"],
  [
    { context_type: 'campaign.gift_vouchers.discount.apply_to_order' },
    `Property .context_type must be equal to one of the allowed values [ ${contextTypes.join(', ')} ]`,
  ],
]

function deep(levels: number): object {
  const rule = { name: 'order.items.quantity', conditions: { $is: [1] } }
  return { '1': levels === 1 ? rule : { ...rule, rules: deep(levels - 1) } }
}

test.each(faults.map(([body, details]) => [details, body] as const))(
  'creation and update refuse an invalid definition: %s',
  async (details, body) => {
    const shop = await newProject()
    const kept = await newRule(shop, { rules: { '1': amount } })
    expect(await create(shop, body)).toMatchObject(refusal(details))
    expect(await shop.call('PUT', `/v1/validation-rules/${kept.id}`, body)).toMatchObject(refusal(details))
    expect((await shop.call('GET', '/v1/validation-rules')).body.data).toEqual([kept])
    expect(await eventsOf(shop)).toHaveLength(1)
  },
)

test('a property that a metadata schema defines as a geopoint cannot be compared', async () => {
  const shop = await newProject()
  const about = (name: string, property: string) => ({
    rules: { '1': { name, property, conditions: { $is: ['geo:1,2'] } } },
  })
  await newRule(shop, about('customer.metadata', 'home')) // no schema defines `home` yet
  for (const [relatedObject, property] of [
    ['customer', 'home'],
    ['product', 'spot'],
  ] as const)
    expect(
      await shop.call('POST', '/v1/metadata-schemas', {
        related_object: relatedObject,
        allow_defined_only: false,
        properties: { [property]: { type: 'geopoint', array: false, optional: true } },
      }),
    ).toMatchObject({ status: 200 })
  for (const [name, property] of [
    ['customer.metadata', 'home'],
    ['product.metadata', 'spot'],
    ['order.items.metadata_any', 'spot'],
  ] as const)
    expect(await create(shop, about(name, property))).toMatchObject(
      refusal(`Rule '${name}' must not have a geopoint as 'property'`),
    )
  await newRule(shop, about('customer.metadata', 'spot'))
  await newRule(shop, about('order.metadata', 'home'))
})

test('values at the bounds are accepted: four levels, 500 rules, a thousand arguments', async () => {
  const shop = await newProject()
  await newRule(shop, { rules: { '1': { ...cart('prod_1'), rules: deep(3) } } })
  await newRule(shop, { rules: Object.fromEntries(Array.from({ length: 500 }, (_, key) => [key, amount])) })
  await newRule(shop, { rules: { '1': { name: 'product.id', conditions: { $is: Array(1_000).fill('p') } } } })
  const entry = { object: 'product', id: 'p' }
  await newRule(shop, { applicable_to: { included: Array(1_000).fill(entry), excluded: Array(1_000).fill(entry) } })
})

const badBodies: Array<[body: unknown, details: string]> = [
  [[], 'Payload must be object'],
  [{ name: 7 }, 'Property .name must be string,null'],
  [{ name: '' }, 'Property .name must NOT have fewer than 1 characters'],
  [{ name: 'n'.repeat(256) }, 'Property .name must NOT have more than 255 characters'],
  [{ rules: [] }, 'Property .rules must be object,null'],
  [{ bundle_rules: 1 }, 'Property .bundle_rules must be object,null'],
  [{ error: 'no' }, 'Property .error must be object,null'],
  [{ error: { message: 7 } }, 'Property .error.message must be string,null'],
  [
    { type: 'simple' },
    'Property .type must be equal to one of the allowed values [ expression, basic, advanced, complex ]',
  ],
  [{ context_type: 7 }, 'Property .context_type must be string,null'],
  [{ applicable_to: [] }, 'Property .applicable_to must be object,null'],
  [{ applicable_to: { included: {} } }, 'Property .applicable_to.included must be array,null'],
  [
    { applicable_to: { included: [{ id: 'a' }] } },
    "Property .applicable_to.included[0] should have required property 'object'",
  ],
  [
    { applicable_to: { excluded: [{ object: 'product' }] } },
    "Property .applicable_to.excluded[0] should have required property 'id'",
  ],
  [
    { applicable_to: { included: [{ object: 'sku', id: null, source_id: null }] } },
    "Property .applicable_to.included[0] should have required property 'id'",
  ],
  [
    { applicable_to: { included: [{ object: 'products_collection', source_id: 'a' }] } },
    "Property .applicable_to.included[0] should have required property 'id'",
  ],
  [
    { applicable_to: { included: [{ object: 'voucher', id: 'a' }] } },
    'Property .applicable_to.included[0].object must be equal to one of the allowed values [ product, sku, products_collection ]',
  ],
  [
    { applicable_to: { included: [{ object: 'product', id: 'a', repeat: 0 }] } },
    'Property .applicable_to.included[0].repeat must be >= 1',
  ],
  [
    {
      applicable_to: {
        included: [
          { object: 'product', id: 'a' },
          { object: 'product', id: 'a', price_formula: '1 +' },
        ],
      },
    },
    'Property .applicable_to.included[1].price_formula is not a formula: the formula ends too early at position 3',
  ],
  [
    {
      applicable_to: {
        excluded: [{ object: 'product', id: 'a', product_customer_campaign_quantity_limit_formula: ')' }],
      },
    },
    'Property .applicable_to.excluded[0].product_customer_campaign_quantity_limit_formula is not a formula: ',
  ],
  [
    { applicable_to: { included: Array(1_001).fill({ object: 'product', id: 'a' }) } },
    'Property .applicable_to.included must NOT have more than 1000 items',
  ],
]

test.each(badBodies.map(([body, details]) => [details, body] as const))(
  'creation and update refuse a malformed body: %s',
  async (details, body) => {
    const shop = await newProject()
    const kept = await newRule(shop)
    const refused = {
      status: 400,
      body: { key: 'invalid_payload', message: 'Invalid payload', details: expect.stringContaining(details) },
    }
    expect(await create(shop, body as object)).toMatchObject(refused)
    expect(await shop.call('PUT', `/v1/validation-rules/${kept.id}`, body)).toMatchObject(refused)
    expect((await shop.call('GET', '/v1/validation-rules')).body.data).toEqual([kept])
  },
)

describe('PUT /v1/validation-rules/{validationRuleId}', () => {
  const full = {
    name: 'Tea',
    rules: { '1': amount, '2': count, logic: '1 or 2' },
    bundle_rules: { '1': cart('prod_1'), limit: 3 },
    error: { message: 'No tea' },
    applicable_to: { included: [{ object: 'product', id: 'prod_1' }], included_all: true },
    type: 'advanced',
    context_type: 'campaign.promotion',
  }

  const changes: Array<[sent: Record<string, unknown>, stored: Record<string, unknown>]> = [
    [{}, {}],
    [{ name: 'Coffee' }, { name: 'Coffee' }],
    [{ name: null }, { name: 'Business Validation Rule' }],
    [{ rules: { '7': amount } }, { rules: { '7': { ...amount, rules: {} }, logic: '7' } }],
    [{ rules: null }, { rules: { logic: '' } }],
    [{ bundle_rules: null }, { bundle_rules: {} }],
    [{ bundle_rules: {} }, { bundle_rules: {} }],
    [
      { bundle_rules: { '2': cart('prod_2') } },
      { bundle_rules: { '2': { ...cart('prod_2'), rules: {} }, limit: 1, logic: '2' } },
    ],
    [{ error: null }, { error: undefined }],
    [{ error: {} }, { error: undefined }],
    [{ error: { message: null } }, { error: undefined }],
    [{ error: { message: 'Sorry', code: 7 } }, { error: { message: 'Sorry' } }],
    [{ applicable_to: null }, { applicable_to: { included: [], excluded: [], included_all: false } }],
    [{ applicable_to: { excluded: null } }, { applicable_to: { included: [], excluded: [], included_all: false } }],
    [{ type: 'basic' }, { type: 'basic' }],
    [{ type: null }, { type: 'expression' }],
    [{ context_type: 'voucher.loyalty_card' }, { context_type: 'voucher.loyalty_card' }],
    [{ context_type: null }, { context_type: 'global' }],
    [{ id: 'val_mine', assignments_count: 5, object: 'x', color: 'red' }, {}],
  ]
  test.each(changes)('%j replaces that property and nothing else', async (sent, stored) => {
    const shop = await newProject()
    const created = await newRule(shop, full)
    const updated = await shop.call('PUT', `/v1/validation-rules/${created.id}`, sent)
    const { warnings: _, ...rule } = updated.body
    expect(updated.status).toBe(200)
    expect(rule).toEqual({ ...created, ...stored, updated_at: instant })
    expect(Object.keys(rule)).not.toContain('color')
    expect((await shop.call('GET', `/v1/validation-rules/${created.id}`)).body).toEqual(rule)
  })

  test('two concurrent updates keep the changes of both', async () => {
    const shop = await newProject()
    const { id } = await newRule(shop)
    const path = `/v1/validation-rules/${id}`
    await Promise.all([
      shop.call('PUT', path, { name: 'Tea' }),
      shop.call('PUT', path, { error: { message: 'No' } }),
      shop.call('PUT', path, { type: 'complex' }),
    ])
    expect((await shop.call('GET', path)).body).toMatchObject({
      name: 'Tea',
      error: { message: 'No' },
      type: 'complex',
    })
  })
})

describe('bundle_rules', () => {
  test('are omitted until they are set, and {} once they are removed', async () => {
    const shop = await newProject()
    for (const body of [{}, { bundle_rules: null }]) {
      const rule = await newRule(shop, body)
      expect('bundle_rules' in rule).toBe(false)
      const removed = await shop.call('PUT', `/v1/validation-rules/${rule.id}`, { bundle_rules: null })
      expect(removed.body.bundle_rules).toEqual({})
    }
  })

  test('are stored with their limit, their logic and their sub-rules', async () => {
    const shop = await newProject()
    const quantity = { name: 'order.items.aggregated_quantity', conditions: { $is: 2 } }
    const { bundle_rules } = await newRule(shop, {
      bundle_rules: { '1': cart('prod_1'), '2': { ...cart('prod_2'), rules: { '1': quantity } }, color: undefined },
    })
    expect(bundle_rules).toEqual({
      limit: 1,
      logic: '1 and 2',
      '1': { ...cart('prod_1'), rules: {} },
      '2': {
        ...cart('prod_2'),
        rules: { '1': { ...quantity, conditions: { $is: [2] }, rules: {} }, logic: '1' },
      },
    })
    const sent = { limit: null, logic: ' 2 AND 1', '1': cart('prod_1'), '2': cart('prod_2') }
    expect((await newRule(shop, { bundle_rules: sent })).bundle_rules).toMatchObject({ limit: null, logic: ' 2 AND 1' })
  })
})

describe('context_type', () => {
  test('has the 55 values of docs/reference/rules.md#context-types', () => {
    expect(new Set(contextTypes).size).toBe(contextTypes.length)
    expect(contextTypes).toHaveLength(4 + 8 + 5 + 4 * (1 + 7) + 2 * (1 + 2))
  })

  test.each([
    'reward_assignment.pay_with_points',
    'earning_rule.customer.tier.prolonged',
    'distribution.order.canceled',
    'voucher.discount_voucher',
    'campaign.referral_program.discount.percent.apply_to_items',
    'campaign.gift_vouchers.gift.apply_to_items',
  ])('%s is stored as sent', async (contextType) => {
    expect(await newRule(await newProject(), { context_type: contextType })).toMatchObject({
      context_type: contextType,
    })
  })
})

describe('applicable_to', () => {
  const manner = { effect: 'APPLY_TO_EVERY', target: 'ITEM', repeat: 1, skip_initially: 0, strict: false }

  async function catalogueOf(shop: Shop) {
    const { db } = shop.service.runtime.database
    const more = { project_id: shop.project_id, attributes: '[]', metadata: '{}', created_at: new Date().toISOString() }
    const products = [
      { id: 'prod_tea', source_id: 'tea' },
      { id: 'prod_cup', source_id: null },
      { id: 'prod_gone', source_id: 'gone', deleted_at: more.created_at },
    ] as const
    const skus = [
      { id: 'sku_green', source_id: 'tea', product_id: 'prod_tea' },
      { id: 'sku_cup', source_id: 'cup', product_id: 'prod_cup' },
    ] as const
    await db
      .insertInto('products')
      .values(products.map((product) => ({ ...more, ...product })))
      .execute()
    await db
      .insertInto('skus')
      .values(skus.map((sku) => ({ ...more, attributes: '{}', ...sku })))
      .execute()
  }

  const tea = { object: 'product', id: 'prod_tea', source_id: 'tea' }
  const green = { object: 'sku', id: 'sku_green', source_id: 'tea', product_id: 'prod_tea', product_source_id: 'tea' }

  const entries: Array<[sent: object, stored: object]> = [
    [{ object: 'product', id: 'prod_tea' }, tea],
    [{ object: 'product', id: 'tea' }, tea],
    [{ object: 'product', source_id: 'tea' }, tea],
    [{ object: 'product', source_id: 'prod_tea' }, tea],
    [{ object: 'product', id: 'prod_tea', source_id: 'wrong', product_id: 'prod_x', product_source_id: 'x' }, tea],
    [{ object: 'product', id: 'wrong', source_id: 'tea' }, tea],
    [
      { object: 'product', id: 'prod_cup' },
      { object: 'product', id: 'prod_cup', source_id: null },
    ],
    [{ object: 'sku', id: 'sku_green' }, green],
    [{ object: 'sku', id: 'tea', product_id: 'prod_x', product_source_id: 'x' }, green],
    [
      { object: 'sku', source_id: 'cup' },
      { object: 'sku', id: 'sku_cup', source_id: 'cup', product_id: 'prod_cup', product_source_id: null },
    ],
    [
      { object: 'products_collection', id: 'pc_1', source_id: 'tea' },
      { object: 'products_collection', id: 'pc_1', source_id: null },
    ],
    // Entries unknown to the catalogue keep their ids.
    [
      { object: 'product', id: 'gone' },
      { object: 'product', id: 'gone', source_id: null },
    ],
    [
      { object: 'product', source_id: 'cup' },
      { object: 'product', id: 'cup', source_id: 'cup' },
    ],
    [
      { object: 'sku', id: 'sku_x', product_id: 'prod_x', product_source_id: 'x' },
      { object: 'sku', id: 'sku_x', source_id: null, product_id: 'prod_x', product_source_id: 'x' },
    ],
    [
      { object: 'sku', id: 'prod_tea' },
      { object: 'sku', id: 'prod_tea', source_id: null },
    ],
  ]
  test.each(entries)('%j is stored as %j', async (sent, stored) => {
    const shop = await newProject()
    await catalogueOf(shop)
    const { applicable_to } = await newRule(shop, { applicable_to: { included: [sent], excluded: [sent] } })
    const entry = { ...manner, ...stored }
    expect(applicable_to).toEqual({ included: [entry], excluded: [entry], included_all: false })
  })

  test('all members of an entry are stored, null counts as omitted, unknown members are ignored', async () => {
    const shop = await newProject()
    const said = {
      effect: 'APPLY_FROM_MOST_EXPENSIVE',
      target: 'UNIT',
      repeat: 2,
      skip_initially: 1,
      strict: true,
      price: 12.5,
      price_formula: 'ORDER_AMOUNT / 2',
      quantity_limit: 1,
      aggregated_quantity_limit: 2,
      amount_limit: 0,
      aggregated_amount_limit: 300,
      product_campaign_quantity_limit: 4,
      product_customer_campaign_quantity_limit: 5,
      product_in_collection_campaign_quantity_limit: 6,
      product_in_collection_customer_campaign_quantity_limit: 7,
      product_promotion_tier_quantity_limit: 8,
      product_customer_promotion_tier_quantity_limit: 9,
      product_in_collection_promotion_tier_quantity_limit: 10,
      product_in_collection_customer_promotion_tier_quantity_limit: 11,
      product_campaign_quantity_limit_formula: '4',
      product_customer_campaign_quantity_limit_formula: '5',
      product_in_collection_campaign_quantity_limit_formula: '6',
      product_in_collection_customer_campaign_quantity_limit_formula: '7',
      product_promotion_tier_quantity_limit_formula: '8',
      product_customer_promotion_tier_quantity_limit_formula: '9',
      product_in_collection_promotion_tier_quantity_limit_formula: '10',
      product_in_collection_customer_promotion_tier_quantity_limit_formula: '11',
    }
    const collection = { object: 'products_collection', id: 'pc_1' }
    const nothing = { ...Object.fromEntries(Object.keys(said).map((field) => [field, null])), order_item_indices: [1] }
    const rule = await newRule(shop, {
      applicable_to: {
        included: [
          { ...collection, ...said },
          { ...collection, ...nothing },
        ],
        included_all: true,
        excluded_all: true,
      },
    })
    expect(rule.applicable_to).toEqual({
      included: [
        { ...collection, source_id: null, ...said },
        { ...collection, source_id: null, ...manner },
      ],
      excluded: [],
      included_all: true,
    })
    const row = await shop.service.runtime.database.db
      .selectFrom('validation_rules')
      .where('project_id', '=', shop.project_id)
      .select('applicable_to')
      .executeTakeFirstOrThrow()
    expect(row.applicable_to).toEqual(rule.applicable_to)
  })
})

describe('GET /v1/validation-rules', () => {
  test('lists newest first by default', async () => {
    const shop = await newProject()
    const rules = []
    for (const name of ['B', 'C', 'A']) rules.push(await newRule(shop, { name }))
    const listed = async (query: string) => {
      const { status, body } = await shop.call('GET', `/v1/validation-rules${query}`)
      expect({ status, total: body.total }).toEqual({ status: 200, total: 3 })
      return body.data.map(({ name }: { name: string }) => name)
    }
    expect(await listed('?order=created_at')).toEqual(['B', 'C', 'A'])
    expect(await listed('')).toEqual(['A', 'C', 'B'])
    expect(await listed('?order=name')).toEqual(['A', 'B', 'C'])
    expect(await listed('?order=-name&limit=2')).toEqual(['C', 'B'])
    expect(await listed('?order=-name&limit=2&page=2')).toEqual(['A'])
    await shop.call('PUT', `/v1/validation-rules/${rules[1]?.id}`, {})
    expect((await listed('?order=updated_at'))[0]).toBe('C')
    expect((await listed('?order=-updated_at'))[0]).toBe('C')
    const { body } = await shop.call('GET', '/v1/validation-rules?order=name&limit=1')
    expect(body).toEqual({ object: 'list', data_ref: 'data', data: [rules[2]], total: 3 })
  })

  test('start_date and end_date bound the creation, both inclusive', async () => {
    const shop = await newProject()
    for (const [name, at] of [
      ['old', '2026-01-01T00:00:00.000Z'],
      ['mid', '2026-01-02T00:00:00.000Z'],
      ['new', '2026-01-02T00:00:00.001Z'],
    ] as const) {
      await newRule(shop, { name })
      const row = shop.service.runtime.database.db.updateTable('validation_rules').set({ created_at: at })
      await row.where('project_id', '=', shop.project_id).where('name', '=', name).execute()
    }
    const listed = async (query: string) =>
      (await shop.call('GET', `/v1/validation-rules?order=name&${query}`)).body.data.map(
        ({ name }: { name: string }) => name,
      )
    expect(await listed('start_date=2026-01-02')).toEqual(['mid', 'new'])
    expect(await listed('end_date=2026-01-02')).toEqual(['mid', 'old'])
    expect(await listed('start_date=2026-01-01T00:00:00.001Z&end_date=2026-01-02T00:00:00Z')).toEqual(['mid'])
  })

  test.each([
    ['order=type', 'Property .order must be equal to one of the allowed values'],
    ['limit=0', 'Property .limit must be >= 1'],
    ['page=101', 'Property .page must be <= 100'],
    ['start_date=soon', 'Property .start_date cannot be recognized as a ISO-8601 compliant date'],
    ['starting_after_id=val_unknown', 'Property .starting_after_id must be the id of an object in this list'],
  ])('%s is refused', async (query, details) => {
    const shop = await newProject()
    expect(await shop.call('GET', `/v1/validation-rules?${query}`)).toMatchObject({
      status: 400,
      body: { key: 'invalid_query_params', details: expect.stringContaining(details) },
    })
  })

  test('pages by cursor stay stable while rules are added, in all six orders', async () => {
    const shop = await newProject()
    await expectStablePaging({
      shop,
      path: '/v1/validation-rules',
      orders: ['created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name'],
      data_ref: 'data',
      create: async (n) => {
        const { id } = await newRule(shop, { name: `Rule ${(n * 7) % 10}` })
        if (n % 3 === 0) await shop.call('PUT', `/v1/validation-rules/${id}`, {})
        return id
      },
    })
  })
})
