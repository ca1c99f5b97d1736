import { operation } from '../../core/http/operation.ts'
import { SearchQuery, SearchResult } from './schema.ts'
import { search } from './search.ts'

export const searching = [
  operation({
    id: 'searchProject',
    method: 'GET',
    path: '/v1/search',
    summary: 'Search',
    description:
      'Campaigns, vouchers, customers, orders and products whose id, code, source id, name or e-mail begins with the text; names and e-mails in any letter case, codes as typed, in capitals or in small letters. At most five of a kind.',
    query: SearchQuery,
    reply: SearchResult,
    errors: ['invalid_query_params'],
    reads_replica: true,
    run: (ctx, { query }) => search(ctx, query),
  }),
]
