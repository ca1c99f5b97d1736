import type { Ctx } from '../context.ts'
import type { FileRow } from '../db/tables.ts'
import { invalidPayload } from '../http/errors.ts'
import { type CsvRecord, readCsv } from '../lib/csv.ts'
import type { Id } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'
import { type AsyncAction, defineAsyncAction, startAsyncAction } from './async-action.ts'
import type { AsyncActionType } from './async-actions/schema.ts'
import { appendToFile, deleteFile, fileExpiry, findFile, insertFile, readFileRange } from './files/store.ts'

/** A valid row of an imported file. */
export interface CsvRow {
  /** Row number from 1, not counting the header and blank lines. */
  row: number
  /** By column name as written in the header, trimmed; columns without a name are omitted. */
  cells: Record<string, string>
}

export interface RowFailure {
  row: CsvRow
  reason: string
}

export interface CsvImport<Setup, Input extends object = object> {
  type: AsyncActionType
  /** For the message of the result: `customer(s)`. */
  noun: string
  /** See `AsyncAction`. */
  lane?(input: Input): string
  /**
   * Known columns: cells use these names whatever their case in the file, and spaces equal underscores
   * (docs/reference/imports.md#import-vouchers-as-csv). Other columns keep their names.
   */
  known?: readonly string[]
  /** Required columns, case-insensitive; a file without one of them fails as a whole. */
  required?: readonly string[]
  /** Called in the transaction that starts the import. */
  begin?(ctx: Ctx, input: Input): Promise<void>
  /** Called once per step: loads what all its rows need. Undefined: the target was deleted, and the import ends. */
  prepare(ctx: Ctx, input: Input): Promise<Setup | undefined>
  /** Imports at most `limits.csv_step_rows` rows in one transaction and returns the refused ones. */
  rows(ctx: Ctx, rows: CsvRow[], setup: Setup): Promise<RowFailure[]>
  /** Additional properties of a failed row in the result; an unreadable row has no cells. */
  failure(row: CsvRow): object
  /** Called in the transaction that ends the import, completed or failed as a whole. */
  over?(ctx: Ctx, input: Input, ending: { failed: boolean }): Promise<void>
}

export interface CsvInput {
  file_id: FileRow['id']
}

/** Where the next step begins. */
export interface CsvState {
  size: number
  /** Byte position in the file. */
  offset: number
  isCut: boolean
  /** Number of the last row read. */
  row: number
  /** Null until the header is read. */
  columns: string[] | null
}

/**
 * Defines an import of CSV rows as an async action. The file is read in pieces, so its size costs no memory; unreadable and
 * refused rows are reported and do not stop the others.
 */
export function defineCsvImport<Setup, Input extends object = object>(
  definition: CsvImport<Setup, Input>,
): AsyncAction<CsvInput & Input, CsvState> {
  const { type, noun, lane, known = [], required = [], prepare, rows, failure } = definition
  const save = async (ctx: Ctx, readable: CsvRow[], input: Input): Promise<RowFailure[] | undefined> => {
    const setup = await prepare(ctx, input)
    return setup === undefined ? undefined : rows(ctx, readable, setup)
  }
  return defineAsyncAction<CsvInput & Input, CsvState>({
    type,
    ...(lane === undefined ? {} : { lane }),
    async begin(ctx, input) {
      await definition.begin?.(ctx, input)
      const { size } = await requireFile(ctx, input.file_id)
      return { size, offset: 0, isCut: false, row: 0, columns: null }
    },
    async step(ctx, input, state) {
      const { records, ...next } = await readRecords(ctx, input.file_id, state)
      const columns = state.columns ?? headerOf(records.shift(), { known, required })
      const nonBlankRecords = records.filter((record) => !isBlank(record))
      const { readable, unreadable } = numberRows(nonBlankRecords, columns, state.row)
      const refused = readable.length === 0 ? [] : await save(ctx, readable, input)
      if (refused === undefined) return { state, progress: 100, done: 0, failed: [], finished: true }
      const failed = [...unreadable, ...refused]
        .sort((a, b) => a.row.row - b.row.row)
        .map(({ row, reason }) => ({ ...failure(row), row: row.row, reason }))
      return {
        state: { ...state, ...next, row: state.row + nonBlankRecords.length, columns },
        progress: (next.offset / state.size) * 100,
        done: readable.length - refused.length,
        failed,
        finished: next.offset >= state.size,
      }
    },
    async finish(ctx, input, { done_count, failed_count, failed }) {
      await deleteFile(ctx, input.file_id)
      await definition.over?.(ctx, input, { failed: false })
      const message = `${done_count} ${noun} imported successfully, ${failed_count} failed.`
      return { message, failed, done_count, failed_count }
    },
    async broken(ctx, input) {
      await deleteFile(ctx, input.file_id)
      await definition.over?.(ctx, input, { failed: true })
    },
  })
}

/**
 * Starts an import in the caller's transaction. The file is stored separately, because a job carries only ids; other
 * parameters of the import are its `input`.
 */
export async function startCsvImport<Input extends object>(
  ctx: Ctx,
  action: AsyncAction<CsvInput & Input>,
  file: Buffer,
  ...[input]: object extends Input ? [] : [input: Input]
): Promise<{ async_action_id: Id<'async_action'> }> {
  const fileId = await insertFile(ctx, { expires_at: fileExpiry(ctx) })
  await appendToFile(ctx, fileId, file)
  return startAsyncAction(ctx, action, { ...(input as Input), file_id: fileId })
}

async function requireFile(ctx: Ctx, fileId: FileRow['id']) {
  const file = await findFile(ctx, fileId)
  if (file === undefined) throw new Error(`File ${fileId} is gone`)
  return file
}

/** Bytes read at once: usually enough for all rows of a step. */
const readBytes = 65_536

/** Reads the next records of the file, at least one unless it ends, and the offset of the record after them. */
async function readRecords(
  ctx: Ctx,
  fileId: FileRow['id'],
  { size, offset, isCut, columns }: CsvState,
): Promise<{ records: CsvRecord[]; offset: number; isCut: boolean }> {
  const rowsMax = limits.csv_step_rows + (columns === null ? 1 : 0)
  for (let at = offset, length = readBytes; ; ) {
    const bytes = await readFileRange(ctx, fileId, at, length)
    if (bytes.length === 0 && at < size) throw new Error(`File ${fileId} is gone`)
    const parsed = readCsv(bytes, { isStart: at === 0, isEnd: at + bytes.length >= size, isCut, rows_max: rowsMax })
    at += parsed.used
    isCut = parsed.isCut
    if (parsed.rows.length > 0 || at >= size) return { records: parsed.rows, offset: at, isCut }
    // The next record is longer than the piece, so read a larger one; skipping an over-long line always advances.
    if (parsed.used === 0) length = Math.min(length * 4, limits.csv_record_bytes_max + 1)
  }
}

/** The names of the columns; throws if the header is invalid. */
function headerOf(
  record: CsvRecord | undefined,
  { known, required }: { known: readonly string[]; required: readonly string[] },
): string[] {
  if (record === undefined || isBlank(record)) throw invalidPayload('The file has no header row')
  if (!Array.isArray(record)) throw invalidPayload(`The header row cannot be read: ${record.error}`)
  const names = new Map(known.map((name) => [headingOf(name), name]))
  const columns = record.map((name) => names.get(headingOf(name.trim())) ?? name.trim())
  if (columns.length > limits.csv_columns_max)
    throw invalidPayload(`The file has more than ${limits.csv_columns_max} columns`)
  for (const [index, name] of columns.entries()) {
    if (name !== '' && columns.indexOf(name) < index) throw invalidPayload(`The header row names '${name}' twice`)
    // As in JSON bodies: refuse names that could reach a prototype, and text that the database cannot store.
    if (name === '__proto__' || !isStorable(name)) throw invalidPayload(`'${name}' cannot be the name of a column`)
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

/** Numbers the rows, and separates unreadable ones with the reason. */
function numberRows(
  records: CsvRecord[],
  columns: string[],
  before: number,
): { readable: CsvRow[]; unreadable: RowFailure[] } {
  const readable: CsvRow[] = []
  const unreadable: RowFailure[] = []
  for (const [index, record] of records.entries()) {
    const row = before + index + 1
    const reason = whyUnreadable(record, columns)
    if (reason !== null) unreadable.push({ row: { row, cells: {} }, reason })
    else readable.push({ row, cells: cellsOf(record as string[], columns) })
  }
  return { readable, unreadable }
}

function whyUnreadable(record: CsvRecord, columns: string[]): string | null {
  if (!Array.isArray(record)) return record.error
  if (record.length !== columns.length)
    return `The row has ${record.length} cells where the header has ${columns.length}`
  return record.every(isStorable) ? null : 'The row contains the character U+0000'
}

const isStorable = (text: string): boolean => !text.includes('\0')

const cellsOf = (record: string[], columns: string[]): Record<string, string> =>
  Object.fromEntries(columns.flatMap((name, index) => (name === '' ? [] : [[name, record[index] as string]])))
