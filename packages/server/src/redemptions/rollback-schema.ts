import { FreeText, Maybe, Metadata, Name, Nullable } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { CheckoutCustomer, TrackingId } from '../checkout/decision/schema.ts'
import { RedemptionOrder, RedemptionRollback } from './schema.ts'

/** Takes precedence over the body (docs/reference/rollbacks.md#roll-back-one). */
export const RollbackQuery = Type.Object({
  reason: Type.Optional(FreeText),
  tracking_id: Type.Optional(TrackingId),
})
export type RollbackQuery = Static<typeof RollbackQuery>

export const RollBackRedemption = Type.Object(
  {
    reason: Maybe(FreeText),
    tracking_id: Maybe(TrackingId),
    customer: Maybe(CheckoutCustomer),
    order: Maybe(Type.Object({ id: Maybe(Name), source_id: Maybe(Name) })),
    metadata: Maybe(Metadata),
  },
  { examples: [{ reason: 'The order was cancelled', metadata: { agent: 'support-1' } }] },
)
export type RollBackRedemption = Static<typeof RollBackRedemption>

export const RedemptionRollbacks = Type.Object({
  rollbacks: Type.Array(RedemptionRollback),
  parent_rollback: Type.Optional(RedemptionRollback),
  order: Nullable(RedemptionOrder),
})
export type RedemptionRollbacks = Static<typeof RedemptionRollbacks>
