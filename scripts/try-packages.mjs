// Builds and packs the packages, installs them in an empty folder as a user would, starts the service there and makes the first
// call of README.md and opens the dashboard. Also checks what the packages contain, and that an unsupported Node is refused.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ensureInstalled, node, root, runNode } from './workspace.mjs'

await ensureInstalled()
const built = await runNode([join(root, 'scripts/build.mjs')])
if (built !== 0) process.exit(built)

const folder = mkdtempSync(join(tmpdir(), 'guerdon-packages-'))
// npm and the service run on the bundled Node, as on a user's machine with a current Node.
const env = { ...process.env, PATH: `${dirname(node())}:${process.env.PATH}` }
const npm = (args, cwd) =>
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd, env, encoding: 'utf8' })
const names = ['engine', 'server']
const guerdon = join(folder, 'node_modules/.bin/guerdon')
let server
try {
  for (const name of names) npm(['pack', '--pack-destination', folder], join(root, 'packages', name))
  const packed = readdirSync(folder).map((file) => join(folder, file))
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  npm(['install', ...packed], folder)
  checkContents()
  refuseOldNode()
  await startCallStop()
  console.log(
    'the packed service starts in an empty folder, answers the first call of README.md, shows its dashboard and stops',
  )
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  server?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function checkContents() {
  for (const name of names)
    for (const file of ['README.md', 'LICENSE', 'package.json', 'dist'])
      if (!existsSync(join(folder, 'node_modules/@guerdon', name, file)))
        throw new Error(`the package ${name} lacks ${file}`)
  // The dashboard is shipped built: whoever runs the service installs nothing of what built it.
  const tools = ['vite', 'react', 'tailwindcss', '@guerdon/dashboard', 'typescript', 'playwright-core']
  for (const name of tools)
    if (existsSync(join(folder, 'node_modules', name))) throw new Error(`the packages install ${name}`)
  const drafts = readdirSync(join(folder, 'node_modules/@guerdon/server/dist')).filter((name) => name.startsWith('.'))
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

/** Runs the service on the Node of this script if that is an old one, otherwise on one that takes itself for old. */
function refuseOldNode() {
  const isOld = Number(process.versions.node.split('.')[0]) < 22
  const pretend = `data:text/javascript,Object.defineProperty(process,'version',{value:'v20.20.2'})`
  const [command, args] = isOld ? [process.execPath, [guerdon]] : [node(), ['--import', pretend, guerdon]]
  const { status, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: 'utf8', timeout: 60_000 })
  if (status !== 1 || !/^Guerdon needs Node \d+\.\d+ or newer; this is Node 2\d\.\d+\.\d+\.\n$/.test(stderr))
    throw new Error(`an old Node is not refused: exit code ${status}, ${stderr}`)
}

async function startCallStop() {
  const port = await freePort()
  const data = join(folder, 'data')
  server = spawn(guerdon, ['serve'], {
    cwd: folder,
    env: { ...env, PORT: String(port), GUERDON_DATA_DIR: data, LOG_LEVEL: 'warn' },
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
