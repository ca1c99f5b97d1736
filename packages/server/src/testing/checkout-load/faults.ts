import { startNode } from './service-node.ts'
import type { Shop } from './shop.ts'

/** A fault that is injected during a load. */
export interface Fault {
  name: string
  /** Resolves when the killed process has been restarted. */
  strike(): Promise<void>
}

/** An injected fault, and the number of requests that were not answered because of it. */
export interface Strike {
  name: string
  requests_hit: number
  /** The longest time without an acknowledged write since the last one before the fault. */
  outage_ms: number
}

export const serverKill = (shop: Shop, victim: number): Fault => ({
  name: 'kill -9 of a server',
  async strike() {
    await shop.nodes[victim]?.kill()
    shop.nodes[victim] = await startNode(shop.database_url)
  },
})

export const databaseKill = (database: { kill(): Promise<void>; start(): Promise<void> }): Fault => ({
  name: 'kill -9 of PostgreSQL',
  async strike() {
    await database.kill()
    // Longer than a retry delay of one second, so that the first retry fails too.
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    await database.start()
  },
})

/** The primary is lost, and its standby takes its place. */
export const takeover = (name: string, lose: () => Promise<void>, promote: () => Promise<void>): Fault => ({
  name,
  async strike() {
    await lose()
    await promote()
  },
})
