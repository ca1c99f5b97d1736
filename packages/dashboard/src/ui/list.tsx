import type { ReactNode } from 'react'
import type { Rows } from '../api/queries.ts'
import { FailureView } from './state.tsx'
import { type Column, More, Table } from './table.tsx'

interface ListProps<Row> {
  /** What the rows are, for screen readers. */
  label: string
  columns: Column<Row>[]
  list: Rows<Row>
  /** Shown in place of rows when there are none. */
  empty: ReactNode
  /** Says below how many rows there are even when all of them are shown. */
  isCounted?: boolean
}

/** A list of the service: its rows, what stands there while they load, fail or are none, and the way to more of them. */
export function List<Row extends { id: string }>({ label, columns, list, empty, isCounted = false }: ListProps<Row>) {
  const { rows, isLoading, error, retry, hasMore } = list
  return (
    <>
      {error ? (
        <FailureView failure={error} retry={retry} />
      ) : isLoading || rows.length > 0 ? (
        <Table label={label} columns={columns} rows={rows} isLoading={isLoading} />
      ) : (
        empty
      )}
      {(isCounted || hasMore) && <More shown={rows.length} {...list} />}
    </>
  )
}
