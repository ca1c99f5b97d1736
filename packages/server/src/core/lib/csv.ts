import { limits } from './limits.ts'

/** One record of a CSV file: its cells, or why it cannot be read. */
export type CsvRecord = string[] | CsvFault

export interface CsvFault {
  fault: string
}

export interface CsvPiece {
  /** Whether the bytes are the beginning of the file, where a byte order mark may stand. */
  isStart?: boolean
  /** Whether nothing follows the bytes. */
  isEnd: boolean
  /** Whether the bytes begin inside a line that was given up, as the call before said. */
  isCut?: boolean
  rows_max: number
}

/**
 * Reads the complete records (RFC 4180) at the beginning of some bytes; `used` says how many bytes they took, so that
 * the next call goes on from there. Where no record is complete and more is to come, `used` is 0: call again with more
 * bytes. More than `limits.csv_record_bytes_max` always lead on.
 *
 * A record that cannot be read is a fault. One that is quoted badly ends at its first line break, so that a quotation
 * mark too many costs a row and not the rest of the file. Blank lines are no records.
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
    const record = next === null ? tooLongOrUnfinished(bytes, at, isEnd) : read(bytes.subarray(at, end), hasQuotes)
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
 * JSON.
 * `csvRow(['Mug, blue', 900, true, null])` → `"Mug, blue",900,true,\n`.
 */
export function csvRow(values: readonly unknown[]): string {
  const line = values.map((value) => cellOf(textOf(value))).join(',')
  // An empty line would be none.
  return line === '' ? '""\n' : `${line}\n`
}

const Lf = 0x0a
const Cr = 0x0d
const Quote = 0x22

const hasByteOrderMark = (bytes: Uint8Array) => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/** Where the record at `start` ends without its line break, and where the next one begins; null when that is not in sight. */
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

/** A mark that is not closed, stands inside of an unquoted cell, or closes one that goes on. */
const badQuotes: CsvFault = { fault: 'The quotation marks of the row do not match' }

/** Null: its end may still come. */
function tooLongOrUnfinished(bytes: Uint8Array, start: number, isEnd: boolean): CsvFault | null {
  if (bytes.length - start > limits.csv_record_bytes_max)
    return { fault: `The row is longer than ${limits.csv_record_bytes_max} bytes` }
  return isEnd ? badQuotes : null
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const anything = new TextDecoder('utf-8', { ignoreBOM: true })

/** Its end is known all the same, unless the quotation marks are wrong too. */
const notUtf8: CsvFault = { fault: 'The row is not UTF-8' }

function read(bytes: Uint8Array, hasQuotes: boolean): CsvRecord {
  const cellsOf = (text: string) => (hasQuotes ? quotedCells(text) : text.split(','))
  try {
    return cellsOf(utf8.decode(bytes))
  } catch {
    return Array.isArray(cellsOf(anything.decode(bytes))) ? notUtf8 : badQuotes
  }
}

/** The cells of a record of which some stand in quotation marks. */
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

/** A byte order mark at the beginning would be taken for that of the file. */
const cellOf = (text: string): string => (/[",\r\n]|^\ufeff/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
