import { type Id, idPrefix, newId } from '../../core/lib/ids.ts'
import type { Instant } from '../../core/lib/instant.ts'

/**
 * The id of the next transaction of a card: after that of the last one, whatever the clocks of requests say that waited for each
 * other. So the order of ids is the order in which the balance changed.
 */
export function nextTransactionId(at: Instant, last: string | null): Id<'transaction'> {
  const moment = Date.parse(at)
  return newId('transaction', last === null ? moment : Math.max(moment, momentIn(last) + 1))
}

/** Its first eleven digits are milliseconds. */
function momentIn(id: string): number {
  const { length } = idPrefix('transaction')
  return Number.parseInt(id.slice(length, length + 11), 16)
}
