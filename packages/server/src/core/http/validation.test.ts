import {
  FreeText,
  Instant,
  InstantInput,
  Int,
  MapOf,
  Metadata,
  Name,
  Nullable,
  OneOf,
  partial,
  variants,
} from '@guerdon/engine/schema'
import fc from 'fast-check'
import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import { scaled } from '../../testing/scale.ts'
import { limits } from '../lib/limits.ts'
import { operation } from './operation.ts'
import { parseQueryString } from './query-string.ts'
import { compileValidator, faultsIn, type Wording } from './validation.ts'

const payload: Wording = { root: 'Payload', required: 'should' }
const errorOf = (schema: TSchema, value: unknown, wording: Wording = payload) =>
  compileValidator(schema).firstError(value, wording)

const Customer = Type.Object({ source_id: Type.Optional(Name), email: Type.Optional(Type.String({ format: 'email' })) })
const EventBody = Type.Object({
  event: Type.String({ minLength: 1, maxLength: 300 }),
  customer: Customer,
  referral: Type.Optional(Type.Object({ code: Name, referrer_id: Type.Optional(Name) })),
  metadata: Type.Optional(Metadata),
})

const Discount = variants('type', [
  Type.Object({ type: Type.Literal('AMOUNT'), amount_off: Int({ minimum: 1 }) }),
  Type.Object({
    type: Type.Literal('PERCENT'),
    percent_off: Type.Number({ minimum: 0, maximum: 100 }),
    until: Type.Optional(InstantInput),
  }),
  Type.Object({ type: OneOf(['UNIT', 'UNITS']), until: Type.Optional(Type.String()) }),
])

const Everything = partial({
  name: Name,
  description: Nullable(FreeText),
  type: OneOf(['A', 'B']),
  kind: Nullable(OneOf(['X', 'Y'])),
  limit: Int({ minimum: 1, maximum: 100 }),
  price: Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 10 }),
  active: Type.Boolean(),
  holders: Type.Array(Type.Object({ id: Name }), { minItems: 1, maxItems: 3 }),
  codes: Type.Array(Type.String(), { uniqueItems: true }),
  event: Type.String({ minLength: 1, maxLength: 5 }),
  end_date: InstantInput,
  start_date: Nullable(InstantInput),
  email: Type.String({ format: 'email' }),
  target_url: Type.String({ format: 'url' }),
  timezone: Type.String({ format: 'timezone' }),
  currency: Type.String({ format: 'currency' }),
  address: Type.String({ format: 'address' }),
  dial_code: Nullable(Type.String({ pattern: '^\\+?[0-9]{1,6}$' })),
  discount: Discount,
  maybe_discount: Nullable(Discount),
  either: Type.Union([Type.String({ maxLength: 3 }), Int({ minimum: 5 }), Type.Object({ id: Name })]),
  limits: MapOf(Int({ minimum: 0 })),
  metadata: Metadata,
  literal: Type.Literal('voucher'),
})

describe('every schema keyword has its error message', () => {
  test.each<[value: unknown, details: string]>([
    [null, 'Payload must be object'],
    [[], 'Payload must be object'],
    ['text', 'Payload must be object'],
    [7, 'Payload must be object'],

    [{ name: 7 }, 'Property .name must be string'],
    [{ name: null }, 'Property .name must be string'],
    [{ description: 7 }, 'Property .description must be string,null'],
    [{ active: 'true' }, 'Property .active must be boolean'],
    [{ active: 1 }, 'Property .active must be boolean'],
    [{ limit: '5' }, 'Property .limit must be integer'],
    [{ limit: 5.5 }, 'Property .limit must be integer'],
    [{ price: '5' }, 'Property .price must be number'],
    [{ price: Number.POSITIVE_INFINITY }, 'Property .price must be number'],
    [{ holders: {} }, 'Property .holders must be array'],
    [{ metadata: [] }, 'Property .metadata must be object'],
    [{ metadata: 'x' }, 'Property .metadata must be object'],
    [{ either: true }, 'Property .either must be string,integer,object'],
    [{ either: 5.5 }, 'Property .either must be string,integer,object'],

    [{ type: 'C' }, 'Property .type must be equal to one of the allowed values [ A, B ]'],
    [{ type: 'a' }, 'Property .type must be equal to one of the allowed values [ A, B ]'],
    [{ type: 1 }, 'Property .type must be string'],
    [{ kind: 'Z' }, 'Property .kind must be equal to one of the allowed values [ X, Y ]'],
    [{ kind: 1 }, 'Property .kind must be string,null'],
    [{ literal: 'campaign' }, 'Property .literal must be equal to one of the allowed values [ voucher ]'],

    [{ limit: 101 }, 'Property .limit must be <= 100'],
    [{ limit: 0 }, 'Property .limit must be >= 1'],
    [{ price: 0 }, 'Property .price must be > 0'],
    [{ price: 10 }, 'Property .price must be < 10'],

    [{ holders: [] }, 'Property .holders must NOT have fewer than 1 items'],
    [{ holders: Array(4).fill({ id: 'a' }) }, 'Property .holders must NOT have more than 3 items'],
    [{ codes: ['a', 'b', 'a'] }, 'Property .codes must NOT have duplicate items'],

    [{ event: '' }, 'Property .event must NOT have fewer than 1 characters'],
    [{ event: 'abcdef' }, 'Property .event must NOT have more than 5 characters'],
    [{ event: '🎁🎁🎁🎁🎁🎁' }, 'Property .event must NOT have more than 5 characters'],

    [{ end_date: '2026-02-30' }, 'Property .end_date cannot be recognized as a ISO-8601 compliant date'],
    [{ end_date: 'tomorrow' }, 'Property .end_date cannot be recognized as a ISO-8601 compliant date'],
    [{ end_date: '9999-12-31T23:59-01:00' }, 'Property .end_date cannot be recognized as a ISO-8601 compliant date'],
    [{ end_date: 1_767_225_600 }, 'Property .end_date must be string'],
    [{ start_date: '' }, 'Property .start_date cannot be recognized as a ISO-8601 compliant date'],
    [{ start_date: 5 }, 'Property .start_date must be string,null'],

    [{ email: 'not an address' }, 'Property .email must be a valid email'],
    [{ email: 'a@b@c' }, 'Property .email must be a valid email'],
    [{ target_url: 'ftp://example.com' }, 'Property .target_url must be a valid URL'],
    [{ target_url: 'https://' }, 'Property .target_url must be a valid URL'],
    [{ target_url: 'javascript:alert(1)' }, 'Property .target_url must be a valid URL'],
    [{ timezone: 'Mars/Olympus' }, 'Property .timezone must be an IANA time zone name or GMT±HH:MM'],
    [{ timezone: '+02:00' }, 'Property .timezone must be an IANA time zone name or GMT±HH:MM'],
    [{ timezone: 'GMT+15' }, 'Property .timezone must be an IANA time zone name or GMT±HH:MM'],
    [{ currency: 'usd' }, 'Property .currency must be an ISO 4217 currency code'],
    [{ address: '10.0.0.256' }, 'Property .address must be an IP address or a CIDR range'],
    [{ address: '10.0.0.0/33' }, 'Property .address must be an IP address or a CIDR range'],
    [{ address: '10.0.0.0/' }, 'Property .address must be an IP address or a CIDR range'],
    [{ address: '2001:db8::/129' }, 'Property .address must be an IP address or a CIDR range'],
    [{ address: 'fe80::1%eth0' }, 'Property .address must be an IP address or a CIDR range'],
    [{ address: 'localhost' }, 'Property .address must be an IP address or a CIDR range'],
    [{ dial_code: '+49 30' }, 'Property .dial_code must match pattern ^\\+?[0-9]{1,6}$'],

    [{ holders: [{ id: 'a' }, {}] }, "Property .holders[1] should have required property 'id'"],
    [{ holders: [{ id: 'a' }, { id: 5 }] }, 'Property .holders[1].id must be string'],
    [{ holders: [{ id: 'a' }, 'b'] }, 'Property .holders[1] must be object'],
    [{ limits: { cat_a: 1, cat_b: -1 } }, 'Property .limits.cat_b must be >= 0'],
    [{ limits: { constructor: -1 } }, 'Property .limits.constructor must be >= 0'],
    [{ limits: { toString: 'x' } }, 'Property .limits.toString must be integer'],

    [{ discount: {} }, "Property .discount should have required property 'type'"],
    [{ discount: 'AMOUNT' }, 'Property .discount must be object'],
    [
      { discount: { type: 'GIFT' } },
      'Property .discount.type must be equal to one of the allowed values [ AMOUNT, PERCENT, UNIT, UNITS ]',
    ],
    [
      { discount: { type: 7 } },
      'Property .discount.type must be equal to one of the allowed values [ AMOUNT, PERCENT, UNIT, UNITS ]',
    ],
    [{ discount: { type: 'AMOUNT' } }, "Property .discount should have required property 'amount_off'"],
    [{ discount: { type: 'AMOUNT', amount_off: 0 } }, 'Property .discount.amount_off must be >= 1'],
    [{ discount: { type: 'PERCENT', percent_off: 101 } }, 'Property .discount.percent_off must be <= 100'],
    [{ maybe_discount: 7 }, 'Property .maybe_discount must be object,null'],
    [{ maybe_discount: { type: 'AMOUNT' } }, "Property .maybe_discount should have required property 'amount_off'"],
    [{ either: 'long' }, 'Property .either must NOT have more than 3 characters'],
    [{ either: 4 }, 'Property .either must be >= 5'],
    [{ either: {} }, "Property .either should have required property 'id'"],
  ])('%j: %s', (value, details) => {
    expect(errorOf(Everything, value)).toBe(details)
  })

  test('a valid value has no error, and unknown fields are not an error', () => {
    const good = {
      name: 'n',
      description: null,
      type: 'A',
      kind: null,
      limit: 100,
      price: 9.99,
      active: false,
      holders: [{ id: 'a', more: 1 }],
      codes: ['a', 'b'],
      event: '🎁🎁🎁🎁🎁',
      end_date: '2024-02-29',
      start_date: null,
      email: 'a@b.test',
      target_url: 'https://example.com/hook?x=1',
      timezone: 'Europe/Warsaw',
      currency: 'USD',
      address: '2001:db8::/32',
      dial_code: '+48',
      discount: { type: 'UNITS' },
      maybe_discount: null,
      either: { id: 'x' },
      limits: { cat_a: 0 },
      metadata: { anything: [1, { deep: null }] },
      literal: 'voucher',
      unknown: { field: true },
    }
    expect(errorOf(Everything, good)).toBeNull()
    expect(errorOf(Everything, {})).toBeNull()
  })

  test('objects are duplicates regardless of the order of their fields', () => {
    const Rows = Type.Array(Type.Object({ a: Int(), b: Int() }), { uniqueItems: true })
    expect(
      errorOf(Rows, [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ]),
    ).toBe('Payload must NOT have duplicate items')
    expect(
      errorOf(Rows, [
        { a: 1, b: 2 },
        { a: 2, b: 1 },
      ]),
    ).toBeNull()
  })

  test('the root may be a list, and messages call it the payload', () => {
    const Rows = Type.Array(Type.Object({ code: Name }), { minItems: 1, maxItems: 2 })
    expect(errorOf(Rows, {})).toBe('Payload must be array')
    expect(errorOf(Rows, null)).toBe('Payload must be array')
    expect(errorOf(Rows, [])).toBe('Payload must NOT have fewer than 1 items')
    expect(errorOf(Rows, [{ code: 'a' }, {}])).toBe("Property [1] should have required property 'code'")
    expect(errorOf(Rows, [{ code: 'a' }, { code: '' }])).toBe('Property [1].code must NOT have fewer than 1 characters')
  })

  test('the root may be a tagged union, or null', () => {
    expect(errorOf(Discount, {})).toBe("Payload should have required property 'type'")
    expect(errorOf(Discount, { type: 'GIFT' })).toBe(
      'Property .type must be equal to one of the allowed values [ AMOUNT, PERCENT, UNIT, UNITS ]',
    )
    expect(errorOf(Discount, [])).toBe('Payload must be object')
    expect(errorOf(Nullable(Discount), 5)).toBe('Payload must be object,null')
    expect(errorOf(Nullable(Discount), null)).toBeNull()
    expect(errorOf(Nullable(Type.Object({ a: Name })), 5)).toBe('Payload must be object,null')
  })

  test('the message for a missing field depends on the family and on where it is missing', () => {
    const Named = Type.Object({ name: Name, customer: Type.Object({ id: Name }) })
    expect(errorOf(Named, {}, { root: 'Payload', required: 'should' })).toBe(
      "Payload should have required property 'name'",
    )
    expect(errorOf(Named, {}, { root: 'Payload', required: 'must' })).toBe("Payload must have required property 'name'")
    expect(errorOf(Named, {}, { root: 'Query', required: 'should' })).toBe("Query should have required property 'name'")
    expect(errorOf(Named, { name: 'a', customer: {} }, { root: 'Query', required: 'must' })).toBe(
      "Property .customer must have required property 'id'",
    )
  })

  test('errors of required fields come first in schema order, then properties in schema order, depth first', () => {
    const Nested = Type.Object({
      first: Type.Optional(Type.Object({ inner: Type.Object({ deep: Int(), missing: Int() }), later: Int() })),
      second: Int(),
      third: Int(),
    })
    expect(errorOf(Nested, { first: 'wrong', third: 'wrong' })).toBe("Payload should have required property 'second'")
    expect(errorOf(Nested, { third: 'x', second: 'x', first: 'x' })).toBe('Property .first must be object')
    expect(errorOf(Nested, { second: 'x', third: 1, first: { inner: 5, later: 'x' } })).toBe(
      'Property .first.inner must be object',
    )
    expect(errorOf(Nested, { second: 'x', third: 1, first: { inner: { deep: 'x' }, later: 'x' } })).toBe(
      "Property .first.inner should have required property 'missing'",
    )
    expect(errorOf(Nested, { third: 'x', second: 'x' })).toBe('Property .second must be integer')
  })

  test('all faults are listed, each with the whole way to it, in the same order', () => {
    const faults = compileValidator(Everything).faults(
      {
        name: 7,
        holders: [{ id: 'a' }, {}, { id: 5 }],
        limits: { cat_a: -1, cat_b: 0, cat_c: 'x' },
        discount: { type: 'PERCENT', percent_off: 101, until: 'soon' },
        either: {},
      },
      payload,
    )
    expect(faults).toEqual([
      { path: '.name', details: 'Property .name must be string' },
      { path: '.holders[1].id', details: "Property .holders[1] should have required property 'id'" },
      { path: '.holders[2].id', details: 'Property .holders[2].id must be string' },
      { path: '.discount.percent_off', details: 'Property .discount.percent_off must be <= 100' },
      {
        path: '.discount.until',
        details: 'Property .discount.until cannot be recognized as a ISO-8601 compliant date',
      },
      { path: '.either.id', details: "Property .either should have required property 'id'" },
      { path: '.limits.cat_a', details: 'Property .limits.cat_a must be >= 0' },
      { path: '.limits.cat_c', details: 'Property .limits.cat_c must be integer' },
    ])
    expect(compileValidator(EventBody).faults({}, payload)).toEqual([
      { path: '.event', details: "Payload should have required property 'event'" },
      { path: '.customer', details: "Payload should have required property 'customer'" },
    ])
    expect(compileValidator(Everything).faults([], payload)).toEqual([{ path: '', details: 'Payload must be object' }])
  })

  test(`no more than ${limits.listed_faults_max} faults are listed, and a long name is cut`, () => {
    const Many = Type.Object({ list: Type.Array(Int()), map: MapOf(Int()) })
    const faults = compileValidator(Many).faults({ list: Array(100_000).fill('x'), map: {} }, payload)
    expect(faults).toHaveLength(limits.listed_faults_max)
    expect(faults.at(-1)).toEqual({ path: '.list[49]', details: 'Property .list[49] must be integer' })
    const [long] = compileValidator(Many).faults({ list: [], map: { ['n'.repeat(100_000)]: 'x' } }, payload)
    expect(long?.path).toBe(`.map.${'n'.repeat(100)}…`)
    expect(long?.details.length).toBeLessThan(200)
  })

  test('integers are limited to the range that JSON and JavaScript represent exactly', () => {
    const Amount = Type.Object({ amount: Int() })
    for (const amount of [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0, -0])
      expect(errorOf(Amount, { amount })).toBeNull()
    expect(errorOf(Amount, { amount: 2 ** 53 })).toBe('Property .amount must be <= 9007199254740991')
    expect(errorOf(Amount, { amount: -(2 ** 53) })).toBe('Property .amount must be >= -9007199254740991')
    expect(errorOf(Amount, { amount: Number.NaN })).toBe('Property .amount must be integer')
  })
})

describe('over HTTP', () => {
  const extra = [
    operation({
      id: 'probeEvent',
      method: 'POST',
      path: '/v1/probes/events',
      summary: 'The body of a custom event',
      body: EventBody,
      reply: Type.Object({ event: Type.String() }),
      errors: [],
      run: async (_ctx, { body }) => ({ event: body.event }),
    }),
    operation({
      id: 'probeList',
      method: 'GET',
      path: '/v1/probes',
      summary: 'The query of a list',
      query: Type.Object({
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
        page: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 1 })),
        created_at: Type.Optional(Type.Object({ before: Type.Optional(InstantInput) })),
        customer: Type.String(),
      }),
      reply: Type.Object({ limit: Type.Integer(), page: Type.Integer(), before: Type.Optional(Type.String()) }),
      errors: ['invalid_query_params'],
      run: async (_ctx, { query: { limit = 0, page = 0, created_at } }) => ({ limit, page, ...created_at }),
    }),
  ]

  test.each([
    [{}, "Payload should have required property 'event'"],
    [{ event: 'x' }, "Payload should have required property 'customer'"],
    [
      { event: 'x'.repeat(301), customer: { source_id: 'c1' } },
      'Property .event must NOT have more than 300 characters',
    ],
    [{ event: 'x', customer: 'c1' }, 'Property .customer must be object'],
    [
      { event: 'x', customer: { source_id: 'c1' }, referral: {} },
      "Property .referral should have required property 'code'",
    ],
  ])('the body %j of an event is refused: %s', async (body, details) => {
    const shop = await newProject({ extra })
    const answer = await shop.call('POST', '/v1/probes/events', body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      code: 400,
      key: 'invalid_payload',
      message: 'Invalid payload',
      details,
      errors: expect.arrayContaining([{ path: expect.any(String), details }]),
      request_id: answer.headers['x-request-id'],
    })
  })

  test('the management side says "must" for a missing property', async () => {
    const { service, management } = await newProject({ extra })
    const answer = await service.app.inject({
      method: 'POST',
      url: '/management/v1/projects',
      headers: management,
      payload: {},
    })
    expect(answer.json()).toMatchObject({
      code: 400,
      key: 'invalid_payload',
      details: "Payload must have required property 'name'",
    })
  })

  test.each([
    ['customer=c&limit=101', 'Property .limit must be <= 100'],
    ['customer=c&limit=0', 'Property .limit must be >= 1'],
    ['customer=c&limit=-1', 'Property .limit must be >= 1'],
    ['customer=c&limit=ten', 'Property .limit must be integer'],
    ['customer=c&limit=1.5', 'Property .limit must be integer'],
    ['customer=c&limit=1&limit=2', 'Property .limit must be integer'],
    ['customer=c&limit[x]=1', 'Property .limit must be integer'],
    ['customer=c&page=101', 'Property .page must be <= 100'],
    ['customer=c&created_at=2026-01-01', 'Property .created_at must be object'],
    [
      'customer=c&created_at[before]=soon',
      'Property .created_at.before cannot be recognized as a ISO-8601 compliant date',
    ],
    ['', "Query should have required property 'customer'"],
  ])('the query %j is refused: %s', async (query, details) => {
    const shop = await newProject({ extra })
    const answer = await shop.call('GET', `/v1/probes?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      code: 400,
      key: 'invalid_query_params',
      message: 'Invalid query params',
      details,
    })
  })

  test('all faults of a body are listed, and `details` is that of the first', async () => {
    const shop = await newProject({ extra })
    const { body } = await shop.call('POST', '/v1/probes/events', { customer: { email: 'nobody' }, referral: {} })
    expect(body).toMatchObject({
      details: "Payload should have required property 'event'",
      errors: [
        { path: '.event', details: "Payload should have required property 'event'" },
        { path: '.customer.email', details: 'Property .customer.email must be a valid email' },
        { path: '.referral.code', details: "Property .referral should have required property 'code'" },
      ],
    })
  })

  test('all faults of a query are listed', async () => {
    const shop = await newProject({ extra })
    const { body } = await shop.call('GET', '/v1/probes?limit=0&page=x&created_at[before]=soon')
    expect(body.errors).toEqual([
      { path: '.customer', details: "Query should have required property 'customer'" },
      { path: '.limit', details: 'Property .limit must be >= 1' },
      { path: '.page', details: 'Property .page must be integer' },
      {
        path: '.created_at.before',
        details: 'Property .created_at.before cannot be recognized as a ISO-8601 compliant date',
      },
    ])
  })

  test('a valid query is converted to numbers and instants, with its defaults', async () => {
    const shop = await newProject({ extra })
    expect((await shop.call('GET', '/v1/probes?customer=c')).body).toEqual({ limit: 10, page: 1 })
    expect(
      (await shop.call('GET', '/v1/probes?customer=c&limit=100&page=7&[created_at][before]=2026-01-01T10%2B02:00'))
        .body,
    ).toEqual({
      limit: 100,
      page: 7,
      before: '2026-01-01T08:00:00.000Z',
    })
  })
})

describe('dates become instants', () => {
  const normalised = (schema: TSchema, value: unknown) => {
    const validator = compileValidator(schema)
    expect(validator.firstError(value, payload)).toBeNull()
    return validator.normalise(value)
  }
  const written = '2026-01-01T10:00+02:00'
  const instant = '2026-01-01T08:00:00.000Z'

  test('wherever the schema declares them: objects, lists, maps, nullable and optional fields', () => {
    const Dated = Type.Object({
      at: InstantInput,
      maybe: Type.Optional(Nullable(InstantInput)),
      ranges: Type.Array(Type.Object({ from: InstantInput, to: Type.Optional(InstantInput) })),
      days: Type.Array(InstantInput),
      by_name: MapOf(InstantInput),
      by_card: MapOf(Type.Object({ expires_at: InstantInput })),
      nested: Type.Object({ deeper: Nullable(Type.Object({ at: InstantInput })) }),
    })
    expect(
      normalised(Dated, {
        at: written,
        maybe: written,
        ranges: [{ from: written }, { from: '2026-01-02', to: written }],
        days: ['2026-01-01', written],
        by_name: { a: written, constructor: '2026-01-01' },
        by_card: { x: { expires_at: written } },
        nested: { deeper: { at: written } },
      }),
    ).toEqual({
      at: instant,
      maybe: instant,
      ranges: [{ from: instant }, { from: '2026-01-02T00:00:00.000Z', to: instant }],
      days: ['2026-01-01T00:00:00.000Z', instant],
      by_name: { a: instant, constructor: '2026-01-01T00:00:00.000Z' },
      by_card: { x: { expires_at: instant } },
      nested: { deeper: { at: instant } },
    })
    expect(
      normalised(Dated, {
        at: written,
        maybe: null,
        ranges: [],
        days: [],
        by_name: {},
        by_card: {},
        nested: { deeper: null },
      }),
    ).toMatchObject({
      maybe: null,
      nested: { deeper: null },
    })
  })

  test('and nowhere else: text that looks like a date stays unchanged', () => {
    const Mixed = Type.Object({
      at: InstantInput,
      note: Type.String(),
      metadata: Metadata,
      limits: Type.Object({ known: Int() }),
    })
    const sent = {
      at: instant,
      note: written,
      metadata: { at: written, list: [written] },
      limits: { known: 1, at: written },
      unknown: written,
    }
    expect(normalised(Mixed, structuredClone(sent))).toEqual(sent)
  })

  test('in a union only the matching variant is applied', () => {
    expect(normalised(Discount, { type: 'PERCENT', percent_off: 5, until: written })).toMatchObject({ until: instant })
    expect(normalised(Discount, { type: 'UNIT', until: written })).toMatchObject({ until: written })

    const Either = Type.Union([
      Type.Object({ day: InstantInput }),
      Type.Object({ text: Type.String() }),
      InstantInput,
      Type.Array(InstantInput),
    ])
    expect(normalised(Either, { text: written })).toEqual({ text: written })
    expect(normalised(Either, { day: written })).toEqual({ day: instant })
    expect(normalised(Either, written)).toBe(instant)
    expect(normalised(Either, [written])).toEqual([instant])
  })
})

describe('a query is coerced', () => {
  const coerced = (schema: TSchema, text: string) =>
    JSON.parse(JSON.stringify(compileValidator(schema).coerce(parseQueryString(text))))

  test.each<[schema: TSchema, text: string, expected: unknown]>([
    [Type.Object({ n: Int() }), 'n=5', { n: 5 }],
    [Type.Object({ n: Int() }), 'n=-5', { n: -5 }],
    [Type.Object({ n: Int() }), 'n=007', { n: 7 }],
    [Type.Object({ n: Int() }), 'n=5e3', { n: '5e3' }],
    [Type.Object({ n: Int() }), 'n=0x10', { n: '0x10' }],
    [Type.Object({ n: Type.Number() }), 'n=1.25', { n: 1.25 }],
    [Type.Object({ n: Nullable(Int()) }), 'n=5', { n: 5 }],
    [Type.Object({ n: Type.String() }), 'n=5', { n: '5' }],
    [Type.Object({ b: Type.Boolean() }), 'b=true', { b: true }],
    [Type.Object({ b: Type.Boolean() }), 'b=False', { b: false }],
    [Type.Object({ b: Type.Boolean() }), 'b=1', { b: true }],
    [Type.Object({ b: Type.Boolean() }), 'b=0', { b: false }],
    [Type.Object({ b: Type.Boolean() }), 'b=2', { b: '2' }],
    [Type.Object({ n: Type.Union([Int(), Type.Boolean()]) }), 'n=1', { n: 1 }],
    [Type.Object({ b: Type.Boolean() }), 'b', {}],
    [Type.Object({ d: InstantInput }), 'd=2026-01-01', { d: '2026-01-01T00:00:00.000Z' }],
    [Type.Object({ d: InstantInput }), 'd=never', { d: 'never' }],
    [Type.Object({ l: Type.Array(Int()) }), 'l=1', { l: [1] }],
    [Type.Object({ l: Type.Array(Int()) }), 'l=1&l=x', { l: [1, 'x'] }],
    [Type.Object({ l: Type.Array(Int()) }), 'l[10]=10&l[9]=9', { l: [9, 10] }],
    [Type.Object({ l: Type.Array(InstantInput) }), 'l[]=2026-01-01', { l: ['2026-01-01T00:00:00.000Z'] }],
    [
      Type.Object({ o: Type.Object({ before: Type.Optional(InstantInput) }) }),
      'o[before]=2026-01-01&o[x]=1',
      { o: { before: '2026-01-01T00:00:00.000Z' } },
    ],
    [Type.Object({ limit: Type.Integer({ default: 10 }) }), '', { limit: 10 }],
    [Type.Object({ limit: Type.Integer({ default: 10 }) }), 'limit=', { limit: 10 }],
    [Type.Object({ d: InstantInput }), 'd=', {}],
    [Type.Object({ o: Type.Object({ before: Type.Optional(InstantInput) }) }), 'o[before]=', { o: {} }],
    [Type.Object({ w: OneOf(['a', 'b']) }), 'w=', {}],
    [Type.Object({ n: Type.Union([Int(), Type.Boolean()]) }), 'n=', {}],
    [Type.Object({ s: Type.String({ minLength: 1 }) }), 's=', {}],
    [Type.Object({ s: Type.String() }), 's=', { s: '' }],
    [Type.Object({ l: Type.Array(Type.String()) }), 'l=', { l: [''] }],
    [
      Type.Object({ filters: Type.Unsafe({ type: 'object' }) }),
      'filters[code][$is]=5',
      { filters: { code: { $is: '5' } } },
    ],
    [Type.Object({ known: Type.Optional(Int()) }), 'unknown=5&__proto__[known]=7', {}],
  ])('by %j: %s', (schema, text, expected) => {
    expect(coerced(schema, text)).toEqual(expected)
  })
})

/** A schema of our vocabulary and a generator of valid values. */
interface Sample {
  schema: TSchema
  good: fc.Arbitrary<unknown>
}

describe('the traversal that finds the error message agrees with the compiled check', () => {
  const text = fc.string({ unit: 'binary', maxLength: 6 })
  const date = fc.constantFrom('2026-01-01', '2026-01-01T10:00+02:00', '2024-02-29T12:00:00.000Z')
  const bound = fc.option(fc.integer({ min: -3, max: 8 }), { nil: undefined })
  const leaf: fc.Arbitrary<Sample> = fc.oneof(
    fc.constant({ schema: Name, good: text.filter((value) => value !== '') }),
    fc.constant({ schema: FreeText, good: text }),
    fc.constant({ schema: Metadata, good: fc.dictionary(text, fc.jsonValue({ maxDepth: 1 })) }),
    fc.constant({ schema: InstantInput, good: date }),
    fc.constant({ schema: Type.Boolean(), good: fc.boolean() }),
    fc.constant({ schema: Type.String({ pattern: '^[a-c]+$' }), good: fc.stringMatching(/^[a-c]+$/) }),
    fc.constant({ schema: Type.String({ format: 'email' }), good: fc.constant('a@b.test') }),
    fc.constant({ schema: OneOf(['A', 'B']), good: fc.constantFrom('A', 'B') }),
    fc.constantFrom('A', 7, true).map((value) => ({ schema: Type.Literal(value), good: fc.constant(value) })),
    fc.tuple(bound, bound).map(([minimum, maximum]) => ({
      schema: Int({ ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) }),
      good: fc.integer({ min: -4, max: 9 }),
    })),
    fc.tuple(bound, bound).map(([exclusiveMinimum, maximum]) => ({
      schema: Type.Number({
        ...(exclusiveMinimum === undefined ? {} : { exclusiveMinimum }),
        ...(maximum === undefined ? {} : { maximum }),
      }),
      good: fc.double({ min: -4, max: 9, noNaN: true }),
    })),
    fc
      .tuple(fc.nat(3), fc.nat(3))
      .map(([minLength, more]) => ({ schema: Type.String({ minLength, maxLength: minLength + more }), good: text })),
  )
  const name = fc.constantFrom('a', 'b', 'c', 'code', 'with space', 'ü')
  const { any: sample } = fc.letrec<{
    any: Sample
    object: Sample
    list: Sample
    map: Sample
    union: Sample
    nullable: Sample
    variant: Sample
  }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      leaf,
      tie('object'),
      tie('list'),
      tie('map'),
      tie('union'),
      tie('nullable'),
      tie('variant'),
    ) as fc.Arbitrary<Sample>,
    object: fc
      .dictionary(name, fc.tuple(tie('any'), fc.boolean()), { maxKeys: 4, noNullPrototype: true })
      .map((fields) => objectOf(fields)),
    list: fc.tuple(tie('any'), fc.nat(2), fc.nat(2), fc.boolean()).map(([item, minItems, more, uniqueItems]) => ({
      schema: Type.Array(item.schema, { minItems, maxItems: minItems + more, ...(uniqueItems ? { uniqueItems } : {}) }),
      good: fc.array(item.good, { minLength: minItems, maxLength: minItems + more }),
    })),
    map: tie('any').map(({ schema, good }) => ({
      schema: MapOf(schema),
      good: fc.dictionary(fc.oneof(name, fc.constantFrom('constructor', 'toString', 'valueOf')), good, {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    })),
    union: fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map((choices) => ({
      schema: Type.Union(choices.map(({ schema }) => schema)),
      good: fc.oneof(...choices.map(({ good }) => good)),
    })),
    // A nullable literal is not part of the vocabulary: a nullable word is `Nullable(OneOf([…]))`.
    nullable: tie('any')
      .filter(({ schema }) => !('const' in schema))
      .map(({ schema, good }) => ({
        schema: Nullable(schema),
        good: fc.option(good, { freq: 3 }),
      })),
    variant: fc
      .array(fc.dictionary(name, fc.tuple(tie('any'), fc.boolean()), { maxKeys: 2, noNullPrototype: true }), {
        minLength: 1,
        maxLength: 3,
      })
      .map((bodies) => {
        const choices = bodies.map((fields, index) => {
          const tag: Sample = { schema: Type.Literal(`KIND_${index}`), good: fc.constant(`KIND_${index}`) }
          return objectOf({ ...fields, type: [tag, false] })
        })
        return {
          schema: variants(
            'type',
            choices.map(({ schema }) => schema),
          ),
          good: fc.oneof(...choices.map(({ good }) => good)),
        }
      }),
  }))

  function objectOf(fields: Record<string, [Sample, boolean]>): Sample {
    const entries = Object.entries(fields)
    return {
      schema: Type.Object(
        Object.fromEntries(
          entries.map(([key, [{ schema }, optional]]) => [key, optional ? Type.Optional(schema) : schema]),
        ),
      ),
      good: fc.record(Object.fromEntries(entries.map(([key, [{ good }]]) => [key, good])), {
        requiredKeys: entries.filter(([, [, optional]]) => !optional).map(([key]) => key),
        noNullPrototype: true,
      }),
    }
  }

  const junk = fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom('', 'A', 'KIND_0', 'KIND_9', 0, -1, 1.5, 2 ** 53, null, [], {}),
  )
  /** A valid value with one part of it, at a random depth, replaced, added or removed. */
  const damaged = (good: fc.Arbitrary<unknown>) =>
    fc
      .tuple(good, fc.array(fc.nat(), { maxLength: 3 }), junk, fc.constantFrom('replace', 'remove', 'add'))
      .map(([value, steps, part, how]) => {
        const copy = { root: structuredClone(value) }
        let place: Record<string, unknown> = copy
        let key = 'root'
        for (const step of steps) {
          const next = place[key]
          if (typeof next !== 'object' || next === null || Object.keys(next).length === 0) break
          place = next as Record<string, unknown>
          key = Object.keys(next)[step % Object.keys(next).length] as string
        }
        if (how === 'add' && Array.isArray(place[key])) (place[key] as unknown[]).push(part)
        else if (how === 'remove' && key !== 'root' && !Array.isArray(place)) delete place[key]
        else place[key] = part
        return copy.root
      })

  const check = (schema: TSchema, value: unknown) => Compile(schema).Check(value)

  test('for values that are valid, almost valid, or unrelated', () => {
    const seen = { good: 0, bad: 0 }
    fc.assert(
      fc.property(
        sample.chain(({ schema, good }) =>
          fc.tuple(fc.constant(schema), fc.oneof(good, damaged(good), damaged(good), junk)),
        ),
        ([schema, value]) => {
          const [error = null] = faultsIn(schema, value, '', payload)
          const passes = check(schema, value)
          seen[passes ? 'good' : 'bad'] += 1
          expect({ passes: error === null, error }).toEqual({ passes, error })
        },
      ),
      { numRuns: scaled(1_500, 300) },
    )
    // A generator that produces only valid or only invalid values would prove nothing.
    expect(Math.min(seen.good, seen.bad)).toBeGreaterThan(scaled(200, 30))
  })

  test('and the message begins with the root or a path that exists in the schema', () => {
    fc.assert(
      fc.property(
        sample.chain(({ schema, good }) => fc.tuple(fc.constant(schema), damaged(good))),
        ([schema, value]) => {
          const error = compileValidator(schema).firstError(value, payload)
          if (error !== null) expect(error).toMatch(/^(Payload|Property [.[].*) (must|should|cannot) /s)
          expect(error).not.toBe('Payload does not have the required shape')
        },
      ),
      { numRuns: scaled(500, 120) },
    )
  })

  test('finding an error does not change the value', () => {
    fc.assert(
      fc.property(
        sample.chain(({ schema, good }) => fc.tuple(fc.constant(schema), damaged(good))),
        ([schema, value]) => {
          const before = structuredClone(value)
          compileValidator(schema).firstError(value, payload)
          expect(value).toEqual(before)
        },
      ),
      { numRuns: scaled(200, 80) },
    )
  })

  test('normalising a valid value gives a valid value, and is idempotent', () => {
    fc.assert(
      fc.property(
        sample.chain(({ schema, good }) => fc.tuple(fc.constant(schema), good)),
        ([schema, value]) => {
          fc.pre(check(schema, value))
          const validator = compileValidator(schema)
          const once = validator.normalise(structuredClone(value))
          expect(check(schema, once)).toBe(true)
          expect(validator.normalise(structuredClone(once))).toEqual(once)
        },
      ),
      { numRuns: scaled(500, 120) },
    )
  })
})

test('a date in a request may omit the time, unlike the `Instant` of replies', () => {
  // `Instant` is for replies; a request that used it would refuse `2026-01-01`, which the contract accepts.
  expect(errorOf(Type.Object({ at: InstantInput }), { at: '2026-01-01' })).toBeNull()
  expect(errorOf(Type.Object({ at: Instant }), { at: '2026-01-01' })).not.toBeNull()
})
