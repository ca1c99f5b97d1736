/** A table as Markdown: `table(['Key', 'Status'], [['`not_found`', '404']])`. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n').replaceAll(/ {2,}\|/g, ' |')
}

export const code = (text: string): string => `\`${text}\``

export const codes = (texts: Iterable<string>): string => [...texts].map(code).join(', ')

/** 10485760 as `10,485,760`. */
export const grouped = (number: number): string => number.toLocaleString('en-US')
