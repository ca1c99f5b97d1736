import { toBoolean, toNumber } from '@guerdon/engine'
import type { MetadataType } from '@guerdon/engine/schema'
import { parseInstant } from '../../core/lib/instant.ts'
import type { Definition } from './definition.ts'

/**
 * Converts a cell of a CSV file to the type of a definition (docs/reference/customers.md#bulk-updates). An empty cell is null; a
 * cell that cannot be converted stays a string, which the definition then refuses.
 *
 * For type `number`, `1, 2.5` becomes `[1, 2.5]` if the definition is an array, and stays a string otherwise.
 */
export function valueFromText({ type, array }: Pick<Definition, 'type' | 'array'>, text: string): unknown {
  if (!array) return convertCell(type, text)
  return text.trim() === '' ? [] : text.split(',').map((element) => convertCell(type, element.trim()))
}

function convertCell(type: MetadataType, text: string): unknown {
  if (type === 'string' || type === 'object') return text
  const cell = text.trim()
  if (cell === '' || (type === 'boolean' && cell === 'null')) return null
  return converters[type](cell) ?? text
}

/** Converts a cell; undefined or null if it cannot be converted. */
const converters: { [T in Exclude<MetadataType, 'string' | 'object'>]: (cell: string) => unknown } = {
  number: toNumber,
  boolean: toBoolean,
  date: (cell) => parseInstant(cell)?.slice(0, 10),
  datetime: parseInstant,
  geopoint: (cell) => cell,
  image_url: (cell) => cell,
}
