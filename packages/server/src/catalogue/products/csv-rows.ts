import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import type { CsvRow, RowFailure } from '../../core/jobs/csv-import.ts'
import type { MetadataRules } from '../../definitions/metadata-schemas/rules.ts'

// Shared by the imports of products and SKUs: rows are parsed and checked one by one, and saved in batches.

/** A CSV row and the product or SKU parsed from it. */
export interface ParsedRow<Good> {
  row: CsvRow
  good: Good
}

/**
 * Parses the rows and saves them in as few batches as possible without a repeated source id within a batch, since one statement
 * cannot write a row twice. Returns the refused rows.
 */
export async function importRows<Good extends { source_id: string | null }>(
  rows: CsvRow[],
  parse: (row: CsvRow) => Good,
  save: (batch: ParsedRow<Good>[]) => Promise<RowFailure[]>,
): Promise<RowFailure[]> {
  const { passed, failures } = partitionRows(
    rows,
    (row) => row,
    (row) => ({ row, good: parse(row) }),
  )
  const occurrences = new Map<string, number>()
  const batches = Map.groupBy(passed, ({ good: { source_id } }) => {
    if (source_id === null) return 0
    const occurrence = occurrences.get(source_id) ?? 0
    occurrences.set(source_id, occurrence + 1)
    return occurrence
  })
  for (const batch of batches.values()) failures.push(...(await save(batch)))
  return failures
}

/** Converts each row with `read` and separates the results from the rows for which it throws an `ApiError`. */
export function partitionRows<From, To>(
  rows: readonly From[],
  rowOf: (item: From) => CsvRow,
  read: (item: From) => To,
): { passed: To[]; failures: RowFailure[] } {
  const passed: To[] = []
  const failures: RowFailure[] = []
  for (const item of rows)
    try {
      passed.push(read(item))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      failures.push({ row: rowOf(item), reason: error.message })
    }
  return { passed, failures }
}

/**
 * The cells of a row: known headers, in any letter case, as `values`, all others as metadata. Empty cells are skipped.
 */
export function readCells<const Header extends string>(
  { cells }: CsvRow,
  headers: readonly Header[],
  rules: MetadataRules,
): { values: { [H in Header]?: string }; metadata: Record<string, unknown> } {
  const values: { [H in Header]?: string } = {}
  const metadata: Record<string, unknown> = {}
  for (const [header, cell] of Object.entries(cells)) {
    if (cell === '') continue
    const known = headers.find((name) => name === header.toLowerCase())
    if (known === undefined) metadata[header] = rules.fromText(header, cell)
    else values[known] = cell
  }
  return { values, metadata }
}

/** Parses a price in a CSV file: an integer in the smallest unit of the currency. */
export function readPrice(text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^-?\d+$/.test(text.trim())) throw invalidPayload('Property .price must be integer')
  return Number(text)
}
