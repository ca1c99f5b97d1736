import { freePort } from '../packages/server/src/testing/postgres.ts'
import { requestBytes } from './client.ts'
import { type Load, median, stretch } from './measure.ts'
import { startServer } from './processes.ts'
import { call, openShop } from './shop.ts'

const rounds = 5
const seconds = 3

/**
 * The overhead of an operation (request id, credentials, scope, validation, context, serialisation, metrics) over a bare
 * Fastify route with the same single SELECT: `GET /v1/categories/{id}`, interleaved, in one run.
 */
export async function operationCost(): Promise<void> {
  const shop = await openShop()
  const barePort = await freePort()
  const bare = await startServer('./servers/bare.ts', { DATABASE_URL: shop.database_url, PORT: String(barePort) })
  try {
    const { port, headers, project_id } = shop
    const { id } = await call(shop, 'POST', '/v1/categories', { name: 'Bench', hierarchy: 1 })
    const same = (port: number, path: string, headers: Record<string, string> = {}): Load => {
      const bytes = requestBytes('GET', path, headers)
      return { port, asked: 0, request: () => bytes }
    }
    const loads = {
      bare: same(barePort, `/bare/${project_id}/categories/${id}`),
      ours: same(port, `/v1/categories/${id}`, headers),
    }
    for (const connections of [1, 8, 32]) {
      const measured: Record<keyof typeof loads, number[]> = { bare: [], ours: [] }
      for (let round = 0; round <= rounds; round += 1) {
        for (const name of ['bare', 'ours'] as const) {
          const { per_second } = await stretch(loads[name], connections, round === 0 ? 2 : seconds)
          if (round > 0) measured[name].push(per_second) // the first round warms up
        }
      }
      const [limit, rate] = [median(measured.bare), median(measured.ours)]
      console.log(
        `${String(connections).padStart(3)} connections   bare ${limit.toFixed(0).padStart(6)}/s   ours ${rate.toFixed(0).padStart(6)}/s   cost ${(limit / rate).toFixed(2)} ×`,
      )
    }
  } finally {
    await bare.stop()
    await shop.stop()
  }
}
