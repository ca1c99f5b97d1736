import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Catalogue, Filter } from '../schema/index.ts'
import { between, calendarCases, days, leapDayCases, midnightCases } from '../testing/calendar-cases.ts'
import {
  filterCases,
  filterRows,
  junctionCases,
  typedCases,
  typedMetadata,
  typedRows,
} from '../testing/filter-cases.ts'
import { clockAt } from '../time/index.ts'
import { checkFilter, compileFilter, type FilterSubject } from './index.ts'
import { operators } from './operators.ts'

const wednesday = clockAt('2025-02-26T12:00:00.000Z', 'GMT')
const conditions = (operator: string, given: unknown) => ({ conditions: { [operator]: given } })

interface Setting {
  clock?: ReturnType<typeof clockAt>
  catalogue?: Catalogue
  subject?: FilterSubject
}

function fits(filter: unknown, fields: Record<string, unknown>, setting: Setting = {}): boolean {
  const { clock = wednesday, catalogue = {}, subject } = setting
  return compileFilter(filter as Filter, subject)((field) => fields[field], clock, catalogue)
}

/** The names of the rows that a condition on one field finds. */
function found(
  rows: Record<string, Record<string, unknown>>,
  field: string,
  operator: string,
  given: unknown,
  setting: Setting = {},
): string {
  const filter = { [field]: conditions(operator, given) }
  return Object.entries(rows)
    .filter(([, fields]) => fits(filter, fields, setting))
    .map(([name]) => name)
    .join(' ')
}

/** Values as the fields of `metadata`. */
const asMetadata = (values: Record<string, unknown> = {}) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`metadata.${key}`, value]))

describe('operators agree with the same filter in the database', () => {
  const rows = Object.fromEntries(
    Object.entries(filterRows).map(([id, { metadata, ...row }]) => [
      id,
      { ...row, email: row.name, ...asMetadata(metadata) },
    ]),
  )

  test.each(filterCases)('%s %s %j: %s', (field, operator, given, expected) => {
    expect(found(rows, field, operator, given)).toBe(expected)
  })

  test.each(junctionCases)(
    'operators of a field are joined with and, fields with the junction: %j: %s',
    (filter, expected) => {
      const names = Object.entries(rows).flatMap(([name, row]) => (fits(filter, row) ? [name] : []))
      expect(names.join(' ')).toBe(expected)
    },
  )
})

describe('types from a metadata schema', () => {
  const rows = Object.fromEntries(Object.entries(typedRows).map(([name, values]) => [name, asMetadata(values)]))

  test.each(typedCases)('%s %s %j: %s', (key, operator, given, expected) => {
    const setting: Setting = { catalogue: { metadata_types: { product: typedMetadata } } }
    expect(found(rows, `metadata.${key}`, operator, given, setting)).toBe(expected)
  })

  const catalogue: Catalogue = {
    metadata_types: {
      product: { n: 'number', b: 'boolean', s: 'string', at: 'datetime', on: 'date', many: 'datetime' },
      customer: { n: 'string' },
    },
  }
  test.each<[field: string, value: unknown, operator: string, given: unknown, expected: boolean]>([
    ['metadata.n', '5', '$is', '5.0', true],
    ['metadata.n', '5', '$more_than', 4, true],
    ['metadata.n', '2025-02-26', '$less_than', 4, false], // not a date
    ['metadata.b', 'TRUE', '$is', true, true],
    ['metadata.s', '2025-02-26', '$today', true, false], // a string, even if it looks like a date
    ['metadata.s', '2025-02-26', '$starts_with', '2025', true],
    ['metadata.at', '2025-02-26T11:00:00Z', '$is', '2025-02-26T12:00+01:00', true],
    ['metadata.at', '2025-02-26T11:00:00Z', '$starts_with', '2025', false],
    ['metadata.on', '2025-02-26', '$is', '2025-02-26T10:00Z', true],
    ['metadata.on', '2025-02-26', '$is', '2025-02-27', false],
    ['metadata.many', ['2025-02-26T11:00:00Z', '2020-01-01'], '$today', true, true],
    ['metadata.many', ['2020-01-01'], '$today', true, false],
    ['metadata.many', ['2020-01-01', '2024-01-01'], '$after', '2023-01-01', true],
    ['metadata.many', ['2020-01-01', '2024-01-01'], '$after', '2025-01-01', false],
    ['metadata.unknown', ['2025-02-26'], '$today', true, false],
    ['metadata.unknown', ['2025-02-26'], '$after', '2020-01-01', false],
  ])('%s = %j, %s %j: %s', (field, value, operator, given, expected) => {
    const filter = { [field]: conditions(operator, given) }
    expect(fits(filter, { [field]: value }, { catalogue })).toBe(expected)
  })

  test('are those of the filtered resource', () => {
    const filter = { 'metadata.n': conditions('$is', '5.0') }
    expect(fits(filter, { 'metadata.n': '5' }, { catalogue, subject: 'product' })).toBe(true)
    expect(fits(filter, { 'metadata.n': '5' }, { catalogue, subject: 'customer' })).toBe(false)
  })
})

describe('calendar', () => {
  const rows = Object.fromEntries([
    ...days.map((day) => [
      day,
      {
        created_at: `${day}T12:00:00.000Z`,
        birthdate: day,
        'metadata.day': day,
        'metadata.at': `${day}T14:00:00.5+02:00`,
        'metadata.hour': `${day}T12`,
        'publications.created_at': ['1999-09-09T00:00:00.000Z', `${day}T12:00:00.000Z`],
      },
    ]),
    ['never', { 'metadata.day': 'soon', 'metadata.at': '', 'metadata.hour': [true] }],
  ])

  test.each<[operator: string, given: unknown, expected: string[]]>([
    ...calendarCases,
    ['$more_than', '2025-02-27', between('2025-02-28', '9999-12-31')],
    ['$before', '2025-02-27', between('0', '2025-02-26')],
  ])('%s %j', (operator, given, expected) => {
    for (const field of ['created_at', 'metadata.day', 'metadata.at', 'metadata.hour']) {
      // An instant on the 27th is after its midnight, the date itself is not.
      const shown =
        operator === '$more_than' && given === '2025-02-27' && field !== 'metadata.day'
          ? between('2025-02-27', '9999-12-31')
          : expected
      expect([field, found(rows, field, operator, given)]).toEqual([field, shown.join(' ')])
    }
  })

  test('E16: on a birthdate the near periods ignore the year, on other dates they do not', () => {
    const ann = {
      birthdate: '1990-03-01',
      'metadata.date': '1990-03-01',
      'summary.orders.last_order_date': '2025-01-27T12:00:00.000Z',
    }
    const is = (field: string, operator: string, given: unknown) =>
      fits({ [field]: conditions(operator, given) }, ann, { clock: clockAt('2025-02-26T12:00:00Z', 'Europe/Warsaw') })
    expect(is('birthdate', '$next_month', [true])).toBe(true)
    expect(is('birthdate', '$next_month_md', [true])).toBe(true)
    expect(is('metadata.date', '$next_month', [true])).toBe(false)
    expect(is('metadata.date', '$next_month_md', [true])).toBe(true)
    expect(is('birthdate', '$is_days_in_future_md', [3])).toBe(true) // 27, 28 February, 1 March
    expect(is('birthdate', '$this_year', true)).toBe(false)
    expect(is('birthdate', '$is_days_ago', 0)).toBe(false)
    expect(is('birthdate', '$is', '1990-03-01')).toBe(true)
    const last = 'summary.orders.last_order_date' // d = 30
    expect(is(last, '$less_than', [30])).toBe(false)
    expect(is(last, '$less_than', [31])).toBe(true)
    expect(is(last, '$more_than', [29])).toBe(true)
    expect(is(last, '$is_days_ago', [30])).toBe(true)
  })

  test('one of several publications is enough', () => {
    expect(found(rows, 'publications.created_at', '$this_week', true)).toBe(
      between('2025-02-24', '2025-03-02').join(' '),
    )
    expect(found(rows, 'publications.created_at', '$before', '2000-01-01')).toBe(days.join(' '))
  })

  test('a week spans New Year', () => {
    const clock = clockAt('2026-01-01T12:00:00.000Z', 'UTC') // a Thursday: 29 December to 4 January
    const expected = days.filter((day) => day.endsWith('12-31') || day.endsWith('01-01')).join(' ')
    expect(found(rows, 'metadata.day', '$this_week_md', true, { clock })).toBe(expected)
    expect(found(rows, 'birthdate', '$this_week', true, { clock })).toBe(expected)
    expect(found(rows, 'metadata.day', '$this_week', true, { clock })).toBe('2025-12-31 2026-01-01')
  })

  test.each(leapDayCases)('birthday on 29 February: on %s %s %j is %s', (today, operator, given, expected) => {
    const filter = { birthdate: conditions(operator, given) }
    expect(fits(filter, { birthdate: '2000-02-29' }, { clock: clockAt(`${today}T12:00:00Z`, 'UTC') })).toBe(expected)
  })

  test.each(midnightCases)('the day of %s in %s is in the time zone of the project', (now, timezone, first, last) => {
    const at = (text: string, shift: number) => new Date(Date.parse(text) + shift).toISOString()
    const clock = clockAt(now, timezone)
    const is = (createdAt: string) =>
      fits({ created_at: conditions('$today', true) }, { created_at: createdAt }, { clock })
    expect([at(first, -1), first, last, at(last, 1)].map(is)).toEqual([false, true, true, false])
  })
})

test('E15: a segment', () => {
  const filter = {
    junction: 'and',
    email: conditions('$ends_with', ['@corp.example']),
    'summary.orders.total_amount': { conditions: { $more_than: [40_000], $less_than_equal: [90_000] } },
    'metadata.vip': conditions('$is_not', [true]),
  }
  const total = 'summary.orders.total_amount'
  const member = { email: 'a@corp.example', [total]: 90_000 }
  expect(fits(filter, member, { subject: 'customer' })).toBe(true)
  expect(fits(filter, { ...member, [total]: 40_000 })).toBe(false)
  expect(fits(filter, { ...member, 'metadata.vip': true })).toBe(false)
  expect(fits({ ...filter, junction: 'or' }, { ...member, [total]: 1, 'metadata.vip': true })).toBe(true)
})

test('locations come from the catalogue, and an invalid point is in none', () => {
  const catalogue: Catalogue = {
    locations: { loc_1: { type: 'circle', distance: { center: 'geo:52.2297,21.0122', radius: '2 km' } } },
  }
  const is = (operator: string, given: unknown, point: unknown) =>
    fits({ 'metadata.home': conditions(operator, given) }, { 'metadata.home': point }, { catalogue })
  expect(is('$in_location', ['loc_2', 'loc_1'], 'geo:52.24,21.03')).toBe(true)
  expect(is('$in_location', 'loc_1', 'geo:52.255,21.05')).toBe(false)
  expect(is('$not_in_location', 'loc_1', 'geo:52.24,21.03')).toBe(false)
  expect(is('$not_in_location', 'loc_1', 'geo:52.255,21.05')).toBe(true)
  expect(is('$in_location', ['loc_2', 'constructor', '__proto__'], 'geo:52.24,21.03')).toBe(false)
  expect(is('$in_location', 'loc_1', 'Warsaw')).toBe(false)
  expect(is('$not_in_location', 'loc_1', undefined)).toBe(true)
})

test('only named and valid locations match, and none without a catalogue of locations', () => {
  const circle = { type: 'circle' as const, distance: { center: 'geo:52.2297,21.0122', radius: '2 km' } }
  const locations = { loc_1: circle, loc_2: circle, loc_3: { ...circle, distance: { center: 'here', radius: '2 km' } } }
  const is = (given: unknown, catalogue: Catalogue) =>
    fits({ 'metadata.home': conditions('$in_location', given) }, { 'metadata.home': 'geo:52.24,21.03' }, { catalogue })
  expect(is(['loc_2'], { locations })).toBe(true)
  expect(is(['loc_3', 'loc_4'], { locations })).toBe(false)
  expect(is(['loc_1'], { locations: null })).toBe(false)
  expect(is(['loc_1'], { locations: {} })).toBe(false)
})

describe('faults', () => {
  test.each<[filter: unknown, fault: string | null]>([
    [{ price: conditions('$is', 5) }, null],
    [
      { created_at: conditions('$is_days_ago', 1.5) },
      'Property .filter.created_at.conditions.$is_days_ago must be integer',
    ],
    [{ created_at: conditions('$is_day', 7) }, 'Property .filter.created_at.conditions.$is_day must be <= 6'],
    [{ created_at: conditions('$is_month', '0') }, 'Property .filter.created_at.conditions.$is_month must be >= 1'],
    [
      { created_at: conditions('$after', 5) },
      'Property .filter.created_at.conditions.$after cannot be recognized as a ISO-8601 compliant date',
    ],
    [
      { 'metadata.x': conditions('$more_than', 'long') },
      'Property .filter.metadata.x.conditions.$more_than must be number or ISO-8601 compliant date',
    ],
    [
      { 'metadata.x': conditions('$more_than', '1e999') },
      'Property .filter.metadata.x.conditions.$more_than must be number or ISO-8601 compliant date',
    ],
    [{ price: conditions('$in', Array(1_000).fill(1)) }, null],
    [{ price: conditions('$in', Array(1_001).fill(1)) }, 'Property .filter must NOT have more than 1000 values'],
    [
      Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`metadata.f${n}`, conditions('$is', 1)])),
      'Property .filter must NOT have more than 50 fields',
    ],
  ])('%j', (filter, fault) => {
    expect(checkFilter(filter)).toBe(fault)
  })

  test.each<[filter: unknown]>([
    ['name'],
    [null],
    [['name']],
    [{ name: 'Ann' }],
    [{ name: { $is: 'Ann' } }],
    [{ name: { conditions: {} } }],
    [{ name: { conditions: { $is: 'Ann' }, $is: 'Bob' } }],
    [{ name: conditions('$like', 'x') }],
    [{ name: conditions('$is', []) }],
    [{ name: conditions('$is', null) }],
    [{ name: conditions('$is', [['Ann']]) }],
    [{ name: conditions('toString', 'Ann') }],
    [{ junction: 'xor' }],
  ])('%j does not have the form of a filter, and matches nothing', (filter) => {
    expect(checkFilter(filter)).toMatch(
      /^Property \.filter should match either filter\[\$\{field}]\[conditions]\[\$\{condition}]\[\$\{index}] or .* must be one of: \$is, \$is_not, \$in, /,
    )
    expect(fits(filter, { name: 'Ann' })).toBe(false)
  })

  test('a field that is not permitted is named', () => {
    const isPermitted = (field: string) => field !== 'secret'
    expect(checkFilter({ secret: conditions('$is', 'x') }, isPermitted)).toBe(
      'Property .filter.secret is not a known field',
    )
  })
})

test('arbitrary JSON never throws, and an accepted filter gives a result', () => {
  const argument = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(true, 0, 5, '7', '2025-02-26', 'geo:1,2'),
    fc.array(fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant('2024-02-29')), { maxLength: 3 }),
  )
  const set = fc.record({
    conditions: fc.dictionary(fc.constantFrom(...Object.keys(operators), '__proto__', '$like'), argument, {
      maxKeys: 3,
    }),
  })
  const field = fc.constantFrom('name', 'price', 'created_at', 'birthdate', 'attributes', 'metadata.x', '__proto__')
  const filter = fc.oneof(fc.jsonValue(), fc.dictionary(field, fc.oneof(set, fc.jsonValue({ maxDepth: 1 }))))
  fc.assert(
    fc.property(filter, fc.jsonValue(), (filter, value) => {
      const fault = checkFilter(filter)
      expect(fault === null || fault.startsWith('Property .filter')).toBe(true)
      const found = fits(filter, {
        name: value,
        price: value,
        created_at: value,
        birthdate: value,
        'metadata.x': value,
      })
      expect(typeof found).toBe('boolean')
      if (fault !== null) expect(found).toBe(false)
    }),
    { numRuns: 2_000 },
  )
})
