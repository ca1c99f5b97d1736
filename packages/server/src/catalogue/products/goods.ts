import type { Ctx } from '../../core/context.ts'
import type { Sku } from '../skus/schema.ts'
import { listSkusByKey } from '../skus/store.ts'
import type { Product } from './schema.ts'
import { listProductsByKey } from './store.ts'

/** Products and SKUs of the catalogue, as orders and the engine use them. */
export interface Goods {
  products: Product[]
  skus: Sku[]
}

/** Products and SKUs by their ids. */
export interface GoodIds {
  products: readonly string[]
  skus: readonly string[]
}

/** Keys of goods in orders: each an id or a source id of at most 255 characters. */
export interface GoodKeys {
  products: readonly string[]
  skus: readonly string[]
}

/**
 * Loads the goods with these keys, in one statement for SKUs and one for products. Includes the products of the SKUs: an SKU line
 * also counts as its product, and falls back to the product's price (docs/reference/rules.md#lines-and-references and
 * docs/reference/orders.md#amounts). Unknown keys are skipped.
 */
export async function findGoods(ctx: Ctx, keys: GoodKeys): Promise<Goods> {
  const skus = await listSkusByKey(ctx, keys.skus)
  const products = await listProductsByKey(ctx, [...keys.products, ...skus.map(({ product_id }) => product_id)])
  return { products, skus }
}

/** A lookup by key: an id takes precedence over a source id (docs/reference/products.md#ids-and-source-ids). */
export function lookupByKey<Good extends { id: string; source_id: string | null }>(
  goods: readonly Good[],
): (key: string) => Good | undefined {
  const byId = new Map(goods.map((good) => [good.id, good]))
  const bySourceId = new Map(goods.map((good) => [good.source_id, good]))
  return (key) => byId.get(key) ?? bySourceId.get(key)
}
