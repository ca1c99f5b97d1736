import { isSmall } from './exact.ts'
import { type FormulaFault, isFault, type UnlocatedFault } from './fault.ts'
import { longStepsMax } from './limits.ts'
import type { FormulaScope } from './operands.ts'
import type { FormulaOperator } from './operators.ts'
import { isNumber, isSame, kindOf, type Value } from './value.ts'

/** A compiled part of a formula. */
export type Evaluator = (state: EvaluationState) => Value | FormulaFault

/** State of one evaluation. */
export interface EvaluationState {
  readonly scope: FormulaScope
  /** Number of operations so far with a result beyond 2^53. */
  long_steps: number
}

/** The operator, function or operand of a fault, and its position in the formula. */
export interface Place {
  readonly name: string
  readonly position: number
}

export const constant =
  (value: Value): Evaluator =>
  () =>
    value

export interface Link extends Place {
  readonly apply: FormulaOperator
  readonly right: Evaluator
}

/**
 * A left-associative chain of operators. Both sides are always evaluated, even those of AND and OR: only DEFAULT_TO absorbs
 * a missing value (docs/reference/formulas.md#results-and-fallback), and `a AND b` is calculable exactly when `b AND a` is.
 */
export const chainEvaluator =
  (first: Evaluator, links: readonly Link[]): Evaluator =>
  (state) => {
    let value = first(state)
    for (const link of links) {
      if (isFault(value)) return value
      const rightValue = link.right(state)
      if (isFault(rightValue)) return rightValue
      value = toResult(link.apply(value, rightValue, state.scope.clock), link, [value, rightValue], state)
    }
    return value
  }

/** Checks the result of an operator or a function (null: argument types do not fit) and adds the position to a fault. */
export function toResult(
  result: Value | UnlocatedFault | null,
  { name, position }: Place,
  args: readonly Value[],
  state: EvaluationState,
): Value | FormulaFault {
  if (result === null) return { fault: `${name} does not fit ${args.map(kindOf).join(' and ')}`, position }
  if (isFault(result)) return { fault: result.fault, position }
  if (!isNumber(result) || isSmall(result)) return result
  state.long_steps += 1
  state.scope.work.spend(longStepCost)
  return state.long_steps > longStepsMax ? { fault: 'too many operations on long numbers', position } : result
}

/** Up to 0.1 ms: see `longStepsMax`. */
const longStepCost = 1_000

/** Functions that do not evaluate all their arguments. */
export interface LazyFunction {
  readonly least: number
  readonly most: number
  readonly make: (args: readonly Evaluator[], place: Place) => Evaluator
}

export const lazyFunctions: Readonly<Record<string, LazyFunction>> = {
  IF: {
    least: 3,
    most: 3,
    make:
      ([condition, then, otherwise], place) =>
      (state) => {
        const holds = condition!(state)
        if (isFault(holds)) return holds
        if (typeof holds !== 'boolean') return toResult(null, place, [holds], state)
        return holds ? then!(state) : otherwise!(state)
      },
  },
  DEFAULT_TO: {
    least: 1,
    most: Number.POSITIVE_INFINITY,
    make: (args) => (state) => {
      let value = args[0]!(state)
      for (let i = 1; isFault(value) && i < args.length; i += 1) value = args[i]!(state)
      return value
    },
  },
}

export interface Case {
  readonly value: Evaluator
  readonly result: Evaluator
}

/** The result of the first case that equals the subject; a case of another type does not match. */
export const switchEvaluator =
  (subject: Evaluator, cases: readonly Case[], otherwise: Evaluator, place: Place): Evaluator =>
  (state) => {
    const subjectValue = subject(state)
    if (isFault(subjectValue)) return subjectValue
    if (typeof subjectValue === 'object' && !isNumber(subjectValue)) return toResult(null, place, [subjectValue], state)
    for (const { value, result } of cases) {
      const caseValue = value(state)
      if (isFault(caseValue)) return caseValue
      if (isSame(caseValue, subjectValue) === true) return result(state)
    }
    return otherwise(state)
  }
