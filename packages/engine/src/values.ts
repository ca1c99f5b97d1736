import { type Clock, type Day, localDay, type Ms, msPerDay, readInstant } from './time/index.ts'

// Conversions of JSON values, shared by filters, rules and formulas. Input is untrusted: a key may hold another type from
// one object to the next, or be named `constructor`.

export type Scalar = string | number | boolean

/** Undefined, null or the empty string. */
export const isMissing = (value: unknown): boolean => value === undefined || value === null || value === ''

export const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The own property of a map: inherited names such as `constructor` and `__proto__` are ordinary keys. */
export const ownEntry = <T>(map: Readonly<Record<string, T>> | null | undefined, key: string): T | undefined =>
  map != null && Object.hasOwn(map, key) ? map[key] : undefined

const numeric = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/** A number, or a string that spells one. */
export function toNumber(value: unknown): number | null {
  const number = typeof value === 'string' && numeric.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** `true`, `false`, or a string that spells one of them. */
export function toBoolean(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string' || value.length > 5) return null
  const text = value.toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : null
}

/** Parses an instant; a date without a time is midnight UTC. */
export const toInstant = (value: unknown): Ms | null => (typeof value === 'string' ? readInstant(value) : null)

/** The calendar day: a plain date is that day in every zone, an instant is the day it falls on in the project's time zone. */
export function toDay(value: unknown, clock: Clock): Day | null {
  const at = toInstant(value)
  if (at === null) return null
  return (value as string).length === dateLength ? at / msPerDay : localDay(at, clock.zone)
}

const dateLength = '2025-02-26'.length

/** Tests on the number of days since a date, by operator; a future date does not satisfy "less than 5 days ago". */
export const daysAgo = {
  $is_days_ago: (days, a) => days === a,
  $more_than_ago: (days, a) => days > a,
  $less_than_ago: (days, a) => days >= 0 && days < a,
  $is_days_in_future: (days, a) => -days === a,
  $more_than_future: (days, a) => -days > a,
  $less_than_future: (days, a) => days <= 0 && -days < a,
} satisfies Record<string, (days: number, a: number) => boolean>

export type Comparison = (left: number, right: number) => boolean

const more: Comparison = (left, right) => left > right
const less: Comparison = (left, right) => left < right
const atLeast: Comparison = (left, right) => left >= right
const atMost: Comparison = (left, right) => left <= right

/** The contract has two spellings of "or equal". */
export const comparisons = {
  $more_than: more,
  $less_than: less,
  $more_than_equal: atLeast,
  $less_than_equal: atMost,
  $more_than_or_equal: atLeast,
  $less_than_or_equal: atMost,
} as const
