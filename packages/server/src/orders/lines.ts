import type { ItemFacts, OrderFacts } from '@guerdon/engine/schema'
import { type GoodKeys, type Goods, namedBy } from '../catalogue/products/goods.ts'
import type { StoredOrder } from './order.ts'

/** What a line says of itself by which the catalogue may know it. */
type Line = Pick<ItemFacts, 'source_id' | 'related_object' | 'product_id' | 'sku_id'> & {
  product?: { id?: string | null; source_id?: string | null } | null
  sku?: { id?: string | null; source_id?: string | null } | null
}

/** The names of the SKU that a line sells, the most reliable first (docs/reference/requests.md#order-lines). */
function skuKeys({ sku_id, sku, source_id, related_object }: Line): string[] {
  return given([sku_id, sku?.id, related_object === 'sku' ? source_id : null, sku?.source_id])
}

/** The names of the product that a line sells, itself or as one of its SKUs. */
function productKeys({ product_id, product, source_id, related_object }: Line): string[] {
  return given([product_id, product?.id, related_object === 'sku' ? null : source_id, product?.source_id])
}

/** All that has to be looked up in the catalogue for some lines. */
export function goodKeys(lines: readonly Line[]): GoodKeys {
  return {
    products: [...new Set(lines.flatMap(productKeys))],
    skus: [...new Set(lines.flatMap(skuKeys))],
  }
}

/**
 * Lines with what the catalogue knows of them. The product of a known SKU is its own, whatever the line says. An id that
 * the catalogue knows becomes our own, also where the shop's was sent; every other is kept as it was given.
 */
export function withCatalogue<T extends ItemFacts>(lines: readonly T[], goods: Goods): T[] {
  const [productNamed, skuNamed] = [namedBy(goods.products), namedBy(goods.skus)]
  return lines.map((line) => {
    const sku = firstKnown(skuKeys(line), skuNamed)
    const product = sku === undefined ? firstKnown(productKeys(line), productNamed) : productNamed(sku.product_id)
    return {
      ...line,
      ...(sku === undefined ? {} : { sku_id: sku.id }),
      ...(product === undefined ? {} : { product_id: product.id }),
      catalogue: { product: product ?? null, sku: sku ?? null },
    }
  })
}

/** A stored order as it enters a calculation; `goods` are those that `goodKeys` of its lines name. */
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

function firstKnown<Good>(keys: readonly string[], named: (key: string) => Good | undefined): Good | undefined {
  for (const key of keys) {
    const good = named(key)
    if (good !== undefined) return good
  }
  return undefined
}

const given = (keys: ReadonlyArray<string | null | undefined>): string[] => keys.filter((key) => key != null)
