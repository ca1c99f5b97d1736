import { freePort } from '../packages/server/src/testing/postgres.ts'
import { median, requestsPerSecond } from './load.ts'
import { startServer } from './processes.ts'
import { type BenchShop, openShop } from './shop.ts'

const rounds = 5
const seconds = 3

/**
 * What our path (request id, credentials, scope, validation, context, serialisation, metrics) costs on top of a bare
 * Fastify route with the same single SELECT: `GET /v1/categories/{id}`, interleaved, in one run.
 */
export async function operationCost(): Promise<void> {
  const shop = await openShop()
  const bare_port = await freePort()
  const bare = await startServer('./servers/bare.ts', { DATABASE_URL: shop.database_url, PORT: String(bare_port) })
  try {
    const { address, headers, project_id } = shop
    const id = await createCategory(shop)
    const loads = {
      bare: { url: `http://127.0.0.1:${bare_port}/bare/${project_id}/categories/${id}` },
      ours: { url: `${address}/v1/categories/${id}`, headers },
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
    await bare.stop()
    await shop.stop()
  }
}

async function createCategory({ address, headers }: BenchShop): Promise<string> {
  const created = await fetch(`${address}/v1/categories`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Bench', hierarchy: 1 }),
  })
  return ((await created.json()) as { id: string }).id
}
