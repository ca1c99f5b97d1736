import type { MetadataType } from '@guerdon/engine/schema'
import { parseInstant } from '../../core/lib/instant.ts'
import { toBoolean, toNumber } from '../../core/query/filter/field.ts'
import type { Definition } from './definition.ts'

/**
 * A cell of a CSV file as the value that a definition wants (docs/reference/customers.md#bulk-updates). An empty cell is no
 * value; what cannot be converted stays text, which the definition then refuses.
 *
 * As numbers, `1, 2.5` is `[1, 2.5]` where an array is wanted, and stays text where it is not.
 */
export function valueFromText({ type, array }: Pick<Definition, 'type' | 'array'>, text: string): unknown {
  if (!array) return fromCell(type, text)
  return text.trim() === '' ? [] : text.split(',').map((element) => fromCell(type, element.trim()))
}

function fromCell(type: MetadataType, text: string): unknown {
  if (type === 'string' || type === 'object') return text
  const cell = text.trim()
  if (cell === '' || (type === 'boolean' && cell === 'null')) return null
  return readers[type](cell) ?? text
}

/** Undefined or null: it cannot be converted. */
const readers: { [T in Exclude<MetadataType, 'string' | 'object'>]: (cell: string) => unknown } = {
  number: toNumber,
  boolean: toBoolean,
  date: (cell) => parseInstant(cell)?.slice(0, 10),
  datetime: parseInstant,
  geopoint: (cell) => cell,
  image_url: (cell) => cell,
}
