import { dayOf, daysInMonth } from './calendar.ts'

/** Milliseconds since 1970, UTC. */
export type Ms = number

export const msPerMinute = 60_000
export const msPerDay = 86_400_000

/** Formats an instant as the whole service does. */
export const instantText = (at: Ms): string => new Date(at).toISOString()

const form = /^\d{4}-\d\d-\d\d(?:T\d\d(?::\d\d(?::\d\d(?:\.\d{1,9})?)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/

/**
 * Parses every date form that the contract accepts, or returns null. No zone means UTC, no time means midnight. Digits
 * beyond milliseconds are truncated.
 *
 * `2026-01-01T10:30+02:00` → 08:30 UTC; `2026-02-30` → null.
 * /
 */
export function readInstant(text: string): Ms | null {
  if (!form.test(text)) return null
  // Parsed by position: every redeemable of a request has dates, and capture groups cost seven times as much.
  const year = pair(text, 0) * 100 + pair(text, 2)
  const month = pair(text, 5)
  const day = pair(text, 8)
  const hour = text.length > 10 ? pair(text, 11) : 0
  const hasMinute = text[13] === ':'
  const minute = hasMinute ? pair(text, 14) : 0
  const hasSecond = hasMinute && text[16] === ':'
  const second = hasSecond ? pair(text, 17) : 0
  if (month < 1 || month > 12 || day < 1 || hour > 24 || minute > 59 || second > 59) return null
  if (day > 28 && day > daysInMonth(year, month)) return null
  const offset = offsetOf(text)
  if (offset === null) return null
  const ms = hasSecond && text[19] === '.' ? thousandths(text, 20) : 0
  const time = ((hour * 60 + minute) * 60 + second) * 1_000 + ms
  if (time > msPerDay) return null // 24:00 is the end of a day, later times are invalid
  const at = dayOf(year, month, day) * msPerDay + time - offset
  return at < earliest || at > latest ? null : at
}

/** Parses two digits; 528 is the sum of the character codes of two zeros, weighted. */
const pair = (text: string, at: number): number => text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 528

function thousandths(text: string, from: number): Ms {
  let ms = 0
  let worth = 100
  for (let at = from; worth >= 1; at += 1, worth /= 10) {
    const digit = text.charCodeAt(at) - 48
    if (!(digit >= 0 && digit <= 9)) break
    ms += digit * worth
  }
  return ms
}

/** The years 1 to 9999: outside of them, strings no longer sort by time. */
const earliest = dayOf(1, 1, 1) * msPerDay
const latest = dayOf(10_000, 1, 1) * msPerDay - 1

/** The UTC offset in the string. */
function offsetOf(text: string): Ms | null {
  if (text.length <= 13 || text.endsWith('Z')) return 0
  const sign = Math.max(text.indexOf('+', 13), text.indexOf('-', 13))
  if (sign < 0) return 0
  const hours = pair(text, sign + 1)
  const minutes = pair(text, text.length - 2)
  if (hours > 23 || minutes > 59) return null
  return (text[sign] === '-' ? -1 : 1) * (hours * 60 + minutes) * msPerMinute
}
