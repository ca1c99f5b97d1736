import { array, assert, constantFrom, integer, property, string, tuple } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CsvRecord, csvRow, importedText, readCsv } from './csv.ts'
import { limits } from './limits.ts'

/** Reads a file as a job does: in pieces of the given length, longer if a record does not fit. */
function readAll(file: Uint8Array, { piece_bytes = 64, rows_max = 3 } = {}): CsvRecord[] {
  const rows: CsvRecord[] = []
  let isCut = false
  for (let at = 0, length = piece_bytes; at < file.length; ) {
    const bytes = file.subarray(at, at + length)
    const read = readCsv(bytes, { isStart: at === 0, isEnd: at + length >= file.length, isCut, rows_max })
    expect(read.rows.length).toBeLessThanOrEqual(rows_max)
    expect(read.used).toBeLessThanOrEqual(bytes.length)
    length = read.used === 0 ? length * 2 : piece_bytes
    expect(length).toBeLessThan(8 * limits.csv_record_bytes_max) // otherwise it makes no progress
    rows.push(...read.rows)
    at += read.used
    isCut = read.isCut
  }
  return rows
}

const read = (text: string) => readAll(Buffer.from(text))

const anyText = string({ unit: 'binary' })
const anyRow = array(anyText, { minLength: 1, maxLength: 5 })

test('written rows are read back, in pieces of any length', () => {
  assert(
    property(array(anyRow), integer({ min: 1, max: 40 }), integer({ min: 1, max: 9 }), (rows, pieceBytes, rowsMax) => {
      const file = Buffer.from(rows.map(csvRow).join(''))
      const read = readAll(file, { piece_bytes: pieceBytes, rows_max: rowsMax })
      expect(read.map((record) => (record as string[]).map(importedText))).toEqual(rows)
    }),
  )
})

test('any bytes are read once without an exception, with the same result in pieces as in one', () => {
  const awkward = array(
    integer({ min: 0, max: 9 }).map((n) => [0x22, 0x2c, 0x0a, 0x0d, 0x61, 0xc3, 0xa4, 0xff, 0x22, 0x0a][n] as number),
    {
      maxLength: 60,
    },
  )
  assert(
    property(tuple(awkward, integer({ min: 1, max: 20 })), ([bytes, pieceBytes]) => {
      const file = Uint8Array.from(bytes)
      const whole = readCsv(file, { isStart: true, isEnd: true, rows_max: 1_000 })
      expect(whole).toMatchObject({ used: file.length, isCut: false })
      expect(readAll(file, { piece_bytes: pieceBytes })).toEqual(whole.rows)
    }),
    { numRuns: 2_000 },
  )
})

describe('a file is read', () => {
  test.each<[string, string, CsvRecord[]]>([
    ['with line feeds', 'a,b\nc,d\n', [['a', 'b'], ['c', 'd']]],
    ['with carriage returns and line feeds', 'a,b\r\nc,d\r\n', [['a', 'b'], ['c', 'd']]],
    ['without the last line feed', 'a,b\nc,d', [['a', 'b'], ['c', 'd']]],
    ['with only a carriage return at the end', 'a,b\r', [['a', 'b']]],
    ['without its byte order mark', '\ufeffa,b\n\ufeffc,d\n', [['a', 'b'], ['\ufeffc', 'd']]],
    ['without blank lines', '\n\r\na\n\n\nb\r\n\r\n', [['a'], ['b']]],
    ['with empty cells', ',\na,\n,b\n""\n', [['', ''], ['a', ''], ['', 'b'], ['']]],
    ['with quoted cells', '"a,b","say ""hi""","two\r\nlines"\n', [['a,b', 'say "hi"', 'two\r\nlines']]],
    ['with its blanks', ' a , b \n', [[' a ', ' b ']]],
    ['with a carriage return in the middle of a line', 'a\rb,c\n', [['a\rb', 'c']]],
    ['in UTF-8', 'Zażółć,東京,🫖\n', [['Zażółć', '東京', '🫖']]],
    ['with nothing in it', '', []],
  ])('%s', (_, text, rows) => {
    expect(read(text)).toEqual(rows)
    expect(readCsv(Buffer.from(text), { isStart: true, isEnd: true, rows_max: 100 }).rows).toEqual(rows)
  }) // biome-ignore format: one case is one line
})

describe('an unreadable row is an error, and the next row is read', () => {
  const bad = { error: 'The quotation marks of the row do not match' }
  test.each<[string, string, CsvRecord[]]>([
    ['not closed, at the end', 'a\n"b\nc\n', [['a'], bad, ['c']]],
    ['not closed, and another one later', 'a,"b\nc,d\ne,"f"\n', [bad, ['c', 'd'], ['e', 'f']]],
    ['not closed in the last line', 'a\n"b', [['a'], bad]],
    ['inside of a cell', '5" pipe,b\nc,d\n', [bad, ['c', 'd']]],
    ['inside of every cell', '5" pipe\n6" pipe\n7" pipe\n', [bad, bad, bad]],
    ['after a blank', 'a, "b"\nc\n', [bad, ['c']]],
    ['before text', '"a"b\nc\n', [bad, ['c']]],
  ])('%s', (_, text, rows) => expect(read(text)).toEqual(rows)) // biome-ignore format: one case is one line

  test('not UTF-8', () => {
    const file = Buffer.concat([Buffer.from('a\n"b\n'), Buffer.from([0xff, 0xfe]), Buffer.from('"\nc\n')])
    expect(readAll(file)).toEqual([['a'], { error: 'The row is not UTF-8' }, ['c']])
  })

  const longest = 'x'.repeat(limits.csv_record_bytes_max)
  const tooLong = { error: 'The row is longer than 1048576 bytes' }
  // Not compared as text: a diff of a megabyte would be unreadable.
  const shortened = (rows: CsvRecord[]) =>
    rows.map((row) =>
      Array.isArray(row) ? row.map((cell) => (cell === longest ? 'LONGEST' : cell.slice(0, 99))) : row,
    )
  test.each<[string, string, CsvRecord[]]>([
    ['a line that is too long', `a\n${longest}x${longest}\nb\n`, [['a'], tooLong, ['b']]],
    ['the last line that is too long', `a\n${longest}x`, [['a'], tooLong]],
    ['a quotation mark that opens too long a row', `"a\nb\n${longest}x`, [tooLong, ['b'], tooLong]],
    ['lines that are just not too long', `${longest}\n${longest}`, [['LONGEST'], ['LONGEST']]],
  ])('%s', (_, text, rows) => {
    expect(shortened(readAll(Buffer.from(text), { piece_bytes: 100_000 }))).toEqual(rows)
  })
})

test('values are written as docs/reference/exports.md#export-file says', () => {
  expect(csvRow(['Mug, blue', 900, true, null, undefined, false])).toBe('"Mug, blue",900,true,,,false\n')
  expect(csvRow([['a', 'b'], [], { color: 'red' }, 'say "hi"', 'a\nb', '2026-01-01T00:00:00.000Z'])).toBe(
    '"a,b",,"{""color"":""red""}","say ""hi""","a\nb",2026-01-01T00:00:00.000Z\n',
  )
  expect(csvRow([null])).toBe('""\n')
})

test.each([
  ['=1+1', "'=1+1"],
  ['+48 600 100 200', "'+48 600 100 200"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['\r=x', `"'\r=x"`],
  ['\n=x', `"'\n=x"`],
  ['  =x', "'  =x"],
  ['\u00a0\u3000-x', "'\u00a0\u3000-x"],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠SUM(A1)', "'＠SUM(A1)"],
  ["'=x", "''=x"],
  ["' =x", "'' =x"],
  ['  two words', '  two words'],
  ["it's", "it's"],
  ["'quoted'", "'quoted'"],
  [-5, '-5'],
  [['=x', 'y'], `"'=x,y"`],
])('a spreadsheet does not run %j: %j', (value, cell) => {
  expect(csvRow([value])).toBe(`${cell}\n`)
})

test('an import reads back every text that an export writes', () => {
  const text = string({
    unit: constantFrom("'", '=', '+', '-', '@', '＝', ' ', '\t', '\r', '"', ',', 'a', '\n', '1'),
    maxLength: 6,
  })
  assert(
    property(array(text, { minLength: 1, maxLength: 4 }), (cells) => {
      const { rows } = readCsv(Buffer.from(csvRow(cells)), { isEnd: true, rows_max: 10 })
      expect((rows[0] as string[]).map(importedText)).toEqual(cells)
    }),
  )
})
