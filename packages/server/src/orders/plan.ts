import type { Goods } from '../catalogue/products/goods.ts'
import type { Ctx } from '../core/context.ts'
import { newId } from '../core/lib/ids.ts'
import { loadMetadataRules, type MetadataRules, refuseUnlessStorable } from '../definitions/metadata-schemas/rules.ts'
import { amountsOf } from './amounts.ts'
import { linesOf } from './goods.ts'
import type { ItemInput, OrderInput } from './input.ts'
import type { StoredOrder } from './order.ts'
import { type People, peopleOf } from './people.ts'
import type { OrderColumns } from './store.ts'

/** What the project demands of the metadata of orders, their lines and their customers. */
export interface OrderRules {
  order: MetadataRules
  order_item: MetadataRules
  customer: MetadataRules
}

export interface WriteOptions {
  /** Loaded once by whoever writes many. */
  rules?: OrderRules
  /** An import tells nobody of what it changes (docs/reference/orders.md#endpoints). */
  is_import?: boolean
}

export async function loadOrderRules(ctx: Ctx): Promise<OrderRules> {
  return {
    order: await loadMetadataRules(ctx, 'order'),
    order_item: await loadMetadataRules(ctx, 'order_item'),
    customer: await loadMetadataRules(ctx, 'customer'),
  }
}

/**
 * What an order becomes by what was sent, and whose it is: all but the writing of the order itself. `before` is locked; null:
 * it is new. The catalogue and the customers are brought up to date on the way.
 */
export async function planOrder(
  ctx: Ctx,
  before: StoredOrder | null,
  sent: OrderInput,
  { rules, is_import = false }: WriteOptions,
): Promise<{ columns: OrderColumns; people: People; goods: Goods | null }> {
  const metadata = await metadataOf(ctx, before, sent, rules)
  const { lines, goods } =
    sent.items === undefined
      ? { lines: null, goods: null }
      : await linesOf(ctx, await checkedItems(ctx, sent.items, rules))
  const amounts = amountsOf(before, sent, lines)
  const people = await peopleOf(ctx, before, sent, {
    ...(rules === undefined ? {} : { rules: rules.customer }),
    silent: is_import,
  })
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
    // Lines that were sent are new, and nothing has discounted them yet.
    discounted_goods: lines === null ? (before?.discounted_goods ?? null) : null,
    created_at: sent.created_at ?? before?.created_at ?? ctx.now,
    updated_at: before === null ? null : ctx.now,
  }
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

/** Lines are replaced as a whole, so that each is new. What they say of goods only has to be something we can store. */
async function checkedItems(
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
