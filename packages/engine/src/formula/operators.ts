import type { Clock } from '../time/index.ts'
import { add, compare, divide, type Exact, modulo, multiply, ofText, subtract } from './exact.ts'
import { isFault, type UnlocatedFault } from './fault.ts'
import { dayOn, instantOf, isIn, isNumber, isSame, type Moment, momentValueOf, type Value } from './value.ts'

/** A binary operator; returns null when the operand types do not fit. */
export type FormulaOperator = (a: Value, b: Value, clock: Clock) => Value | UnlocatedFault | null

export interface Level {
  readonly operators: Readonly<Record<string, FormulaOperator>>
  /** Whether operators of the level can be chained: `1 + 2 + 3` can, `1 < 2 < 3` cannot. */
  readonly repeats: boolean
}

const numbers =
  (calculate: (a: Exact, b: Exact) => Value | UnlocatedFault): FormulaOperator =>
  (a, b) =>
    isNumber(a) && isNumber(b) ? calculate(a, b) : null

const truths =
  (join: (a: boolean, b: boolean) => boolean): FormulaOperator =>
  (a, b) =>
    typeof a === 'boolean' && typeof b === 'boolean' ? join(a, b) : null

const texts =
  (holds: (a: string, b: string) => boolean): FormulaOperator =>
  (a, b) =>
    typeof a === 'string' && typeof b === 'string' ? holds(a, b) : null

const dates =
  (holds: (a: Moment, b: Moment, clock: Clock) => boolean): FormulaOperator =>
  (a, b, clock) => {
    const [left, right] = [momentValueOf(a), momentValueOf(b)]
    return left === null || right === null ? null : holds(left, right, clock)
  }

const not =
  (operator: FormulaOperator): FormulaOperator =>
  (a, b, clock) => {
    const holds = operator(a, b, clock)
    return typeof holds === 'boolean' ? !holds : holds
  }

const contains: FormulaOperator = (a, b, clock) => {
  if (!Array.isArray(a)) return texts((text, part) => text.includes(part))(a, b, clock)
  return typeof b === 'object' && !isNumber(b) ? null : isIn(a, b)
}

/** The list is a string, so its members are parsed as the type of the searched value: 5 is in "1, 5.0". */
const inArray: FormulaOperator = (a, b) => {
  if (typeof b !== 'string' || (typeof a === 'object' && !isNumber(a))) return null
  const members = b.split(',').map((member) => member.trim())
  if (typeof a !== 'object') return members.includes(String(a))
  return members.some((member) => {
    const number = ofText(member)
    return number !== null && !isFault(number) && compare(a, number) === 0
  })
}

const sameDay = dates((a, b, clock) => dayOn(a, clock) === dayOn(b, clock))

/** From the lowest precedence to the highest (docs/reference/formulas.md#grammar). */
export const levels: readonly Level[] = [
  { repeats: true, operators: { OR: truths((a, b) => a || b) } },
  { repeats: true, operators: { AND: truths((a, b) => a && b) } },
  {
    repeats: false,
    operators: {
      '>': numbers((a, b) => compare(a, b) > 0),
      '<': numbers((a, b) => compare(a, b) < 0),
      '=': numbers((a, b) => compare(a, b) === 0),
      '>=': numbers((a, b) => compare(a, b) >= 0),
      '<=': numbers((a, b) => compare(a, b) <= 0),
      '!=': numbers((a, b) => compare(a, b) !== 0),
      is: isSame,
      isNot: not(isSame),
      contains,
      startsWith: texts((text, part) => text.startsWith(part)),
      endsWith: texts((text, part) => text.endsWith(part)),
      IN_ARRAY: inArray,
      NOT_IN_ARRAY: not(inArray),
      DATE_IS: sameDay,
      DATE_IS_NOT: not(sameDay),
      IS_AFTER: dates((a, b, clock) => instantOf(a, clock) > instantOf(b, clock)),
      IS_BEFORE: dates((a, b, clock) => instantOf(a, clock) < instantOf(b, clock)),
    },
  },
  { repeats: true, operators: { '+': numbers(add), '-': numbers(subtract) } },
  {
    repeats: true,
    operators: {
      '*': numbers(multiply),
      x: numbers(multiply),
      '×': numbers(multiply),
      '/': numbers(divide),
      '÷': numbers(divide),
      '%': numbers(modulo),
    },
  },
]
