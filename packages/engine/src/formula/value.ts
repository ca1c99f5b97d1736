import { type Clock, type Day, localDay, type Ms, readDay, readInstant, startOfDay } from '../time/index.ts'
import { compare, type Exact, ofNumber } from './exact.ts'
import { isFault, type Trouble } from './fault.ts'

/** What the parts of a formula give: numbers, texts, truth, dates, and lists that metadata may hold. */
export type Value = Exact | string | boolean | Moment | readonly unknown[]

/** A calendar day, wherever it is, or a point in time. */
export type Moment = { readonly day: Day } | { readonly at: Ms }

export const isNumber = (value: Value): value is Exact => typeof value === 'object' && 'n' in value

const isList = (value: Value): value is readonly unknown[] => Array.isArray(value)

/** The kind of a value, as it stands in a fault. */
export function kindOf(value: Value): string {
  if (typeof value === 'string') return 'a text'
  if (typeof value === 'boolean') return 'true or false'
  return isList(value) ? 'a list' : isNumber(value) ? 'a number' : 'a date'
}

/**
 * Metadata as a value; null is missing. A number counts as it is written. A text stays a text even if it spells a number:
 * the shop that stores "12" may mean a shoe size as well as a count, and guessing would change what a customer pays. Texts
 * are read as dates where a date is needed, because JSON has no other form for them.
 */
export function readValue(raw: unknown): Value | Trouble | null {
  if (raw === null || raw === undefined) return null
  if (typeof raw === 'string' || typeof raw === 'boolean' || Array.isArray(raw)) return raw
  return typeof raw === 'number' && Number.isFinite(raw) ? ofNumber(raw) : { fault: 'an object is no value' }
}

/**
 * Whether two values are the same, or null when they cannot be compared. The language has no word for true and false, so
 * texts stand for them: `CUSTOMER_METADATA("vip") is "true"`.
 */
export function isSame(a: Value, b: Value): boolean | null {
  if (typeof a === 'boolean' && typeof b === 'string') return String(a) === b
  if (typeof a === 'string' && typeof b === 'boolean') return a === String(b)
  if (typeof a !== 'object' && typeof a === typeof b) return a === b
  return isNumber(a) && isNumber(b) ? compare(a, b) === 0 : null
}

/** Membership in a list of metadata; members of another kind are not it. */
export const isIn = (list: readonly unknown[], value: Value): boolean =>
  list.some((member) => {
    const found = readValue(member)
    return found !== null && !isFault(found) && isSame(found, value) === true
  })

/** A date, or a text that spells one; null for anything else. A date without a time is a day, in whatever zone. */
export function momentOf(value: Value): Moment | null {
  if (typeof value === 'string') {
    const day = readDay(value)
    return day === null ? pointOf(value) : { day }
  }
  return typeof value === 'boolean' || isList(value) || isNumber(value) ? null : value
}

/** A point in time as the contract writes it; no zone means UTC. */
export function pointOf(text: string | null | undefined): Moment | null {
  const at = readInstant(text ?? '')
  return at === null ? null : { at }
}

/** The day on the shop's calendar. */
export const dayOn = (moment: Moment, { zone }: Clock): Day =>
  'day' in moment ? moment.day : localDay(moment.at, zone)

/** The point in time; a day is where it begins in the shop. */
export const instantOf = (moment: Moment, { zone }: Clock): Ms =>
  'at' in moment ? moment.at : startOfDay(moment.day, zone)
