import { type Asked, isObject } from './question.ts'

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

/** The outcome that an answer to a question about these redeemables stands for, whichever of the operations gave it. */
export function outcomeOf(status: number, answer: unknown, asked: readonly Asked[]): Outcome {
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
  return { kind: 'valid', applied: appliedIds(answer, asked), money: moneyOf(answer.order) }
}

/** Keys of malformed requests; all others say why a redeemable is not usable. */
const isReason = (key: string): boolean =>
  !['invalid_payload', 'missing_redeemables', 'invalid_order', ''].includes(key)

/** As a refused redemption has it: the reason of the first that does not apply, or else of the first that was skipped. */
function refusalOf(answer: Answer): Outcome {
  const lists = [answer.redeemables, answer.inapplicable_redeemables, answer.skipped_redeemables]
  const entries = lists.flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []))
  const first = entries.find(hasStatus('INAPPLICABLE')) ?? entries.find(hasStatus('SKIPPED'))
  const result = isObject(first?.result) ? first.result : answer
  const reason = [result.error, result.details].find(isObject) ?? answer
  return { kind: 'refused', key: keyOf(reason), redeemable: textOf(first?.id) }
}

const hasStatus = (wanted: string) => (entry: Answer) => entry.status === wanted

/** In the order in which they were applied, by the names that the question has for them. */
function appliedIds(answer: Answer, asked: readonly Asked[]): string[] {
  const applied = appliedNames(answer)
  const [only, ...others] = asked
  // About one redeemable there is one answer, whatever it calls it. Of a stack the tiers are applied.
  if (only !== undefined && others.length === 0 && only.object !== 'promotion_stack' && applied.length === 1)
    return [only.id]
  return applied.map((names) => askedId(names, asked))
}

/** The names of each: a validation repeats what was asked, a redemption has the code as it is stored, and the id of the voucher. */
function appliedNames(answer: Answer): string[][] {
  if (Array.isArray(answer.redemptions)) return answer.redemptions.map(redeemedNames)
  if (answer.object === 'redemption') return [redeemedNames(answer)]
  if (!Array.isArray(answer.redeemables)) return [namesIn(answer.code, answer.id)]
  return answer.redeemables
    .filter(isObject)
    .filter(hasStatus('APPLICABLE'))
    .map(({ id }) => namesIn(id))
}

function redeemedNames(redemption: unknown): string[] {
  if (!isObject(redemption)) return []
  const { voucher, promotion_tier } = redemption
  if (isObject(voucher)) return namesIn(voucher.code, voucher.id)
  return isObject(promotion_tier) ? namesIn(promotion_tier.id) : []
}

/** Upper and lower case are the same only if nothing fits exactly: whether they are in the project, the answer does not say. */
function askedId(names: readonly string[], asked: readonly Asked[]): string {
  const lowerCase = names.map((name) => name.toLowerCase())
  const found =
    asked.find(({ id }) => names.includes(id)) ?? asked.find(({ id }) => lowerCase.includes(id.toLowerCase()))
  return found?.id ?? names[0] ?? ''
}

const namesIn = (...values: unknown[]): string[] => values.filter((value) => typeof value === 'string')

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
