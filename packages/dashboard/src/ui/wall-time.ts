/** The wall clock of a zone at an instant, as a `datetime-local` field writes it: `2026-03-14T09:30`. */
export function wallTimeOf(instant: string | number | Date, timezone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(new Date(instant))
  const part = (type: string) => parts.find((entry) => entry.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`
}

/** The instant at which the clocks of a zone show this; undefined for what is no moment. An hour that is skipped in spring is the one after. */
export function instantOf(wallTime: string, timezone: string): string | undefined {
  const asUtc = Date.parse(`${wallTime}Z`)
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(wallTime) || Number.isNaN(asUtc)) return undefined
  const offsetAt = (at: number) => Date.parse(`${wallTimeOf(at, timezone)}Z`) - Math.floor(at / 60_000) * 60_000
  const guess = asUtc - offsetAt(asUtc)
  return new Date(asUtc - offsetAt(guess)).toISOString()
}
