import type { Schemas } from '../../api/client.ts'
import type { Format } from '../../ui/format.tsx'

type AnyStep = Schemas['Step']
export type CheckStep = Extract<AnyStep, { step: 'check' }>
export type LimitStep = Extract<AnyStep, { step: 'limit' }>
export type BundleStep = Extract<AnyStep, { step: 'bundle' }>
export type FormulaStep = Extract<AnyStep, { step: 'formula' }>
export type AmountStep = Extract<AnyStep, { step: 'amount' }>
export type UnitsStep = Extract<AnyStep, { step: 'units' }>

/** The schema leaves the steps of rules open, because they contain each other. */
export interface RuleStep {
  step: 'rule'
  rule_id: string
  key: string
  name: string
  property?: string
  expected: Record<string, unknown>
  actual: unknown
  unlisted?: number
  passed: boolean | null
  rules?: RuleStep[]
}

export type Step = CheckStep | LimitStep | RuleStep | BundleStep | FormulaStep | AmountStep | UnitsStep

/** `effect`: not a condition but something that was done. `open`: a rule that was left out. */
export type StepState = 'passed' | 'failed' | 'open' | 'effect'

/** A step in plain words. */
export interface StepView {
  state: StepState
  /** What is asked for, or what was done: `Order total is at least €50.00`. */
  text: string
  /** What was found: `it is €32.10`. */
  detail?: string | undefined
  /** Why it failed, as the rest of a sentence: `the order total is €32.10 (must be at least €50.00)`. */
  because?: string | undefined
  /** How much of something is used up. */
  bar?: { used: number; allowed: number } | undefined
  /** The way to a number, line by line. */
  sum?: string[] | undefined
  /** The name of the validation rule that it belongs to. */
  rule?: string | undefined
  /** A formula as it was written. */
  formula?: string | undefined
  /** It asks about the order: without one it fails whatever it asks for. */
  needsOrder?: boolean | undefined
  parts?: StepView[] | undefined
  /** How the parts are joined. */
  join?: 'and' | 'or' | undefined
}

/** What steps refer to: how values are written, and the names behind ids. */
export interface Words {
  format: Format
  nameOf: (id: string) => string | undefined
  /** The name of a line of the order, by its index. */
  lineOf: (index: number) => string
  /** The name of the customer, as far as it is known. */
  customer?: string | undefined
  /** Nothing was bought: that nothing is taken off says nothing about the code. */
  isWithoutOrder?: boolean | undefined
}
