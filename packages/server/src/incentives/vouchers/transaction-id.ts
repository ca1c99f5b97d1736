import { type Id, idPrefix, newId } from '../../core/lib/ids.ts'
import type { Instant } from '../../core/lib/instant.ts'

/**
 * The id of the next transaction of a card, always greater than that of the last one, even if requests that waited for
 * each other have different clocks. So the order of ids is the order of balance changes.
 */
export function nextTransactionId(at: Instant, last: string | null): Id<'transaction'> {
  const moment = Date.parse(at)
  return newId('transaction', last === null ? moment : Math.max(moment, momentIn(last) + 1))
}

/** The first eleven hexadecimal digits are milliseconds. */
function momentIn(id: string): number {
  const { length } = idPrefix('transaction')
  return Number.parseInt(id.slice(length, length + 11), 16)
}
