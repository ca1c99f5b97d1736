import { type Id, idPrefix, newId } from '../../core/lib/ids.ts'
import { type Instant, toInstant } from '../../core/lib/instant.ts'

/** The id of a transaction, and the moment that it begins with. */
export interface TransactionMoment {
  id: Id<'transaction'>
  created_at: Instant
}

/**
 * The id and the date of the next transaction of a card, both later than those of its last one. Requests that waited for each
 * other, or ran on nodes with different clocks, change a balance in another order than that of their own times: dated by
 * them, the transactions of a card would not read like a statement.
 */
export function nextTransaction(at: Instant, last: string | null): TransactionMoment {
  const now = Date.parse(at)
  const moment = last === null ? now : Math.max(now, momentIn(last) + 1)
  return { id: newId('transaction', moment), created_at: moment === now ? at : toInstant(moment) }
}

/** The first eleven hexadecimal digits are milliseconds. */
function momentIn(id: string): number {
  const { length } = idPrefix('transaction')
  return Number.parseInt(id.slice(length, length + 11), 16)
}
