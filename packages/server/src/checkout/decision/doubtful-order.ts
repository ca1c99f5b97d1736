import { calculateOrder, money } from '@guerdon/engine'
import type { ItemFacts } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { warn } from '../../core/http/warnings.ts'
import type { Checkout } from './facts.ts'

/** Warns of an order that was probably not meant as it was sent (docs/reference/requests.md#warnings). */
export function warnOfOrder(ctx: Ctx, checkout: Checkout): void {
  const lines = sentLines(checkout)
  if (lines.length === 0) return
  const unknown = lines.flatMap((line, index) => (isUnknown(line) ? [`line ${index + 1}${nameOf(line)}`] : []))
  if (unknown.length > 0) {
    const others = unknown.length > namedMax ? ` and ${unknown.length - namedMax} more` : ''
    warn(
      ctx,
      `The order counts ${unknown.slice(0, namedMax).join(', ')}${others} as nothing: no known product or SKU, and neither a price nor an amount.`,
    )
  }
  const amount = checkout.request.order?.amount
  const sum = amount == null ? null : sumOf(lines)
  if (amount != null && sum !== null && amount !== sum)
    warn(ctx, `The order counts as ${money(amount)}, its amount, but its lines are ${money(sum)} together.`)
}

/** Lines that a warning names; it counts the others. */
const namedMax = 3

/** Refuses a redemption of lines that count as nothing, unless the request allows it or says what the order amounts to. */
export function refuseUnknownLines(checkout: Checkout): void {
  const { order, allows_unknown_items } = checkout.request
  if (allows_unknown_items || order?.amount != null) return
  for (const [index, line] of sentLines(checkout).entries())
    if (isUnknown(line))
      throw invalidPayload(
        `Property .order.items[${index}]${nameOf(line)} must have a price or an amount, as it is no known product or SKU; options.allow_unknown_items counts it as nothing`,
      )
}

/** The lines of the request; none where those of a stored order count. */
function sentLines({ request: { order }, rows, facts }: Checkout): readonly ItemFacts[] {
  const isStored = rows.order !== null && rows.replaced_order === null && order?.id === undefined
  return order?.items === undefined || isStored ? [] : (facts.order?.items ?? [])
}

const isUnknown = ({ amount, price, product, sku, catalogue }: ItemFacts): boolean =>
  (amount ?? price ?? sku?.price ?? product?.price ?? catalogue?.sku ?? catalogue?.product) == null

function nameOf({ source_id, sku_id, product_id }: ItemFacts): string {
  const name = source_id ?? sku_id ?? product_id
  return name == null ? '' : ` ("${name}")`
}

/** What the lines amount to; null if one of them is unknown, or if that is too large. */
function sumOf(lines: readonly ItemFacts[]): number | null {
  try {
    const { items } = calculateOrder({ items: [...lines] })
    return items.every(({ amount }) => amount !== undefined)
      ? items.reduce((sum, { amount = 0 }) => sum + amount, 0)
      : null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
