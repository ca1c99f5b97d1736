import { array, assert, property, tuple, uint8Array } from 'fast-check'
import { Type } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { limits } from '../lib/limits.ts'
import { Binary, readMultipart } from './multipart.ts'
import { operation } from './operation.ts'

const boundary = '----WebKitFormBoundary7MA4YWxkTrZu0gW'
const contentType = `multipart/form-data; boundary=${boundary}`

/** A body as browsers write it. */
const bodyOf = (parts: ReadonlyArray<readonly [head: string, content: string | Uint8Array]>): Buffer =>
  Buffer.concat([
    ...parts.flatMap(([head, content]) => [
      Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
      Buffer.from(content as string),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])

const field = (name: string) => `Content-Disposition: form-data; name="${name}"`
const fileHead = `${field('file')}; filename="a;b.csv"\r\nContent-Type: text/csv`

const read = (body: string | Buffer, type = contentType) => {
  const parts = readMultipart(Buffer.from(body as string), type)
  return parts === null ? null : Object.fromEntries([...parts].map(([name, bytes]) => [name, bytes.toString()]))
}

test('any bytes are read unchanged', () => {
  const awkward = array(
    tuple(uint8Array({ maxLength: 9 })).map(([bytes]) => bytes),
    { maxLength: 4 },
  ).map((pieces) => Buffer.concat(pieces.flatMap((piece) => [Buffer.from('\r\n--'), piece, Buffer.from('\r\n')])))
  assert(
    property(awkward, awkward, (file, other) => {
      const parts = readMultipart(
        bodyOf([
          [fileHead, file],
          [field('other'), other],
        ]),
        contentType,
      )
      expect(parts?.get('file')).toEqual(file)
      expect(parts?.get('other')).toEqual(other)
    }),
  )
})

describe('a body is parsed', () => {
  const plain = bodyOf([
    [fileHead, 'name\nMug\n'],
    [field('webhooks_enable'), 'true'],
  ]).toString()
  const parts = { file: 'name\nMug\n', webhooks_enable: 'true' }
  test.each<[string, string, string | undefined, Record<string, string>]>([
    ['as browsers write it', plain, undefined, parts],
    ['with text before and after it', `for people\r\n${plain}and more`, undefined, parts],
    ['without a line break at its end', plain.trimEnd(), undefined, parts],
    ['with blanks behind a boundary', plain.replace(`${boundary}\r\n`, `${boundary} \t\r\n`), undefined, parts],
    ['with a quoted boundary', plain, `multipart/form-data; charset=utf-8; Boundary="${boundary}"`, parts],
    ['with names in other forms', plain.replace('name="webhooks_enable"', 'name=webhooks_enable'), undefined, parts],
    ['with heads in other cases', plain.replaceAll('Content-Disposition: form-data; name', 'content-disposition:form-data;name'), undefined, parts],
    ['with the name behind the file name', plain.replace(/name="file"; filename="a;b.csv"/, 'filename="a.csv"; name="file"'), undefined, parts],
    ['with nothing in it', `--${boundary}--`, undefined, {}],
    ['with an empty part', bodyOf([[field('file'), '']]).toString(), undefined, { file: '' }],
    ['with an empty part that lacks its own line break', `--${boundary}\r\n${field('file')}\r\n\r\n--${boundary}--`, undefined, { file: '' }],
    ['with a name twice: the last one counts', bodyOf([[field('a'), '1'], [field('a'), '2']]).toString(), undefined, { a: '2' }],
    ['with a name in quotation marks of its own', bodyOf([[field('a%22b'), '1']]).toString(), undefined, { 'a"b': '1' }],
  ])('%s', (_, body, type, expected) => expect(read(body, type)).toEqual(expected)) // biome-ignore format: one case is one line
})

describe('a body is malformed', () => {
  const good = bodyOf([[field('file'), 'x']]).toString()
  test.each<[string, string, string | undefined]>([
    ['without a boundary in its type', good, 'multipart/form-data'],
    ['with an empty boundary', good, 'multipart/form-data; boundary='],
    ['with a boundary that is too long', good, `multipart/form-data; boundary=${'b'.repeat(71)}`],
    ['with another boundary', good, 'multipart/form-data; boundary=other'],
    ['without an end', good.replace(/--\r\n$/, ''), undefined],
    ['that breaks off in a part', good.slice(0, good.indexOf('\r\nx') + 3), undefined],
    ['that breaks off in a head', good.slice(0, good.indexOf('name=')), undefined],
    ['without a name', bodyOf([['Content-Disposition: form-data', 'x']]).toString(), undefined],
    ['without a head', `--${boundary}\r\n\r\nx\r\n--${boundary}--`, undefined],
    ['with another disposition', bodyOf([['Content-Disposition: attachment; name="file"', 'x']]).toString(), undefined],
    ['with line feeds alone', good.replaceAll('\r\n', '\n'), undefined],
    ['with a head that is too long', bodyOf([[`${field('file')}\r\nX: ${'x'.repeat(limits.multipart_head_bytes_max)}`, 'x']]).toString(), undefined],
    ['with too many parts', bodyOf(Array.from({ length: limits.multipart_parts_max + 1 }, (_, n) => [field(`f${n}`), ''] as const)).toString(), undefined],
    ['with nothing in it', '', undefined],
  ])('%s', (_, body, type) => expect(read(body, type)).toBeNull()) // biome-ignore format: one case is one line

  test('the maximum number of parts is accepted', () => {
    const body = bodyOf(Array.from({ length: limits.multipart_parts_max }, (_, n) => [field(`f${n}`), ''] as const))
    expect(readMultipart(body, contentType)?.size).toBe(limits.multipart_parts_max)
  })
})

describe('over HTTP', () => {
  const probe = operation({
    id: 'probeMultipart',
    method: 'POST',
    path: '/v1/probes/multipart',
    summary: 'Says what it read',
    consumes: 'multipart',
    body: Type.Object({
      file: Binary(),
      webhooks_enable: Type.Optional(Type.Boolean()),
      count: Type.Optional(Type.Integer()),
      note: Type.Optional(Type.String()),
    }),
    reply: Type.Object({
      file: Type.String(),
      rest: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
    }),
    errors: ['invalid_payload'],
    run: async (_ctx, { body: { file, ...rest } }) => ({ file: file.toString('hex'), rest }),
  })
  let shop: Shop
  beforeAll(async () => {
    shop = await newProject({ extra: [probe] })
  })
  const post = (body: Buffer | string | undefined, headers: Record<string, string> = {}) =>
    shop.call('POST', '/v1/probes/multipart', body, { 'content-type': contentType, ...headers })

  test('the file is read as bytes, other parts like a form, and unknown parts are ignored', async () => {
    const body = bodyOf([
      [fileHead, Uint8Array.from([0, 255, 13, 10])],
      [field('webhooks_enable'), 'TRUE'],
      [field('count'), '12'],
      [field('note'), 'Zażółć'],
      [field('__proto__'), 'x'],
    ])
    expect(await post(body)).toMatchObject({
      status: 200,
      body: { file: '00ff0d0a', rest: { webhooks_enable: true, count: 12, note: 'Zażółć' } },
    })
  })

  test.each<[string, Buffer | string | undefined, string]>([
    ['no body', undefined, "Payload should have required property 'file'"],
    ['no file', bodyOf([[field('note'), 'x']]), "Payload should have required property 'file'"],
    ['a malformed body', 'file=x', 'Payload is not a well-formed multipart/form-data body'],
    ['a field of another type', bodyOf([[fileHead, ''], [field('count'), 'many']]), 'Property .count must be integer'],
    ['a field that is not UTF-8', bodyOf([[fileHead, ''], [field('note'), Uint8Array.from([255])]]), 'Property .note must be text in UTF-8'],
    ['a field that the database cannot store', bodyOf([[fileHead, ''], [field('note'), 'a\0b']]), 'Payload contains text with the character U+0000 or half of a surrogate pair, or a number too large for a double'],
  ])('%s is refused', async (_, body, details) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { key: 'invalid_payload', details } })
  }) // biome-ignore format: one case is one line

  test('another media type is refused', async () => {
    for (const type of ['application/json', 'text/csv', 'multipart/mixed; boundary=x'])
      expect(await post('{}', { 'content-type': type })).toMatchObject({
        status: 415,
        body: { error: 'Unsupported Media Type' },
      })
  })

  test('the same bytes with the same idempotency key are replayed, other bytes are a conflict', async () => {
    const body = bodyOf([[fileHead, 'a']])
    const key = { 'idempotency-key': 'import-1' }
    const first = await post(body, key)
    expect(await post(body, key)).toMatchObject({
      status: 200,
      body: first.body,
      headers: { 'idempotency-replayed': 'true' },
    })
    expect(await post(bodyOf([[fileHead, 'b']]), key)).toMatchObject({
      status: 409,
      body: { key: 'idempotency_key_conflict' },
    })
  })

  test('a file may be as large as a body, and no larger', async () => {
    const narrow = await newProject({ extra: [probe], env: { MAX_BODY_BYTES: '2048' } })
    const headers = { 'content-type': contentType }
    const frame = bodyOf([[fileHead, '']]).length
    const send = (size: number) =>
      narrow.call('POST', '/v1/probes/multipart', bodyOf([[fileHead, 'x'.repeat(size - frame)]]), headers)
    expect(await send(2_048)).toMatchObject({ status: 200, body: { file: '78'.repeat(2_048 - frame) } })
    expect(await send(2_049)).toMatchObject({ status: 413, body: { key: 'payload_too_large' } })
  })
})
