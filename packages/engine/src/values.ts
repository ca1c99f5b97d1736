import { type Clock, type Day, localDay, type Ms, msPerDay, readInstant } from './time/index.ts'

// How values are read that came as JSON, by filters, rules and all others: nobody promises that a key always holds the same
// type, or is not called `constructor`.

export type Scalar = string | number | boolean

/** Absent, null or the empty text. */
export const isMissing = (value: unknown): boolean => value === undefined || value === null || value === ''

export const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An entry that is really there: `constructor` and `__proto__` are keys like any other. */
export const ownEntry = <T>(map: Readonly<Record<string, T>> | null | undefined, key: string): T | undefined =>
  map != null && Object.hasOwn(map, key) ? map[key] : undefined

const numeric = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** A number, or a text that spells one. */
export function toNumber(value: unknown): number | null {
  const number = typeof value === 'string' && numeric.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** `true`, `false`, or a text that says so. */
export function toBoolean(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string' || value.length > 5) return null
  const text = value.toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : null
}

/** A date without a time is its midnight, UTC. */
export const toInstant = (value: unknown): Ms | null => (typeof value === 'string' ? readInstant(value) : null)

/** The calendar day: a date is that day everywhere, a moment the day it falls on in the project's time zone. */
export function toDay(value: unknown, clock: Clock): Day | null {
  const at = toInstant(value)
  if (at === null) return null
  return (value as string).length === dateLength ? at / msPerDay : localDay(at, clock.zone)
}

const dateLength = '2025-02-26'.length

/** How many days ago, by operator; what is still to come is not "less than 5 days ago". */
export const daysAgo: Readonly<Record<string, (days: number, a: number) => boolean>> = {
  $is_days_ago: (days, a) => days === a,
  $more_than_ago: (days, a) => days > a,
  $less_than_ago: (days, a) => days >= 0 && days < a,
  $is_days_in_future: (days, a) => -days === a,
  $more_than_future: (days, a) => -days > a,
  $less_than_future: (days, a) => days <= 0 && -days < a,
}

export type Comparison = (left: number, right: number) => boolean

const more: Comparison = (left, right) => left > right
const less: Comparison = (left, right) => left < right
const atLeast: Comparison = (left, right) => left >= right
const atMost: Comparison = (left, right) => left <= right

/** Two spellings of "or equal" are in use. */
export const comparisons = {
  $more_than: more,
  $less_than: less,
  $more_than_equal: atLeast,
  $less_than_equal: atMost,
  $more_than_or_equal: atLeast,
  $less_than_or_equal: atMost,
} as const
