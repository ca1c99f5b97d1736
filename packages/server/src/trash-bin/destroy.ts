import { destroyProduct } from '../catalogue/products/remove.ts'
import { destroySku } from '../catalogue/skus/remove.ts'
import type { Ctx } from '../core/context.ts'
import type { BinEntryRow } from '../core/db/tables.ts'
import type { BinnedResource } from '../core/db/trash-bin.ts'
import { destroyCampaign } from '../incentives/campaigns/remove.ts'
import { destroyVouchers } from '../incentives/vouchers/remove.ts'

/** Permanently deletes the resource whose entry the caller has just deleted from the bin (docs/reference/trash-bin.md). */
export const destroyBinned = (ctx: Ctx, { resource_type, resource_id }: BinnedResource): Promise<void> =>
  destroy[resource_type](ctx, resource_id)

const destroy: { [Type in BinEntryRow['resource_type']]: (ctx: Ctx, id: string) => Promise<void> } = {
  campaign: (ctx, id) => destroyCampaign(ctx, id),
  voucher: (ctx, id) => destroyVouchers(ctx, [id]),
  product: destroyProduct,
  sku: destroySku,
}
