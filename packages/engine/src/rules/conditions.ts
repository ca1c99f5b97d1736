import type { MetadataType } from '../schema/index.ts'
import {
  type Clock,
  isInTimeframe,
  type Ms,
  minutesOf,
  msPerMinute,
  readDuration,
  readInstant,
  type Timeframe,
  wallTime,
  weekdayOf,
} from '../time/index.ts'
import {
  comparisons,
  daysAgo,
  isMissing,
  isScalar,
  ownEntry,
  type Scalar,
  toBoolean,
  toDay,
  toInstant,
  toNumber,
} from '../values.ts'

/** Whether a value is as the conditions of a rule say. */
export type Condition = (value: unknown, type: MetadataType | undefined, clock: Clock) => boolean

interface Operator {
  /** A single argument may stand without its array. */
  readonly is_single?: true
  /** On a rule about a number, the arguments are numbers. */
  readonly is_typed?: true
  readonly may_be_empty?: true
  /** The arguments prepared, or what they must be. */
  prepare(given: readonly Scalar[]): Condition | string
}

export type ArgumentKind = 'number' | 'text' | 'boolean' | 'any'

export const argumentsMax = 1_000

/**
 * Prepares the conditions of a rule (docs/reference/rules.md#condition-operators): all of them must hold. A fault is told to
 * `refuse`, and makes the condition false.
 */
export function prepareConditions(
  conditions: Readonly<Record<string, unknown>>,
  kind: ArgumentKind,
  refuse: (fault: string) => void,
): Condition {
  const prepared: Condition[] = []
  for (const [name, given] of Object.entries(conditions)) {
    const condition = prepareCondition(name, given, kind)
    if (typeof condition === 'string') refuse(condition)
    prepared.push(typeof condition === 'string' ? never : condition)
  }
  if (prepared.length === 1) return prepared[0] as Condition
  return (value, type, clock) => {
    for (const condition of prepared) if (!condition(value, type, clock)) return false
    return true
  }
}

const never: Condition = () => false

function prepareCondition(name: string, given: unknown, kind: ArgumentKind): Condition | string {
  const operator = ownEntry(operators, name)
  if (operator === undefined) return `has an unknown operator '${name}'`
  const list = operator.is_single && isScalar(given) ? [given] : given
  if (!Array.isArray(list)) return `must have an array of arguments for '${name}'`
  if (list.length > argumentsMax) return `must not have more than ${argumentsMax} arguments for '${name}'`
  if (list.length === 0 && !operator.may_be_empty) return `must have an argument for '${name}'`
  const fault = operator.is_typed ? kindFaults[kind](list) : list.every(isScalar) ? null : 'plain values'
  const condition = fault ?? operator.prepare(list as Scalar[])
  return typeof condition === 'string' ? `must have ${condition} as arguments for '${name}'` : condition
}

const kindFaults: Readonly<Record<ArgumentKind, (list: readonly unknown[]) => string | null>> = {
  number: (list) => (list.every((a) => toNumber(a) !== null) ? null : 'numbers'),
  boolean: (list) => (list.every((a) => toBoolean(a) !== null) ? null : 'true or false'),
  text: (list) => (list.every((a) => typeof a === 'string') ? null : 'texts'),
  any: (list) => (list.every(isScalar) ? null : 'plain values'),
}

/**
 * What two values are equal by: numbers also when texts spell them, booleans likewise, everything else as it is written.
 * An object equals nothing.
 */
const keyOf = (value: unknown): Scalar | null => toNumber(value) ?? toBoolean(value) ?? (isScalar(value) ? value : null)

/** Dates that a schema promises are equal when they are the same moment, however they are written. */
const dateKeyOf = (value: unknown): Scalar | null => toInstant(value) ?? keyOf(value)

const isDate = (type: MetadataType | undefined): boolean => type === 'date' || type === 'datetime'

interface Keys {
  of(type: MetadataType | undefined): ReadonlySet<Scalar | null>
  key(value: unknown, type: MetadataType | undefined): Scalar | null
}

function keysOf(given: readonly Scalar[]): Keys {
  const keys = new Set(given.map(keyOf))
  const dateKeys = new Set(given.map(dateKeyOf))
  return {
    of: (type) => (isDate(type) ? dateKeys : keys),
    key: (value, type) => (isDate(type) ? dateKeyOf(value) : keyOf(value)),
  }
}

const not =
  (operator: Operator): Operator['prepare'] =>
  (given) => {
    const condition = operator.prepare(given)
    return typeof condition === 'string' ? condition : (value, type, clock) => !condition(value, type, clock)
  }

/** Equal to one of the arguments; an array: has one of them. */
const equal: Operator = {
  is_typed: true,
  prepare(given) {
    const keys = keysOf(given)
    return (value, type) => {
      if (isMissing(value)) return false
      const wanted = keys.of(type)
      if (!Array.isArray(value)) return wanted.has(keys.key(value, type))
      return value.some((element) => wanted.has(keys.key(element, type)))
    }
  },
}

/** A text contains one of the arguments; an array has all of them. */
const contain: Operator = {
  prepare(given) {
    const keys = keysOf(given)
    const texts = given.map(String)
    return (value, type) => {
      if (!Array.isArray(value)) return isText(value) && texts.some((text) => value.includes(text))
      const elements = new Set(value.map((element) => keys.key(element, type)))
      return isSubset(keys.of(type), elements)
    }
  },
}

function isSubset<T>(part: ReadonlySet<T>, whole: ReadonlySet<T>): boolean {
  for (const element of part) if (!whole.has(element)) return false
  return true
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** The same set of elements; none at all is the same as missing. */
const notDiffer: Operator = {
  may_be_empty: true,
  prepare(given) {
    const keys = keysOf(given)
    return (value, type) => {
      const elements = isMissing(value) ? [] : Array.isArray(value) ? value : [value]
      const found = new Set(elements.map((element) => keys.key(element, type)))
      return found.size === keys.of(type).size && isSubset(keys.of(type), found)
    }
  },
}

const texts = (test: (value: string, text: string) => boolean): Operator => ({
  prepare(given) {
    const wanted = given.map(String)
    return (value) => isText(value) && wanted.some((text) => test(value, text))
  },
})

const compare = (is: (left: number, right: number) => boolean): Operator => ({
  is_single: true,
  is_typed: true,
  prepare(given) {
    const numbers = given.map(toNumber).filter((number) => number !== null)
    const moments = given.map(toInstant).filter((at) => at !== null)
    if (numbers.length + moments.length < given.length) return 'numbers or dates'
    return (value) => {
      const number = toNumber(value)
      if (number !== null) return numbers.some((a) => is(number, a))
      const at = moments.length === 0 ? null : toInstant(value)
      return at !== null && moments.some((a) => is(at, a))
    }
  },
})

const compareMoments = (is: (left: number, right: number) => boolean): Operator => ({
  is_single: true,
  prepare(given) {
    const moments = given.map(toInstant)
    if (moments.includes(null)) return 'dates'
    return (value) => {
      const at = toInstant(value)
      return at !== null && moments.some((a) => is(at, a as Ms))
    }
  },
})

/** True for one of some whole numbers. */
const integers = (
  maximum: number,
  test: (value: unknown, a: number, clock: Clock) => boolean,
  isSingle = true,
): Operator => ({
  ...(isSingle ? { is_single: isSingle } : {}),
  prepare(given) {
    const numbers = given.map((a) => toNumber(a) ?? -1)
    if (!numbers.every((a) => Number.isSafeInteger(a) && a >= 0 && a <= maximum))
      return `whole numbers from 0${maximum === Number.MAX_SAFE_INTEGER ? '' : ` to ${maximum}`}`
    return (value, _, clock) => numbers.some((a) => test(value, a, clock))
  },
})

const counts = (is: (size: number, a: number) => boolean): Operator =>
  integers(Number.MAX_SAFE_INTEGER, (value, a) => is(sizeOf(value), a))

const sizeOf = (value: unknown): number => (Array.isArray(value) ? value.length : isMissing(value) ? 0 : Number.NaN)

/** True within one of some periods, each written as parts between semicolons. */
function periods<T>(
  form: string,
  read: (parts: string[]) => T | null,
  contains: (period: T, at: Ms, clock: Clock) => boolean,
): Operator {
  return {
    prepare(given) {
      const list = given.map((text) =>
        read(
          String(text)
            .split(';')
            .map((part) => part.trim()),
        ),
      )
      if (list.includes(null)) return `'${form}'`
      return (value, _, clock) => {
        const at = toInstant(value)
        return at !== null && list.some((period) => contains(period as T, at, clock))
      }
    },
  }
}

function readTimeframe(parts: string[]): Timeframe | null {
  const [from = '', every = '', length = ''] = parts
  const [start, interval, duration] = [readInstant(from), readDuration(every), readDuration(length)]
  if (parts.length !== 3 || start === null || interval === null || duration === null) return null
  return { start, interval, duration }
}

function readSpan(parts: string[]): { from: Ms; to: Ms } | null {
  const [from, to] = [readInstant(parts[0] ?? ''), readInstant(parts[1] ?? '')]
  return parts.length !== 2 || from === null || to === null ? null : { from, to }
}

interface DailyHours {
  start: number
  end: number
  days: ReadonlySet<number>
}

const hourForm = /^(?:[01]\d|2[0-3]):[0-5]\d$/

function readDailyHours(parts: string[]): DailyHours | null {
  const [start = '', end = '', days = ''] = parts
  if (parts.length !== 3 || !hourForm.test(start) || !hourForm.test(end) || !/^[0-6](?:\s*,\s*[0-6])*$/.test(days))
    return null
  return {
    start: minutesOf(start) * msPerMinute,
    end: minutesOf(end) * msPerMinute,
    days: new Set(days.split(',').map(Number)),
  }
}

/** Hours that end before they start run over midnight and belong to the day on which they start. */
function isInDailyHours({ start, end, days }: DailyHours, at: Ms, clock: Clock): boolean {
  const { day, time } = wallTime(at, clock.zone)
  if (start < end) return days.has(weekdayOf(day)) && start <= time && time < end
  return time >= start ? days.has(weekdayOf(day)) : time < end && days.has(weekdayOf(day - 1))
}

/** Every operator of a condition; `$from` belongs to the rules about items. */
export const operators: Readonly<Record<string, Operator>> = {
  $is: { ...equal, is_single: true },
  $is_not: { is_typed: true, prepare: not(equal) },
  $in: equal,
  $not_in: { is_typed: true, prepare: not(equal) },
  $not_intersect: { is_typed: true, prepare: not(equal) },
  $not_differ: notDiffer,
  $contains: contain,
  $not_contain: { prepare: not(contain) },
  $starts_with: texts((value, text) => value.startsWith(text)),
  $ends_with: texts((value, text) => value.endsWith(text)),
  ...Object.fromEntries(Object.entries(comparisons).map(([name, is]) => [name, compare(is)])),
  $greater_than: compare(comparisons.$more_than),
  $greater_than_or_equal: compare(comparisons.$more_than_equal),
  $after: compareMoments(comparisons.$more_than),
  $before: compareMoments(comparisons.$less_than),
  $count: counts((size, a) => size === a),
  $count_more: counts((size, a) => size > a),
  $count_less: counts((size, a) => size < a),
  ...Object.fromEntries(
    Object.entries(daysAgo).map(([name, test]) => [
      name,
      integers(Number.MAX_SAFE_INTEGER, (value, a, clock) => {
        const day = toDay(value, clock)
        return day !== null && test(clock.wall().day - day, a)
      }),
    ]),
  ),
  $dow: integers(
    6,
    (value, a, clock) => {
      const day = toDay(value, clock)
      return day !== null && weekdayOf(day) === a
    },
    false,
  ),
  $timeframe: periods('start;interval;duration', readTimeframe, (frame, at, { zone }) =>
    isInTimeframe(frame, at, zone),
  ),
  $timeframe_absolute: periods('from;to', readSpan, ({ from, to }, at) => from <= at && at <= to),
  $timeframe_daily_hours: periods('HH:mm;HH:mm;day,day', readDailyHours, isInDailyHours),
}
