import type { Schemas } from '../api/client.ts'
import type { Format } from '../ui/format.tsx'

type Bucket = Pick<Schemas['PointsBucket'], 'bucket' | 'expires_at'>

/** So many days are said one by one; more are added up by month. */
const mostDays = 6

/** Which points expire when: day by day, or month by month where there are many days; those that stay come last. */
export function expiriesOf(
  buckets: readonly Bucket[],
  { date }: Pick<Format, 'date'>,
): { when: string; points: number }[] {
  const left = buckets.filter(({ bucket }) => bucket.total_points > 0)
  const isByMonth = left.length > mostDays
  const sums = new Map<string, number>()
  for (const { bucket, expires_at } of left) {
    const when = expires_at === undefined ? 'Never' : isByMonth ? monthOf(expires_at) : date(`${expires_at}T12:00:00Z`)
    sums.set(when, (sums.get(when) ?? 0) + bucket.total_points)
  }
  return [...sums].map(([when, points]) => ({ when, points }))
}

const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

const monthOf = (day: string) => `In ${month.format(new Date(`${day}T12:00:00Z`))}`
