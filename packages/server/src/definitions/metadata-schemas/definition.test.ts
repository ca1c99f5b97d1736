import { describe, expect, test } from 'vitest'
import { mergedDefinitions, readDefinition, type SentDefinition, whyNotDefinition } from './definition.ts'

const why = (sent: SentDefinition, relatedObject = 'customer', name = 'k') =>
  whyNotDefinition(readDefinition(name, sent), relatedObject)

describe('a definition', () => {
  test.each<[related_object: string, sent: SentDefinition, reason: string | null]>([
    ['customer', { type: 'string', min_length: 0, max_length: 5, exact_length: 2, eq: ['a'] }, null],
    ['customer', { type: 'number', eq: [1], ne: [2.125], lt: 5.25, lte: 5, gt: -0.07, gte: 1e9 }, null],
    ['customer', { type: 'boolean', eq: null, min_length: null, object_type: null, lt: null }, null],
    ['voucher', { type: 'object', object_type: 'address' }, null],
    ['voucher', { type: 'object' }, null],
    ['product', { type: 'geopoint' }, null],
    ['address', { type: 'string' }, null],
    ['order', { type: 'number', eq: ['L'] }, 'Property .properties.k.eq[0] must be number'],
    ['order', { type: 'string', eq: ['L', 5] }, 'Property .properties.k.eq[1] must be string'],
    ['order', { type: 'boolean', eq: ['true'] }, 'Property .properties.k.eq does not apply to type boolean'],
    ['order', { type: 'string', ne: [5] }, 'Property .properties.k.ne does not apply to type string'],
    ['order', { type: 'string', gte: 0 }, 'Property .properties.k.gte does not apply to type string'],
    ['order', { type: 'number', min_length: 0 }, 'Property .properties.k.min_length does not apply to type number'],
    [
      'order',
      { type: 'date', object_type: 'address' },
      'Property .properties.k.object_type does not apply to type date',
    ],
    ['order', { type: 'number', lt: 1.001 }, 'Property .properties.k.lt must NOT have more than 2 decimals'],
    ['order', { type: 'number', gte: 0.125 }, 'Property .properties.k.gte must NOT have more than 2 decimals'],
    ['order', { type: 'geopoint' }, 'Property .properties.k.type can be geopoint only for customer and product'],
    ['address', { type: 'geopoint' }, 'Property .properties.k.type can be geopoint only for customer and product'],
    [
      'address',
      { type: 'object', object_type: 'unknown' },
      `Property .properties.k.type cannot be object in a nested schema, which 'address' is`,
    ],
    [
      'order',
      { type: 'object', object_type: 'customer' },
      'Property .properties.k.object_type must be the name of a nested schema',
    ],
  ])('in %s: %j', (relatedObject, sent, reason) => {
    expect(why(sent, relatedObject)).toBe(reason)
  })

  test('requires a name of 1 to 255 characters', () => {
    const reason = 'Property .properties must have names of 1 to 255 characters'
    expect([why({ type: 'string' }, 'order', ''), why({ type: 'string' }, 'order', 'x'.repeat(256))]).toEqual([
      reason,
      reason,
    ])
    expect(why({ type: 'string' }, 'order', 'x'.repeat(255))).toBeNull()
  })

  test('has defaults for fields that are not sent', () => {
    expect(readDefinition('k', { type: 'string', eq: null })).toEqual({
      name: 'k',
      type: 'string',
      array: false,
      optional: true,
      object_type: null,
    })
    expect(readDefinition('k', { type: 'object', deleted: false })).toMatchObject({
      object_type: 'unknown',
      deleted: false,
    })
  })
})

describe('an update', () => {
  const stored = [
    readDefinition('b', { type: 'string', eq: ['x'], optional: false }),
    readDefinition('a', { type: 'number' }),
  ]
  test('replaces definitions as a whole, in their position, and appends new ones', () => {
    const sent = [readDefinition('c', { type: 'date' }), readDefinition('b', { type: 'string' })]
    const merged = mergedDefinitions(stored, sent)
    expect(merged).toEqual([sent[1], stored[1], sent[0]])
    expect(stored[0]?.eq).toEqual(['x'])
  })

  test('cannot change a type, not even of a deleted definition', () => {
    const deleted = [readDefinition('a', { type: 'number', deleted: true })]
    expect(mergedDefinitions(deleted, [readDefinition('a', { type: 'string' })])).toBe(
      'Property .properties.a.type cannot be changed',
    )
  })
})
