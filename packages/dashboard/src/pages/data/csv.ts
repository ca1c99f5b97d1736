export interface Csv {
  header: string[]
  rows: string[][]
  separator: ',' | ';' | '\t'
}

/**
 * Reads the rows of a CSV file (RFC 4180) in one pass, `limit` of them at most; blank lines are left out. The separator is the one that
 * the header has most of: spreadsheets in many countries write semicolons.
 */
export function readCsv(source: string, limit = Number.POSITIVE_INFINITY): Csv {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source
  const separator = separatorOf(text)
  const [header = [], ...rows] = readRows(text, separator, limit + 1)
  return { header: header.map((name) => name.trim()), rows, separator }
}

function separatorOf(text: string): Csv['separator'] {
  const end = text.search(/[\r\n]/)
  const line = (end === -1 ? text : text.slice(0, end)).replaceAll(/"[^"]*"/g, '')
  const count = (separator: string) => line.split(separator).length
  return ([';', '\t'] as const).find((separator) => count(separator) > count(',')) ?? ','
}

function readRows(text: string, separator: string, limit: number): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length && rows.length < limit) {
    const cell = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at, separator)
    row.push(cell.text)
    at = cell.end
    if (text[at] === separator) {
      at += 1
      // A separator at the very end of a line has an empty cell behind it.
      if (at >= text.length || text[at] === '\n' || text[at] === '\r') row.push('')
      else continue
    }
    if (text[at] === '\r') at += 1
    if (text[at] === '\n') at += 1
    if (row.some((entry) => entry.trim() !== '')) rows.push(row)
    row = []
  }
  return rows
}

function readPlain(text: string, start: number, separator: string): { text: string; end: number } {
  let end = start
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1
  return { text: text.slice(start, end), end }
}

function readQuoted(text: string, start: number): { text: string; end: number } {
  const parts: string[] = []
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote === -1) return { text: parts.join('') + text.slice(at), end: text.length }
    parts.push(text.slice(at, quote))
    if (text[quote + 1] !== '"') return { text: parts.join(''), end: quote + 1 }
    parts.push('"')
    at = quote + 2
  }
}

/** The rows with commas, which is what the service reads. */
export function withCommas({ header, rows }: Csv): string {
  return [header, ...rows].map((row) => row.map(quoted).join(',')).join('\n')
}

const quoted = (cell: string) => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
