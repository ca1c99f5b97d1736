import type { House } from '../context.ts'
import { foldUsage } from '../db/usage.ts'

/** A run takes a few milliseconds; in between, a busy checkout adds some hundred rows. */
const pause_ms = 100
const rows_at_once = 500

/** Adds up what checkouts have used soon after them, so that nobody who needs a sum has many rows to read. */
export function watchUsage({ jobs, database }: House): void {
  let folded_at = -Infinity
  jobs.watch('usage', async () => {
    if (performance.now() - folded_at < pause_ms) return false
    folded_at = performance.now()
    return (await foldUsage(database.db, rows_at_once)) === rows_at_once
  })
}
