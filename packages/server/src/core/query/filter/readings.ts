import type { MetadataType } from '@guerdon/engine/schema'
import { type Expression, sql } from 'kysely'
import { parseInstant } from '../../lib/instant.ts'
import { type Clock, type Days, dateText, startOfDay, type Zone } from './calendar.ts'
import { any, type Condition, no } from './conditions.ts'
import type { FilterField, Scalar } from './field.ts'
import { toBoolean, toNumber } from './field.ts'
import type { PointSql } from './inside.ts'

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
  /** Whether the moment is as tested; of several moments, one. */
  instant?(test: (at: Expression<unknown>) => Condition): Condition
  days?: {
    within(days: Days): Condition
    /** Whether the day, written in a format of `to_char`, is one of some texts. */
    spelled(format: DayFormat, texts: string[]): Condition
  }
  ignores_year?: boolean
  point?: PointSql
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
      point: pointIn(column),
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
    instant: (test) => test(sql`(${value}::timestamp at time zone 'UTC')`),
    days: daysOfDate(value),
    ignores_year,
  }),
  datetime: (value, _, { zone }) => ({
    missing: sql`${value} is null`,
    equals: (values) => oneOf(value, values, (a) => sql`${a}::timestamptz`),
    instant: (test) => test(value),
    days: {
      ...daysOfDate(sql`(${value} at time zone ${zone.sql})::date`),
      // Compared as moments, not as days of the zone: an index on the column can answer.
      within: ([from, until]) =>
        sql`(${value} >= ${startOfDay(from, zone)}::timestamptz and ${value} < ${startOfDay(until, zone)}::timestamptz)`,
    },
  }),
  datetimes(moments, _, { zone }) {
    const some = (test: Test): Condition =>
      sql`exists (select from ${moments} as each (at) where ${test(sql`each.at`)})`
    const element = (a: Scalar) => some((at) => sql`${instantText(at)} = ${String(a)}::text`)
    const dayIs = (test: (days: NonNullable<Reading['days']>) => Condition) =>
      some((at) => test(daysOfDate(sql`(${at} at time zone ${zone.sql})::date`)))
    return {
      missing: sql`not exists ${moments}`,
      equals: (values) => any(values.map(element)),
      element,
      size: sql`(select nullif(count(*), 0) from ${moments} as each)`,
      instant: some,
      days: {
        within: (days) => dayIs(({ within }) => within(days)),
        spelled: (format, texts) => dayIs(({ spelled }) => spelled(format, texts)),
      },
    }
  },
  array(value) {
    const element = (a: Scalar) => any(jsonForms(String(a)).map((form) => holdsJson(value, [form])))
    return {
      missing: sql`coalesce(${value}, 'null') = 'null'`,
      equals: (values) => any(values.map(element)),
      element,
      size: sizeOfArray(value),
    }
  },
  metadata(column, { key, value_type }, { zone }) {
    const value = sql`(${column} -> ${key}::text)`
    const text = sql`(${column} ->> ${key}::text)`
    const holds = (part: unknown) => holdsJson(column, { [key]: part })
    const element = (a: Scalar) => any(jsonForms(String(a)).map((form) => holds([form])))
    const reading: Reading = {
      missing: sql`coalesce(${value}, 'null') in ('null', '""')`,
      equals: (values) => any(values.flatMap((a) => [...spellings(String(a), value_type).map(holds), element(a)])),
      element,
      size: sizeOfArray(sql`nullif(${value}, '""')`),
      number: sql`(case jsonb_typeof(${value}) when 'number' then ${value}::numeric end)`,
      point: metadataPoint(value, text),
    }
    const texts: Pick<Reading, 'text'> = {
      text: {
        value: sql`(case jsonb_typeof(${value}) when 'string' then ${text} end)`,
        fold: (argument) => sql`${argument}::text`,
      },
    }
    switch (value_type) {
      case undefined:
        return { ...reading, ...texts, ...datesIn((test) => test(text), zone) }
      case 'string':
      case 'image_url':
        return { ...reading, ...texts }
      case 'number':
        return { ...reading, number: numberIn(value, text) }
      case 'date':
        return { ...reading, ...datesIn((test) => someText(value, test), zone) }
      case 'datetime':
        return {
          ...reading,
          ...datesIn((test) => someText(value, test), zone),
          // A schema admits many ways to write the same moment: they cannot all be named, as `spellings` would.
          equals: (values) => any([isMoment(text, values), ...values.map(element)]),
        }
      default:
        return reading
    }
  },
}

/** Whether a field can be a date. */
export const hasDays = (field: FilterField): boolean =>
  field.type === 'date' ||
  field.type === 'datetime' ||
  field.type === 'datetimes' ||
  (field.type === 'metadata' && [undefined, 'date', 'datetime'].includes(field.value_type))

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
const isoDate =
  '(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))' +
  '|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)'
const isoTime =
  'T(?:(?:[01][0-9]|2[0-3])(?::[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,9})?)?)?|24(?::00(?::00(?:[.]0{1,9})?)?)?)' +
  '(?:Z|[+-](?:0[0-9]|1[0-4]):?[0-5][0-9])?'
const isoDay = `^${isoDate}$`
const isoMoment = `^${isoDate}(?:${isoTime})?$`

/** A stored text as the moment it spells, cut to milliseconds; null when it spells none. */
const momentOf = (text: Expression<unknown>): Expression<unknown> =>
  sql`(regexp_replace(regexp_replace(substring(${text} from ${sql.lit(isoMoment)}),
    '(T[0-9]{2})(?=Z|[+-]|$)', '\\1:00'), '([.][0-9]{3})[0-9]+', '\\1')::timestamptz)`

/** A date is that day everywhere, a moment the day it falls on in the project's time zone. */
const dayOf = (text: Expression<unknown>, zone: Zone): Expression<unknown> =>
  sql`coalesce(substring(${text} from ${sql.lit(isoDay)})::date, (${momentOf(text)} at time zone ${zone.sql})::date)`

type Test = (tested: Expression<unknown>) => Condition

/** A moment as we write it; of several moments, the written form is compared. */
const instantText = (at: Expression<unknown>): Expression<unknown> =>
  sql`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The readings of dates that are stored as text; `some` says which texts are tested. */
function datesIn(some: (test: Test) => Condition, zone: Zone): Pick<Reading, 'instant' | 'days'> {
  const dayIs = (test: (days: NonNullable<Reading['days']>) => Condition) =>
    some((text) => test(daysOfDate(dayOf(text, zone))))
  return {
    instant: (test) => some((text) => test(momentOf(text))),
    days: {
      within: (days) => dayIs(({ within }) => within(days)),
      spelled: (format, texts) => dayIs(({ spelled }) => spelled(format, texts)),
    },
  }
}

/** Whether the text of a JSON value is as tested, or one of several in an array. */
const someText = (value: Expression<unknown>, test: Test): Condition =>
  sql`exists (
    select from jsonb_array_elements_text(case jsonb_typeof(${value}) when 'array' then ${value} else jsonb_build_array(${value}) end)
      as element (text)
    where ${test(sql`element.text`)})`

const isMoment = (text: Expression<unknown>, values: Scalar[]): Condition =>
  oneOf(
    momentOf(text),
    values.flatMap((a) => parseInstant(String(a)) ?? []),
    (at) => sql`${at}::timestamptz`,
  )

/** What `Number` reads, short of numbers that PostgreSQL could not hold. */
const numeral = '^[+-]?(?:[0-9]{1,100}[.]?[0-9]{0,100}|[.][0-9]{1,100})(?:[eE][+-]?[0-2]?[0-9]{1,2})?$'

/** A number, or a text that spells one: it was stored before the schema that says so. */
const numberIn = (value: Expression<unknown>, text: Expression<unknown>): Expression<unknown> =>
  sql`(case jsonb_typeof(${value}) when 'number' then ${value}::numeric
    when 'string' then substring(${text} from ${sql.lit(numeral)})::numeric end)`

const coordinate = '[+-]?[0-9]{1,3}(?:[.][0-9]+)?'
/** What a regular expression of JavaScript takes for a blank; one may stand behind the comma. */
const blanks =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

/** `geo:52.23,21.01` or `52.23, 21.01`. Only what has this form is cast, and no more digits than a number holds. */
function pointIn(text: Expression<unknown>): PointSql {
  return {
    is_point: sql`${text} ~ ${sql.lit(`^(?:geo:)?${coordinate},[${blanks}]?${coordinate}$`)}`,
    lat: sql`left(replace(split_part(${text}, ',', 1), 'geo:', ''), 100)::float8`,
    lng: sql`left(ltrim(split_part(${text}, ',', 2), ${sql.lit(blanks)}), 100)::float8`,
  }
}

/** Metadata also has points of the form `{"lat": 52.23, "lng": 21.01}`. */
function metadataPoint(value: Expression<unknown>, text: Expression<unknown>): PointSql {
  const { is_point, lat, lng } = pointIn(text)
  const isObject: Condition = sql`jsonb_typeof(${value}) = 'object'`
  return {
    is_point: sql`case when ${isObject} then true else ${is_point} end`,
    lat: sql`case when ${isObject} then ${coordinateOf(sql`(${value} -> 'lat')`)} else ${lat} end`,
    lng: sql`case when ${isObject} then ${coordinateOf(sql`(${value} -> 'lng')`)} else ${lng} end`,
  }
}

/** A number of JSON can be too large, or too close to zero, for the cast. */
const coordinateOf = (number: Expression<unknown>): Expression<unknown> =>
  sql`(case when jsonb_typeof(${number}) = 'number' then case when abs(${number}::numeric) < 1e-100 then 0
    when abs(${number}::numeric) <= 180 then ${number}::numeric::float8 end end)`

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

/**
 * The stored values that are equal to an argument, for a key of some type. All of them can be named, so that equality is
 * a containment whatever the type: a schema admits one way of writing a number, a boolean or a date. What was stored as
 * text before there was a schema is found as it is usually spelled.
 */
function spellings(text: string, type: MetadataType | undefined): Scalar[] {
  if (type === 'number') {
    const number = toNumber(text)
    return number === null ? [] : [...new Set([number, String(number), text])]
  }
  if (type === 'boolean') {
    const boolean = toBoolean(text)
    return boolean === null ? [] : [boolean, ...(boolean ? ['true', 'True', 'TRUE'] : ['false', 'False', 'FALSE'])]
  }
  if (type === 'date') {
    const at = parseInstant(text)
    return at === null ? [] : [at.slice(0, 10)]
  }
  return jsonForms(text).filter((form) => form !== '')
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
