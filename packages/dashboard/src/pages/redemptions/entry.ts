import type { Schemas } from '../../api/client.ts'
import type { Format } from '../../ui/format.tsx'
import type { Tone } from '../../ui/state.tsx'
import { refusedIn } from '../../words/redemptions.ts'
import type { RefusedObject } from '../../words/refusals.ts'

export type Redemption = Schemas['Redemption']
export type Rollback = Schemas['RedemptionRollback']
export type Entry = Schemas['RedemptionEntry']

export const isRollback = (entry: Entry): entry is Rollback => entry.object === 'redemption_rollback'

/** What became of it, in a word or two. */
export function resultOf(entry: Entry): { tone: Tone; text: string } {
  if (isRollback(entry))
    return entry.result === 'SUCCESS' ? { tone: 'info', text: 'Rollback' } : { tone: 'bad', text: 'Rollback refused' }
  if (entry.result === 'FAILURE') return { tone: 'bad', text: 'Refused' }
  return entry.status === 'ROLLED_BACK' ? { tone: 'neutral', text: 'Rolled back' } : { tone: 'good', text: 'Redeemed' }
}

/** The ids of what was redeemed together with it; undefined for what was redeemed alone. */
export function stackOf(entry: Entry): string[] | undefined {
  if (entry.related_object_type !== 'redemption' || entry.result === 'FAILURE') return undefined
  const id = isRollback(entry) ? entry.redemption : entry.id
  const noted = id === undefined ? undefined : entry.order?.redemptions?.[id]
  return noted?.stacked ?? []
}

/** What was redeemed: a code, a promotion by its name, or several together. */
export function subjectOf(entry: Entry): { text: string; isCode: boolean } {
  if (entry.voucher) return { text: entry.voucher.code, isCode: true }
  if (entry.promotion_tier) return { text: entry.promotion_tier.name, isCode: false }
  const stack = stackOf(entry)
  if (stack) return { text: stack.length > 0 ? `${stack.length} together` : 'Several together', isCode: false }
  return { text: entry.failure_code === 'not_found' ? 'Unknown code' : 'Several codes', isCode: false }
}

export function customerName(customer: Entry['customer']): string | undefined {
  if (!customer) return undefined
  return customer.name || customer.email || customer.source_id || customer.id
}

type OrderIds = { id: string; source_id?: string | number | null | undefined }

/** `#1042`; what is no number stands alone. */
export function orderName(order: OrderIds | null): string | undefined {
  if (!order) return undefined
  const own = order.source_id === null || order.source_id === undefined ? '' : String(order.source_id)
  if (own === '') return order.id
  return /^\d/.test(own) ? `#${own}` : own
}

/** `order #1042`; the word once, where the shop's own name of it begins with it. */
export function orderPhrase(order: OrderIds | null): string | undefined {
  const name = orderName(order)
  return name === undefined || /^order/i.test(name) ? name : `order ${name}`
}

/** `Order #1042`: the beginning of a sentence. A name that the shop gave stays as it is. */
export function orderTitle(order: OrderIds | null): string | undefined {
  const name = orderName(order)
  return name === undefined || /^order/i.test(name) ? name : `Order ${name}`
}

/** What this redemption itself took off its order, in cents. */
export function takenOff({ order }: Entry): number | undefined {
  return order?.total_applied_discount_amount ?? (order ? 0 : undefined)
}

/** What the order was before any discount. */
export const amountBefore = (order: Schemas['RedemptionOrder']) => order.initial_amount ?? order.amount

/** What a refusal can say about what was refused, with what is on a card now. */
export function refusedObject(entry: Entry, format: Format): RefusedObject {
  const { voucher } = entry
  return {
    ...refusedIn(entry, format),
    ...(voucher?.gift && { balance: format.money(voucher.gift.balance) }),
    ...(voucher?.loyalty_card && { balance: `${format.number(voucher.loyalty_card.balance)} points` }),
  }
}
