import { isSmall } from './exact.ts'
import { type FormulaFault, isFault, type Trouble } from './fault.ts'
import { longStepsMax } from './limits.ts'
import type { Sight } from './operands.ts'
import type { Operator } from './operators.ts'
import { isNumber, isSame, kindOf, type Value } from './value.ts'

/** A part of a formula, ready to be calculated. */
export type Run = (course: Course) => Value | FormulaFault

/** One evaluation on its way. */
export interface Course {
  readonly sight: Sight
  /** Operations so far that gave a long number. */
  long_steps: number
}

/** Who speaks, and where that stands in the formula. */
export interface Place {
  readonly name: string
  readonly position: number
}

export const constant =
  (value: Value): Run =>
  () =>
    value

export interface Link extends Place {
  readonly apply: Operator
  readonly right: Run
}

/**
 * A chain of operators, from left to right. Both sides are always calculated, those of AND and OR too: only DEFAULT_TO
 * absorbs a missing value (docs/reference/formulas.md#results-and-fallback), and `a AND b` is calculable exactly when `b AND a`
 * is.
 */
export const chained =
  (first: Run, links: readonly Link[]): Run =>
  (course) => {
    let value = first(course)
    for (const link of links) {
      if (isFault(value)) return value
      const other = link.right(course)
      if (isFault(other)) return other
      value = settled(link.apply(value, other, course.sight.clock), link, [value, other], course)
    }
    return value
  }

/** What an operator or a function made of its arguments (null: it does not fit them), with the place of a fault. */
export function settled(
  result: Value | Trouble | null,
  { name, position }: Place,
  args: readonly Value[],
  course: Course,
): Value | FormulaFault {
  if (result === null) return { fault: `${name} does not fit ${args.map(kindOf).join(' and ')}`, position }
  if (isFault(result)) return { fault: result.fault, position }
  if (!isNumber(result) || isSmall(result)) return result
  course.long_steps += 1
  return course.long_steps > longStepsMax ? { fault: 'too many operations on long numbers', position } : result
}

/** Functions that do not look at all their arguments. */
export interface LazyFunction {
  readonly least: number
  readonly most: number
  readonly make: (args: readonly Run[], place: Place) => Run
}

export const lazyFunctions: Readonly<Record<string, LazyFunction>> = {
  IF: {
    least: 3,
    most: 3,
    make:
      ([condition, then, otherwise], place) =>
      (course) => {
        const holds = condition!(course)
        if (isFault(holds)) return holds
        if (typeof holds !== 'boolean') return settled(null, place, [holds], course)
        return holds ? then!(course) : otherwise!(course)
      },
  },
  DEFAULT_TO: {
    least: 1,
    most: Number.POSITIVE_INFINITY,
    make: (args) => (course) => {
      let value = args[0]!(course)
      for (let i = 1; isFault(value) && i < args.length; i += 1) value = args[i]!(course)
      return value
    },
  },
}

export interface Case {
  readonly value: Run
  readonly result: Run
}

/** The result of the first case that is the subject. A case of another kind is not it. */
export const switched =
  (subject: Run, cases: readonly Case[], otherwise: Run, place: Place): Run =>
  (course) => {
    const sought = subject(course)
    if (isFault(sought)) return sought
    if (typeof sought === 'object' && !isNumber(sought)) return settled(null, place, [sought], course)
    for (const { value, result } of cases) {
      const found = value(course)
      if (isFault(found)) return found
      if (isSame(found, sought) === true) return result(course)
    }
    return otherwise(course)
  }
