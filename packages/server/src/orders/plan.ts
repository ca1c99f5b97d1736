import type { Goods } from '../catalogue/products/goods.ts'
import type { Ctx } from '../core/context.ts'
import { newId } from '../core/lib/ids.ts'
import { loadMetadataRules, type MetadataRules, refuseUnlessStorable } from '../definitions/metadata-schemas/rules.ts'
import { amountsOf } from './amounts.ts'
import { clientOrderAfter, refuseUnconfirmed, withoutClientFields } from './client-order.ts'
import { linesWithCatalogue } from './goods.ts'
import type { ItemInput, OrderInput } from './input.ts'
import type { StoredOrder } from './order.ts'
import { type People, peopleOf } from './people.ts'
import type { OrderColumns } from './store.ts'

/** The metadata rules for orders, their lines and their customers. */
export interface OrderRules {
  order: MetadataRules
  order_item: MetadataRules
  customer: MetadataRules
}

export interface WriteOptions {
  /** Preloaded by callers that write many orders. */
  rules?: OrderRules
  /** An import emits no events about the orders it changes (docs/reference/orders.md#endpoints). */
  is_import?: boolean
  /** The request replaces an order that a page created (`replacesClientOrder`). */
  replaces?: boolean
}

export async function loadOrderRules(ctx: Ctx): Promise<OrderRules> {
  return {
    order: await loadMetadataRules(ctx, 'order'),
    order_item: await loadMetadataRules(ctx, 'order_item'),
    customer: await loadMetadataRules(ctx, 'customer'),
  }
}

/**
 * Computes the columns and the customers of an order after a request, without saving the order. `stored` is the order so far,
 * locked, or null for a new one. Writes the customers and the overridden catalogue goods on the way.
 */
export async function planOrder(
  ctx: Ctx,
  stored: StoredOrder | null,
  sent: OrderInput,
  { rules, is_import = false, replaces = false }: WriteOptions,
): Promise<{ columns: OrderColumns; people: People; goods: Goods | null }> {
  const before = stored !== null && replaces ? withoutClientFields(stored) : stored
  const metadata = await metadataOf(ctx, replaces ? null : before, sent, rules)
  const { lines, goods } =
    sent.items === undefined
      ? { lines: null, goods: null }
      : await linesWithCatalogue(ctx, await checkItems(ctx, sent.items, rules))
  const amounts = amountsOf(before, sent, lines)
  const people = await peopleOf(
    ctx,
    before,
    sent,
    { ...(rules === undefined ? {} : { rules: rules.customer }), silent: is_import ? 'all' : 'no' },
    stored?.customer_id ?? null,
  )
  const { customer_id, referrer_id } = people
  const columns: OrderColumns = {
    id: before?.id ?? newId('order', Date.parse(ctx.now)),
    source_id: sent.source_id === undefined ? (before?.source_id ?? null) : sent.source_id,
    status: sent.status ?? before?.status ?? 'CREATED',
    ...amounts,
    metadata,
    customer_id,
    referrer_id,
    redemptions: before?.redemptions ?? null,
    // Lines in the request replace the stored ones, and no redemption has discounted them yet.
    discounted_goods: lines === null ? (before?.discounted_goods ?? null) : null,
    client_order: clientOrderAfter(before, sent),
    created_at: sent.created_at ?? before?.created_at ?? ctx.now,
    updated_at: before === null ? null : ctx.now,
  }
  refuseUnconfirmed(columns)
  return { columns, people, goods }
}

async function metadataOf(
  ctx: Ctx,
  before: StoredOrder | null,
  { metadata: sent = {} }: OrderInput,
  rules: OrderRules | undefined,
): Promise<Record<string, unknown>> {
  const { check, merged } = rules?.order ?? (await loadMetadataRules(ctx, 'order'))
  if (before !== null) return merged(before.metadata, sent)
  check(sent, { isNew: true })
  return sent
}

/** A request replaces all lines, so each is checked as new. Metadata of products and SKUs only has to be storable. */
async function checkItems(
  ctx: Ctx,
  items: readonly ItemInput[],
  rules: OrderRules | undefined,
): Promise<readonly ItemInput[]> {
  if (items.length === 0) return items
  const { check } = rules?.order_item ?? (await loadMetadataRules(ctx, 'order_item'))
  for (const [index, { metadata = {}, product, sku }] of items.entries()) {
    const path = `.items[${index}]`
    check(metadata, { isNew: true, property: `${path}.metadata` })
    refuseUnlessStorable(product?.metadata ?? {}, `${path}.product.metadata`)
    refuseUnlessStorable(sku?.metadata ?? {}, `${path}.sku.metadata`)
  }
  return items
}
