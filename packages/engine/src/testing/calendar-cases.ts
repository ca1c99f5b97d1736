/**
 * Days around Wednesday, 26 February 2025, and the days that every calendar operator matches
 * (docs/reference/filters.md#meaning-of-the-operators). Shared by the tests of filters in memory and in the database, which
 * must agree.
 */
export const days = [
  ['2022-12-31', '2023-02-26', '2023-12-31', '2024-02-29', '2024-12-31', '2025-01-01', '2025-01-27', '2025-01-31'],
  ['2025-02-01', '2025-02-16', '2025-02-17', '2025-02-23', '2025-02-24', '2025-02-25', '2025-02-26', '2025-02-27'],
  ['2025-03-01', '2025-03-02', '2025-03-03', '2025-03-09', '2025-03-10', '2025-03-31', '2025-04-01', '2025-12-31'],
  ['2026-01-01', '2026-02-25', '2026-12-31', '2027-01-01', '9999-12-31'],
].flat()
export const year = (year: string) => days.filter((day) => day.startsWith(year))
export const between = (from: string, to: string) => days.filter((day) => day >= from && day <= to)

export const calendarCases: ReadonlyArray<[operator: string, given: unknown, expected: string[]]> = [
  ['$is_days_ago', 0, ['2025-02-26']],
  ['$is_days_ago', '30', ['2025-01-27']],
  ['$is_days_ago', [0, 1], ['2025-02-25', '2025-02-26']],
  ['$more_than_ago', 30, between('0', '2025-01-26')],
  ['$more_than_ago', 29, between('0', '2025-01-27')],
  ['$less_than_ago', 30, between('2025-01-28', '2025-02-26')],
  ['$less_than_ago', 31, between('2025-01-27', '2025-02-26')],
  ['$less_than_ago', 0, []],
  ['$is_days_in_future', 3, ['2025-03-01']],
  ['$more_than_future', 3, between('2025-03-02', '9999-12-31')],
  ['$more_than_future', 3_000_000_000, []],
  ['$less_than_future', 3, between('2025-02-26', '2025-02-28')],
  ['$less_than_future', 4, between('2025-02-26', '2025-03-01')],
  ['$less_than_future', Number.MAX_SAFE_INTEGER, between('2025-02-26', '9999-12-31')],
  ['$more_than', 30, between('0', '2025-01-26')],
  ['$less_than', '30', between('2025-01-28', '2025-02-26')],
  ['$less_than', 1.5, ['2025-02-25', '2025-02-26']],
  ['$less_than_equal', 1.5, ['2025-02-25', '2025-02-26']],
  ['$more_than', 29.5, between('0', '2025-01-27')],
  ['$more_than_equal', '29.5', between('0', '2025-01-27')],
  ['$more_than_equal', 30, between('0', '2025-01-27')],
  ['$less_than_equal', 30, between('2025-01-27', '2025-02-26')],

  ['$today', true, ['2025-02-26']],
  ['$yesterday', true, ['2025-02-25']],
  ['$tomorrow', true, ['2025-02-27']],
  ['$this_week', true, between('2025-02-24', '2025-03-02')],
  ['$last_week', true, between('2025-02-17', '2025-02-23')],
  ['$next_week', true, between('2025-03-03', '2025-03-09')],
  ['$this_month', true, year('2025-02')],
  ['$last_month', true, year('2025-01')],
  ['$next_month', true, year('2025-03')],
  ['$this_year', true, year('2025')],
  ['$last_year', true, year('2024')],
  ['$next_year', true, year('2026')],
  ['$is_day', 0, ['2023-02-26', '2023-12-31', '2025-02-16', '2025-02-23', '2025-03-02', '2025-03-09']],
  ['$is_day', '6', ['2022-12-31', '2025-02-01', '2025-03-01']],
  ['$is_day_of_month', 1, days.filter((day) => day.endsWith('-01'))],
  ['$is_month', 12, days.filter((day) => day.includes('-12-'))],
  ['$is_month', [1, '4'], days.filter((day) => /-0[14]-/.test(day))],
  ['$is_year', 2024, year('2024')],
  ['$is_year', 9999, ['9999-12-31']],
  ['$is_year', -44, []],
  ['$is_year', 1_000_000_000, []],
  ['$is_years_ago', 2, ['2023-02-26']],
  ['$is_years_ago', '0', ['2025-02-26']],
  ['$is_years_ago', 1, []],

  ['$today_md', true, days.filter((day) => day.endsWith('02-26'))],
  ['$yesterday_md', true, days.filter((day) => day.endsWith('02-25'))],
  ['$tomorrow_md', true, ['2025-02-27']],
  ['$this_week_md', true, ['2023-02-26', '2024-02-29', ...between('2025-02-24', '2025-03-02'), '2026-02-25']],
  ['$last_week_md', true, between('2025-02-17', '2025-02-23')],
  ['$next_week_md', true, between('2025-03-03', '2025-03-09')],
  ['$this_month_md', true, days.filter((day) => day.includes('-02-'))],
  ['$last_month_md', true, days.filter((day) => day.includes('-01-'))],
  ['$next_month_md', true, year('2025-03')],
  ['$is_days_ago_md', 1, ['2025-02-25', '2026-02-25']],
  ['$is_days_ago_md', 57, days.filter((day) => day.endsWith('12-31'))],
  ['$is_less_days_ago_md', 2, ['2023-02-26', '2025-02-25', '2025-02-26', '2026-02-25']],
  ['$is_more_days_ago_md', 358, ['2025-02-27', '2025-03-01', '2025-03-02', '2025-03-03', '2024-02-29'].sort()],
  ['$is_more_days_ago_md', -1, days],
  ['$is_more_days_ago_md', 366, []],
  ['$is_days_in_future_md', 3, ['2025-03-01']],
  ['$is_days_in_future_md', 2, ['2024-02-29']],
  ['$is_less_days_in_future_md', 3, ['2023-02-26', '2024-02-29', '2025-02-26', '2025-02-27']],
  ['$is_more_days_in_future_md', 363, ['2025-02-25', '2026-02-25']],
]

/** Whether a condition on somebody's birthday, 29 February 2000, holds on a day. */
export const leapDayCases: ReadonlyArray<[today: string, operator: string, given: unknown, expected: boolean]> = [
  ['2025-02-28', '$today_md', true, true], // no 29 February in 2025
  ['2024-02-28', '$today_md', true, false],
  ['2024-02-29', '$today_md', true, true],
  ['2025-03-01', '$today_md', true, false],
  ['2025-03-01', '$yesterday_md', true, true],
  ['2024-03-01', '$yesterday_md', true, true],
  ['2025-02-28', '$is_days_ago_md', 0, true],
  ['2024-02-28', '$is_days_ago_md', 365, true],
  ['2024-02-28', '$is_days_in_future_md', 1, true],
  ['2024-03-01', '$is_days_in_future_md', 364, true],
  ['2025-02-28', '$is_years_ago', 25, true],
  ['2024-02-28', '$is_years_ago', 24, false],
  ['2024-02-29', '$is_years_ago', 24, true],
]

/** A moment, the time zone of a project, and the first and last moment of the project's day. */
export const midnightCases: ReadonlyArray<[now: string, timezone: string, first: string, last: string]> = [
  ['2025-06-30T15:00:00.000Z', 'Asia/Tokyo', '2025-06-30T15:00:00.000Z', '2025-07-01T14:59:59.999Z'],
  ['2025-06-30T14:59:59.999Z', 'Asia/Tokyo', '2025-06-29T15:00:00.000Z', '2025-06-30T14:59:59.999Z'],
  ['2025-03-09T17:00:00.000Z', 'America/New_York', '2025-03-09T05:00:00.000Z', '2025-03-10T03:59:59.999Z'], // 23 hours
  ['2025-11-02T17:00:00.000Z', 'America/New_York', '2025-11-02T04:00:00.000Z', '2025-11-03T04:59:59.999Z'], // 25 hours
  ['2025-06-30T18:30:00.000Z', 'GMT+5:30', '2025-06-30T18:30:00.000Z', '2025-07-01T18:29:59.999Z'],
  ['2025-06-30T18:30:00.000Z', 'GMT+05:30', '2025-06-30T18:30:00.000Z', '2025-07-01T18:29:59.999Z'],
  ['2025-06-30T18:30:00.000Z', 'GMT-3', '2025-06-30T03:00:00.000Z', '2025-07-01T02:59:59.999Z'],
  ['2025-06-30T18:30:00.000Z', 'GMT+2', '2025-06-29T22:00:00.000Z', '2025-06-30T21:59:59.999Z'],
  ['2025-06-30T18:30:00.000Z', 'GMT-0', '2025-06-30T00:00:00.000Z', '2025-06-30T23:59:59.999Z'],
  ['2025-06-30T21:59:00.000Z', 'CET', '2025-06-29T22:00:00.000Z', '2025-06-30T21:59:59.999Z'],
  ['2025-06-30T20:59:00.000Z', 'EET', '2025-06-29T21:00:00.000Z', '2025-06-30T20:59:59.999Z'],
  ['2025-06-30T21:59:00.000Z', 'MET', '2025-06-29T22:00:00.000Z', '2025-06-30T21:59:59.999Z'],
  ['2025-06-30T22:59:00.000Z', 'wet', '2025-06-29T23:00:00.000Z', '2025-06-30T22:59:59.999Z'],
  ['2025-06-30T18:30:00.000Z', 'GMT', '2025-06-30T00:00:00.000Z', '2025-06-30T23:59:59.999Z'],
]
