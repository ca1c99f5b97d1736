import { type FilterOperator, filterOperators, type Scalar, toBoolean, toNumber } from '@guerdon/engine'
import { type Instant, parseInstant } from '../../lib/instant.ts'
import type { FilterField } from './field.ts'

interface ArgumentError {
  error: string
}

interface Declaration {
  takes: string
  minimum?: number
  maximum?: number
}

/** Converts an argument to the type that its operator compares on the field, or returns an error. */
export function readArgument(
  operator: FilterOperator,
  argument: Scalar,
  { type }: FilterField,
): Scalar | ArgumentError {
  const { takes, minimum, maximum }: Declaration = filterOperators[operator]
  switch (takes) {
    case 'integer':
      return toInteger(argument, minimum, maximum)
    case 'instant':
      return toMoment(argument)
    case 'magnitude':
      return type === 'number' ? valueReaders.number(argument) : (toNumber(argument) ?? toMagnitude(argument, type))
    case 'value':
      return valueReaders[type](argument)
    default:
      return toText(argument)
  }
}

const valueReaders: { [T in FilterField['type']]: (argument: Scalar) => Scalar | ArgumentError } = {
  string: toText,
  number: (argument) => toNumber(argument) ?? { error: 'must be number' },
  boolean: (argument) => toBoolean(argument) ?? { error: 'must be boolean' },
  date(argument) {
    const at = toMoment(argument)
    return typeof at === 'string' ? at.slice(0, 10) : at
  },
  datetime: toMoment,
  datetimes: toText,
  array: toText,
  metadata: toText,
}

/** Refuses text that PostgreSQL cannot store: as a parameter it would make the statement fail. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

function toText(argument: Scalar): string | ArgumentError {
  const text = String(argument)
  return isStorable(text) ? text : { error: 'must be valid text' }
}

function toMoment(argument: Scalar): Instant | ArgumentError {
  const at = typeof argument === 'string' ? parseInstant(argument) : null
  return at ?? { error: 'cannot be recognized as a ISO-8601 compliant date' }
}

/** Not a number, so a moment; fields without numbers and dates accept any argument, and the condition is false. */
function toMagnitude(argument: Scalar, type: FilterField['type']): Scalar | ArgumentError {
  const at = toMoment(argument)
  if (typeof at === 'string') return at
  return type === 'string' || type === 'boolean' || type === 'array'
    ? 0
    : { error: 'must be number or ISO-8601 compliant date' }
}

function toInteger(argument: Scalar, minimum = -Infinity, maximum = Infinity): number | ArgumentError {
  const number = toNumber(argument)
  if (number === null || !Number.isSafeInteger(number)) return { error: 'must be integer' }
  if (number < minimum) return { error: `must be >= ${minimum}` }
  return number > maximum ? { error: `must be <= ${maximum}` } : number
}
