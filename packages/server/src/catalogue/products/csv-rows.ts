import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import type { CsvRow, RowFailure } from '../../core/jobs/csv-import.ts'
import type { MetadataRules } from '../../definitions/metadata-schemas/rules.ts'

// What the imports of products and of SKUs have in common: rows are read and checked one by one, and written together.

/** A row and what it wants to write. */
export interface ReadRow<Good> {
  row: CsvRow
  good: Good
}

/**
 * Reads the rows and has them saved in as few groups as it takes for none to name a source id twice, since one statement
 * cannot write a row twice. Answers those that were refused.
 */
export async function importRows<Good extends { source_id: string | null }>(
  rows: CsvRow[],
  read: (row: CsvRow) => Good,
  save: (group: ReadRow<Good>[]) => Promise<RowFailure[]>,
): Promise<RowFailure[]> {
  const { passed, failures } = partitionRows(
    rows,
    (row) => row,
    (row) => ({ row, good: read(row) }),
  )
  const times = new Map<string, number>()
  const groups = Map.groupBy(passed, ({ good: { source_id } }) => {
    if (source_id === null) return 0
    const time = times.get(source_id) ?? 0
    times.set(source_id, time + 1)
    return time
  })
  for (const group of groups.values()) failures.push(...(await save(group)))
  return failures
}

/** Rows that pass a check of their own, as `read` makes them, and those that it refuses. */
export function partitionRows<From, To>(
  rows: readonly From[],
  rowOf: (from: From) => CsvRow,
  read: (from: From) => To,
): { passed: To[]; failures: RowFailure[] } {
  const passed: To[] = []
  const failures: RowFailure[] = []
  for (const from of rows)
    try {
      passed.push(read(from))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      failures.push({ row: rowOf(from), reason: error.message })
    }
  return { passed, failures }
}

/**
 * What a row says: under the headers that are known, in whatever case, and under all others as metadata. An empty cell says
 * nothing.
 */
export function readCells<const Header extends string>(
  { cells }: CsvRow,
  headers: readonly Header[],
  rules: MetadataRules,
): { said: { [H in Header]?: string }; metadata: Record<string, unknown> } {
  const said: { [H in Header]?: string } = {}
  const metadata: Record<string, unknown> = {}
  for (const [header, cell] of Object.entries(cells)) {
    if (cell === '') continue
    const known = headers.find((name) => name === header.toLowerCase())
    if (known === undefined) metadata[header] = rules.fromText(header, cell)
    else said[known] = cell
  }
  return { said, metadata }
}

/** A price as a file has it: digits, in the smallest unit of the currency. */
export function readPrice(text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^-?\d+$/.test(text.trim())) throw invalidPayload('Property .price must be integer')
  return Number(text)
}
