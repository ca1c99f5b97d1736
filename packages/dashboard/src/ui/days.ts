/** Days are `YYYY-MM-DD` in a time zone, as the browser's own date field writes them. */
export type Day = string

/** The day of a moment. */
export function dayOf(instant: Date | string | number, timezone: string): Day {
  // Swedish writes dates as ISO 8601 does.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' }).format(new Date(instant))
}

/** The day and the time of a moment, as the browser's own field for both writes it: `2026-03-14T09:30`. */
export function clockOf(instant: Date | string | number, timezone: string): string {
  const time = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, timeStyle: 'short' }).format(new Date(instant))
  return `${dayOf(instant, timezone)}T${time}`
}

export function addDays(day: Day, count: number): Day {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + count)
  return date.toISOString().slice(0, 10)
}

/** How many days a range has, both ends included. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000) + 1
}

/** Whether the text of an address is a day that exists. */
export function isDay(text: string | undefined): text is Day {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** The first moment of a day in the zone. Where clocks are put forward at midnight, that is the first moment that exists. */
export function startOfDay(day: Day, timezone: string): Date {
  const utc = Date.parse(`${day}T00:00:00Z`)
  // An offset holds for the moment it was read at; read at the result, it holds for that too, except within an hour that is skipped.
  let moment = utc - offsetOf(utc, timezone)
  moment = utc - offsetOf(moment, timezone)
  return new Date(moment)
}

/** How far the zone's clocks are ahead of UTC at a moment, in milliseconds. */
function offsetOf(moment: number, timezone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(moment)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return local - Math.floor(moment / 1000) * 1000
}
