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
  const calculated = (order?.items ?? []).map(itemName)
  const typed = lines.filter(isGood).map(({ name }, index) => name || (calculated[index] ?? `line ${index + 1}`))
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
  const applied = outcomes.filter(isApplied)
  const after = outcomes.filter(({ explanation }) => explanation?.reason?.key === 'preceding_validation_failed').length
  const lineOf = (wanted: (outcome: Outcome) => boolean) =>
    headlines.filter((_, index) => {
      const outcome = outcomes[index] as Outcome
      return wanted(outcome) && outcome.explanation?.reason?.key !== 'preceding_validation_failed'
    })
  const sum = applied.reduce((total, outcome) => total + amountOf(outcome), 0)
  const first = applied.length > 3 ? [`${applied.length} discounts take ${money(sum)} off`] : lineOf(isApplied)
  const refused = lineOf((outcome) => !isApplied(outcome))
  const shown = refused.slice(0, 2)
  const more = refused.length - shown.length
  return [
    ...first,
    ...shown,
    ...(more > 0 ? [`${more} more ${more === 1 ? 'is' : 'are'} not applied`] : []),
    ...(after > 0
      ? [`${after === 1 ? 'the one' : `the ${after}`} after it ${after === 1 ? 'is' : 'are'} left out`]
      : []),
  ].join('; ')
}
