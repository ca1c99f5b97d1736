import { useState } from 'react'
import type { Rows } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { List } from '../../ui/list.tsx'
import { Panel } from '../../ui/page.tsx'
import { saveFile } from '../../ui/save-file.ts'
import type { Column } from '../../ui/table.tsx'
import { type ActionResult, commonReasons, errorsAsCsv, type RowError } from './result.ts'

const step = 100

/** What was wrong, row by row. The service lists a thousand at most; its counts are exact. */
export function ActionErrors({ result: { errors, failed }, id }: { result: ActionResult; id: string }) {
  const [shown, setShown] = useState(step)
  const hasRows = errors.some(({ row }) => row !== undefined)
  const hasSubjects = errors.some(({ subject }) => subject !== undefined)
  const isCut = failed !== undefined && failed > errors.length
  const about = [
    hasRows && 'Rows are counted without the header and blank lines.',
    isCut && `The first ${errors.length.toLocaleString('en-GB')} of ${failed.toLocaleString('en-GB')}.`,
  ]
  const list: Rows<{ id: string; error: RowError }> = {
    rows: errors.slice(0, shown).map((error, index) => ({ id: String(index), error })),
    total: errors.length,
    isLoading: false,
    error: null,
    hasMore: shown < errors.length,
    isLoadingMore: false,
    loadMore: () => setShown(shown + step),
    retry: () => {},
  }
  const columns: Column<{ id: string; error: RowError }>[] = [
    ...(hasRows
      ? [
          {
            id: 'row',
            header: 'Row',
            align: 'right' as const,
            cell: ({ error }: { error: RowError }) => error.row ?? '–',
          },
        ]
      : []),
    ...(hasSubjects
      ? [
          {
            id: 'subject',
            header: 'About',
            cell: ({ error }: { error: RowError }) => (
              <span className="block max-w-48 truncate font-mono text-xs" title={error.subject}>
                {error.subject ?? '–'}
              </span>
            ),
          },
        ]
      : []),
    {
      id: 'reason',
      header: 'What was wrong',
      cell: ({ error }) => <span className="block min-w-40 break-words">{error.reason}</span>,
    },
  ]
  return (
    <Panel
      title="Errors"
      about={about.filter(Boolean).join(' ')}
      flush
      actions={
        <Button size="small" onClick={() => saveFile(errorsAsCsv(errors), `errors-of-${id}.csv`)}>
          Download the errors
        </Button>
      }
    >
      <Common errors={errors} />
      <List label="Errors" columns={columns} list={list} empty={null} isCounted={errors.length > step} />
    </Panel>
  )
}

/** A long list is mostly a few faults many times: those first. */
function Common({ errors }: { errors: readonly RowError[] }) {
  const reasons = commonReasons(errors)
  if (errors.length <= 10 || reasons.length === 0) return null
  return (
    <ul className="border-line border-b bg-sunken/60 px-4 py-2.5" aria-label="The most common errors">
      {reasons.map(({ reason, count }) => (
        <li key={reason} className="flex gap-3">
          <span className="w-14 shrink-0 text-right text-muted tabular-nums">{count.toLocaleString('en-GB')} ×</span>
          <span className="min-w-0 break-words">{reason}</span>
        </li>
      ))}
    </ul>
  )
}
