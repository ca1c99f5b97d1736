import type { ItemFacts } from '@guerdon/engine/schema'
import { findGoods, type Goods } from '../catalogue/products/goods.ts'
import { type Overrides, overrideGoods } from '../catalogue/products/override.ts'
import type { Ctx } from '../core/context.ts'
import type { ItemInput } from './input.ts'
import { goodKeys, withCatalogue } from './lines.ts'

export type SentLine = ItemInput & ItemFacts

/** The lines of a request with what the catalogue knows of them, once it has taken over what they say with `override`. */
export async function linesOf(ctx: Ctx, items: readonly ItemInput[]): Promise<{ lines: SentLine[]; goods: Goods }> {
  const keys = goodKeys(items)
  const known = await findGoods(ctx, keys)
  const overrides = overridesOf(items, known)
  const isWriting = overrides.products.length + overrides.skus.length > 0
  const goods = isWriting ? await overrideGoods(ctx, keys, overrides) : known
  return { lines: withCatalogue<SentLine>(items, goods), goods }
}

/** Brings the catalogue up to what lines say with `override`, and nothing else. */
export async function writeOverrides(ctx: Ctx, items: readonly ItemInput[]): Promise<void> {
  await linesOf(ctx, items)
}

/**
 * What lines say with `override` of goods that have a name (docs/reference/orders.md#input). What the catalogue knows goes by our
 * id, whichever of its names the line uses; what it does not know gets the first of its names.
 */
function overridesOf(items: readonly ItemInput[], known: Goods): Overrides {
  const products: Overrides['products'][number][] = []
  const skus: Overrides['skus'][number][] = []
  for (const line of withCatalogue<SentLine>(items, known)) {
    const { product, sku } = line
    const [productIndex, skuIndex] = [productKey(line), skuKey(line)]
    if (product?.override === true && productIndex !== undefined)
      products.push({ key: productIndex, name: product.name, price: product.price, metadata: product.metadata })
    if (sku?.override === true && skuIndex !== undefined)
      skus.push({ key: skuIndex, product_key: productIndex, name: sku.sku, price: sku.price, metadata: sku.metadata })
  }
  return { products, skus }
}

const productKey = ({ product_id, source_id, related_object, product }: ItemInput): string | undefined =>
  product_id ?? (related_object === 'sku' ? undefined : source_id) ?? product?.source_id ?? product?.id

const skuKey = ({ sku_id, source_id, related_object, sku }: ItemInput): string | undefined =>
  sku_id ?? (related_object === 'sku' ? source_id : undefined) ?? sku?.source_id ?? sku?.id
