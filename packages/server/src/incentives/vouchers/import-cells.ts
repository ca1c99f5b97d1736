import { invalidPayload } from '../../core/http/errors.ts'
import type { CsvRow } from '../../core/jobs/csv-import.ts'
import { type Instant, parseInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import type { MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import type { CodeChange } from './import-codes.ts'

// Readers for the cells of a voucher file (docs/reference/imports.md#import-vouchers-as-csv). An empty cell counts as
// missing; errors name the column.

export type Cells = CsvRow['cells']

export function textIn(cells: Cells, column: string, lengthMax: number = limits.name_length_max): string | undefined {
  const text = cells[column]?.trim() ?? ''
  if (text === '') return undefined
  if ([...text].length > lengthMax) throw invalidPayload(`${column} must not have more than ${lengthMax} characters`)
  return text
}

export function requiredIn(cells: Cells, column: string): string {
  const text = textIn(cells, column)
  if (text === undefined) throw invalidPayload(`${column} is required`)
  return text
}

export function integerIn(cells: Cells, column: string, minimum: number): number | undefined {
  const text = textIn(cells, column)
  if (text === undefined) return undefined
  const value = Number(text)
  if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(value)) throw invalidPayload(`${column} must be an integer`)
  if (value < minimum) throw invalidPayload(`${column} must not be less than ${minimum}`)
  return value
}

export function dateIn(cells: Cells, column: string): Instant | undefined {
  const text = textIn(cells, column)
  if (text === undefined) return undefined
  const instant = parseInstant(text)
  if (instant === null) throw invalidPayload(`${column} cannot be recognized as a ISO-8601 compliant date`)
  return instant
}

export function activeIn(cells: Cells): boolean | undefined {
  const text = textIn(cells, 'Active')
  if (text === undefined) return undefined
  if (!/^(true|false)$/i.test(text)) throw invalidPayload('Active must be TRUE or FALSE')
  return text.toLowerCase() === 'true'
}

/** Unknown columns as metadata, under their header. */
export function metadataIn(cells: Cells, known: ReadonlySet<string>, rules: MetadataRules): Record<string, unknown> {
  const metadata: Record<string, unknown> = {}
  for (const [header, cell] of Object.entries(cells))
    if (cell !== '' && !known.has(header)) metadata[header] = rules.fromText(header, cell)
  return metadata
}

/** The changes of a row to an existing voucher: all other columns are ignored, and an empty cell keeps the stored value. */
export function changeIn(cells: Cells): CodeChange {
  const [active, category] = [activeIn(cells), textIn(cells, 'Category')]
  return { ...(active === undefined ? {} : { active }), ...(category === undefined ? {} : { category }) }
}
