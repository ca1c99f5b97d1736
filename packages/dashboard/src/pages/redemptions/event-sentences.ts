import type { Schemas } from '../../api/client.ts'
import type { Format } from '../../ui/format.tsx'
import { orderTitle } from './entry.ts'

/** An event as a sentence. What only repeats another event of the same request has none. */
export function eventSentence(
  { type, data }: Pick<Schemas['StoredEvent'], 'type' | 'data'>,
  format: Format,
): string | undefined {
  const of = (...path: string[]) => read(data, path)
  const name = text(of('customer', 'name')) ?? text(of('customer', 'email')) ?? 'The customer'
  const campaign = text(of('campaign', 'name'))
  const order = orderSubject(of('order'))
  switch (type) {
    case 'voucher.loyalty_card.transaction.created':
    case 'voucher.gift.transaction.created':
      return transactionSentence(of('transaction'), text(of('voucher', 'code')), format)
    case 'voucher.loyalty_card.pending_points.added':
      return `${count(of('pending_points', 'points'), format)} will be earned later${campaign ? ` in “${campaign}”` : ''}.`
    case 'voucher.loyalty_card.pending_points.canceled':
      return 'Points that were still pending were canceled.'
    case 'customer.rewarded': {
      const reward = text(of('reward', 'name'))
      return reward && `${name} received the reward “${reward}”.`
    }
    case 'customer.reward_redemptions.pending':
      return 'The reward waits for somebody to hand it over.'
    case 'customer.reward_redemptions.rolledback':
      return 'The reward was taken back.'
    case 'customer.created':
      return `${name} was stored as a new customer.`
    case 'customer.order.created':
      return order && `${order} was stored.`
    case 'customer.order.paid':
      return order && `${order} was marked as paid.`
    case 'customer.order.fulfilled':
      return order && `${order} was marked as fulfilled.`
    case 'customer.order.canceled':
      return order && `${order} was canceled.`
    case 'customer.referred':
      return `${name} was counted as referred.`
    case 'customer.segment.entered':
      return `${name} entered the segment “${text(of('segment', 'name')) ?? ''}”.`
    case 'customer.segment.left':
      return `${name} left the segment “${text(of('segment', 'name')) ?? ''}”.`
    case 'customer.loyalty.tier.joined':
    case 'customer.loyalty.tier.upgraded':
      return `${name} reached the tier “${text(of('loyalty_tier', 'name')) ?? ''}”${campaign ? ` of “${campaign}”` : ''}.`
    case 'customer.loyalty.tier.left':
    case 'customer.loyalty.tier.downgraded':
      return `${name} fell from a tier${campaign ? ` of “${campaign}”` : ''}.`
    case 'voucher.published':
      return `The code ${text(of('voucher', 'code')) ?? ''} was given to ${name}.`
    default:
      return undefined
  }
}

function transactionSentence(transaction: unknown, code: string | undefined, format: Format): string | undefined {
  const of = (...path: string[]) => read(transaction, path)
  const balance = of('details', 'balance')
  const left = read(balance, ['balance'])
  const rule = text(of('details', 'earning_rule', 'source', 'banner'))
  const points = counted(read(balance, ['points']), format)
  const amount = format.money(Math.abs(Number(read(balance, ['amount']) ?? 0)))
  const card = code ? ` card ${code}` : ' the card'
  const pointsLeft = typeof left === 'number' ? `, which now holds ${count(left, format)}` : ''
  const moneyLeft = typeof left === 'number' ? `, which now holds ${format.money(left)}` : ''
  switch (of('type')) {
    case 'POINTS_REDEMPTION':
      return `${points} spent from${card}${pointsLeft}.`
    case 'POINTS_ACCRUAL':
      return `${points} earned${rule ? ` by “${rule}”` : ''} on${card}${pointsLeft}.`
    case 'POINTS_REFUND':
      return `${count(read(balance, ['points']), format)} went back on${card}${pointsLeft}.`
    case 'CREDITS_REDEMPTION':
      return `${amount} was taken from gift${card}${moneyLeft}.`
    case 'CREDITS_REFUND':
      return `${amount} went back on gift${card}${moneyLeft}.`
    default:
      return undefined
  }
}

/** `1 point was`, `300 points were` */
function counted(value: unknown, format: Format): string {
  return `${count(value, format)} ${Math.abs(Number(value ?? 0)) === 1 ? 'was' : 'were'}`
}

function count(value: unknown, { number }: Format): string {
  const points = Math.abs(Number(value ?? 0))
  return points === 1 ? '1 point' : `${number(points)} points`
}

function read(value: unknown, path: readonly string[]): unknown {
  let at = value
  for (const key of path) at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined
  return at
}

/** `Order #1042`: the beginning of a sentence. */
function orderSubject(order: unknown): string | undefined {
  const id = text(read(order, ['id']))
  return orderTitle({ id: id ?? '', source_id: text(read(order, ['source_id'])) })
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
