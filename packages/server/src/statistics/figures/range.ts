import { localDay, type Ms, readDay, readInstant, startOfDay, zoneOf } from '@guerdon/engine'
import type { Ctx } from '../../core/context.ts'
import { invalidQuery } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { type Interval, pointsOf, type Range, wholeQuarters } from '../sums/ranges.ts'
import type { StatisticsQuery } from './schema.ts'

export interface AskedRange {
  range: Range
  interval: Interval
  points: Range[]
  /** As long as the range, just before it. */
  previous: Range
}

/** Reads the range of a query; a date stands for the whole day of the project. */
export function askedRange({ now, project: { timezone } }: Ctx, query: StatisticsQuery): AskedRange {
  const { from, to, interval = 'day' } = query
  const zone = zoneOf(timezone)
  const read = (name: 'from' | 'to', text: string): Ms => {
    const day = readDay(text)
    const at = day === null ? readInstant(text) : startOfDay(name === 'to' ? day + 1 : day, zone)
    if (at === null) throw invalidQuery(`Property .${name} cannot be recognized as a ISO-8601 compliant date`)
    if (at < firstMoment || at > lastMoment) throw invalidQuery(`Property .${name} must be between 1970 and 9998`)
    return at
  }
  const end = to === undefined ? Date.parse(now) : read('to', to)
  const daysBefore = limits.statistics_days_default - 1
  const start = from === undefined ? startOfDay(localDay(end - 1, zone) - daysBefore, zone) : read('from', from)
  const range = wholeQuarters({ from: start, to: end })
  if (range.from >= range.to) throw invalidQuery('Property .to must be later than .from')
  const points = pointsOf(range, interval, zone, limits.statistics_points_max)
  if (points === null)
    throw invalidQuery(
      `Property .interval must NOT divide the range into more than ${limits.statistics_points_max} parts`,
    )
  return { range, interval, points, previous: { from: range.from - (range.to - range.from), to: range.from } }
}

const firstMoment = 0
const lastMoment = Date.parse('9999-01-01T00:00:00.000Z')
