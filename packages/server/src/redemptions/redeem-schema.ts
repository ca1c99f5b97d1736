import { Maybe, Metadata, Nullable } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { clientReply } from '../audience/customers/client-view.ts'
import {
  CheckoutOrder,
  checkout,
  ExplanationView,
  GiftBody,
  RedeemableResult,
  RedemptionOptions,
  RewardBody,
  redeemables,
  TrackingId,
} from '../checkout/decision/schema.ts'
import { warnings } from '../core/http/warnings.ts'
import { Redemption, RedemptionOrder } from './schema.ts'

export const RedemptionBody = Type.Object(
  { redeemables, ...checkout, options: Maybe(RedemptionOptions) },
  {
    examples: [
      {
        redeemables: [{ object: 'voucher', id: 'SPRING-10' }],
        order: { source_id: 'order-1', items: [{ source_id: 'mug', quantity: 2, price: 1250 }] },
        customer: { source_id: 'customer-1' },
        metadata: { till: '7' },
      },
    ],
  },
)
export type RedemptionBody = Static<typeof RedemptionBody>

/** The body of a redemption whose path contains the redeemable. */
export const SingleRedemptionBody = Type.Object(
  { ...checkout, gift: Maybe(GiftBody), reward: Maybe(RewardBody), options: Maybe(RedemptionOptions) },
  { examples: [{ order: { source_id: 'order-1', amount: 5_000 }, customer: { source_id: 'customer-1' } }] },
)
export type SingleRedemptionBody = Static<typeof SingleRedemptionBody>

export const RedeemReward = Type.Object({
  reward: Maybe(RewardBody),
  order: Maybe(CheckoutOrder),
  metadata: Maybe(Metadata),
})
export type RedeemReward = Static<typeof RedeemReward>

/** With `options.explain`, with the explanation. */
export const ExplainedRedemption = Type.Object({
  ...Redemption.properties,
  explanation: Type.Optional(ExplanationView),
})
export type ExplainedRedemption = Static<typeof ExplainedRedemption>

/** The answer to the redemption of one redeemable. */
export const SingleRedemptionAnswer = Type.Object({ ...ExplainedRedemption.properties, ...warnings })

/** The response to a redemption (docs/reference/redemptions.md#answer). */
export const RedemptionsAnswer = Type.Object({
  redemptions: Type.Array(ExplainedRedemption),
  parent_redemption: Type.Optional(Redemption),
  order: Nullable(RedemptionOrder),
  inapplicable_redeemables: Type.Array(RedeemableResult),
  skipped_redeemables: Type.Array(RedeemableResult),
  ...warnings,
})
export type RedemptionsAnswer = Static<typeof RedemptionsAnswer>

const trackingId = Type.Optional(TrackingId)

export const RedeemVoucherQuery = Type.Object({ tracking_id: trackingId })

export const RedeemQuery = Type.Object({ code: Type.String({ minLength: 1, maxLength: 255 }), tracking_id: trackingId })

/** The same on the client side (docs/reference/client-side.md#answers). */
export const ClientRedemptionsAnswer = clientReply(RedemptionsAnswer)

/** The same on the client side (docs/reference/client-side.md#answers). */
export const ClientSingleRedemptionAnswer = clientReply(SingleRedemptionAnswer)
