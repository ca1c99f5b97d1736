import type { Runtime } from '../context.ts'
import { foldUsage } from '../db/usage.ts'

const rowsAtOnce = 1_000

/**
 * Adds up what checkouts have used, at every tick and not at every checkout: the statement costs as much as a few redemptions,
 * and whoever needs a sum reads the rows of a second as well.
 */
export function watchUsage({ jobs, database }: Runtime): void {
  jobs.watch('usage', async () => (await foldUsage(database.db, rowsAtOnce)) === rowsAtOnce)
}
