// Builds and packs the packages, installs them in an empty folder as a user would, starts the service there and calls it.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
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
let server
try {
  for (const name of ['engine', 'server']) npm(['pack', '--pack-destination', folder], join(root, 'packages', name))
  const packed = readdirSync(folder).map((file) => join(folder, file))
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  npm(['install', ...packed], folder)
  const port = await freePort()
  server = spawn(join(folder, 'node_modules/.bin/guerdon'), ['serve'], {
    cwd: folder,
    env: {
      ...env,
      PORT: String(port),
      GUERDON_DATA_DIR: join(folder, 'data'),
      AUTH_MODE: 'either',
      LOG_LEVEL: 'warn',
      BOOTSTRAP_APP_ID: 'try',
      BOOTSTRAP_APP_TOKEN: 'try-token-0123456789',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const address = `http://127.0.0.1:${port}`
  await ready(address)
  const response = await fetch(`${address}/v1/vouchers/PACKED`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-app-id': 'try', 'x-app-token': 'try-token-0123456789' },
    body: JSON.stringify({ type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 } }),
  })
  if (response.status !== 200) throw new Error(`POST /v1/vouchers/PACKED: ${response.status} ${await response.text()}`)
  server.kill('SIGTERM')
  const code = await ended
  if (code !== 0) throw new Error(`the service ended with code ${code}`)
  console.log('the packed service starts in an empty folder, creates a voucher and stops')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  server?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
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
