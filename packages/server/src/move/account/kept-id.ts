import { createHash } from 'node:crypto'
import { type Id, type IdKind, idPrefix, timeDigitsAt } from '../../core/lib/ids.ts'

/**
 * The id under which we store an object of another service: its own, because integrations have stored it, or one derived from
 * it where its form is not ours. The same id gives the same result, so references need no table.
 *
 * `keptId('campaign', 'camp_x1')` → `camp_x1`; `keptId('campaign', '17')` → `camp_4523540f1504cd17100c4835`.
 */
export function keptId<K extends IdKind>(kind: K, foreign: string): Id<K> {
  return isKept(kind, foreign) ? (foreign as Id<K>) : derivedId(kind, foreign)
}

export const isKept = (kind: IdKind, foreign: string): boolean =>
  foreign.startsWith(idPrefix(kind)) && /^\w{4,64}$/.test(foreign)

/**
 * An id for a row that the other service shows without one; the same for the same seed. Where the order of ids is the order of
 * time, `at` (Unix milliseconds) gives it its place.
 */
export function derivedId<K extends IdKind>(kind: K, seed: string, at?: number): Id<K> {
  const digest = createHash('sha256').update(seed).digest('hex')
  return `${idPrefix(kind)}${at === undefined ? digest.slice(0, 24) : `${timeDigitsAt(at)}${digest.slice(0, 7)}`}` as Id<K>
}
