import { type Instant, parseInstant } from '../../lib/instant.ts'
import type { FilterField, Scalar } from './field.ts'
import { toBoolean, toNumber } from './field.ts'
import type { FilterOperator } from './operators.ts'
import { type AnyOperator, type Arguments, filterOperators } from './operators.ts'

interface Fault {
  fault: string
}

/** A value as its operator compares it on a field, or what is wrong with it. */
export function readArgument(operator: FilterOperator, given: Scalar, field: FilterField): Scalar | Fault {
  const { takes, ...bounds }: AnyOperator = filterOperators[operator]
  return argumentReaders[takes](given, field, bounds)
}

type ArgumentReader = (
  given: Scalar,
  field: FilterField,
  bounds: { minimum?: number; maximum?: number },
) => Scalar | Fault

const argumentReaders: { [T in keyof Arguments]: ArgumentReader } = {
  nothing: (given) => given,
  switch: (given) => given,
  value: (given, { type }) => valueReaders[type](given),
  text: toText,
  magnitude: (given, { type }) =>
    type === 'number' ? valueReaders.number(given) : (toNumber(given) ?? toMagnitude(given, type)),
  instant: toMoment,
  integer(given, _, { minimum = -Infinity, maximum = Infinity }) {
    const number = toNumber(given)
    if (number === null || !Number.isSafeInteger(number)) return { fault: 'must be integer' }
    if (number < minimum) return { fault: `must be >= ${minimum}` }
    return number > maximum ? { fault: `must be <= ${maximum}` } : number
  },
}

const valueReaders: { [T in FilterField['type']]: (given: Scalar) => Scalar | Fault } = {
  string: toText,
  number: (given) => toNumber(given) ?? { fault: 'must be number' },
  boolean: (given) => toBoolean(given) ?? { fault: 'must be boolean' },
  date(given) {
    const at = toMoment(given)
    return typeof at === 'string' ? at.slice(0, 10) : at
  },
  datetime: toMoment,
  datetimes: toText,
  array: toText,
  metadata: toText,
}

/** Texts that PostgreSQL cannot hold are refused here: as parameters they would make the statement fail. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

function toText(given: Scalar): string | Fault {
  const text = String(given)
  return isStorable(text) ? text : { fault: 'must be valid text' }
}

function toMoment(given: Scalar): Instant | Fault {
  const at = typeof given === 'string' ? parseInstant(given) : null
  // The years 1 to 9999: further out JavaScript and PostgreSQL write a date differently.
  return at !== null && /^(?!0000)\d{4}-/.test(at) ? at : { fault: 'cannot be recognized as a ISO-8601 compliant date' }
}

/** Not a number, so a moment; on fields that have neither, anything may stand here and is never true. */
function toMagnitude(given: Scalar, type: FilterField['type']): Scalar | Fault {
  const at = toMoment(given)
  if (typeof at === 'string') return at
  return type === 'string' || type === 'boolean' || type === 'array'
    ? 0
    : { fault: 'must be number or ISO-8601 compliant date' }
}
