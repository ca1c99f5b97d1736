import type { ItemFacts } from '@guerdon/engine/schema'
import { findGoods, type Goods } from '../catalogue/products/goods.ts'
import { type Overrides, overrideGoods } from '../catalogue/products/override.ts'
import type { Ctx } from '../core/context.ts'
import type { ItemInput } from './input.ts'
import { goodKeys, withCatalogue } from './lines.ts'

export type SentLine = ItemInput & ItemFacts

/** Writes the `override` data of the lines to the catalogue, then returns the lines with their catalogue data. */
export async function linesWithCatalogue(
  ctx: Ctx,
  items: readonly ItemInput[],
): Promise<{ lines: SentLine[]; goods: Goods }> {
  const keys = goodKeys(items)
  const known = await findGoods(ctx, keys)
  const overrides = overridesOf(items, known)
  const hasOverrides = overrides.products.length + overrides.skus.length > 0
  const goods = hasOverrides ? await overrideGoods(ctx, keys, overrides) : known
  return { lines: withCatalogue<SentLine>(items, goods), goods }
}

/** Writes the `override` data of the lines to the catalogue. */
export async function writeOverrides(ctx: Ctx, items: readonly ItemInput[]): Promise<void> {
  await linesWithCatalogue(ctx, items)
}

/**
 * The overrides of the lines that name a product or SKU (docs/reference/orders.md#input). A known good is keyed by our id,
 * whichever key the line uses; an unknown one is keyed by the first key of the line.
 */
function overridesOf(items: readonly ItemInput[], known: Goods): Overrides {
  const products: Overrides['products'][number][] = []
  const skus: Overrides['skus'][number][] = []
  for (const line of withCatalogue<SentLine>(items, known)) {
    const { product, sku } = line
    const [keyOfProduct, keyOfSku] = [productKey(line), skuKey(line)]
    if (product?.override === true && keyOfProduct !== undefined)
      products.push({ key: keyOfProduct, name: product.name, price: product.price, metadata: product.metadata })
    if (sku?.override === true && keyOfSku !== undefined)
      skus.push({ key: keyOfSku, product_key: keyOfProduct, name: sku.sku, price: sku.price, metadata: sku.metadata })
  }
  return { products, skus }
}

const productKey = ({ product_id, source_id, related_object, product }: ItemInput): string | undefined =>
  product_id ?? (related_object === 'sku' ? undefined : source_id) ?? product?.source_id ?? product?.id

const skuKey = ({ sku_id, source_id, related_object, sku }: ItemInput): string | undefined =>
  sku_id ?? (related_object === 'sku' ? source_id : undefined) ?? sku?.source_id ?? sku?.id
