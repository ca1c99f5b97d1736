// @embedded: filters as SQL: types, collations, time zones, JSON operators
import { randomBytes } from 'node:crypto'
import { checkFilter, clockAt, compileFilter, filterOperators, isInside } from '@guerdon/engine'
import type { MetadataType, Shape } from '@guerdon/engine/schema'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { measurable } from '../../../definitions/locations/check.ts'
import { testDatabase } from '../../../testing/database.ts'
import { scaled } from '../../../testing/scale.ts'
import { ApiError } from '../../http/errors.ts'
import { type Filter, type FilterFields, filterSql, metadataField, parseFilter } from './filter.ts'

// A filter is evaluated in the database, for lists, and in the engine, for the lines of an order. Both must agree.

/** A key of each type of a metadata schema; `metadata.k` is not in the schema. */
const types = {
  text: 'string',
  amount: 'number',
  flag: 'boolean',
  day: 'date',
  at: 'datetime',
  place: 'geopoint',
  image: 'image_url',
  thing: 'object',
} satisfies Record<string, MetadataType>
type Typed = keyof typeof types

const fields: FilterFields = {
  name: { type: 'string', column: 'name' },
  price: { type: 'number', column: 'price' },
  birthdate: { type: 'date', column: 'born', ignores_year: true },
  created_at: { type: 'datetime', column: 'seen' },
  attributes: { type: 'array', column: 'tags' },
  'metadata.*': metadataField('metadata', types),
}

const words = fc.constantFrom('', 'a', 'ab', 'b', '5', '1.5', 'true', '%', '2025-02-26', '2025-02-25T23:30:00.000Z')
const numbers = fc.constantFrom(-1, 0, 1, 2, 5, 26, 30, 365, 1.5)
const days = fc.constantFrom(
  '2024-02-29',
  '2025-02-25',
  '2025-02-26',
  '2025-02-27',
  '2025-01-27',
  '1990-03-01',
  '2025-12-31',
)
const moments = days.chain((day) =>
  fc.constantFrom(`${day}T00:00:00.000Z`, `${day}T22:59:59.999Z`, `${day}T23:30:00.000Z`),
)
const points = fc.constantFrom(
  'geo:0,0',
  '0.5, 0.5',
  'geo:3,3',
  'geo:1,1.5',
  'geo:-91,0',
  'geo:0,0,0',
  'geo:52.2400,21.0300',
  'geo:52.2550,21.0500',
)
const scalars = fc.oneof(words, numbers, fc.boolean(), days, moments, points)

/** The same moments with other offsets and in other notations. */
const spelledMoments = moments.chain((at) =>
  fc.constantFrom(at, at.replace('Z', '+00:00'), at.slice(0, 19), at.replace(/:\d\d\.\d{3}Z$/, '-0000')),
)

const ofType: { [T in Typed]: fc.Arbitrary<unknown> } = {
  text: fc.oneof(words, points),
  amount: fc.oneof(numbers, numbers.map(String)),
  flag: fc.oneof(fc.boolean(), fc.constantFrom('true', 'TRUE', 'False')),
  day: days,
  at: fc.oneof(
    spelledMoments,
    days,
    days.map((day) => `${day}T24:00Z`),
  ),
  place: fc.oneof(points, fc.record({ lat: fc.constantFrom(0, 0.5, 91), lng: fc.constantFrom(0, 0.5, -180, 181) })),
  image: fc.constantFrom('https://a.b/ab.png', 'http://b/a.jpg'),
  thing: fc.constantFrom({ a: 'a' }, {}),
}

/** Values that the schema accepts, and values that may have been stored before it existed. */
function valuesOf(type: Typed): fc.Arbitrary<unknown> {
  // A moment under a key of dates equals its day for the engine; a list would need to read every row to find it.
  const older = type === 'day' ? fc.oneof(numbers, fc.boolean(), days, points) : scalars
  const one = fc.oneof({ weight: 4, arbitrary: ofType[type] }, { weight: 1, arbitrary: older })
  return fc.oneof({ weight: 4, arbitrary: one }, fc.array(one, { maxLength: 2 }), fc.constant(null))
}

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 5 })
const row = fc.record({
  name: maybe(words),
  price: maybe(fc.constantFrom(-1, 0, 1, 5, 30)),
  born: maybe(days),
  seen: maybe(moments),
  tags: maybe(fc.array(fc.oneof(words, numbers), { maxLength: 3 })),
  metadata: fc.record(
    {
      k: fc.oneof(scalars, fc.array(scalars, { maxLength: 2 }), fc.constant(null)),
      ...(Object.fromEntries((Object.keys(types) as Typed[]).map((key) => [key, valuesOf(key)])) as {
        [T in Typed]: fc.Arbitrary<unknown>
      }),
    },
    { requiredKeys: [] },
  ),
})
type Row = typeof row extends fc.Arbitrary<infer R> ? R : never

const square = (west: number, south: number, east: number, north: number): Array<[number, number]> => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
]

const locations: Record<string, Shape> = {
  city: { type: 'circle', distance: { center: 'geo:52.2297,21.0122', radius: '2 km' } },
  ring: {
    type: 'polygon',
    geojson: { type: 'Polygon', coordinates: [square(0, 0, 2, 2), square(0.25, 0.25, 0.75, 0.75)] },
  },
  islands: {
    type: 'polygon',
    geojson: { type: 'MultiPolygon', coordinates: [[square(-1, -1, 0, 0)], [square(2, 2, 4, 4)]] },
  },
  nothing: { type: 'polygon', geojson: { type: 'Polygon', coordinates: [] } },
}

const fieldNames = ['name', 'price', 'birthdate', 'created_at', 'attributes', 'metadata.k'].concat(
  Object.keys(types).map((key) => `metadata.${key}`),
)
const given: Record<string, fc.Arbitrary<unknown>> = {
  $in_location: fc.constantFrom('city', 'ring', 'islands', 'nothing', 'unknown'),
  $not_in_location: fc.constantFrom('city', 'ring', 'islands', 'nothing', 'unknown'),
}
const oneArgument = fc.oneof(scalars, spelledMoments)
/** More than a statement lists as alternatives; the first two may match. */
const manyArguments = fc
  .tuple(
    fc.array(oneArgument, { minLength: 1, maxLength: 2 }),
    fc.constantFrom(
      (n: number): unknown => `x${n}`,
      (n: number) => 3 * n,
      (n: number) => 1 + (n % 5),
      (n: number) => `2025-0${1 + (n % 3)}-${10 + n - (n % 2)}`,
      () => true,
    ),
  )
  .map(([first, more]) => [
    ...first,
    ...Array.from({ length: 9 }, (_, n) => more(n)),
    ...Array.from({ length: 13 }, (_, n) => more(n + 3)),
  ])
const conditions = fc
  .constantFrom(...Object.keys(filterOperators))
  .chain((operator) =>
    fc
      .oneof(
        { weight: 3, arbitrary: fc.array(given[operator] ?? oneArgument, { minLength: 1, maxLength: 2 }) },
        given[operator] === undefined ? manyArguments : fc.array(given[operator]),
      )
      .map((given) => ({ conditions: { [operator]: given } })),
  )
const filters = fc
  .tuple(
    fc.constantFrom('and', 'or'),
    fc.dictionary(fc.constantFrom(...fieldNames), conditions, { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
  )
  .map(([junction, sets]) => ({ junction, ...sets }))

const moment = { now: '2025-02-26T12:00:00.000Z', timezone: 'Europe/Warsaw' }

test('the database and the engine agree', async () => {
  const { db } = await testDatabase()
  const table = sql.table(`agreement_${randomBytes(6).toString('hex')}`)
  const columns = sql.raw('id int, name text, price bigint, born date, seen timestamptz, tags jsonb, metadata jsonb')
  await sql`create table ${table} (${columns})`.execute(db)
  const rows: Row[] = fc.sample(row, { numRuns: 100, seed: 7 })
  const json = JSON.stringify(rows.map((one, id) => ({ ...one, id })))
  await sql`insert into ${table} select * from jsonb_to_recordset(${json}::jsonb) as row (${columns})`.execute(db)

  const clock = clockAt(moment.now, moment.timezone)
  const lookups = { locations: new Map(Object.entries(locations)) }
  const catalogue = { locations, metadata_types: { product: types } }
  let matched = 0
  await fc.assert(
    fc.asyncProperty(filters, async (raw) => {
      const parsed = parsedOrNull(raw)
      if (parsed === null) return // the list knows the types of its fields, and refuses arguments that cannot be compared
      expect(checkFilter(raw)).toBeNull()
      const found = await sql<{
        id: number
      }>`select id from ${table} where ${filterSql(parsed, moment, lookups)} order by id`.execute(db)
      const fits = compileFilter(raw)
      const ours = rows.flatMap((one, id) => (fits((field) => fieldOf(one, field), clock, catalogue) ? [id] : []))
      expect(ours).toEqual(found.rows.map(({ id }) => id))
      matched += ours.length
    }),
    { numRuns: scaled(600, 200) },
  )
  expect(matched).toBeGreaterThan(scaled(1_000, 300))
})

function parsedOrNull(raw: unknown): Filter | null {
  try {
    return parseFilter(raw, fields)
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

function fieldOf({ name, price, born, seen, tags, metadata }: Row, field: string): unknown {
  const values: Record<string, unknown> = { name, price, birthdate: born, created_at: seen, attributes: tags }
  return field.startsWith('metadata.') ? metadata[field.slice('metadata.'.length) as Typed] : values[field]
}

describe('the database and the engine agree whether a point lies in a shape', () => {
  /** Which of some texts lie in a shape, according to the database. */
  async function insideOf(shape: Shape, texts: string[]): Promise<string[]> {
    const { db } = await testDatabase()
    const filter = parseFilter({ text: { conditions: { $in_location: ['here'] } } }, pointFields)
    const found = await sql<{ text: string }>`select text from unnest(${texts}::text[]) with ordinality as row (text, n)
      where ${filterSql(filter, moment, { locations: new Map([['here', shape]]) })} order by n`.execute(db)
    return found.rows.map(({ text }) => text)
  }
  const pointFields: FilterFields = { text: { type: 'string', column: 'text' } }
  const spelled = ([lng, lat]: readonly [number, number]) => `geo:${lat.toFixed(20)},${lng.toFixed(20)}`

  const coordinate = (limit: number) =>
    fc.oneof(
      fc.integer({ min: -limit, max: limit }),
      fc.double({ min: -limit, max: limit, noNaN: true }),
      fc.double({ min: -1, max: 1, noNaN: true }).map((v) => Math.round(v * 10) / 10),
    )
  // As locations are stored.
  const vertex = fc.tuple(coordinate(180).map(measurable), coordinate(90).map(measurable))
  const ring = fc.array(vertex, { minLength: 3, maxLength: 8 }).map((points) => [...points, points[0]!])
  const polygon = fc.array(ring, { minLength: 1, maxLength: 3 })

  /** On an edge, at both of its ends, and at the distance of the rim, and slightly more or less. */
  const nearEdges = (rings: Array<Array<[number, number]>>): Array<[number, number]> =>
    rings.flatMap((ring) =>
      ring.slice(1).flatMap(([bx, by], n) => {
        const [ax, ay] = ring[n] as [number, number]
        const [dx, dy] = [bx - ax, by - ay]
        const length = Math.hypot(dx, dy) || 1
        return [0, 0.25, 0.5, 1 / 3, 1, 1 + 1e-9, -1e-12].flatMap((t) =>
          [0, 1e-16, 1e-9, 1e-9 * (1 - 1e-6), 1e-9 * (1 + 1e-6), -1e-9, -1e-10, 1e-6].map((off): [number, number] => [
            ax + t * dx - (off * dy) / length,
            ay + t * dy + (off * dx) / length,
          ]),
        )
      }),
    )

  test('polygons, on their edges too', async () => {
    let [inside, outside] = [0, 0]
    await fc.assert(
      fc.asyncProperty(fc.array(polygon, { minLength: 1, maxLength: 3 }), fc.array(vertex), async (parts, others) => {
        const shape: Shape = { type: 'polygon', geojson: { type: 'MultiPolygon', coordinates: parts } }
        const texts = [...parts.flatMap(nearEdges), ...parts.flat(2), ...others].map(spelled)
        const expected = texts.filter((text) => isInside(text, shape))
        expect(await insideOf(shape, texts)).toEqual(expected)
        inside += expected.length
        outside += texts.length - expected.length
      }),
      { numRuns: scaled(25, 8) },
    )
    expect(Math.min(inside, outside)).toBeGreaterThan(scaled(1_000, 50))
  })

  test('a coast line of many points, at each of them and in between', async () => {
    const coast = Array.from({ length: 300 }, (_, n): [number, number] => {
      const [angle, far] = [(n / 300) * 2 * Math.PI, n % 2 === 0 ? 1 : 1.01]
      return [20 + far * Math.cos(angle), 50 + far * Math.sin(angle)]
    })
    const outline = [...coast, coast[0]!]
    const lake = outline.map(([lng, lat]): [number, number] => [20 + (lng - 20) / 2, 50 + (lat - 50) / 2])
    const shape: Shape = { type: 'polygon', geojson: { type: 'Polygon', coordinates: [outline, lake] } }
    const level = coast.map(([lng, lat], n): [number, number] => [lng + ((n % 7) - 3) / 5, lat])
    const between = outline.slice(1).map(([lng, lat], n): [number, number] => {
      const [beforeLng, beforeLat] = outline[n]!
      return [(lng + beforeLng) / 2, (lat + beforeLat) / 2]
    })
    const texts = [...coast, ...lake, ...level, ...between].map(spelled)
    const expected = texts.filter((text) => isInside(text, shape))
    expect(expected.length).toBeGreaterThan(800)
    expect(texts.length - expected.length).toBeGreaterThan(100)
    expect(await insideOf(shape, texts)).toEqual(expected)
  })

  test('circles, up to a thousandth of a millimetre from their rim', async () => {
    let [inside, outside] = [0, 0]
    const center = fc.tuple(coordinate(180), coordinate(90))
    const radius = fc.oneof(fc.integer({ min: 1, max: 10_000 }), fc.constantFrom(0.05, 0.5, 2, 111.195))
    await fc.assert(
      fc.asyncProperty(center, radius, fc.array(vertex), async ([lng, lat], km, others) => {
        const shape: Shape = {
          type: 'circle',
          distance: { center: `geo:${lat.toFixed(20)},${lng.toFixed(20)}`, radius: `${km} km` },
        }
        const rim = Array.from({ length: 24 }, (_, n) => n * 15).flatMap((bearing) =>
          [1, 1e-3, -1e-3, 1e-6, -1e-6].map((offM) => travelled({ lat, lng }, bearing, km + offM * 1e-3)),
        )
        const texts = [...rim, [lng, lat] as const, ...others].map(spelled)
        const expected = texts.filter((text) => isInside(text, shape))
        expect(await insideOf(shape, texts)).toEqual(expected)
        inside += expected.length
        outside += texts.length - expected.length
      }),
      { numRuns: scaled(25, 10) },
    )
    expect(Math.min(inside, outside)).toBeGreaterThan(scaled(1_000, 300))
  })
})

/** The point at a distance from another, in the direction of a bearing. */
function travelled({ lat, lng }: { lat: number; lng: number }, bearing: number, km: number): [number, number] {
  const [from, angle, turn] = [(lat * Math.PI) / 180, km / 6371.0088, (bearing * Math.PI) / 180]
  const to = Math.asin(Math.sin(from) * Math.cos(angle) + Math.cos(from) * Math.sin(angle) * Math.cos(turn))
  const along = Math.atan2(
    Math.sin(turn) * Math.sin(angle) * Math.cos(from),
    Math.cos(angle) - Math.sin(from) * Math.sin(to),
  )
  return [((((lng + (along * 180) / Math.PI + 180) % 360) + 360) % 360) - 180, (to * 180) / Math.PI]
}
