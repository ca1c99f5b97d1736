import { useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { useFormat } from '../../ui/format.tsx'
import { Panel } from '../../ui/page.tsx'
import { FailureView, Loading } from '../../ui/state.tsx'
import { AttentionLink } from './attention-link.tsx'
import { attentionSentence } from './attention-sentence.ts'

type Entry = Reply<'GET /v1/attention'>['data'][number]

const severities = {
  ERROR: { word: 'Problem', dot: 'bg-bad', rank: 0 },
  WARNING: { word: 'Soon', dot: 'bg-warn', rank: 1 },
  INFO: { word: 'Good to know', dot: 'bg-info', rank: 2 },
}
const shownAtFirst = 6

/** What somebody should look at, the worst first. */
export function AttentionPanel() {
  const { data, error, refetch } = useRead('GET /v1/attention', {})
  const [isOpen, setIsOpen] = useState(false)
  const entries = (data?.data ?? []).toSorted((a, b) => severities[a.severity].rank - severities[b.severity].rank)
  const hidden = isOpen ? 0 : Math.max(0, entries.length - shownAtFirst)
  return (
    <Panel title="Needs attention" flush className="order-1 lg:order-none">
      {error ? (
        <FailureView failure={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading lines={4} />
      ) : entries.length === 0 ? (
        <p className="px-4 py-4 text-muted">
          Nothing now. Budgets close to their end, codes running out, campaigns that end this week, failing webhooks and
          jobs, and sudden refusals show up here.
        </p>
      ) : (
        <>
          <ul className="divide-y divide-line">
            {entries.slice(0, entries.length - hidden).map((entry) => (
              <Row key={entry.id} entry={entry} />
            ))}
          </ul>
          {hidden > 0 && (
            <div className="border-line border-t px-4 py-2">
              <Button look="quiet" size="small" className="-ml-2" onClick={() => setIsOpen(true)}>
                Show {hidden} more
              </Button>
            </div>
          )}
        </>
      )}
    </Panel>
  )
}

function Row({ entry }: { entry: Entry }) {
  const { word, dot } = severities[entry.severity]
  const { money } = useFormat()
  return (
    <li className="relative flex gap-2.5 px-4 py-2.5 focus-within:bg-sunken/60 hover:bg-sunken/60">
      <span aria-hidden="true" className={classes('mt-1.5 size-2 shrink-0 rounded-full', dot)} />
      <div className="min-w-0">
        <span className="sr-only">{word}: </span>
        <AttentionLink entry={entry}>{attentionSentence(entry, money)}</AttentionLink>
      </div>
    </li>
  )
}
