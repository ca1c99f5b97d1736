import { createDatabase, freePort, startPostgres } from '../packages/server/src/testing/postgres.ts'
import { median, requestsPerSecond } from './load.ts'
import { startServer } from './processes.ts'

const rounds = 5
const seconds = 3

/**
 * What our path (request id, credentials, scope, validation, context, serialisation, metrics) costs on top of a bare
 * Fastify route with the same single SELECT: `GET /v1/categories/{id}`, interleaved, in one run.
 */
export async function operationCost(): Promise<void> {
  const postgres = await startPostgres()
  const { url: DATABASE_URL, drop } = await createDatabase(postgres.url)
  const [ours_port, bare_port] = [await freePort(), await freePort()]
  const keys = { BOOTSTRAP_APP_ID: 'bench-app', BOOTSTRAP_APP_TOKEN: 'bench-token' }
  const ours = await startServer('../packages/server/src/main.ts', {
    DATABASE_URL,
    PORT: String(ours_port),
    LOG_LEVEL: 'warn',
    ...keys,
  })
  const bare = await startServer('./servers/bare.ts', { DATABASE_URL, PORT: String(bare_port) })
  try {
    const project = /proj_\w+/.exec(ours.output)?.[0]
    const { headers, id } = await prepare(`http://127.0.0.1:${ours_port}`, keys)
    const loads = {
      bare: { url: `http://127.0.0.1:${bare_port}/bare/${project}/categories/${id}` },
      ours: { url: `http://127.0.0.1:${ours_port}/v1/categories/${id}`, headers },
    }
    for (const connections of [1, 8, 32]) {
      const measured: Record<keyof typeof loads, number[]> = { bare: [], ours: [] }
      for (let round = 0; round <= rounds; round += 1) {
        for (const name of ['bare', 'ours'] as const) {
          const rate = await requestsPerSecond({ ...loads[name], connections, seconds: round === 0 ? 2 : seconds })
          if (round > 0) measured[name].push(rate) // the first round warms up
        }
      }
      const [limit, rate] = [median(measured.bare), median(measured.ours)]
      console.log(
        `${String(connections).padStart(3)} connections   bare ${limit.toFixed(0).padStart(6)}/s   ours ${rate.toFixed(0).padStart(6)}/s   cost ${(limit / rate).toFixed(2)} ×`,
      )
    }
  } finally {
    await ours.stop()
    await bare.stop()
    await drop()
    await postgres.stop()
  }
}

/** A category to read and the headers of a strict call. */
async function prepare(address: string, keys: { BOOTSTRAP_APP_ID: string; BOOTSTRAP_APP_TOKEN: string }) {
  const pair = { 'X-App-Id': keys.BOOTSTRAP_APP_ID, 'X-App-Token': keys.BOOTSTRAP_APP_TOKEN }
  const form = new URLSearchParams({ grant_type: 'client_credentials', scope: 'api' })
  const token = (await (
    await fetch(`${address}/v1/oauth/token`, { method: 'POST', headers: pair, body: form })
  ).json()) as { access_token: string }
  const headers = { ...pair, Authorization: `Bearer ${token.access_token}` }
  const body = JSON.stringify({ name: 'Bench', hierarchy: 1 })
  const created = await fetch(`${address}/v1/categories`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body,
  })
  return { headers, id: ((await created.json()) as { id: string }).id }
}
