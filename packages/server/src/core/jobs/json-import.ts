import type { Ctx } from '../context.ts'
import type { FileRow } from '../db/tables.ts'
import { limits } from '../lib/limits.ts'
import { defineFileImport, type FileImport, type FileState, type ImportRow, readPiece } from './file-import.ts'

interface JsonRow<Entry> extends ImportRow {
  entry: Entry
}

/** Defines an import of JSON entries, stored in a file as `jsonLines` writes them: their number costs no memory. */
export const defineJsonImport = <Entry, Setup, Input extends object = object>(
  definition: FileImport<JsonRow<Entry>, Setup, Input>,
) => defineFileImport(definition, readEntries<Entry>)

/** One line per entry, in pieces. */
export function* jsonLines(entries: readonly unknown[]): Iterable<Buffer> {
  for (let at = 0; at < entries.length; at += 1_000) {
    const lines = entries.slice(at, at + 1_000).map((entry) => `${JSON.stringify(entry)}\n`)
    yield Buffer.from(lines.join(''))
  }
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
      rows.push({ row: rows.length, entry: JSON.parse(bytes.toString('utf8', at, end)) as Entry })
      at = end + 1
      end = bytes.indexOf('\n', at)
    }
    if (rows.length > 0 || isEnd) return { rows, state: { size, offset: offset + at } }
  }
}
