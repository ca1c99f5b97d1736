import { Instant, Nullable, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { CursorQuery, FilterQuery, listOf } from '../core/query/list.ts'

const BinnedType = OneOf(['campaign', 'voucher', 'product', 'sku'])

export const BinEntry = Type.Object({
  id: Type.String({ description: 'Time-ordered id, `tbe_` and 18 hexadecimal digits.' }),
  created_at: Instant,
  deleted_by_user_id: Type.Null({ description: 'Deletions through the API have no user.' }),
  resource_id: Type.String(),
  resource_type: BinnedType,
  resource_name: Nullable(
    Type.String({ description: 'The name of a campaign or product, the code of a voucher, the `sku` of an SKU.' }),
  ),
  resource_parent_id: Nullable(Type.String({ description: 'The campaign of a voucher, the product of an SKU.' })),
  object: BinnedType,
})
export type BinEntry = Static<typeof BinEntry>

export const BinEntryList = listOf('data', BinEntry, { total: true, cursor: true })

export const BinEntryQuery = Type.Object({ ...CursorQuery({ order: ['id', '-id'] }), ...FilterQuery })
export type BinEntryQuery = Static<typeof BinEntryQuery>
