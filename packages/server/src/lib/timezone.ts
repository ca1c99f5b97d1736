import { clockAt } from '@guerdon/engine'
import type { Instant } from './instant.ts'

/** Whether a text names a time zone: an IANA name, `GMT`, `GMT±H` or `GMT±HH:MM`. */
export function isTimezone(text: string): boolean {
  const offset = /^GMT(?:[+-](\d{1,2})(?::(\d{2}))?)?$/.exec(text)
  if (offset !== null) return Number(offset[1] ?? 0) <= 14 && Number(offset[2] ?? 0) <= 59
  if (!/^[A-Za-z]/.test(text)) return false // Intl also takes bare offsets, which the contract does not
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}

/** The calendar day somewhere at a moment: `2026-01-31`. */
export function todayIn({ now, timezone }: { now: Instant; timezone: string }): string {
  return new Date(clockAt(now, timezone).wall().day * 86_400_000).toISOString().slice(0, 10)
}
