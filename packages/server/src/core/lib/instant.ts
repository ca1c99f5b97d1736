import { readInstant } from '@guerdon/engine'

/** A moment as ISO 8601 in UTC with milliseconds, everywhere in the service. String order is time order. */
export type Instant = string

export const toInstant = (at: number | Date): Instant => new Date(at).toISOString()

/**
 * Parses every date format that the contract accepts; null if invalid. Without a zone the date is UTC.
 *
 * `2026-01-01` → `2026-01-01T00:00:00.000Z`; `2026-01-01T10:30+02:00` → `2026-01-01T08:30:00.000Z`.
 */
export function parseInstant(text: string): Instant | null {
  const at = readInstant(text)
  return at === null ? null : toInstant(at)
}
