import type { Day } from './calendar.ts'
import { dayOf } from './calendar.ts'
import { type Ms, msPerDay, msPerMinute } from './instant.ts'

/** A time zone: how far its wall clocks are ahead of UTC at a moment. */
export interface Zone {
  offsetAt(at: Ms): Ms
}

/** What the clock on the wall shows: a day, and the milliseconds since its midnight. */
export interface WallTime {
  day: Day
  time: Ms
}

/** The zone of a name: an IANA name, or `GMT±h[:mm]` as a fixed offset. A name that nobody knows is UTC. */
export function zoneOf(name: string): Zone {
  let zone = zones.get(name)
  if (zone === undefined) {
    zone = makeZone(name)
    if (zones.size < zonesMax) zones.set(name, zone)
  }
  return zone
}

/** Making a zone costs a thousand times what using one does. There are about 600 names; offsets make it a few more. */
const zones = new Map<string, Zone>()
const zonesMax = 2_000

function makeZone(name: string): Zone {
  const [, sign, hours, minutes = '0'] = /^(?:GMT|UTC)([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(name) ?? []
  if (hours !== undefined) return fixed((sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * msPerMinute)
  if (/^(?:GMT|UTC|Etc\/UTC|Etc\/GMT)$/i.test(name)) return fixed(0)
  try {
    return named(
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
    return fixed(0)
  }
}

const fixed = (offset: Ms): Zone => ({ offsetAt: () => offset })

/**
 * Asking `Intl` costs thousands of times more than a look into a map, so each stretch of three days is asked about once.
 * Changes of one zone have never been closer to each other than almost four days (Freetown, 1939), so a stretch has one at
 * most, and one whose ends agree has none.
 */
function named(format: Intl.DateTimeFormat): Zone {
  const stretches = new Map<number, Stretch>()
  let lastNumber = Number.NaN
  let last: Stretch = { before: 0, after: 0, change: 0 }
  return {
    offsetAt(at) {
      const number = Math.floor(at / stretch)
      if (number !== lastNumber) {
        let found = stretches.get(number)
        if (found === undefined) {
          if (stretches.size >= stretchesMax) stretches.clear()
          found = stretchAt(format, number * stretch)
          stretches.set(number, found)
        }
        lastNumber = number
        last = found
      }
      return at < last.change ? last.before : last.after
    },
  }
}

interface Stretch {
  before: Ms
  after: Ms
  /** The first moment of `after`. */
  change: Ms
}

const stretch = 3 * msPerDay
/** Some years of every day; a project looks at a few days at a time. */
const stretchesMax = 1_000

function stretchAt(format: Intl.DateTimeFormat, start: Ms): Stretch {
  const before = measured(format, start)
  const after = measured(format, start + stretch)
  if (before === after) return { before, after, change: start }
  let [earlier, later] = [start, start + stretch]
  while (later - earlier > 1_000) {
    const middle = Math.floor((earlier + later) / 2_000) * 1_000
    if (measured(format, middle) === before) earlier = middle
    else later = middle
  }
  return { before, after, change: later }
}

/** Whole seconds only: that is what `Intl` shows, and changes happen at none other. */
function measured(format: Intl.DateTimeFormat, at: Ms): Ms {
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
 * The moment at which the clock on the wall shows a time. One that a clock change skips moves forward by the gap; one that
 * it repeats means the first of the two.
 */
export function momentOf({ day, time }: WallTime, zone: Zone): Ms {
  const local = day * msPerDay + time
  // The offset in force is one of those around the moment: a day before, a day after.
  const before = zone.offsetAt(local - msPerDay)
  const after = zone.offsetAt(local + msPerDay)
  const first = Math.min(local - before, local - after)
  const second = Math.max(local - before, local - after)
  if (first + zone.offsetAt(first) === local) return first
  if (second + zone.offsetAt(second) === local) return second
  return local - before // in the gap: the clock before the change, read on
}

/** The first moment of a day. */
export const startOfDay = (day: Day, zone: Zone): Ms => momentOf({ day, time: 0 }, zone)
