import type { Ctx } from '../../core/context.ts'
import { insertBinEntry } from '../../core/db/trash-bin.ts'
import { refuseInUse } from '../../core/in-use.ts'
import type { Sku } from './schema.ts'
import { deleteSkus, hideSkus } from './store.ts'

/** Deletes an SKU that the caller has locked: into the bin, or permanently with `force`. */
export async function removeSku(ctx: Ctx, { id, sku, product_id }: Sku, force: boolean): Promise<void> {
  await refuseInUse(ctx, 'sku', id, ctx.references.goods, { products: [], skus: [id] })
  if (force) return destroySku(ctx, id)
  await hideSkus(ctx, { id })
  await insertBinEntry(ctx, {
    resource_type: 'sku',
    resource_id: id,
    resource_name: sku,
    resource_parent_id: product_id,
  })
}

/** Permanently deletes an SKU that is locked or in the bin. */
export const destroySku = (ctx: Ctx, id: string): Promise<void> => deleteSkus(ctx, { id })
