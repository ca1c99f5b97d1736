import { invalidPayload } from '../../core/http/errors.ts'
import type { CsvRow } from '../../core/jobs/csv-import.ts'
import { type Instant, parseInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import type { MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import type { CodeChange } from './import-codes.ts'

// What the cells of a file of codes say (docs/reference/imports.md#import-vouchers-as-csv). An empty cell says nothing; what is
// wrong is named by its column.

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

/** The columns that nobody knows, under their own names. */
export function metadataIn(cells: Cells, known: ReadonlySet<string>, rules: MetadataRules): Record<string, unknown> {
  const metadata: Record<string, unknown> = {}
  for (const [header, cell] of Object.entries(cells))
    if (cell !== '' && !known.has(header)) metadata[header] = rules.fromText(header, cell)
  return metadata
}

/** What a row changes of a code that exists: all other columns are ignored, and an empty cell leaves what is there. */
export function changeIn(cells: Cells): CodeChange {
  const [active, category] = [activeIn(cells), textIn(cells, 'Category')]
  return { ...(active === undefined ? {} : { active }), ...(category === undefined ? {} : { category }) }
}
