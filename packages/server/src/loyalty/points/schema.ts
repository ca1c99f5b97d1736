import { Amount, FreeText, Int, Maybe, Name, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { CustomerBody } from '../../audience/customers/schema.ts'
import { CheckoutOrder } from '../../checkout/decision/schema.ts'
import { NumericText } from '../../core/http/numeric-text.ts'

const ofCard = {
  object: Type.Literal('balance'),
  related_object: Type.Object({ type: Type.Literal('voucher'), id: Type.String() }),
  operation_type: Type.Literal('MANUAL'),
}

/** A manual change of points, and the balance after it (docs/reference/loyalty-cards.md#balance-objects). */
export const PointsBalance = Type.Object({
  points: Int(),
  total: Int(),
  balance: Amount,
  type: Type.Literal('loyalty_card'),
  ...ofCard,
})
export type PointsBalance = Static<typeof PointsBalance>

/** A change of pending points, and the card's total of pending points after it. */
export const PendingPointsBalance = Type.Object({ points: Int(), total: Amount, ...ofCard })
export type PendingPointsBalance = Static<typeof PendingPointsBalance>

const adjustment = Type.Object(
  {
    points: Int(),
    expiration_type: Maybe(OneOf(['PROGRAM_RULES', 'CUSTOM_DATE', 'NON_EXPIRING'])),
    expiration_date: Maybe(
      Type.String({ maxLength: 100, description: 'The last day of the points, for `CUSTOM_DATE`.' }),
    ),
    reason: Maybe(FreeText),
    source_id: Maybe(Name),
  },
  { examples: [{ points: 100, reason: 'Welcome' }] },
)
export const AdjustPoints = NumericText(adjustment)
export type AdjustPoints = Static<typeof adjustment>
export const adjustPointsShape = adjustment

const pendingAdjustment = Type.Object({ points: Int() }, { examples: [{ points: 5 }] })
export const AdjustPendingPoints = NumericText(pendingAdjustment)
export type AdjustPendingPoints = Static<typeof pendingAdjustment>
export const adjustPendingPointsShape = pendingAdjustment

const transfers = Type.Array(
  Type.Object({
    code: Type.String({ minLength: 1, maxLength: 1_000, description: 'The card that gives the points.' }),
    points: Int({ minimum: 1 }),
    reason: Maybe(FreeText),
    source_id: Maybe(Name),
  }),
  { minItems: 1, maxItems: 100 },
)
export const TransferPoints = NumericText(transfers)
export type TransferPoints = Static<typeof transfers>
export const transferPointsShape = transfers

export const EstimatePoints = Type.Object({
  customer: Type.Optional(CustomerBody),
  order: Type.Optional(CheckoutOrder),
})
export type EstimatePoints = Static<typeof EstimatePoints>

export const PointsEstimation = Type.Object({
  campaign: Type.Object({ id: Type.String(), name: Type.String(), object: Type.Literal('campaign') }),
  points_estimation: Amount,
})
export type PointsEstimation = Static<typeof PointsEstimation>
