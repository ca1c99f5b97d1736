import type { Words } from './step.ts'

/** What a value is: it decides how it is written. */
export type ValueKind = 'money' | 'number' | 'points' | 'name' | 'boolean' | 'any'

/** `A, B or C`; a long list is cut. */
export function listText(texts: readonly string[], word: 'and' | 'or' = 'or', most = 6): string {
  if (texts.length > most) return `${texts.slice(0, most - 1).join(', ')} ${word} ${texts.length - most + 1} more`
  if (texts.length < 2) return texts[0] ?? ''
  return `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`
}

/** A value of a request, a rule or an object as a person would write it. */
export function valueText(value: unknown, kind: ValueKind, words: Words): string {
  if (isMissing(value)) return 'nothing'
  if (Array.isArray(value)) {
    return value.length === 0
      ? 'nothing'
      : listText(
          value.map((entry) => valueText(entry, kind, words)),
          'and',
        )
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object') return objectText(value as Record<string, unknown>, words)
  const number = typeof value === 'number' ? value : kind === 'any' || kind === 'name' ? undefined : Number(value)
  if (number !== undefined && Number.isFinite(number)) return numberText(number, kind, words)
  return textValue(String(value), kind, words)
}

/** Whether there is no value: the engine takes an empty text for none. */
export const isMissing = (value: unknown): boolean => value === undefined || value === null || value === ''

function numberText(value: number, kind: ValueKind, { format }: Words): string {
  if (kind === 'money') return format.money(value)
  if (kind === 'points') return `${format.number(value)} ${value === 1 ? 'point' : 'points'}`
  return format.number(value)
}

function textValue(text: string, kind: ValueKind, words: Words): string {
  const name = words.nameOf(text)
  if (name !== undefined) return name
  return momentText(text, words) ?? (kind === 'any' ? `“${text}”` : text)
}

/** A date or an instant of ISO 8601; undefined for any other text. */
export function momentText(text: string, { format }: Words): string | undefined {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Number.isNaN(Date.parse(text)) ? undefined : dayText(text)
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text) || Number.isNaN(Date.parse(text))) return undefined
  return format.dateTime(text)
}

/** A plain date is that day in every zone. */
const dayText = (text: string) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' }).format(
    new Date(text),
  )

/** Goods by their name; other objects by what they contain. */
function objectText(value: Record<string, unknown>, words: Words): string {
  const { id, source_id, name } = value
  for (const key of [id, source_id]) {
    const known = typeof key === 'string' ? words.nameOf(key) : undefined
    if (known !== undefined) return known
  }
  const own = name ?? source_id ?? id
  if (own !== undefined && own !== null) return String(own)
  const parts = Object.entries(value).map(([key, part]) => `${plain(key)} ${valueText(part, 'any', words)}`)
  return parts.length === 0 ? 'nothing' : listText(parts, 'and')
}

/** A key without its underscores, for names that these texts do not know. */
export function plain(key: string): string {
  return key.replace(/^\$/, '').replace(/[._]+/g, ' ').trim()
}

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
export const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

export function times(count: number, words: Words): string {
  return count === 1 ? 'once' : `${words.format.number(count)} times`
}

export function counted(count: number, one: string, words: Words, many = `${one}s`): string {
  return `${words.format.number(count)} ${count === 1 ? one : many}`
}

/** Whether something that can be decided was; null is "left out". */
export const stateOf = (passed: boolean | null) =>
  passed === null ? ('open' as const) : passed ? ('passed' as const) : ('failed' as const)

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** `[1, 2]` → `Monday and Tuesday`. */
export function daysText(days: readonly unknown[], word: 'and' | 'or' = 'and'): string {
  const names = days.map((day) => weekdays[Number(day)] ?? String(day))
  return names.length === 7 ? 'every day' : listText(names, word, 7)
}

const units: Record<string, string> = {
  Y: 'year',
  M: 'month',
  W: 'week',
  D: 'day',
  H: 'hour',
  m: 'minute',
  S: 'second',
}

/** `P1DT2H` → `1 day 2 hours`; a text that is no duration stays as it is. */
export function durationText(text: string): string {
  const match = /^P((?:\d+[YMWD])*)(?:T((?:\d+[HMS])+))?$/.exec(text)
  if (match === null || (match[1] === '' && match[2] === undefined)) return text
  const parts = [
    ...(match[1] ?? '').matchAll(/(?<!\d)(\d+)([YMWD])/g),
    ...(match[2] ?? '').replaceAll('M', 'm').matchAll(/(?<!\d)(\d+)([HmS])/g),
  ]
  return parts.map(([, count = '', unit = '']) => `${count} ${units[unit]}${count === '1' ? '' : 's'}`).join(' ')
}
