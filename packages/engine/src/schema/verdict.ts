import { type Static, Type } from 'typebox'
import { Amount, Int, MapOf, OneOf, variants } from './common.ts'
import { AppliedDiscount } from './discount.ts'
import { Explanation } from './explanation.ts'
import { CalculatedOrder } from './order.ts'
import { CoveredEntries, CustomMessage } from './rule.ts'

/**
 * Why not. Keys and messages are those of the error table (docs/reference/validity.md#failure-keys and
 * docs/reference/stacking.md#order-of-application).
 */
export const Reason = Type.Object({
  key: Type.String(),
  message: Type.String(),
  details: Type.Optional(Type.String()),
  resource_type: Type.Optional(Type.String()),
  resource_id: Type.Optional(Type.String()),
  /** The shop's own words, where the violated rule has some. */
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
  /** The order after this redeemable; applied amounts are its own. Absent when there is no order. */
  order: Type.Optional(CalculatedOrder),
  applicable_to: CoveredEntries,
  inapplicable_to: CoveredEntries,
  discount: Type.Optional(AppliedDiscount),
  gift: Type.Optional(Type.Object({ balance: Amount, credits: Amount })),
  loyalty_card: Type.Optional(Type.Object({ points: Amount })),
  bundle: Type.Optional(BundleResult),
  has_effect: Type.Boolean(),
  /** Discounted units to count against lifetime limits: by limit and key, as in the facts. */
  units: Type.Optional(MapOf(MapOf(Amount))),
  /** Goods that got an item-level or unit discount from it: what ONCE looks at. */
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

/** What the redeemables of a request do to its order. */
export const Verdict = Type.Object({
  valid: Type.Boolean(),
  /** One per redeemable, in the order in which they were processed. */
  redeemables: Type.Array(Outcome),
  /** The order after all of them; applied amounts are those of the request. Absent when not valid, or without an order. */
  order: Type.Optional(CalculatedOrder),
  /**
   * Line by line, units that nobody pays for; absent while there are none. Answers do not show them: they are stored with the
   * order, because the next redemption must not give them away again.
   */
  free_quantities: Type.Optional(Type.Array(Amount)),
})
export type Verdict = Static<typeof Verdict>
