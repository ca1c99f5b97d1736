import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sidebar } from '../../../docs/.vitepress/parts.ts'
import { drawnArchitecture } from './testing/modules.ts'

/* Compares statements of the documentation about the code with the code. */

const root = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

test('the module diagram in docs/architecture.md matches the imports (npm run modules rewrites it)', () => {
  expect(drawnArchitecture().isCurrent).toBe(true)
})

test('every decision is in the index, with its number and its title', () => {
  const index = read('docs/decisions/README.md')
  const listed = [
    ...index.matchAll(/^\| (\d+) \| \[(.+?)\]\((\d{4}-[\w-]+\.md)\) \| (in force|replaced by .+?) \| .+ \|$/gm),
  ]
  const files = readdirSync(new URL('docs/decisions/', root)).filter((name) => /^\d{4}-/.test(name))
  const decisions = files.sort().map((file) => {
    const [, number, title] = /^# (\d+)\. (.+)/.exec(read(`docs/decisions/${file}`)) ?? []
    return { number, title, file }
  })
  expect(listed.map(([, number, title, file]) => ({ number, title, file }))).toEqual(decisions)
})

test('every page of docs/ is in the list of a part of the guides', () => {
  const pages = globSync('**/*.md', { cwd: new URL('docs/', root), exclude: (name) => name === 'node_modules' })
  const addresses = pages.map((path) =>
    `/${path.replaceAll('\\', '/')}`.replace(/README\.md$/, '').replace(/\.md$/, ''),
  )
  expect(addresses.filter((address) => address !== '/index').sort()).toEqual(Object.keys(sidebar).sort())
})

/** The path of a source file, relative to src. */
const sourcePath =
  /`((?:core|account|definitions|audience|catalogue|orders|rules|incentives|checkout|loyalty|redemptions|exports|platform|testing)\/[\w./-]+\.(?:ts|sql))`/g

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'docs/architecture.md',
  'docs/client.md',
  ...readdirSync(new URL('docs/operate/', root)).map((name) => `docs/operate/${name}`),
  'docs/tutorial.md',
]

test.each(pages)('%s: every link target, npm script and file it names exists', (page) => {
  const text = read(page)
  const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found as string)
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  expect(all(/npm run (?:--silent )?([\w-]+)/g).filter((name) => scripts[name] === undefined)).toEqual([])

  const targets = [
    ...all(/\]\((?!https?:|#)([^)#]+)/g).map((target) => new URL(target, new URL(page, root))),
    ...all(/`((?:packages|docs|scripts)\/[\w./-]+\.\w+)`/g).map((path) => new URL(path, root)),
    ...all(sourcePath).map((path) => new URL(path, import.meta.url)),
  ]
  expect(targets.filter((url) => !existsSync(url)).map(({ pathname }) => pathname)).toEqual([])
})
