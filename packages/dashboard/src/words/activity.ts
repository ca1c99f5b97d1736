import type { Schemas } from '../api/client.ts'
import type { Format } from '../ui/format.tsx'
import type { Tone } from '../ui/state.tsx'
import { loyaltySayings } from './activity-loyalty.ts'
import { orderWords, plainMoney, pointsWords, whatItGives } from './gives.ts'
import { capital, type Data, type Happening, type Say } from './happening.ts'
import { nameOf } from './people.ts'
import { refusalSentence, refusedCode } from './refusals.ts'

const card = ({ voucher }: Data) => voucher?.code ?? 'a card'
const plain = (words: string, tone: Tone = 'neutral'): Say => {
  return () => ({ words, tone })
}
const aboutOrder = (verb: string, tone: Tone): Say => {
  return ({ order }, format) => ({
    words: `${order ? capital(orderWords(order)) : 'An order'} was ${verb}`,
    detail: order?.amount === undefined ? undefined : plainMoney(order.total_amount ?? order.amount, format),
    tone,
    order: order?.id,
  })
}

const sayings: Record<string, Say> = {
  ...loyaltySayings,
  'customer.created': plain('Became a customer', 'info'),
  'customer.updated': plain('The profile was changed'),
  'customer.deleted': plain('The customer was deleted', 'bad'),
  'customer.order.created': aboutOrder('made', 'neutral'),
  'customer.order.updated': aboutOrder('changed', 'neutral'),
  'customer.order.paid': aboutOrder('paid', 'good'),
  'customer.order.fulfilled': aboutOrder('fulfilled', 'good'),
  'customer.order.canceled': aboutOrder('cancelled', 'warn'),
  'customer.redemption.succeeded': ({ redemption, voucher, order }, format) => ({
    words: `Used ${voucher?.code ?? redemption?.promotion_tier?.name ?? 'a promotion'}`,
    detail: usedDetail(redemption, order, format),
    tone: 'good',
    redemption: redemption?.id,
  }),
  'customer.redemption.failed': ({ redemption, voucher }, format) => ({
    words: `${voucher?.code ?? 'A code'} was refused`,
    detail: refusalSentence(
      { key: redemption?.failure_code, message: redemption?.failure_message },
      voucher ? refusedCode(voucher, format) : undefined,
    ),
    tone: 'bad',
    redemption: redemption?.id,
  }),
  'customer.redemption.rollback.succeeded': ({ redemption, rollback, voucher }) => ({
    words: `The use of ${voucher?.code ?? 'a code'} was rolled back`,
    detail: rollback?.reason,
    tone: 'warn',
    redemption: redemption?.id,
  }),
  'customer.redemption.rollback.failed': ({ redemption, voucher }) => ({
    words: `A rollback of ${voucher?.code ?? 'a code'} was refused`,
    tone: 'bad',
    redemption: redemption?.id,
  }),
  'customer.validation.succeeded': ({ validation }) => ({
    words: `Checked ${codesOf(validation)}: it would work`,
    tone: 'neutral',
  }),
  'customer.validation.failed': ({ validation }) => {
    const error = validation?.redeemables?.find(({ result }) => result?.error)?.result?.error
    return {
      words: `Checked ${codesOf(validation)}: it would be refused`,
      detail: error && refusalSentence(error),
      tone: 'warn',
    }
  },
  'customer.publication.succeeded': ({ publication, campaign }, format) => {
    const voucher = publication?.voucher
    const codes = publication?.vouchers?.join(', ')
    return {
      words: `Was given ${voucher?.code ?? codes ?? 'a code'}`,
      detail: [voucher && whatItGives(voucher, format), campaign?.name].filter(Boolean).join(' · '),
      tone: 'info',
      code: voucher?.code,
    }
  },
  'customer.publication.failed': ({ publication, campaign }) => ({
    words: `${publication?.vouchers?.[0] ?? (campaign?.name ? `A code of ${campaign.name}` : 'A code')} could not be given`,
    detail: refusalSentence({ key: publication?.failure_code, message: publication?.failure_message }),
    tone: 'bad',
  }),
  'customer.voucher.gift.balance_added': ({ balance, transaction, voucher }, format) => ({
    words: `Got ${plainMoney(balance?.amount ?? 0, format)} on ${voucher?.code ?? 'a gift card'}, by hand`,
    detail: transaction?.reason ?? undefined,
    tone: 'info',
    code: voucher?.code,
  }),
  'customer.voucher.deleted': (data) => ({ words: `${card(data)} was deleted`, tone: 'warn' }),
  'customer.segment.entered': ({ segment }) => ({ words: `Entered the segment ${segment?.name ?? ''}`, tone: 'info' }),
  'customer.segment.left': ({ segment }) => ({ words: `Left the segment ${segment?.name ?? ''}`, tone: 'neutral' }),
  'customer.referred': ({ referrer, campaign }) => ({
    words: `Was referred by ${referrer ? nameOf(referrer) : 'another customer'}`,
    detail: campaign?.name ?? undefined,
    tone: 'good',
  }),
  'customer.custom_event': ({ event }) => ({ words: `Did “${event?.type ?? 'something'}”`, tone: 'neutral' }),
  'customer.holder.assignment.created': (data) => ({
    words: `Was given the referral code ${card(data)}`,
    tone: 'info',
  }),
  'customer.holder.assignment.deleted': (data) => ({ words: `Lost the referral code ${card(data)}`, tone: 'warn' }),
}

/** These repeat what another event of the same moment says. */
const echoes = new Set([
  'customer.loyalty.updated',
  'customer.reward_redemptions.created',
  'customer.reward_redemptions.completed',
])

/** An event of a customer's life as a sentence; null for what another event says already. */
export function happeningOf({ type, data }: Pick<Schemas['Activity'], 'type' | 'data'>, format: Format) {
  if (echoes.has(type)) return null
  const say = sayings[type]
  if (say) return say(data as Data, format)
  return sendingOf(type)
}

const sendings: Record<string, [words: string, tone: Tone]> = {
  sent: ['A message was sent', 'neutral'],
  recovered: ['A message was sent after a failure', 'neutral'],
  failed: ['A message could not be sent', 'bad'],
}

/** `customer.email.sent` and its kin; what a newer service may add is said by its own name. */
function sendingOf(type: string): Happening {
  const [, channel = '', outcome = ''] = type.split('.')
  const sending = sendings[outcome]
  if (sending) return { words: `${sending[0]} by ${channel}`, tone: sending[1] }
  return { words: capital(type.replace(/^customer\./, '').replaceAll(/[._]/g, ' ')), tone: 'neutral' }
}

function usedDetail(redemption: Data['redemption'], order: Data['order'], format: Format): string | undefined {
  const on = order ? ` on ${orderWords(order)}` : ''
  if (redemption?.loyalty_card) return `${pointsWords(redemption.loyalty_card.points, format)} spent${on}`
  if (redemption?.gift) return `${plainMoney(redemption.gift.amount, format)} paid${on}`
  const off = redemption?.order?.total_applied_discount_amount ?? redemption?.order?.total_discount_amount
  return off === undefined ? undefined : `${plainMoney(off, format)} off${on}`
}

function codesOf(validation: Data['validation']): string {
  const ids = validation?.redeemables?.flatMap(({ id }) => (id ? [id] : [])) ?? []
  return ids.length === 0 ? 'a code' : ids.join(', ')
}
