import type { MetadataType } from '../schema/index.ts'

/**
 * The language of filters: rows, and those that each filter finds (docs/reference/filters.md#meaning-of-the-operators). Checked in
 * memory (filter/filter.test.ts) and in the database (packages/server/src/core/query/filter/filter.test.ts), which must agree.
 */
export interface FilterRow {
  /** Also what `email` reads, without regard to upper and lower case. */
  name?: string
  price?: number | null
  attributes?: unknown[] | null
  metadata?: Record<string, unknown>
}

export const filterRows: Record<string, FilterRow> = {
  ann: { name: 'Ann', price: 0, attributes: ['red', 'blue'], metadata: { size: 'L', count: 5, vip: true } },
  bob: { name: 'bob_50%', price: 1_500, attributes: [], metadata: { size: ['S', 'L', 7], count: '5', vip: 'true' } },
  cleo: { name: 'Cleo\\x', price: -20, attributes: ['red', 7, true], metadata: { size: 'XL', count: 5.5, vip: false } },
  empty: { name: '', price: null, attributes: null, metadata: { size: '', count: null } },
  none: {},
}

/** One condition on one field, and the names of the rows that it finds. */
export type FilterCase = [field: string, operator: string, given: unknown, expected: string]

export const filterCases: readonly FilterCase[] = [
  ['name', '$is', 'Ann', 'ann'],
  ['name', '$is', 'ann', ''],
  ['email', '$is', 'aNN', 'ann'],
  ['name', '$is', ['Ann', 'bob_50%'], 'ann bob'],
  ['name', '$is', { 1: 'Ann', 0: 'bob_50%' }, 'ann bob'],
  ['name', '$is', '', ''],
  ['name', '$is_not', 'Ann', 'bob cleo empty none'],
  ['name', '$is_not', ['Ann', 'Cleo\\x'], 'bob empty none'],
  ['name', '$is_not', '', 'ann bob cleo empty none'],
  ['name', '$in', ['Ann', 'unknown'], 'ann'],
  ['name', '$not_in', ['Ann', 'unknown'], 'bob cleo empty none'],
  ['name', '$has_value', '', 'ann bob cleo'],
  ['name', '$has_value', false, 'ann bob cleo'],
  ['name', '$is_unknown', {}, 'empty none'],
  ['name', '$contains', 'n', 'ann'],
  ['name', '$contains', ['leo', 'nn'], 'ann cleo'],
  ['name', '$contains', '_', 'bob'],
  ['name', '$contains', '%', 'bob'],
  ['name', '$contains', '\\', 'cleo'],
  ['name', '$contains', '', 'ann bob cleo'],
  ['email', '$contains', 'CLEO', 'cleo'],
  ['name', '$not_contain', 'n', 'bob cleo empty none'],
  ['name', '$not_contain', ['leo', 'nn'], 'bob empty none'],
  ['name', '$starts_with', ['A', 'b'], 'ann bob'],
  ['name', '$starts_with', '%', ''],
  ['name', '$starts_with', '', 'ann bob cleo'],
  ['name', '$ends_with', ['%', 'x'], 'bob cleo'],
  ['name', '$ends_with', '\\x', 'cleo'],
  ['name', '$more_than', 'A', ''],
  ['name', '$count', 0, ''],
  ['name', '$today', true, ''],

  ['price', '$is', '0', 'ann'],
  ['price', '$is', [0, '1.5e3'], 'ann bob'],
  ['price', '$is', '0.5', ''],
  ['price', '$is_not', 0, 'bob cleo empty none'],
  ['price', '$has_value', '', 'ann bob cleo'],
  ['price', '$is_unknown', '', 'empty none'],
  ['price', '$more_than', 0, 'bob'],
  ['price', '$more_than', '-0.5', 'ann bob'],
  ['price', '$less_than', '0', 'cleo'],
  ['price', '$more_than_equal', 0, 'ann bob'],
  ['price', '$more_than_or_equal', 0, 'ann bob'],
  ['price', '$less_than_equal', 0, 'ann cleo'],
  ['price', '$less_than_or_equal', 0, 'ann cleo'],
  ['price', '$less_than', [-10, 1], 'ann cleo'],
  ['price', '$less_than', '1e300', 'ann bob cleo'],
  ['price', '$contains', '5', ''],
  ['price', '$not_contain', '5', 'ann bob cleo empty none'],

  ['attributes', '$is', ['blue', 'green'], 'ann'],
  ['attributes', '$is', '7', 'cleo'],
  ['attributes', '$is', 7, 'cleo'],
  ['attributes', '$in', ['red'], 'ann cleo'],
  ['attributes', '$is_not', 'red', 'bob empty none'],
  ['attributes', '$not_in', ['blue', '7'], 'bob empty none'],
  ['attributes', '$contains', ['red', 'blue'], 'ann'],
  ['attributes', '$contains', ['red', 'true'], 'cleo'],
  ['attributes', '$not_contain', ['red', 'blue'], 'bob cleo empty none'],
  ['attributes', '$starts_with', 'r', ''],
  ['attributes', '$has_value', '', 'ann bob cleo'],
  ['attributes', '$is_unknown', '', 'empty none'],
  ['attributes', '$count', 0, 'bob empty none'],
  ['attributes', '$count', ['2', 3], 'ann cleo'],
  ['attributes', '$count_more', 2, 'cleo'],
  ['attributes', '$count_less', 1, 'bob empty none'],

  ['metadata.size', '$is', 'L', 'ann bob'],
  ['metadata.size', '$is', '7', 'bob'],
  ['metadata.size', '$is', '', ''],
  ['metadata.size', '$is_not', 'L', 'cleo empty none'],
  ['metadata.size', '$not_in', ['L', 'XL'], 'empty none'],
  ['metadata.size', '$has_value', '', 'ann bob cleo'],
  ['metadata.size', '$is_unknown', '', 'empty none'],
  ['metadata.size', '$contains', 'L', 'ann bob cleo'],
  ['metadata.size', '$contains', ['S', 'L'], 'ann bob cleo'],
  ['metadata.size', '$contains', ['S', 'M'], ''],
  ['metadata.size', '$not_contain', 'X', 'ann bob empty none'],
  ['metadata.size', '$starts_with', 'X', 'cleo'],
  ['metadata.size', '$count', 3, 'bob'],
  ['metadata.size', '$count', 0, 'empty none'],
  ['metadata.count', '$is', '5', 'ann bob'],
  ['metadata.count', '$is', '5.0', 'ann'],
  ['metadata.count', '$is', 5, 'ann bob'],
  ['metadata.count', '$is_not', '5', 'cleo empty none'],
  ['metadata.count', '$more_than', '5', 'cleo'],
  ['metadata.count', '$less_than_equal', 5, 'ann'],
  ['metadata.count', '$is_unknown', '', 'empty none'],
  ['metadata.vip', '$is', true, 'ann bob'],
  ['metadata.vip', '$is', 'TRUE', 'ann'],
  ['metadata.vip', '$is_not', [true], 'cleo empty none'],
  ['metadata.nothing', '$is_not', 'x', 'ann bob cleo empty none'],
  ['metadata.nothing', '$contains', 'x', ''],

  ['metadata.size', '$in_location', 'loc_1', ''],
  ['metadata.size', '$not_in_location', 'loc_1', 'ann bob cleo empty none'],
  ['attributes', '$contains', ['red', '7'], 'cleo'],
  ['attributes', '$contains', ['red', 'null'], ''],
  ['attributes', '$count_less', 2, 'bob empty none'],
  ['name', '$enabled', true, ''],
  ['name', '$enabled', [true, false], 'ann bob cleo empty none'],
  ['name', '$enabled', false, 'ann bob cleo empty none'], // switched off: no condition
  ['email', '$starts_with', 'BOB', 'bob'],
]

const cheap = { conditions: { $more_than: -50, $less_than: 0 } }
const isAnn = { conditions: { $is: 'Ann' } }
const isRed = { conditions: { $is: 'red' } }
const off = { conditions: { $enabled: false } }

/** Conditions of a field are joined with and, fields with the junction. */
export const junctionCases: ReadonlyArray<[filter: Record<string, unknown>, expected: string]> = [
  [{ price: cheap }, 'cleo'],
  [{ price: cheap, name: isAnn }, ''],
  [{ junction: 'OR', price: cheap, name: isAnn }, 'ann cleo'],
  [{ junction: 'or', price: cheap, name: off }, 'cleo'],
  [{ junction: 'and', price: cheap, attributes: isRed }, 'cleo'],
  [{ junction: 'or' }, 'ann bob cleo empty none'],
  [{}, 'ann bob cleo empty none'],
]

/** Types of a metadata schema, values, and what filters on them find. */
export const typedMetadata: Record<string, MetadataType> = {
  size: 'string',
  price: 'number',
  vip: 'boolean',
  day: 'date',
  at: 'datetime',
  home: 'geopoint',
  image: 'image_url',
  address: 'object',
}

export const typedRows: Record<string, Record<string, unknown>> = {
  ann: { size: '2025-02-26', price: 5, vip: true, day: '2025-02-26', at: '2025-02-26T13:00:00+01:00' },
  bob: { size: '5', price: '6', vip: 'True', day: '2025-02-25', at: '2025-02-26T12:00Z' },
  cleo: {
    size: ['5', 'L'],
    price: [5, 7],
    vip: false,
    day: ['2024-01-01', '2025-02-26'],
    at: ['2025-02-26T12:00Z'],
    home: 'geo:1,1',
    image: 'https://shop.test/cleo.png',
    address: { city: 'Kielce' },
  },
  none: { price: null, day: '', constructor: 'abc' },
}

export const typedCases: ReadonlyArray<[key: string, operator: string, given: unknown, expected: string]> = [
  ['size', '$is', 5, 'bob cleo'],
  ['size', '$today', true, ''], // a string that happens to look like a date
  ['size', '$after', '2000-01-01', ''],
  ['size', '$starts_with', '2025', 'ann'],
  ['price', '$is', '5.0', 'ann cleo'],
  ['price', '$is', 6, 'bob'],
  ['price', '$is', 'cheap', ''],
  ['price', '$is_not', '5', 'bob none'],
  ['price', '$more_than', 5, 'bob'], // a numeric text counts as a number
  ['price', '$contains', '6', ''],
  ['price', '$contains', [5, 7], 'cleo'],
  ['price', '$count', 2, 'cleo'],
  ['price', '$is_unknown', '', 'none'],
  ['vip', '$is', 'true', 'ann bob'],
  ['vip', '$is', false, 'cleo'],
  ['vip', '$is', 'yes', ''],
  ['day', '$is', '2025-02-26', 'ann cleo'],
  ['day', '$is', '2025-02-26T23:30-05:00', ''], // the 27th, in UTC
  ['day', '$today', true, 'ann cleo'],
  ['day', '$is_days_ago', 1, 'bob'],
  ['day', '$is_year', 2024, 'cleo'],
  ['day', '$more_than', 30, 'cleo'],
  ['day', '$before', '2025-01-01', 'cleo'],
  ['day', '$starts_with', '2025', ''],
  ['day', '$has_value', '', 'ann bob cleo'],
  ['at', '$is', '2025-02-26T12:00:00.000Z', 'ann bob'],
  ['at', '$is', '2025-02-26T12:00Z', 'ann bob cleo'],
  ['at', '$not_in', '2025-02-26T07:00-05:00', 'cleo none'],
  ['at', '$more_than_equal', '2025-02-26T12:00Z', 'ann bob cleo'],
  ['home', '$contains', 'geo', ''],
  ['home', '$is', 'geo:1,1', 'cleo'],
  ['image', '$ends_with', '.png', 'cleo'],
  ['address', '$has_value', '', 'cleo'],
  ['address', '$contains', 'Kielce', ''],
  ['constructor', '$starts_with', 'a', 'none'], // an ordinary key without a type
]
