/**
 * A calendar day: the number of days since 1 January 1970. Days compare and subtract as numbers; texts are only for the
 * outside. The calendar is the Gregorian one, also before it was invented.
 */
export type Day = number

export interface DateParts {
  year: number
  /** 1 is January. */
  month: number
  day: number
}

/** The day of a date; a month or day beyond its range runs on into the next, as on an abacus. */
export function dayOf(year: number, month: number, day: number): Day {
  // Years are counted from March, so that the leap day is the last of its year; 400 years have 146,097 days.
  const months = year * 12 + month - 3
  const march_year = Math.floor(months / 12)
  const march_month = months - march_year * 12
  const era = Math.floor(march_year / 400)
  const year_of_era = march_year - era * 400
  const day_of_year = Math.floor((153 * march_month + 2) / 5)
  const day_of_era = year_of_era * 365 + Math.floor(year_of_era / 4) - Math.floor(year_of_era / 100) + day_of_year
  return era * 146_097 + day_of_era - 719_468 + day - 1
}

export function partsOf(day: Day): DateParts {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const day_of_era = shifted - era * 146_097
  const year_of_era = Math.floor(
    (day_of_era - Math.floor(day_of_era / 1_460) + Math.floor(day_of_era / 36_524) - Math.floor(day_of_era / 146_096)) /
      365,
  )
  const day_of_year = day_of_era - (365 * year_of_era + Math.floor(year_of_era / 4) - Math.floor(year_of_era / 100))
  const march_month = Math.floor((5 * day_of_year + 2) / 153)
  const month = march_month < 10 ? march_month + 3 : march_month - 9
  return {
    year: year_of_era + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: day_of_year - Math.floor((153 * march_month + 2) / 5) + 1,
  }
}

/** 0 is Sunday. */
export const weekdayOf = (day: Day): number => (((day + 4) % 7) + 7) % 7

export const daysInMonth = (year: number, month: number): number => dayOf(year, month + 1, 1) - dayOf(year, month, 1)

/** Some months later, on the same day of the month or on its last: 31 January + 1 is 28 or 29 February. */
export function addMonths(day: Day, months: number): Day {
  const { year, month, day: of_month } = partsOf(day)
  const first = dayOf(year, month + months, 1)
  const length = dayOf(year, month + months + 1, 1) - first
  return first + Math.min(of_month, length) - 1
}

/** The last day of the calendar period of so many months that contains the day: 3 is a quarter, 12 a year. */
export function endOfPeriod(day: Day, months: number): Day {
  return startOfPeriod(day, months, 1) - 1
}

/** The first day of the calendar period that contains the day, or of one further on. */
export function startOfPeriod(day: Day, months: number, periods = 0): Day {
  const { year, month } = partsOf(day)
  return dayOf(year, month - ((month - 1) % months) + periods * months, 1)
}

/** Weeks start on Monday. */
export const startOfWeek = (day: Day): Day => day - ((weekdayOf(day) + 6) % 7)

/** `2025-02-26`, or null when it is no such date. */
export function readDay(text: string): Day | null {
  if (!dateForm.test(text)) return null
  const year = Number(text.slice(0, 4))
  const month = Number(text.slice(5, 7))
  const day = Number(text.slice(8))
  return month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month) ? null : dayOf(year, month, day)
}

const dateForm = /^\d{4}-\d\d-\d\d$/

export function dayText(day: Day): string {
  const { year, month, day: of_month } = partsOf(day)
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(of_month, 2)}`
}

const pad = (value: number, length: number): string => String(value).padStart(length, '0')
