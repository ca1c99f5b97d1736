// Builds packages/dashboard into packages/server/dist/dashboard, where the service looks for it (platform/dashboard-files.ts) and from
// where it is published. Runs on any Node >= 20; Vite itself runs on the Node of the workspace.
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { binary, root, runQuietly } from './workspace.mjs'

const sources = join(root, 'packages/dashboard')
const builtInto = join(root, 'packages/server/dist/dashboard')

/** Fonts and pictures are compressed already. */
const compressible = new Set(['.css', '.html', '.js', '.json', '.svg', '.txt', '.webmanifest'])

/** Builds the dashboard unless the built one is of the current sources and packages. Returns whether there is a current one. */
export async function ensureDashboard() {
  const wanted = sourceHash()
  if (builtHash() === wanted) return true
  const startedAt = Date.now()
  const problem = await buildDashboard()
  if (problem !== null) {
    console.error(problem)
    return false
  }
  console.log(`Built the dashboard in ${((Date.now() - startedAt) / 1_000).toFixed(1)} s`)
  return true
}

/** Builds the dashboard; returns the output of Vite if it fails, otherwise null. The folder appears as a whole or not at all. */
export async function buildDashboard({ into = builtInto, env = process.env } = {}) {
  const hash = sourceHash()
  // Beside its destination, since a rename does not cross file systems.
  const draft = join(into, '..', `.dashboard-${randomUUID()}`)
  mkdirSync(draft, { recursive: true })
  try {
    const vite = [
      binary('vite/bin/vite.js'),
      'build',
      sources,
      '--outDir',
      draft,
      '--emptyOutDir',
      '--logLevel',
      'warn',
    ]
    const { code, output } = await runQuietly(vite, { env: { ...env, NODE_ENV: 'production' } })
    if (code !== 0) return `The dashboard was not built:\n${output}`
    const files = await Promise.all(filesIn(draft).map((path) => describe(draft, path)))
    writeFileSync(join(draft, listName), `${JSON.stringify({ hash, files }, null, 1)}\n`)
    replaceFolder(into, draft)
    return null
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

const listName = 'files.json'

/** Another build may put its folder there in between: then it is replaced too. */
function replaceFolder(folder, draft) {
  for (let attempt = 1; ; attempt += 1) {
    rmSync(folder, { recursive: true, force: true })
    try {
      return renameSync(draft, folder)
    } catch (error) {
      if (attempt === 5) throw error
    }
  }
}

/** Writes the compressed forms of a built file beside it, if they are smaller, and returns its entry of the list. */
async function describe(folder, path) {
  const content = readFileSync(join(folder, path))
  const etag = createHash('sha256').update(content).digest('base64url').slice(0, 22)
  const encodings = []
  if (compressible.has(extname(path)))
    for (const [encoding, compress] of Object.entries(compressors)) {
      const compressed = await compress(content)
      if (compressed.length >= content.length) continue
      writeFileSync(join(folder, `${path}.${encoding}`), compressed)
      encodings.push(encoding)
    }
  return { path, etag, encodings }
}

const compressors = {
  br: (content) =>
    promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  gzip: (content) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
}

/** The hash of everything that a build reads: sources, configuration, packages, and this script. */
function sourceHash() {
  const hash = createHash('sha256')
  const add = (name, path) => hash.update(`${name}\0`).update(readFileSync(path)).update('\0')
  for (const path of filesIn(sources).filter(isSource)) add(path, join(sources, path))
  for (const path of ['package-lock.json', 'scripts/dashboard.mjs']) add(path, join(root, path))
  return hash.digest('hex')
}

const isSource = (path) => /^(?:src|public)\/|^[^/]+$/.test(path) && !/\.test\.tsx?$/.test(path)

function builtHash() {
  const list = join(builtInto, listName)
  return existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')).hash : null
}

/** The paths of all files below a folder, with `/`, sorted; without what was installed or built. */
function filesIn(folder, below = '') {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules' && name !== 'dist')
    .flatMap((entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      return entry.isDirectory() ? filesIn(folder, path) : [path]
    })
    .sort()
}
