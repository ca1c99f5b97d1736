import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileCheck, type MetadataRequirements, whyNotMetadata } from './check.ts'
import { readDefinition, type SentDefinition } from './definition.ts'

const requirementsOf = (
  properties: Record<string, SentDefinition>,
  allowDefinedOnly = false,
): MetadataRequirements => ({
  definitions: Object.entries(properties).map(([name, sent]) => readDefinition(name, sent)),
  allow_defined_only: allowDefinedOnly,
})

/** The faults of a new object or an update as one string; '' when there are none. */
const faults = (
  properties: Record<string, SentDefinition>,
  sent: Record<string, unknown>,
  { isNew = true, only = false, nested = {} as Record<string, MetadataRequirements> } = {},
): string => compileCheck(requirementsOf(properties, only), new Map(Object.entries(nested)))(sent, { isNew }).join('; ')

describe('E23', () => {
  const properties: Record<string, SentDefinition> = {
    lang: { type: 'string', optional: false, eq: ['en', 'pl'] },
    stores: { type: 'string', array: true, eq: ['S1', 'S2'] },
  }
  test.each<[sent: Record<string, unknown>, isNew: boolean, only: boolean, expected: string]>([
    [
      { lang: 'de' },
      true,
      false,
      "lang: must be a string, property is required, must be equal to one of en,pl (actual value is 'de')",
    ],
    [
      { lang: 'en', stores: 'S1' },
      true,
      false,
      "stores: must be an array, and every element: must be a string, must be equal to one of S1,S2 (actual value is 'S1')",
    ],
    [{ lang: 'en', foo: 1 }, true, false, ''],
    [{ lang: 'en', foo: 1 }, true, true, 'foo: property is not allowed'],
    [{ lang: 'en', lagn: 1 }, true, true, "lagn: property is not allowed. Did you mean 'lang'?"],
    [{ stores: [] }, false, false, ''],
  ])('%j, new %s, defined only %s', (sent, isNew, only, expected) => {
    expect(faults(properties, sent, { isNew, only })).toBe(expected)
  })

  test('reports every failing key, defined keys first in schema order', () => {
    expect(faults(properties, { foo: 7, stores: ['S3'], bar: 8 }, { only: true })).toBe(
      "lang: must be a string, property is required, must be equal to one of en,pl (actual value is 'undefined'); " +
        'stores: must be an array, and every element: must be a string, must be equal to one of S1,S2 ' +
        `(actual value is '["S3"]'); ` +
        'foo: property is not allowed; bar: property is not allowed',
    )
  })
})

test('example 22: the message lists all requirements and the actual value', () => {
  expect(faults({ size: { type: 'number', optional: false, eq: [1, 2] } }, { size: 'L' })).toBe(
    "size: must be a number, property is required, must be equal to one of 1,2 (actual value is 'L')",
  )
})

test.each<[type: SentDefinition['type'], text: string, good: unknown[], bad: unknown[]]>([
  ['string', 'must be a string', ['', 'x', '5'], [5, true, [], ['x'], {}]],
  ['number', 'must be a number', [0, -1.5, 1e300], ['5', '', true, [5], {}]],
  ['boolean', 'must be a boolean', [true, false], ['true', 0, [], {}]],
  [
    'date',
    'must be a date',
    ['2025-02-26', '2024-02-29'],
    ['2025-02-29', '2025-2-26', '2025-02-26T00:00Z', '', 20250226],
  ],
  [
    'datetime',
    'must be a datetime',
    ['2025-02-26T10:00:00.000Z', '2025-02-26T10:00+01:00', '2025-02-26T10'],
    ['2025-02-26', '2025-02-26 10:00', '2025-02-26T25:00Z', 'T', '', 1],
  ],
  [
    'image_url',
    'must be a URL pointing to JPG/JPEG or PNG resource',
    ['https://shop.test/a.png', 'http://shop.test/a/b.jpeg?size=2#top', 'HTTPS://SHOP.TEST/A.JPG'],
    [
      'https://shop.test/a.gif',
      'https://shop.test/?a.png',
      'ftp://shop.test/a.png',
      'a.png',
      'https://a b/c.png',
      '',
      5,
    ],
  ],
  [
    'geopoint',
    'must be a geopoint',
    ['geo:52.23,21.01', '52.23,21.01', '-90, +180', '0,0'],
    ['geo:91,0', '0,181', '52.23', 'geo:52.23,  21.01', 'somewhere', '', { lat: 1, lng: 2 }, [1, 2]],
  ],
  ['object', 'must be an object', [{}, { a: 1 }], ['{}', 5, [], [{}]]],
])('%s', (type, text, good, bad) => {
  for (const value of good) {
    expect([value, faults({ k: { type } }, { k: value })]).toEqual([value, ''])
    expect([value, faults({ k: { type, array: true } }, { k: [value, value] })]).toEqual([value, ''])
  }
  for (const value of bad) {
    const actualValue = typeof value === 'object' ? JSON.stringify(value) : value
    expect(faults({ k: { type } }, { k: value })).toBe(`k: ${text} (actual value is '${actualValue}')`)
    expect(faults({ k: { type, array: true } }, { k: [good[0], value] })).toBe(
      `k: must be an array, and every element: ${text} (actual value is '${JSON.stringify([good[0], value])}')`,
    )
  }
})

test.each<[definition: SentDefinition, good: unknown[], bad: unknown[], text: string]>([
  [
    { type: 'string', min_length: 2 },
    ['ab', '😀😀'],
    ['', 'a', '😀'],
    'must be a string, must have minimum length of 2',
  ],
  [{ type: 'string', max_length: 0 }, [''], ['a'], 'must be a string, must have maximum length of 0'],
  [{ type: 'string', exact_length: 2 }, ['ab', '😀b'], ['a', 'abc'], 'must be a string, must have exact length of 2'],
  [{ type: 'number', eq: [1, 2.5] }, [1, 2.5], [2, '1'], 'must be a number, must be equal to one of 1,2.5'],
  [{ type: 'number', ne: [1, 2] }, [3], [1, 2], 'must be a number, must not be equal to any of 1,2'],
  [{ type: 'number', lt: 5 }, [4.99], [5, 6], 'must be a number, must be less than 5'],
  [{ type: 'number', lte: 5 }, [5], [5.01], 'must be a number, must be less than or equal to 5'],
  [{ type: 'number', gt: 0 }, [0.01], [0, -1], 'must be a number, must be greater than 0'],
  [{ type: 'number', gte: 0 }, [0], [-0.01], 'must be a number, must be greater than or equal to 0'],
  [
    { type: 'number', optional: false, ne: [3], lt: 9, gte: 1 },
    [1, 8],
    [3, 9, 0],
    'must be a number, property is required, must not be equal to any of 3, must be less than 9, must be greater than or equal to 1',
  ],
  [
    { type: 'string', min_length: 1, max_length: 3, exact_length: 2 },
    ['ab'],
    ['a', 'abc'],
    'must be a string, must have minimum length of 1, must have maximum length of 3, must have exact length of 2',
  ],
])('%j', (definition, good, bad, text) => {
  for (const value of good) expect([value, faults({ k: definition }, { k: value })]).toEqual([value, ''])
  for (const value of bad)
    expect(faults({ k: definition }, { k: value })).toBe(`k: ${text} (actual value is '${value}')`)
})

describe('required keys', () => {
  const optional: SentDefinition = { type: 'number' }
  const required: SentDefinition = { type: 'number', optional: false }
  const list: SentDefinition = { type: 'number', array: true }
  test.each<[definition: SentDefinition, sent: Record<string, unknown>, isNew: boolean, accepted: boolean]>([
    [optional, {}, true, true],
    [optional, { k: null }, true, true],
    [required, {}, true, false],
    [required, {}, false, true],
    [required, { k: null }, true, false],
    [required, { k: null }, false, false],
    [required, { k: 0 }, true, true],
    [list, {}, true, true],
    [list, { k: null }, true, true],
    [list, { k: [] }, true, true],
    [list, { k: [null] }, true, false],
    [{ ...list, optional: false }, { k: [] }, true, false],
    [{ ...list, optional: false }, { k: [0] }, true, true],
    [{ ...list, optional: false }, {}, false, true],
    [{ ...required, deleted: true }, {}, true, true],
    [{ ...required, deleted: true }, { k: 'x' }, true, true],
    [{ ...required, deleted: false }, { k: 'x' }, true, false],
  ])('%j %j, new %s: %s', (definition, sent, isNew, accepted) => {
    expect(faults({ k: definition }, sent, { isNew }) === '').toBe(accepted)
  })

  test('a key with a deleted definition counts as undefined', () => {
    expect(faults({ k: { ...optional, deleted: true } }, { k: 1 }, { only: true })).toBe('k: property is not allowed')
  })
})

describe('nested schemas', () => {
  const nested = {
    address: requirementsOf({ city: { type: 'string', optional: false }, floor: { type: 'number', lt: 9 } }, true),
  }
  const home: SentDefinition = { type: 'object', object_type: 'address' }
  test.each<[definition: SentDefinition, value: unknown, expected: string]>([
    [home, { city: 'Kielce', floor: 2 }, ''],
    [home, null, ''],
    [home, 'Kielce', `home: must be an object (actual value is 'Kielce')`],
    [home, { floor: 2 }, `home.city: must be a string, property is required (actual value is 'undefined')`],
    [
      home,
      { city: 5, floor: 9, door: 1 },
      `home.city: must be a string, property is required (actual value is '5'); ` +
        `home.floor: must be a number, must be less than 9 (actual value is '9'); home.door: property is not allowed`,
    ],
    [{ ...home, array: true }, [{ city: 'Kielce' }, { city: 'Opole' }], ''],
    [
      { ...home, array: true },
      [{ city: 'Kielce' }, {}],
      `home[1].city: must be a string, property is required (actual value is 'undefined')`,
    ],
    [
      { ...home, array: true },
      { city: 'Kielce' },
      `home: must be an array, and every element: must be an object (actual value is '{"city":"Kielce"}')`,
    ],
    [{ type: 'object', object_type: 'unknown' }, { anything: true }, ''],
    [{ type: 'object', object_type: 'deleted_meanwhile' }, { anything: true }, ''],
  ])('%j %j', (definition, value, expected) => {
    expect(faults({ home: definition }, { home: value }, { nested, isNew: false })).toBe(expected)
  })
})

test('keys named like JavaScript properties (constructor, toString) are ordinary keys', () => {
  expect(faults({ constructor: { type: 'number' as const, optional: false } }, {})).toMatch(
    /^constructor: must be a number/,
  )
  expect(faults({ lang: { type: 'string' } }, { toString: 1 }, { only: true })).toBe(
    'toString: property is not allowed',
  )
})

test('a long value is truncated in the message', () => {
  const fault = faults({ k: { type: 'number' } }, { k: 'x'.repeat(60_000) })
  expect(fault).toBe(`k: must be a number (actual value is '${'x'.repeat(200)}…')`)
})

describe('metadata that cannot be stored, whatever the schema', () => {
  test.each<[metadata: Record<string, unknown>, reason: string | null]>([
    [{}, null],
    [{ a: 'x', b: 1.5, c: true, d: null, e: ['x', 1, null], f: [] }, null],
    [{ a: { b: 'x', c: ['x', null], d: null } }, null],
    [{ a: [{ b: 'x', c: [1] }, {}] }, null],
    [{ a: { b: { c: 1 } } }, 'Property .metadata.a must NOT hold objects within objects'],
    [{ ok: 1, a: { b: [{}] } }, 'Property .metadata.a must NOT hold objects within objects'],
    [{ a: { b: [[1]] } }, 'Property .metadata.a must NOT hold objects within objects'],
    [{ a: [{ b: {} }] }, 'Property .metadata.a must NOT hold objects within objects'],
    [{ a: [[1]] }, 'Property .metadata.a must NOT hold lists within lists'],
    [{ a: 'x'.repeat(65_536 - 8) }, null], // {"a":"…"} adds 8 bytes
    [{ a: 'x'.repeat(65_536 - 7) }, 'Property .metadata must NOT be larger than 65536 bytes'],
    [{ a: 'ż'.repeat(32_768 - 4) }, null], // two bytes each
    [{ a: 'ż'.repeat(32_768 - 3) }, 'Property .metadata must NOT be larger than 65536 bytes'],
  ])('%#', (metadata, reason) => {
    expect(whyNotMetadata(metadata)).toBe(reason)
  })

  test('the message contains the path of the metadata', () => {
    expect(whyNotMetadata({ a: [[]] }, '.items[2].metadata')).toBe(
      'Property .items[2].metadata.a must NOT hold lists within lists',
    )
  })
})

test('a check never throws, for any JSON value', () => {
  const type = fc.constantFrom<SentDefinition['type']>(
    'string', 'number', 'boolean', 'date', 'datetime', 'geopoint', 'image_url', 'object',
  ) // biome-ignore format: a list of words
  const definition = fc.record(
    {
      type,
      array: fc.boolean(),
      optional: fc.boolean(),
      eq: fc.array(fc.oneof(fc.string(), fc.integer())),
      lt: fc.integer(),
    },
    { requiredKeys: ['type'] },
  )
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), definition),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (properties, sent) => {
        for (const fault of compileCheck(requirementsOf(properties))(sent, { isNew: true }))
          expect(fault).toMatch(/: must be an? .* \(actual value is '.*'\)$/s)
      },
    ),
    { numRuns: 500 },
  )
})
