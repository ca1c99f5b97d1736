import { nearestWord } from '@guerdon/engine'
import type { Operation } from './operation.ts'

/** Longer paths are no misspelt ones. */
const segmentsMax = 10

/**
 * Finds the path that a request for an unknown one probably meant: without `/v1`, in the singular, or misspelt
 * (docs/reference/http.md#order-of-checks). Names and ids in the path stay as they are.
 *
 * `/voucher/SPRING` → `/v1/vouchers/SPRING`
 */
export function meantPathFinder(routes: ReadonlyArray<Pick<Operation, 'path'>>): (path: string) => string | null {
  const known = [...new Set(routes.map(({ path }) => path))].filter((path) => !path.includes('*')).map(segmentsOf)
  return (path) => {
    const sent = segmentsOf(path)
    if (sent.length > segmentsMax) return null
    for (const segments of [sent, ['v1', ...sent]]) {
      const meant = corrected(segments, known)
      if (meant !== null) return `/${meant.join('/')}`
    }
    return null
  }
}

const segmentsOf = (path: string): string[] => path.split('/').slice(1)

/** Corrects the words of a path from left to right, each to one that stands there in a known path of the same length. */
function corrected(sent: readonly string[], known: ReadonlyArray<readonly string[]>): readonly string[] | null {
  let paths = known.filter(({ length }) => length === sent.length)
  const meant: string[] = []
  for (const [index, segment] of sent.entries()) {
    const words = paths.map((path) => path[index] as string)
    const word = words.includes(segment) ? segment : (words.find(isPlaceholder) ?? nearestWord(segment, words) ?? null)
    if (word === null) return null
    meant.push(isPlaceholder(word) ? segment : word)
    paths = paths.filter((path) => path[index] === word)
  }
  return meant
}

const isPlaceholder = (segment: string): boolean => segment.startsWith('{')
