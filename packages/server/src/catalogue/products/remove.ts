import type { Ctx } from '../../core/context.ts'
import { shippingId } from '../../core/db/built-in-products.ts'
import { deleteBinEntriesOf, insertBinEntry } from '../../core/db/trash-bin.ts'
import { isProtected } from '../../core/http/errors.ts'
import { type FindReferences, refuseInUse } from '../../core/in-use.ts'
import { deleteSkus, hideSkus, listSkuIds } from '../skus/store.ts'
import type { GoodIds } from './goods.ts'
import type { Product } from './schema.ts'
import { deleteProduct, hideProduct } from './store.ts'

declare module '../../core/reactions.ts' {
  interface References {
    /** Validation rules, static collections, earning rules and discounts (docs/reference/products.md#product-endpoints). */
    goods: ReadonlyArray<FindReferences<GoodIds>>
  }
}

/**
 * Deletes a product with its SKUs: into the bin, where their source ids stay taken and which has no restore, or permanently with
 * `force` (docs/reference/products.md#product-endpoints). The caller has locked the product, so no SKU can be added concurrently.
 */
export async function removeProduct(ctx: Ctx, { id, name }: Product, force: boolean): Promise<void> {
  if (id === shippingId) throw isProtected('product', id)
  const skus = await listSkuIds(ctx, id)
  await refuseInUse(ctx, 'product', id, ctx.references.goods, { products: [id], skus })
  if (force) return destroyProduct(ctx, id)
  await hideSkus(ctx, { product_id: id })
  await hideProduct(ctx, id)
  // One bin entry for the product and its SKUs: emptying the bin deletes them together.
  await insertBinEntry(ctx, {
    resource_type: 'product',
    resource_id: id,
    resource_name: name,
    resource_parent_id: null,
  })
}

/** Permanently deletes a product that is locked or in the bin, with all its SKUs, including SKUs already in the bin. */
export async function destroyProduct(ctx: Ctx, id: string): Promise<void> {
  // Bin entries first, in the same order as emptying the bin does; otherwise the two would deadlock.
  await deleteBinEntriesOf(ctx, { product_id: id })
  await deleteSkus(ctx, { product_id: id })
  await deleteProduct(ctx, id)
}
