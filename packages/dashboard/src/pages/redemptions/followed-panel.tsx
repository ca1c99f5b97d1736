import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { useIsAdmin, useProject } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Instant, useFormat } from '../../ui/format.tsx'
import { Panel } from '../../ui/page.tsx'
import { FailureView, Loading, Status, type Tone } from '../../ui/state.tsx'
import { type Entry, isRollback } from './entry.ts'
import { eventSentence } from './event-sentences.ts'
import type { useRequestEvents } from './use-redemption.ts'

type Followed = ReturnType<typeof useRequestEvents>

/** What the same request changed besides: points, rewards, the order; and which webhooks were told. */
export function FollowedPanel({ entry, followed }: { entry: Entry; followed: Followed }) {
  const isAdmin = useIsAdmin()
  return (
    <Panel title="What followed" flush>
      {!isAdmin ? (
        <p className="p-4 text-muted">
          <FromObject entry={entry} /> Administrators also see every event and webhook here.
        </p>
      ) : followed.error ? (
        <FailureView failure={followed.error} retry={followed.retry} />
      ) : followed.isLoading ? (
        <Loading lines={4} />
      ) : (
        <>
          <Events events={followed.events} />
          {followed.request && <Sendouts request={followed.request} />}
        </>
      )}
    </Panel>
  )
}

function Events({ events }: { events: Schemas['StoredEvent'][] }) {
  const format = useFormat()
  const [showsAll, setShowsAll] = useState(false)
  const told = events.map((event) => ({ event, sentence: eventSentence(event, format) }))
  const said = told.filter(({ sentence }) => sentence !== undefined)
  return (
    <div className="px-4 py-3">
      {said.length === 0 && (
        <p className="text-muted">
          {events.length === 0 ? 'No event of it is stored.' : 'No points, rewards or orders changed with it.'}
        </p>
      )}
      <ul className="space-y-1.5">
        {(showsAll ? told : said).map(({ event, sentence }) => (
          <li key={event.id} className="flex flex-wrap items-baseline justify-between gap-x-4">
            <span className="min-w-0">{sentence ?? <span className="text-muted">Recorded</span>}</span>
            {showsAll && <span className="font-mono text-muted text-xs">{event.type}</span>}
          </li>
        ))}
      </ul>
      {events.length > said.length && (
        <Button look="quiet" size="small" className="mt-2 -ml-2" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Only what changed' : `Show all ${events.length} events`}
        </Button>
      )}
    </div>
  )
}

const states: Record<Schemas['Sendout']['status'], { tone: Tone; text: string }> = {
  PENDING: { tone: 'neutral', text: 'Waiting' },
  RETRYING: { tone: 'warn', text: 'Tried, will try again' },
  SUCCEEDED: { tone: 'good', text: 'Delivered' },
  FAILED: { tone: 'bad', text: 'Given up' },
}

/** The deliveries of the events of the request. */
function Sendouts({ request }: { request: string }) {
  const { id: projectId } = useProject()
  const { data, error, refetch } = useRead('GET /management/v1/projects/{projectId}/webhook-sendouts', {
    path: { projectId },
    query: { request_id: request, limit: 50 },
  })
  if (error) return <FailureView failure={error} retry={() => void refetch()} />
  if (data === undefined || data.data.length === 0) return null
  return (
    <div className="border-line border-t px-4 py-3">
      <h3 className="mb-1.5 font-medium text-xs">Webhooks that were told</h3>
      <ul className="divide-y divide-line">
        {data.data.map((sendout) => {
          const { tone, text } = states[sendout.status]
          const last = sendout.attempts.at(-1)
          return (
            <li key={sendout.id} className="py-1.5">
              <div className="flex flex-wrap items-baseline justify-between gap-x-4">
                <span className="min-w-0 truncate" title={sendout.target_url}>
                  {sendout.target_url}
                </span>
                <Status tone={tone}>{text}</Status>
              </div>
              <p className="text-muted text-xs">
                <span className="font-mono">{sendout.type}</span>
                {last && (
                  <>
                    {' · '}
                    {sendout.attempts.length} {sendout.attempts.length === 1 ? 'attempt' : 'attempts'}
                    {', last '}
                    <Instant at={last.at} relative />
                    {last.error ? `: ${last.error}` : ''}
                  </>
                )}
              </p>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

/** For whoever may not read events: what the redemption itself says. */
function FromObject({ entry }: { entry: Entry }) {
  const { id: project } = useProject()
  const { money, number } = useFormat()
  if (isRollback(entry) || entry.result === 'FAILURE') return null
  const { gift, loyalty_card: card, reward, voucher, customer_id: customer } = entry
  return (
    <>
      {gift && `${money(gift.amount)} was taken from the gift card. `}
      {card && `${number(card.points)} points were spent. `}
      {reward && `The reward “${reward.name}” was given. `}
      {voucher && !gift && !card && 'One use of the code was counted. '}
      {customer && (
        <>
          <Link to="/$project/customers/$customer" params={{ project, customer }} className="text-accent underline">
            The customer’s page
          </Link>{' '}
          shows what they earned.{' '}
        </>
      )}
    </>
  )
}
