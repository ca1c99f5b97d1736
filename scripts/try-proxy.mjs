// Runs deploy/caddy/Caddyfile in front of two nodes, on loopback, and checks what docs/operate/containers.md says of it: TLS, the
// address of callers, sizes of bodies, and that no request fails while both nodes are restarted, one after the other.
//   DATABASE_URL=<an empty PostgreSQL database> npm run try-proxy
// Needs `caddy`, which is not part of the workspace: CI does not run this.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureInstalled, node, nodeFlags, root } from './workspace.mjs'

if (!process.env.DATABASE_URL) {
  console.error('DATABASE_URL=<an empty PostgreSQL database> npm run try-proxy')
  process.exit(1)
}
await ensureInstalled()
const ports = [8021, 8022]
const proxyPort = 8443
const folder = mkdtempSync(join(tmpdir(), 'guerdon-proxy-'))
const secret = (name) => `${name}-of-the-proxy-trial`
const agent = new Agent({ rejectUnauthorized: false, keepAlive: true, maxSockets: 16 })
const server = { 'x-app-id': secret('app'), 'x-app-token': secret('app-token') }
const page = {
  'x-client-application-id': secret('client'),
  'x-client-token': secret('client-token'),
  origin: 'http://localhost',
}
const running = new Set()
let isFailed = false

try {
  const nodes = []
  for (const port of ports) nodes.push(await startNode(port))
  start('caddy', ['run', '--adapter', 'caddyfile', '--config', join(root, 'deploy/caddy/Caddyfile')], {
    SITE_ADDRESS: `https://localhost:${proxyPort}`,
    NODES: ports.map((port) => `127.0.0.1:${port}`).join(' '),
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  })
  await until(async () => (await call('GET', '/health/ready')).status === 200)
  await checkHeaders()
  await checkBodies()
  await checkAddresses()
  await checkRestarts(nodes)
} finally {
  agent.destroy()
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = isFailed ? 1 : 0

async function checkHeaders() {
  const { headers } = await call('GET', '/health/live')
  report('HTTPS answers tell browsers to stay with HTTPS', headers['strict-transport-security'] === 'max-age=31536000')
  report('/metrics is 404 for the public', (await call('GET', '/metrics')).status === 404)
}

async function checkBodies() {
  const csv = (megabytes) => `Name,Email\n${'Ann,ann@shop.example\n'.repeat((megabytes * 1e6) / 21)}`
  const sent = async (megabytes) =>
    await call('POST', '/v1/vouchers/import', {
      headers: { ...server, 'content-type': 'application/json' },
      body: JSON.stringify([{ code: 'LARGE', type: 'DISCOUNT_VOUCHER', metadata: { text: csv(megabytes) } }]),
    })
  const [fits, tooLarge, stopped] = [await sent(9), await sent(11), await sent(14)]
  report(`9 MB reach the service (${fits.status})`, fits.status !== 413 && fits.headers['x-request-id'] !== undefined)
  report(
    '11 MB are refused by the service, with its error',
    tooLarge.status === 413 && 'key' in JSON.parse(tooLarge.text),
  )
  report(`14 MB do not get past the proxy (${stopped.status})`, stopped.status >= 400 && stopped.status !== 429)
}

/** The rate limit of the client side counts by address: five calls in five seconds on each node. */
async function checkAddresses() {
  const from = async (localAddress, forwarded) => {
    const statuses = []
    for (let at = 0; at < 14; at += 1) {
      const headers = { ...page, ...(forwarded ? { 'x-forwarded-for': `203.0.113.${at}` } : {}) }
      statuses.push((await call('GET', '/client/v1/promotions/tiers', { headers, localAddress })).status)
    }
    return statuses.filter((status) => status === 429).length
  }
  const [first, second] = [await from('127.0.0.2', true), await from('127.0.0.3', false)]
  report(`made-up X-Forwarded-For headers do not escape the rate limit (429: ${first} of 14)`, first >= 4)
  const other = await call('GET', '/client/v1/promotions/tiers', { headers: page, localAddress: '127.0.0.4' })
  report(
    `each caller has a limit of its own (429: ${second} of 14; another caller: ${other.status})`,
    second >= 4 && other.status !== 429,
  )
}

async function checkRestarts(nodes) {
  const voucher = { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 100 } }
  const json = { headers: { ...server, 'content-type': 'application/json' } }
  await call('POST', '/v1/vouchers/ROLLING', { ...json, body: JSON.stringify(voucher) })
  const body = JSON.stringify({ redeemables: [{ object: 'voucher', id: 'ROLLING' }], order: { amount: 2_000 } })
  const answers = {}
  let isOver = false
  const workers = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const key = await call('POST', '/v1/redemptions', { ...json, body }).then(
        ({ status }) => status,
        (error) => error.code,
      )
      answers[key] = (answers[key] ?? 0) + 1
      await sleep(20)
    }
  })
  for (const [at, port] of ports.entries()) {
    const ended = new Promise((resolve) => nodes[at].once('exit', resolve))
    nodes[at].kill('SIGTERM')
    const code = await ended
    report(`the node on ${port} stops by itself (exit code ${code})`, code === 0)
    nodes[at] = await startNode(port)
    await sleep(5_000) // Caddy notices it with its next health check
  }
  isOver = true
  await Promise.all(workers)
  const stored = JSON.parse((await call('GET', '/v1/vouchers/ROLLING', { headers: server })).text)
  report(
    `no redemption fails while both nodes restart (${JSON.stringify(answers)})`,
    Object.keys(answers).join() === '200',
  )
  report('each counts once', stored.redemption.redeemed_quantity === answers[200])
}

async function startNode(port) {
  const child = start(node(), [...nodeFlags, join(root, 'packages/server/src/main.ts'), 'serve'], {
    PORT: String(port),
    BASE_URL: `https://localhost:${proxyPort}`,
    TRUST_PROXY_HOPS: '1',
    DRAIN_SECONDS: '6',
    AUTH_MODE: 'either',
    LOG_LEVEL: 'error',
    GUERDON_DATA_DIR: folder,
    BOOTSTRAP_APP_ID: secret('app'),
    BOOTSTRAP_APP_TOKEN: secret('app-token'),
    BOOTSTRAP_CLIENT_ID: secret('client'),
    BOOTSTRAP_CLIENT_TOKEN: secret('client-token'),
    BOOTSTRAP_MANAGEMENT_TOKEN: secret('management-token'),
  })
  await until(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok)
  return child
}

function start(command, args, env) {
  const child = spawn(command, args, { stdio: 'ignore', env: { ...process.env, ...env } })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** A request through the proxy, never repeated. */
function call(method, path, { headers = {}, body, localAddress } = {}) {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', servername: 'localhost', port: proxyPort, method, path, localAddress, agent }
    const sent = request({ ...options, headers: { host: `localhost:${proxyPort}`, ...headers } }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function until(isSo) {
  const endsAt = Date.now() + 120_000
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > endsAt) throw new Error('not ready within two minutes')
    await sleep(200)
  }
}

function report(what, isSo) {
  console.log(`${isSo ? 'ok    ' : 'FAILED'}  ${what}`)
  if (!isSo) isFailed = true
}
