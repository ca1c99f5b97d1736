import { Nullable } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { CampaignType, VoucherType } from '../../core/events/shapes.ts'
import { limits } from '../../core/lib/limits.ts'

export const SearchQuery = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: limits.search_length_max,
    description: 'The beginning of an id, a code, a source id, a name or an e-mail.',
  }),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: limits.search_results_max, default: limits.search_results_max }),
  ),
})
export type SearchQuery = Static<typeof SearchQuery>

const MaybeText = Nullable(Type.String())

export const SearchResult = Type.Object({
  object: Type.Literal('search'),
  query: Type.String(),
  campaigns: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), campaign_type: CampaignType })),
  vouchers: Type.Array(
    Type.Object({
      id: Type.String(),
      code: Type.String(),
      type: VoucherType,
      campaign: { ...MaybeText, description: 'The name of its campaign.' } as typeof MaybeText,
    }),
  ),
  customers: Type.Array(Type.Object({ id: Type.String(), name: MaybeText, email: MaybeText, source_id: MaybeText })),
  orders: Type.Array(
    Type.Object({
      id: Type.String(),
      source_id: MaybeText,
      amount: Nullable(Type.Integer()),
      status: Type.String(),
    }),
  ),
  products: Type.Array(Type.Object({ id: Type.String(), name: MaybeText, source_id: MaybeText })),
})
export type SearchResult = Static<typeof SearchResult>
