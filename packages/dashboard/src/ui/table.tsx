import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'

export interface Column<Row> {
  id: string
  header: ReactNode
  cell: (row: Row) => ReactNode
  /** Numbers and money stand at the right. */
  align?: 'left' | 'right'
  /** Left out on narrow screens: what the first columns do not need. */
  isExtra?: boolean
  /** Takes the room that is left and is cut with an ellipsis. */
  isWide?: boolean
}

interface TableProps<Row> {
  /** What the rows are, for screen readers. */
  label: string
  columns: Column<Row>[]
  rows: readonly Row[]
  /** Grey bars stand in place of rows. */
  isLoading: boolean
}

/**
 * Rows of one kind. The service sorts, filters and pages; this only shows. A `RowLink` in a cell makes its whole row a target
 * for the pointer, while the keyboard meets one link.
 */
export function Table<Row extends { id: string }>({ label, columns, rows, isLoading }: TableProps<Row>) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full border-collapse" aria-busy={isLoading || undefined}>
        <caption className="sr-only">{label}</caption>
        <thead>
          <tr className="border-line border-b">
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                className={classes(cellOf(column), 'h-9 whitespace-nowrap font-medium text-muted text-xs')}
              >
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {isLoading
            ? Array.from({ length: 8 }, (_, line) => (
                <tr key={line} className="border-line border-b last:border-0">
                  {columns.map((column) => (
                    <td key={column.id} className={classes(cellOf(column), 'h-11')}>
                      <div className="h-3.5 w-4/5 max-w-40 animate-pulse rounded bg-sunken" />
                    </td>
                  ))}
                </tr>
              ))
            : rows.map((row) => (
                <tr
                  key={row.id}
                  className="relative border-line border-b last:border-0 focus-within:bg-sunken/60 hover:bg-sunken/60"
                >
                  {columns.map((column) => (
                    <td key={column.id} className={classes(cellOf(column), 'h-11 py-1.5')}>
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
    </div>
  )
}

function cellOf({ align, isExtra, isWide }: Column<never>): string {
  return classes(
    'px-4',
    align === 'right' ? 'text-right tabular-nums' : 'text-left',
    isExtra && 'hidden md:table-cell',
    isWide && 'w-full max-w-0 truncate',
  )
}

/** The classes of the link of a row: it covers the row. */
export const rowLink = 'font-medium text-ink outline-offset-[-2px] after:absolute after:inset-0 hover:underline'

/** Under a list: how much is shown of how much, and more of it. */
export function More({ shown, total, hasMore, isLoadingMore, loadMore }: MoreProps) {
  if (shown === 0) return null
  return (
    <div className="flex items-center justify-between gap-4 border-line border-t px-4 py-2.5 text-muted text-xs">
      <span className="tabular-nums">
        {shown.toLocaleString('en-GB')}
        {total !== undefined && total >= shown ? ` of ${total.toLocaleString('en-GB')}` : ''}
      </span>
      {hasMore && (
        <Button size="small" isBusy={isLoadingMore} onClick={loadMore}>
          Show more
        </Button>
      )}
    </div>
  )
}

interface MoreProps {
  shown: number
  total?: number | undefined
  hasMore: boolean
  isLoadingMore: boolean
  loadMore: () => void
}
