import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../app.ts'
import type { Runtime } from '../core/context.ts'
import { testService } from '../testing/app.ts'
import { getRaw } from '../testing/get-raw.ts'
import { testSettings } from '../testing/runtime.ts'
import { type DashboardFiles, readDashboard } from './dashboard-files.ts'

/* The files are made here in the form that scripts/dashboard.mjs writes. The journeys of packages/dashboard use really built ones. */

const page = '<!doctype html><div id="root"></div>'
const script = `export const a = '${'a'.repeat(500)}'`

test('files of assets/ are kept by browsers for good, compressed as the caller accepts, and answered with 304 where they are known', async () => {
  const app = await withDashboard()
  const plain = await app.inject('/dashboard/assets/index-abc.js')
  expect(plain).toMatchObject({ statusCode: 200, body: script })
  expect(plain.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'content-length': String(script.length),
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
    etag: 'W/"etag of assets/index-abc.js"',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  })
  expect(plain.headers['content-encoding']).toBeUndefined()
  const accepting = (encoding: string) =>
    app.inject({ url: '/dashboard/assets/index-abc.js', headers: { 'accept-encoding': encoding } })
  for (const encoding of ['gzip, deflate, br, zstd', 'br', 'BR;q=0.5']) {
    const answer = await accepting(encoding)
    expect(answer.headers, encoding).toMatchObject({ 'content-encoding': 'br', etag: plain.headers.etag })
    expect(brotliDecompressSync(answer.rawPayload).toString()).toBe(script)
  }
  for (const encoding of ['gzip', 'br;q=0, gzip;q=1', 'deflate, gzip;q=0.8, br;q=0.000']) {
    const answer = await accepting(encoding)
    expect(answer.headers['content-encoding'], encoding).toBe('gzip')
    expect(gunzipSync(answer.rawPayload).toString()).toBe(script)
  }
  for (const encoding of ['', 'identity', 'gzip;q=0', 'browser'])
    expect((await accepting(encoding)).headers['content-encoding'], encoding).toBeUndefined()

  const known = await app.inject({
    url: '/dashboard/assets/index-abc.js',
    headers: { 'if-none-match': `"another", ${plain.headers.etag}` },
  })
  expect(known).toMatchObject({ statusCode: 304, body: '' })
})

test('every other address is the page, revalidated each time, under a strict Content-Security-Policy', async () => {
  const app = await withDashboard()
  for (const url of [
    '/dashboard/',
    '/dashboard/?x=1',
    '/dashboard/customers/cust_1?tab=orders',
    '/dashboard/codes/a%2Fb%20c',
    '/dashboard/index.html',
    '/dashboard/__proto__',
  ]) {
    const answer = await app.inject(url)
    expect(answer, url).toMatchObject({ statusCode: 200, body: page })
    expect(answer.headers, url).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'permissions-policy': expect.stringContaining('camera=()'),
      'x-request-id': expect.stringMatching(/^v-/),
    })
  }
  expect(await app.inject('/dashboard')).toMatchObject({ statusCode: 302, headers: { location: 'dashboard/' } })
})

test('a file that was not built is not found, whatever its path names', async () => {
  const app = await withDashboard()
  await app.listen({ port: 0, host: '127.0.0.1' })
  const get = (path: string) => getRaw(app, path)
  for (const path of [
    '/dashboard/assets/index-old.js',
    '/dashboard/assets',
    '/dashboard/assets/',
    '/dashboard/assets/index-abc.js.br', // the compressed form has no address of its own
    '/dashboard/assets/../files.json',
    '/dashboard/assets/../../../package.json',
    '/dashboard/assets/..%2f..%2f..%2fpackage.json',
    '/dashboard/assets/%2e%2e/%2e%2e/package.json',
    '/dashboard/assets/%00',
    '/dashboard/%00',
    '/dashboard/%zz',
  ]) {
    const { status, body } = await get(path)
    expect([status, JSON.parse(body).key], path).toEqual([404, 'not_found'])
  }
  // Outside of assets/ any path is an address of the page; what it would name on the disk is never read.
  for (const path of ['files.json', '../../package.json', '..%2f..%2fpackage.json', '%2e%2e/%2e%2e/package.json'])
    expect(await get(`/dashboard/${path}`), path).toEqual({ status: 200, body: page })
})

test('HEAD is answered like GET without a body, other methods with 405', async () => {
  const app = await withDashboard()
  for (const url of ['/dashboard/', '/dashboard/codes', '/dashboard/assets/index-abc.js']) {
    const { statusCode, headers } = await app.inject(url)
    const head = await app.inject({ method: 'HEAD', url })
    expect(head, url).toMatchObject({ statusCode, body: '' })
    const { 'x-request-id': _request, date: _date, ...same } = headers
    expect(head.headers, url).toMatchObject(same)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'] as const)
      expect(await app.inject({ method, url }), `${method} ${url}`).toMatchObject({
        statusCode: 405,
        headers: { allow: 'GET, HEAD' },
      })
  }
  expect(await app.inject({ method: 'HEAD', url: '/dashboard/assets/index-old.js' })).toMatchObject({ statusCode: 404 })
})

test('the root leads browsers to the dashboard and programs to the documentation', async () => {
  const app = await withDashboard()
  const to = async (accept?: string) => {
    const { statusCode, headers } = await app.inject({ url: '/', headers: accept === undefined ? {} : { accept } })
    return [statusCode, headers.location, headers.vary]
  }
  expect(await to('text/html,application/xhtml+xml,*/*;q=0.8')).toEqual([302, 'dashboard/', 'Accept'])
  expect(await to('application/json')).toEqual([302, 'docs/', 'Accept'])
  expect(await to('*/*')).toEqual([302, 'docs/', 'Accept'])
  expect(await to()).toEqual([302, 'docs/', 'Accept'])
})

test('requests of the dashboard are counted under two names, whatever addresses they have', async () => {
  const app = await withDashboard()
  for (const url of ['/dashboard', '/dashboard/a', '/dashboard/b', '/dashboard/assets/index-abc.js'])
    await app.inject(url)
  const { body } = await app.inject('/metrics')
  const counted = [
    ...body.matchAll(/guerdon_http_requests_total\{operation="([^"]*dashboard[^"]*)",status="(\d+)"\} (\d+)/g),
  ]
  expect(counted.map(([, ...sample]) => sample).sort()).toEqual([
    ['GET /dashboard', '302', '1'],
    ['GET /dashboard/*', '200', '3'],
  ])
})

test('DASHBOARD=off leaves it out, and so does a folder without a built one, which the log tells', async () => {
  const folder = builtFolder()
  const lines: unknown[][] = []
  const log = { warn: (...line: unknown[]) => void lines.push(line) } as unknown as Runtime['log']
  expect(readDashboard(testSettings({ DASHBOARD: 'off' }), log, folder)).toBeNull()
  expect(lines).toEqual([])
  rmSync(join(folder, 'files.json'))
  expect(readDashboard(testSettings(), log, folder)).toBeNull()
  expect(lines).toEqual([[{ folder }, expect.stringContaining('run "npm run build"')]])
  expect(() => testSettings({ DASHBOARD: 'maybe' })).toThrow('DASHBOARD: must be one of on, off, not "maybe"')

  const { app } = await testService()
  expect((await app.inject('/dashboard/')).statusCode).toBe(404)
  expect(await app.inject({ url: '/', headers: { accept: 'text/html' } })).toMatchObject({
    statusCode: 302,
    headers: { location: 'docs/' },
  })
})

async function withDashboard(): Promise<FastifyInstance> {
  const { runtime } = await testService()
  const dashboard = readDashboard(runtime.settings, runtime.log, builtFolder()) as DashboardFiles
  const app = buildApp({ runtime, sheds_load: false, dashboard })
  onTestFinished(() => app.close())
  return app
}

function builtFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-dashboard-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  write('index.html', page)
  write('assets/index-abc.js', script)
  write('assets/index-abc.js.br', brotliCompressSync(script))
  write('assets/index-abc.js.gzip', gzipSync(script))
  const files = [
    { path: 'assets/index-abc.js', etag: 'etag of assets/index-abc.js', encodings: ['br', 'gzip'] },
    { path: 'index.html', etag: 'etag of index.html', encodings: [] },
  ]
  write('files.json', JSON.stringify({ hash: 'of the sources', files }))
  return folder
}
