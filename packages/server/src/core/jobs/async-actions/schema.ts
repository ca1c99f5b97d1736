import { Instant, InstantInput, Int, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { limits } from '../../lib/limits.ts'
import { StartingAfterId } from '../../query/list.ts'

export const AsyncActionType = OneOf([
  'CAMPAIGN.VOUCHERS_GENERATE',
  'CAMPAIGN.VOUCHERS_UPDATE',
  'CAMPAIGN.VOUCHERS_DELETE',
  'CAMPAIGN.VOUCHERS_IMPORT',
  'CAMPAIGN.VOUCHERS_IMPORT_CSV',
  'VOUCHERS.IMPORT',
  'VOUCHERS.IMPORT_CSV',
  'VOUCHERS.BULK_UPDATE',
  'VOUCHERS.METADATA_UPDATE',
  'CUSTOMERS.IMPORT_CSV',
  'CUSTOMERS.BULK_UPDATE',
  'CUSTOMERS.METADATA_UPDATE',
  'PRODUCTS.IMPORT_CSV',
  'PRODUCTS.BULK_UPDATE',
  'PRODUCTS.METADATA_UPDATE',
  'SKUS.IMPORT_CSV',
  'ORDERS.IMPORT',
  'CAMPAIGNS.METADATA_KEY_PURGE',
  'CUSTOMERS.METADATA_KEY_PURGE',
  'PRODUCTS.METADATA_KEY_PURGE',
  'VOUCHERS.METADATA_KEY_PURGE',
  'ORDERS.METADATA_KEY_PURGE',
])
export type AsyncActionType = Static<typeof AsyncActionType>

const properties = {
  id: Type.String({ description: 'Time-ordered id, `aa_` and 18 hexadecimal digits.' }),
  type: AsyncActionType,
  status: OneOf(['ENQUEUED', 'IN_PROGRESS', 'DONE', 'FAILED']),
  operation_status: OneOf(['UNKNOWN', 'SUCCESS', 'FAILED']),
  created_at: Instant,
  updated_at: Instant,
  request_id: Type.String({ description: 'Id of the request that started it.' }),
  processing_time: Type.Optional(Int({ minimum: 0 })),
  progress: Int({ minimum: 0, maximum: 100 }),
  object: Type.Literal('async_action'),
}

export const AsyncActionBase = Type.Object(properties)
export type AsyncActionBase = Static<typeof AsyncActionBase>

export const AsyncAction = Type.Object({
  ...properties,
  result: Type.Optional(
    Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description: 'What came of it, once it is over; its form depends on the type.',
    }),
  ),
})
export type AsyncAction = Static<typeof AsyncAction>

export const AsyncActionQuery = Type.Object({
  limit: Type.Optional(Int({ minimum: 1, maximum: limits.page_size_max })),
  end_date: Type.Optional(
    Type.Unsafe<Static<typeof InstantInput>>({
      ...InstantInput,
      description: 'Only what was created before this moment.',
    }),
  ),
  starting_after_id: StartingAfterId,
})
export type AsyncActionQuery = Static<typeof AsyncActionQuery>

export const AsyncActionList = Type.Object({
  object: Type.Literal('list'),
  data_ref: Type.Literal('async_actions'),
  async_actions: Type.Array(AsyncActionBase),
  has_more: Type.Boolean(),
})
export type AsyncActionList = Static<typeof AsyncActionList>

/** The reply of every operation that starts an async action. */
export const StartedAsyncAction = Type.Object({ async_action_id: properties.id })
export type StartedAsyncAction = Static<typeof StartedAsyncAction>
