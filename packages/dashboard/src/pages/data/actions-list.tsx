import { Link } from '@tanstack/react-router'
import { useRows } from '../../api/queries.ts'
import { useMayChange, useProject } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Instant } from '../../ui/format.tsx'
import { List } from '../../ui/list.tsx'
import { Panel } from '../../ui/page.tsx'
import { Empty } from '../../ui/state.tsx'
import { type Column, rowLink } from '../../ui/table.tsx'
import { type Action, durationText, isRunning, kindOf } from '../../words/async-actions.ts'
import { ActionState } from './action-state.tsx'

const pollMs = 1500

/** All work of the project, newest first. While some of it runs, the list asks again. */
export function ActionsList({ onImport }: { onImport: () => void }) {
  const mayChange = useMayChange()
  const list = useRows('GET /v1/async-actions', {}, ({ async_actions: rows }) => rows, {
    after: ({ created_at: at }) => ({ end_date: at }),
    every: (rows) => (rows.some(isRunning) ? pollMs : false),
  })
  return (
    <Panel flush>
      <List
        label="Imports and background work"
        columns={columns}
        list={list}
        empty={
          <Empty
            title="Nothing has been imported yet"
            action={mayChange && <Button onClick={onImport}>Import a file</Button>}
          >
            Bring codes, customers or products from a CSV file. Making many codes at once, and other long work, shows up
            here too, with its progress and what went wrong.
          </Empty>
        }
      />
    </Panel>
  )
}

const columns: Column<Action>[] = [
  { id: 'kind', header: 'Work', isWide: true, cell: (action) => <Kind action={action} /> },
  { id: 'state', header: 'State', cell: (action) => <ActionState action={action} /> },
  { id: 'started', header: 'Started', isExtra: true, cell: ({ created_at: at }) => <Instant at={at} relative /> },
  {
    id: 'took',
    header: 'Took',
    align: 'right',
    isExtra: true,
    cell: ({ processing_time: ms }) =>
      ms === undefined ? (
        <span className="text-muted">–</span>
      ) : (
        <span className="whitespace-nowrap">{durationText(ms)}</span>
      ),
  },
]

function Kind({ action: { id, type } }: { action: Action }) {
  const { id: project } = useProject()
  return (
    <Link to="/$project/data/$action" params={{ project, action: id }} className={rowLink}>
      {kindOf(type)}
    </Link>
  )
}
