import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { featuresOf } from '../account/sign-in/current-session.ts'
import { buildApp } from '../app.ts'
import type { Operation } from '../core/http/operation.ts'
import { operations } from '../operations.ts'
import { testService } from '../testing/app.ts'
import { getRaw } from '../testing/get-raw.ts'
import { testSettings } from '../testing/runtime.ts'
import { openGuides } from './guides-site.ts'

/* The files are made here in the form that scripts/guides.mjs writes. packages/dashboard/journeys/guides.journey.ts uses really built ones. */

const pages: Readonly<Record<string, string>> = {
  'index.html': '<h1>Guides</h1>',
  '404.html': '<h1>Page not found</h1>',
  'tutorial.html': '<h1>A shop</h1>',
  'reference/index.html': '<h1>Reference</h1>',
  'assets/app.abc.js': `export const a = '${'a'.repeat(500)}'`,
}

test('pages are found with and without their ending, revalidated each time, under a policy with the hashes of their scripts', async () => {
  const { app } = await withGuides()
  for (const [url, path] of [
    ['/guides/', 'index.html'],
    ['/guides/?x=1', 'index.html'],
    ['/guides/tutorial.html', 'tutorial.html'],
    ['/guides/tutorial', 'tutorial.html'],
    ['/guides/reference/', 'reference/index.html'],
    ['/guides/reference/index.html', 'reference/index.html'],
  ] as const) {
    const answer = await app.inject(url)
    expect(answer, url).toMatchObject({ statusCode: 200, body: pages[path] })
    expect(answer.headers, url).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      etag: `W/"etag of ${path}"`,
      'content-security-policy': expect.stringContaining(
        "script-src 'self' 'sha256-one' 'sha256-two'; style-src 'self';",
      ),
      'x-content-type-options': 'nosniff',
    })
    const known = await app.inject({ url, headers: { 'if-none-match': String(answer.headers.etag) } })
    expect(known, url).toMatchObject({ statusCode: 304, body: '' })
  }
})

test('a folder is redirected to its address with a slash, by which relative links of its page work', async () => {
  const { app } = await withGuides()
  for (const [url, location] of [
    ['/guides', 'guides/'],
    ['/guides/reference', 'reference/'],
  ])
    expect(await app.inject(url as string), url).toMatchObject({ statusCode: 302, headers: { location } })
})

test('files of assets/ are kept by browsers for good and sent compressed', async () => {
  const { app } = await withGuides()
  const answer = await app.inject({ url: '/guides/assets/app.abc.js', headers: { 'accept-encoding': 'gzip, br' } })
  expect(answer.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'content-encoding': 'br',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
  })
  expect(brotliDecompressSync(answer.rawPayload).toString()).toBe(pages['assets/app.abc.js'])
  expect((await app.inject('/guides/assets/app.abc.js')).body).toBe(pages['assets/app.abc.js'])
})

test('what was not built is not found, whatever its path names on the disk', async () => {
  const { app, folder } = await withGuides()
  writeFileSync(join(folder, 'unlisted.html'), 'a draft')
  writeFileSync(join(folder, '../secret.html'), 'a secret')
  onTestFinished(() => rmSync(join(folder, '../secret.html')))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const get = (path: string) => getRaw(app, path)
  for (const path of [
    'nowhere',
    'unlisted.html',
    'files.json',
    '../secret.html',
    '..%2fsecret',
    '%2e%2e/secret.html',
    '__proto__',
  ])
    expect(await get(`/guides/${path}`), path).toEqual({ status: 404, body: pages['404.html'] })
  for (const path of ['assets/app.old.js', 'assets/app.abc.js.br', 'assets/../../secret.html', '%00', '%zz']) {
    const { status, body } = await get(`/guides/${path}`)
    expect([status, body.includes('a secret')], path).toEqual([404, false])
  }
})

test('guides that are built again, or for the first time, beside the running service are served at once', async () => {
  const { app, folder } = await withGuides()
  expect((await app.inject('/guides/tutorial.html')).statusCode).toBe(200)
  rmSync(join(folder, 'files.json'))
  const missing = await app.inject('/guides/tutorial.html')
  expect([missing.statusCode, missing.json().key]).toEqual([404, 'not_found'])
  // A browser is told why, and asks again.
  const page = await app.inject({ url: '/guides/', headers: { accept: 'text/html,*/*;q=0.8' } })
  expect(page).toMatchObject({
    statusCode: 404,
    body: expect.stringContaining('The guides are not built yet'),
    headers: { refresh: '5', 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' },
  })

  write(folder, { 'index.html': '<h1>New</h1>', '404.html': '' }, 2)
  expect((await app.inject('/guides/')).body).toBe('<h1>New</h1>')
  expect((await app.inject('/guides/tutorial.html')).statusCode).toBe(404)

  // Between the removal of the old files and the new list: no answer that a browser would keep.
  rmSync(join(folder, 'index.html'))
  const removed = await app.inject('/guides/')
  expect([removed.statusCode, removed.headers['cache-control']]).toEqual([404, 'no-store'])
})

test('the API reference leads to the guides where they are served, and GUIDES=off leaves them out', async () => {
  const { app } = await withGuides(operations)
  expect((await app.inject('/docs/')).body).toContain('<a href="../guides/">Guides</a>')
  for (const page of ['', 'vouchers', 'schemas', 'schema-Voucher'])
    expect((await app.inject(`/docs/${page}`)).body, page).toContain('<a class="guides" href="../guides/">Guides</a>')
  const off = testSettings({ GUIDES: 'off' })
  expect(openGuides(off)).toBeNull()
  // The dashboard asks this before it shows its link.
  expect([testSettings({}), off].map((settings) => featuresOf(settings).guides)).toEqual([true, false])
  expect(() => testSettings({ GUIDES: 'maybe' })).toThrow('GUIDES: must be one of on, off, not "maybe"')
  const { app: without } = await testService()
  expect((await without.inject('/guides/')).statusCode).toBe(404)
  for (const page of ['', 'vouchers'])
    expect((await without.inject(`/docs/${page}`)).body, page).not.toContain('../guides/')
})

/** Without the operations of the service it opens at once. */
async function withGuides(served: readonly Operation[] = []): Promise<{ app: FastifyInstance; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-guides-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  write(folder, pages, 1)
  const { runtime } = await testService()
  const app = buildApp({ runtime, operations: served, sheds_load: false, guides: openGuides(runtime.settings, folder) })
  onTestFinished(() => app.close())
  return { app, folder }
}

/** Writes a built site; `builtAt` in seconds, since two builds of one test may fall into one tick of the file system. */
function write(folder: string, contents: Readonly<Record<string, string>>, builtAt: number): void {
  for (const [path, content] of Object.entries(contents)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), content)
    if (path.endsWith('.js')) writeFileSync(join(folder, `${path}.br`), brotliCompressSync(content))
  }
  const files = Object.keys(contents).map((path) => ({
    path,
    etag: `etag of ${path}`,
    encodings: path.endsWith('.js') ? ['br'] : [],
  }))
  writeFileSync(join(folder, 'files.json'), JSON.stringify({ inline_scripts: ['sha256-one', 'sha256-two'], files }))
  utimesSync(join(folder, 'files.json'), builtAt, builtAt)
}
