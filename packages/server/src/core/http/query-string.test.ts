import fc from 'fast-check'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { newProject, send } from '../../testing/app.ts'
import { limits } from '../lib/limits.ts'
import type { ApiError } from './errors.ts'
import { operation } from './operation.ts'
import { parseQueryString, type QueryObject, type QueryValue } from './query-string.ts'

/** Converts to plain objects: those of the parser have no prototype, which `toEqual` would report as a difference. */
const read = (text: string): unknown => JSON.parse(JSON.stringify(parseQueryString(text)))

const detailsOf = (text: string): string | undefined => {
  try {
    parseQueryString(text)
  } catch (error) {
    const { key, facts } = error as ApiError
    return `${key}: ${facts.details}`
  }
  return undefined
}

describe('a query string is parsed', () => {
  test.each<[text: string, expected: unknown]>([
    ['', {}],
    ['limit=10&page=2', { limit: '10', page: '2' }],
    ['&&limit=10&', { limit: '10' }],
    ['flag', { flag: '' }],
    ['flag=', { flag: '' }],
    ['q=a=b', { q: 'a=b' }],
    ['q=a+b%2Bc', { q: 'a b+c' }],
    ['q=%C3%BC%F0%9F%8E%81', { q: 'ü🎁' }],
    ['created_at[before]=2026', { created_at: { before: '2026' } }],
    ['created_at%5Bbefore%5D=2026', { created_at: { before: '2026' } }],
    ['filters[metadata.color][conditions][$is]=red', { filters: { 'metadata.color': { conditions: { $is: 'red' } } } }],
    ['code=A&code=B&code=C', { code: ['A', 'B', 'C'] }],
    ['code[]=A', { code: ['A'] }],
    ['code[]=A&code[]=B', { code: ['A', 'B'] }],
    ['code=A&code[]=B', { code: ['A', 'B'] }],
    ['code[0]=A&code[1]=B', { code: { 0: 'A', 1: 'B' } }],
    ['f[$in][]=A&f[$in][]=B', { f: { $in: ['A', 'B'] } }],
    ['open[=1', { 'open[': '1' }],
    ['a]b[c]=1', { 'a]b[c]': '1' }],
    ['a[b]c=1', { 'a[b]c': '1' }],
    ['[]=1', { '': '1' }],
  ])('%j is parsed as %j', (text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  test('a leading bracket and a leading name are equivalent', () => {
    const spelt = 'filters[code][conditions][$is]=A&created_at[before]=2026-01-01'
    const bracketed = '[filters][code][conditions][$is]=A&[created_at][before]=2026-01-01'
    expect(read(bracketed)).toEqual(read(spelt))
    expect(read('[limit]=5')).toEqual(read('limit=5'))
  })

  test('every nested object round-trips through bracket syntax, in both notations', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => !/[[\]\0]/.test(text))
    const value = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !text.includes('\0'))
    const { tree } = fc.letrec<{ tree: QueryObject; branch: QueryValue }>((tie) => ({
      tree: fc.dictionary(name, tie('branch'), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
      branch: fc.oneof(
        { maxDepth: limits.query_nesting_max - 1 },
        value,
        fc.array(value, { minLength: 1, maxLength: 3 }),
        tie('tree'),
      ),
    }))
    fc.assert(
      fc.property(tree, fc.boolean(), (written, leading) => {
        expect(read(writtenOut(written, leading))).toEqual(written)
      }),
    )
  })
})

/** `{ a: { b: ['x'] } }` → `a[b][]=x`, or `[a][b][]=x`. */
function writtenOut(query: QueryObject, leading: boolean): string {
  const pairs = (value: QueryValue, path: string[]): string[] => {
    if (Array.isArray(value)) return value.flatMap((item) => pairs(item, [...path, '']))
    if (typeof value === 'object') return Object.entries(value).flatMap(([name, next]) => pairs(next, [...path, name]))
    const [first = '', ...rest] = path
    const head = leading ? `[${encodeURIComponent(first)}]` : encodeURIComponent(first)
    return [`${head}${rest.map((name) => `[${encodeURIComponent(name)}]`).join('')}=${encodeURIComponent(value)}`]
  }
  return pairs(query, []).join('&')
}

describe('a query string is refused or harmless', () => {
  test('no name can reach a prototype', () => {
    const text = '__proto__[polluted]=1&constructor[prototype][polluted]=1&[__proto__][polluted]=1&toString=x'
    const query = parseQueryString(text)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(Object.getPrototypeOf(query)).toBeNull()
    expect(Object.keys(query).sort()).toEqual(['__proto__', 'constructor', 'toString'])
    expect(query.toString).toBe('x')
  })

  test(`it may have ${limits.query_nesting_max} levels and no more`, () => {
    const nested = (levels: number) => `a${'[b]'.repeat(levels - 1)}=1`
    expect(detailsOf(nested(limits.query_nesting_max))).toBeUndefined()
    expect(detailsOf(nested(limits.query_nesting_max + 1))).toBe(
      'invalid_query_params: Query is nested deeper than 6 levels',
    )
  })

  test.each([
    ['a=%', 'Query contains a malformed percent-encoding'],
    ['a=%zz', 'Query contains a malformed percent-encoding'],
    ['%E0%A4%A=1', 'Query contains a malformed percent-encoding'],
    ['a=%FF', 'Query contains a malformed percent-encoding'],
    ['a=%00', 'Query contains the character U+0000'],
    ['a=1&a[b]=2', 'Property .a is given both as a value and with brackets'],
    ['a[b]=1&a=2', 'Property .a is given both as a value and with brackets'],
    ['f[a][]=1&f[a][b]=2', 'Property .f.a is given both as a value and with brackets'],
  ])('%j is refused', (text, details) => {
    expect(detailsOf(text)).toBe(`invalid_query_params: ${details}`)
  })
})

describe('over HTTP', () => {
  const extra = [
    operation({
      id: 'probeQuery',
      method: 'GET',
      path: '/v1/probes/query',
      summary: 'Says what it was asked',
      query: Type.Object({
        codes: Type.Optional(Type.Array(Type.String())),
        limit: Type.Optional(Type.Integer({ default: 10 })),
      }),
      reply: Type.Object({ codes: Type.Optional(Type.Array(Type.String())), limit: Type.Integer() }),
      errors: ['invalid_query_params'],
      run: async (_ctx, { query }) => ({ ...query, limit: query.limit as number }),
    }),
    operation({
      id: 'probeNoQuery',
      method: 'GET',
      path: '/v1/probes/plain',
      summary: 'Asks for nothing',
      reply: Type.Object({}),
      errors: [],
      run: async () => ({}),
    }),
  ]

  test('a malformed query gets 400, but only after authentication', async () => {
    const shop = await newProject({ extra })
    const path = '/v1/probes/query?limit=%zz'
    expect(await shop.call('GET', path)).toMatchObject({
      status: 400,
      body: {
        key: 'invalid_query_params',
        message: 'Invalid query params',
        details: 'Query contains a malformed percent-encoding',
      },
    })
    expect(await send(shop.service.app, 'GET', path)).toMatchObject({ status: 401 })
    expect(await shop.call('GET', '/v1/nowhere?a=%zz')).toMatchObject({ status: 404 })
  })

  test('a malformed query does not crash the process', async () => {
    const shop = await newProject({ extra })
    const { app } = shop.service
    const address = app.server.address() === null ? await app.listen({ port: 0, host: '127.0.0.1' }) : ''
    const answer = await fetch(`${address}/v1/probes/query?limit=%zz`, { headers: shop.headers })
    expect(answer.status).toBe(400)
    expect((await fetch(`${address}/v1/probes/query`, { headers: shop.headers })).status).toBe(200)
  })

  test('every notation of a list is read as a list, and unknown parameters are ignored', async () => {
    const shop = await newProject({ extra })
    for (const query of ['codes=A&codes=B', 'codes[]=A&codes[]=B', 'codes[1]=B&codes[0]=A', '[codes][]=A&[codes][]=B'])
      expect((await shop.call('GET', `/v1/probes/query?${query}&unknown[x]=1`)).body).toMatchObject({
        codes: ['A', 'B'],
        limit: 10,
      })
    expect((await shop.call('GET', '/v1/probes/query?codes=A')).body).toEqual({ codes: ['A'], limit: 10 })
    expect(await shop.call('GET', '/v1/probes/plain?whatever=1&a[b]=2')).toMatchObject({ status: 200 })
  })
})
