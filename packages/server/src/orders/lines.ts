import type { ItemFacts, OrderFacts } from '@guerdon/engine/schema'
import { type GoodKeys, type Goods, lookupByKey } from '../catalogue/products/goods.ts'
import type { StoredOrder } from './order.ts'

/** The fields of a line by which the catalogue can find its product or SKU. */
type Line = Pick<ItemFacts, 'source_id' | 'related_object' | 'product_id' | 'sku_id'> & {
  product?: { id?: string | null; source_id?: string | null } | null
  sku?: { id?: string | null; source_id?: string | null } | null
}

/** The keys (ids or source ids) of the SKU of a line, the most reliable first (docs/reference/requests.md#order-lines). */
function skuKeys({ sku_id, sku, source_id, related_object }: Line): string[] {
  return withoutNulls([sku_id, sku?.id, related_object === 'sku' ? source_id : null, sku?.source_id])
}

/** The keys of the product of a line, which the line sells itself or as one of its SKUs. */
function productKeys({ product_id, product, source_id, related_object }: Line): string[] {
  return withoutNulls([product_id, product?.id, related_object === 'sku' ? null : source_id, product?.source_id])
}

/** The keys of all products and SKUs to load for these lines. */
export function goodKeys(lines: readonly Line[]): GoodKeys {
  return {
    products: [...new Set(lines.flatMap(productKeys))],
    skus: [...new Set(lines.flatMap(skuKeys))],
  }
}

/**
 * Adds catalogue data to lines. A known SKU determines the product, even if the line names another one. Known goods get our
 * id, also where the line sent a source id; unknown ids are kept as sent.
 */
export function withCatalogue<T extends ItemFacts>(lines: readonly T[], goods: Goods): T[] {
  const [findProduct, findSku] = [lookupByKey(goods.products), lookupByKey(goods.skus)]
  return lines.map((line) => {
    const sku = firstKnown(skuKeys(line), findSku)
    const product = sku === undefined ? firstKnown(productKeys(line), findProduct) : findProduct(sku.product_id)
    return {
      ...line,
      ...(sku === undefined ? {} : { sku_id: sku.id }),
      ...(product === undefined ? {} : { product_id: product.id }),
      catalogue: { product: product ?? null, sku: sku ?? null },
    }
  })
}

/** A stored order as input of the engine; `goods` are the products and SKUs found by `goodKeys` of its lines. */
export function orderFactsOf(order: StoredOrder, goods: Goods): OrderFacts {
  const { id, source_id, status, amount, initial_amount, discount_amount, metadata, items } = order
  return {
    id,
    source_id,
    status,
    amount,
    initial_amount,
    discount_amount,
    metadata,
    items: withCatalogue<ItemFacts>(items, goods),
  }
}

function firstKnown<Good>(keys: readonly string[], find: (key: string) => Good | undefined): Good | undefined {
  for (const key of keys) {
    const good = find(key)
    if (good !== undefined) return good
  }
  return undefined
}

const withoutNulls = (keys: ReadonlyArray<string | null | undefined>): string[] => keys.filter((key) => key != null)
