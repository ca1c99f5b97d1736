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
 * if more than `max`. Only cells of the matrix within `max` of its diagonal are computed.
 */
function distanceWithin(a: string, b: string, max: number): number | null {
  if (max < 0 || Math.abs(a.length - b.length) > max) return null
  if (a === b) return 0
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = new Array<number>(b.length + 1).fill(max + 1)
    if (row <= max) current[0] = row
    let least = current[0] as number
    const end = Math.min(b.length, row + max)
    for (let column = Math.max(1, row - max); column <= end; column += 1) {
      const isSame = a[row - 1] === b[column - 1]
      let cost = Math.min(
        (last[column - 1] as number) + (isSame ? 0 : 1),
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
      )
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (isSwap) cost = Math.min(cost, (beforeLast[column - 2] as number) + 1)
      current[column] = cost
      least = Math.min(least, cost)
    }
    if (least > max) return null
    beforeLast = last
    last = current
  }
  const distance = last[b.length] as number
  return distance > max ? null : distance
}
