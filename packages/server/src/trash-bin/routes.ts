import { destroyProduct } from '../catalogue/products/remove.ts'
import { destroySku } from '../catalogue/skus/remove.ts'
import type { Ctx } from '../core/context.ts'
import type { BinEntryRow } from '../core/db/tables.ts'
import { operation } from '../core/http/operation.ts'
import { listed } from '../core/query/list.ts'
import { destroyCampaign } from '../incentives/campaigns/remove.ts'
import { destroyVouchers } from '../incentives/vouchers/remove.ts'
import { binEntryFilterSql } from './filter.ts'
import { BinEntryList, BinEntryQuery } from './schema.ts'
import { deleteBinEntry, listBinEntries } from './store.ts'

/** Permanently deletes a resource in the bin (docs/reference/trash-bin.md). */
const destroy: { [Type in BinEntryRow['resource_type']]: (ctx: Ctx, id: string) => Promise<void> } = {
  campaign: (ctx, id) => destroyCampaign(ctx, id),
  voucher: (ctx, id) => destroyVouchers(ctx, [id]),
  product: destroyProduct,
  sku: destroySku,
}

export const trashBin = [
  operation({
    id: 'listBinEntries',
    method: 'GET',
    path: '/v1/trash-bin',
    summary: 'List what is in the bin',
    description:
      'Campaigns, vouchers, products and SKUs that were deleted without `force`. Their names, codes and source ids stay taken; nothing returns from here.',
    query: BinEntryQuery,
    reply: BinEntryList,
    errors: ['invalid_query_params'],
    run: async (ctx, { query }) => {
      const { entries, ...more } = await listBinEntries(ctx, query, [binEntryFilterSql(ctx, query.filters)])
      return listed('data', entries, { total: entries.length, ...more })
    },
  }),
  operation({
    id: 'deleteBinEntry',
    method: 'DELETE',
    path: '/v1/trash-bin/{binEntryId}',
    summary: 'Destroy what is in the bin',
    description:
      'For good: a campaign with all its vouchers, a product with its SKUs. Names, codes and source ids are free again.',
    reply: null,
    errors: ['not_found'],
    run: async (ctx, { params }) => {
      const { resource_type, resource_id } = await deleteBinEntry(ctx, params.binEntryId)
      await destroy[resource_type](ctx, resource_id)
    },
  }),
]
