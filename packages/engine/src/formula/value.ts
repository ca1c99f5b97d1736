import { type Clock, type Day, localDay, type Ms, readDay, readInstant, startOfDay } from '../time/index.ts'
import { compare, type Exact, ofNumber } from './exact.ts'
import { isFault, type UnlocatedFault } from './fault.ts'

/** A value in a formula: number, string, boolean, date, or a list from metadata. */
export type Value = Exact | string | boolean | Moment | readonly unknown[]

/** A calendar day without a time zone, or an instant. */
export type Moment = { readonly day: Day } | { readonly at: Ms }

export const isNumber = (value: Value): value is Exact => typeof value === 'object' && 'n' in value

const isList = (value: Value): value is readonly unknown[] => Array.isArray(value)

/** The type of a value, as named in faults. */
export function kindOf(value: Value): string {
  if (typeof value === 'string') return 'a text'
  if (typeof value === 'boolean') return 'true or false'
  return isList(value) ? 'a list' : isNumber(value) ? 'a number' : 'a date'
}

/**
 * Converts metadata to a value; null is missing. A number counts by its decimal notation. A string stays a string even if
 * it spells a number: "12" may be a shoe size as well as a count, and guessing would change what a customer pays. Strings
 * are parsed as dates where a date is needed, because JSON has no date type.
 */
export function readValue(raw: unknown): Value | UnlocatedFault | null {
  if (raw === null || raw === undefined) return null
  if (typeof raw === 'string' || typeof raw === 'boolean' || Array.isArray(raw)) return raw
  return typeof raw === 'number' && Number.isFinite(raw) ? ofNumber(raw) : { fault: 'an object is no value' }
}

/**
 * Whether two values are equal, or null when they cannot be compared. The language has no boolean literals, so strings
 * stand for them: `CUSTOMER_METADATA("vip") is "true"`.
 */
export function isSame(a: Value, b: Value): boolean | null {
  if (typeof a === 'boolean' && typeof b === 'string') return String(a) === b
  if (typeof a === 'string' && typeof b === 'boolean') return a === String(b)
  if (typeof a !== 'object' && typeof a === typeof b) return a === b
  return isNumber(a) && isNumber(b) ? compare(a, b) === 0 : null
}

/** Whether a metadata list contains a value; members of another type do not match. */
export const isIn = (list: readonly unknown[], value: Value): boolean =>
  list.some((member) => {
    const memberValue = readValue(member)
    return memberValue !== null && !isFault(memberValue) && isSame(memberValue, value) === true
  })

/** A date, or a string that spells one; null for anything else. A date without a time is a day, independent of the zone. */
export function momentValueOf(value: Value): Moment | null {
  if (typeof value === 'string') {
    const day = readDay(value)
    return day === null ? pointOf(value) : { day }
  }
  return typeof value === 'boolean' || isList(value) || isNumber(value) ? null : value
}

/** Parses an instant as the contract writes it; no zone means UTC. */
export function pointOf(text: string | null | undefined): Moment | null {
  const at = readInstant(text ?? '')
  return at === null ? null : { at }
}

/** The day in the project's time zone. */
export const dayOn = (moment: Moment, { zone }: Clock): Day =>
  'day' in moment ? moment.day : localDay(moment.at, zone)

/** The instant; for a day, its start in the project's time zone. */
export const instantOf = (moment: Moment, { zone }: Clock): Ms =>
  'at' in moment ? moment.at : startOfDay(moment.day, zone)
