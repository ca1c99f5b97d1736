import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { InstantInput, Int, Metadata, Name } from '@guerdon/engine/schema'
import { Type } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { limits } from '../lib/limits.ts'
import { operation } from './operation.ts'

const Body = Type.Object({ name: Type.Optional(Name), metadata: Type.Optional(Metadata) })

const extra = [
  operation({
    id: 'probeBody',
    method: 'POST',
    path: '/v1/probes/body',
    summary: 'Says what it read',
    body: Body,
    reply: Type.Object({ read: Body }),
    errors: [],
    run: async (_ctx, { body }) => ({ read: body }),
  }),
  operation({
    id: 'probeImport',
    method: 'POST',
    path: '/v1/probes/import',
    summary: 'Says what it read, of a bulk body',
    body: Body,
    reply: Type.Object({ read: Body }),
    errors: [],
    run: async (_ctx, { body }) => ({ read: body }),
  }),
  operation({
    id: 'probeList',
    method: 'POST',
    path: '/v1/probes/bulk/async',
    summary: 'Counts the elements',
    body: Type.Array(Body, { minItems: 1, maxItems: 3_000 }),
    reply: Type.Object({ count: Int(), last: Body }),
    errors: [],
    run: async (_ctx, { body }) => ({ count: body.length, last: body.at(-1) as object }),
  }),
  operation({
    id: 'probeForm',
    method: 'POST',
    path: '/v1/probes/form',
    summary: 'Says what it read',
    consumes: 'form',
    body: Type.Object({
      text: Type.Optional(Type.String()),
      count: Type.Optional(Int()),
      active: Type.Optional(Type.Boolean()),
      since: Type.Optional(InstantInput),
    }),
    reply: Type.Object({
      text: Type.Optional(Type.String()),
      count: Type.Optional(Int()),
      active: Type.Optional(Type.Boolean()),
      since: Type.Optional(Type.String()),
    }),
    errors: [],
    run: async (_ctx, { body }) => body,
  }),
  operation({
    id: 'probeNoBody',
    method: 'POST',
    path: '/v1/probes/nothing',
    summary: 'Reads nothing',
    reply: Type.Object({ read: Type.Null() }),
    errors: [],
    run: async (_ctx, { body }) => ({ read: (body ?? null) as null }),
  }),
]

const small = { MAX_BODY_BYTES: '2048', MAX_QUERY_BYTES: '512' }
const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

let shop: Shop
let address: URL
beforeAll(async () => {
  shop = await newProject({ env: small, extra })
  address = new URL(await shop.service.app.listen({ port: 0, host: '127.0.0.1' }))
})

const post = (
  body: string | Uint8Array | undefined,
  headers: Record<string, string> = json,
  path = '/v1/probes/body',
) => shop.call('POST', path, body, headers)

const malformed = {
  status: 400,
  body: {
    statusCode: 400,
    error: 'Bad Request',
    message: 'Invalid request payload JSON format',
    code: 400,
    key: 'invalid_payload',
  },
}

describe('a body that is not JSON', () => {
  test('gets both the transport fields and the normal error fields, and nothing else', async () => {
    const answer = await post('{"event":')
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ ...malformed.body, request_id: answer.headers['x-request-id'] })
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  test.each<[what: string, body: string | Uint8Array]>([
    ['half an object', '{"name":"a"'],
    ['more than one value', '{} {}'],
    ['single quotes', "{'name':'a'}"],
    ['a trailing comma', '{"name":"a",}'],
    ['a comment', '{/* hello */}'],
    ['white space alone', '  \n'],
    ['a number that is none', '{"metadata":{"a":NaN}}'],
    ['a raw line break in text', '{"name":"a\nb"}'],
    ['a form', 'name=a'],
    ['half a UTF-8 character', Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3]), Buffer.from('"}')])],
    ['Latin-1', Buffer.from('{"name":"\xfc"}', 'latin1')],
    ['an overlong slash', Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
    [
      'a surrogate in UTF-8',
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ],
    ['UTF-16', Buffer.from('{"name":"a"}', 'utf16le')],
    ['gzip', Buffer.from([0x1f, 0x8b, 0x08, 0x00])],
  ])('%s is refused', async (_what, body) => {
    expect(await post(body)).toMatchObject(malformed)
  })

  test.each([
    '{"__proto__":{"polluted":true}}',
    '{"metadata":{"__proto__":{"polluted":true}}}',
    '{"metadata":{"list":[{"__proto__":null}]}}',
    '{"\\u005f_proto__":{"polluted":true}}',
    '{"metadata":{"constructor":{"prototype":{"polluted":true}}}}',
  ])('%s would reach a prototype and is refused', async (body) => {
    expect(await post(body)).toMatchObject(malformed)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('names such as `constructor` and `prototype` are accepted', async () => {
    const metadata = { constructor: 'Bauhaus', prototype: 1, toString: 'x', proto: '__proto__' }
    expect((await post(JSON.stringify({ metadata }))).body).toEqual({ read: { metadata } })
  })
})

describe('text that the database cannot store is refused', () => {
  const details =
    'Payload contains text with the character U+0000 or half of a surrogate pair, or a number too large for a double'

  test.each([
    '{"name":1e999}',
    `{"name":${'9'.repeat(300)}e99}`,
    `{"name":${'9'.repeat(300)}.5e99}`,
    `{"name":[${'9'.repeat(400)}]}`,
    '{"name":"a\\u0000b"}',
    '{"metadata":{"a":["\\u0000"]}}',
    '{"metadata":{"\\u0000":1}}',
    '{"name":"\\ud83c"}',
    '{"name":"\\udf81"}',
    '{"metadata":{"deep":{"a":"\\uDF81\\uD83C"}}}',
  ])('%s is refused before the database', async (body) => {
    expect(await post(body)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', message: 'Invalid payload', details },
    })
    const named = body.replace('{', '{"hierarchy":0,')
    const stored = await shop.call('POST', '/v1/categories', named, json)
    expect(stored.status).toBe(400)
  })

  test('a complete surrogate pair and an escaped backslash before a u are accepted', async () => {
    expect((await post('{"name":"\\ud83c\\udf81 \\\\u0000"}')).body).toEqual({ read: { name: '🎁 \\u0000' } })
  })

  test('the same applies to forms', async () => {
    expect(await post('text=a%00b', form, '/v1/probes/form')).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details },
    })
  })
})

describe('a nested body', () => {
  const nested = (levels: number, open: string, close: string) =>
    `{"metadata":{"a":${open.repeat(levels - 2)}1${close.repeat(levels - 2)}}}`
  const deep = {
    status: 400,
    body: { key: 'invalid_payload', details: `Payload is nested deeper than ${limits.body_nesting_max} levels` },
  }

  test(`may have ${limits.body_nesting_max} levels and no more`, async () => {
    expect(await post(nested(limits.body_nesting_max, '[', ']'))).toMatchObject({ status: 200 })
    expect(await post(nested(limits.body_nesting_max + 1, '[', ']'))).toMatchObject(deep)
    expect(await post(nested(limits.body_nesting_max + 1, '{"a":', '}'))).toMatchObject(deep)
  })

  test('does not crash the service at any depth', async () => {
    const roomy = await newProject({ extra })
    for (const body of ['['.repeat(1_000_000), nested(500_000, '[', ']'), nested(100_000, '{"a":', '}')])
      expect(await roomy.call('POST', '/v1/probes/body', body, json)).toMatchObject({ status: 400 })
    expect(await roomy.call('POST', '/v1/probes/body', '{}', json)).toMatchObject({ status: 200 })
  })

  test('brackets inside strings do not count', async () => {
    const name = '[{"\\'.repeat(40)
    expect((await post(JSON.stringify({ name }))).body).toEqual({ read: { name } })
  })
})

describe('an empty body counts as {}', () => {
  test.each<[what: string, headers: Record<string, string>]>([
    ['without a media type', {}],
    ['as JSON', json],
    ['as text, which is what a browser says of an empty text', { 'content-type': 'text/plain;charset=UTF-8' }],
  ])('%s', async (_what, headers) => {
    expect((await post(undefined, headers)).body).toEqual({ read: {} })
    expect((await post('', headers)).body).toEqual({ read: {} })
  })

  test('and the error names the missing property', async () => {
    expect(await shop.call('POST', '/v1/categories')).toMatchObject({
      status: 400,
      body: { details: "Payload should have required property 'name'" },
    })
    expect(await shop.call('POST', '/v1/oauth/token')).toMatchObject({
      status: 400,
      body: { key: 'missing_parameters' },
    })
  })

  test.each(['null', '[]', '"{}"', '5', 'true'])('%s does not count as {}', async (body) => {
    expect(await post(body)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: 'Payload must be object' },
    })
  })
})

describe('the media type', () => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"; profile=x',
    'application/json;',
  ])('%s is accepted', async (type) => {
    expect((await post('{"name":"ü"}', { 'content-type': type })).body).toEqual({ read: { name: 'ü' } })
  })

  test.each([
    'text/plain',
    'text/json',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/vnd.api+json',
    'nonsense',
    'application/',
    '/json',
    '*/*',
  ])('%s is refused', async (type) => {
    const answer = await post('{"name":"a"}', { 'content-type': type })
    expect(answer.status).toBe(415)
    expect(answer.body).toEqual({
      statusCode: 415,
      error: 'Unsupported Media Type',
      message: 'Unsupported Media Type',
      code: 415,
      key: 'unsupported_media_type',
      details: 'Send the body as application/json',
      request_id: answer.headers['x-request-id'],
    })
  })

  test('a body without a media type is refused', async () => {
    const answer = await shop.service.app.inject({
      method: 'POST',
      url: '/v1/probes/body',
      headers: shop.headers,
      payload: Buffer.from('{"name":"a"}'),
    })
    expect(answer.statusCode).toBe(415)
  })

  test('a byte order mark before the JSON text is ignored', async () => {
    expect((await post(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{"name":"a"}')]))).body).toEqual({
      read: { name: 'a' },
    })
  })

  test('an operation without a body ignores it', async () => {
    for (const headers of [{}, json, { 'content-type': 'text/plain' }])
      expect(await post('{"half":', headers, '/v1/probes/nothing')).toMatchObject({ status: 200, body: { read: null } })
    expect(await shop.call('DELETE', '/v1/categories/cat_unknown', '{"half":', json)).toMatchObject({
      status: 404,
      body: { resource_type: 'category' },
    })
  })
})

describe('a form', () => {
  test('is parsed with numbers, booleans and dates converted', async () => {
    const answer = await post('text=5+%C3%BC&count=5&active=true&since=2026-01-01&unknown=1', form, '/v1/probes/form')
    expect(answer.body).toEqual({ text: '5 ü', count: 5, active: true, since: '2026-01-01T00:00:00.000Z' })
  })

  test('is validated against its schema', async () => {
    expect(await post('count=many', form, '/v1/probes/form')).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: 'Property .count must be integer' },
    })
  })

  test('may have a charset parameter', async () => {
    expect(
      (await post('text=a', { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }, '/v1/probes/form'))
        .body,
    ).toEqual({ text: 'a' })
  })

  test('cannot set a prototype', async () => {
    expect((await post('__proto__=x&constructor=y&text=a', form, '/v1/probes/form')).body).toEqual({ text: 'a' })
    expect(({} as Record<string, unknown>).text).toBeUndefined()
  })

  test('may have 16 KiB and 100 fields, whatever other bodies may have', async () => {
    const roomy = await newProject({ extra })
    const send = (text: string) => roomy.call('POST', '/v1/probes/form', text, form)
    expect((await send(`text=${'a'.repeat(16_379)}`)).body).toEqual({ text: 'a'.repeat(16_379) })
    expect(await send(`text=${'a'.repeat(16_380)}`)).toMatchObject({ status: 413, body: tooLarge(16_384) })
    expect((await send(`${'a&'.repeat(99)}text=b`)).body).toEqual({ text: 'b' })
    expect(await send(`${'a&'.repeat(100)}text=b`)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: 'Payload has more than 100 fields' },
    })
  })

  test('has the last of several fields of one name, and keeps a malformed percent-encoding as it is', async () => {
    expect((await post('text=a&&text=%zz%&=', form, '/v1/probes/form')).body).toEqual({ text: '%zz%' })
  })

  test('is refused where JSON is expected, and JSON where a form is expected', async () => {
    expect(await post('{"text":"a"}', json, '/v1/probes/form')).toMatchObject({
      status: 415,
      body: { key: 'unsupported_media_type' },
    })
    expect(await post('name=a', form)).toMatchObject({ status: 415 })
  })
})

/** A JSON object of exactly the given size in bytes. */
const objectOf = (bytes: number) => `{"name":"a","unknown":"${'x'.repeat(bytes - 25)}"}`

const tooLarge = (max: number) => ({
  statusCode: 413,
  error: 'Request Entity Too Large',
  message: `Payload content length greater than maximum allowed: ${max}`,
  code: 413,
  key: 'payload_too_large',
})

describe('the size of a body', () => {
  test.each([
    ['an ordinary request', '/v1/probes/body', 1_048_576],
    ['an import', '/v1/probes/import', 10_485_760],
  ])('of %s on %s may be %i bytes, and one more is refused', async (_kind, path, bytes) => {
    const roomy = await newProject({ extra })
    const fits = objectOf(bytes)
    expect(Buffer.byteLength(fits)).toBe(bytes)
    expect((await roomy.call('POST', path, fits, json)).body).toMatchObject({ read: { name: 'a' } })
    const answer = await roomy.call('POST', path, objectOf(bytes + 1), json)
    expect(answer.status).toBe(413)
    expect(answer.body).toEqual({ ...tooLarge(bytes), request_id: answer.headers['x-request-id'] })
  })

  test('on the client side may be 65,536 bytes, also where the server side takes the same request', async () => {
    const roomy = await newProject({ env: { CLIENT_RATE_LIMIT: '' } })
    const sized = (length: number) => `{"order":{"amount":100},"unknown":"${'x'.repeat(length - 37)}"}`
    const onClient = (body: string) => roomy.call('POST', '/client/v1/qualifications', body, json)
    expect(Buffer.byteLength(sized(65_536))).toBe(65_536)
    expect((await onClient(sized(65_536))).status).toBe(200)
    expect(await onClient(sized(65_537))).toMatchObject({ status: 413, body: tooLarge(65_536) })
    expect((await roomy.call('POST', '/v1/qualifications', sized(65_537), json)).status).toBe(200)
  })

  test('to sign in may be 65,536 bytes: nobody has shown a key yet', async () => {
    const shop = await newProject()
    expect(await shop.call('POST', '/auth/session', objectOf(65_537), json)).toMatchObject({
      status: 413,
      body: tooLarge(65_536),
    })
  })

  test('each kind follows its own setting, and none exceeds MAX_BODY_BYTES', async () => {
    const env = { MAX_BODY_BYTES: '4096', MAX_ORDINARY_BODY_BYTES: '2048', MAX_CLIENT_BODY_BYTES: '8192' }
    const tight = await newProject({ extra, env })
    const answers = await Promise.all([
      tight.call('POST', '/v1/probes/body', objectOf(2_049), json),
      tight.call('POST', '/v1/probes/import', objectOf(2_049), json),
      tight.call('POST', '/v1/probes/import', objectOf(4_097), json),
      tight.call('POST', '/client/v1/qualifications', objectOf(4_097), json),
    ])
    expect(answers.map(({ status }) => status)).toEqual([413, 200, 413, 413])
    expect(answers[3]?.body).toMatchObject(tooLarge(4_096))
  })

  test('follows the setting, and counts bytes, not characters', async () => {
    expect(await post(objectOf(2_048))).toMatchObject({ status: 200 })
    expect(await post(objectOf(2_049))).toMatchObject({ status: 413, body: tooLarge(2_048) })
    expect(await post(JSON.stringify({ name: '🎁', unknown: '🎁'.repeat(600) }))).toMatchObject({
      status: 413,
      body: tooLarge(2_048),
    })
  })

  test('is checked before its media type and its content', async () => {
    expect(await post('x'.repeat(2_049), { 'content-type': 'text/plain' })).toMatchObject({ status: 413 })
    expect(await post('x'.repeat(2_049), json, '/v1/probes/form')).toMatchObject({ status: 413 })
    expect(await post('x'.repeat(2_049))).toMatchObject({ status: 413 })
  })

  test('is not checked for an unauthenticated request', async () => {
    expect(await send(shop.service.app, 'POST', '/v1/probes/body', 'x'.repeat(5_000), json)).toMatchObject({
      status: 401,
    })
  })

  test('is also limited without a Content-Length', async () => {
    expect(await chunked([objectOf(2_048)])).toMatchObject({ status: 200, body: { read: { name: 'a' } } })
    expect(await chunked([objectOf(2_048).slice(0, 7), objectOf(2_048).slice(7)])).toMatchObject({ status: 200 })
    expect(await chunked(Array(30).fill('x'.repeat(100)))).toMatchObject({ status: 413, body: tooLarge(2_048) })
  })
})

/** A body in chunks, without a content length, over a real connection. */
function chunked(chunks: string[]): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(new URL('/v1/probes/body', address), {
      method: 'POST',
      headers: { ...shop.headers, ...json, 'transfer-encoding': 'chunked' },
    })
    call.on('error', reject)
    call.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode as number, body: JSON.parse(text) }))
    })
    for (const chunk of chunks) call.write(chunk)
    call.end()
  })
}

/** The response to raw bytes on a real connection. */
function exchange(bytes: string): Promise<{ status: number; headers: string; body: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(address.port), address.hostname, () => socket.write(bytes))
    let text = ''
    socket.setEncoding('utf8').on('data', (part) => {
      text += part
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n')
      resolve({ status: Number(head.split(' ')[1]), headers: head, body: JSON.parse(body) })
    })
  })
}

describe('a large list', () => {
  let roomy: Shop
  beforeAll(async () => {
    roomy = await newProject({ extra })
  })
  const list = (text: string) => roomy.call('POST', '/v1/probes/bulk/async', text, json)
  const long = `{"name":"é\\u00e9","unknown":"${'x'.repeat(400)}[{]},\\\\\\""}`
  const elements = (count: number, last = long) => `[${[...Array<string>(count - 1).fill(long), last].join(', \n')}]`

  test('is read in pieces as it would be read whole', async () => {
    expect(elements(2_000).length).toBeGreaterThan(800_000)
    for (const text of [elements(2_000, '{"name":"last"}'), `\ufeff ${elements(2_000, '{"name":"last"}')} `])
      expect((await list(text)).body).toMatchObject({ count: 2_000, last: { name: 'last' } })
  })

  test.each([
    ['an element that is missing at the end', (text: string) => text.replace(/\]$/, ',]')],
    ['an element that is missing inside', (text: string) => text.replace('\n', '\n,')],
    ['no end', (text: string) => text.slice(0, -1)],
    ['a brace at the end', (text: string) => text.replace(/\]$/, '}')],
    ['something after the end', (text: string) => `${text},`],
    ['a byte that is no UTF-8', (text: string) => text.replace(/\]$/, ',"\xff"]')],
    ['a name that reaches a prototype', (text: string) => text.replace(/\]$/, ',{"__proto__":{}}]')],
  ])('with %s is malformed', async (_what, spoil) => {
    expect(await list(Buffer.from(spoil(elements(2_000)), 'latin1') as never)).toMatchObject(malformed)
  })

  test('names the wrong element', async () => {
    expect((await list(elements(2_000, '{"name":""}'))).body).toMatchObject({
      key: 'invalid_payload',
      details: 'Property [1999].name must NOT have fewer than 1 characters',
    })
    expect((await list(elements(2_000, '{"name":"\\u0000"}'))).body.details).toMatch(/U\+0000/)
    expect((await list(`[${'9'.repeat(400)},${elements(2_000).slice(1)}`)).body.details).toMatch(
      /too large for a double/,
    )
  })

  test.each([
    [
      'more elements than its operation takes',
      `[${'{},'.repeat(3_000)}{}]`,
      'Payload must NOT have more than 3000 items',
    ],
    [
      'an element of more than 1 MiB',
      `[{},{"name":"${'x'.repeat(1_048_576)}"}]`,
      'Property [1] must NOT be longer than 1048576 bytes',
    ],
    [
      'an element of very many values',
      `[{"metadata":[${'1,'.repeat(50_000)}1]}]`,
      'Payload has more than 50000 values',
    ],
  ])('with %s is refused before it is parsed', async (_what, text, details) => {
    expect(await list(text)).toMatchObject({ status: 400, body: { key: 'invalid_payload', details } })
    expect(await list(`${text.slice(0, -1)},malformed]`)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details },
    })
  })

  test('of very many values is refused in any other body too', async () => {
    const values = (count: number) => JSON.stringify({ unknown: Array(count).fill(1) })
    expect(await roomy.call('POST', '/v1/probes/body', values(49_999), json)).toMatchObject({ status: 200 })
    expect(await roomy.call('POST', '/v1/probes/body', values(50_001), json)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: 'Payload has more than 50000 values' },
    })
  })
})

describe('the headers', () => {
  test('may have 16,384 bytes together, whatever the length of the request target', async () => {
    const own = 'Host: x\r\nConnection: close\r\n'.length + 'X-Long: \r\n'.length
    const call = (bytes: number, target: string) =>
      exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: ${'y'.repeat(bytes - own)}\r\n\r\n`)
    const longTarget = `/v1/categories?x=${'y'.repeat(495)}`
    for (const target of ['/v1/categories', longTarget]) {
      expect(await call(16_384, target)).toMatchObject({ status: 401 })
      for (const bytes of [16_385, 20_000, 70_000])
        expect(await call(bytes, target)).toMatchObject({
          status: 413,
          body: { code: 413, key: 'query_too_large', details: 'The headers are longer than 16384 bytes' },
        })
    }
  })
})

describe('the request target', () => {
  const tooLong = {
    code: 413,
    key: 'query_too_large',
    message: 'Query too large',
    details: 'The request target is longer than 512 bytes',
  }
  const path = (length: number) => `/v1/categories?x=${'y'.repeat(length - '/v1/categories?x='.length)}`

  test('may be as long as the setting allows and no longer', async () => {
    expect(path(512)).toHaveLength(512)
    expect(await shop.call('GET', path(512))).toMatchObject({ status: 200 })
    expect(await shop.call('GET', path(513))).toMatchObject({ status: 413, body: tooLong })
  })

  test('is limited for path and query together, also for an unknown route', async () => {
    for (const target of [
      `/v1/categories/${'c'.repeat(500)}`,
      `/v1/categories/${'c'.repeat(5_000)}`,
      `/nowhere/${'c'.repeat(600)}`,
      `/v1/categories/%zz${'c'.repeat(600)}`,
    ]) {
      const answer = await shop.call('GET', target)
      expect(answer).toMatchObject({ status: 413, body: tooLong })
      expect(answer.body.request_id).toBe(answer.headers['x-request-id'])
    }
    expect(await shop.call('GET', `/v1/categories/${'c'.repeat(497)}`)).toMatchObject({
      status: 404,
      body: { resource_type: 'category' },
    })
  })

  test('is measured in bytes, also over a real connection', async () => {
    const call = (target: string) => exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect(await call(path(513))).toMatchObject({ status: 413, body: tooLong })
    expect(await call(path(512))).toMatchObject({ status: 401 })
  })
})

describe('malformed requests', () => {
  test('too large headers get an error response, and the connection is closed', async () => {
    const answer = await exchange(`GET /v1/categories HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(70_000)}\r\n\r\n`)
    expect(answer).toMatchObject({
      status: 413,
      body: {
        code: 413,
        key: 'query_too_large',
        message: 'Query too large',
        request_id: expect.stringMatching(/^v-[0-9a-f]{18}$/),
      },
    })
    expect(answer.headers).toMatch(/^content-type: application\/json; charset=utf-8$/im)
    expect(answer.headers).toMatch(/^connection: close$/im)
    expect(answer.headers).toMatch(new RegExp(`^x-request-id: ${answer.body.request_id}$`, 'im'))
  })

  test.each([
    ['no HTTP', 'HELLO\r\n\r\n'],
    ['a broken header', 'GET / HTTP/1.1\r\nHost: x\r\n bad\0header\r\n\r\n'],
    ['two lengths', 'POST /v1/probes/body HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
    [
      'a length and chunks',
      'POST /v1/probes/body HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a space in the target', 'GET /v1/cate gories HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('%s gets an error response', async (_what, bytes) => {
    expect(await exchange(bytes)).toMatchObject({
      status: 400,
      body: {
        code: 400,
        key: 'invalid_payload',
        details: 'The request is malformed',
        request_id: expect.stringMatching(/^v-/),
      },
    })
  })

  test('a body shorter than its Content-Length ends the request without any effect', async () => {
    const headers = Object.entries({ ...shop.headers, ...json }).map(([name, value]) => `${name}: ${value}\r\n`)
    const before = (await shop.call('GET', '/v1/categories')).body.total
    await new Promise<void>((resolve) => {
      const socket = connect(Number(address.port), address.hostname, () => {
        socket.write(
          `POST /v1/categories HTTP/1.1\r\nHost: x\r\n${headers.join('')}Content-Length: 500\r\n\r\n{"name":"Half","hierarchy":0}`,
          () => socket.destroy(),
        )
      })
      socket.on('close', () => resolve())
    })
    // The service counts the request as aborted by the client, and it has ended.
    const metrics = async () => (await shop.call('GET', '/metrics')).body
    await expect.poll(metrics).toContain('guerdon_http_requests_total{operation="createCategory",status="499"} 1\n')
    expect((await shop.call('GET', '/v1/categories')).body.total).toBe(before)
  })

  test('the service still works after all of this', async () => {
    expect((await fetch(new URL('/v1/categories', address), { headers: shop.headers })).status).toBe(200)
  })
})
