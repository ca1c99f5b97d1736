import { EarningPoints, Int, MapOf, Maybe, Metadata, variants } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { NumericText, numbersRead } from './numeric-text.ts'
import { compileValidator } from './validation.ts'

const Body = Type.Object({
  count: Int({ minimum: 1 }),
  ratio: Maybe(Type.Number({ minimum: 0 })),
  name: Type.Optional(Type.String()),
  list: Type.Optional(Type.Array(Int())),
  prices: Type.Optional(MapOf(Int({ minimum: 0 }))),
  kind: Type.Optional(
    variants('type', [
      Type.Object({ type: Type.Literal('A'), value: Int() }),
      Type.Object({ type: Type.Literal('B'), value: Type.String() }),
    ]),
  ),
  metadata: Maybe(Metadata),
})
type Body = Static<typeof Body>

const sent = compileValidator(NumericText(Body))
const read = numbersRead(Body)
const errorOf = (body: unknown) => sent.firstError(body, { root: 'Payload', required: 'should' })

describe('a body with numbers as strings', () => {
  const bodies: Array<[sent: object, read: object]> = [
    [{ count: 5 }, { count: 5 }],
    [{ count: '5' }, { count: 5 }],
    [{ count: '+05' }, { count: 5 }],
    [{ count: '5.00' }, { count: 5 }],
    [
      { count: 1, ratio: '0.25' },
      { count: 1, ratio: 0.25 },
    ],
    [
      { count: 1, ratio: null },
      { count: 1, ratio: null },
    ],
    [
      { count: 1, name: '7' },
      { count: 1, name: '7' },
    ],
    [
      { count: 1, list: ['1', 2, '-3'] },
      { count: 1, list: [1, 2, -3] },
    ],
    [
      { count: 1, prices: { a: '1', b: 2 } },
      { count: 1, prices: { a: 1, b: 2 } },
    ],
    [
      { count: 1, kind: { type: 'A', value: '7' } },
      { count: 1, kind: { type: 'A', value: 7 } },
    ],
    [
      { count: 1, kind: { type: 'B', value: '7' } },
      { count: 1, kind: { type: 'B', value: '7' } },
    ],
    [
      { count: 1, metadata: { count: '7' }, more: '8' },
      { count: 1, metadata: { count: '7' }, more: '8' },
    ],
  ]
  test.each(bodies)('%j is read as %j', (body, expected) => {
    expect(errorOf(body)).toBeNull()
    expect(read(body as Body)).toEqual(expected)
  })

  const invalidBodies: Array<[body: object, error: string]> = [
    [{ count: 'five' }, 'Property .count must match pattern ^[+-]?\\d+(\\.0+)?$'],
    [{ count: '' }, 'Property .count must match pattern ^[+-]?\\d+(\\.0+)?$'],
    [{ count: '5.50' }, 'Property .count must match pattern ^[+-]?\\d+(\\.0+)?$'],
    [{ count: 0 }, 'Property .count must be >= 1'],
    [{ count: true }, 'Property .count must be integer,string'],
    [{ count: 1, ratio: '1e3' }, 'Property .ratio must match pattern ^[+-]?\\d+(\\.\\d+)?$'],
    [{ count: 1, prices: { a: 'x' } }, 'Property .prices.a must match pattern ^[+-]?\\d+(\\.0+)?$'],
  ]
  test.each(invalidBodies)('%j is invalid: %s', (body, error) => expect(errorOf(body)).toBe(error))

  const outOfBounds: Array<[body: object, details: string]> = [
    [{ count: '0' }, 'Property .count must be >= 1'],
    [{ count: '9007199254740992' }, 'Property .count must be <= 9007199254740991'],
    [{ count: '1', ratio: '-0.5' }, 'Property .ratio must be >= 0'],
    [{ count: '1', prices: { a: '-1' } }, 'Property .prices.a must be >= 0'],
  ]
  test.each(outOfBounds)('%j is out of bounds after conversion: %s', (body, details) => {
    expect(errorOf(body)).toBeNull()
    expect(() => read(body as Body)).toThrow(details)
  })
})

test('applied twice it gives the same schema, so that the OpenAPI document has one name for it', () => {
  const [once, again] = [NumericText(EarningPoints), NumericText(EarningPoints)] as unknown as Array<{ anyOf: object }>
  expect(again?.anyOf).toBe(once?.anyOf)
  expect((NumericText(once as never) as unknown as { anyOf: object }).anyOf).toBe(once?.anyOf)
  expect(NumericText(once as never)).toEqual(once)
})
