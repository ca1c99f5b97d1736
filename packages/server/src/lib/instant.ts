/** A moment as the whole service writes it: ISO 8601, UTC, milliseconds. String order is time order. */
export type Instant = string

export const toInstant = (at: number | Date): Instant => new Date(at).toISOString()

const input = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2})(?::(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(Z|[+-]\d{2}:?\d{2})?)?$/

/**
 * Reads every date form the contract accepts, or answers null. No zone means UTC.
 *
 * `2026-01-01` → `2026-01-01T00:00:00.000Z`; `2026-01-01T10:30+02:00` → `2026-01-01T08:30:00.000Z`.
 */
export function parseInstant(text: string): Instant | null {
  const found = input.exec(text)
  if (found === null) return null
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = found
  const offset = zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`
  const date = new Date(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`,
  )
  if (Number.isNaN(date.getTime())) return null
  // Date accepts 31 February and moves it to March; the contract does not.
  const last_day = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  if (Number(day) > last_day) return null
  const instant = date.toISOString()
  // An offset can lead out of the years 1 to 9999, whose texts sort by time and which the database knows.
  return /^(?!0000)\d{4}-/.test(instant) ? instant : null
}
