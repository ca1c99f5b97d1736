import { destroyCampaign } from '../campaigns/remove.ts'
import type { Ctx } from '../context.ts'
import type { BinEntryRow } from '../db/tables.ts'
import { destroyProduct } from '../products/remove.ts'
import { destroySku } from '../skus/remove.ts'
import { destroyVouchers } from '../vouchers/remove.ts'
import type { BinnedResource } from './store.ts'

/** Destroys for good what the caller has just taken out of the bin (spec 03, 17). */
export const destroyBinned = (ctx: Ctx, { resource_type, resource_id }: BinnedResource): Promise<void> =>
  destroy[resource_type](ctx, resource_id)

const destroy: { [Type in BinEntryRow['resource_type']]: (ctx: Ctx, id: string) => Promise<void> } = {
  campaign: (ctx, id) => destroyCampaign(ctx, id),
  voucher: (ctx, id) => destroyVouchers(ctx, [id]),
  product: destroyProduct,
  sku: destroySku,
}
