import { type Expression, sql } from 'kysely'
import { toBoolean, toNumber } from './arguments.ts'
import { type Clock, type Days, dateText, startOfDay } from './calendar.ts'
import { any, type Condition, no } from './conditions.ts'
import type { FilterField, Scalar } from './filter.ts'

/**
 * A field's value in all the ways an operator may look at it. A way that its type does not have is left out, and what
 * looks that way is false.
 */
export interface Reading {
  /** Never null. */
  missing: Condition
  equals(values: Scalar[]): Condition
  /** `fold` makes an argument comparable when letter case does not matter. */
  text?: { value: Expression<unknown>; fold(argument: string): Expression<unknown> }
  /** Whether an array has such an element. */
  element?(value: string): Condition
  size?: Expression<unknown>
  number?: Expression<unknown>
  instant?: Expression<unknown>
  days?: {
    within(days: Days): Condition
    /** Whether the day, written in a format of `to_char`, is one of some texts. */
    spelled(format: DayFormat, texts: string[]): Condition
  }
  ignores_year?: boolean
  states?: FilterField['states']
}

export type DayFormat = 'D' | 'DD' | 'MM' | 'MM-DD' | 'YYYY-MM-DD'

type FieldOf<T extends FilterField['type']> = Extract<FilterField, { type: T }> & { type: T }
type Read<T extends FilterField['type']> = (value: Expression<unknown>, field: FieldOf<T>, clock: Clock) => Reading

const readings: { [T in FilterField['type']]: Read<T> } = {
  string(column, { case_insensitive }) {
    const fold = (argument: string) => (case_insensitive ? sql`lower(${argument}::text)` : sql`${argument}::text`)
    const value = case_insensitive ? sql`lower(${column})` : column
    return {
      missing: sql`coalesce(${column}, '') = ''`,
      // An empty text is missing, so nothing equals it; asked of the bare column, an index can answer.
      equals: (values) =>
        oneOf(
          value,
          values.filter((a) => a !== ''),
          (a) => fold(String(a)),
        ),
      text: { value, fold },
    }
  },
  number: (value) => ({
    missing: sql`${value} is null`,
    equals: (values) => oneOf(value, values, (a) => numberSql(Number(a))),
    number: value,
  }),
  boolean: (value) => ({
    missing: sql`${value} is null`,
    equals: (values) => oneOf(value, values, (a) => sql`${a}::boolean`),
  }),
  date: (value, { ignores_year = false }) => ({
    missing: sql`${value} is null`,
    equals: (values) => oneOf(value, values, (a) => sql`${a}::date`),
    instant: sql`(${value}::timestamp at time zone 'UTC')`,
    days: daysOfDate(value),
    ignores_year,
  }),
  datetime: (value, _, { zone }) => ({
    missing: sql`${value} is null`,
    equals: (values) => oneOf(value, values, (a) => sql`${a}::timestamptz`),
    instant: value,
    days: {
      ...daysOfDate(sql`(${value} at time zone ${zone.sql})::date`),
      // Compared as moments, not as days of the zone: an index on the column can answer.
      within: ([from, until]) =>
        sql`(${value} >= ${startOfDay(from, zone)}::timestamptz and ${value} < ${startOfDay(until, zone)}::timestamptz)`,
    },
  }),
  array(value) {
    const element = (a: Scalar) => any(jsonForms(String(a)).map((form) => holdsJson(value, [form])))
    return {
      missing: sql`coalesce(${value}, 'null') = 'null'`,
      equals: (values) => any(values.map(element)),
      element,
      size: sizeOfArray(value),
    }
  },
  metadata(column, { key }, { zone }) {
    const value = sql`(${column} -> ${key}::text)`
    const text = sql`(${column} ->> ${key}::text)`
    const element = (a: Scalar) => any(jsonForms(String(a)).map((form) => holdsJson(column, { [key]: [form] })))
    const exactly = (a: Scalar) =>
      any(
        jsonForms(String(a))
          .filter((form) => form !== '')
          .map((form) => holdsJson(column, { [key]: form })),
      )
    const instant = sql`regexp_replace(regexp_replace(substring(${text} from ${sql.lit(iso_moment)}),
      '(T[0-9]{2})(?=Z|[+-]|$)', '\\1:00'), '([.][0-9]{3})[0-9]+', '\\1')::timestamptz`
    return {
      missing: sql`coalesce(${value}, 'null') in ('null', '""')`,
      equals: (values) => any(values.flatMap((a) => [exactly(a), element(a)])),
      text: {
        value: sql`(case jsonb_typeof(${value}) when 'string' then ${text} end)`,
        fold: (argument) => sql`${argument}::text`,
      },
      element,
      size: sizeOfArray(sql`nullif(${value}, '""')`),
      number: sql`(case jsonb_typeof(${value}) when 'number' then ${value}::numeric end)`,
      instant: sql`(${instant})`,
      days: daysOfDate(
        sql`coalesce(substring(${text} from ${sql.lit(iso_day)})::date, (${instant} at time zone ${zone.sql})::date)`,
      ),
    }
  },
}

export function readingOf(field: FilterField, clock: Clock): Reading {
  const value = typeof field.column === 'string' ? sql.ref(field.column) : field.column
  const reading = (readings[field.type] as Read<FilterField['type']>)(value, field, clock)
  return field.states === undefined ? reading : { ...reading, states: field.states }
}

function daysOfDate(date: Expression<unknown>): NonNullable<Reading['days']> {
  return {
    within: ([from, until]) => sql`(${date} >= ${dateText(from)}::date and ${date} < ${dateText(until)}::date)`,
    spelled: (format, texts) =>
      sql`to_char(${date}, ${format}::text) = any(string_to_array(${texts.join(',')}::text, ','))`,
  }
}

/**
 * The dates a stored text may hold: the forms and days that `parseInstant` takes. Only what this matches is ever cast,
 * so no stored text makes a statement fail.
 */
const iso_date =
  '(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))' +
  '|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)'
const iso_time =
  'T(?:[01][0-9]|2[0-3])(?::[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,9})?)?)?(?:Z|[+-](?:0[0-9]|1[0-4]):?[0-5][0-9])?'
const iso_day = `^${iso_date}$`
const iso_moment = `^${iso_date}(?:${iso_time})?$`

/** A containment: what a GIN index on the column answers. */
const holdsJson = (column: Expression<unknown>, part: object): Condition =>
  sql`${column} @> ${JSON.stringify(part)}::jsonb`

/** The stored values that an argument may mean: its text, and the number or boolean it spells. */
function jsonForms(text: string): Scalar[] {
  const forms: Scalar[] = [text]
  const number = toNumber(text)
  if (number !== null) forms.push(number)
  const boolean = toBoolean(text)
  if (boolean !== null) forms.push(boolean)
  return forms
}

/** The number of elements; null for a value that is not an array, 0 for none at all. */
const sizeOfArray = (value: Expression<unknown>): Expression<unknown> =>
  sql`(case jsonb_typeof(coalesce(${value}, 'null')) when 'array' then jsonb_array_length(${value}) when 'null' then 0 end)`

function oneOf(value: Expression<unknown>, candidates: Scalar[], toSql: (a: Scalar) => Expression<unknown>): Condition {
  return candidates.length === 0 ? no : sql`${value} in (${sql.join(candidates.map(toSql))})`
}

/** Integers stay integers: a comparison with `numeric` would keep an index on a whole-number column from being used. */
export const numberSql = (value: number): Expression<unknown> =>
  Number.isSafeInteger(value) ? sql`${value}::bigint` : sql`${value}::numeric`
