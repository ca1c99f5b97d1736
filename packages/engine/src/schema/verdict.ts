import { type Static, Type } from 'typebox'
import { Amount, Int, MapOf, OneOf, variants } from './common.ts'
import { AppliedDiscount } from './discount.ts'
import { Explanation } from './explanation.ts'
import { CalculatedOrder } from './order.ts'
import { CoveredEntries, CustomMessage } from './rule.ts'

/**
 * The reason of a refusal. Keys and messages are those of the error table (docs/reference/validity.md#failure-keys and
 * docs/reference/stacking.md#order-of-application).
 */
export const Reason = Type.Object({
  key: Type.String(),
  message: Type.String(),
  details: Type.Optional(Type.String()),
  resource_type: Type.Optional(Type.String()),
  resource_id: Type.Optional(Type.String()),
  /** The configured error message of the violated rule, if it has one. */
  error: Type.Optional(CustomMessage),
})
export type Reason = Static<typeof Reason>

const BundleItem = {
  id: Type.String(),
  object: OneOf(['product', 'sku', 'products_collection']),
  item_quantity: Amount,
}

export const BundleResult = Type.Object({
  quantity: Amount,
  limit: Int({ minimum: 1 }),
  identified: Type.Array(Type.Object({ ...BundleItem, item_index: Amount })),
  missing: Type.Optional(Type.Array(Type.Object(BundleItem))),
})
export type BundleResult = Static<typeof BundleResult>

const outcome = {
  object: OneOf(['voucher', 'promotion_tier', 'promotion_stack']),
  id: Type.String(),
  explanation: Type.Optional(Explanation),
}

export const Applicable = Type.Object({
  status: Type.Literal('APPLICABLE'),
  ...outcome,
  /** The order after this redeemable, with its own applied amounts. Absent when there is no order. */
  order: Type.Optional(CalculatedOrder),
  applicable_to: CoveredEntries,
  inapplicable_to: CoveredEntries,
  discount: Type.Optional(AppliedDiscount),
  gift: Type.Optional(Type.Object({ balance: Amount, credits: Amount })),
  loyalty_card: Type.Optional(Type.Object({ points: Amount })),
  bundle: Type.Optional(BundleResult),
  has_effect: Type.Boolean(),
  /** Discounted units that count against lifetime limits: by limit and key, as in the facts. */
  units: Type.Optional(MapOf(MapOf(Amount))),
  /** Goods with an item-level or unit discount from this redeemable, for mode ONCE. */
  discounted_goods: Type.Array(Type.String()),
})
export type Applicable = Static<typeof Applicable>

export const Inapplicable = Type.Object({
  status: Type.Literal('INAPPLICABLE'),
  ...outcome,
  reason: Reason,
  bundle: Type.Optional(BundleResult),
})
export type Inapplicable = Static<typeof Inapplicable>

export const Skipped = Type.Object({ status: Type.Literal('SKIPPED'), ...outcome, reason: Reason })
export type Skipped = Static<typeof Skipped>

export const Outcome = variants('status', [Applicable, Inapplicable, Skipped])
export type Outcome = Static<typeof Outcome>

/** The result of evaluating the redeemables of a request on its order. */
export const Verdict = Type.Object({
  valid: Type.Boolean(),
  /** One per redeemable, in the order in which they were processed. */
  redeemables: Type.Array(Outcome),
  /** The order after all redeemables, with the applied amounts of the request. Absent when invalid, or without an order. */
  order: Type.Optional(CalculatedOrder),
  /**
   * Free units per line; absent when there are none. Not part of responses: they are stored with the order, because the
   * next redemption must not give them away again.
   */
  free_quantities: Type.Optional(Type.Array(Amount)),
})
export type Verdict = Static<typeof Verdict>
