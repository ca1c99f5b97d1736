import { classes } from '../../ui/classes.ts'
import { Notice } from '../../ui/state.tsx'
import type { Csv } from './csv.ts'
import { columnsOf, type ImportKind, missingColumns, repeatedColumns } from './import-kinds.ts'

/** The first rows as the service will read them, and what becomes of each column. */
export function ImportPreview({ kind, csv: { header, rows, separator } }: { kind: ImportKind; csv: Csv }) {
  const columns = columnsOf(kind, header)
  const missing = missingColumns(kind, header)
  const repeated = repeatedColumns(header)
  return (
    <div className="space-y-3">
      {missing.length > 0 && (
        <Notice tone="bad" title={missing.length === 1 ? 'A column is missing.' : 'Columns are missing.'}>
          The first row must name {missing.map((name) => `“${name}”`).join(', ')}.
        </Notice>
      )}
      {repeated.length > 0 && (
        <Notice tone="bad" title="A column occurs twice.">
          {repeated.map((name) => `“${name}”`).join(', ')}
        </Notice>
      )}
      {separator !== ',' && (
        <Notice tone="info">
          The columns are separated by {separator === ';' ? 'semicolons' : 'tabs'}; commas are put in their place before
          the file is sent.
        </Notice>
      )}
      <section className="overflow-x-auto rounded-md border border-line" tabIndex={0} aria-label="The first rows">
        <table className="w-full border-collapse text-xs">
          <caption className="sr-only">The first rows of the file</caption>
          <thead>
            <tr className="border-line border-b bg-sunken">
              {columns.map(({ header: name, meaning }, index) => (
                <th key={index} scope="col" className="whitespace-nowrap px-3 py-1.5 text-left align-top">
                  <span className="block font-medium">{name || '(no name)'}</span>
                  <span className={classes('block font-normal', meaning === 'known' ? 'text-good' : 'text-muted')}>
                    {meanings[meaning]}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, line) => (
              <tr key={line} className="border-line border-b last:border-0">
                {columns.map((_, index) => (
                  <td key={index} className="max-w-48 truncate whitespace-nowrap px-3 py-1.5" title={row[index]}>
                    {row[index]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <p className="px-3 py-2 text-muted text-xs">The file has no rows below the header.</p>}
      </section>
    </div>
  )
}

const meanings = { known: 'understood', metadata: 'kept as metadata', ignored: 'left out' }
