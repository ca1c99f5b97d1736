import { type Static, type TSchema, Type } from 'typebox'
import { Amount, declaredFields, Int, MapOf, Nullable, OneOf, variants } from './common.ts'

const Value = Type.Unsafe<unknown>({})

/** An evaluated rule and its sub-rules. `passed` is null for an omitted rule. */
export interface RuleStep {
  step: 'rule'
  rule_id: string
  rule_name?: string
  key: string
  name: string
  property?: string
  expected: Record<string, unknown>
  actual: unknown
  /** How many lines or values `actual` leaves out. */
  unlisted?: number
  passed: boolean | null
  rules?: RuleStep[]
}
// Rules contain rules: the fields are declared behind a function, for the document alone.
export const RuleStep = Type.Unsafe<RuleStep>({ type: 'object', [declaredFields]: (): TSchema => ruleStepFields })

const ruleStepFields = Type.Object({
  step: Type.Literal('rule'),
  rule_id: Type.String(),
  rule_name: Type.Optional(Type.String()),
  key: Type.String(),
  name: Type.String(),
  property: Type.Optional(Type.String()),
  expected: MapOf(Value),
  actual: Value,
  unlisted: Type.Optional(Amount),
  passed: Nullable(Type.Boolean()),
  rules: Type.Optional(Type.Array(RuleStep)),
})

/** A limit that reduced a value, and the reduced value. */
export const Cut = Type.Object({ by: Type.String(), to: Int() })
export type Cut = Static<typeof Cut>

/** A check of the redeemable itself: active, valid at this time, published. */
export const CheckStep = Type.Object({
  step: Type.Literal('check'),
  check: Type.String(),
  expected: Value,
  actual: Value,
  passed: Type.Boolean(),
})

/** A limit with used and allowed quantity. */
export const LimitStep = Type.Object({
  step: Type.Literal('limit'),
  limit: Type.String(),
  used: Amount,
  allowed: Amount,
  passed: Type.Boolean(),
})

/** The number of complete bundles in the order. */
export const BundleStep = Type.Object({ step: Type.Literal('bundle'), quantity: Amount, limit: Amount })

/** A formula and its exact result, or why it could not be calculated. */
export const FormulaStep = Type.Object({
  step: Type.Literal('formula'),
  field: Type.String(),
  formula: Type.String(),
  line: Type.Optional(Amount),
  value: Type.Optional(Type.String()),
  fault: Type.Optional(Type.String()),
})

/** A discount on the order or on one line: its base, its exact and its rounded value, and the value after each cut. */
export const AmountStep = Type.Object({
  step: Type.Literal('amount'),
  line: Type.Optional(Amount),
  base: Type.Optional(Type.String()),
  exact: Type.Optional(Type.String()),
  rounded: Int(),
  cuts: Type.Array(Cut),
  amount: Int(),
})

/** Units given away or replaced. */
export const UnitsStep = Type.Object({
  step: Type.Literal('units'),
  line: Amount,
  quantity: Int(),
  how: OneOf(['freed', 'added', 'replaced', 'received']),
  amount: Int(),
})

export const Step = variants('step', [CheckStep, LimitStep, RuleStep, BundleStep, FormulaStep, AmountStep, UnitsStep])
export type Step = Static<typeof Step>

/** Why a redeemable was applied, refused or skipped: the steps in the order of evaluation. */
export const Explanation = Type.Object({
  object: Type.String(),
  id: Type.String(),
  status: OneOf(['APPLICABLE', 'INAPPLICABLE', 'SKIPPED']),
  /** Key and message of the refusal or the skip. */
  reason: Type.Optional(Type.Object({ key: Type.String(), message: Type.String() })),
  /** The total discount, order level and items together. */
  amount: Type.Optional(Amount),
  steps: Type.Array(Step),
})
export type Explanation = Static<typeof Explanation>
