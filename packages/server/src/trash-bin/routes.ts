import { operation } from '../core/http/operation.ts'
import { listed } from '../core/query/list.ts'
import { destroyBinned } from './destroy.ts'
import { binEntryFilterSql } from './filter.ts'
import { BinEntryList, BinEntryQuery } from './schema.ts'
import { deleteBinEntry, listBinEntries } from './store.ts'

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
    run: async (ctx, { params }) => destroyBinned(ctx, await deleteBinEntry(ctx, params.binEntryId)),
  }),
]
