// Builds and packs the packages, installs them as a user would in an empty folder, starts the service, makes the first call of README.md,
// opens the dashboard and the guides, and calls the service with the client. Also checks what the packages contain, and that an unsupported
// Node is refused. With --global the same after `npm install --global` and with npx, on the oldest Node that is supported.
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { serveRegistry } from './packages-registry.mjs'
import { bundledNode, ensureInstalled, node, root, runNode } from './workspace.mjs'

await ensureInstalled()
const built = await runNode([join(root, 'scripts/build.mjs')])
if (built !== 0) process.exit(built)

const folder = mkdtempSync(join(tmpdir(), 'guerdon-packages-'))
// npm and the service run on the bundled Node, as on a user's machine with a current Node.
const withNode = (path) => ({ ...process.env, PATH: `${dirname(path)}:${process.env.PATH}` })
const env = withNode(node())
const npm = (args, cwd) =>
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd, env, encoding: 'utf8' })
const manifestOf = (name) => JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
const names = ['engine', 'client', 'server']
const guerdon = join(folder, 'node_modules/.bin/guerdon')
let server
let registry
try {
  const packed = names.map((name) =>
    join(folder, npm(['pack', '--pack-destination', folder], join(root, 'packages', name)).trim()),
  )
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  npm(['install', ...packed], folder)
  checkContents()
  refuseOldNode()
  await startCallStop(guerdon, env, join(folder, 'data'))
  console.log(
    'the packed service starts in an empty folder, answers the first call of README.md and the packed client, shows its dashboard and guides and stops',
  )
  if (process.argv.includes('--global')) {
    registry = await serveRegistry(
      names.map((name, at) => ({ manifest: manifestOf(name), tarball: packed[at] })),
      npm(['config', 'get', 'registry'], folder).trim(),
    )
    await installGlobally(oldestNode())
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  server?.kill('SIGKILL')
  registry?.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function checkContents() {
  for (const name of names)
    for (const file of ['README.md', 'LICENSE', 'package.json', 'dist'])
      if (!existsSync(join(folder, 'node_modules', manifestOf(name).name, file)))
        throw new Error(`the package ${name} lacks ${file}`)
  // The dashboard and the guides are shipped built: whoever runs the service installs nothing of what built it.
  const tools = [
    'vite',
    'react',
    'tailwindcss',
    '@guerdon/dashboard',
    'vitepress',
    'vue',
    'typescript',
    'playwright-core',
  ]
  for (const name of tools)
    if (existsSync(join(folder, 'node_modules', name))) throw new Error(`the packages install ${name}`)
  const drafts = readdirSync(join(folder, 'node_modules/guerdon/dist')).filter((name) => name.startsWith('.'))
  if (drafts.length > 0) throw new Error(`the package server contains ${drafts.join(', ')}`)
}

/** As a browser does: from the root to the page, and to the script that the page names. */
async function openDashboard(address) {
  const page = await fetch(address, { headers: { Accept: 'text/html' } })
  const [script] = /\/dashboard\/assets\/[^"]+\.js/.exec(await page.text()) ?? []
  if (page.status !== 200 || page.url !== `${address}/dashboard/` || script === undefined)
    throw new Error(`the dashboard was answered with ${page.status} at ${page.url}`)
  const { status, headers } = await fetch(`${address}${script}`, { headers: { 'Accept-Encoding': 'br' } })
  if (status !== 200 || headers.get('content-encoding') !== 'br')
    throw new Error(`${script} was answered with ${status}, encoded as ${headers.get('content-encoding')}`)
}

/** Compiles and runs a program that uses the installed client, as a user's project of either kind would. */
function useClient(address, keys) {
  const program = `import { createGuerdon, unwrap } from '@guerdon/client'
import { createGuerdonSession } from '@guerdon/client/session'

const { API = '', APP_ID = '', APP_TOKEN = '' } = (globalThis as any).process.env
const guerdon = createGuerdon({ baseUrl: API, applicationId: APP_ID, secretKey: APP_TOKEN })
const names: string[] = []
for await (const category of guerdon.listCategories.each()) names.push(category.name)
const { version } = unwrap(await createGuerdonSession({ baseUrl: API }).getSignInFeatures())
console.log(JSON.stringify({ names, version }))
// @ts-expect-error: a redemption needs redeemables
if (names.length > 99) await guerdon.redeem({})
`
  writeFileSync(join(folder, 'shop.mts'), program)
  // The client runs on any Node that runs this script.
  const run = (args) =>
    execFileSync(process.execPath, args, { cwd: folder, env: { ...env, API: address, ...keys }, encoding: 'utf8' })
  const common = ['shop.mts', '--strict', '--target', 'es2022', '--lib', 'es2023,dom,dom.iterable', '--types', '']
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  try {
    run([tsc, ...common, '--noEmit', '--module', 'preserve', '--moduleResolution', 'bundler'])
    run([tsc, ...common, '--module', 'nodenext', '--moduleResolution', 'nodenext'])
  } catch ({ stdout }) {
    throw new Error(`the types of the client do not compile:\n${stdout}`)
  }
  const answer = run(['shop.mjs'])
  if (!answer.includes('Winter sale')) throw new Error(`the installed client answered: ${answer}`)
}

/** A page, and the script that the page names. */
async function openGuides(address) {
  const page = await fetch(`${address}/guides/concepts/stacking.html`)
  const [script] = /\/guides\/assets\/app[^"]+\.js/.exec(await page.text()) ?? []
  if (page.status !== 200 || script === undefined) throw new Error(`the guides were answered with ${page.status}`)
  const { status } = await fetch(`${address}${script}`)
  if (status !== 200) throw new Error(`${script} was answered with ${status}`)
}

/** Runs the service on the Node of this script if that is an old one, otherwise on one that takes itself for old. */
function refuseOldNode() {
  const isOld = Number(process.versions.node.split('.')[0]) < 22
  const pretend = `data:text/javascript,Object.defineProperty(process,'version',{value:'v20.20.2'})`
  const [command, args] = isOld ? [process.execPath, [guerdon]] : [node(), ['--import', pretend, guerdon]]
  const { status, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: 'utf8', timeout: 60_000 })
  if (status !== 1 || !/^Guerdon needs Node \d+\.\d+ or newer; this is Node 2\d\.\d+\.\d+\.\n$/.test(stderr))
    throw new Error(`an old Node is not refused: exit code ${status}, ${stderr}`)
}

/** `npm install --global guerdon` into a prefix of its own, then `npx guerdon` in an empty folder, both on the given Node. */
async function installGlobally(path) {
  const { version } = manifestOf('server')
  const nodeVersion = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim()
  const place = join(folder, nodeVersion)
  mkdirSync(join(place, 'empty'), { recursive: true })
  // A cache of its own: npx would otherwise run what an earlier try with the same version left in the user's cache.
  const environment = {
    ...withNode(path),
    npm_config_registry: registry.address,
    npm_config_cache: join(place, 'cache'),
  }
  // Awaited, because this process is the registry.
  const run = async (command, args) =>
    (await promisify(execFile)(command, args, { cwd: join(place, 'empty'), env: environment })).stdout
  await run('npm', ['install', '--global', '--prefix', join(place, 'prefix'), '--no-audit', 'guerdon'])
  await startCallStop(join(place, 'prefix/bin/guerdon'), environment, join(place, 'data'))
  const printed = await run('npx', ['--yes', 'guerdon', '--version'])
  if (printed.trim() !== version) throw new Error(`npx guerdon --version printed ${printed}`)
  await run('npx', ['--yes', 'guerdon', 'migrate'])
  if (!existsSync(join(place, 'empty/.guerdon'))) throw new Error('npx guerdon migrate made no database')
  console.log(`npm install --global guerdon and npx guerdon work on Node ${nodeVersion}`)
}

/** Installs the oldest Node that the package accepts: `>=22.18` of its engines. */
function oldestNode() {
  const version = manifestOf('server').engines.node.replace('>=', '')
  const place = join(folder, 'oldest-node')
  mkdirSync(place)
  npm(['install', '--prefix', place, `${bundledNode.split('/')[0]}@${version}`], place)
  return join(place, 'node_modules', bundledNode)
}

async function startCallStop(command, environment, data) {
  const port = await freePort()
  server = spawn(command, ['serve'], {
    cwd: folder,
    env: { ...environment, PORT: String(port), GUERDON_DATA_DIR: data, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const address = `http://127.0.0.1:${port}`
  await ready(address)
  const keys = readFileSync(join(data, 'first-start-keys.txt'), 'utf8')
  const key = (header) => new RegExp(`${header}: +(\\S+)`).exec(keys)[1]
  const answer = execFileSync('sh', ['-c', firstCall()], {
    env: { ...env, API: address, APP_ID: key('X-App-Id'), APP_TOKEN: key('X-App-Token') },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (JSON.parse(answer).name !== 'Winter sale') throw new Error(`the first call of README.md was answered: ${answer}`)
  await openDashboard(address)
  useClient(address, { APP_ID: key('X-App-Id'), APP_TOKEN: key('X-App-Token') })
  await openGuides(address)
  server.kill('SIGTERM')
  const code = await ended
  if (code !== 0) throw new Error(`the service ended with code ${code}`)
}

/** The commands of README.md without their first line, which sets the variables. */
function firstCall() {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, , commands] = /## The first call.*?```sh\n(API=.*?\n)(.*?)```/s.exec(readme)
  return commands
}

async function ready(address) {
  const endsAt = Date.now() + 120_000
  for (;;) {
    if (server.exitCode !== null) throw new Error(`the service did not start: exit code ${server.exitCode}`)
    const isReady = await fetch(`${address}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    if (Date.now() > endsAt) throw new Error('the service was not ready within two minutes')
    await new Promise((done) => setTimeout(done, 200))
  }
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}
