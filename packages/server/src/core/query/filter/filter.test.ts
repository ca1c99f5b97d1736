import { randomBytes } from 'node:crypto'
import { type FilterOperator, filterOperators } from '@guerdon/engine'
import type { MetadataType, Shape } from '@guerdon/engine/schema'
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  between,
  calendarCases,
  days,
  leapDayCases,
  midnightCases,
  year,
} from '../../../../../engine/src/testing/calendar-cases.ts'
import {
  type FilterCase,
  filterCases,
  filterRows,
  junctionCases,
  typedCases,
  typedMetadata,
  typedRows,
} from '../../../../../engine/src/testing/filter-cases.ts'
import { testDatabase } from '../../../testing/database.ts'
import { scaled } from '../../../testing/scale.ts'
import { ApiError, invalidPayload } from '../../http/errors.ts'
import { todayIn } from './calendar.ts'
import type { FilterMoment } from './field.ts'
import { type FilterFields, filterSql, isDayRelative, locationsIn, metadataField, parseFilter } from './filter.ts'

const fields: FilterFields = {
  id: { type: 'string', column: 'id' },
  name: { type: 'string', column: 'name' },
  email: { type: 'string', column: 'name', case_insensitive: true },
  price: { type: 'number', column: 'price' },
  active: {
    type: 'boolean',
    column: 'active',
    states: { $enabled: () => sql`active`, $expired: ({ now }) => sql`seen < ${now}::timestamptz` },
  },
  born: { type: 'date', column: 'born' },
  birthdate: { type: 'date', column: 'born', ignores_year: true },
  seen: { type: 'datetime', column: 'seen' },
  tags: { type: 'array', column: 'tags' },
  attributes: { type: 'array', column: 'tags' },
  'metadata.*': metadataField('metadata'),
  'lengths.*.plus_one': (star) => ({
    type: 'number',
    column: sql`length(name) + length(${star}::text) - length(${star}::text) + 1`,
  }),
}

interface Row {
  id: string
  name?: string | null
  price?: number | null
  active?: boolean | null
  born?: string | null
  seen?: string | null
  tags?: unknown
  metadata?: Record<string, unknown> | null
}

const schema = `filter_${randomBytes(6).toString('hex')}`
const table = `${schema}.things`
const columns = sql.raw(
  'project_id text, id text, name text, price bigint, active boolean, born date, seen timestamptz, tags jsonb, metadata jsonb, created_at timestamptz, updated_at timestamptz',
)
const wednesday: FilterMoment = { now: '2025-02-26T12:00:00.000Z', timezone: 'GMT' }
const conditions = (operator: string, argument: unknown) => ({ conditions: { [operator]: argument } })
/** An argument for each kind that operators take. */
const sampleArguments: Record<string, unknown> = {
  value: '1',
  text: 'x',
  magnitude: 1,
  instant: '2025-01-01',
  integer: 1,
}

beforeAll(async () => {
  const { db } = await testDatabase()
  // In a schema of its own: other tests delete or export the rows of a project in all tables of the service's schema.
  await sql`create schema ${sql.ref(schema)}`.execute(db)
  await sql`create table ${sql.table(table)} (${columns})`.execute(db)
})

/** Stores rows in a new project; returns a function from a filter to the ids it finds, in the order of the rows. */
async function stored(rows: Row[], fieldsOfRows = fields) {
  const { db } = await testDatabase()
  const projectId = randomBytes(8).toString('hex')
  const json = JSON.stringify(
    rows.map((row, position) => ({ ...row, project_id: projectId, created_at: new Date(position).toISOString() })),
  )
  await sql`insert into ${sql.table(table)} select * from jsonb_to_recordset(${json}::jsonb) as row (${columns})`.execute(
    db,
  )
  return async (raw: unknown, moment = wednesday, locations: ReadonlyMap<string, Shape> = new Map()) => {
    const filter = parseFilter(raw, fieldsOfRows)
    const found = await sql<{ id: string }>`
      select id from ${sql.table(table)} where project_id = ${projectId} and ${filterSql(filter, moment, { locations })} order by created_at
    `.execute(db)
    return found.rows.map(({ id }) => id)
  }
}

function refusal(raw: unknown): ApiError {
  try {
    parseFilter(raw, fields)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('was not refused')
}

describe('operators', () => {
  let find: Awaited<ReturnType<typeof stored>>
  beforeAll(async () => {
    const active: Record<string, boolean> = { ann: true, bob: false }
    find = await stored(
      Object.entries(filterRows).map(([id, { attributes: tags, ...row }]) => ({
        id,
        ...row,
        tags,
        active: active[id] ?? null,
      })),
    )
  })

  test.each<FilterCase>([
    ...filterCases,
    ['active', '$is', 'TRUE', 'ann'],
    ['active', '$is', [true, false], 'ann bob'],
    ['active', '$is_not', 'false', 'ann cleo empty none'],
    ['active', '$more_than', 0, ''],
    ['lengths.of.names.plus_one', '$is', 4, 'ann'],
  ])('%s %s %j: %s', async (field, operator, argument, expected) => {
    expect((await find({ [field]: conditions(operator, argument) })).join(' ')).toBe(expected)
  })

  test.each(junctionCases)(
    'operators of a field are joined with and, fields with the junction: %j: %s',
    async (filter, expected) => {
      expect((await find(filter)).join(' ')).toBe(expected)
    },
  )

  test('a filter without fields matches everything', async () => {
    for (const raw of [undefined, null]) expect(await find(raw)).toHaveLength(5)
  })
})

test('a state operator is defined by its field, and false on other fields', async () => {
  const find = await stored([
    { id: 'on', active: true, seen: '2025-02-26T11:59:59.999Z' },
    { id: 'off', active: false, seen: '2025-02-26T12:00:00.000Z' },
  ])
  expect(await find({ active: conditions('$enabled', true) })).toEqual(['on'])
  expect(await find({ active: conditions('$expired', '') })).toEqual(['on'])
  expect(await find({ active: conditions('$expired', '') }, { ...wednesday, now: '2025-02-26T12:00:00.001Z' })).toEqual(
    ['on', 'off'],
  )
  expect(await find({ active: conditions('$redeemed', true) })).toEqual([])
  expect(await find({ name: conditions('$enabled', true) })).toEqual([])
  // Disabled with `false` it is ignored, also as one of two alternatives.
  expect(await find({ junction: 'or', active: conditions('$enabled', 'FALSE'), id: conditions('$is', 'off') })).toEqual(
    ['off'],
  )
  // Filters on such fields may omit `conditions` and the dollar sign.
  expect(await find({ active: { $enabled: true } })).toEqual(['on'])
  expect(await find({ active: { conditions: { enabled: '' } } })).toEqual(['on'])
})

describe('metadata of a known type', () => {
  const typed: FilterFields = { 'metadata.*': metadataField('metadata', typedMetadata) }
  let find: Awaited<ReturnType<typeof stored>>
  beforeAll(async () => {
    find = await stored(
      Object.entries(typedRows).map(([id, metadata]) => ({ id, metadata })),
      typed,
    )
  })

  test.each(typedCases)('%s %s %j: %s', async (key, operator, argument, expected) => {
    expect((await find({ [`metadata.${key}`]: conditions(operator, argument) })).join(' ')).toBe(expected)
  })
})

describe('worked examples', () => {
  const warsaw: FilterMoment = { now: '2025-02-26T12:00:00.000Z', timezone: 'Europe/Warsaw' }

  test('E15 a segment filter', async () => {
    const find = await stored([
      { id: 'member', name: 'a@corp.example', price: 90_000 },
      { id: 'poor', name: 'a@corp.example', price: 40_000 },
      { id: 'vip', name: 'a@corp.example', price: 90_000, metadata: { vip: true } },
      { id: 'other', name: 'a@else.example', price: 100, metadata: { vip: true } },
    ])
    const sets = {
      email: conditions('$ends_with', ['@corp.example']),
      price: { conditions: { $more_than: [40_000], $less_than_equal: [90_000] } },
      'metadata.vip': conditions('$is_not', [true]),
    }
    expect(await find({ junction: 'and', ...sets })).toEqual(['member'])
    expect(await find({ junction: 'or', ...sets })).toEqual(['member', 'poor', 'vip'])
  })

  test.each<[field: string, operator: string, argument: unknown, found: boolean]>([
    ['birthdate', '$next_month', [true], true],
    ['birthdate', '$next_month_md', [true], true],
    ['metadata.born', '$next_month', [true], false],
    ['metadata.born', '$next_month_md', [true], true],
    ['birthdate', '$is_days_in_future_md', [3], true],
    ['metadata.born', '$is_days_in_future_md', [3], true],
    ['seen', '$less_than', [30], false],
    ['seen', '$less_than', [31], true],
    ['seen', '$more_than', [29], true],
    ['seen', '$is_days_ago', [30], true],
    ['metadata.seen', '$less_than', [30], false],
    ['metadata.seen', '$less_than', [31], true],
    ['metadata.seen', '$is_days_ago', [30], true],
  ])('E16 dates: %s %s %j is %s', async (field, operator, argument, found) => {
    const seen = '2025-01-27T12:00Z'
    const find = await stored([{ id: 'it', born: '1990-03-01', seen, metadata: { born: '1990-03-01', seen } }], {
      ...fields,
      'metadata.*': metadataField('metadata', { born: 'date', seen: 'datetime' }),
    })
    expect(await find({ [field]: conditions(operator, argument) }, warsaw)).toEqual(found ? ['it'] : [])
  })

  test.each<[key: string, operator: string, argument: unknown, found: boolean]>([
    ['tags', '$in', ['b', 'z'], true],
    ['tags', '$contains', ['a', 'z'], false],
    ['tags', '$contains', ['a', 'b'], true],
    ['tags', '$count', [2], true],
    ['tags', '$count_more', [2], false],
    ['none', '$not_in', ['a'], true],
    ['none', '$in', ['a'], false],
    ['none', '$count', [0], true],
  ])('E18 arrays: %s %s %j is %s', async (key, operator, argument, found) => {
    for (const types of [{}, { tags: 'string', none: 'string' } as const]) {
      const find = await stored([{ id: 'it', metadata: { tags: ['a', 'b'] } }], {
        'metadata.*': metadataField('metadata', types),
      })
      expect(await find({ [`metadata.${key}`]: conditions(operator, argument) })).toEqual(found ? ['it'] : [])
    }
  })
})

describe('locations', () => {
  const square = (west: number, south: number, east: number, north: number) => [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
  const locations = new Map<string, Shape>([
    ['loc_city', { type: 'circle', distance: { center: 'geo:52.2297,21.0122', radius: '2 km' } }],
    ['loc_mile', { type: 'circle', distance: { center: 'geo:52.2297,21.0122', radius: '1mi' } }],
    ['loc_steps', { type: 'circle', distance: { center: 'geo:52.2297,21.0122', radius: '1700 m' } }],
    ['loc_land', { type: 'polygon', geojson: { type: 'Polygon', coordinates: [square(10, 50, 12, 51)] } }],
    [
      'loc_isles',
      {
        type: 'polygon',
        geojson: {
          type: 'MultiPolygon',
          coordinates: [[square(0, 0, 1, 1)], [square(5, 5, 6, 6), square(5.2, 5.2, 5.8, 5.8)]],
        },
      },
    ],
    ['loc_faulty', { type: 'polygon', geojson: { type: 'Polygon', coordinates: [[[0, 0]]] } }],
    ['loc_east', { type: 'circle', distance: { center: 'geo:0,179.9', radius: '50 km' } }],
    ['loc_north', { type: 'circle', distance: { center: 'geo:89.5,0', radius: '300 km' } }],
    ['loc_south', { type: 'circle', distance: { center: 'geo:-89.5,0', radius: '300 km' } }],
  ])

  test('E19: inside the circle and the polygon, on its edge, and latitude first', async () => {
    const find = await stored([
      { id: 'near', metadata: { home: 'geo:52.2400,21.0300' } },
      { id: 'corner', metadata: { home: 'geo:52.2432,21.0342' } }, // 1.5 km north, 1.5 km east: 2.1 km
      { id: 'far', metadata: { home: '52.2550, 21.0500' } },
      { id: 'middle', metadata: { home: 'geo:50.5,11' } },
      { id: 'edge', metadata: { home: { lat: 51, lng: 11 } } },
      { id: 'swapped', metadata: { home: 'geo:11,50.5' } },
      { id: 'nowhere' },
    ])
    const where = (operator: string, ...ids: string[]) =>
      find({ 'metadata.home': conditions(operator, ids) }, wednesday, locations)
    expect(await where('$in_location', 'loc_city')).toEqual(['near'])
    expect(await where('$in_location', 'loc_mile')).toEqual([]) // 1.609 km, and it is 1.668 km away
    expect(await where('$in_location', 'loc_steps')).toEqual(['near'])
    expect(await where('$in_location', 'loc_land')).toEqual(['middle', 'edge'])
    expect(await where('$in_location', 'loc_land', 'loc_city', 'loc_land')).toEqual(['near', 'middle', 'edge'])
    expect(await where('$not_in_location', 'loc_land', 'loc_city')).toEqual(['corner', 'far', 'swapped', 'nowhere'])
  })

  test('an unknown or invalid location contains no point', async () => {
    const find = await stored([{ id: 'here', metadata: { home: 'geo:0,0' } }])
    for (const ids of [['loc_none'], ['loc_faulty'], ['loc_none', 'loc_faulty']]) {
      expect(await find({ 'metadata.home': conditions('$in_location', ids) }, wednesday, locations)).toEqual([])
      expect(await find({ 'metadata.home': conditions('$not_in_location', ids) }, wednesday, locations)).toEqual([
        'here',
      ])
    }
    expect(await find({ 'metadata.home': conditions('$in_location', 'loc_isles') })).toEqual([])
  })

  test('no stored value makes a statement fail, and a value that is not a point is outside', async () => {
    const tiny = `0.${'0'.repeat(330)}1`
    const long = `0.${'3'.repeat(20_000)}`
    const inside = ['geo:0,0', '0.5,\u00a00.5', `geo:${tiny},${tiny}`, `-${tiny},+000.5`, `geo:${long},${long}`, '0,0']
    const odd = [
      ...['geo:', 'geo:,', ',', '0.5', '0.5,0.5,0.5', '0.5 0.5', 'GEO:0.5,0.5', 'geo:geo:0.5,0.5', '.5,0.5', '0.5,5.'],
      ...['geo:NaN,0.5', 'Infinity,0.5', '1e0,0.5', '0x1,0.5', '0.5,  0.5', '\u200b0.5,0.5', '0.5,0.5\n', '0001,0.5'],
      ...['geo:91,0', '-91,0', '0.5,181', `geo:${'9'.repeat(400)},1`, '😀', '', true, 5, null, ['geo:0.5,0.5'], {}],
      ...[
        { lat: 0.5 },
        { lat: '0.5', lng: 0.5 },
        { lat: 1e308, lng: 0.5 },
        { lat: [0.5], lng: 0.5 },
        { lat: null, lng: 0 },
      ],
    ]
    const find = await stored([
      ...inside.map((home, n) => ({ id: `inside${n}`, name: home, metadata: { home } })),
      { id: 'object', metadata: { home: { lat: 5e-324, lng: 0.5 } } },
      ...odd.map((home, n) => ({ id: `odd${n}`, name: typeof home === 'string' ? home : null, metadata: { home } })),
    ])
    const everywhere = [...locations.keys()]
    expect(await find({ 'metadata.home': conditions('$in_location', everywhere) }, wednesday, locations)).toEqual([
      ...inside.map((_, n) => `inside${n}`),
      'object',
    ])
    expect(await find({ name: conditions('$in_location', everywhere) }, wednesday, locations)).toEqual(
      inside.map((_, n) => `inside${n}`),
    )
    expect(await find({ 'metadata.home': conditions('$not_in_location', everywhere) }, wednesday, locations)).toEqual(
      odd.map((_, n) => `odd${n}`),
    )
  })

  test('a shape with coordinates close to zero makes no statement fail', async () => {
    const find = await stored([
      { id: 'zero', metadata: { home: 'geo:0,0' } },
      { id: 'near', metadata: { home: `geo:0.${'0'.repeat(90)}1,-0.${'0'.repeat(90)}1` } },
      { id: 'half', metadata: { home: 'geo:0.5,0.25' } },
    ])
    /** A polygon of points in the form longitude, latitude. */
    const polygon = (points: string): Shape => ({
      type: 'polygon',
      geojson: { type: 'Polygon', coordinates: [points.split(', ').map((point) => point.split(' ').map(Number))] },
    })
    const nearZero = new Map<string, Shape>([
      ['loc_zero', polygon('-1e-90 -1e-300, 1 5e-324, 1e-200 1e-120, -1e-90 -1e-300')],
      ['loc_step', polygon('-1 -1, 1 -1, 1 1, 1e-90 0, 0 0, -1 1, -1 -1')],
      ['loc_tall', polygon('-1 -5e-324, 1 -5e-324, 1 30, 0 90, -1 30, -1 -5e-324')],
      ['loc_dot', { type: 'circle', distance: { center: `geo:0.${'0'.repeat(99)}1,0`, radius: '0.001 m' } }],
    ])
    const where = (id: string) => find({ 'metadata.home': conditions('$in_location', id) }, wednesday, nearZero)
    expect(await where('loc_zero')).toEqual(['zero'])
    expect(await where('loc_step')).toEqual(['zero', 'near'])
    expect(await where('loc_tall')).toEqual(['zero', 'near', 'half'])
    expect(await where('loc_dot')).toEqual(['zero', 'near'])
  })

  test('a stored number out of range makes no statement fail', async () => {
    const { db } = await testDatabase()
    const filter = parseFilter({ 'metadata.home': conditions('$not_in_location', 'loc_isles') }, fields)
    for (const lat of ['1e400', '1e-400', '-1e400']) {
      const metadata = sql`${`{"home": {"lat": ${lat}, "lng": 0.5}}`}::jsonb`
      const found =
        await sql`select from (select ${metadata} as metadata) as row where ${filterSql(filter, wednesday, { locations })}`.execute(
          db,
        )
      expect(found.rows).toHaveLength(lat === '1e-400' ? 0 : 1)
    }
  })

  test('more points than the limit are refused', () => {
    const ring = Array.from({ length: 50_001 }, (_, n) => [n % 50_000 === 0 ? 0 : n / 1_000, (n % 2) + 1])
    const shape: Shape = { type: 'polygon', geojson: { type: 'Polygon', coordinates: [[...ring, ring[0]!]] } }
    const many = new Map([['a', shape], ['b', shape]]) // biome-ignore format: two names for one shape
    const asking = (...ids: string[]) =>
      () => filterSql(parseFilter({ name: conditions('$in_location', ids) }, fields), wednesday, { locations: many }) // biome-ignore format: one call
    expect(asking('a', 'a')).not.toThrow()
    expect(asking('a', 'b')).toThrow(
      expect.objectContaining({
        key: 'invalid_query_params',
        message: 'Locations of a filter must NOT have more than 100000 points together',
      }),
    )
  })

  test('a circle over the 180° meridian contains points on both sides', async () => {
    const find = await stored([
      { id: 'east', name: '0,179.8' },
      { id: 'west', name: '0,-179.8' }, // 33 km
      { id: 'far', name: '0,-179' },
    ])
    expect(await find({ name: conditions('$in_location', 'loc_east') }, wednesday, locations)).toEqual(['east', 'west'])
  })

  test('locationsIn returns the locations of a filter', () => {
    const filter = parseFilter(
      {
        name: { conditions: { $in_location: ['loc_1', 'loc_2'], $is: 'loc_3' } },
        'metadata.home': conditions('$not_in_location', { 0: 'loc_2', 1: 'loc_4' }),
        'metadata.a.b': conditions('$has_value', ''),
      },
      fields,
    )
    expect(locationsIn(filter)).toEqual(['loc_1', 'loc_2', 'loc_4'])
    expect(locationsIn(parseFilter({}, fields))).toEqual([])
  })
})

describe('isDayRelative', () => {
  const typed: FilterFields = { ...fields, 'metadata.*': metadataField('metadata', { age: 'number', born: 'date' }) }
  const dayRelative = Object.keys(filterOperators).filter((name) =>
    /_ago|future|today|yesterday|tomorrow|(this|last|next)_(week|month|year)/.test(name),
  )
  const asks = (field: string, operator: string, argument: unknown) =>
    isDayRelative(parseFilter({ [field]: conditions(operator, argument) }, typed))

  test('is true for operators relative to today, and for no others', () => {
    expect(dayRelative).toHaveLength(6 + 12 + 1 + 9 + 6)
    for (const [operator, { takes }] of Object.entries(filterOperators)) {
      const countsDays = takes === 'magnitude' || dayRelative.includes(operator)
      for (const field of ['born', 'birthdate', 'seen', 'metadata.born', 'metadata.unknown']) {
        const argument = takes === 'value' ? '2025-01-01' : (sampleArguments[takes] ?? true)
        expect([operator, field, asks(field, operator, argument)]).toEqual([operator, field, countsDays])
      }
      for (const field of ['name', 'price', 'tags', 'metadata.age'])
        expect([operator, field, asks(field, operator, sampleArguments[takes] ?? true)]).toEqual([
          operator,
          field,
          false,
        ])
    }
    expect(asks('seen', '$more_than', '2025-01-01')).toBe(false)
    expect(asks('seen', '$more_than', ['2025-01-01', 5])).toBe(true)
  })

  test('one field is enough, and disabled operators do not count', () => {
    const both = { price: conditions('$more_than', 5), seen: conditions('$today', true) }
    expect(isDayRelative(parseFilter({ junction: 'or', ...both }, typed))).toBe(true)
    expect(asks('seen', '$today', false)).toBe(false)
    expect(isDayRelative(parseFilter({}, typed))).toBe(false)
  })

  test('today is the day of the project', () => {
    expect(todayIn({ now: '2025-06-30T15:00:00.000Z', timezone: 'Asia/Tokyo' })).toBe('2025-07-01')
    expect(todayIn({ now: '2025-06-30T14:59:59.999Z', timezone: 'Asia/Tokyo' })).toBe('2025-06-30')
  })
})

describe('an index is used', () => {
  const types: Record<string, MetadataType> = { n: 'number', b: 'boolean', d: 'date', s: 'string', g: 'geopoint' }
  const typed: FilterFields = { 'metadata.*': metadataField('metadata', types) }
  let indexed: string
  beforeAll(async () => {
    const { db } = await testDatabase()
    indexed = `indexed_${randomBytes(6).toString('hex')}`
    await sql`create table ${sql.table(indexed)} (id int, metadata jsonb)`.execute(db)
    await sql`insert into ${sql.table(indexed)} select n, jsonb_build_object('n', n, 's', 'text ' || n) from generate_series(1, 200) n`.execute(
      db,
    )
    await sql`create index on ${sql.table(indexed)} using gin (metadata jsonb_path_ops)`.execute(db)
  })

  test.each<[key: string, operator: string, argument: unknown]>([
    ['x', '$is', 'a'],
    ['x', '$is', '5'],
    ['x', '$in', ['a', 'true', '7.5']],
    ['n', '$is', '5'],
    ['n', '$in', [1, '2.50', 'cheap']],
    ['b', '$is', true],
    ['d', '$is', '2025-02-26'],
    ['d', '$in', ['2025-02-26T10:00Z', '2025-02-27']],
    ['s', '$in', ['text 1', 'text 2']],
    ['g', '$is', 'geo:1,1'],
  ])('metadata.%s %s %j', async (key, operator, argument) => {
    const { db } = await testDatabase()
    const plan = await db.transaction().execute(async (trx) => {
      await sql`set local enable_seqscan = off`.execute(trx)
      const filter = parseFilter({ [`metadata.${key}`]: conditions(operator, argument) }, typed)
      return sql`explain (format json) select id from ${sql.table(indexed)} where ${filterSql(filter, wednesday)}`.execute(
        trx,
      )
    })
    expect(JSON.stringify(plan.rows)).toMatch(/"Bitmap Index Scan"/)
    expect(JSON.stringify(plan.rows)).not.toMatch(/"Seq Scan"/)
  })

  let codes: string
  beforeAll(async () => {
    const { db } = await testDatabase()
    codes = `codes_${randomBytes(6).toString('hex')}`
    await sql`create table ${sql.table(codes)} (code text collate "C", email text)`.execute(db)
    await sql`insert into ${sql.table(codes)} select 'A-' || n, 'Ann' || n || '@shop.test' from generate_series(1, 5000) n`.execute(
      db,
    )
    await sql`create index on ${sql.table(codes)} (code)`.execute(db)
    await sql`create index on ${sql.table(codes)} (lower(email) text_pattern_ops)`.execute(db)
    await sql`analyze ${sql.table(codes)}`.execute(db)
  })

  test.each<[field: string, prefixes: string[]]>([
    ['code', ['A-17']],
    ['code', ['A-17', 'A-18', '100%_\\']],
    ['email', ['ANN17']],
  ])('%s $starts_with %j', async (field, prefixes) => {
    const { db } = await testDatabase()
    const texts: FilterFields = {
      code: { type: 'string', column: 'code' },
      email: { type: 'string', column: 'email', case_insensitive: true },
    }
    const found = filterSql(parseFilter({ [field]: conditions('$starts_with', prefixes) }, texts), wednesday)
    const { rows } = await sql`select code from ${sql.table(codes)} where ${found}`.execute(db)
    expect(rows).toHaveLength(prefixes.length === 1 ? 111 : 222)
    const plan = await sql`explain (format json) select code from ${sql.table(codes)} where ${found}`.execute(db)
    expect(JSON.stringify(plan.rows)).toMatch(/"Index Cond":/)
    expect(JSON.stringify(plan.rows)).not.toMatch(/"Seq Scan"/)
  })
})

describe('calendar', () => {
  let find: Awaited<ReturnType<typeof stored>>
  beforeAll(async () => {
    find = await stored([
      ...days.map((day) => ({
        id: day,
        born: day,
        seen: `${day}T12:00Z`,
        metadata: { day, at: `${day}T14:00:00.5+02:00`, hour: `${day}T12` },
      })),
      { id: 'never', metadata: { day: 'soon', at: '', hour: [true] } },
    ])
  })

  test.each<[operator: string, argument: unknown, expected: string[]]>([
    ...calendarCases,
    ['$more_than', '2025-02-26T11:59:59Z', between('2025-02-26', '9999-12-31')],
    ['$after', '2025-02-27', between('2025-02-27', '9999-12-31')],
    ['$before', '2025-02-27', between('0', '2025-02-26')],
  ])('%s %j', async (operator, argument, expected) => {
    for (const field of ['seen', 'born', 'metadata.day', 'metadata.at', 'metadata.hour']) {
      // Compared as a moment, a date is midnight in UTC; all other values are noon.
      const atNoon = operator === '$more_than' && argument === '2025-02-26T11:59:59Z'
      const atMidnight = atNoon || operator === '$after'
      const shown = atMidnight && (field === 'born' || field === 'metadata.day') ? expected.slice(1) : expected
      expect([field, ...(await find({ [field]: conditions(operator, argument) }))]).toEqual([field, ...shown])
    }
  })

  test('a date equals its own day, a moment itself', async () => {
    expect(await find({ born: conditions('$is', '2025-02-26') })).toEqual(['2025-02-26'])
    expect(await find({ born: conditions('$is', '2025-02-26T23:00-05:00') })).toEqual(['2025-02-27'])
    expect(await find({ seen: conditions('$is', ['2025-02-26T13:00+01:00', '2025-02-27']) })).toEqual(['2025-02-26'])
    expect(await find({ born: conditions('$is_unknown', '') })).toEqual(['never'])
  })

  test('on a birthdate, periods up to a month ignore the year, longer ones do not', async () => {
    expect(await find({ birthdate: conditions('$today', true) })).toEqual(['2023-02-26', '2025-02-26'])
    expect(await find({ birthdate: conditions('$this_month', true) })).toEqual(
      days.filter((day) => day.includes('-02-')),
    )
    expect(await find({ birthdate: conditions('$this_year', true) })).toEqual(year('2025'))
    expect(await find({ birthdate: conditions('$is_days_ago', 0) })).toEqual(['2025-02-26'])
  })

  test('a week around New Year wraps', async () => {
    const newYear: FilterMoment = { now: '2026-01-01T12:00:00.000Z', timezone: 'UTC' } // a Thursday: 29 December to 4 January
    const expected = days.filter((day) => day.endsWith('12-31') || day.endsWith('01-01'))
    expect(await find({ born: conditions('$this_week_md', true) }, newYear)).toEqual(expected)
    expect(await find({ born: conditions('$this_week', true) }, newYear)).toEqual(['2025-12-31', '2026-01-01'])
    expect(await find({ born: conditions('$last_month', true) }, newYear)).toEqual(['2025-12-31'])
  })

  test.each(leapDayCases)('born on a 29 February: on %s %s %j is %s', async (today, operator, argument, found) => {
    const find = await stored([{ id: 'leap', born: '2000-02-29', metadata: { born: '2000-02-29' } }])
    const moment = { now: `${today}T12:00:00.000Z`, timezone: 'UTC' }
    for (const field of ['born', 'metadata.born'])
      expect(await find({ [field]: conditions(operator, argument) }, moment)).toHaveLength(found ? 1 : 0)
  })
})

describe('days begin at midnight of the project', () => {
  test.each(midnightCases)('%s in %s', async (now, timezone, first, last) => {
    const shifted = (at: string, milliseconds: number) => new Date(Date.parse(at) + milliseconds).toISOString()
    const moments = { before: shifted(first, -1), first, last, after: shifted(last, 1) }
    const find = await stored(Object.entries(moments).map(([id, seen]) => ({ id, seen, metadata: { seen } })))
    const today = new Date(Date.parse(first) + 12 * 3_600_000)
    const local = calendarOf(timezone).format(today)
    for (const field of ['seen', 'metadata.seen']) {
      const where = (operator: string, argument: unknown) =>
        find({ [field]: conditions(operator, argument) }, { now, timezone })
      expect(await where('$today', true)).toEqual(['first', 'last'])
      expect(await where('$yesterday', true)).toEqual(['before'])
      expect(await where('$is_days_in_future', 1)).toEqual(['after'])
      expect(await where('$today_md', true)).toEqual(['first', 'last'])
      expect(await where('$is_day_of_month', Number(local.slice(-2)))).toEqual(['first', 'last'])
    }
  })
})

/** Our `GMT+5:30` in the notation of Intl. */
function ianaOf(timezone: string): string {
  const offset = /^GMT([+-])(\d+)(?::(\d+))?$/.exec(timezone)
  return offset === null ? timezone : `${offset[1]}${offset[2]?.padStart(2, '0')}:${offset[3] ?? '00'}`
}

describe('invalid filters', () => {
  test('a misspelt field or operator gets the one that was probably meant', () => {
    expect(refusal({ pricee: conditions('$is', 1) }).facts.details).toBe(
      "Property .filters.pricee is not a known field. Did you mean 'price'?",
    )
    expect(refusal({ price: conditions('$moreThan', 1) }).facts.details).toMatch(/\. Did you mean '\$more_than'\?$/)
  })

  test('a malformed filter or an unknown operator gets one message that describes the format', () => {
    const { status, key, facts } = refusal({ name: conditions('$like', 'x') })
    expect([status, key]).toEqual([400, 'invalid_query_params'])
    expect(facts.details).toMatch(
      /^Property \.filters should match either filters\[\$\{field}]\[conditions]\[\$\{condition}]\[\$\{index}] or filters\[\$\{field}]\[conditions]\[\$\{condition}] format and condition must be one of: \$is, \$is_not, \$in, /,
    )
    for (const raw of [
      'name',
      ['name'],
      { name: 'Ann' },
      { name: { $is: 'Ann' } },
      { name: { conditions: {} } },
      { name: { conditions: 'Ann' } },
      { name: { conditions: { $is: 'Ann' }, $is: 'Bob' } },
      { name: conditions('$is', []) },
      { name: conditions('$is', null) },
      { name: conditions('$is', [['Ann']]) },
      { name: conditions('$is', { a: 'Ann' }) },
      { name: conditions('toString', 'Ann') },
      { junction: 'xor' },
      { junction: Object.create(null) },
    ])
      expect(refusal(raw).facts.details).toBe(facts.details)
  })

  test.each(['unknown', 'metadata', 'metadata.', 'metadata.a\0b', 'lengths.plus_one', 'constructor', '__proto__'])(
    'the unknown field %j is named',
    (name) => {
      const raw = Object.fromEntries([[name, conditions('$is', 'x')]])
      expect(refusal(raw).facts.details).toBe(`Property .filters.${name} is not a known field`)
    },
  )

  test.each<[field: string, operator: string, argument: unknown, message: string]>([
    ['price', '$is', 'cheap', 'must be number'],
    ['price', '$is', '', 'must be number'],
    ['price', '$more_than', '2025-01-01', 'must be number'],
    ['price', '$is', '0x10', 'must be number'],
    ['price', '$is', '1e999', 'must be number'],
    ['active', '$is', 'yes', 'must be boolean'],
    ['born', '$is', '2025-02-30', 'cannot be recognized as a ISO-8601 compliant date'],
    ['seen', '$after', 'yesterday', 'cannot be recognized as a ISO-8601 compliant date'],
    ['seen', '$after', '0000-01-01', 'cannot be recognized as a ISO-8601 compliant date'],
    ['seen', '$before', '9999-12-31T23:00-02:00', 'cannot be recognized as a ISO-8601 compliant date'],
    ['seen', '$after', 5, 'cannot be recognized as a ISO-8601 compliant date'],
    ['seen', '$more_than', 'long', 'must be number or ISO-8601 compliant date'],
    ['metadata.x', '$more_than', 'long', 'must be number or ISO-8601 compliant date'],
    ['seen', '$is_days_ago', -1, 'must be >= 0'],
    ['seen', '$is_days_ago', '1.5', 'must be integer'],
    ['seen', '$is_days_ago', 'one', 'must be integer'],
    ['seen', '$is_day', 7, 'must be <= 6'],
    ['seen', '$is_month', '0', 'must be >= 1'],
    ['tags', '$count', -1, 'must be >= 0'],
    ['name', '$is', ['Ann', 'a\0b'], 'must be valid text'],
    ['metadata.x', '$is', '\ud800', 'must be valid text'],
  ])('%s %s %j %s', (field, operator, argument, message) => {
    expect(refusal({ [field]: conditions(operator, argument) }).facts.details).toBe(
      `Property .filters.${field}.conditions.${operator} ${message}`,
    )
  })

  test('in a body the same error is an invalid payload and names its property', () => {
    const parse = (raw: unknown) => () => parseFilter(raw, fields, { refuse: invalidPayload, property: '.filter' })
    expect(parse({ price: conditions('$is', 'x') })).toThrow('Property .filter.price.conditions.$is must be number')
    expect(parse({ price: 5 })).toThrow(
      expect.objectContaining({ key: 'invalid_payload', message: expect.stringMatching(/either filter\[\$\{field}]/) }),
    )
  })

  test('50 fields and 1000 values are accepted, one more is refused', async () => {
    const find = await stored([{ id: 'a', metadata: { f7: 'v19' } }])
    const values = (count: number) => Array.from({ length: count }, (_, n) => `v${n}`)
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`metadata.f${n}`, conditions('$in', values(20))]))
    expect(await find({ junction: 'or', ...many(50) })).toEqual(['a'])
    expect(refusal(many(51)).facts.details).toBe('Property .filters must NOT have more than 50 fields')
    expect(await find({ 'metadata.f7': conditions('$not_in', values(1_000)) })).toEqual([])
    expect(refusal({ name: conditions('$in', values(1_001)) }).facts.details).toBe(
      'Property .filters must NOT have more than 1000 values',
    )
    const dates = {
      'metadata.f7': conditions(
        '$more_than',
        Array.from({ length: 1_000 }, (_, n) => n),
      ),
    }
    expect(await find(dates)).toEqual([])
    const near = {
      'metadata.f7': conditions(
        '$is_days_ago_md',
        Array.from({ length: 1_000 }, (_, n) => n),
      ),
    }
    expect(await find(near)).toEqual([])
  })
})

describe('values of a caller never become SQL', () => {
  const nasty = [
    `' or 1=1 --`,
    `"; drop table ${table}; --`,
    `\\' or true`,
    '$1',
    '?',
    '{"a":1}',
    `'::jsonb or true`,
    '%',
    `a'b"c`,
  ]

  test.each(nasty)('%s is only text', async (text) => {
    const find = await stored([
      { id: 'it', name: text, tags: [text], metadata: { [text]: text } },
      { id: 'other', name: 'x', tags: ['x'], metadata: { x: 'x' } },
    ])
    for (const field of ['name', 'email', 'tags', `metadata.${text}`]) {
      for (const operator of ['$is', '$in', '$contains'])
        expect(await find({ [field]: conditions(operator, text) })).toEqual(['it'])
      for (const operator of ['$is_not', '$not_in', '$not_contain'])
        expect(await find({ [field]: conditions(operator, text) })).toEqual(['other'])
      expect(refusal({ [`${field}${text}`.replace(/^metadata\./, '')]: conditions('$is', 1) }).key).toBe(
        'invalid_query_params',
      )
    }
    for (const operator of ['$starts_with', '$ends_with'])
      expect(await find({ name: conditions(operator, text) })).toEqual(['it'])
    expect(await find({ [`metadata.${text}`]: conditions('$has_value', text) })).toEqual(['it'])
    expect(refusal({ name: conditions(text, 'x') }).key).toBe('invalid_query_params')
  })

  test('the SQL text does not depend on the values of a caller', async () => {
    const { db } = await testDatabase()
    const textFor = (key: string, value: Record<string, unknown>) =>
      Object.keys(filterOperators).map((operator) => {
        const { takes } = filterOperators[operator as FilterOperator]
        const filter = parseFilter({ [`metadata.${key}`]: conditions(operator, value[takes]) }, fields)
        return sql`select ${filterSql(filter, wednesday)}`.compile(db).sql
      })
    const plain = textFor('x', { ...sampleArguments, value: 'x' })
    const other = textFor(`'"quoted`, {
      value: `'"$1`,
      text: `'\\%`,
      magnitude: 2,
      instant: '1999-12-31T23:59Z',
      integer: 3,
    })
    expect(other).toEqual(plain)
  })
})

test('no stored value makes a statement fail, and a value that is not a date has no day', async () => {
  const bad = [
    [
      '2025-02-30',
      '2025-13-01',
      '0000-01-01',
      '2025-02-29',
      '1900-02-29',
      '2025-1-1',
      '2025-02-26T25:00',
      '2025-02-26T12:60Z',
      ' 2025-02-26',
    ],
    [
      '2025-02-26T12:00:00+99:00',
      '2025-02-26T12:00:00+15:00',
      '2025-02-26 12:00',
      '2025-02-26T',
      '2025-02-26\n',
      'today',
      'now',
      'infinity',
    ],
    [20250226, 1.7e308, -0.5, true, null, [], ['2025-02-26'], {}, { day: '2025-02-26' }, '', 'NaN', '😀'],
  ].flat()
  const good = [
    '2025-02-26',
    '2025-02-26T12',
    '2025-02-26T12:00+0100',
    '2025-02-26T23:59:59.999999999Z',
    '2025-02-26T00:00:00Z',
  ]
  const find = await stored([
    ...bad.map((x, n) => ({ id: `bad${n}`, tags: x, metadata: { x } })),
    ...good.map((x, n) => ({ id: `good${n}`, metadata: { x } })),
    { id: 'leap', metadata: { x: '2000-02-29' } },
  ])
  expect(await find({ 'metadata.x': conditions('$today', true) })).toEqual([
    'good0',
    'good1',
    'good2',
    'good3',
    'good4',
  ])
  expect(await find({ 'metadata.x': conditions('$before', '2100-01-01') })).toHaveLength(good.length + 1)
  for (const [operator, { takes }] of Object.entries(filterOperators)) {
    for (const field of ['tags', 'metadata.x']) {
      await expect(find({ [field]: conditions(operator, sampleArguments[takes]) })).resolves.toBeInstanceOf(Array)
    }
  }
})

describe('compared with an independent implementation of the reference', () => {
  test('every operator finds the documented rows', async () => {
    const { db } = await testDatabase()
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRow, { minLength: 1, maxLength: 12 }),
        anyFilter,
        anyMoment,
        async (rows, filter, moment) => {
          const json = JSON.stringify(rows.map((row, n) => ({ ...row, id: String(n) })))
          const found = await sql<{ id: string }>`
          select id from jsonb_to_recordset(${json}::jsonb) as row (${columns}) where ${filterSql(parseFilter(filter, fields), moment)} order by id::int
        `.execute(db)
          const expected = rows.flatMap((row, n) => (matches(row, filter, moment) ? [String(n)] : []))
          expect(found.rows.map(({ id }) => id)).toEqual(expected)
        },
      ),
      { numRuns: scaled(700, 150) },
    )
  })
})

const anyDay = fc
  .date({ min: new Date('2023-11-01'), max: new Date('2026-02-28'), noInvalidDate: true })
  .map((date) => date.toISOString())
const anyWord = fc.constantFrom('', 'a', 'A', 'ab', 'b%', 'a_b', '\\', '5', '5.0', 'true', '2024-02-29')
const anyNumber = fc.constantFrom(-1, 0, 1, 2, 5, 5.5, 40, 365)
const anyJson = fc.oneof(
  anyWord,
  anyNumber,
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.oneof(anyWord, anyNumber, fc.boolean()), { maxLength: 3 }),
  anyDay,
  anyDay.map((day) => day.slice(0, 10)),
  fc.constant({ a: 'a' }),
)

const anyRow = fc.record({
  name: fc.option(anyWord),
  price: fc.option(fc.integer({ min: -2, max: 6 })),
  active: fc.option(fc.boolean()),
  born: fc.option(anyDay.map((day) => day.slice(0, 10))),
  seen: fc.option(anyDay),
  tags: fc.option(fc.array(fc.oneof(anyWord, anyNumber, fc.boolean()), { maxLength: 3 })),
  metadata: fc.record({ x: anyJson }, { requiredKeys: [] }),
})
type AnyRow = typeof anyRow extends fc.Arbitrary<infer T> ? T : never

const anyMoment = fc.record({
  now: anyDay,
  timezone: fc.constantFrom('UTC', 'Asia/Tokyo', 'America/New_York', 'GMT+5:30', 'GMT-3', 'Pacific/Auckland'),
})

const typeOf = {
  name: 'string',
  price: 'number',
  active: 'boolean',
  born: 'date',
  birthdate: 'date',
  seen: 'datetime',
  tags: 'array',
  'metadata.x': 'metadata',
}
type FieldName = keyof typeof typeOf

const stateOperators = Object.keys(filterOperators).filter((name) =>
  /active|expired|start$|enabled|disabled|redeem|failed|progress/.test(name),
)
const judged = (Object.keys(filterOperators) as FilterOperator[]).filter((name) => !stateOperators.includes(name))

const anyCondition = fc
  .tuple(fc.constantFrom(...(Object.keys(typeOf) as FieldName[])), fc.constantFrom(...judged))
  .chain(([field, operator]) => {
    const own: Record<string, fc.Arbitrary<string | number | boolean>> = {
      number: anyNumber,
      boolean: fc.boolean(),
      date: anyDay,
      datetime: anyDay,
    }
    const { takes } = filterOperators[operator]
    const bounds = { minimum: 0, maximum: 400, ...filterOperators[operator] }
    const argument = {
      nothing: fc.constant(''),
      switch: fc.constant(true),
      value: own[typeOf[field]] ?? fc.oneof(anyWord, anyNumber, fc.boolean()),
      text: anyWord,
      magnitude: typeOf[field] === 'number' ? anyNumber : fc.oneof(anyNumber, anyDay),
      instant: anyDay,
      integer:
        operator === '$is_year'
          ? fc.integer({ min: 2022, max: 2027 })
          : fc.oneof(
              fc.integer({ min: bounds.minimum, max: Math.min(bounds.maximum, 3) }),
              fc.integer({ min: bounds.minimum, max: bounds.maximum }),
            ),
    }[takes]
    return fc.array(argument, { minLength: 1, maxLength: 3 }).map((argument) => ({ field, operator, argument }))
  })

const anyFilter = fc
  .record({ junction: fc.constantFrom('and', 'or'), parts: fc.array(anyCondition, { minLength: 1, maxLength: 3 }) })
  .map(({ junction, parts }) => {
    const filter: Record<string, unknown> = { junction }
    for (const { field, operator, argument } of parts) {
      const { conditions = {} } = (filter[field] ?? {}) as { conditions?: object }
      filter[field] = { conditions: { ...conditions, [operator]: argument } }
    }
    return filter
  })

function matches(row: AnyRow, { junction, ...sets }: Record<string, unknown>, moment: FilterMoment): boolean {
  const results = Object.entries(sets).map(([field, set]) =>
    Object.entries((set as { conditions: Record<string, unknown[]> }).conditions).every(([operator, argument]) =>
      holds(field as FieldName, row, operator, argument as Argument[], moment),
    ),
  )
  return junction === 'and' ? results.every(Boolean) : results.some(Boolean)
}

type Argument = string | number | boolean

/** The documented meaning, line by line: days are integers since 1970, and nothing is shared with the code under test. */
function holds(
  field: FieldName,
  row: AnyRow,
  operator: string,
  argument: Argument[],
  { now, timezone }: FilterMoment,
): boolean {
  const type = typeOf[field]
  const stored = field === 'metadata.x' ? row.metadata.x : row[field === 'birthdate' ? 'born' : (field as 'name')]
  const v = stored === undefined || stored === '' ? null : (stored as unknown)
  const one = (test: (a: never) => boolean) => argument.some((a) => test(a as never))

  const spells = (value: unknown, a: Argument): boolean => {
    if (typeof value === 'number') return /^[\d.-]+$/.test(String(a)) && value === Number(a)
    if (typeof value === 'boolean') return String(a).toLowerCase() === String(value)
    return type === 'datetime'
      ? Date.parse(String(value)) === Date.parse(String(a))
      : type === 'date'
        ? value === String(a).slice(0, 10)
        : value === String(a)
  }
  const equals = (a: Argument) =>
    Array.isArray(v) ? v.some((element) => spells(element, a)) : v !== null && spells(v, a)
  const includes = () =>
    Array.isArray(v)
      ? argument.every((a) => v.some((element) => spells(element, a)))
      : isText && one((a: string) => (v as string).includes(a))
  const isText = typeof v === 'string' && (type === 'string' || type === 'metadata')
  const isDate =
    typeof v === 'string' &&
    (type === 'date' || type === 'datetime' || (type === 'metadata' && /^\d{4}-\d\d-\d\d/.test(v)))
  const today = dayIn(now, timezone)
  const day = isDate ? (v.length === 10 ? dayNumber(v) : dayIn(v, timezone)) : Number.NaN // compares false with everything
  const d = today - day
  const at = isDate ? Date.parse(v) : Number.NaN
  const size = Array.isArray(v) ? v.length : v === null && (type === 'array' || type === 'metadata') ? 0 : Number.NaN

  /** Number: v against a; date and number: days ago; date and date: moments. */
  const compared = (test: (left: number, right: number) => boolean, past: boolean) =>
    one((a: string | number) => {
      if (typeof a === 'string') return test(at, Date.parse(a))
      return (typeof v === 'number' && test(v, a)) || (test(d, a) && (!past || d >= 0))
    })

  const periods: Record<string, (day: number) => boolean> = {
    $today: (day) => day === today,
    $yesterday: (day) => day === today - 1,
    $tomorrow: (day) => day === today + 1,
    $this_week: (day) => mondayOf(day) === mondayOf(today),
    $last_week: (day) => mondayOf(day) === mondayOf(today) - 7,
    $next_week: (day) => mondayOf(day) === mondayOf(today) + 7,
    $this_month: (day) => monthOf(day) === monthOf(today),
    $last_month: (day) => monthOf(day) === monthOf(today) - 1,
    $next_month: (day) => monthOf(day) === monthOf(today) + 1,
  }
  const years = [-1, 0, 1].map((years) => yearOf(today) + years)
  const anniversaries = isDate ? years.map((year) => anniversaryOf(day, year)) : []
  const period = periods[operator.replace(/_md$/, '')]
  if (period !== undefined)
    return operator.endsWith('_md') || field === 'birthdate' ? anniversaries.some(period) : isDate && period(day)

  const last = today - Math.max(...anniversaries.filter((day) => day <= today))
  const next = Math.min(...anniversaries.filter((day) => day >= today)) - today

  switch (operator) {
    case '$is':
    case '$in':
      return argument.some(equals)
    case '$is_not':
    case '$not_in':
      return !argument.some(equals)
    case '$has_value':
      return v !== null
    case '$is_unknown':
      return v === null
    case '$contains':
      return includes()
    case '$not_contain':
      return !includes()
    case '$starts_with':
      return isText && one((a: string) => v.startsWith(a))
    case '$ends_with':
      return isText && one((a: string) => v.endsWith(a))
    case '$more_than':
    case '$after':
      return compared((left, right) => left > right, false)
    case '$less_than':
    case '$before':
      return compared((left, right) => left < right, true)
    case '$more_than_equal':
    case '$more_than_or_equal':
      return compared((left, right) => left >= right, false)
    case '$less_than_equal':
    case '$less_than_or_equal':
      return compared((left, right) => left <= right, true)
    case '$is_days_ago':
      return one((a: number) => d === a)
    case '$more_than_ago':
      return one((a: number) => d > a)
    case '$less_than_ago':
      return one((a: number) => 0 <= d && d < a)
    case '$is_days_in_future':
      return one((a: number) => -d === a)
    case '$more_than_future':
      return one((a: number) => -d > a)
    case '$less_than_future':
      return one((a: number) => 0 <= -d && -d < a)
    case '$count':
      return one((a: number) => size === a)
    case '$count_more':
      return one((a: number) => size > a)
    case '$count_less':
      return one((a: number) => size < a)
    case '$this_year':
    case '$last_year':
    case '$next_year':
      return yearOf(day) === yearOf(today) + { $this_year: 0, $last_year: -1, $next_year: 1 }[operator]
    case '$is_day':
      return one((a: number) => new Date(day * 86_400_000).getUTCDay() === a)
    case '$is_day_of_month':
      return one((a: number) => new Date(day * 86_400_000).getUTCDate() === a)
    case '$is_month':
      return one((a: number) => new Date(day * 86_400_000).getUTCMonth() + 1 === a)
    case '$is_year':
      return one((a: number) => yearOf(day) === a)
    case '$is_years_ago':
      return one((a: number) => yearOf(today) - yearOf(day) === a && anniversaryOf(day, yearOf(today)) === today)
    case '$is_days_ago_md':
      return isDate && one((a: number) => last === a)
    case '$is_more_days_ago_md':
      return isDate && one((a: number) => last > a)
    case '$is_less_days_ago_md':
      return isDate && one((a: number) => last < a)
    case '$is_days_in_future_md':
      return isDate && one((a: number) => next === a)
    case '$is_more_days_in_future_md':
      return isDate && one((a: number) => next > a)
    case '$is_less_days_in_future_md':
      return isDate && one((a: number) => next < a)
    case '$in_location':
      return false
    case '$not_in_location':
      return true
    default:
      throw new Error(`the reference has no ${operator}`)
  }
}

const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 86_400_000
const dayIn = (at: string, timezone: string): number => dayNumber(calendarOf(timezone).format(new Date(at)))
const calendars = new Map<string, Intl.DateTimeFormat>()

/** Cached, because creating one takes longer than the query it checks. */
function calendarOf(timezone: string): Intl.DateTimeFormat {
  const calendar = calendars.get(timezone) ?? new Intl.DateTimeFormat('en-CA', { timeZone: ianaOf(timezone) })
  calendars.set(timezone, calendar)
  return calendar
}

const mondayOf = (day: number): number => day - ((new Date(day * 86_400_000).getUTCDay() + 6) % 7)
const yearOf = (day: number): number => new Date(day * 86_400_000).getUTCFullYear()
const monthOf = (day: number): number => yearOf(day) * 12 + new Date(day * 86_400_000).getUTCMonth()

function anniversaryOf(day: number, year: number): number {
  const date = new Date(day * 86_400_000)
  const [month, dayOfMonth] = [date.getUTCMonth(), date.getUTCDate()]
  const same = new Date(Date.UTC(year, month, dayOfMonth))
  return same.getUTCMonth() === month ? same.getTime() / 86_400_000 : Date.UTC(year, 1, 28) / 86_400_000
}

describe('a filter of many values reads the value of a row as often as one of few', () => {
  const texts = (n: number) => `x${n}`
  const days = (n: number) => new Date(Date.UTC(2000, 0, 1 + 2 * n)).toISOString().slice(0, 10)
  const smallNumbers = (n: number) => 1 + (n % 6)
  const evenNumbers = (n: number) => 2 * n
  const operators = Object.entries(filterOperators).filter(([, { takes }]) => takes !== 'nothing' && takes !== 'switch')

  /** The statement without its parameters. */
  async function statement(field: string, operator: string, count: number, make: (n: number) => unknown) {
    const { db } = await testDatabase()
    const argument = Array.from({ length: count }, (_, n) => make(n))
    const parsed = parseFilter({ [field]: conditions(operator, argument) }, fields)
    return filterSql(parsed, wednesday)
      .compile(db)
      .sql.replace(/(?:lower\()?\$\d+::\w+\)?(?:, )?/g, '')
  }

  test.each(operators.map(([operator]) => operator))('%s', async (operator) => {
    let compared = 0
    for (const field of ['name', 'email', 'price', 'active', 'born', 'seen', 'tags', 'metadata.k'])
      for (const make of [texts, days, smallNumbers, evenNumbers]) {
        const accepts = (count: number) => statement(field, operator, count, make)
        try {
          expect(await accepts(scaled(900, 90))).toBe(await accepts(scaled(400, 40)))
          compared += 1
        } catch (error) {
          if (!(error instanceof ApiError)) throw error // the operator does not take such values
        }
      }
    expect(compared).toBeGreaterThan(0)
  })
})
