import { Link, useParams } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { useProject } from '../../api/session.ts'
import { CopyCall } from '../../parts/copy-call.tsx'
import { CopyText } from '../../ui/code-block.tsx'
import { Instant, useFormat } from '../../ui/format.tsx'
import { Facts, Figure, Page, Panel } from '../../ui/page.tsx'
import { Empty, FailureView, Loading, Notice, Progress, Status } from '../../ui/state.tsx'
import { durationText, isRunning, kindOf, stateOf } from '../../words/async-actions.ts'
import { ActionErrors } from './action-errors.tsx'
import { withStop } from './reasons.ts'
import { Reports } from './reports.tsx'
import { resultOf } from './result.ts'

const pollMs = 1000

export function ActionPage() {
  const { id: project } = useProject()
  const { action: asyncActionId } = useParams({ from: '/$project/data/$action' })
  const input = { path: { asyncActionId } }
  const action = useRead('GET /v1/async-actions/{asyncActionId}', input, {
    every: (data) => (data !== undefined && isRunning(data) ? pollMs : false),
  })
  const above = (
    <Link to="/$project/data" params={{ project }} className="hover:underline">
      Data in and out
    </Link>
  )
  if (action.data === undefined)
    return (
      <Page title="Background work" above={above}>
        <Panel>
          {action.error?.status === 404 ? (
            <Empty title="There is no such work">It may belong to another project, or the address is mistyped.</Empty>
          ) : action.error ? (
            <FailureView failure={action.error} retry={() => void action.refetch()} />
          ) : (
            <Loading lines={6} />
          )}
        </Panel>
      </Page>
    )
  return (
    <Page
      title={kindOf(action.data.type)}
      above={above}
      actions={<CopyCall name="GET /v1/async-actions/{asyncActionId}" input={input} method="getAsyncAction" />}
    >
      <ActionView action={action.data} />
    </Page>
  )
}

function ActionView({ action }: { action: Schemas['AsyncAction'] }) {
  const { number } = useFormat()
  const result = resultOf(action.result)
  const { tone, text } = stateOf(action)
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="space-y-5">
        <Panel>
          <div className="space-y-4" aria-live="polite">
            {isRunning(action) && <Running action={action} />}
            {action.status === 'FAILED' && (
              <Notice tone="bad" title={withStop(result?.message ?? 'It failed as a whole')}>
                {(result?.done ?? 0) > 0 ? 'What was done before stays.' : 'Nothing was changed.'}
              </Notice>
            )}
            {!isRunning(action) && (
              <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
                <Figure name="Done" value={number(result?.done ?? 0)} />
                <Figure name="Failed" value={number(result?.failed ?? 0)} />
                {action.processing_time !== undefined && (
                  <Figure name="Took" value={durationText(action.processing_time)} />
                )}
              </div>
            )}
          </div>
        </Panel>
        {result && result.errors.length > 0 && <ActionErrors result={result} id={action.id} />}
        {result && result.reports.length > 0 && <Reports result={result} />}
      </div>
      <Panel title="Facts" className="max-lg:order-first">
        <Facts
          facts={[
            [
              'State',
              <Status key="state" tone={tone}>
                {text}
              </Status>,
            ],
            ['Started', <Instant key="at" at={action.created_at} />],
            ['Last change', <Instant key="updated" at={action.updated_at} relative />],
            ['Id', <CopyText key="id" text={action.id} />],
          ]}
        />
      </Panel>
    </div>
  )
}

function Running({ action }: { action: Schemas['AsyncAction'] }) {
  return (
    <div>
      <p className="mb-2 flex justify-between gap-4">
        <span className="font-medium">
          {action.status === 'ENQUEUED' ? 'Waiting for its turn' : 'Running; you can leave this page'}
        </span>
        <span className="tabular-nums">{action.progress} %</span>
      </p>
      <Progress value={action.progress / 100} label={kindOf(action.type)} />
    </div>
  )
}
