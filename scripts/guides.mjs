// Builds docs/ into packages/server/dist/guides, which the service serves under /guides/. npm run guides -- --base /x/ --into FOLDER builds
// them for another web host, to be served there under /x/.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildSite, ensureSite, filesIn, hashOf } from './built-site.mjs'
import { binary, ensureInstalled, root } from './workspace.mjs'

const builtInto = join(root, 'packages/server/dist/guides')

/** Builds the guides unless the built ones are of the current sources and packages. Returns whether there are current ones. */
export const ensureGuides = ({ signal } = {}) =>
  ensureSite({ name: 'guides', into: builtInto, wanted: sourceHash(), build: buildGuides, signal })

/** Builds the guides; returns the output of VitePress if it fails, for instance because of a dead link, otherwise null. */
export const buildGuides = ({ into = builtInto, base = '/guides/', env = process.env, signal } = {}) =>
  buildSite({
    name: 'guides',
    into,
    hash: sourceHash(),
    env,
    signal,
    // Of some 500 files: the best quality would take a minute, for a tenth less.
    quality: 6,
    more: (folder, paths) => ({ inline_scripts: inlineScripts(folder, paths) }),
    command: (folder) => [
      binary('vitepress/bin/vitepress.js'),
      'build',
      join(root, 'docs'),
      '--base',
      base,
      '--outDir',
      folder,
    ],
  })

/** The hashes of the scripts inside of pages: the Content-Security-Policy lets the browser run these and no others. */
function inlineScripts(folder, paths) {
  const hashes = paths
    .filter((path) => path.endsWith('.html'))
    .flatMap((path) => [
      ...readFileSync(join(folder, path), 'utf8').matchAll(/<script(?![^>]* src=)[^>]*>(.+?)<\/script>/gs),
    ])
    .map(([, script]) => `sha256-${createHash('sha256').update(script).digest('base64')}`)
  return [...new Set(hashes)].sort()
}

/** The hash of everything that a build reads: pages, configuration, packages, and these scripts. */
const sourceHash = () =>
  hashOf([
    ...filesIn(join(root, 'docs')).map((path) => `docs/${path}`),
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'package-lock.json',
    'scripts/built-site.mjs',
    'scripts/guides.mjs',
  ])

async function buildAsAsked() {
  await ensureInstalled()
  const { values } = parseArgs({ options: { base: { type: 'string' }, into: { type: 'string' } } })
  const { base = '/guides/' } = values
  if (!/^\/(?:[^\s?#]+\/)?$/.test(base)) throw new Error(`--base must begin and end with "/", not be "${base}"`)
  const into = values.into ? resolve(values.into) : base === '/guides/' ? builtInto : join(root, 'docs/.vitepress/dist')
  const problem = await buildGuides({ into, base })
  console[problem === null ? 'log' : 'error'](problem ?? `Built the guides into ${into}, to be served under ${base}`)
  return problem === null ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await buildAsAsked()
