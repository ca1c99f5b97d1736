import { didYouMean } from '../did-you-mean.ts'
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
import type { ScannedArguments } from '../work.ts'

/** Receives a fault of a rule, and what was probably meant, which is computed only for a fault that somebody reads. */
export type FaultReporter = (fault: string, suggestion?: () => string) => void

/** Whether a value satisfies the conditions of a rule. */
export type Condition = (value: unknown, type: MetadataType | undefined, clock: Clock) => boolean

interface Operator {
  /** Accepts a single argument without an array. */
  readonly is_single?: true
  /** The arguments must have the type of the rule's value. */
  readonly is_typed?: true
  readonly may_be_empty?: true
  /** For operators that compare the value with each argument. */
  readonly steps_per_argument?: number
  /** Looks for the arguments inside of a text. */
  readonly searches?: true
  /** The compiled condition, or a text that says what the arguments must be. */
  prepare(args: readonly Scalar[]): Condition | string
}

export type ArgumentKind = 'number' | 'text' | 'boolean' | 'any'

export const argumentsMax = 1_000

/**
 * Compiles the conditions of a rule (docs/reference/rules.md#condition-operators); all of them must hold. A faulty
 * condition is passed to `reportFault` and evaluates to false.
 */
export function prepareConditions(
  conditions: Readonly<Record<string, unknown>>,
  kind: ArgumentKind,
  reportFault: FaultReporter,
): Condition {
  const prepared: Condition[] = []
  for (const [name, args] of Object.entries(conditions)) {
    const operator = ownEntry(operators, name)
    if (operator === undefined) reportUnknownOperator(name, operators, reportFault)
    const condition = operator === undefined ? never : prepareCondition(name, operator, args, kind)
    if (typeof condition === 'string') reportFault(condition)
    prepared.push(typeof condition === 'string' ? never : condition)
  }
  if (prepared.length === 1) return prepared[0] as Condition
  return (value, type, clock) => {
    for (const condition of prepared) if (!condition(value, type, clock)) return false
    return true
  }
}

const never: Condition = () => false

export function reportUnknownOperator(name: string, known: object, reportFault: FaultReporter): void {
  reportFault(`has an unknown operator '${name}'`, () => didYouMean(name, Object.keys(known)))
}

/** What the operators compare one by one; other arguments are looked up in a set. */
export function scannedArguments(conditions: Readonly<Record<string, unknown>>): ScannedArguments {
  let [weight, characters] = [0, 0]
  for (const [name, sent] of Object.entries(conditions)) {
    const args = Array.isArray(sent) ? sent : [sent]
    const { steps_per_argument = 0, searches = false } = ownEntry(operators, name) ?? {}
    weight += steps_per_argument * args.length
    if (searches) for (const text of args) characters += String(text).length
  }
  return { weight, characters }
}

function prepareCondition(name: string, operator: Operator, args: unknown, kind: ArgumentKind): Condition | string {
  const list = operator.is_single && isScalar(args) ? [args] : args
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
 * The key by which values are compared for equality: numbers and booleans also when a string spells them, any other scalar
 * as written. An object equals nothing.
 */
const keyOf = (value: unknown): Scalar | null => toNumber(value) ?? toBoolean(value) ?? (isScalar(value) ? value : null)

/** Values that a schema declares as dates are equal when they are the same instant, in any spelling. */
const dateKeyOf = (value: unknown): Scalar | null => toInstant(value) ?? keyOf(value)

const isDate = (type: MetadataType | undefined): boolean => type === 'date' || type === 'datetime'

interface Keys {
  of(type: MetadataType | undefined): ReadonlySet<Scalar | null>
  key(value: unknown, type: MetadataType | undefined): Scalar | null
}

function keysOf(args: readonly Scalar[]): Keys {
  const keys = new Set(args.map(keyOf))
  const dateKeys = new Set(args.map(dateKeyOf))
  return {
    of: (type) => (isDate(type) ? dateKeys : keys),
    key: (value, type) => (isDate(type) ? dateKeyOf(value) : keyOf(value)),
  }
}

const not =
  (operator: Operator): Operator['prepare'] =>
  (args) => {
    const condition = operator.prepare(args)
    return typeof condition === 'string' ? condition : (value, type, clock) => !condition(value, type, clock)
  }

/** Equal to one of the arguments; an array contains one of them. */
const equal: Operator = {
  is_typed: true,
  prepare(args) {
    const keys = keysOf(args)
    return (value, type) => {
      if (isMissing(value)) return false
      const wanted = keys.of(type)
      if (!Array.isArray(value)) return wanted.has(keys.key(value, type))
      return value.some((element) => wanted.has(keys.key(element, type)))
    }
  },
}

/** A string contains one of the arguments; an array contains all of them. */
const contain: Operator = {
  steps_per_argument: 0.25,
  searches: true,
  prepare(args) {
    const keys = keysOf(args)
    const texts = args.map(String)
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

/** The same set of elements; an empty array equals a missing value. */
const notDiffer: Operator = {
  may_be_empty: true,
  prepare(args) {
    const keys = keysOf(args)
    return (value, type) => {
      const elements = isMissing(value) ? [] : Array.isArray(value) ? value : [value]
      const elementKeys = new Set(elements.map((element) => keys.key(element, type)))
      return elementKeys.size === keys.of(type).size && isSubset(keys.of(type), elementKeys)
    }
  },
}

const texts = (test: (value: string, text: string) => boolean): Operator => ({
  steps_per_argument: 0.25,
  prepare(args) {
    const wanted = args.map(String)
    return (value) => isText(value) && wanted.some((text) => test(value, text))
  },
})

const compare = (is: (left: number, right: number) => boolean): Operator => ({
  steps_per_argument: 0.1,
  is_single: true,
  is_typed: true,
  prepare(args) {
    const numbers = args.map(toNumber).filter((number) => number !== null)
    const moments = args.map(toInstant).filter((at) => at !== null)
    if (numbers.length + moments.length < args.length) return 'numbers or dates'
    return (value) => {
      const number = toNumber(value)
      if (number !== null) return numbers.some((a) => is(number, a))
      const at = moments.length === 0 ? null : toInstant(value)
      return at !== null && moments.some((a) => is(at, a))
    }
  },
})

const compareMoments = (is: (left: number, right: number) => boolean): Operator => ({
  steps_per_argument: 0.1,
  is_single: true,
  prepare(args) {
    const moments = args.map(toInstant)
    if (moments.includes(null)) return 'dates'
    return (value) => {
      const at = toInstant(value)
      return at !== null && moments.some((a) => is(at, a as Ms))
    }
  },
})

/** Holds for one of the whole numbers. */
const integers = (
  maximum: number,
  test: (value: unknown, a: number, clock: Clock) => boolean,
  isSingle = true,
): Operator => ({
  ...(isSingle ? { is_single: isSingle } : {}),
  steps_per_argument: 1, // each reads the date
  prepare(args) {
    const numbers = args.map((a) => toNumber(a) ?? -1)
    if (!numbers.every((a) => Number.isSafeInteger(a) && a >= 0 && a <= maximum))
      return `whole numbers from 0${maximum === Number.MAX_SAFE_INTEGER ? '' : ` to ${maximum}`}`
    return (value, _, clock) => numbers.some((a) => test(value, a, clock))
  },
})

const counts = (is: (size: number, a: number) => boolean): Operator =>
  integers(Number.MAX_SAFE_INTEGER, (value, a) => is(sizeOf(value), a))

const sizeOf = (value: unknown): number => (Array.isArray(value) ? value.length : isMissing(value) ? 0 : Number.NaN)

/** Holds within one of the periods, each written as parts separated by semicolons. */
function periods<T>(
  form: string,
  read: (parts: string[]) => T | null,
  contains: (period: T, at: Ms, clock: Clock) => boolean,
): Operator {
  return {
    steps_per_argument: 4,
    prepare(args) {
      const periodList = args.map((text) =>
        read(
          String(text)
            .split(';')
            .map((part) => part.trim()),
        ),
      )
      if (periodList.includes(null)) return `'${form}'`
      return (value, _, clock) => {
        const at = toInstant(value)
        return at !== null && periodList.some((period) => contains(period as T, at, clock))
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

/** Hours that end before they start run past midnight and belong to the day on which they start. */
function isInDailyHours({ start, end, days }: DailyHours, at: Ms, clock: Clock): boolean {
  const { day, time } = wallTime(at, clock.zone)
  if (start < end) return days.has(weekdayOf(day)) && start <= time && time < end
  return time >= start ? days.has(weekdayOf(day)) : time < end && days.has(weekdayOf(day - 1))
}

/** Every operator of conditions; `$from` exists only for rules about items. */
export const operators: Readonly<Record<string, Operator>> = {
  $is: { ...equal, is_single: true },
  $is_not: { is_typed: true, prepare: not(equal) },
  $in: equal,
  $not_in: { is_typed: true, prepare: not(equal) },
  $not_intersect: { is_typed: true, prepare: not(equal) },
  $not_differ: notDiffer,
  $contains: contain,
  $not_contain: { ...contain, prepare: not(contain) },
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
