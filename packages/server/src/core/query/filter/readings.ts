import { type Days, type Scalar, toBoolean, toNumber } from '@guerdon/engine'
import type { MetadataType } from '@guerdon/engine/schema'
import { type Expression, sql } from 'kysely'
import { parseInstant } from '../../lib/instant.ts'
import { dateText, type FilterClock, mergedDays, startOfDayText } from './calendar.ts'
import { all, any, type Condition, no } from './conditions.ts'
import type { FilterField } from './field.ts'
import type { PointSql } from './inside.ts'

/**
 * The value of a field in every representation that operators use. A representation that its type does not have is absent, and
 * operators that need it are false.
 */
export interface Reading {
  /** Never null. */
  missing: Condition
  equals(values: Scalar[]): Condition
  /** `fold` converts arguments, as an array, for a case-insensitive comparison; `fold_one` a single one, of columns that may have an index. */
  text?: {
    value: Expression<unknown>
    fold(args: string[]): Expression<unknown>
    fold_one?(argument: string): Expression<unknown>
  }
  /** Whether an array contains all of the elements. */
  elements?(values: string[]): Condition
  size?: Expression<unknown>
  number?: Expression<unknown>
  /** Whether the moment, or one of several moments, passes the test. */
  instant?(test: (at: Expression<unknown>) => Condition): Condition
  days?: {
    /** Whether the day is in one of the ranges. */
    within(ranges: readonly Days[]): Condition
    /** Whether the day, formatted by `to_char`, equals one of the texts. */
    spelled(format: DayFormat, texts: string[]): Condition
  }
  ignores_year?: boolean
  point?: PointSql
  states?: FilterField['states']
}

export type DayFormat = 'D' | 'DD' | 'MM' | 'MM-DD' | 'YYYY-MM-DD'

/**
 * Up to this number, values are alternatives of their own (`or`), each of which can use an index. More are compared as one list:
 * otherwise a statement reads the value of every row once for each of up to 1,000 values.
 */
export const fewValues = 20

type FieldOf<T extends FilterField['type']> = Extract<FilterField, { type: T }> & { type: T }
type Read<T extends FilterField['type']> = (
  value: Expression<unknown>,
  field: FieldOf<T>,
  clock: FilterClock,
) => Reading

const readings: { [T in FilterField['type']]: Read<T> } = {
  string(column, { case_insensitive }) {
    const fold = (argument: string) => (case_insensitive ? sql`lower(${argument}::text)` : sql`${argument}::text`)
    const foldAll = (args: string[]) =>
      case_insensitive ? sql`array(select lower(each) from unnest(${args}::text[]) as each)` : sql`${args}::text[]`
    const value = case_insensitive ? sql`lower(${column})` : column
    return {
      missing: sql`coalesce(${column}, '') = ''`,
      // An empty text counts as missing, so nothing equals it; comparing the bare column can use an index.
      equals: (values) =>
        oneOf(
          value,
          values.filter((a) => a !== ''),
          (a) => fold(String(a)),
        ),
      text: { value, fold: foldAll, fold_one: fold },
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
  datetime: (value, _, clock) => ({
    missing: sql`${value} is null`,
    equals: (values) => oneOf(value, values, (a) => sql`${a}::timestamptz`),
    instant: (test) => test(value),
    days: {
      ...daysOfDate(dateIn(clock, value)),
      // Compares moments, not days of the zone, so that an index on the column can be used.
      within(ranges) {
        const merged = mergedDays(ranges).map(([from, until]) => [
          startOfDayText(from, clock),
          startOfDayText(until, clock),
        ])
        if (merged.length > fewValues) return sql`${value} <@ ${rangesText(merged)}::tstzmultirange`
        return any(
          merged.map(([from, until]) => sql`(${value} >= ${from}::timestamptz and ${value} < ${until}::timestamptz)`),
        )
      },
    },
  }),
  datetimes(moments, _, clock) {
    const some = (test: Test): Condition =>
      sql`exists (select from ${moments} as each (at) where ${test(sql`each.at`)})`
    const oneOfTexts = (values: Scalar[]) => some((at) => sql`${instantText(at)} = any(${values.map(String)}::text[])`)
    return {
      missing: sql`not exists ${moments}`,
      equals: oneOfTexts,
      elements: (values) => sql`not exists (
        select from unnest(${values}::text[]) as wanted (moment)
        where not ${some((at) => sql`${instantText(at)} = wanted.moment`)})`,
      size: sql`(select nullif(count(*), 0) from ${moments} as each)`,
      instant: some,
      days: daysOfSome(some, (at) => dateIn(clock, at)),
    }
  },
  array(value) {
    return {
      missing: sql`coalesce(${value}, 'null') = 'null'`,
      equals: (values) => holdsOneOf(value, values),
      elements: (values) => holdsAll(value, values),
      size: sizeOfArray(value),
    }
  },
  metadata(column, { key, value_type }, clock) {
    const value = sql`(${column} -> ${key}::text)`
    const text = sql`(${column} ->> ${key}::text)`
    const holds = (part: unknown) => holdsJson(column, { [key]: part })
    const element = (a: Scalar) => any(jsonForms(String(a)).map((form) => holds([form])))
    const reading: Reading = {
      missing: sql`coalesce(${value}, 'null') in ('null', '""')`,
      equals(values) {
        const spelled = values.flatMap((a) => spellings(String(a), value_type))
        // Containment finds few values by an index; many are compared with each row, which reads its value only once.
        if (values.length <= fewValues) return any([...spelled.map(holds), ...values.map(element)])
        return any([sql`${value} = any(${jsonArray(spelled)})`, holdsOneOf(value, values)])
      },
      elements: (values) => (values.length <= fewValues ? all(values.map(element)) : holdsAll(value, values)),
      size: sizeOfArray(sql`nullif(${value}, '""')`),
      number: sql`(case jsonb_typeof(${value}) when 'number' then ${value}::numeric end)`,
      point: metadataPoint(value, text),
    }
    const texts: Pick<Reading, 'text'> = {
      text: {
        value: sql`(case jsonb_typeof(${value}) when 'string' then ${text} end)`,
        fold: (args) => sql`${args}::text[]`,
      },
    }
    switch (value_type) {
      case undefined:
        return { ...reading, ...texts, ...datesIn((test) => test(text), clock) }
      case 'string':
      case 'image_url':
        return { ...reading, ...texts }
      case 'number':
        return { ...reading, number: numberIn(value, text) }
      case 'date':
        return { ...reading, ...datesIn((test) => someText(value, test), clock) }
      case 'datetime':
        return {
          ...reading,
          ...datesIn((test) => someText(value, test), clock),
          // A schema accepts many notations of the same moment, so they cannot be enumerated as in `spellings`.
          equals: (values) => any([isMoment(text, values), holdsOneOf(value, values)]),
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

export function readingOf(field: FilterField, clock: FilterClock): Reading {
  const value = typeof field.column === 'string' ? sql.ref(field.column) : field.column
  const reading = (readings[field.type] as Read<FilterField['type']>)(value, field, clock)
  return field.states === undefined ? reading : { ...reading, states: field.states }
}

type DaysReading = NonNullable<Reading['days']>

function daysOfDate(date: Expression<unknown>): DaysReading {
  return {
    within(ranges) {
      const merged = mergedDays(ranges).map(([from, until]) => [dateText(from), dateText(until)])
      const [range] = merged
      if (range === undefined) return no
      if (merged.length > 1) return sql`${date} <@ ${rangesText(merged)}::datemultirange`
      return sql`(${date} >= ${range[0]}::date and ${date} < ${range[1]}::date)`
    },
    spelled: (format, texts) =>
      sql`to_char(${date}, ${format}::text) = any(string_to_array(${texts.join(',')}::text, ','))`,
  }
}

/** The days of several values, one of which must match. */
const daysOfSome = (
  some: (test: Test) => Condition,
  dateOf: (value: Expression<unknown>) => Expression<unknown>,
): DaysReading => ({
  within: (ranges) => some((value) => daysOfDate(dateOf(value)).within(ranges)),
  spelled: (format, texts) => some((value) => daysOfDate(dateOf(value)).spelled(format, texts)),
})

/** The day of a moment in the time zone of the project. */
const dateIn = ({ zone_sql }: FilterClock, at: Expression<unknown>): Expression<unknown> =>
  sql`(${at} at time zone ${zone_sql})::date`

/**
 * Matches the dates that `parseInstant` accepts. Only matching text is cast, so no stored text can make a statement fail.
 */
const isoDate =
  '(?!0000)(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))' +
  '|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)'
const isoTime =
  'T(?:(?:[01][0-9]|2[0-3])(?::[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,9})?)?)?|24(?::00(?::00(?:[.]0{1,9})?)?)?)' +
  '(?:Z|[+-](?:0[0-9]|1[0-4]):?[0-5][0-9])?'
const isoDay = `^${isoDate}$`
const isoMoment = `^${isoDate}(?:${isoTime})?$`

/** Parses a stored text as a moment, truncated to milliseconds; null when it is not one. */
const momentOf = (text: Expression<unknown>): Expression<unknown> =>
  sql`(regexp_replace(regexp_replace(substring(${text} from ${sql.lit(isoMoment)}),
    '(T[0-9]{2})(?=Z|[+-]|$)', '\\1:00'), '([.][0-9]{3})[0-9]+', '\\1')::timestamptz)`

/** The day of a stored text: a date is the same day in every zone, a moment its day in the time zone of the project. */
const dateOfText = (clock: FilterClock, text: Expression<unknown>): Expression<unknown> =>
  sql`coalesce(substring(${text} from ${sql.lit(isoDay)})::date, ${dateIn(clock, momentOf(text))})`

type Test = (tested: Expression<unknown>) => Condition

/** A moment formatted as an `Instant`: fields with several moments compare this text. */
const instantText = (at: Expression<unknown>): Expression<unknown> =>
  sql`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The readings of dates stored as text; `some` applies a test to the stored texts. */
const datesIn = (some: (test: Test) => Condition, clock: FilterClock): Pick<Reading, 'instant' | 'days'> => ({
  instant: (test) => some((text) => test(momentOf(text))),
  days: daysOfSome(some, (text) => dateOfText(clock, text)),
})

/** Whether the text of a JSON value, or of one element of an array, passes the test. */
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

/** The numerals that `Number` accepts, except those that PostgreSQL cannot store. */
const numeral = '^[+-]?(?:[0-9]{1,100}[.]?[0-9]{0,100}|[.][0-9]{1,100})(?:[eE][+-]?[0-2]?[0-9]{1,2})?$'

/** A number, or a numeric text that was stored before the schema defined the key as a number. */
const numberIn = (value: Expression<unknown>, text: Expression<unknown>): Expression<unknown> =>
  sql`(case jsonb_typeof(${value}) when 'number' then ${value}::numeric
    when 'string' then substring(${text} from ${sql.lit(numeral)})::numeric end)`

const coordinate = '[+-]?[0-9]{1,3}(?:[.][0-9]+)?'
/** The characters that `\s` matches in JavaScript; one may follow the comma. */
const blanks =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

/** `geo:52.23,21.01` or `52.23, 21.01`. Only text of this form is cast, at most 100 characters of each coordinate. */
function pointIn(text: Expression<unknown>): PointSql {
  return {
    is_point: sql`${text} ~ ${sql.lit(`^(?:geo:)?${coordinate},[${blanks}]?${coordinate}$`)}`,
    lat: sql`left(replace(split_part(${text}, ',', 1), 'geo:', ''), 100)::float8`,
    lng: sql`left(ltrim(split_part(${text}, ',', 2), ${sql.lit(blanks)}), 100)::float8`,
  }
}

/** Metadata can also contain points as `{"lat": 52.23, "lng": 21.01}`. */
function metadataPoint(value: Expression<unknown>, text: Expression<unknown>): PointSql {
  const { is_point, lat, lng } = pointIn(text)
  const isObject: Condition = sql`jsonb_typeof(${value}) = 'object'`
  return {
    is_point: sql`case when ${isObject} then true else ${is_point} end`,
    lat: sql`case when ${isObject} then ${coordinateOf(sql`(${value} -> 'lat')`)} else ${lat} end`,
    lng: sql`case when ${isObject} then ${coordinateOf(sql`(${value} -> 'lng')`)} else ${lng} end`,
  }
}

/** A JSON number can be too large, or too close to zero, for the cast. */
const coordinateOf = (number: Expression<unknown>): Expression<unknown> =>
  sql`(case when jsonb_typeof(${number}) = 'number' then case when abs(${number}::numeric) < 1e-100 then 0
    when abs(${number}::numeric) <= 180 then ${number}::numeric::float8 end end)`

/** JSON containment, which can use a GIN index on the column. */
const holdsJson = (column: Expression<unknown>, part: object): Condition =>
  sql`${column} @> ${JSON.stringify(part)}::jsonb`

/** Whether an array contains one of the values. */
const holdsOneOf = (value: Expression<unknown>, values: Scalar[]): Condition =>
  sql`exists (
    select from jsonb_array_elements(case jsonb_typeof(${value}) when 'array' then ${value} end) as element (part)
    where element.part = any(${jsonArray(values.flatMap((a) => jsonForms(String(a))))}))`

/** Whether an array contains all of the values, each in one of its forms. */
const holdsAll = (value: Expression<unknown>, values: Scalar[]): Condition =>
  sql`(select not exists (
      select from jsonb_array_elements(${JSON.stringify(values.map((a) => jsonForms(String(a))))}::jsonb) as wanted (forms)
      where not exists (
        select from jsonb_array_elements(wanted.forms) as form (part) where stored.value @> jsonb_build_array(form.part)))
    from (select ${value} as value offset 0) as stored)`

const jsonArray = (forms: Scalar[]): Expression<unknown> =>
  sql`${forms.map((form) => JSON.stringify(form))}::text[]::jsonb[]`

/** As PostgreSQL reads a multirange, which compares a value with all its ranges at once. */
const rangesText = (ranges: ReadonlyArray<readonly string[]>): string =>
  `{${ranges.map(([from, until]) => `[${from},${until})`).join(',')}}`

/** The stored values that an argument may match: its text, and the number or boolean it represents. */
function jsonForms(text: string): Scalar[] {
  const forms: Scalar[] = [text]
  const number = toNumber(text)
  if (number !== null) forms.push(number)
  const boolean = toBoolean(text)
  if (boolean !== null) forms.push(boolean)
  return forms
}

/**
 * All stored values that equal an argument, for a key of some type. They can be enumerated, because a schema accepts one notation
 * of a number, a boolean or a date; so equality is JSON containment whatever the type. Text stored before the schema existed is
 * found in its usual notations.
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

/** The number of elements; null for a value that is not an array, 0 for a missing value. */
const sizeOfArray = (value: Expression<unknown>): Expression<unknown> =>
  sql`(case jsonb_typeof(coalesce(${value}, 'null')) when 'array' then jsonb_array_length(${value}) when 'null' then 0 end)`

export function oneOf<A extends Scalar>(
  value: Expression<unknown>,
  candidates: A[],
  toSql: (a: A) => Expression<unknown>,
): Condition {
  return candidates.length === 0 ? no : sql`${value} in (${sql.join(candidates.map(toSql))})`
}

/** Keeps integers as `bigint`: a comparison with `numeric` could not use an index on an integer column. */
export const numberSql = (value: number): Expression<unknown> =>
  Number.isSafeInteger(value) ? sql`${value}::bigint` : sql`${value}::numeric`
