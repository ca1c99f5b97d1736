import { limits } from '../../core/lib/limits.ts'

/** The results of `work` in the order of the items, a few at a time. After a failure no further one begins, and it rejects when none runs any longer. */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const lane = async () => {
    while (next < items.length) {
      const place = next++
      results[place] = await work(items[place] as Item).catch((error) => {
        next = items.length
        throw error
      })
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: limits.account_requests_at_once }, lane))
  for (const each of ended) if (each.status === 'rejected') throw each.reason
  return results
}
