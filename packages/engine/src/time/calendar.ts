/**
 * A calendar day as the number of days since 1 January 1970. Days compare and subtract as numbers; strings are for input
 * and output only. The calendar is the proleptic Gregorian one.
 */
export type Day = number

export interface DateParts {
  year: number
  /** 1 is January. */
  month: number
  day: number
}

/** The day of a date; a month or day out of range carries over into the next. */
export function dayOf(year: number, month: number, day: number): Day {
  // Years start in March, so that the leap day is the last day of its year; 400 years have 146,097 days.
  const months = year * 12 + month - 3
  const marchYear = Math.floor(months / 12)
  const marchMonth = months - marchYear * 12
  const era = Math.floor(marchYear / 400)
  const yearOfEra = marchYear - era * 400
  const dayOfYear = Math.floor((153 * marchMonth + 2) / 5)
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468 + day - 1
}

export function partsOf(day: Day): DateParts {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  }
}

/** 0 is Sunday. */
export const weekdayOf = (day: Day): number => (((day + 4) % 7) + 7) % 7

export const daysInMonth = (year: number, month: number): number => dayOf(year, month + 1, 1) - dayOf(year, month, 1)

/** Adds months, keeping the day of the month or using its last day: 31 January + 1 is 28 or 29 February. */
export function addMonths(day: Day, months: number): Day {
  const { year, month, day: ofMonth } = partsOf(day)
  const first = dayOf(year, month + months, 1)
  const length = dayOf(year, month + months + 1, 1) - first
  return first + Math.min(ofMonth, length) - 1
}

/** The last day of the calendar period of `months` months that contains the day: 3 is a quarter, 12 a year. */
export function endOfPeriod(day: Day, months: number): Day {
  return startOfPeriod(day, months, 1) - 1
}

/** The first day of the calendar period that contains the day, or of a period `periods` later. */
export function startOfPeriod(day: Day, months: number, periods = 0): Day {
  const { year, month } = partsOf(day)
  return dayOf(year, month - ((month - 1) % months) + periods * months, 1)
}

/** Weeks start on Monday. */
export const startOfWeek = (day: Day): Day => day - ((weekdayOf(day) + 6) % 7)

/** Parses `2025-02-26`; null when it is not a valid date. */
export function readDay(text: string): Day | null {
  if (!dateForm.test(text)) return null
  const year = Number(text.slice(0, 4))
  const month = Number(text.slice(5, 7))
  const day = Number(text.slice(8))
  return month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month) ? null : dayOf(year, month, day)
}

const dateForm = /^\d{4}-\d\d-\d\d$/

export function dayText(day: Day): string {
  const { year, month, day: ofMonth } = partsOf(day)
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(ofMonth, 2)}`
}

const pad = (value: number, length: number): string => String(value).padStart(length, '0')
