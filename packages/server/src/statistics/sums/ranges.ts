import {
  localDay,
  type Ms,
  msPerDay,
  msPerMinute,
  startOfDay,
  startOfPeriod,
  startOfWeek,
  type Zone,
} from '@guerdon/engine'
import { grains } from './figures.ts'

/** A stretch of time: `to` is not in it. */
export interface Range {
  from: Ms
  to: Ms
}

export const intervals = ['hour', 'day', 'week', 'month'] as const
export type Interval = (typeof intervals)[number]

const quarter = grains.quarter * msPerMinute
const hour = grains.hour * msPerMinute

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

/** Divides a range into as few rows as possible: whole days in the middle, hours and quarters at the ends. */
export function stretchesOf({ from, to }: Range): Stretch[] {
  const stretches: Stretch[] = []
  let at = from
  const until = (end: Ms, grain: number) => {
    const stop = Math.min(end, to)
    if (stop <= at) return
    const last = stretches.at(-1)
    if (last?.grain === grain) last.to = stop
    else stretches.push({ grain, from: at, to: stop })
    at = stop
  }
  until(Math.min(Math.ceil(at / hour) * hour, to), grains.quarter)
  until(Math.min(Math.ceil(at / msPerDay) * msPerDay, Math.floor(to / hour) * hour), grains.hour)
  until(Math.floor(to / msPerDay) * msPerDay, grains.day)
  until(Math.floor(to / hour) * hour, grains.hour)
  until(to, grains.quarter)
  return stretches
}
