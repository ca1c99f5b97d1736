import type { Ctx } from '../../core/context.ts'
import { PrimaryNeededError } from '../../core/db/replicas.ts'
import { goodKeys } from '../../orders/lines.ts'
import type { Checkout } from './facts.ts'
import { loadRows } from './rows.ts'

/*
 * On a replica an unknown code, customer, product or order may just be too new for it (docs/decisions/0079-replicas.md).
 */

/** Leaves a refusal to the primary, if the request names what the replica that judged it does not know. */
export function refuseOnPrimary(ctx: Ctx, checkout: Checkout): void {
  if (ctx.primary !== undefined && namesUnknown(checkout)) throw new PrimaryNeededError()
}

/**
 * Asks the primary for the names that the replica does not know, and leaves the request to it if it knows one: for lists of what applies,
 * which would lack something. One lookup, because shops also send customers and goods that they never store.
 */
export async function checkNamesOnPrimary(ctx: Ctx, checkout: Checkout): Promise<void> {
  const { primary } = ctx
  if (primary === undefined || !namesUnknown(checkout)) return
  const { request, rows } = checkout
  const known = await loadRows(ctx, request, rows.configuration, { db: primary })
  if ('kept' in known) return
  const seen = new Set<string>(idsOf(rows))
  if (idsOf(known).some((id) => !seen.has(id))) throw new PrimaryNeededError()
}

const idsOf = ({
  vouchers,
  customers,
  goods: { products, skus },
  order,
}: Pick<Checkout['rows'], 'customers' | 'goods' | 'order'> & { vouchers: readonly { id: string }[] }): string[] =>
  [...vouchers, ...customers, ...products, ...skus, ...(order === null ? [] : [order])].map(({ id }) => id)

/** Whether a request names something that its rows do not contain. */
function namesUnknown({ request, rows, candidates }: Checkout): boolean {
  const { customer, order, referrer } = request
  const { goods, caller, is_unproven, customers } = rows
  if (candidates.some(({ facts }) => facts.kind === 'unknown' || hasUnknownReward(facts))) return true
  if (customer !== null && (customer.id ?? customer.source_id) !== null && caller === null && !is_unproven) return true
  if (referrer !== null && !customers.some(({ id, source_id }) => id === referrer || source_id === referrer))
    return true
  if (order === null) return false
  const isReference = order.items === undefined && order.amount === undefined
  if (isReference && order.source_id != null && rows.order === null) return true
  const { products, skus } = goodKeys(order.items ?? [])
  const known = new Set([...goods.products, ...goods.skus].flatMap(({ id, source_id }) => [id, source_id]))
  return [...products, ...skus].some((key) => !known.has(key))
}

const hasUnknownReward = (facts: Checkout['candidates'][number]['facts']): boolean =>
  facts.kind === 'loyalty_card' && facts.reward?.type === 'UNKNOWN'
