import { declaredFields, InstantInput, Maybe, Nullable, OneOf, OpenObject, variants } from '@guerdon/engine/schema'
import { type TSchema, Type } from 'typebox'
import { expect, test } from 'vitest'
import { writtenForm } from './json-schema.ts'
import { Binary } from './multipart.ts'
import { mapValues } from './numeric-text.ts'
import { type DocumentedOperation, type OpenapiDocument, openapiOf, tagOf } from './openapi.ts'
import { newDescriber } from './openapi-descriptions.ts'
import { sampleOf } from './openapi-sample.ts'
import { downloadOperation, type Operation, operation } from './operation.ts'

const Thing = Type.Object({ id: Type.String(), made_at: InstantInput })
const Box = Type.Object({
  thing: Thing,
  spare: Type.Optional(Thing),
  none: Nullable(Thing),
  all: Type.Array(Thing),
})

test('a named schema is published once and referenced, also if it is optional, nullable or in a list', () => {
  const { components } = documentOf({ reply: Box }, [
    ['Thing', Thing],
    ['Box', Box],
  ])
  const thing = { $ref: '#/components/schemas/Thing' }
  expect(components.schemas.Box).toEqual({
    type: 'object',
    required: ['thing', 'none', 'all'],
    properties: {
      thing,
      spare: thing,
      none: { anyOf: [thing, { type: 'null' }] },
      all: { type: 'array', items: thing },
    },
  })
  expect(Object.keys(components.schemas)).toEqual(['Box', 'Error', 'Thing'])
})

test('a named list is referenced only where it is used, not where another list has the same items', () => {
  const Things = Type.Array(Thing, { maxItems: 9 })
  const document = documentOf({ method: 'POST', body: Things, reply: Type.Object({ all: Type.Array(Thing) }) }, [
    ['Thing', Thing],
    ['Things', Things],
  ])
  const things = { type: 'array', items: { $ref: '#/components/schemas/Thing' } }
  expect(only(document).requestBody?.content).toEqual({
    'application/json': { schema: { $ref: '#/components/schemas/Things' } },
  })
  expect(document.components.schemas.Things).toEqual({ ...things, maxItems: 9 })
  expect(contentOf(only(document).responses['200']).properties?.all).toEqual(things)
})

test('two schemas with the same name throw an error', () => {
  const Other = Type.Object({ id: Type.String() })
  expect(() =>
    documentOf({ reply: Type.Object({ a: Thing, b: Other }) }, [
      ['Thing', Thing],
      ['Thing', Other],
    ]),
  ).toThrow('Two schemas are called Thing')
})

test('internal formats are published with their public description; an unknown format throws an error', () => {
  const reply = (format: string) => Type.Object({ value: Type.Unsafe<string>({ type: 'string', format }) })
  const published = (format: string) => {
    const schema = contentOf(only(documentOf({ reply: reply(format) })).responses['200'])
    return schema.properties?.value
  }
  expect(published('date-input')).toEqual({
    type: 'string',
    description: 'ISO 8601 date, with or without a time; without a zone it is UTC.',
    examples: ['2026-01-01T00:00:00.000Z'],
  })
  expect(published('url')).toMatchObject({ type: 'string', format: 'uri' })
  for (const format of ['timezone', 'currency', 'address']) expect(published(format)).not.toHaveProperty('format')
  expect(() => published('shoe-size')).toThrow('Unknown schema format shoe-size')
  expect(() => documentOf({ reply: Type.Unsafe({ type: 'string', contentEncoding: 'base64' }) })).toThrow(
    'keyword contentEncoding',
  )
})

test('a schema that contains itself is published with a reference to itself, also as a variant', () => {
  const Node = Type.Unsafe<object>({ type: 'object', [declaredFields]: (): TSchema => fields })
  const fields = Type.Object({ kind: Type.Literal('node'), nodes: Type.Optional(Type.Array(Node)) })
  const Leaf = Type.Object({ kind: Type.Literal('leaf') })
  const { components } = documentOf({ reply: Type.Object({ tree: variants('kind', [Node, Leaf]) }) }, [
    ['Node', Node],
    ['Leaf', Leaf],
  ])
  const node = { $ref: '#/components/schemas/Node' }
  expect(components.schemas.Node).toMatchObject({
    type: 'object',
    required: ['kind'],
    properties: { kind: { const: 'node' }, nodes: { type: 'array', items: node } },
  })
})

test('of a value that is checked elsewhere the document shows what that check accepts', () => {
  const Fields = Type.Object({ nodes: Type.Optional(Type.Unsafe<object>({})) })
  const Tree = OpenObject<object>(() => Fields, { shown: (): TSchema => treeForm })
  const treeForm = Type.Object({ logic: Maybe(Type.String()) }, { additionalProperties: Type.Object({ sub: Tree }) })
  const ThingBody = OpenObject<object>(() => Thing, { description: 'Sent.' })
  const body = Type.Object({ tree: Maybe(Tree), thing: ThingBody, none: Maybe(ThingBody) })
  const document = documentOf({ method: 'POST', body }, [
    ['Thing', Thing],
    ['Tree', Tree],
  ])
  const [tree, thing] = ['Tree', 'Thing'].map((name) => ({ $ref: `#/components/schemas/${name}` }))
  expect(only(document).requestBody?.content['application/json']?.schema.properties).toEqual({
    tree: { anyOf: [tree, { type: 'null' }] },
    thing: { ...thing, description: 'Sent.' },
    none: { anyOf: [thing, { type: 'null' }], description: 'Sent.' },
  })
  expect(document.components.schemas.Tree).toEqual({
    type: 'object',
    properties: { logic: { type: ['string', 'null'] } },
    additionalProperties: { type: 'object', required: ['sub'], properties: { sub: tree } },
  })
})

test('a property says what it means, then how it is written; a description at the schema wins', () => {
  const Body = Type.Object({
    until: InstantInput,
    count: Type.Unsafe<number>({ type: 'integer', [writtenForm]: 'Also as text.' }),
    object: Type.Literal('thing'),
    own: Type.String({ description: 'Said here.' }),
    none: Nullable(Type.Unsafe<unknown>({ type: ['string', 'integer'], description: 'Said inside.' })),
  })
  const describer = newDescriber({
    Body: { until: 'The end.', count: 'How many.', own: 'Not this.', none: 'Not this.' },
  })
  const { components } = openapiOf(
    [operation({ ...base, reply: Body, run: async () => ({}) } as never)],
    [['Body', Body]],
    describer,
  )
  expect(mapValues(components.schemas.Body?.properties ?? {}, ({ description }) => description)).toEqual({
    until: 'The end. ISO 8601 date, with or without a time; without a zone it is UTC.',
    count: 'How many. Also as text.',
    object: 'Always `thing`.',
    own: 'Said here.',
    none: 'Said inside.',
  })
})

test('variants get a discriminator mapping if all of them have a name', () => {
  const Amount = Type.Object({ type: Type.Literal('AMOUNT'), off: Type.Integer() })
  const Unit = Type.Object({ type: OneOf(['UNIT', 'UNITS']) })
  const reply = Type.Object({ discount: variants('type', [Amount, Unit]) })
  const discount = (named: Named) => contentOf(only(documentOf({ reply }, named)).responses['200']).properties?.discount
  expect(
    discount([
      ['Amount', Amount],
      ['Unit', Unit],
    ])?.discriminator,
  ).toEqual({
    propertyName: 'type',
    mapping: {
      AMOUNT: '#/components/schemas/Amount',
      UNIT: '#/components/schemas/Unit',
      UNITS: '#/components/schemas/Unit',
    },
  })
  expect(discount([['Amount', Amount]])).not.toHaveProperty('discriminator')
})

test('query properties become parameters, nested ones in brackets', () => {
  const query = Type.Object({
    limit: Type.Optional(Type.Integer({ maximum: 100, description: 'How many.' })),
    customer: Type.String(),
    created_at: Type.Optional(Type.Object({ before: Type.Optional(InstantInput) })),
    filters: Type.Optional(Type.Unsafe({ type: 'object' })),
    ids: Type.Optional(Type.Array(Type.String())),
  })
  const { parameters } = only(documentOf({ path: '/v1/things/{thingId}', query }))
  expect(parameters).toMatchObject([
    { name: 'thingId', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'limit', in: 'query', description: 'How many.', schema: { type: 'integer', maximum: 100 } },
    { name: 'customer', in: 'query', required: true },
    {
      name: 'created_at',
      in: 'query',
      style: 'deepObject',
      explode: true,
      schema: { properties: { before: { type: 'string' } } },
    },
    { name: 'filters', in: 'query', style: 'deepObject', explode: true },
    { name: 'ids', in: 'query', style: 'form', explode: true },
    { $ref: '#/components/parameters/ApiVersion' },
    { $ref: '#/components/parameters/Prefer' },
  ])
  expect(parameters[1]).not.toHaveProperty('required')
})

test('writes accept an idempotency key unless their reply contains a secret', () => {
  const key = { $ref: '#/components/parameters/IdempotencyKey' }
  expect(only(documentOf({ method: 'POST' })).parameters).toContainEqual(key)
  expect(only(documentOf({ method: 'POST', idempotent: false })).parameters).not.toContainEqual(key)
  expect(only(documentOf({ method: 'GET' })).parameters).not.toContainEqual(key)
})

test('a body is required if one of its properties is', () => {
  const body = (schema: TSchema, consumes?: 'form') =>
    only(documentOf({ method: 'POST', body: schema, ...(consumes === undefined ? {} : { consumes }) })).requestBody
  expect(body(Type.Object({ name: Type.String() }))).toMatchObject({
    required: true,
    content: { 'application/json': {} },
  })
  expect(body(Type.Object({ name: Type.Optional(Type.String()) }))).toMatchObject({ required: false })
  expect(Object.keys(body(Type.Object({}), 'form')?.content ?? {})).toEqual(['application/x-www-form-urlencoded'])
})

test('a multipart body has binary parts', () => {
  const body = Type.Object({ file: Binary({ description: 'CSV.' }), note: Type.Optional(Type.String()) })
  const { requestBody } = only(documentOf({ method: 'POST', body, consumes: 'multipart' }))
  expect(requestBody).toEqual({
    description: 'A form with a file.',
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          required: ['file'],
          properties: { file: { type: 'string', format: 'binary', description: 'CSV.' }, note: { type: 'string' } },
        },
      },
    },
  })
})

test('a download is text and needs no credentials; beside a reply it is an alternative', () => {
  const file = { name: 'a.csv', media_type: 'text/plain' as const, size: 0, pieces: (async function* () {})() }
  const pure = downloadOperation({
    id: 'getThing',
    path: '/v1/things/{token}',
    summary: 'Download a thing',
    media_types: ['text/plain'],
    errors: ['not_found'],
    find: async () => file,
  })
  const { security, responses } = only(openapiOf([pure], []))
  expect(security).toEqual([])
  expect(responses['200']).toMatchObject({ content: { 'text/plain': { schema: { type: 'string' } } } })
  expect(Object.keys(responses)).toEqual(['200', '400', '404', '413', '500', '503'])

  const both = only(documentOf({ download: { media_types: ['text/plain'], find: async () => file } }))
  expect(both.security).toContainEqual({})
  expect(both.security).toHaveLength(4)
  const { content } = both.responses['200'] as { content: object }
  expect(Object.keys(content)).toEqual(['application/json', 'text/plain'])
})

test('errors are listed under their status: shared ones by reference, others with their keys', () => {
  const { responses } = only(
    documentOf({ method: 'POST', body: Type.Object({}), errors: ['invalid_payload', 'not_found', 'duplicate_found'] }),
  )
  expect(Object.keys(responses)).toEqual([
    '200',
    '400',
    '401',
    '403',
    '404',
    '406',
    '409',
    '413',
    '415',
    '429',
    '500',
    '503',
  ])
  expect(responses['404']).toEqual({ $ref: '#/components/responses/NotFound' })
  expect(responses['409']).toMatchObject({
    description: expect.stringMatching(
      /^`duplicate_found`: .*\n\n`idempotency_key_conflict`: .*\n\n`idempotency_key_in_progress`: /,
    ),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  })
  const { components } = documentOf({})
  expect(Object.values(components.responses).map(({ headers = {} }) => Object.keys(headers))).toContainEqual([
    'X-Request-Id',
    'Allow',
  ])
})

test('each family of paths has its credentials', () => {
  const security = (path: string) => only(documentOf({ path })).security
  const pair = { ApplicationId: [], ApplicationToken: [] }
  expect(security('/v1/oauth/token')).toEqual([pair])
  expect(security('/v1/skus/{skuId}')).toEqual([
    { ...pair, AccessToken: ['api'] },
    { ...pair, AccessToken: ['SKUs'] },
    { Session: [], ProjectId: [] },
  ])
  expect(security('/client/v1/redeem')).toEqual([
    { ...pair, AccessToken: ['client_api'] },
    { ...pair, AccessToken: ['client_redeem'] },
    { ClientId: [], ClientToken: [] },
  ])
  expect(security('/management/v1/projects')).toEqual([{ ManagementId: [], ManagementToken: [] }, { Session: [] }])
})

test('operations are tagged with the resource of their path', () => {
  const tags = {
    '/v1/oauth/token/revoke': 'OAuth',
    '/v1/skus/{skuId}': 'SKUs',
    '/v1/validation-rules/{id}/assignments': 'Validation rules',
    '/client/v1/vouchers/{code}': 'Client side: vouchers',
    '/management/v1/projects': 'Management: Projects',
    '/management/v1/projects/{projectId}': 'Management: Projects',
    '/management/v1/projects/{projectId}/limits': 'Management: Projects',
    '/management/v1/projects/{projectId}/api-keys/{keyId}': 'Management: API keys',
    '/management/v1/projects/users/invite': 'Management: Users',
  }
  for (const [path, tag] of Object.entries(tags)) expect(tagOf(path)).toBe(tag)
})

test('a sample is the declared example, or a minimal valid value', () => {
  const components = { Thing: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, more: {} } } }
  expect(sampleOf({ $ref: '#/components/schemas/Thing' }, components)).toEqual({ id: 'string' })
  expect(sampleOf({ type: 'string', examples: ['Europe/Warsaw'] }, {})).toBe('Europe/Warsaw')
  expect(sampleOf({ type: 'integer', minimum: 3, maximum: 9 }, {})).toBe(3)
  expect(sampleOf({ type: 'integer', minimum: -5, maximum: -2 }, {})).toBe(-2)
  expect(sampleOf({ type: 'array', minItems: 2, items: { enum: ['A', 'B'] } }, {})).toEqual(['A', 'A'])
  expect(sampleOf({ type: 'string', minLength: 8 }, {})).toHaveLength(8)
  expect(sampleOf({ type: 'string', maxLength: 2 }, {})).toBe('st')
  expect(sampleOf({ type: ['boolean', 'null'] }, {})).toBe(true)
})

type Named = Array<[string, TSchema]>

const base = {
  id: 'tryThing',
  method: 'GET',
  path: '/v1/things',
  summary: 'Try a thing',
  reply: Thing,
  errors: [],
} as const

/** The document of one operation. */
function documentOf(parts: Partial<Operation>, named: Named = []): OpenapiDocument {
  return openapiOf([operation({ ...base, ...parts, run: async () => ({}) } as never)], named)
}

const only = ({ paths }: OpenapiDocument): DocumentedOperation =>
  Object.values(Object.values(paths)[0] as Record<string, DocumentedOperation>)[0] as DocumentedOperation

/** The schema of a JSON response. */
function contentOf(response: DocumentedOperation['responses'][string] | undefined) {
  if (response === undefined || '$ref' in response) throw new Error('not an answer of its own')
  return response.content?.['application/json']?.schema ?? {}
}
