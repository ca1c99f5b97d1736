import { limits } from './limits.ts'

/** One record of a CSV file: its cells, or the reason why it is unreadable. */
export type CsvRecord = string[] | CsvError

export interface CsvError {
  error: string
}

export interface CsvPiece {
  /** Whether the bytes are the beginning of the file, where a byte order mark may occur. */
  isStart?: boolean
  /** Whether the bytes are the end of the file. */
  isEnd: boolean
  /** Whether the bytes begin inside an unreadable line that is being skipped, as the previous call returned. */
  isCut?: boolean
  rows_max: number
}

/**
 * Parses the complete records (RFC 4180) at the beginning of some bytes; `used` is the number of bytes they took, where the
 * next call continues. If no record is complete and the file goes on, `used` is 0: call again with more bytes. More than
 * `limits.csv_record_bytes_max` bytes always make progress.
 *
 * An unreadable record becomes an error. A record with unbalanced quotation marks ends at its first line break, so that one
 * extra quotation mark costs a row and not the rest of the file. Blank lines are not records.
 */
export function readCsv(
  bytes: Uint8Array,
  { isStart = false, isEnd, isCut = false, rows_max }: CsvPiece,
): { rows: CsvRecord[]; used: number; isCut: boolean } {
  const rows: CsvRecord[] = []
  let at = isStart && hasByteOrderMark(bytes) ? 3 : 0
  if (isCut) {
    const lineFeed = bytes.indexOf(Lf, at)
    if (lineFeed < 0) return { rows, used: bytes.length, isCut: !isEnd }
    at = lineFeed + 1
  }
  while (rows.length < rows_max && at < bytes.length) {
    const { end, next, hasQuotes } = recordAt(bytes, at, isEnd)
    if (next !== null && end === at) {
      at = next // a blank line
      continue
    }
    const record =
      next === null ? tooLongOrUnfinished(bytes, at, isEnd) : parseRecord(bytes.subarray(at, end), hasQuotes)
    if (record === null) break
    rows.push(record)
    if (Array.isArray(record) || record === notUtf8) at = next as number
    else {
      const lineFeed = bytes.indexOf(Lf, at)
      if (lineFeed < 0) return { rows, used: bytes.length, isCut: !isEnd }
      at = lineFeed + 1
    }
  }
  return { rows, used: at, isCut: false }
}

/**
 * One line of a CSV file (docs/reference/exports.md#export-file): nothing for null, lists joined with commas, other objects as
 * JSON. Text that a spreadsheet would run as a formula gets an apostrophe in front, which `importedText` takes off again.
 * `csvRow(['Mug, blue', 900, true, null, '=1+1'])` → `"Mug, blue",900,true,,'=1+1\n`.
 */
export function csvRow(values: readonly unknown[]): string {
  const line = values
    .map((value) => (typeof value === 'number' ? String(value) : cellOf(exportedText(textOf(value)))))
    .join(',')
  // A blank line would not be a record.
  return line === '' ? '""\n' : `${line}\n`
}

/** A text as an export writes it. Apostrophes before a formula are doubled, so that `importedText` gives back every text. */
const exportedText = (text: string): string => (startsFormula(text) ? `'${text}` : text)

/** The text of a cell that an import reads. */
export const importedText = (cell: string): string =>
  cell.startsWith("'") && startsFormula(cell) ? cell.slice(1) : cell

/**
 * Whether a spreadsheet would run the text, or would if it had no apostrophes in front. Some drop white space in front, and some read
 * the full-width signs like the others.
 */
const startsFormula = (text: string): boolean => /^'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/.test(text)

const Lf = 0x0a
const Cr = 0x0d
const Quote = 0x22

const hasByteOrderMark = (bytes: Uint8Array) => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/** Where the record at `start` ends without its line break, and where the next begins; null when its end is not in the bytes. */
function recordAt(
  bytes: Uint8Array,
  start: number,
  isEnd: boolean,
): { end: number; next: number | null; hasQuotes: boolean } {
  const stop = Math.min(bytes.length, start + limits.csv_record_bytes_max + 1)
  let isQuoted = false
  let hasQuotes = false
  for (let at = start; at < stop; at += 1) {
    const byte = bytes[at]
    if (byte === Quote) {
      isQuoted = !isQuoted
      hasQuotes = true
    } else if (byte === Lf && !isQuoted)
      return { end: at > start && bytes[at - 1] === Cr ? at - 1 : at, next: at + 1, hasQuotes }
  }
  const isTooLong = stop - start > limits.csv_record_bytes_max
  if (!isEnd || isTooLong || isQuoted) return { end: stop, next: null, hasQuotes }
  return { end: bytes[stop - 1] === Cr ? stop - 1 : stop, next: stop, hasQuotes }
}

/** An unclosed quotation mark, one inside an unquoted cell, or one followed by more text. */
const badQuotes: CsvError = { error: 'The quotation marks of the row do not match' }

/** Null: the record may end in the following bytes. */
function tooLongOrUnfinished(bytes: Uint8Array, start: number, isEnd: boolean): CsvError | null {
  if (bytes.length - start > limits.csv_record_bytes_max)
    return { error: `The row is longer than ${limits.csv_record_bytes_max} bytes` }
  return isEnd ? badQuotes : null
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenientUtf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Its end is known nevertheless, unless its quotation marks are unbalanced too. */
const notUtf8: CsvError = { error: 'The row is not UTF-8' }

function parseRecord(bytes: Uint8Array, hasQuotes: boolean): CsvRecord {
  const cellsOf = (text: string) => (hasQuotes ? quotedCells(text) : text.split(','))
  try {
    return cellsOf(utf8.decode(bytes))
  } catch {
    return Array.isArray(cellsOf(lenientUtf8.decode(bytes))) ? notUtf8 : badQuotes
  }
}

/** The cells of a record with quotation marks. */
function quotedCells(text: string): CsvRecord {
  const cells: string[] = []
  for (let at = 0; ; ) {
    if (text[at] !== '"') {
      const comma = text.indexOf(',', at)
      const cell = comma < 0 ? text.slice(at) : text.slice(at, comma)
      if (cell.includes('"')) return badQuotes
      cells.push(cell)
      if (comma < 0) return cells
      at = comma + 1
      continue
    }
    let cell = ''
    let from = at + 1
    for (;;) {
      const quote = text.indexOf('"', from)
      if (quote < 0) return badQuotes
      cell += text.slice(from, quote)
      if (text[quote + 1] !== '"') {
        at = quote + 1
        break
      }
      cell += '"'
      from = quote + 2
    }
    cells.push(cell)
    if (at === text.length) return cells
    if (text[at] !== ',') return badQuotes
    at += 1
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textOf).join(',')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Quotes a leading byte order mark: readers would take it for that of the file. */
const cellOf = (text: string): string => (/[",\r\n]|^\ufeff/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
