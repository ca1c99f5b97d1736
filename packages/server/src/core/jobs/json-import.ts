import type { Ctx } from '../context.ts'
import type { FileRow } from '../db/tables.ts'
import type { Id } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'
import type { AsyncAction } from './async-action.ts'
import {
  defineFileImport,
  type FileImport,
  type FileInput,
  type FileState,
  type ImportRow,
  readPiece,
  startFileImport,
} from './file-import.ts'

/** An entry of a JSON import, and its position in the step. */
export interface JsonRow<Entry> extends ImportRow {
  entry: Entry
}

export interface JsonImport<Entry, Setup, Input extends object> extends FileImport<JsonRow<Entry>, Setup, Input> {
  /** Identifies a failed entry in the result. */
  failure(entry: Entry): object
}

/** Defines an import of JSON entries, which are stored in a file, one per line: their number costs no memory. */
export const defineJsonImport = <Entry, Setup, Input extends object = object>(
  definition: JsonImport<Entry, Setup, Input>,
): AsyncAction<FileInput & Input, FileState> =>
  defineFileImport(definition, {
    begin: (file) => file,
    read: readEntries<Entry>,
    failure: (row) => definition.failure((row as JsonRow<Entry>).entry),
  })

/** Starts an import of entries in the caller's transaction. */
export const startJsonImport = <Input extends object>(
  ctx: Ctx,
  action: AsyncAction<FileInput & Input>,
  entries: readonly unknown[],
  input: Input,
): Promise<{ async_action_id: Id<'async_action'> }> => startFileImport(ctx, action, linesOf(entries), input)

const entriesPerPiece = 1_000

function* linesOf(entries: readonly unknown[]): Iterable<Buffer> {
  for (let at = 0; at < entries.length; at += entriesPerPiece)
    yield Buffer.from(
      entries
        .slice(at, at + entriesPerPiece)
        .map((entry) => `${JSON.stringify(entry)}\n`)
        .join(''),
    )
}

/** Bytes read at once, unless an entry is longer. */
const readBytes = 262_144

async function readEntries<Entry>(ctx: Ctx, fileId: FileRow['id'], state: FileState) {
  const { size, offset } = state
  for (let length = readBytes; ; length *= 4) {
    const { bytes, isEnd } = await readPiece(ctx, fileId, state, length)
    const rows: JsonRow<Entry>[] = []
    let at = 0
    for (let end = bytes.indexOf('\n'); end >= 0 && rows.length < limits.csv_step_rows; ) {
      rows.push({ row: rows.length + 1, entry: JSON.parse(bytes.toString('utf8', at, end)) as Entry })
      at = end + 1
      end = bytes.indexOf('\n', at)
    }
    if (rows.length > 0 || isEnd) return { rows, state: { size, offset: offset + at } }
  }
}
