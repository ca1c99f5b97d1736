import type { Ctx } from '../context.ts'
import { isProtected } from '../http/errors.ts'
import { deleteSkus, hideSkus, listSkuIds } from '../skus/store.ts'
import { shipping_id } from './built-in.ts'
import { refuseInUse } from './in-use.ts'
import type { Product } from './schema.ts'
import { deleteProduct, hideProduct } from './store.ts'

/**
 * Deletes a product with its SKUs: into the bin, where their source ids stay taken and from which nothing returns, or,
 * forced, for good (spec 04, 5.2). The caller has locked it, so that no SKU is added meanwhile.
 */
export async function removeProduct(ctx: Ctx, { id }: Product, force: boolean): Promise<void> {
  if (id === shipping_id) throw isProtected('product', id)
  await refuseInUse(ctx, 'product', id, { products: [id], skus: await listSkuIds(ctx, id) })
  if (force) {
    await deleteSkus(ctx, { product_id: id })
    await deleteProduct(ctx, id)
  } else {
    await hideSkus(ctx, { product_id: id })
    await hideProduct(ctx, id)
  }
}
