import type { Example } from '../../platform/docs/examples.ts'

/** More is not an example but a dump. */
const charactersMax = 6_000
const textMax = 300

/** Whether a reader learns more from the first example than from the second. Depends on nothing but the two, so that the order of tests does not matter. */
export function isBetter(example: Example, than: Example | undefined): boolean {
  if (than === undefined) return true
  const difference = worthOf(example) - worthOf(than)
  return difference === 0 ? JSON.stringify(example) < JSON.stringify(than) : difference > 0
}

/** Counts the properties that an example shows, once each; parameters beyond the first, names like "a" and sheer length count against it. */
function worthOf({ request = {}, reply }: Example): number {
  const size = JSON.stringify({ request, reply }).length
  const shown = new Set([...leavesOf(request.body, 'request'), ...leavesOf(reply.body, 'reply')])
  const parameters = (request.query ?? '').split('&').filter((part) => part !== '').length
  const isOdd = hasOddText(request) || hasOddText(reply) || hasWarnings(reply.body)
  const tooMuch = Math.max(0, size - charactersMax) + (isOdd ? charactersMax : 0)
  const terse = JSON.stringify({ request, reply }).match(/:"[^"]{1,2}"/g) ?? []
  return shown.size - 3 * terse.length - 4 * Math.max(0, parameters - 1) - size / 400 - tooMuch
}

/** The paths of the values that say something: `reply.vouchers[].code`. */
function* leavesOf(value: unknown, path: string): Generator<string> {
  if (value === null || value === undefined || value === '') return
  if (Array.isArray(value)) for (const row of value) yield* leavesOf(row, `${path}[]`)
  else if (typeof value === 'object')
    for (const [name, each] of Object.entries(value)) yield* leavesOf(each, `${path}.${name}`)
  else yield path
}

/** The request sent something that it should not. */
const hasWarnings = (body: unknown): boolean => typeof body === 'object' && body !== null && 'warnings' in body

/** Texts at the limits of what is accepted, with which tests try them. */
const hasOddText = (value: unknown): boolean => {
  if (typeof value === 'string') return value.length > textMax || /\p{C}|(.)\1{15}/u.test(value.replaceAll('\n', ' '))
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, each]) => hasOddText(name) || hasOddText(each))
}
