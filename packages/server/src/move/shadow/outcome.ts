import { isObject } from './question.ts'

/** What an answer says about a cart, in the same form for validations and redemptions. */
export type Outcome =
  /** Not calculated: a malformed request, a lost connection, an answer of an unknown form. */
  | { kind: 'failed'; status: number; key: string }
  | { kind: 'refused'; key: string; redeemable: string | null }
  | { kind: 'valid'; applied: string[]; money: Money }

/** Amounts in minor units; null if the answer does not say. */
export interface Money {
  /** Before discounts. */
  amount: number | null
  discount: number | null
  total: number | null
  /** The discount of each line. */
  lines: number[]
}

type Answer = Record<string, unknown>

/** The outcome that an answer stands for, whichever of the operations gave it. */
export function outcomeOf(status: number, answer: unknown): Outcome {
  if (!isObject(answer)) return { kind: 'failed', status, key: 'unreadable answer' }
  if (status >= 500 || status === 401 || status === 403 || status === 429)
    return { kind: 'failed', status, key: keyOf(answer) }
  // A refused redemption is an error of the request; it names the redemption that failed, or what was not found.
  if (status >= 400) {
    const redeemable = textOf(answer.redeemable_id)
    const isRefusal =
      status === 404 || redeemable !== null || answer.resource_type === 'redemption' || isReason(keyOf(answer))
    return isRefusal
      ? { kind: 'refused', key: keyOf(answer), redeemable }
      : { kind: 'failed', status, key: keyOf(answer) }
  }
  if (answer.valid === false) return refusalOf(answer)
  return { kind: 'valid', applied: appliedIds(answer), money: moneyOf(answer.order) }
}

/** Keys of malformed requests; all others say why a redeemable is not usable. */
const isReason = (key: string): boolean =>
  !['invalid_payload', 'missing_redeemables', 'invalid_order', ''].includes(key)

function refusalOf(answer: Answer): Outcome {
  const lists = [answer.redeemables, answer.inapplicable_redeemables].filter(Array.isArray).flat() as unknown[]
  const first = lists.find((entry): entry is Answer => isObject(entry) && entry.status === 'INAPPLICABLE')
  const result = isObject(first?.result) ? first.result : answer
  return { kind: 'refused', key: keyOf(isObject(result.error) ? result.error : answer), redeemable: textOf(first?.id) }
}

/** In the order in which they were applied. A single voucher or tier is named by its code or id. */
function appliedIds(answer: Answer): string[] {
  if (Array.isArray(answer.redemptions)) return answer.redemptions.map(redeemedId)
  if (answer.object === 'redemption') return [redeemedId(answer)]
  if (!Array.isArray(answer.redeemables)) return [textOf(answer.code) ?? textOf(answer.id) ?? '']
  return answer.redeemables
    .filter((entry): entry is Answer => isObject(entry) && entry.status === 'APPLICABLE')
    .map(({ id }) => textOf(id) ?? '')
}

function redeemedId(redemption: unknown): string {
  if (!isObject(redemption)) return ''
  const { voucher, promotion_tier } = redemption
  if (isObject(voucher)) return textOf(voucher.code) ?? ''
  return isObject(promotion_tier) ? (textOf(promotion_tier.id) ?? '') : ''
}

function moneyOf(order: unknown): Money {
  if (!isObject(order)) return { amount: null, discount: null, total: null, lines: [] }
  const items = Array.isArray(order.items) ? order.items.filter(isObject) : []
  return {
    amount: numberOf(order.initial_amount) ?? numberOf(order.amount),
    discount: numberOf(order.total_applied_discount_amount) ?? numberOf(order.total_discount_amount),
    total: numberOf(order.total_amount),
    lines: items.map((item) => numberOf(item.total_discount_amount) ?? numberOf(item.discount_amount) ?? 0),
  }
}

const keyOf = ({ key, error }: Answer): string => textOf(key) ?? textOf(error) ?? ''
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)
