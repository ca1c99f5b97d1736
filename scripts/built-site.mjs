// What the dashboard and the guides share: a site is built from sources into a folder of packages/server/dist, where the service looks
// for it (platform/file-list.ts) and from where it is published. Runs on any Node >= 20; the build itself runs on the Node of the workspace.
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { root, runQuietly } from './workspace.mjs'

const listName = 'files.json'

/** Fonts and pictures are compressed already. */
const compressible = new Set(['.css', '.html', '.js', '.json', '.svg', '.txt', '.webmanifest'])

/** Builds a site unless the built one has the wanted hash. Returns whether there is a current one. */
export async function ensureSite({ name, into, wanted, build, signal }) {
  if (builtHash(into) === wanted) return true
  const startedAt = Date.now()
  const problem = await build({ signal })
  if (signal?.aborted) return false
  if (problem !== null) {
    console.error(problem)
    return false
  }
  console.log(`Built the ${name} in ${((Date.now() - startedAt) / 1_000).toFixed(1)} s`)
  return true
}

/**
 * Runs a build that writes into the folder it is given; returns its output if it fails, otherwise null. The folder appears as a whole
 * or not at all. `more` adds fields to the list of files; `signal` ends the build.
 */
export async function buildSite({ name, into, hash, command, env, signal, quality, more = () => ({}) }) {
  // Beside its destination, since a rename does not cross file systems.
  const draft = join(into, '..', `.${name}-${randomUUID()}`)
  mkdirSync(draft, { recursive: true })
  try {
    const { code, output } = await runQuietly(command(draft), { env: { ...env, NODE_ENV: 'production' }, signal })
    if (code !== 0) return `The ${name} ${name.endsWith('s') ? 'were' : 'was'} not built:\n${output}`
    const paths = filesIn(draft)
    const files = await Promise.all(paths.map((path) => describe(draft, path, quality)))
    writeFileSync(join(draft, listName), `${JSON.stringify({ hash, ...more(draft, paths), files }, null, 1)}\n`)
    replaceFolder(into, draft)
    return null
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** The hash of everything that a build reads, by paths in the repository. */
export function hashOf(paths) {
  const hash = createHash('sha256')
  for (const path of paths)
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0')
  return hash.digest('hex')
}

function builtHash(folder) {
  const list = join(folder, listName)
  return existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')).hash : null
}

/** The paths of all files below a folder, with `/`, sorted; without what was installed, built or is temporary. */
export function filesIn(folder, below = '') {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .filter(({ name }) => !['node_modules', 'dist', 'cache', '.temp'].includes(name))
    .flatMap((entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      return entry.isDirectory() ? filesIn(folder, path) : [path]
    })
    .sort()
}

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
async function describe(folder, path, quality) {
  const content = readFileSync(join(folder, path))
  const etag = createHash('sha256').update(content).digest('base64url').slice(0, 22)
  const encodings = []
  if (compressible.has(extname(path)))
    for (const [encoding, compress] of Object.entries(compressors)) {
      const compressed = await compress(content, quality)
      if (compressed.length >= content.length) continue
      writeFileSync(join(folder, `${path}.${encoding}`), compressed)
      encodings.push(encoding)
    }
  return { path, etag, encodings }
}

const compressors = {
  br: (content, quality) =>
    promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  gzip: (content) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
}
