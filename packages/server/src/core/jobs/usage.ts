import type { Runtime } from '../context.ts'
import { foldUsage } from '../db/usage.ts'

const batchRows = 1_000

/**
 * Merges the usage rows of checkouts at every tick instead of waking after every checkout: the statement costs as much as a few
 * redemptions, and a query that needs a sum can read the unmerged rows of one second as well.
 */
export function watchUsage({ jobs, database }: Runtime): void {
  jobs.watch('usage', async () => (await foldUsage(database.db, batchRows)) === batchRows)
}
