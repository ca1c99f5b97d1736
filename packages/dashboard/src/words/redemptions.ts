import type { Schemas } from '../api/client.ts'
import type { Format } from '../ui/format.tsx'
import type { Tone } from '../ui/state.tsx'
import { orderWords, plainMoney, pointsWords } from './gives.ts'
import { type RefusedObject, refusalSentence, refusedCode } from './refusals.ts'

type Entry = Schemas['RedemptionEntry']

/** What became of a try to use a code. */
export function outcomeOf(entry: Entry): { word: string; tone: Tone } {
  if (entry.object === 'redemption_rollback') {
    return entry.result === 'SUCCESS' ? { word: 'Rollback', tone: 'warn' } : { word: 'Rollback refused', tone: 'bad' }
  }
  if (entry.result === 'FAILURE') return { word: 'Refused', tone: 'bad' }
  return entry.status === 'ROLLED_BACK' ? { word: 'Rolled back', tone: 'warn' } : { word: 'Used', tone: 'good' }
}

/** What a refusal can say about what was refused. */
export function refusedIn({ voucher }: Entry, format: Format): RefusedObject {
  return voucher ? refusedCode(voucher, format) : {}
}

/** What it gave, or why it was refused, in one line. */
export function effectOf(entry: Entry, format: Format): string {
  if (entry.result === 'FAILURE') {
    return refusalSentence({ key: entry.failure_code, message: entry.failure_message }, refusedIn(entry, format))
  }
  if (entry.object === 'redemption_rollback') return entry.reason ?? 'Everything was given back.'
  const order = entry.order
  const at = order ? ` ${orderWords(order)}` : ''
  if (entry.loyalty_card) {
    const reward = entry.reward?.name ? ` on ${entry.reward.name}` : ''
    return `${pointsWords(entry.loyalty_card.points, format)} spent${reward}${at && `,${at}`}`
  }
  if (entry.gift) return `${plainMoney(entry.gift.amount, format)} paid${at && ` of${at}`}`
  const off = order?.total_applied_discount_amount
  return off === undefined ? 'Accepted' : `${plainMoney(off, format)} off${at}`
}
