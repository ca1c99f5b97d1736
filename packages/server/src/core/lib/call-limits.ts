/** A rate limit: calls per time window. */
export interface CallWindow {
  calls: number
  seconds: number
}

/** Parses `2000/PT1M,50000/PT1H`. */
export function parseCallLimits(text: string): CallWindow[] {
  return text.split(',').map((part) => {
    const [value = '', duration = '', ...more] = part.trim().split('/')
    const seconds = durationSeconds(duration)
    if (!/^[1-9]\d{0,14}$/.test(value) || seconds === null || more.length > 0)
      throw new Error(`must be a comma list of <value>/<ISO 8601 duration> such as 2000/PT1M, not "${text}"`)
    return { calls: Number(value), seconds }
  })
}

const duration = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

/** The maximum of the `integer` column of a call window, about 68 years. */
const secondsMax = 2_147_483_647

/** The length of an ISO 8601 duration of weeks, days, hours, minutes and seconds; null when it is invalid, zero or too long. */
export function durationSeconds(text: string): number | null {
  const found = duration.exec(text)
  if (found === null) return null
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1).map((part) => Number(part ?? 0))
  const total = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds
  return total > 0 && total <= secondsMax ? total : null
}

const unitSeconds = [
  ['D', 86_400],
  ['H', 3_600],
  ['M', 60],
  ['S', 1],
] as const

/** The ISO 8601 duration of a window: 5,400 seconds are `PT1H30M`, and 0, the calendar month, is `P1M`. */
export function durationText(seconds: number): string {
  if (seconds === 0) return 'P1M'
  let rest = seconds
  const parts = unitSeconds.map(([unit, length]) => {
    const count = Math.floor(rest / length)
    rest %= length
    return count === 0 ? '' : `${count}${unit}`
  })
  const [days, ...time] = parts
  return time.join('') === '' ? `P${days}` : `P${days}T${time.join('')}`
}
