import { type Static, type TSchema, Type } from 'typebox'
import { Int, MapOf, Maybe, OneOf, OpenObject } from './common.ts'
import { RuleConditions, ruleNames } from './conditions.ts'
import { Formula } from './discount.ts'

const Limit = Int({ minimum: 0 })

const entry = {
  object: OneOf(['product', 'sku', 'products_collection']),
  id: Maybe(Type.String({ minLength: 1 })),
  source_id: Maybe(Type.String({ minLength: 1 })),
  product_id: Maybe(Type.String()),
  product_source_id: Maybe(Type.String()),
  strict: Maybe(Type.Boolean()),
  effect: Maybe(
    OneOf([
      'APPLY_TO_EVERY',
      'APPLY_TO_CHEAPEST',
      'APPLY_FROM_CHEAPEST',
      'APPLY_TO_MOST_EXPENSIVE',
      'APPLY_FROM_MOST_EXPENSIVE',
    ]),
  ),
  target: Maybe(OneOf(['ITEM', 'UNIT'])),
  skip_initially: Maybe(Int({ minimum: 0 })),
  repeat: Maybe(Int({ minimum: 1 })),
  price: Maybe(Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  price_formula: Maybe(Formula),
  quantity_limit: Maybe(Int({ minimum: 1 })),
  aggregated_quantity_limit: Maybe(Int({ minimum: 1 })),
  amount_limit: Maybe(Limit),
  aggregated_amount_limit: Maybe(Limit),
  product_campaign_quantity_limit: Maybe(Limit),
  product_campaign_quantity_limit_formula: Maybe(Formula),
  product_customer_campaign_quantity_limit: Maybe(Limit),
  product_customer_campaign_quantity_limit_formula: Maybe(Formula),
  product_promotion_tier_quantity_limit: Maybe(Limit),
  product_promotion_tier_quantity_limit_formula: Maybe(Formula),
  product_customer_promotion_tier_quantity_limit: Maybe(Limit),
  product_customer_promotion_tier_quantity_limit_formula: Maybe(Formula),
  product_in_collection_campaign_quantity_limit: Maybe(Limit),
  product_in_collection_campaign_quantity_limit_formula: Maybe(Formula),
  product_in_collection_customer_campaign_quantity_limit: Maybe(Limit),
  product_in_collection_customer_campaign_quantity_limit_formula: Maybe(Formula),
  product_in_collection_promotion_tier_quantity_limit: Maybe(Limit),
  product_in_collection_promotion_tier_quantity_limit_formula: Maybe(Formula),
  product_in_collection_customer_promotion_tier_quantity_limit: Maybe(Limit),
  product_in_collection_customer_promotion_tier_quantity_limit_formula: Maybe(Formula),
}

/** Goods that a discount includes or excludes, and the limits on them (docs/reference/discounts.md#covered-goods). */
export const ApplicableEntry = Type.Object(entry)
export type ApplicableEntry = Static<typeof ApplicableEntry>

/** Limits on discounted units over all redemptions (docs/reference/discounts.md#covered-goods). */
export type UnitLimit = Extract<keyof ApplicableEntry, `product_${string}_quantity_limit`>

export const ApplicableTo = Type.Object({
  included: Type.Array(ApplicableEntry, { maxItems: 1_000 }),
  excluded: Type.Array(ApplicableEntry, { maxItems: 1_000 }),
  included_all: Type.Boolean(),
})
export type ApplicableTo = Static<typeof ApplicableTo>

/** The same in a response, with the matching lines of the order (docs/reference/discounts.md#covered-lines-in-answers). */
export const CoveredEntry = Type.Object({
  ...entry,
  order_item_indices: Type.Optional(Type.Array(Int({ minimum: 0 }))),
  order_item_units: Type.Optional(
    Type.Array(
      Type.Object({
        index: Int({ minimum: 0 }),
        units: Type.Optional(Type.Array(Int({ minimum: 1 }))),
        units_limit_exceeded: Type.Optional(Type.Literal(true)),
      }),
    ),
  ),
})
export type CoveredEntry = Static<typeof CoveredEntry>

export const CoveredEntries = Type.Object({
  data: Type.Array(CoveredEntry),
  total: Int({ minimum: 0 }),
  data_ref: Type.Literal('data'),
  object: Type.Literal('list'),
})
export type CoveredEntries = Static<typeof CoveredEntries>

/** One condition on the order, the customer or the redemption; sub-rules narrow it (docs/reference/rules.md#rules-and-logic). */
export interface Rule {
  name: string
  property?: string | null
  conditions?: Record<string, unknown> | null
  rules?: RuleTree | null
  error?: { message: string } | null
}

/** Numbered rules and the `logic` that combines them: `{"1": …, "2": …, "logic": "1 and 2"}`. */
export type RuleTree = { logic?: string | null } & { [key: string]: Rule | string | null | undefined }

// `checkRules` validates a tree, because it can name the fault; a schema could only report "no match".
export const RuleTree = OpenObject<RuleTree>((): TSchema => ruleTreeFields, { shown: (): TSchema => ruleTreeForm })

/**
 * Goods that must be in the order together: `{"1": …, "limit": 3, "logic": "1 and 2"}`
 * (docs/reference/rules.md#bundle-rules).
 */
export type BundleRules = { limit?: number | null; logic?: string | null } & {
  [key: string]: Rule | string | number | null | undefined
}
export const BundleRules = OpenObject<BundleRules>((): TSchema => bundleRulesFields, {
  shown: (): TSchema => bundleRulesForm,
})

export const CustomMessage = Type.Object({ message: Type.String({ maxLength: 5_000 }) })

const ruleFields = Type.Object({
  name: Type.String(),
  property: Maybe(Type.String()),
  conditions: Maybe(MapOf(Type.Unsafe<unknown>({}))),
  rules: Maybe(RuleTree),
  error: Maybe(CustomMessage),
})
const ruleTreeFields = Type.Object({ logic: Maybe(Type.String()) }, { additionalProperties: ruleFields })
const bundleRulesFields = Type.Object(
  { logic: Maybe(Type.String()), limit: Maybe(Type.Number()) },
  { additionalProperties: ruleFields },
)

/** What `checkRules` accepts as a rule. */
export const Rule = Type.Object({
  name: OneOf(ruleNames),
  property: Maybe(Type.String()),
  conditions: Maybe(RuleConditions),
  rules: Maybe(RuleTree),
  error: Maybe(CustomMessage),
})
const ruleTreeForm = Type.Object({ logic: Maybe(Type.String()) }, { additionalProperties: Rule })
const bundleRulesForm = Type.Object(
  { logic: Maybe(Type.String()), limit: Maybe(Int({ minimum: 1, maximum: 100 })) },
  { additionalProperties: Rule },
)

/** The fields of a validation rule that the engine needs. */
export const ValidationRule = Type.Object({
  id: Type.String(),
  /** For explanations. */
  name: Maybe(Type.String()),
  rules: RuleTree,
  bundle_rules: Maybe(BundleRules),
  applicable_to: Maybe(ApplicableTo),
  error: Maybe(CustomMessage),
})
export type ValidationRule = Static<typeof ValidationRule>
