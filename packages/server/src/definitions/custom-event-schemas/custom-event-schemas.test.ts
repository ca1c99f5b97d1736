import { describe, expect, test } from 'vitest'
import type { Ctx } from '../../core/context.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { checkCustomEventMetadata } from './check.ts'
import type { CustomEventProperty } from './schema.ts'
import { findCustomEventSchema, getCustomEventSchema } from './store.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const string = { type: 'string', optional: true }
const number = { type: 'number', optional: false }

const path = (id = '') => `/custom-event-schemas${id === '' ? '' : `/${id}`}`

async function newSchema(shop: Shop, name: string, properties: object = {}): Promise<string> {
  const { status, body } = await shop.manage('POST', path(), { name, schema: { properties } })
  expect([status, body.details]).toEqual([200, undefined])
  return body.id
}

const ctxOf = ({ service, project_id }: Shop) => ({ db: service.runtime.database.db, project_id }) as unknown as Ctx

test('a schema can be created, read, updated and deleted', async () => {
  const shop = await newProject()
  const created = await shop.manage('POST', path(), {
    name: 'sign-up',
    schema: { properties: { plan: { ...string, deleted: false, extra: 1 }, seats: number } },
  })
  expect(created.status).toBe(200)
  const schema = {
    id: expect.stringMatching(/^ms_[0-9A-Za-z]{24}$/),
    name: 'sign-up',
    schema: { properties: { plan: { ...string, deleted: false }, seats: number } },
    created_at: instant,
    object: 'custom-event-schema',
  }
  expect(created.body).toEqual({ ...schema, warnings: [expect.stringContaining('.extra')] })
  const { id } = created.body
  expect((await shop.manage('GET', path(id))).body).toEqual(schema)
  expect((await shop.manage('GET', path())).body).toEqual({
    object: 'list',
    data_ref: 'data',
    data: [schema],
    total: 1,
  })

  const updated = await shop.manage('PUT', path(id), {
    name: 'ignored',
    schema: {
      properties: {
        seats: { type: 'string', optional: true, deleted: true },
        at: { type: 'datetime', optional: true },
      },
    },
  })
  expect(updated).toMatchObject({ status: 200 })
  const changed = {
    ...schema,
    schema: {
      properties: {
        plan: { ...string, deleted: false },
        seats: { type: 'string', optional: true, deleted: true },
        at: { type: 'datetime', optional: true },
      },
    },
    updated_at: instant,
  }
  expect(updated.body).toEqual({ ...changed, warnings: [expect.stringContaining('.name')] })
  expect((await shop.manage('GET', path(id))).body).toEqual(changed)

  expect(await shop.manage('DELETE', path(id))).toMatchObject({ status: 204, body: null })
  for (const [method, body] of [['GET'], ['PUT', { schema: { properties: {} } }], ['DELETE']] as const)
    expect(await shop.manage(method, path(id), body)).toMatchObject({
      status: 404,
      body: {
        key: 'not_found',
        details: `Cannot find custom_event_schema with id ${id}`,
        resource_id: id,
        resource_type: 'custom_event_schema',
      },
    })
})

test('a name is unique and case-sensitive', async () => {
  const shop = await newProject()
  await newSchema(shop, 'sign-up')
  expect(await shop.manage('POST', path(), { name: 'sign-up', schema: { properties: {} } })).toMatchObject({
    status: 409,
    body: {
      key: 'duplicate_found',
      details: 'Duplicated custom_event_schema exists with name sign-up',
      resource_id: 'sign-up',
      resource_type: 'custom_event_schema',
    },
  })
  await newSchema(shop, 'Sign-up')
  await newSchema(shop, '😀'.repeat(300))
  expect((await shop.manage('GET', path())).body.total).toBe(3)
})

test('lists are sorted oldest first and contain nothing of another project', async () => {
  const [shop, stranger] = [await newProject(), await newProject()]
  for (const name of ['b', 'c', 'a']) {
    await newSchema(shop, name)
    shop.service.clock.advance(5)
  }
  const { body } = await shop.manage('GET', path())
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['b', 'c', 'a'])
  expect((await stranger.manage('GET', path())).body).toEqual({ object: 'list', data_ref: 'data', data: [], total: 0 })
  expect(await stranger.manage('DELETE', path(body.data[0].id))).toMatchObject({ status: 404 })
  expect(await findCustomEventSchema(ctxOf(stranger), 'a')).toBeUndefined()
})

test.each<[body: object, details: string]>([
  [{ schema: { properties: {} } }, `Payload must have required property 'name'`],
  [{ name: 'x' }, `Payload must have required property 'schema'`],
  [{ name: 'x', schema: {} }, `Property .schema must have required property 'properties'`],
  [{ name: '', schema: { properties: {} } }, 'Property .name must NOT have fewer than 1 characters'],
  [{ name: 'x'.repeat(301), schema: { properties: {} } }, 'Property .name must NOT have more than 300 characters'],
  [
    { name: 'x', schema: { properties: { a: { optional: true } } } },
    `Property .schema.properties.a must have required property 'type'`,
  ],
  [
    { name: 'x', schema: { properties: { a: { type: 'string' } } } },
    `Property .schema.properties.a must have required property 'optional'`,
  ],
  [
    { name: 'x', schema: { properties: { a: { type: 'geopoint', optional: true } } } },
    'Property .schema.properties.a.type must be equal to one of the allowed values [ string, number, date, datetime, boolean ]',
  ],
  [
    { name: 'x', schema: { properties: { '': string } } },
    'Property .schema.properties must have names of 1 to 255 characters',
  ],
  [
    { name: 'x', schema: { properties: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, string])) } },
    'Property .schema.properties must NOT have more than 100 definitions',
  ],
])('refuses invalid body %#', async (body, details) => {
  const shop = await newProject()
  expect(await shop.manage('POST', path(), body)).toMatchObject({
    status: 400,
    body: { key: 'invalid_payload', details },
  })
  expect((await shop.manage('GET', path())).body.total).toBe(0)
})

test('an update cannot exceed 100 properties either', async () => {
  const shop = await newProject()
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, string]))
  const id = await newSchema(shop, 'x', many)
  expect(await shop.manage('PUT', path(id), { schema: { properties: { more: string } } })).toMatchObject({
    status: 400,
    body: { details: 'Property .schema.properties must NOT have more than 100 definitions' },
  })
  expect(await shop.manage('PUT', path(id), { schema: { properties: many } })).toMatchObject({ status: 200 })
})

test('an event finds its schema by its exact name', async () => {
  const shop = await newProject()
  const id = await newSchema(shop, 'sign-up', { plan: string })
  expect(await findCustomEventSchema(ctxOf(shop), 'sign-up')).toMatchObject({
    id,
    schema: { properties: { plan: string } },
  })
  expect(await findCustomEventSchema(ctxOf(shop), 'Sign-up')).toBeUndefined()
  await expect(getCustomEventSchema(ctxOf(shop), 'sign-in')).rejects.toMatchObject({
    key: 'not_found',
    facts: { resource_type: 'custom_event_schema', resource_id: 'sign-in' },
  })
})

describe('the metadata of an event', () => {
  const properties: Record<string, CustomEventProperty> = {
    seats: { type: 'number', optional: false },
    plan: { type: 'string', optional: true },
    at: { type: 'datetime', optional: true },
    day: { type: 'date', optional: true },
    paid: { type: 'boolean', optional: true },
    old: { type: 'number', optional: false, deleted: true },
  }
  test.each<[metadata: Record<string, unknown>, details: string | null]>([
    [{ seats: 1 }, null],
    [{ seats: 1, plan: null, at: '2025-02-26T10:00Z', day: '2025-02-26', paid: false, more: [1, 'x'], old: 'x' }, null],
    [{}, `seats: must be a number, property is required (actual value is 'undefined')`],
    [{ seats: null }, `seats: must be a number, property is required (actual value is 'null')`],
    [{ seats: [1] }, `seats: must be a number, property is required (actual value is '[1]')`],
    [{ seats: 1, plan: ['x'] }, `plan: must be a string (actual value is '["x"]')`],
    [
      { seats: '1', paid: 'true', at: '2025-02-26' },
      `seats: must be a number, property is required (actual value is '1'); ` +
        `at: must be a datetime (actual value is '2025-02-26'); paid: must be a boolean (actual value is 'true')`,
    ],
  ])('%j', (metadata, details) => {
    const check = () => checkCustomEventMetadata({ schema: { properties } }, metadata)
    if (details === null) expect(check).not.toThrow()
    else expect(check).toThrow(expect.objectContaining({ key: 'metadata_validation_failed', facts: { details } }))
  })

  test('is limited in size like all metadata', () => {
    expect(() => checkCustomEventMetadata({ schema: { properties: {} } }, { a: { b: { c: 1 } } })).toThrow(
      expect.objectContaining({ key: 'invalid_payload' }),
    )
  })
})

test('every write increments the configuration version, and a deletion is recorded', async () => {
  const shop = await newProject()
  const { db } = shop.service.runtime.database
  const id = await newSchema(shop, 'x')
  await shop.manage('PUT', path(id), { schema: { properties: { a: string } } })
  const row = await db
    .selectFrom('custom_event_schemas')
    .where('id', '=', id as never)
    .select('config_version')
    .executeTakeFirstOrThrow()
  await shop.manage('DELETE', path(id))
  const marks = await db
    .selectFrom('configuration_deletions')
    .where('project_id', '=', shop.project_id)
    .selectAll()
    .execute()
  expect(marks).toMatchObject([
    { object_type: 'custom_event_schema', object_id: id, config_version: row.config_version + 1 },
  ])
})
