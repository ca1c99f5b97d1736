import type { Schemas } from '../../api/client.ts'
import { centsOf } from '../../ui/field.tsx'
import { isGood } from './request.ts'
import type { Situation } from './situation.ts'

export type Outcome = Schemas['RedeemableResult']
type Validation = Schemas['Validation']
type Order = Schemas['CalculatedOrderView']

/** What became of each redeemable, in the order of application. Refused ones stand twice in some answers. */
export function outcomesOf({
  redeemables,
  inapplicable_redeemables = [],
  skipped_redeemables = [],
}: Validation): Outcome[] {
  const outcomes = new Map<string, Outcome>()
  for (const outcome of [...redeemables, ...inapplicable_redeemables, ...skipped_redeemables]) {
    const key = `${outcome.object} ${outcome.id}`
    if (!outcomes.has(key)) outcomes.set(key, outcome)
  }
  return [...outcomes.values()]
}

export const isApplied = ({ status }: Outcome) => status === 'APPLICABLE'

/** What one redeemable takes off, on the order and on its lines. */
export const amountOf = ({ order }: Outcome): number => order?.total_applied_discount_amount ?? 0

/** The order as the last redeemable leaves it: the lines with their names, added ones too. */
export function calculatedOf(validation: Validation | undefined, outcomes: readonly Outcome[]): Order | undefined {
  return validation?.order ?? outcomes.findLast(({ order }) => order !== undefined)?.order
}

/** What the cart costs by what was typed; undefined when a price is only in the catalogue. */
export function typedAmount({ lines }: Situation): number | undefined {
  let sum = 0
  for (const { quantity, price } of lines.filter(isGood)) {
    const cents = centsOf(price)
    if (cents === undefined) return undefined
    sum += cents * Number(quantity)
  }
  return lines.length === 0 ? undefined : sum
}

type Item = Order['items'][number]

export const itemName = ({ sku, product, source_id, sku_id, product_id }: Item, index: number): string =>
  sku?.sku ?? product?.name ?? source_id ?? sku_id ?? product_id ?? `Line ${index + 1}`

/** The names of the lines, for the steps of explanations. */
export function lineNames(order: Order | undefined, { lines }: Situation): string[] {
  const typed = lines.filter(isGood).map(({ name }, index) => name || `line ${index + 1}`)
  const calculated = (order?.items ?? []).map(itemName)
  return typed.length >= calculated.length ? typed : [...typed, ...calculated.slice(typed.length)]
}

/** What one redeemable takes off a line. */
export const offLine = ({ order }: Outcome, index: number): number => order?.items[index]?.applied_discount_amount ?? 0

/** The whole in one sentence: each redeemable by itself, or a sum where there are many. */
export function summaryOf(
  outcomes: readonly Outcome[],
  headlines: readonly string[],
  money: (cents: number) => string,
): string {
  if (outcomes.length <= 3) return headlines.join('; ')
  const applied = outcomes.filter(isApplied)
  const sum = applied.reduce((total, outcome) => total + amountOf(outcome), 0)
  const others = headlines.filter((_, index) => !isApplied(outcomes[index] as Outcome))
  const shown = others.slice(0, 2)
  const rest = others.length > shown.length ? [`${others.length - shown.length} more are not applied`] : []
  const first = applied.length > 0 ? [`${applied.length} discounts take ${money(sum)} off`] : ['Nothing is applied']
  return [...first, ...shown, ...rest].join('; ')
}
