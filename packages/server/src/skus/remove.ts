import type { Ctx } from '../context.ts'
import { refuseInUse } from '../products/in-use.ts'
import type { Sku } from './schema.ts'
import { deleteSkus, hideSkus } from './store.ts'

/** Deletes an SKU that the caller has locked: into the bin, or, forced, for good. */
export async function removeSku(ctx: Ctx, { id }: Sku, force: boolean): Promise<void> {
  await refuseInUse(ctx, 'sku', id, { products: [], skus: [id] })
  if (force) await deleteSkus(ctx, { id })
  else await hideSkus(ctx, { id })
}
