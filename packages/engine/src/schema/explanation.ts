import { type Static, Type } from 'typebox'
import { Amount, Int, OneOf, variants } from './common.ts'

const Value = Type.Unsafe<unknown>({})

/** A rule that was looked at, and the sub-rules below it. `passed` is null for a rule that the request left out. */
export interface RuleStep {
  step: 'rule'
  rule_id: string
  key: string
  name: string
  property?: string
  expected: Record<string, unknown>
  actual: unknown
  passed: boolean | null
  rules?: RuleStep[]
}
export const RuleStep = Type.Unsafe<RuleStep>({ type: 'object', additionalProperties: true })

/** What cut a value down, and to how much. */
export const Cut = Type.Object({ by: Type.String(), to: Int() })
export type Cut = Static<typeof Cut>

export const Step = variants('step', [
  /** A condition on the redeemable itself: active, in time, published. */
  Type.Object({
    step: Type.Literal('check'),
    check: Type.String(),
    expected: Value,
    actual: Value,
    passed: Type.Boolean(),
  }),
  /** Something that can be used up. */
  Type.Object({
    step: Type.Literal('limit'),
    limit: Type.String(),
    used: Amount,
    allowed: Amount,
    passed: Type.Boolean(),
  }),
  RuleStep,
  /** How often the goods of a bundle are in the order. */
  Type.Object({ step: Type.Literal('bundle'), quantity: Amount, limit: Amount }),
  /** A formula and what came out of it: exact, or why it could not be calculated. */
  Type.Object({
    step: Type.Literal('formula'),
    field: Type.String(),
    formula: Type.String(),
    line: Type.Optional(Amount),
    value: Type.Optional(Type.String()),
    fault: Type.Optional(Type.String()),
  }),
  /**
   * A discount on the order or on one line: from the base it was taken of, over its exact value and the rounded one, to
   * what was left after each cut.
   */
  Type.Object({
    step: Type.Literal('amount'),
    line: Type.Optional(Amount),
    base: Type.Optional(Type.String()),
    exact: Type.Optional(Type.String()),
    rounded: Int(),
    cuts: Type.Array(Cut),
    amount: Int(),
  }),
  /** Units that were given away, or replaced. */
  Type.Object({
    step: Type.Literal('units'),
    line: Amount,
    quantity: Int(),
    how: OneOf(['freed', 'added', 'replaced', 'received']),
    amount: Int(),
  }),
])
export type Step = Static<typeof Step>

/** Why a redeemable did what it did, in the order in which it was decided. */
export const Explanation = Type.Object({
  object: Type.String(),
  id: Type.String(),
  status: OneOf(['APPLICABLE', 'INAPPLICABLE', 'SKIPPED']),
  /** Key and message of the refusal or the skip. */
  reason: Type.Optional(Type.Object({ key: Type.String(), message: Type.String() })),
  /** All it took off the order, order level and items together. */
  amount: Type.Optional(Amount),
  steps: Type.Array(Step),
})
export type Explanation = Static<typeof Explanation>
