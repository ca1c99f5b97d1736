/** Rows as text, in columns as wide as their longest cell; the first row has the titles. */
export function table(rows: string[][]): string {
  const widths = (rows[0] as string[]).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] as string).length)),
  )
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] as number))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}
