import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { buildDashboard } from '../../../scripts/dashboard.mjs'

/* What the build makes: its size, its names, and that nothing of the machine that built it is inside. */

const built = fileURLToPath(new URL('../../server/dist/dashboard', import.meta.url))
const textOf = (path: string): string => readFileSync(join(built, path), 'utf8')
const compressedSize = (path: string): number => statSync(join(built, `${path}.gzip`)).size

test('the script that the page loads first is at most 250 kB compressed', () => {
  const page = textOf('index.html')
  const first = [...page.matchAll(/(?:src|href)="\/dashboard\/(assets\/[^"]+\.js)"/g)].map(([, path]) => path as string)
  expect(first.length).toBeGreaterThan(0)
  const loaded = new Set<string>()
  const load = (path: string): void => {
    if (loaded.has(path)) return
    loaded.add(path)
    for (const imported of staticImports(textOf(path))) load(`assets/${imported}`)
  }
  first.forEach(load)
  const sizes = [...loaded].map((path) => [path, compressedSize(path)] as const)
  const total = sizes.reduce((sum, [, size]) => sum + size, 0)
  expect(total, sizes.map(([path, size]) => `${path} ${size}`).join('\n')).toBeLessThanOrEqual(250_000)
})

test('every file has a hash in its name, except for the page, and no source map is shipped', () => {
  const paths = (JSON.parse(textOf('files.json')) as { files: Array<{ path: string }> }).files.map(({ path }) => path)
  const withoutHash = paths.filter((path) => !/^assets\/[\w.-]+-[\w-]{8}\.\w+$/.test(path))
  expect(withoutHash).toEqual(['index.html'])
  expect(paths.filter((path) => path.endsWith('.map'))).toEqual([])
  expect(textOf('index.html')).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=/)
})

test('no key, no address of another host to load from, and no path of the build machine is in the bundle', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  for (const [path, text] of filesOf(built)) {
    expect(text.includes(root), `${path} contains ${root}`).toBe(false)
    expect(text.match(secrets) ?? [], path).toEqual([])
    if (path.endsWith('.css') || path.endsWith('.html'))
      expect(text.match(/(?:url\(|@import |src=|href=)['"]?https?:[^'")]*/g), path).toBeNull()
  }
})

test('no variable of the environment gets into the bundle', async () => {
  const into = join(mkdtempSync(join(tmpdir(), 'guerdon-bundle-')), 'dashboard')
  onTestFinished(() => rmSync(join(into, '..'), { recursive: true, force: true }))
  const names = ['BOOTSTRAP_APP_TOKEN', 'DATABASE_URL', 'OIDC_CLIENT_SECRET', 'VITE_TOKEN', 'GUERDON_TOKEN']
  const planted = Object.fromEntries(names.map((name) => [name, `planted-${name}-0123456789`]))
  expect(await buildDashboard({ into, env: { ...process.env, ...planted } })).toBeNull()
  const texts = filesOf(into)
  expect(texts.length).toBeGreaterThan(2)
  for (const [path, text] of texts) expect(text.includes('planted-'), path).toBe(false)
})

/** Modules that a module imports at once, not when it needs them (`import(…)`). */
const staticImports = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([^"']+\.js)["']/g)].map(([, name]) => name as string)

/** Private keys, tokens of key headers, and passwords in addresses. */
const secrets =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----|X-(?:App|Client|Management)-Token["']?\s*[:,]\s*["'][\w-]{8,}|\w+:\/\/\w+:[^@\s"'`$]+@/gi

function filesOf(folder: string): Array<[path: string, text: string]> {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:js|css|html|svg|json)$/.test(path))
    .map((path) => [path, readFileSync(join(folder, path), 'utf8')])
}
