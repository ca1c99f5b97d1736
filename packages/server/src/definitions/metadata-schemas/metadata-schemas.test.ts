import { describe, expect, test } from 'vitest'
import type { Ctx } from '../../core/context.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { loadMetadataRules, metadataKeys, metadataTypes } from './rules.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const string = { type: 'string', array: false, optional: true }
const number = { type: 'number', array: false, optional: true }

/** The management and the `/v1` operations on the same schemas: how to call them, and the list field of their responses. */
const families = (shop: Shop) =>
  [
    [(method: string, path = '', body?: unknown) => shop.manage(method, `/metadata-schemas${path}`, body), 'data'],
    [(method: string, path = '', body?: unknown) => shop.call(method, `/v1/metadata-schemas${path}`, body), 'schemas'],
  ] as const

async function newSchema(shop: Shop, relatedObject: string, properties: object, more: object = {}): Promise<string> {
  const { status, body } = await shop.manage('POST', '/metadata-schemas', {
    related_object: relatedObject,
    properties,
    ...more,
  })
  expect([status, body.details]).toEqual([200, undefined])
  return body.id
}

/** A minimal request context for the rules. */
const ctxOf = ({ service, project_id }: Shop) => ({ db: service.runtime.database.db, project_id }) as unknown as Ctx

test('a schema can be created, read, updated and deleted, in snake_case in the management API and in camelCase under /v1', async () => {
  const shop = await newProject()
  const created = await shop.manage('POST', '/metadata-schemas', {
    related_object: 'customer',
    allow_defined_only: true,
    properties: {
      zip: { ...string, min_length: 5, max_length: 6, exact_length: 5, eq: ['00-01'], unknown: 'ignored' },
      age: { ...number, ne: [0], lt: 100.5, lte: 99, gt: -1, gte: 0, object_type: null },
      home: { type: 'object', array: true, optional: false, object_type: 'address', deleted: false },
    },
  })
  const shared = {
    id: expect.stringMatching(/^ms_[0-9A-Za-z]{24}$/),
    related_object: 'customer',
    allow_defined_only: true,
    created_at: instant,
    updated_at: null,
    object: 'metadata_schema',
  }
  const age = { ...number, ne: [0], lt: 100.5, lte: 99, gt: -1, gte: 0 }
  const home = { type: 'object', array: true, optional: false, deleted: false }
  const managed = {
    ...shared,
    properties: {
      zip: { ...string, object_type: null, min_length: 5, max_length: 6, exact_length: 5, eq: ['00-01'] },
      age: { ...age, object_type: null },
      home: { ...home, object_type: 'address' },
    },
  }
  const shown = {
    ...shared,
    properties: {
      zip: { ...string, objectType: null, minLength: 5, maxLength: 6, exactLength: 5, eq: ['00-01'] },
      age: { ...age, objectType: null },
      home: { ...home, objectType: 'address' },
    },
  }
  expect(created).toMatchObject({ status: 200, body: managed })
  expect(created.body).toEqual({ ...managed, warnings: [expect.stringContaining('.unknown')] })
  expect(Object.keys(created.body.properties)).toEqual(['zip', 'age', 'home']) // in the order they were sent
  const { id } = created.body

  expect((await shop.manage('GET', `/metadata-schemas/${id}`)).body).toEqual(managed)
  expect((await shop.manage('GET', '/metadata-schemas')).body).toEqual({
    object: 'list',
    data_ref: 'data',
    data: [managed],
    total: 1,
  })
  for (const resource of [id, 'customer'])
    expect((await shop.call('GET', `/v1/metadata-schemas/${resource}`)).body).toEqual(shown)
  expect((await shop.call('GET', '/v1/metadata-schemas')).body).toEqual({
    object: 'list',
    data_ref: 'schemas',
    schemas: [shown],
    total: 1,
  })

  expect(await shop.manage('DELETE', `/metadata-schemas/${id}`)).toMatchObject({ status: 204, body: null })
  for (const call of [
    await shop.manage('GET', `/metadata-schemas/${id}`),
    await shop.manage('PUT', `/metadata-schemas/${id}`, {}),
    await shop.manage('DELETE', `/metadata-schemas/${id}`),
    await shop.call('GET', `/v1/metadata-schemas/${id}`),
    await shop.call('PUT', `/v1/metadata-schemas/${id}`, {}),
    await shop.call('DELETE', `/v1/metadata-schemas/${id}`),
  ])
    expect(call).toMatchObject({
      status: 404,
      body: {
        key: 'not_found',
        details: `Cannot find metadata schema with id ${id}`,
        resource_id: id,
        resource_type: 'metadata schema',
      },
    })
  expect(await shop.call('GET', '/v1/metadata-schemas/customer')).toMatchObject({
    status: 404,
    body: { resource_id: 'customer' },
  })
})

test('/v1 has the same writes, accepts both spellings and finds a schema by its object', async () => {
  const shop = await newProject()
  const created = await shop.call('POST', '/v1/metadata-schemas', {
    related_object: 'voucher',
    properties: {
      a: { ...string, minLength: 2, max_length: 5 },
      b: { type: 'object', array: false, optional: true, objectType: 'address' },
    },
  })
  expect(created.body.properties).toEqual({
    a: { ...string, objectType: null, minLength: 2, maxLength: 5 },
    b: { type: 'object', array: false, optional: true, objectType: 'address' },
  })
  expect(created.body.allow_defined_only).toBeNull()
  const changed = await shop.call('PUT', '/v1/metadata-schemas/voucher', {
    allow_defined_only: true,
    properties: { a: { ...string, exactLength: 3 } },
  })
  expect(changed.body).toMatchObject({ id: created.body.id, allow_defined_only: true, updated_at: instant })
  expect(changed.body.properties.a).toEqual({ ...string, objectType: null, exactLength: 3 })
  expect((await shop.manage('GET', `/metadata-schemas/${created.body.id}`)).body.properties.a).toEqual({
    ...string,
    object_type: null,
    exact_length: 3,
  })
  expect(await shop.call('DELETE', '/v1/metadata-schemas/voucher')).toMatchObject({ status: 204 })
  expect((await shop.call('GET', '/v1/metadata-schemas')).body.total).toBe(0)
})

test('the management API ignores camelCase and finds a schema by its id only', async () => {
  const shop = await newProject()
  await newSchema(shop, 'voucher', { a: { ...string, minLength: 2 } })
  const [only] = (await shop.manage('GET', '/metadata-schemas')).body.data
  expect(only.properties.a).toEqual({ ...string, object_type: null })
  expect(await shop.manage('GET', '/metadata-schemas/voucher')).toMatchObject({ status: 404 })
})

test('lists are sorted oldest first', async () => {
  const shop = await newProject()
  for (const name of ['order', 'campaign', 'address', 'customer']) {
    await newSchema(shop, name, {})
    shop.service.clock.advance(5)
  }
  for (const [call, dataRef] of families(shop)) {
    const { body } = await call('GET')
    expect(body[dataRef].map((schema: { related_object: string }) => schema.related_object)).toEqual([
      'order',
      'campaign',
      'address',
      'customer',
    ])
    expect(body.total).toBe(4)
  }
})

test('there is one schema per object', async () => {
  const shop = await newProject()
  await newSchema(shop, 'customer', {})
  for (const [call] of families(shop))
    expect(await call('POST', '', { related_object: 'customer', properties: { a: string } })).toMatchObject({
      status: 409,
      body: {
        key: 'duplicate_found',
        details: 'Duplicated metadata schema exists with related_object customer',
        resource_id: 'customer',
        resource_type: 'metadata schema',
      },
    })
  expect((await shop.call('GET', '/v1/metadata-schemas/customer')).body.properties).toEqual({})
  await newSchema(shop, 'Customer', {}) // another name, and a nested schema
})

test('schemas of another project cannot be read or changed', async () => {
  const [shop, unknownProject] = [await newProject(), await newProject()]
  const id = await newSchema(shop, 'customer', { a: string })
  await newSchema(unknownProject, 'customer', {})
  for (const [call] of families(unknownProject))
    for (const [method, body] of [['GET'], ['PUT', { properties: { b: string } }], ['DELETE']] as const)
      expect(await call(method, `/${id}`, body)).toMatchObject({ status: 404 })
  expect(await metadataKeys(ctxOf(unknownProject), 'customer')).toEqual([])
  expect(await metadataKeys(ctxOf(shop), 'customer')).toEqual(['a'])
})

describe('an update', () => {
  test('keeps definitions that are not sent and replaces sent ones', async () => {
    const shop = await newProject()
    const id = await newSchema(shop, 'order', {
      b: { ...string, optional: false, min_length: 3, eq: ['xyz'] },
      a: number,
    })
    const put = (properties: object, more: object = {}) =>
      shop.manage('PUT', `/metadata-schemas/${id}`, { properties, ...more })

    const first = await put({ c: { type: 'date', array: true, optional: true }, b: { type: 'string' } })
    expect(first.status).toBe(200)
    expect(Object.entries(first.body.properties)).toEqual([
      ['b', { ...string, object_type: null }],
      ['a', { ...number, object_type: null }],
      ['c', { type: 'date', array: true, optional: true, object_type: null }],
    ])
    expect(first.body.updated_at).toEqual(instant)

    expect((await put({ a: { ...number, deleted: true } })).body.properties.a).toMatchObject({ deleted: true })
    expect(await metadataTypes(ctxOf(shop), 'order')).toEqual({ b: 'string', c: 'date' })
    expect((await put({ a: { ...number, deleted: false } })).body.properties.a).toMatchObject({ deleted: false })
    expect(await metadataTypes(ctxOf(shop), 'order')).toEqual({ b: 'string', a: 'number', c: 'date' })

    expect((await put({}, { allow_defined_only: true })).body.allow_defined_only).toBe(true)
    expect((await put({})).body.allow_defined_only).toBe(true)
    expect((await put({}, { allow_defined_only: false })).body.allow_defined_only).toBe(false)
    expect((await put({}, { related_object: 'customer' })).body.related_object).toBe('order')
  })

  test('the type must be sent and cannot change', async () => {
    const shop = await newProject()
    const id = await newSchema(shop, 'order', { a: number })
    const put = (properties: unknown) => shop.manage('PUT', `/metadata-schemas/${id}`, { properties })
    const refusal = (details: string) => ({ status: 400, body: { key: 'invalid_payload', details } })
    expect(await put({ b: string, a: string })).toMatchObject(refusal('Property .properties.a.type cannot be changed'))
    expect(await put({ a: { deleted: true } })).toMatchObject(
      refusal(`Property .properties.a must have required property 'type'`),
    )
    expect(await put(undefined)).toMatchObject(refusal(`Payload must have required property 'properties'`))
    expect(Object.keys((await shop.manage('GET', `/metadata-schemas/${id}`)).body.properties)).toEqual(['a'])
  })

  test('a schema has at most 100 definitions, including deleted ones', async () => {
    const shop = await newProject()
    const many = (count: number, from = 0) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n + from}`, { ...string, deleted: n % 2 === 0 }]))
    const details = 'Property .properties must NOT have more than 100 definitions'
    expect(
      await shop.manage('POST', '/metadata-schemas', { related_object: 'order', properties: many(101) }),
    ).toMatchObject({ status: 400, body: { key: 'invalid_payload', details } })
    const id = await newSchema(shop, 'order', many(100))
    const put = (properties: object) => shop.manage('PUT', `/metadata-schemas/${id}`, { properties })
    expect(await put(many(1, 100))).toMatchObject({ status: 400, body: { key: 'invalid_payload', details } })
    expect(await put(many(100))).toMatchObject({ status: 200 })
  })
})

describe('refused requests', () => {
  test.each<[body: object, details: string]>([
    [{ properties: {} }, `Payload must have required property 'related_object'`],
    [{ related_object: 'order' }, `Payload must have required property 'properties'`],
    [{ related_object: '', properties: {} }, 'Property .related_object must NOT have fewer than 1 characters'],
    [
      { related_object: 'unknown', properties: {} },
      'Property .related_object must NOT be unknown, which stands for any object',
    ],
    [{ related_object: 'order', properties: [] }, 'Property .properties must be object'],
    [{ related_object: 'order', properties: { a: 'string' } }, 'Property .properties.a must be object'],
    [
      { related_object: 'order', properties: { a: { type: 'string', optional: true } } },
      `Property .properties.a must have required property 'array'`,
    ],
    [
      { related_object: 'order', properties: { a: { type: 'string', array: true } } },
      `Property .properties.a must have required property 'optional'`,
    ],
    [
      { related_object: 'order', properties: { a: { ...string, type: 'text' } } },
      'Property .properties.a.type must be equal to one of the allowed values [ string, number, boolean, date, datetime, geopoint, image_url, object ]',
    ],
    [
      { related_object: 'order', properties: { a: { ...string, min_length: -1 } } },
      'Property .properties.a.min_length must be >= 0',
    ],
    [
      { related_object: 'order', properties: { a: { ...string, max_length: 1.5 } } },
      'Property .properties.a.max_length must be integer,null',
    ],
    [
      { related_object: 'order', properties: { Size: { ...number, eq: ['L'] } } },
      'Property .properties.Size.eq[0] must be number',
    ],
    [
      { related_object: 'order', properties: { a: { ...number, eq: [true] } } },
      'Property .properties.a.eq[0] must be string,number',
    ],
    [
      { related_object: 'order', properties: { a: { type: 'geopoint', array: false, optional: true } } },
      'Property .properties.a.type can be geopoint only for customer and product',
    ],
    [
      { related_object: 'address', properties: { a: { type: 'object', array: false, optional: true } } },
      `Property .properties.a.type cannot be object in a nested schema, which 'address' is`,
    ],
  ])('%j', async (body, details) => {
    const shop = await newProject()
    expect(await shop.manage('POST', '/metadata-schemas', body)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details },
    })
    expect(await shop.call('POST', '/v1/metadata-schemas', body)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: details.replace('must have required', 'should have required') },
    })
  })

  test('an unknown project answers 404', async () => {
    const shop = await newProject()
    const unknownProject = { ...shop, project_id: 'proj_unknown' }
    const answer = await shop.service.app.inject({
      method: 'GET',
      url: `/management/v1/projects/${unknownProject.project_id}/metadata-schemas`,
      headers: shop.management,
    })
    expect(answer.json()).toMatchObject({ code: 404, resource_type: 'project' })
  })
})

test('every write increments the configuration version, and a deletion is recorded', async () => {
  const shop = await newProject()
  const { db } = shop.service.runtime.database
  const version = async () =>
    (
      await db
        .selectFrom('projects')
        .where('id', '=', shop.project_id as never)
        .select('config_version')
        .executeTakeFirstOrThrow()
    ).config_version
  const before = await version()
  const id = await newSchema(shop, 'order', {})
  await shop.manage('PUT', `/metadata-schemas/${id}`, { properties: { a: string } })
  expect(await version()).toBe(before + 2)
  await shop.manage('DELETE', `/metadata-schemas/${id}`)
  const deletions = await db
    .selectFrom('configuration_deletions')
    .where('project_id', '=', shop.project_id)
    .selectAll()
    .execute()
  expect(deletions).toMatchObject([{ object_type: 'metadata_schema', object_id: id, config_version: before + 3 }])
})

test('E23: the schema is enforced for customers', async () => {
  const shop = await newProject()
  const id = await newSchema(shop, 'customer', {
    lang: { ...string, optional: false, eq: ['en', 'pl'] },
    stores: { ...string, array: true, eq: ['S1', 'S2'] },
  })
  const create = (metadata: object) => shop.call('POST', '/v1/customers', { metadata })
  const refusal = (details: string) => ({ status: 400, body: { key: 'metadata_validation_failed', details } })
  expect(await create({ lang: 'de' })).toMatchObject(
    refusal("lang: must be a string, property is required, must be equal to one of en,pl (actual value is 'de')"),
  )
  expect(await create({ lang: 'en', stores: 'S1' })).toMatchObject(
    refusal(
      "stores: must be an array, and every element: must be a string, must be equal to one of S1,S2 (actual value is 'S1')",
    ),
  )
  const created = await create({ lang: 'en', foo: 1 })
  expect(created).toMatchObject({ status: 200, body: { metadata: { lang: 'en', foo: 1 } } })
  const updated = await shop.call('PUT', `/v1/customers/${created.body.id}`, { metadata: { stores: [] } })
  expect(updated).toMatchObject({ status: 200, body: { metadata: { lang: 'en', foo: 1, stores: [] } } })
  await shop.manage('PUT', `/metadata-schemas/${id}`, { allow_defined_only: true, properties: {} })
  expect(await create({ lang: 'en', foo: 1 })).toMatchObject(refusal('foo: property is not allowed'))
})

describe('the rules of a project', () => {
  const refusalOf = (work: () => unknown) => {
    try {
      work()
    } catch (error) {
      return error as { key: string; facts: { details: string } }
    }
    return null
  }

  test('come from the schema of the object and the nested schemas it refers to', async () => {
    const shop = await newProject()
    await newSchema(shop, 'customer', {
      lang: { ...string, optional: false, eq: ['en', 'pl'] },
      home: { type: 'object', array: false, optional: true, object_type: 'address' },
    })
    await newSchema(shop, 'address', { city: { ...string, optional: false } }, { allow_defined_only: true })
    await newSchema(shop, 'order', { lang: { ...number, optional: false } })
    const rules = await loadMetadataRules(ctxOf(shop), 'customer')
    expect(() => rules.check({ lang: 'en', home: { city: 'Kielce' }, more: 1 }, { isNew: true })).not.toThrow()
    expect(() => rules.check({ home: null }, { isNew: false })).not.toThrow()
    expect(refusalOf(() => rules.check({ lang: 'de', home: { door: 5 } }, { isNew: true }))).toMatchObject({
      key: 'metadata_validation_failed',
      facts: {
        details:
          `lang: must be a string, property is required, must be equal to one of en,pl (actual value is 'de'); ` +
          `home.city: must be a string, property is required (actual value is 'undefined'); ` +
          'home.door: property is not allowed',
      },
    })
  })

  test('only limit the size if there is no schema', async () => {
    const rules = await loadMetadataRules(ctxOf(await newProject()), 'voucher')
    expect(() => rules.check({ anything: [1, 'x', null], more: { x: 1 } }, { isNew: true })).not.toThrow()
    expect(rules.fromText('price', '5')).toBe('5')
    expect(refusalOf(() => rules.check({ a: { b: { c: 1 } } }, { isNew: true }))).toMatchObject({
      key: 'invalid_payload',
      facts: { details: 'Property .metadata.a must NOT hold objects within objects' },
    })
    expect(refusalOf(() => rules.check({ a: [[]] }, { isNew: true, property: '.items[0].metadata' }))).toMatchObject({
      key: 'invalid_payload',
      facts: { details: 'Property .items[0].metadata.a must NOT hold lists within lists' },
    })
  })

  test('an update merges by key, and the merged metadata is limited in size', async () => {
    const shop = await newProject()
    await newSchema(shop, 'voucher', { size: { ...number, optional: false } })
    const rules = await loadMetadataRules(ctxOf(shop), 'voucher')
    expect(rules.merged({ size: 1, a: { x: 1 }, b: 2 }, { a: { y: 2 }, c: null })).toEqual({
      size: 1,
      a: { y: 2 },
      b: 2,
      c: null,
    })
    expect(refusalOf(() => rules.merged({ size: 1 }, { size: null }))).toMatchObject({
      key: 'metadata_validation_failed',
    })
    const half = 'x'.repeat(40_000)
    expect(refusalOf(() => rules.merged({ a: half }, { b: half }))).toMatchObject({
      key: 'invalid_payload',
      facts: { details: 'Property .metadata must NOT be larger than 65536 bytes' },
    })
  })

  test('a CSV cell is converted to the type of its key', async () => {
    const shop = await newProject()
    await newSchema(shop, 'customer', {
      age: number,
      tags: { ...string, array: true },
      old: { ...number, deleted: true },
    })
    const rules = await loadMetadataRules(ctxOf(shop), 'customer')
    expect(['age', 'tags', 'old', 'new'].map((key) => rules.fromText(key, '1'))).toEqual([1, ['1'], '1', '1'])
    expect(refusalOf(() => rules.check({ age: rules.fromText('age', 'old') }, { isNew: true }))).toMatchObject({
      facts: { details: `age: must be a number (actual value is 'old')` },
    })
  })

  test('types and keys come from active definitions, in schema order', async () => {
    const shop = await newProject()
    const id = await newSchema(shop, 'product', {
      zeta: string,
      home: { type: 'geopoint', array: false, optional: true },
      a: { ...number, array: true },
      old: { ...string, deleted: true },
    })
    await shop.manage('PUT', `/metadata-schemas/${id}`, { properties: { b: string, zeta: { ...string, eq: ['x'] } } })
    expect(await metadataTypes(ctxOf(shop), 'product')).toEqual({
      zeta: 'string',
      home: 'geopoint',
      a: 'number',
      b: 'string',
    })
    expect(await metadataKeys(ctxOf(shop), 'product')).toEqual(['zeta', 'home', 'a', 'b'])
    expect(await metadataTypes(ctxOf(shop), 'order')).toEqual({})
  })

  test('many long faults are truncated', async () => {
    const shop = await newProject()
    const eq = Array.from({ length: 1_000 }, (_, n) => `long value ${n}`)
    await newSchema(shop, 'order', { a: { ...string, eq } })
    const rules = await loadMetadataRules(ctxOf(shop), 'order')
    expect(refusalOf(() => rules.check({ a: 'x' }, { isNew: true }))?.facts.details).toHaveLength(10_001)
  })
})
