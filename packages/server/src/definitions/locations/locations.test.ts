import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { newProject, type Shop, testService } from '../../testing/app.ts'
import { expectStablePaging } from '../../testing/paging.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const circle = (center = 'geo:52.2297,21.0122', radius = '2 km') => ({
  type: 'circle',
  format: 'distance',
  distance: { center, radius },
})
const square = [
  [10, 50],
  [12, 50],
  [12, 51],
  [10, 51],
  [10, 50],
]
const polygon = (...coordinates: unknown[]) => ({
  type: 'polygon',
  format: 'geojson',
  geojson: { type: 'Polygon', coordinates },
})

async function newLocation(shop: Shop, name: string, shape: object = circle()): Promise<string> {
  const { status, body } = await shop.call('POST', '/v1/locations', { name, shape })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.id
}

const namesIn = async (shop: Shop, query: string): Promise<string[]> => {
  const { status, body } = await shop.call('GET', `/v1/locations?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.map(({ name }: { name: string }) => name)
}

test('a location can be created, read, updated and deleted', async () => {
  const shop = await newProject()
  const created = await shop.call('POST', '/v1/locations', { name: 'Old town', shape: circle() })
  expect(created.status).toBe(200)
  expect(created.body).toEqual({
    id: expect.stringMatching(/^loc_[0-9A-Za-z]{24}$/),
    name: 'Old town',
    shape: circle(),
    created_at: instant,
    updated_at: null,
    object: 'location',
  })
  const path = `/v1/locations/${created.body.id}`
  expect((await shop.call('GET', path)).body).toEqual(created.body)

  const renamed = await shop.call('PUT', path, { name: 'New town' })
  expect(renamed.body).toEqual({ ...created.body, name: 'New town', updated_at: instant })
  const redrawn = await shop.call('PUT', path, { shape: polygon(square) })
  expect(redrawn.body).toEqual({ ...renamed.body, shape: polygon(square), updated_at: instant })
  expect((await shop.call('PUT', path, {})).body).toMatchObject({ name: 'New town', shape: polygon(square) })
  expect((await shop.call('GET', path)).body).toMatchObject({ name: 'New town', shape: polygon(square) })

  expect(await shop.call('DELETE', path)).toMatchObject({ status: 204, body: null })
  for (const method of ['GET', 'PUT', 'DELETE'])
    expect(await shop.call(method, path, method === 'PUT' ? { name: 7 } : undefined)).toMatchObject({
      status: 404,
      body: { key: 'not_found', resource_type: 'location', resource_id: created.body.id },
    })
})

test('unknown fields of a shape are dropped, its format is set and altitudes are removed', async () => {
  const shop = await newProject()
  const {
    body: { warnings: _, ...body },
  } = await shop.call('POST', '/v1/locations', {
    name: 'Hill',
    shape: {
      type: 'polygon',
      colour: 'red',
      geojson: { type: 'MultiPolygon', bbox: [0, 0, 1, 1], coordinates: [[square.map((point) => [...point, 300])]] },
    },
  })
  expect(body.shape).toEqual({
    type: 'polygon',
    format: 'geojson',
    geojson: { type: 'MultiPolygon', coordinates: [[square]] },
  })
  expect((await shop.call('GET', `/v1/locations/${body.id}`)).body).toEqual(body)
})

const badShapes: Array<[shape: unknown, details: string | RegExp]> = [
  [undefined, "Payload should have required property 'shape'"],
  [null, 'Property .shape must be object'],
  ['circle', 'Property .shape must be object'],
  [{ type: 'star' }, 'Property .shape.type must be equal to one of the allowed values [ circle, polygon ]'],
  [{ type: 'circle' }, "Property .shape should have required property 'distance'"],
  [circle('52.2,21.0'), 'Property .shape.distance.center must be a point: geo:<latitude>,<longitude>'],
  [circle('geo:91,21'), 'Property .shape.distance.center must be a point: geo:<latitude>,<longitude>'],
  [circle('geo:52,21', '2'), 'Property .shape.distance.radius must be a number and a unit (km, m, mi)'],
  [circle('geo:52,21', '0 km'), 'Property .shape.distance.radius must be a number and a unit (km, m, mi)'],
  [{ ...circle(), format: 'geojson' }, /^Property \.shape\.format must be equal to one of the allowed values/],
  [
    { type: 'polygon', geojson: { type: 'Point', coordinates: [1, 2] } },
    'Property .shape.geojson.type must be equal to one of the allowed values [ Polygon, MultiPolygon ]',
  ],
  [polygon(), 'Property .shape.geojson.coordinates must be an array of rings'],
  [polygon(square.slice(0, 3)), 'Property .shape.geojson.coordinates must have rings of at least 4 points'],
  [
    polygon(square.slice(0, 4)),
    'Property .shape.geojson.coordinates must have closed rings: the first point is also the last',
  ],
  [
    polygon(square.map(([lng, lat]) => [lat! + 90, lng!]).map(([lng, lat]) => [lng! * 2, lat])),
    'Property .shape.geojson.coordinates must have points of longitude (-180 to 180) and latitude (-90 to 90)',
  ],
  [polygon([[10, '50']]), 'Property .shape.geojson.coordinates[0][0][1] must be number'],
]

test.each(badShapes)('creation and update refuse the shape %j: %s', async (shape, details) => {
  const shop = await newProject()
  const path = `/v1/locations/${await newLocation(shop, 'Old town')}`
  const refusal = {
    status: 400,
    body: { key: 'invalid_payload', details: typeof details === 'string' ? details : expect.stringMatching(details) },
  }
  expect(await shop.call('POST', '/v1/locations', { name: 'Bad', shape })).toMatchObject(refusal)
  if (shape !== undefined) expect(await shop.call('PUT', path, { shape })).toMatchObject(refusal)
  expect((await shop.call('GET', '/v1/locations')).body).toMatchObject({ total: 1, data: [{ shape: circle() }] })
})

test('a name is required and need not be unique', async () => {
  const shop = await newProject()
  for (const [body, details] of [
    [{ shape: circle() }, "Payload should have required property 'name'"],
    [{ shape: circle(), name: '' }, 'Property .name must NOT have fewer than 1 characters'],
    [{ shape: circle(), name: 'n'.repeat(256) }, 'Property .name must NOT have more than 255 characters'],
  ] as const)
    expect(await shop.call('POST', '/v1/locations', body)).toMatchObject({ status: 400, body: { details } })
  await newLocation(shop, 'Old town')
  await newLocation(shop, 'Old town')
  expect(await namesIn(shop, '')).toEqual(['Old town', 'Old town'])
})

test('a shape has at most 10,000 points, in all rings together', async () => {
  const shop = await newProject()
  const ring = (points: number) => {
    const open = Array.from({ length: points - 1 }, (_, n) => [n / points, (n % 2) + n / points])
    return [...open, open[0]]
  }
  const half = limits.location_points_max / 2
  await newLocation(shop, 'Coast', polygon(ring(half), ring(half)))
  const islands = (second: number) => ({
    type: 'polygon',
    geojson: { type: 'MultiPolygon', coordinates: [[ring(half)], [ring(second)]] },
  })
  await newLocation(shop, 'Islands', islands(half))
  expect(await shop.call('POST', '/v1/locations', { name: 'More islands', shape: islands(half + 1) })).toMatchObject({
    status: 400,
    body: { key: 'invalid_payload', details: 'Property .shape must NOT have more than 10000 points' },
  })
})

test('the number of locations of a project is limited', async () => {
  const shop = await newProject()
  await sql`
    insert into locations (project_id, id, name, shape, created_at, config_version)
    select ${shop.project_id}, 'loc_' || n, 'Zone', ${JSON.stringify(circle())}::jsonb, now(), 0
    from generate_series(2, ${limits.locations_max}::int) as n`.execute(shop.service.runtime.database.db)
  await newLocation(shop, 'The last')
  expect(await shop.call('POST', '/v1/locations', { name: 'One too many', shape: circle() })).toMatchObject({
    status: 400,
    body: { key: 'invalid_payload', details: 'A project must NOT have more than 20000 locations' },
  })
})

describe('GET /v1/locations', () => {
  /** Four towns, created one per day; Bonn was updated today. */
  async function towns(): Promise<Shop> {
    const shop = await newProject()
    shop.service.clock.set('2026-01-05T12:00:00Z')
    const rows = ['Aachen', 'Bonn', 'Cologne', 'Dortmund'].map((name, day) => ({
      project_id: shop.project_id,
      id: `loc_${name}` as const,
      name,
      shape: JSON.stringify(circle()),
      created_at: `2026-01-0${day + 1}T12:00:00.000Z`,
      updated_at: name === 'Bonn' ? '2026-01-05T11:00:00.000Z' : null,
      config_version: 0,
    }))
    await shop.service.runtime.database.db.insertInto('locations').values(rows).execute()
    return shop
  }

  afterEach(async () => (await testService()).clock.set(Date.now()))

  test.each<[query: string, names: string[]]>([
    ['', ['Dortmund', 'Cologne', 'Bonn', 'Aachen']],
    ['order=created_at', ['Aachen', 'Bonn', 'Cologne', 'Dortmund']],
    ['order=-updated_at', ['Bonn', 'Dortmund', 'Cologne', 'Aachen']],
    ['order=updated_at', ['Bonn', 'Aachen', 'Cologne', 'Dortmund']],
    ['end_date=2026-01-02T12:00:00Z', ['Bonn', 'Aachen']], // inclusive
    ['end_date=2026-01-02T11:59:59.999Z', ['Aachen']],
    ['filters[name][conditions][$in][0]=Bonn&filters[name][conditions][$in][1]=Aachen', ['Bonn', 'Aachen']],
    ['filters[name][conditions][$not_in][0]=Bonn', ['Dortmund', 'Cologne', 'Aachen']],
    ['filters[name][conditions][$is_not]=Bonn', ['Dortmund', 'Cologne', 'Aachen']],
    ['filters[name][conditions][$starts_with]=A', ['Aachen']],
    ['filters[name][conditions][$ends_with]=n', ['Bonn', 'Aachen']],
    ['filters[name][conditions][$contains]=o', ['Dortmund', 'Cologne', 'Bonn']],
    ['filters[name][conditions][$not_contain]=o', ['Aachen']],
    ['filters[name][conditions][$has_value]', ['Dortmund', 'Cologne', 'Bonn', 'Aachen']],
    ['filters[name][conditions][$is_unknown]', []],
    ['filters[created_at][conditions][$after]=2026-01-02T12:00:00Z', ['Dortmund', 'Cologne']],
    ['filters[created_at][conditions][$before]=2026-01-02T12:00:00Z', ['Aachen']],
    ['filters[created_at][conditions][$more_than]=2', ['Bonn', 'Aachen']], // more than two days ago
    ['filters[created_at][conditions][$less_than]=2', ['Dortmund']],
    ['filters[updated_at][conditions][$has_value]=', ['Bonn']],
    ['filters[updated_at][conditions][$is_unknown]=', ['Dortmund', 'Cologne', 'Aachen']],
    ['filters[updated_at][conditions][$today]=true', ['Bonn']],
    [
      'filters[junction]=or&filters[name][conditions][$is]=Aachen&[filters][updated_at][conditions][$has_value]=',
      ['Bonn', 'Aachen'],
    ],
    ['filters[name][conditions][$contains]=o&filters[updated_at][conditions][$has_value]=', ['Bonn']],
  ])('?%s', async (query, names) => {
    const shop = await towns()
    expect(await namesIn(shop, query)).toEqual(names)
    expect((await shop.call('GET', `/v1/locations?limit=1&${query}`)).body).toMatchObject({
      object: 'list',
      data_ref: 'data',
      total: names.length,
      has_more: names.length > 1,
    })
  })

  test('returns a cursor until the last page', async () => {
    const shop = await towns()
    const first = (await shop.call('GET', '/v1/locations?limit=3')).body
    expect(first).toMatchObject({ total: 4, has_more: true, more_starting_after: first.data[2].id })
    const rest = (await shop.call('GET', `/v1/locations?limit=3&starting_after_id=${first.more_starting_after}`)).body
    expect(rest).toMatchObject({ total: 4, has_more: false, data: [{ name: 'Aachen' }] })
    expect(rest).not.toHaveProperty('more_starting_after')
  })

  test.each([
    ['limit=0', 'Property .limit must be >= 1'],
    ['limit=101', 'Property .limit must be <= 100'],
    ['order=name', /^Property \.order must be equal to one of the allowed values/],
    ['end_date=soon', 'Property .end_date cannot be recognized as a ISO-8601 compliant date'],
    ['filters[name][conditions][$like]=x', /condition must be one of: \$is, /],
    ['filters[shape][conditions][$is]=x', 'Property .filters.shape is not a known field'],
    ['starting_after_id=loc_0', 'Property .starting_after_id must be the id of an object in this list'],
  ])('?%s is refused', async (query, details) => {
    const shop = await newProject()
    expect(await shop.call('GET', `/v1/locations?${query}`)).toMatchObject({
      status: 400,
      body: {
        key: 'invalid_query_params',
        details: typeof details === 'string' ? details : expect.stringMatching(details),
      },
    })
  })

  test('paging returns each location exactly once in every order while others are created', async () => {
    const shop = await newProject()
    await expectStablePaging({
      shop,
      path: '/v1/locations',
      orders: ['created_at', '-created_at', 'updated_at', '-updated_at'],
      data_ref: 'data',
      async create(n) {
        const id = await newLocation(shop, `Zone ${n}`)
        if (n % 3 === 0) await shop.call('PUT', `/v1/locations/${id}`, {})
        return id
      },
    })
  })
})

describe('DELETE /v1/locations/{locationId}', () => {
  const inLocation = (operator: string, given: unknown) => ({
    junction: 'or',
    name: { conditions: { $is: ['shirt'] } },
    'metadata.store': { conditions: { $has_value: true, [operator]: given } },
  })

  test.each([
    ['$in_location', (id: string) => [id]],
    ['$in_location', (id: string) => id],
    ['$not_in_location', (id: string) => ['loc_other', id]],
    ['$not_in_location', (id: string) => ({ 0: 'loc_other', 1: id })],
  ])('is refused while the filter of a collection uses it with %s', async (operator, given) => {
    const shop = await newProject()
    const [id, other] = [await newLocation(shop, 'Here'), await newLocation(shop, 'There')]
    const collection = await shop.call('POST', '/v1/product-collections', {
      name: 'Near',
      type: 'AUTO_UPDATE',
      filter: inLocation(operator, given(id)),
    })
    expect(collection.status, JSON.stringify(collection.body)).toBe(200)
    expect(await shop.call('DELETE', `/v1/locations/${id}`)).toMatchObject({
      status: 400,
      body: {
        key: 'resource_in_use',
        message: 'Resource in use',
        details: `Resource location with id ${id} is in use by products_collection with ids [${collection.body.id}]`,
        resource_id: id,
        resource_type: 'location',
        related_object_ids: [collection.body.id],
        related_object_type: 'products_collection',
        related_object_total: 1,
      },
    })
    expect(await shop.call('GET', `/v1/locations/${id}`)).toMatchObject({ status: 200 })
    expect(await shop.call('DELETE', `/v1/locations/${other}`)).toMatchObject({ status: 204 })

    await shop.call('DELETE', `/v1/product-collections/${collection.body.id}`)
    expect(await shop.call('DELETE', `/v1/locations/${id}`)).toMatchObject({ status: 204 })
  })

  test('is refused while the filter of a segment uses it', async () => {
    const shop = await newProject()
    const id = await newLocation(shop, 'Here')
    const { db } = shop.service.runtime.database
    const segment = { project_id: shop.project_id, name: 'Locals', type: 'passive' as const, is_day_relative: false }
    const filter = JSON.stringify({ junction: 'and', 'metadata.home': { conditions: { $in_location: [id] } } })
    const created = { created_at: '2026-01-01T00:00:00.000Z', updated_at: null, config_version: 0 }
    const insert = (segmentId: `seg_${string}`, deletedAt: string | null) =>
      db
        .insertInto('segments')
        .values({ ...segment, ...created, id: segmentId, filter, deleted_at: deletedAt })
        .execute()
    await insert('seg_1', null)
    await insert('seg_gone', '2026-01-02T00:00:00.000Z')
    expect(await shop.call('DELETE', `/v1/locations/${id}`)).toMatchObject({
      status: 400,
      body: { key: 'resource_in_use', related_object_type: 'segment', related_object_ids: ['seg_1'] },
    })
    await db.deleteFrom('segments').where('id', '=', 'seg_1').where('project_id', '=', shop.project_id).execute()
    expect(await shop.call('DELETE', `/v1/locations/${id}`)).toMatchObject({ status: 204 })
  })

  test('is not blocked by a text value equal to its id, nor by another project', async () => {
    const [shop, other] = [await newProject(), await newProject()]
    const id = await newLocation(shop, 'Here')
    for (const [where, filter] of [
      [shop, { junction: 'and', name: { conditions: { $is: [id] } } }],
      [other, inLocation('$in_location', [id])],
    ] as const) {
      const body = { name: 'Near', type: 'AUTO_UPDATE', filter }
      expect(await where.call('POST', '/v1/product-collections', body)).toMatchObject({ status: 200 })
    }
    expect(await shop.call('DELETE', `/v1/locations/${id}`)).toMatchObject({ status: 204 })
  })
})
