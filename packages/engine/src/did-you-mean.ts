/** Longer words are never compared, so a suggestion costs little whatever the input. */
const lengthMax = 80

/**
 * The known word that a misspelt one is nearest to, or null if none is near. Upper and lower case and the signs between words do
 * not count: `expirationDate` is `expiration_date`.
 *
 * `nearestWord('order.amuont', ['order.amount', 'order.items.count'])` → `order.amount`
 */
export function nearestWord(word: string, known: Iterable<string>): string | null {
  const sent = plainForm(word)
  if (word.length > lengthMax || sent === '') return null
  let nearest: string | null = null
  let edits = editsAllowed(sent.length)
  for (const candidate of known) {
    if (candidate === word || candidate.length > lengthMax) continue
    const wanted = plainForm(candidate)
    // Only a closer one can take its place.
    for (; edits >= 0 && isWithin(edits, sent, wanted); edits -= 1) nearest = candidate
  }
  return nearest
}

/** ` Did you mean 'order.amount'?`, to be appended to a message about an unknown word; empty if no known word is near. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const nearest = nearestWord(word, known)
  return nearest === null ? '' : `. Did you mean '${nearest}'?`
}

const plainForm = (word: string): string => word.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** A short word has many neighbours: from three letters on one mistake is allowed, from six on two, from twelve on three. */
const editsAllowed = (length: number): number => (length < 3 ? 0 : length < 6 ? 1 : length < 12 ? 2 : 3)

/**
 * Whether so many edits turn the rest of one word into the rest of the other: a letter that is replaced, left out or inserted, or
 * two that are swapped. With three edits at most, there are few ways to try.
 */
function isWithin(edits: number, a: string, b: string, startA = 0, startB = 0): boolean {
  let [i, j] = [startA, startB]
  while (i < a.length && a[i] === b[j]) {
    i += 1
    j += 1
  }
  if (Math.abs(a.length - i - (b.length - j)) > edits) return false
  if (i === a.length || j === b.length) return true
  return (
    edits > 0 &&
    (isWithin(edits - 1, a, b, i + 1, j + 1) ||
      isWithin(edits - 1, a, b, i + 1, j) ||
      isWithin(edits - 1, a, b, i, j + 1) ||
      (a[i] === b[j + 1] && a[i + 1] === b[j] && isWithin(edits - 1, a, b, i + 2, j + 2)))
  )
}
