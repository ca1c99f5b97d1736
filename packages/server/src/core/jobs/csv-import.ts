import type { Ctx } from '../context.ts'
import type { FileRow } from '../db/tables.ts'
import { invalidPayload } from '../http/errors.ts'
import { type CsvRecord, importedText, readCsv } from '../lib/csv.ts'
import { limits } from '../lib/limits.ts'
import { defineFileImport, type FileImport, type FileState, type ImportRow, readPiece } from './file-import.ts'

/** A row of an imported file, numbered from 1 without the header and blank lines. */
export interface CsvRow extends ImportRow {
  /** None in an unreadable row. */
  cells: Cells
}

/** By column name as written in the header, trimmed; columns without a name are omitted. */
export type Cells = Record<string, string>

interface Header {
  /**
   * Known columns: cells use these names whatever their case in the file, and spaces equal underscores
   * (docs/reference/imports.md#import-vouchers-as-csv). Other columns keep their names.
   */
  known?: readonly string[]
  /** Required columns, case-insensitive; a file without one of them fails as a whole. */
  required?: readonly string[]
}

interface CsvState extends FileState {
  isCut?: boolean
  /** Number of the last row read. */
  row?: number
  /** Missing until the header is read. */
  columns?: string[]
}

/** Defines an import of the rows of a CSV file. */
export const defineCsvImport = <Setup, Input extends object = object>(
  definition: FileImport<CsvRow, Setup, Input> & Header,
) =>
  defineFileImport<CsvRow, Setup, Input, CsvState>(definition, async (ctx, fileId, state) => {
    const { records, ...next } = await readRecords(ctx, fileId, state)
    const columns = state.columns ?? headerOf(records.shift(), definition)
    const rowsBefore = state.row ?? 0
    const rows = records
      .filter((record) => !isBlank(record))
      .map((record, index) => readRow(rowsBefore + index + 1, record, columns))
    return { rows, state: { ...next, row: rowsBefore + rows.length, columns } }
  })

/** Bytes read at once: usually enough for all rows of a step. */
const readBytes = 65_536

/** Reads the next records of the file, at least one unless it ends, and the position of the record after them. */
async function readRecords(
  ctx: Ctx,
  fileId: FileRow['id'],
  { size, offset, isCut = false, columns }: CsvState,
): Promise<{ records: CsvRecord[]; size: number; offset: number; isCut: boolean }> {
  const rowsMax = limits.csv_step_rows + (columns === undefined ? 1 : 0)
  for (let length = readBytes; ; ) {
    const { bytes, isEnd } = await readPiece(ctx, fileId, { size, offset }, length)
    const parsed = readCsv(bytes, { isStart: offset === 0, isEnd, isCut, rows_max: rowsMax })
    offset += parsed.used
    isCut = parsed.isCut
    if (parsed.rows.length > 0 || offset >= size) return { records: parsed.rows, size, offset, isCut }
    // The next record is longer than the piece, so read a larger one; skipping an over-long line always advances.
    if (parsed.used === 0) length = Math.min(length * 4, limits.csv_record_bytes_max + 1)
  }
}

/** The names of the columns; throws if the header is invalid. */
function headerOf(record: CsvRecord | undefined, { known = [], required = [] }: Header): string[] {
  if (record === undefined || isBlank(record)) throw invalidPayload('The file has no header row')
  if (!Array.isArray(record)) throw invalidPayload(`The header row cannot be read: ${record.error}`)
  const names = new Map(known.map((name) => [headingOf(name), name]))
  const columns = record.map((name) => names.get(headingOf(name.trim())) ?? name.trim())
  if (columns.length > limits.csv_columns_max)
    throw invalidPayload(`The file has more than ${limits.csv_columns_max} columns`)
  for (const [index, name] of columns.entries()) {
    if (name !== '' && columns.indexOf(name) < index) throw invalidPayload(`The header row names '${name}' twice`)
    // As in JSON bodies: refuse names that could reach a prototype, and text that the database cannot store.
    if (name === '__proto__' || !isStorable(name))
      throw invalidPayload(`${JSON.stringify(name)} cannot be the name of a column`)
  }
  const present = new Set(columns.map((name) => name.toLowerCase()))
  const missing = required.find((name) => !present.has(name.toLowerCase()))
  if (missing !== undefined) throw invalidPayload(`The header row has no column '${missing}'`)
  return columns
}

/** The normalised form by which a known column is found. */
const headingOf = (name: string): string => name.toLowerCase().replaceAll('_', ' ')

/** A record of empty cells, which spreadsheets write for an empty line. */
const isBlank = (record: CsvRecord): boolean => Array.isArray(record) && record.every((cell) => cell.trim() === '')

function readRow(row: number, record: CsvRecord, columns: string[]): CsvRow {
  const unreadable = whyUnreadable(record, columns)
  if (unreadable !== null) return { row, cells: {}, unreadable }
  const cells = columns.flatMap((name, index) =>
    name === '' ? [] : [[name, importedText((record as string[])[index] as string)]],
  )
  return { row, cells: Object.fromEntries(cells) }
}

function whyUnreadable(record: CsvRecord, columns: string[]): string | null {
  if (!Array.isArray(record)) return record.error
  if (record.length !== columns.length)
    return `The row has ${record.length} cells where the header has ${columns.length}`
  return record.every(isStorable) ? null : 'The row contains the character U+0000'
}

const isStorable = (text: string): boolean => !text.includes('\0')

/**
 * Separates the cells of known columns, in any letter case, from the others, which are converted to metadata. Empty cells
 * are skipped.
 */
export function readCells<const Column extends string>(
  cells: Cells,
  columns: readonly Column[],
  metadataRules: { fromText(key: string, text: string): unknown },
): { values: { [C in Column]?: string }; metadata: Record<string, unknown> } {
  const values: { [C in Column]?: string } = {}
  const metadata: Record<string, unknown> = {}
  for (const [header, cell] of Object.entries(cells)) {
    if (cell === '') continue
    const name = header.toLowerCase()
    const known = columns.find((column) => column.toLowerCase() === name)
    if (known === undefined) metadata[header] = metadataRules.fromText(header, cell)
    else values[known] = cell
  }
  return { values, metadata }
}
