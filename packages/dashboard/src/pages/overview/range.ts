import { addDays, type Day, dayOf, daysBetween, isDay } from '../../ui/days.ts'

export interface OverviewSearch {
  range?: string
  from?: string
  to?: string
  figure?: string
}

export type Interval = 'hour' | 'day' | 'week' | 'month'

export interface OverviewRange {
  /** Which of the choices it is. */
  choice: string
  from: Day
  to: Day
  interval: Interval
  /** As long, just before. */
  before: { from: Day; to: Day }
  /** `in the 7 days before`: what the figures are compared with. */
  beforeText: string
  /** Whether it reaches to now: what is owed now is then owed at its end. */
  isCurrent: boolean
}

export const rangeChoices = [
  { value: 'today', label: 'Today', days: 1 },
  { value: '7', label: '7 days', days: 7 },
  { value: '30', label: '30 days', days: 30 },
  { value: '90', label: '90 days', days: 90 },
] as const

const usual = '30'

/** The range in the address, in days of the project; the usual one when the address has none or one that cannot be. */
export function rangeOf(search: OverviewSearch, now: Date, timezone: string): OverviewRange {
  const today = dayOf(now, timezone)
  if (search.range === 'custom' && isDay(search.from) && isDay(search.to) && search.from <= search.to) {
    const to = search.to > today ? today : search.to
    return newRange('custom', search.from > to ? to : search.from, to, today)
  }
  const choice = rangeChoices.find(({ value }) => value === (search.range ?? usual)) ?? rangeChoices[2]
  return newRange(choice.value, addDays(today, 1 - choice.days), today, today)
}

function newRange(choice: string, from: Day, to: Day, today: Day): OverviewRange {
  const days = daysBetween(from, to)
  return {
    choice,
    from,
    to,
    interval: intervalOf(days),
    before: { from: addDays(from, -days), to: addDays(from, -1) },
    beforeText: days === 1 ? (to === today ? 'yesterday until now' : 'the day before') : `the ${days} days before`,
    isCurrent: to === today,
  }
}

/** Enough points for a line, few enough to read. */
function intervalOf(days: number): Interval {
  if (days <= 2) return 'hour'
  if (days <= 120) return 'day'
  return days <= 800 ? 'week' : 'month'
}
