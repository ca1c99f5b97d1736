import { startNode } from './service-node.ts'
import type { Shop } from './shop.ts'

/** Something that breaks in the middle of a load, and is mended. */
export interface Fault {
  name: string
  /** Is over when what it has hit is back. */
  strike(): Promise<void>
}

/** A fault that struck, and how many requests were not answered meanwhile. */
export interface Strike {
  name: string
  requests_hit: number
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
    // So long that who waits a second before it tries again tries in vain.
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    await database.start()
  },
})
