import { InstantInput, Int, MapOf, Maybe, Metadata, OpenObject, RuleTree, variants } from '@guerdon/engine/schema'
import fc from 'fast-check'
import { type TSchema, Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { operations } from '../../operations.ts'
import { newProject, send } from '../../testing/app.ts'
import { limits } from '../lib/limits.ts'
import { operation } from './operation.ts'
import { prefersStrict } from './preference.ts'
import { ignoredHeader } from './read-input.ts'
import { compileValidator } from './validation.ts'

const unknownIn = (schema: TSchema, value: unknown): string[] =>
  compileValidator(schema)
    .unknownFields(value)
    .map(({ path }) => path)

const Discount = variants('type', [
  Type.Object({ type: Type.Literal('AMOUNT'), amount_off: Int(), unit: Type.Object({ id: Int() }) }),
  Type.Object({ type: Type.Literal('PERCENT'), percent_off: Int(), unit: Type.Object({ name: Type.String() }) }),
])

const Body = Type.Object({
  code: Type.String(),
  expiration_date: Maybe(InstantInput),
  validation_rules: Type.Optional(Type.Array(Type.String())),
  discount: Maybe(Discount),
  items: Type.Optional(Type.Array(Type.Object({ price: Int(), product: Maybe(Type.Object({ id: Type.String() })) }))),
  limits: Type.Optional(MapOf(Type.Object({ most: Int() }))),
  customer: Type.Optional(Type.Union([Type.String(), Type.Object({ id: Type.String() })])),
  mixed: Type.Optional(Type.Union([Type.Object({ id: Type.String() }), Metadata])),
  checked_elsewhere: Maybe(OpenObject(() => Type.Object({ amount: Int() }))),
  rules: Maybe(RuleTree),
  metadata: Maybe(Metadata),
})

describe('fields that a schema does not declare are found', () => {
  test.each<[value: unknown, ...paths: string[]]>([
    [{ code: 'A', validation_rule_id: 'val_1' }, '.validation_rule_id'],
    [{ Code: 'A', expirationDate: '2026-01-01' }, '.Code', '.expirationDate'],
    [{ discount: { type: 'AMOUNT', amount_of: 1 } }, '.discount.amount_of'],
    [{ items: [{ price: 1 }, { prize: 1, product: { idd: 'a' } }] }, '.items[1].prize', '.items[1].product.idd'],
    [{ limits: { a: { most: 1 }, b: { least: 1 } } }, '.limits.b.least'],
    [{ customer: { id: 'a', email: 'b' } }, '.customer.email'],
    [{ checked_elsewhere: { amount: 1, amuont: 2 } }, '.checked_elsewhere.amuont'],
    [
      { rules: { '1': { name: 'a', condition: {}, rules: { '1': { name: 'b', sub: 1 } } }, logic: '1' } },
      '.rules.1.condition',
      '.rules.1.rules.1.sub',
    ],
    [{ 'a.b': 1, '': 2, __proto__x: 3 }, '.a.b', '.', '.__proto__x'],
    [{ constructor: 1, toString: 2 }, '.constructor', '.toString'],
    [{ nothing: null }, '.nothing'],
  ])('%j', (value, ...paths) => {
    expect(unknownIn(Body, value)).toEqual(paths)
  })

  test.each<[what: string, value: unknown]>([
    ['declared fields', { code: 'A', items: [{ price: 1, product: null }], discount: null }],
    ['metadata of any content', { metadata: { anything: [{ deep: { deeper: 1 } }] } }],
    ['names in a map', { limits: { anything: { most: 1 } } }],
    [
      'fields of another variant of a union',
      { discount: { type: 'AMOUNT', percent_off: 1, unit: { name: 'a', id: 1 } } },
    ],
    ['anything where one variant allows anything', { mixed: { anything: { at: 'all' } } }],
    ['operators and arguments of conditions', { rules: { a: { name: 'b', conditions: { $is: [{ x: 1 }] } } } }],
    ['values of a wrong type', { items: 'none', discount: 7, limits: [1], customer: ['a'], metadata: null }],
    ['a body that is no object', 'text'],
  ])('but not %s', (_what, value) => {
    expect(unknownIn(Body, value)).toEqual([])
  })

  test(`up to ${limits.listed_faults_max}, with long names cut`, () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`x${index}`, index]))
    expect(unknownIn(Body, many)).toHaveLength(limits.listed_faults_max)
    expect(unknownIn(Body, { ['n'.repeat(1_000_000)]: 1 })).toEqual([`.${'n'.repeat(100)}…`])
  })

  test('the bodies in the examples of the documentation have none', () => {
    for (const { id, body, consumes } of operations) {
      if (body === undefined || consumes !== undefined) continue
      for (const example of (body as { examples?: unknown[] }).examples ?? [])
        expect({ id, unknown: unknownIn(body, example) }).toEqual({ id, unknown: [] })
    }
  })
})

describe('the header', () => {
  test('separates paths by commas and percent-encodes everything that is not visible ASCII', () => {
    expect(ignoredHeader(['.a', '.order.items[0].prize', '?limt'])).toBe('.a, .order.items[0].prize, ?limt')
    expect(ignoredHeader(['.a,b', '.a b', '.ü', '.100%', '.a\r\nX-Evil: 1', '.🎁'])).toBe(
      '.a%2Cb, .a%20b, .%C3%BC, .100%25, .a%0D%0AX-Evil:%201, .%F0%9F%8E%81',
    )
  })

  test('is short and safe for any names', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (names) => {
        const header = ignoredHeader(names.map((name) => `.${name}`))
        expect(header).toMatch(/^[\x20-\x7e]*$/)
        expect(header.length).toBeLessThanOrEqual(limits.ignored_header_length_max)
      }),
    )
    expect(ignoredHeader(Array(40).fill(`.${'n'.repeat(100)}`))).toMatch(/n, \.\.\.$/)
    expect(ignoredHeader([`.${'🎁'.repeat(100)}`, '.a'])).toBe('...')
    expect(ignoredHeader(Array(limits.listed_faults_max).fill('.n'))).toMatch(/n, \.\.\.$/)
  })
})

test.each([
  ['handling=strict', true],
  ['Handling="Strict"', true],
  ['respond-async, handling=strict; x=y', true],
  [' handling = strict ', true],
  ['handling=lenient, handling=strict', false],
  ['handling=lenient', false],
  ['handling', false],
  ['strict', false],
  ['x-handling=strict', false],
  ['', false],
  [undefined, false],
])('`Prefer: %s` asks for strict handling: %s', (header, isStrict) => {
  expect(prefersStrict(header)).toBe(isStrict)
})

describe('over HTTP', () => {
  const extra = [
    operation({
      id: 'probeUnknown',
      method: 'POST',
      path: '/v1/probes/{probeId}',
      summary: 'A body and a query',
      query: Type.Object({
        force: Type.Optional(Type.Boolean()),
        ids: Type.Optional(Type.Array(Type.String())),
        created_at: Type.Optional(Type.Object({ before: Type.Optional(InstantInput) })),
      }),
      body: Body,
      reply: Type.Object({ code: Type.String() }),
      errors: [],
      run: async (_ctx, { body }) => ({ code: body.code }),
    }),
    operation({
      id: 'probeNoQuery',
      method: 'GET',
      path: '/v1/probes/{probeId}',
      summary: 'Neither body nor query',
      reply: Type.Object({ code: Type.String() }),
      errors: [],
      run: async () => ({ code: 'A' }),
    }),
    operation({
      id: 'probeClientBody',
      method: 'POST',
      path: '/client/v1/probes',
      summary: 'A body from a browser',
      body: Body,
      reply: Type.Object({ code: Type.String() }),
      errors: [],
      run: async (_ctx, { body }) => ({ code: body.code }),
    }),
  ]
  const strict = { prefer: 'handling=strict' }

  test('unknown fields and parameters are ignored, and named in a header', async () => {
    const shop = await newProject({ extra })
    const sent = { code: 'A', validation_rule_id: 'val_1', items: [{ price: 1, prize: 2 }] }
    const answer = await shop.call('POST', '/v1/probes/1?forse=true&created_at[befor]=x&ids[0]=a', sent)
    expect(answer.status).toBe(200)
    expect(answer.headers['guerdon-ignored']).toBe('?forse, ?created_at.befor, .validation_rule_id, .items[0].prize')
    expect(answer.headers['preference-applied']).toBeUndefined()
  })

  test('a request without unknown fields gets no such header', async () => {
    const shop = await newProject({ extra })
    const answer = await shop.call('POST', '/v1/probes/1?force=TRUE&ids=a&ids=b', { code: 'A', metadata: { any: 1 } })
    expect(answer.status).toBe(200)
    expect(answer.headers['guerdon-ignored']).toBeUndefined()
  })

  test('a field that repeats the id in the path is not unknown, unless it contradicts it', async () => {
    const shop = await newProject({ extra })
    const repeated = await shop.call('POST', '/v1/probes/SUMMER%20A', { code: 'A', id: 'SUMMER A' }, strict)
    expect(repeated).toMatchObject({ status: 200, headers: { 'preference-applied': 'handling=strict' } })
    expect(repeated.headers['guerdon-ignored']).toBeUndefined()
    const other = await shop.call('POST', '/v1/probes/SUMMER', { code: 'A', id: 'WINTER', items: [{ id: 'SUMMER' }] })
    expect(other.headers['guerdon-ignored']).toBe('.id, .items[0].id')
  })

  test('the header is there when the body is refused: the misspelt field is often the missing one', async () => {
    const shop = await newProject({ extra })
    const answer = await shop.call('POST', '/v1/probes/1', { cod: 'A' })
    expect(answer).toMatchObject({
      status: 400,
      headers: { 'guerdon-ignored': '.cod' },
      body: { details: "Payload should have required property 'code'", errors: [{ path: '.code' }] },
    })
  })

  test('an operation without parameters names those that it ignores, and ignores a malformed query', async () => {
    const shop = await newProject({ extra })
    expect((await shop.call('GET', '/v1/probes/1?limit=3')).headers['guerdon-ignored']).toBe('?limit')
    expect(await shop.call('GET', '/v1/probes/1?a=%')).toMatchObject({ status: 200 })
    expect(await shop.call('GET', '/v1/probes/1?limit=3', undefined, strict)).toMatchObject({
      status: 400,
      body: { key: 'invalid_query_params', details: 'Property .limit is not known' },
    })
  })

  test('with `Prefer: handling=strict` they are refused, all of them, each with what was probably meant', async () => {
    const shop = await newProject({ extra })
    const sent = {
      code: 'A',
      validation_rule_id: 'v',
      expirationDate: 'x',
      discount: { type: 'AMOUNT', amountOff: 1 },
      zzz: 1,
    }
    const answer = await shop.call('POST', '/v1/probes/1', sent, strict)
    expect(answer.status).toBe(400)
    expect(answer.headers['preference-applied']).toBe('handling=strict')
    expect(answer.body).toMatchObject({
      key: 'invalid_payload',
      details: "Property .discount should have required property 'amount_off'",
      errors: [
        { path: '.discount.amount_off' },
        { path: '.discount.unit' },
        {
          path: '.validation_rule_id',
          details: "Property .validation_rule_id is not known. Did you mean 'validation_rules'?",
        },
        { path: '.expirationDate', details: "Property .expirationDate is not known. Did you mean 'expiration_date'?" },
        {
          path: '.discount.amountOff',
          details: "Property .discount.amountOff is not known. Did you mean 'amount_off'?",
        },
        { path: '.zzz', details: 'Property .zzz is not known' },
      ],
    })
    expect(await shop.call('POST', '/v1/probes/1?forced=1', { code: 'A' }, strict)).toMatchObject({
      status: 400,
      body: {
        key: 'invalid_query_params',
        errors: [{ path: '.forced', details: "Property .forced is not known. Did you mean 'force'?" }],
      },
    })
  })

  test('a strict request without unknown fields is done, and told that the preference was applied', async () => {
    const shop = await newProject({ extra })
    const answer = await shop.call('POST', '/v1/probes/1', { code: 'A' }, strict)
    expect(answer).toMatchObject({ status: 200, headers: { 'preference-applied': 'handling=strict' } })
  })

  test('where they are ignored, the answer warns of them too, with what was probably meant', async () => {
    const shop = await newProject({ extra })
    const sent = { code: 'A', expirationDate: '2030-01-01', items: [{ price: 1, zzz: 2 }] }
    expect(await shop.call('POST', '/v1/probes/1?forse=true', sent)).toMatchObject({
      status: 200,
      body: {
        warnings: [
          "Property .forse is not known and was ignored. Did you mean 'force'?",
          "Property .expirationDate is not known and was ignored. Did you mean 'expiration_date'?",
          'Property .items[0].zzz is not known and was ignored.',
        ],
      },
    })
    const real = await shop.call('POST', '/v1/vouchers/LIMITED', {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'PERCENT', percent_off: 10 },
      max_uses: 1,
    })
    expect(real.body).toMatchObject({ code: 'LIMITED', warnings: ['Property .max_uses is not known and was ignored.'] })
    expect((await shop.call('GET', '/v1/vouchers/LIMITED')).body.warnings).toBeUndefined()
  })

  test('a project with `unknown_fields` `REFUSE` refuses them, and nothing is done', async () => {
    const shop = await newProject({ project: { unknown_fields: 'REFUSE' } })
    const voucher = { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 }, max_uses: 1 }
    expect(await shop.call('POST', '/v1/vouchers/LIMITED', { ...voucher, expirationDate: '2030-01-01' })).toMatchObject(
      {
        status: 400,
        body: {
          key: 'invalid_payload',
          details: 'Property .max_uses is not known',
          errors: [
            { path: '.max_uses' },
            { path: '.expirationDate', details: expect.stringContaining("Did you mean 'expiration_date'?") },
          ],
        },
      },
    )
    expect(await shop.call('GET', '/v1/vouchers/LIMITED')).toMatchObject({ status: 404 })
    expect(await shop.manage('PUT', '', { unknown_fields: 'IGNORE' })).toMatchObject({
      status: 200,
      body: { unknown_fields: 'IGNORE' },
    })
    expect(await shop.call('POST', '/v1/vouchers/LIMITED', voucher)).toMatchObject({ status: 200 })
  })

  test('what was read may be sent back with a change, also where unknown fields are refused', async () => {
    const shop = await newProject({ project: { unknown_fields: 'REFUSE' } })
    const path = `/management/v1/projects/${shop.project_id}`
    const { body: project } = await send(shop.service.app, 'GET', path, undefined, shop.management)
    expect(await shop.manage('PUT', '', { ...project, name: 'Boots' })).toMatchObject({
      status: 200,
      body: { name: 'Boots', warnings: expect.arrayContaining([expect.stringContaining('.webhook_token')]) },
    })
    const { body: ann } = await shop.call('POST', '/v1/customers', { source_id: 'ann', name: 'Ann' })
    const order = { amount: 1_000, customer: ann }
    expect(await shop.call('POST', '/v1/orders', order)).toMatchObject({ status: 200 })
    expect(await shop.call('PUT', '/v1/customers/ann', { ...ann, name: 'Anna' })).toMatchObject({ status: 200 })
    expect(await shop.call('POST', '/v1/orders', { amuont: 1_000 })).toMatchObject({ status: 400 })
    // `object` is what redeemables need, and an answer of another kind shows nothing of a list.
    const redeemables = [{ object: 'voucher', id: 'A', gifts: { credits: 1 } }]
    for (const [path, body] of [
      ['/v1/redemptions', { redeemables, order: { amount: 1_000 } }],
      ['/v1/vouchers/import', [{ code: 'A', max_uses: 1 }]],
      ['/v1/orders/import', [{ amuont: 1_000 }]],
    ] as const)
      expect(await shop.call('POST', path, body)).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
  })

  test.each([
    ['strict', 'REFUSE'],
    ['either', 'IGNORE'],
  ])('with AUTH_MODE=%s a new project has `unknown_fields` `%s`, unless it says otherwise', async (authMode, value) => {
    const shop = await newProject({ env: { AUTH_MODE: authMode } })
    const body = { name: 'New', timezone: 'UTC', currency: 'EUR', case_sensitive_codes: true }
    const create = async (more: object = {}) =>
      (await shop.call('POST', '/management/v1/projects', { ...body, ...more }, shop.management)).body.unknown_fields
    expect(await create()).toBe(value)
    for (const chosen of ['REFUSE', 'IGNORE']) expect(await create({ unknown_fields: chosen })).toBe(chosen)
  })

  test('with `UNKNOWN_FIELDS=refuse` they are always refused, but for forms, which OAuth wants to be lenient', async () => {
    const shop = await newProject({ extra, env: { UNKNOWN_FIELDS: 'refuse' } })
    const answer = await shop.call('POST', '/v1/probes/1', { code: 'A', metadta: {} })
    expect(answer.status).toBe(400)
    expect(answer.headers['preference-applied']).toBeUndefined()
    expect(answer.body.errors).toEqual([
      { path: '.metadta', details: "Property .metadta is not known. Did you mean 'metadata'?" },
    ])
    expect(await shop.call('POST', '/v1/probes/1', { code: 'A', metadata: {} })).toMatchObject({ status: 200 })
    const token = await shop.service.app.inject({
      method: 'POST',
      url: '/v1/oauth/token',
      headers: { ...shop.headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'grant_type=client_credentials&scope=api&resource=x',
    })
    expect(token.statusCode).toBe(200)
  })

  test('a browser may send the preference and read the headers', async () => {
    const shop = await newProject({ extra, project: { client_trusted_domains: ['shop.example'] } })
    const origin = 'https://shop.example'
    const answer = await shop.call('POST', '/client/v1/probes', { code: 'A', cod: 1 }, { origin })
    expect(answer.headers['guerdon-ignored']).toBe('.cod')
    const exposed = String(answer.headers['access-control-expose-headers']).split(', ')
    expect(exposed).toEqual(expect.arrayContaining(['Guerdon-Ignored', 'Preference-Applied']))
    const preflight = await shop.service.app.inject({
      method: 'OPTIONS',
      url: '/client/v1/probes',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'prefer' },
    })
    expect(String(preflight.headers['access-control-allow-headers']).split(', ')).toContain('Prefer')
  })

  test('a name cannot add a header', async () => {
    const shop = await newProject({ extra })
    const answer = await shop.call('POST', '/v1/probes/1', { code: 'A', 'x\r\nSet-Cookie: a=b': 1, '€': 2 })
    expect(answer.status).toBe(200)
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(answer.headers['guerdon-ignored']).toBe('.x%0D%0ASet-Cookie:%20a=b, .%E2%82%AC')
  })

  test('a voucher with a misspelt restriction is told so, and in strict mode not created', async () => {
    const shop = await newProject()
    const voucher = {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'PERCENT', percent_off: 10, amountLimit: 500 },
      expirationDate: '2026-01-01',
      validation_rule_id: 'val_1',
      code_config: { lenght: 12 },
    }
    const lenient = await shop.call('POST', '/v1/vouchers', voucher)
    expect(lenient.status).toBe(200)
    expect(String(lenient.headers['guerdon-ignored']).split(', ').sort()).toEqual([
      '.code_config.lenght',
      '.discount.amountLimit',
      '.expirationDate',
      '.validation_rule_id',
    ])
    const refused = await shop.call('POST', '/v1/vouchers', voucher, strict)
    expect(refused.status).toBe(400)
    expect(refused.body.errors.map(({ details }: { details: string }) => details).sort()).toEqual([
      "Property .code_config.lenght is not known. Did you mean 'length'?",
      "Property .discount.amountLimit is not known. Did you mean 'amount_limit'?",
      "Property .expirationDate is not known. Did you mean 'expiration_date'?",
      "Property .validation_rule_id is not known. Did you mean 'validation_rules'?",
    ])
    expect((await shop.call('GET', '/v1/vouchers')).body.total).toBe(1)
  })
})
