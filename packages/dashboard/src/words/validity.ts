import type { Schemas } from '../api/client.ts'
import { list } from './gives.ts'

type Periods = Pick<Schemas['Voucher'], 'validity_timeframe' | 'validity_day_of_week' | 'validity_hours'>

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** At which times within its dates a code can be used; nothing when always. */
export function validityWords({ validity_timeframe, validity_day_of_week, validity_hours }: Periods): string[] {
  const words: string[] = []
  if (validity_day_of_week?.length) words.push(`On ${daysWords(validity_day_of_week)}`)
  for (const { start_time, expiration_time, days_of_week } of validity_hours?.daily ?? []) {
    const days = days_of_week?.length && days_of_week.length < 7 ? ` on ${daysWords(days_of_week)}` : ' every day'
    const hours =
      expiration_time === undefined ? `From ${clock(start_time)}` : `${clock(start_time)}–${clock(expiration_time)}`
    words.push(`${hours}${days}`)
  }
  if (validity_timeframe) {
    const { duration, interval } = validity_timeframe
    words.push(`For ${durationWords(duration)} at a time, every ${durationWords(interval).replace(/^1 /, '')}`)
  }
  return words
}

const daysWords = (days: readonly number[]) =>
  list([...days].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7)).map((day) => weekdays[day] ?? String(day)))

/** "08:00" of "08:00:00". */
const clock = (time: string) => time.slice(0, 5)

const units = { Y: 'year', M: 'month', W: 'week', D: 'day' }
const timeUnits = { H: 'hour', M: 'minute', S: 'second' }

/** "2 days" of "P2D"; a duration that it cannot read stays as it is. */
function durationWords(duration: string): string {
  const match = /^P((?:\d+[YMWD])*)(?:T((?:\d+[HMS])+))?$/.exec(duration)
  if (match === null) return duration
  const parts = [...counted(match[1] ?? '', units), ...counted(match[2] ?? '', timeUnits)]
  return parts.length === 0 ? duration : list(parts)
}

function counted(text: string, names: Record<string, string>): string[] {
  return [...text.matchAll(/(?<!\d)(\d+)([A-Z])/g)].map(
    ([, count, unit = '']) => `${count} ${names[unit]}${count === '1' ? '' : 's'}`,
  )
}
