import { hash } from 'node:crypto'
import { idKinds, idPrefix, newId, timeDigitsAt } from '../../core/lib/ids.ts'

/** The moment at which every example happens. */
const exampleMoment = Date.parse('2026-01-15T09:30:00.000Z')

/**
 * Replaces what differs from run to run (ids, instants, tokens, ports, unique names) by values that depend only on their kind and their order,
 * so that the same test gives the same example. Equal values stay equal.
 */
export function scrub<T>(example: T): T {
  let text = JSON.stringify(example)
  for (const [pattern, newReplacement] of replacements) {
    const replacement = newReplacement(text)
    const known = new Map<string, string>()
    text = text.replaceAll(pattern, (found) => {
      const value = known.get(found) ?? replacement(found, known.size)
      known.set(found, value)
      return value
    })
  }
  return JSON.parse(text) as T
}

/** Writes the replacement of the n-th distinct value of a pattern. */
type Replacement = (found: string, index: number) => string

const replacements: ReadonlyArray<readonly [pattern: RegExp, newReplacement: (text: string) => Replacement]> = [
  [/\bhttps?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?/g, () => () => 'https://shop.example'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, () => (_, index) => uuidOf(`uuid ${index}`)],
  ...idKinds.map((kind) => [idPattern(kind), () => (found: string, index: number) => idLike(found, index)] as const),
  // `uniqueName('shirt')`: shirt-1a2b3c4d
  [/(?<=[a-z])-[0-9a-f]{8}(?![0-9A-Za-z-])/gi, () => (_, index) => (index === 0 ? '' : `-${index + 1}`)],
  // Tokens; no name of a property contains a digit and a capital letter.
  [
    /(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{40,}(?![\w-])/g,
    () => (found, index) => digits(`token ${index}`, found.length),
  ],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, newInstantReplacement],
]

function idPattern(kind: (typeof idKinds)[number]): RegExp {
  const prefix = idPrefix(kind)
  return new RegExp(`(?<![0-9A-Za-z_])${prefix}[0-9A-Za-z]{${newId(kind).length - prefix.length}}(?![0-9A-Za-z])`, 'g')
}

/** Ids of hexadecimal digits contain their time, which lists sort by. */
function idLike(found: string, index: number): string {
  const [, prefix = '', rest = ''] = /^(.*[_-])(.*)$/.exec(found) ?? []
  if (/^[0-9a-f]{18}$/.test(rest))
    return `${prefix}${timeDigitsAt(exampleMoment + index)}${hash('sha256', prefix + index).slice(0, 7)}`
  return prefix + digits(prefix + index, rest.length)
}

/** That many characters of [0-9A-Za-z], always the same for a seed. */
function digits(seed: string, length: number): string {
  let text = ''
  for (let part = 0; text.length < length; part += 1)
    text += hash('sha512', `${seed} ${part}`, 'base64').replaceAll(/[^0-9A-Za-z]/g, '')
  return text.slice(0, length)
}

function uuidOf(seed: string): string {
  const hex = hash('sha256', seed)
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

/** Instants that come from the clock move with the first of them; those that a test has written, to the minute, stay. */
function newInstantReplacement(text: string): Replacement {
  const isWritten = (instant: string) => instant.endsWith(':00.000Z')
  const all = text.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g) ?? []
  const first = all.find((instant) => !isWritten(instant))
  return (found) => {
    if (first === undefined || isWritten(found)) return found
    const minutes = Math.round((Date.parse(found) - Date.parse(first)) / 60_000)
    const moved = new Date(exampleMoment + minutes * 60_000)
    return Number.isNaN(moved.getTime()) ? found : moved.toISOString()
  }
}
