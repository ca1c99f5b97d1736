import type { Format } from '../../ui/format.tsx'
import { refusalSentence } from '../../words/refusals.ts'
import {
  customerName,
  type Entry,
  isRollback,
  orderPhrase,
  refusedObject,
  stackOf,
  subjectOf,
  takenOff,
} from './entry.ts'

/** What happened, in one sentence: "SUMMER10 took €5.00 off order #1042 for Ann Lee on 14 Mar 2026". */
export function headlineOf(entry: Entry, format: Format): string {
  const on = `on ${format.date(entry.date)}`
  const name = customerName(entry.customer)
  const forCustomer = name ? ` for ${name}` : ''
  const subject = subjectName(entry)
  if (isRollback(entry))
    return entry.result === 'SUCCESS'
      ? `The redemption of ${subject}${forCustomer} was rolled back ${on}`
      : `Rolling back ${subject}${forCustomer} was refused ${on}`
  if (entry.result === 'FAILURE') return `${capital(subject)} was refused${forCustomer} ${on}`
  return `${capital(subject)} ${effectOf(entry, format)}${forCustomer} ${on}`
}

/** Why it was refused, in a sentence; undefined for what was not. */
export function refusalOf(entry: Entry, format: Format): string | undefined {
  if (entry.result !== 'FAILURE') return undefined
  return refusalSentence({ key: entry.failure_code, message: entry.failure_message }, refusedObject(entry, format))
}

function subjectName(entry: Entry): string {
  const stack = stackOf(entry)
  if (stack) return stack.length > 0 ? `${stack.length} codes and promotions together` : 'several codes together'
  const { text, isCode } = subjectOf(entry)
  if (isCode) return text
  return entry.promotion_tier
    ? `“${text}”`
    : entry.failure_code === 'not_found'
      ? 'an unknown code'
      : 'several codes together'
}

function effectOf(entry: Entry, format: Format): string {
  const order = orderPhrase(entry.order)
  const off = takenOff(entry) ?? 0
  const onOrder = order ? ` ${order}` : ''
  if ('loyalty_card' in entry && entry.loyalty_card) {
    const points = `${format.number(entry.loyalty_card.points)} points`
    if (off > 0) return `paid ${format.money(off)} of${onOrder} with ${points}`
    return entry.reward ? `bought “${entry.reward.name}” for ${points}` : `spent ${points}`
  }
  if ('gift' in entry && entry.gift) return `paid ${format.money(entry.gift.amount)}${order ? ` of${onOrder}` : ''}`
  if (off > 0) return `took ${format.money(off)} off${onOrder}`
  return order ? `was redeemed with${onOrder}` : 'was redeemed without an order'
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
