import type { Day } from './calendar.ts'
import { dayOf } from './calendar.ts'
import { type Ms, msPerDay, msPerMinute } from './instant.ts'

/** A time zone: its UTC offset at an instant. */
export interface Zone {
  offsetAt(at: Ms): Ms
}

/** Local time: a day, and the milliseconds since its midnight. */
export interface WallTime {
  day: Day
  time: Ms
}

/** The zone of an IANA name, or of `GMT±h[:mm]` as a fixed offset. Unknown names are UTC. */
export function zoneOf(name: string): Zone {
  let zone = zones.get(name)
  if (zone === undefined) {
    zone = makeZone(name)
    if (zones.size < zonesMax) zones.set(name, zone)
  }
  return zone
}

/** Creating a zone costs a thousand times as much as using it. There are about 600 names, plus fixed offsets. */
const zones = new Map<string, Zone>()
const zonesMax = 2_000

function makeZone(name: string): Zone {
  const [, sign, hours, minutes = '0'] = /^(?:GMT|UTC)([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(name) ?? []
  if (hours !== undefined)
    return fixedZone((sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * msPerMinute)
  if (/^(?:GMT|UTC|Etc\/UTC|Etc\/GMT)$/i.test(name)) return fixedZone(0)
  try {
    return ianaZone(
      new Intl.DateTimeFormat('en-u-hc-h23', {
        timeZone: name,
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
        era: 'short',
      }),
    )
  } catch {
    return fixedZone(0)
  }
}

const fixedZone = (offset: Ms): Zone => ({ offsetAt: () => offset })

/**
 * Calling `Intl` costs thousands of times more than a map lookup, so offsets are cached per window of three days. No zone
 * has ever changed its offset twice within almost four days (Freetown, 1939), so a window contains at most one change, and
 * none if the offsets at its ends are equal.
 */
function ianaZone(format: Intl.DateTimeFormat): Zone {
  const windows = new Map<number, OffsetWindow>()
  let lastNumber = Number.NaN
  let last: OffsetWindow = { before: 0, after: 0, change: 0 }
  return {
    offsetAt(at) {
      const number = Math.floor(at / windowLength)
      if (number !== lastNumber) {
        let found = windows.get(number)
        if (found === undefined) {
          if (windows.size >= windowsMax) windows.clear()
          found = windowAt(format, number * windowLength)
          windows.set(number, found)
        }
        lastNumber = number
        last = found
      }
      return at < last.change ? last.before : last.after
    },
  }
}

interface OffsetWindow {
  before: Ms
  after: Ms
  /** First instant with the offset `after`. */
  change: Ms
}

const windowLength = 3 * msPerDay
/** Several years; a project uses a few days at a time. */
const windowsMax = 1_000

function windowAt(format: Intl.DateTimeFormat, start: Ms): OffsetWindow {
  const before = offsetFromIntl(format, start)
  const after = offsetFromIntl(format, start + windowLength)
  if (before === after) return { before, after, change: start }
  let [earlier, later] = [start, start + windowLength]
  while (later - earlier > 1_000) {
    const middle = Math.floor((earlier + later) / 2_000) * 1_000
    if (offsetFromIntl(format, middle) === before) earlier = middle
    else later = middle
  }
  return { before, after, change: later }
}

/** Whole seconds only: `Intl` shows no finer unit, and offsets change on whole seconds. */
function offsetFromIntl(format: Intl.DateTimeFormat, at: Ms): Ms {
  const parts: Record<string, string> = {}
  for (const { type, value } of format.formatToParts(at)) parts[type] = value
  const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year)
  const day = dayOf(year, Number(parts.month), Number(parts.day))
  const time = (Number(parts.hour) * 60 + Number(parts.minute)) * 60 + Number(parts.second)
  return day * msPerDay + time * 1_000 - at
}

export function wallTime(at: Ms, zone: Zone): WallTime {
  const local = at + zone.offsetAt(at)
  const day = Math.floor(local / msPerDay)
  return { day, time: local - day * msPerDay }
}

export const localDay = (at: Ms, zone: Zone): Day => Math.floor((at + zone.offsetAt(at)) / msPerDay)

/**
 * The instant of a local time. A local time skipped by a clock change moves forward by the gap; for a repeated one, the
 * first instant is used.
 */
export function momentOf({ day, time }: WallTime, zone: Zone): Ms {
  const local = day * msPerDay + time
  // The offset is one of those a day before and a day after.
  const before = zone.offsetAt(local - msPerDay)
  const after = zone.offsetAt(local + msPerDay)
  const first = Math.min(local - before, local - after)
  const second = Math.max(local - before, local - after)
  if (first + zone.offsetAt(first) === local) return first
  if (second + zone.offsetAt(second) === local) return second
  return local - before // in the gap: uses the offset before the change
}

/** The first instant of a day. */
export const startOfDay = (day: Day, zone: Zone): Ms => momentOf({ day, time: 0 }, zone)
