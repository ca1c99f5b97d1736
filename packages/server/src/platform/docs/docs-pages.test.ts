import { gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { errorKeys } from '../../core/http/errors.ts'
import { documentOf } from '../../document.ts'
import { operations } from '../../operations.ts'
import { send, testService } from '../../testing/app.ts'
import { resourcesOf, schemaPage } from './outline.ts'

const document = documentOf(operations)
const resources = resourcesOf(document)
const schemaNames = Object.keys(document.components.schemas)
const pageNames = ['', 'schemas', 'errors', ...resources.map(({ page }) => page), ...schemaNames.map(schemaPage)]

let pages: ReadonlyMap<string, string> | undefined
const readPages = async (app: FastifyInstance) => {
  pages ??= await readAll(app)
  return pages
}

async function readAll(app: FastifyInstance): Promise<ReadonlyMap<string, string>> {
  const read = new Map<string, string>()
  for (const name of pageNames) {
    const { statusCode, body } = await app.inject(`/docs/${name}`)
    expect(statusCode, name).toBe(200)
    read.set(name, body)
  }
  return read
}

const idsOf = (page: string) => [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string)

test('/docs leads to the overview, also behind a proxy with a path prefix', async () => {
  const { app } = await testService()
  expect(await send(app, 'GET', '/docs')).toMatchObject({ status: 302, headers: { location: 'docs/' } })
  expect(await send(app, 'GET', '/docs/nothing')).toMatchObject({ status: 404, body: { key: 'not_found' } })
  expect(await send(app, 'GET', '/docs/../examples.json')).toMatchObject({ status: 404 })
})

test('a page is served compressed, and with 304 when the client has it cached', async () => {
  const { app } = await testService()
  const plain = await app.inject({ url: '/docs/vouchers' })
  const zipped = await app.inject({ url: '/docs/vouchers', headers: { 'accept-encoding': 'br, gzip' } })
  expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
  expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body)
  const again = await app.inject({ url: '/docs/vouchers', headers: { 'if-none-match': String(plain.headers.etag) } })
  expect(again).toMatchObject({ statusCode: 304, body: '' })
})

test('every operation is on the page of its resource, ids are unique, and all links and search results lead somewhere', async () => {
  const { app } = await testService()
  const pages = await readPages(app)
  for (const { page, operations: listed } of resources)
    for (const { operationId } of listed) expect(pages.get(page)).toContain(`<article id="${operationId}">`)
  expect(resources.flatMap(({ operations: listed }) => listed)).toHaveLength(operations.length)

  const ids = new Map([...pages].map(([name, page]) => [name, idsOf(page)]))
  for (const [name, all] of ids) expect(new Set(all).size, name).toBe(all.length)
  const targets = new Map([...ids].map(([name, all]) => [name, new Set(all)]))
  const files = new Set(['mark.svg', 'docs.css', '../openapi.json'])
  for (const file of files) expect((await app.inject(`/docs/${file}`)).statusCode, file).toBe(200)
  const broken = (from: string, link: string): boolean => {
    const [page = '', id] = link.replaceAll('&#39;', "'").split('#')
    const found = targets.get(page === '' ? from : page.replace(/^\.\/$/, ''))
    return files.has(page) ? false : found === undefined || (id !== undefined && !found.has(id))
  }
  for (const [name, page] of pages) {
    const links = [...page.matchAll(/ href="([^"]+)"/g)].map(([, link]) => link as string)
    expect(
      links.filter((link) => broken(name, link)),
      name,
    ).toEqual([])
  }
  const { body } = await send(app, 'GET', '/docs/search.json')
  const entries = body as unknown as Array<{ k: string; t: string; u: string }>
  expect(entries.filter(({ u }) => broken('', u))).toEqual([])
  expect(entries.filter(({ k }) => k === 'o')).toHaveLength(operations.length)
  expect(entries).toContainEqual(expect.objectContaining({ t: 'percent_off', k: 'p' }))
  expect(entries.filter(({ k }) => k === 'e').map(({ t }) => t)).toEqual(errorKeys)
  for (const name of ['Idempotency-Key', 'X-App-Token', 'Retry-After', 'Guerdon-Ignored'])
    expect(entries).toContainEqual(expect.objectContaining({ t: name, k: 'h' }))
})

test('the policy allows the files of the folder only, and no page contains an inline script or style', async () => {
  const { app } = await testService()
  for (const [name, page] of await readPages(app)) {
    expect(page, name).not.toMatch(/<(?:style|img|iframe|object|embed|base|form)\b|\sstyle=|\son[a-z]+="/i)
    expect([...page.matchAll(/<script[^>]*>(?!<\/script>)/g)], name).toEqual([])
    expect(page.match(/ (?:src|href)="(?:https?:)?\/\/[^"]*/g), name).toBeNull()
  }
  const { headers } = await app.inject('/docs/')
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
})

test('no page is larger than 100 kB, compressed', async () => {
  const { app } = await testService()
  for (const name of pageNames) {
    const { rawPayload } = await app.inject({ url: `/docs/${name}`, headers: { 'accept-encoding': 'gzip' } })
    expect(rawPayload.length, name).toBeLessThan(100_000)
  }
})
