export const dayMs = 86_400_000

/** How long a partition is, in UTC. Moments are Unix milliseconds. */
export interface Period {
  startOf(at: number): number
  /** The start of the next period. */
  after(start: number): number
  /** How the name of a partition ends. */
  nameOf(start: number): string
  /** The start in such a name; null: it is another name. */
  startNamed(name: string): number | null
}

/** `20260131` */
export const days: Period = {
  startOf: (at) => Math.floor(at / dayMs) * dayMs,
  after: (start) => start + dayMs,
  nameOf: (start) => digitsOf(start, 8),
  startNamed: (name) => startIn(/^(\d{4})(\d\d)(\d\d)$/, name),
}

/** `202601` */
export const months: Period = {
  startOf: (at) => monthOf(at, 0),
  after: (start) => monthOf(start, 1),
  nameOf: (start) => digitsOf(start, 6),
  startNamed: (name) => startIn(/^(\d{4})(\d\d)$/, name),
}

/** The first moment of the month so many months later. */
export const monthOf = (at: number, later: number): number => {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later)
}

const digitsOf = (start: number, length: number): string =>
  new Date(start).toISOString().slice(0, 10).replaceAll('-', '').slice(0, length)

function startIn(form: RegExp, name: string): number | null {
  const [, year, month, day = '1'] = form.exec(name) ?? []
  return year === undefined ? null : Date.UTC(Number(year), Number(month) - 1, Number(day))
}
