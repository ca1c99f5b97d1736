import {
  Amount,
  AppliedDiscount,
  BundleResult,
  CalculatedItem,
  CoveredEntries,
  Explanation,
  InstantInput,
  Int,
  Maybe,
  Metadata,
  Name,
  OneOf,
  StackingRules,
  shownAs,
} from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { CustomerBody } from '../../audience/customers/schema.ts'
import { writtenForm } from '../../core/http/json-schema.ts'
import { wholeNumberForm } from '../../core/http/numeric-text.ts'
import { limits } from '../../core/lib/limits.ts'
import { Order, OrderBody, OrderId } from '../../orders/schema.ts'
import { Category } from '../../rules/categories/schema.ts'

// The parts of requests and responses that all checkout operations share (docs/reference).

/** A plain string is an id or a source id (docs/reference/requests.md#customer). */
export const CheckoutCustomer = Type.Unsafe<Static<typeof CustomerBody> | string>({
  anyOf: [CustomerBody, { type: 'string', minLength: 1, maxLength: 255 }],
})

export const CheckoutOrder = Type.Object({
  id: OrderId,
  ...OrderBody,
  customer: Maybe(CheckoutCustomer),
  customer_id: Maybe(Name),
  referrer: Maybe(CheckoutCustomer),
})
export type CheckoutOrder = Static<typeof CheckoutOrder>

const Numeric = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  [writtenForm]: wholeNumberForm,
})

// Accepts any value: `readCredits` checks it, because invalid credits have their own error key, `invalid_gift`.
export const GiftBody = Type.Object({
  credits: Type.Optional(
    Type.Unsafe<unknown>({
      [writtenForm]: wholeNumberForm,
      [shownAs]: () => ({ type: ['integer', 'string', 'null'], minimum: 0 }),
    }),
  ),
})

export const RewardBody = Type.Object({ id: Maybe(Name), assignment_id: Maybe(Name), points: Maybe(Numeric) })

export const RedeemableBody = Type.Object({
  object: OneOf(['voucher', 'promotion_tier', 'promotion_stack']),
  id: Type.String({ minLength: 1, maxLength: 255, description: 'A code or an id.' }),
  gift: Maybe(GiftBody),
  reward: Maybe(RewardBody),
})
export type RedeemableBody = Static<typeof RedeemableBody>

export const SessionBody = Type.Object({
  type: Maybe(OneOf(['LOCK'])),
  key: Maybe(Name),
  ttl: Maybe(Type.Number({ exclusiveMinimum: 0, maximum: 1e15 })),
  ttl_unit: Maybe(OneOf(['DAYS', 'HOURS', 'MINUTES', 'SECONDS', 'MILLISECONDS', 'MICROSECONDS', 'NANOSECONDS'])),
})
export type SessionBody = Static<typeof SessionBody>

export const SessionView = Type.Object({
  key: Type.String(),
  type: Type.Literal('LOCK'),
  ttl: Type.Number(),
  ttl_unit: Type.String(),
})
export type SessionView = Static<typeof SessionView>

const Expand = Maybe(
  Type.Array(Type.String(), {
    maxItems: 20,
    description: '`order`, `redeemable`, `category`, `redemption`; others are ignored.',
  }),
)

/** Beyond the public contract. */
const ExplainOption = Maybe(
  Type.Boolean({ description: 'Each result says why: rules, limits, bases, rounding (beyond the public contract).' }),
)

const AsOfOption = Maybe(
  Type.Unsafe<string>({
    ...InstantInput,
    description: 'Evaluates as if at this moment (beyond the public contract; server side, without a session).',
  }),
)

export const options = { expand: Expand, explain: ExplainOption }

export const ValidationOptions = Type.Object({ ...options, as_of: AsOfOption })
export type ValidationOptions = Static<typeof ValidationOptions>

export const RedemptionOptions = Type.Object({
  ...ValidationOptions.properties,
  allow_unknown_items: Maybe(
    Type.Boolean({
      description:
        'Lines without a price whose product and SKU are unknown count as nothing instead of being refused (beyond the public contract).',
    }),
  ),
})
export type RedemptionOptions = Static<typeof RedemptionOptions>

export const TrackingId = Type.String({ minLength: 1, maxLength: 1_000 })

export const checkoutWithoutSession = {
  customer: Maybe(CheckoutCustomer),
  order: Maybe(CheckoutOrder),
  tracking_id: Maybe(TrackingId),
  metadata: Maybe(Metadata),
}

/** The properties that every checkout body accepts. */
export const checkout = { ...checkoutWithoutSession, session: Maybe(SessionBody) }

export const redeemables = Type.Array(RedeemableBody, { maxItems: limits.redeemables_sent_max })

/** A calculated order; only a stored one has an id (docs/reference/calculated-order.md#amounts-of-the-order). */
export const CalculatedOrderView = Type.Object({
  ...Type.Partial(Order).properties,
  items: Type.Array(CalculatedItem),
  object: Type.Literal('order'),
})
export type CalculatedOrderView = Static<typeof CalculatedOrderView>

/** A refusal within a response: the same properties as an error body (docs/reference/requests.md#conventions). */
export const RefusalView = Type.Object({
  code: Int(),
  key: Type.String(),
  message: Type.String(),
  details: Type.Optional(Type.String()),
  request_id: Type.Optional(Type.String()),
  resource_id: Type.Optional(Type.String()),
  resource_type: Type.Optional(Type.String()),
  redeemable_id: Type.Optional(Type.String()),
  redeemable_type: Type.Optional(Type.String()),
  error: Type.Optional(Type.Object({ message: Type.String() })),
})
export type RefusalView = Static<typeof RefusalView>

/** The explanation step by step, and in one sentence. */
export const ExplanationView = Type.Object({ ...Explanation.properties, sentence: Type.String() })
export type ExplanationView = Static<typeof ExplanationView>

export const CategoryInResult = Type.Object({
  ...Category.properties,
  stacking_rules_type: Type.Optional(OneOf(['JOINT', 'EXCLUSIVE'])),
})
export type CategoryInResult = Static<typeof CategoryInResult>

const Details = Type.Object({ key: Type.String(), message: Type.String() })

/** The outcome of one redeemable (docs/reference/validations.md#validate-several). */
export const RedeemableResult = Type.Object({
  status: OneOf(['APPLICABLE', 'INAPPLICABLE', 'SKIPPED']),
  id: Type.String(),
  object: OneOf(['voucher', 'promotion_tier', 'promotion_stack']),
  order: Type.Optional(CalculatedOrderView),
  applicable_to: Type.Optional(CoveredEntries),
  inapplicable_to: Type.Optional(CoveredEntries),
  result: Type.Object({
    discount: Type.Optional(AppliedDiscount),
    gift: Type.Optional(Type.Object({ balance: Amount, credits: Amount })),
    loyalty_card: Type.Optional(Type.Object({ points: Amount })),
    bundle: Type.Optional(BundleResult),
    error: Type.Optional(RefusalView),
    details: Type.Optional(Details),
  }),
  metadata: Type.Optional(Metadata),
  categories: Type.Optional(Type.Array(CategoryInResult)),
  campaign_id: Type.Optional(Type.String()),
  campaign_name: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  explanation: Type.Optional(ExplanationView),
})
export type RedeemableResult = Static<typeof RedeemableResult>

/** The stacking rules that a response applied, under their own schema name; those of the management API have more properties. */
export const StackingRulesView = StackingRules
