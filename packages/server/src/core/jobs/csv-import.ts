import type { Ctx } from '../context.ts'
import type { FileRow } from '../db/tables.ts'
import { invalidPayload } from '../http/errors.ts'
import { type CsvRecord, readCsv } from '../lib/csv.ts'
import type { Id } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'
import { type AsyncAction, defineAsyncAction, startAsyncAction } from './async-action.ts'
import type { AsyncActionType } from './async-actions/schema.ts'
import { appendToFile, deleteFile, fileExpiry, findFile, insertFile, readFileRange } from './files/store.ts'

/** A row of an imported file that can be read. */
export interface CsvRow {
  /** From 1, without the header and blank lines. */
  row: number
  /** By the names of the header as they are written, but for blanks around them; columns without a name are left out. */
  cells: Record<string, string>
}

export interface RowFailure {
  row: CsvRow
  reason: string
}

export interface CsvImport<Setup, Input extends object = object> {
  type: AsyncActionType
  /** What is imported, for the message: `customer(s)`. */
  noun: string
  /** As of every async action. */
  lane?(input: Input): string
  /**
   * Columns that are known: cells have them by these names, in whatever case the file writes them, and with spaces and
   * underscores equal (docs/reference/imports.md#import-vouchers-as-csv). All others keep their own names.
   */
  known?: readonly string[]
  /** Columns that must be there, in whatever case; a file without one fails as a whole. */
  required?: readonly string[]
  /** Called in the transaction in which the import has its turn. */
  begin?(ctx: Ctx, input: Input): Promise<void>
  /** Once per step: what all its rows need. Undefined: there is nothing any more to import into, and it is over. */
  prepare(ctx: Ctx, input: Input): Promise<Setup | undefined>
  /** One step, at most `limits.csv_step_rows` rows in one transaction; answers those that were refused. */
  rows(ctx: Ctx, rows: CsvRow[], setup: Setup): Promise<RowFailure[]>
  /** What the result says of a refused row besides its number and the reason; of an unreadable one, no cell is known. */
  failure(row: CsvRow): object
  /** Called in the transaction that ends the import, when it did what it could or broke as a whole. */
  over?(ctx: Ctx, input: Input, ending: { failed: boolean }): Promise<void>
}

export interface CsvInput {
  file_id: FileRow['id']
}

/** Where the next step begins. */
export interface CsvState {
  size: number
  /** In bytes. */
  offset: number
  isCut: boolean
  /** The last row that was read. */
  row: number
  /** Null before the header was read. */
  columns: string[] | null
}

/**
 * An import of CSV rows as an async action. The file is read piece by piece, so that its size costs no memory; rows that
 * cannot be read or are refused are reported and do not stop the others.
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
      const { size } = await foundFile(ctx, input.file_id)
      return { size, offset: 0, isCut: false, row: 0, columns: null }
    },
    async step(ctx, input, state) {
      const { records, ...next } = await readRecords(ctx, input.file_id, state)
      const columns = state.columns ?? headerOf(records.shift(), { known, required })
      const filled = records.filter((record) => !isBlank(record))
      const { readable, unreadable } = numbered(filled, columns, state.row)
      const refused = readable.length === 0 ? [] : await save(ctx, readable, input)
      if (refused === undefined) return { state, progress: 100, done: 0, failed: [], finished: true }
      const failed = [...unreadable, ...refused]
        .sort((one, other) => one.row.row - other.row.row)
        .map(({ row, reason }) => ({ ...failure(row), row: row.row, reason }))
      return {
        state: { ...state, ...next, row: state.row + filled.length, columns },
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
 * Starts an import in the caller's transaction. The file is kept beside the action: a job names its work, no more. What
 * else the import must know goes with it as `input`.
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

async function foundFile(ctx: Ctx, fileId: FileRow['id']) {
  const file = await findFile(ctx, fileId)
  if (file === undefined) throw new Error(`File ${fileId} is gone`)
  return file
}

/** What a step reads at once: enough for its rows, unless they are long. */
const pieceBytes = 65_536

/** The next records of the file, at least one unless it ends, and where those after them begin. */
async function readRecords(
  ctx: Ctx,
  fileId: FileRow['id'],
  { size, offset, isCut, columns }: CsvState,
): Promise<{ records: CsvRecord[]; offset: number; isCut: boolean }> {
  const rowsMax = limits.csv_step_rows + (columns === null ? 1 : 0)
  for (let at = offset, length = pieceBytes; ; ) {
    const bytes = await readFileRange(ctx, fileId, at, length)
    if (bytes.length === 0 && at < size) throw new Error(`File ${fileId} is gone`)
    const read = readCsv(bytes, { isStart: at === 0, isEnd: at + bytes.length >= size, isCut, rows_max: rowsMax })
    at += read.used
    isCut = read.isCut
    if (read.rows.length > 0 || at >= size) return { records: read.rows, offset: at, isCut }
    // The next record is longer than the piece; a long line that is being skipped is not.
    if (read.used === 0) length = Math.min(length * 4, limits.csv_record_bytes_max + 1)
  }
}

/** The names of the columns; throws what is wrong with the file as a whole. */
function headerOf(
  record: CsvRecord | undefined,
  { known, required }: { known: readonly string[]; required: readonly string[] },
): string[] {
  if (record === undefined || isBlank(record)) throw invalidPayload('The file has no header row')
  if (!Array.isArray(record)) throw invalidPayload(`The header row cannot be read: ${record.fault}`)
  const names = new Map(known.map((name) => [headingOf(name), name]))
  const columns = record.map((name) => names.get(headingOf(name.trim())) ?? name.trim())
  if (columns.length > limits.csv_columns_max)
    throw invalidPayload(`The file has more than ${limits.csv_columns_max} columns`)
  for (const [index, name] of columns.entries()) {
    if (name !== '' && columns.indexOf(name) < index) throw invalidPayload(`The header row names '${name}' twice`)
    // As in JSON bodies: names that could reach a prototype, and text the database has no form for.
    if (name === '__proto__' || !isStorable(name)) throw invalidPayload(`'${name}' cannot be the name of a column`)
  }
  const present = new Set(columns.map((name) => name.toLowerCase()))
  const missing = required.find((name) => !present.has(name.toLowerCase()))
  if (missing !== undefined) throw invalidPayload(`The header row has no column '${missing}'`)
  return columns
}

/** What is the same of two ways to write a known name. */
const headingOf = (name: string): string => name.toLowerCase().replaceAll('_', ' ')

/** What spreadsheets write for an empty line. */
const isBlank = (record: CsvRecord): boolean => Array.isArray(record) && record.every((cell) => cell.trim() === '')

/** The rows with their numbers, and those that cannot be read with the reason. */
function numbered(
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
  if (!Array.isArray(record)) return record.fault
  if (record.length !== columns.length)
    return `The row has ${record.length} cells where the header has ${columns.length}`
  return record.every(isStorable) ? null : 'The row contains the character U+0000'
}

const isStorable = (text: string): boolean => !text.includes('\0')

const cellsOf = (record: string[], columns: string[]): Record<string, string> =>
  Object.fromEntries(columns.flatMap((name, index) => (name === '' ? [] : [[name, record[index] as string]])))
