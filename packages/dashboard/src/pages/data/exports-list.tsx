import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useChange, useRows } from '../../api/queries.ts'
import { useMayChange } from '../../api/session.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Instant } from '../../ui/format.tsx'
import { List } from '../../ui/list.tsx'
import { Panel } from '../../ui/page.tsx'
import { Empty, FailureNotice, Status, type Tone } from '../../ui/state.tsx'
import type { Column } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useDownloadExport } from './download.ts'
import { exportName } from './export-kinds.ts'

type Export = Schemas['Export']

const pollMs = 1500
const states: Record<Export['status'], { tone: Tone; text: string }> = {
  SCHEDULED: { tone: 'neutral', text: 'Waiting' },
  IN_PROGRESS: { tone: 'info', text: 'Being written' },
  DONE: { tone: 'good', text: 'Ready' },
  ERROR: { tone: 'bad', text: 'Failed' },
}
const isWriting = ({ status }: Export) => status === 'SCHEDULED' || status === 'IN_PROGRESS'

export function ExportsList({ onExport }: { onExport: () => void }) {
  const mayChange = useMayChange()
  const list = useRows('GET /v1/exports', { query: { order: '-created_at' } }, ({ exports: rows }) => rows, {
    every: (rows) => (rows.some(isWriting) ? pollMs : false),
  })
  const download = useDownloadExport()
  const [doomed, setDoomed] = useState<Export | null>(null)
  const columns: Column<Export>[] = [
    { id: 'kind', header: 'What', isWide: true, cell: (row) => <What row={row} /> },
    {
      id: 'state',
      header: 'State',
      cell: ({ status }) => <Status tone={states[status].tone}>{states[status].text}</Status>,
    },
    { id: 'made', header: 'Made', isExtra: true, cell: ({ created_at: at }) => <Instant at={at} relative /> },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'right',
      cell: (row) => (
        <span className="inline-flex items-center gap-1">
          {row.result !== null && (
            <Button
              size="small"
              aria-label={`Download ${exportName(row.exported_object)}`}
              isBusy={download.isPending && download.variables.id === row.id}
              onClick={() => download.mutate(row)}
            >
              Download
            </Button>
          )}
          {mayChange && (
            <IconButton label={`Delete the export ${exportName(row.exported_object)}`} onClick={() => setDoomed(row)}>
              <Trash2 aria-hidden="true" className="size-4" />
            </IconButton>
          )}
        </span>
      ),
    },
  ]
  return (
    <Panel flush>
      {download.error && (
        <div className="p-4 pb-0">
          <FailureNotice failure={download.error} />
        </div>
      )}
      <List
        label="Exports"
        columns={columns}
        list={list}
        empty={
          <Empty title="No export yet" action={<Button onClick={onExport}>Make an export</Button>}>
            An export writes all codes, customers, redemptions or orders into a CSV file, for a spreadsheet or another
            system. It is kept until it is deleted.
          </Empty>
        }
      />
      {doomed && <DeleteExport row={doomed} onClose={() => setDoomed(null)} />}
    </Panel>
  )
}

function What({ row: { exported_object: kind, parameters } }: { row: Export }) {
  const count = parameters.fields?.length ?? 0
  const isFiltered = Object.keys(parameters.filters ?? {}).some((name) => name !== 'junction')
  const notes = [
    count > 0 && `${count} ${count === 1 ? 'column' : 'columns'}`,
    isFiltered && 'filtered',
    parameters.campaign_id && 'of one campaign',
  ].filter(Boolean)
  return (
    <>
      <span className="font-medium">{exportName(kind)}</span>
      {notes.length > 0 && <span className="text-muted text-xs max-sm:block sm:ml-2">{notes.join(', ')}</span>}
    </>
  )
}

function DeleteExport({ row, onClose }: { row: Export; onClose: () => void }) {
  const remove = useChange('DELETE /v1/exports/{exportId}')
  const toast = useToast()
  const done = () => {
    toast('Export deleted')
    onClose()
  }
  return (
    <Confirm
      title={`Delete this export of ${exportName(row.exported_object).toLowerCase()}?`}
      action="Delete"
      isOpen
      onClose={onClose}
      isBusy={remove.isPending}
      failure={remove.error}
      onConfirm={() => remove.mutate({ path: { exportId: row.id } }, { onSuccess: done })}
    >
      <p>The file goes, and links to it stop working. The data itself is not touched.</p>
    </Confirm>
  )
}
