import { localDay, type Ms, msPerMinute, startOfDay, startOfPeriod, startOfWeek, type Zone } from '@guerdon/engine'
import { grains } from './figures.ts'

/** A stretch of time: `to` is not in it. */
export interface Range {
  from: Ms
  to: Ms
}

export const intervals = ['hour', 'day', 'week', 'month'] as const
export type Interval = (typeof intervals)[number]

const quarter = 15 * msPerMinute
const hour = 60 * msPerMinute

/** The range in whole quarters of an hour, the smallest stretch for which there are sums. */
export const wholeQuarters = ({ from, to }: Range): Range => ({
  from: Math.floor(from / quarter) * quarter,
  to: Math.ceil(to / quarter) * quarter,
})

/**
 * The hours, days, weeks or months of a zone that a range touches, cut at its ends; null if there are more than `pointsMax`. Weeks
 * begin on Monday.
 */
export function pointsOf({ from, to }: Range, interval: Interval, zone: Zone, pointsMax: number): Range[] | null {
  const points: Range[] = []
  for (let at = from; at < to; ) {
    if (points.length === pointsMax) return null
    const end = Math.min(to, nextStart(at, interval, zone))
    points.push({ from: at, to: end })
    at = end
  }
  return points
}

function nextStart(at: Ms, interval: Interval, zone: Zone): Ms {
  if (interval === 'hour') {
    const offset = zone.offsetAt(at)
    return Math.ceil((Math.floor((at + offset) / hour + 1) * hour - offset) / quarter) * quarter
  }
  const today = localDay(at, zone)
  const next = { day: today + 1, week: startOfWeek(today) + 7, month: startOfPeriod(today, 1, 1) }[interval]
  // A day that a zone has left out begins when the next one does, and some zones of the past had odd offsets.
  let start = at
  for (let day = next; start <= at; day += 1) start = Math.floor(startOfDay(day, zone) / quarter) * quarter
  return start
}

/** A stretch whose sum is that of the rows of one grain. */
export interface Stretch extends Range {
  grain: number
}

/** Divides a range of whole quarters into as few rows as possible: the longest stretches in the middle, shorter ones at the ends. */
export function stretchesOf({ from, to }: Range, place = 0): Stretch[] {
  const grain = grains[place] as number
  const longer = grains[place + 1]
  const [start, end] = longer === undefined ? [to, to] : wholeParts(from, to, longer * msPerMinute)
  if (start >= end) return from < to ? [{ grain, from, to }] : []
  return [
    ...(from < start ? [{ grain, from, to: start }] : []),
    ...stretchesOf({ from: start, to: end }, place + 1),
    ...(end < to ? [{ grain, from: end, to }] : []),
  ]
}

const wholeParts = (from: Ms, to: Ms, length: Ms): [start: Ms, end: Ms] => [
  Math.ceil(from / length) * length,
  Math.floor(to / length) * length,
]
