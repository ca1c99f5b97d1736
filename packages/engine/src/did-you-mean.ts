/** Longer words are never compared, so a suggestion costs little whatever the input. */
const lengthMax = 80

/**
 * The known word that a misspelt one is nearest to, or null if none is near. Upper and lower case and the signs between words do
 * not count: `expirationDate` is `expiration_date`.
 *
 * `nearestWord('order.amuont', ['order.amount', 'order.items.count'])` → `order.amount`
 */
export function nearestWord(word: string, known: Iterable<string>): string | null {
  if (word.length > lengthMax) return null
  const sent = plainForm(word)
  if (sent === '') return null
  let nearest: string | null = null
  let distanceMax = allowedDistance(sent.length)
  for (const candidate of known) {
    if (candidate === word || candidate.length > lengthMax) continue
    const distance = distanceWithin(sent, plainForm(candidate), distanceMax)
    if (distance === null) continue
    nearest = candidate
    if (distance === 0) break
    distanceMax = distance - 1
  }
  return nearest
}

/** ` Did you mean 'order.amount'?`, to be appended to a message about an unknown word; empty if no known word is near. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const nearest = nearestWord(word, known)
  return nearest === null ? '' : `. Did you mean '${nearest}'?`
}

const plainForm = (word: string): string => word.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** A short word has many neighbours: in three letters one mistake is allowed, in eight two, in twelve three. */
const allowedDistance = (length: number): number => (length < 3 ? 0 : length < 6 ? 1 : length < 12 ? 2 : 3)

/**
 * How many letters have to be inserted, left out, replaced or swapped with their neighbour to turn one word into the other; null
 * if more than `max`. Only cells of the matrix within `max` of its diagonal are computed, in three rows that are used in turn.
 */
function distanceWithin(a: string, b: string, max: number): number | null {
  if (max < 0 || Math.abs(a.length - b.length) > max) return null
  if (a === b) return 0
  let [beforeLast, last, current] = rows as [Row, Row, Row]
  for (let column = 0; column <= Math.min(b.length, max + 1); column += 1) last[column] = column
  for (let row = 1; row <= a.length; row += 1) {
    const start = Math.max(1, row - max)
    const end = Math.min(b.length, row + max)
    current[start - 1] = start === 1 ? row : max + 1
    current[end + 1] = max + 1 // the next row is one cell longer
    let least = current[start - 1] as number
    for (let column = start; column <= end; column += 1) {
      const isSame = a.charCodeAt(row - 1) === b.charCodeAt(column - 1)
      let cost = Math.min(
        (last[column - 1] as number) + (isSame ? 0 : 1),
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
      )
      if (row > 1 && column > 1 && isSwap(a, row, b, column))
        cost = Math.min(cost, (beforeLast[column - 2] as number) + 1)
      current[column] = cost
      least = Math.min(least, cost)
    }
    if (least > max) return null
    ;[beforeLast, last, current] = [last, current, beforeLast]
  }
  const distance = last[b.length] as number
  return distance > max ? null : distance
}

const isSwap = (a: string, row: number, b: string, column: number): boolean =>
  a.charCodeAt(row - 1) === b.charCodeAt(column - 2) && a.charCodeAt(row - 2) === b.charCodeAt(column - 1)

type Row = Uint8Array
const rows: readonly Row[] = Array.from({ length: 3 }, () => new Uint8Array(lengthMax + 2))
