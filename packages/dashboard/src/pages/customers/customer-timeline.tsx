import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useRows } from '../../api/queries.ts'
import { classes } from '../../ui/classes.ts'
import { useFormat } from '../../ui/format.tsx'
import { Panel } from '../../ui/page.tsx'
import { FailureView, Loading, Nothing, type Tone } from '../../ui/state.tsx'
import { More } from '../../ui/table.tsx'
import { happeningOf } from '../../words/activity.ts'
import type { Happening } from '../../words/happening.ts'

type Activity = Schemas['Activity']

/** What happened to a customer, day by day, in sentences. */
export function Timeline({ customer: { id } }: { customer: Schemas['Customer'] }) {
  const format = useFormat()
  const list = useRows('GET /v1/customers/{customerId}/activity', { path: { customerId: id } }, ({ data }) => data)
  if (list.error) return <FailureView failure={list.error} retry={list.retry} />
  if (list.isLoading) return <Loading lines={8} />
  const entries = withoutEchoes(list.rows).flatMap((activity) => {
    const happening = happeningOf(activity, format)
    return happening ? [{ id: activity.id, at: activity.created_at, happening }] : []
  })
  if (entries.length === 0) return <Nothing>Nothing has happened yet.</Nothing>
  const days = Map.groupBy(entries, ({ at }) => format.date(at))
  return (
    <Panel flush>
      <div>
        {[...days].map(([day, happenings]) => (
          <section key={day} className="border-line border-b px-4 py-3 last:border-0">
            <h2 className="mb-1.5 font-medium text-muted text-xs">{day}</h2>
            <ol className="space-y-1.5">
              {happenings.map(({ id: entry, at, happening }) => (
                <li key={entry} className="flex items-baseline gap-3">
                  <time
                    dateTime={at}
                    title={format.exact(at)}
                    className="w-10 shrink-0 text-muted text-xs tabular-nums"
                  >
                    {format.time(at)}
                  </time>
                  <Line happening={happening} />
                </li>
              ))}
            </ol>
          </section>
        ))}
      </div>
      {list.hasMore && <More shown={entries.length} {...list} />}
    </Panel>
  )
}

const dots: Record<Tone, string> = {
  good: 'bg-good',
  bad: 'bg-bad',
  warn: 'bg-warn',
  info: 'bg-info',
  neutral: 'bg-line-strong',
}

function Line({ happening }: { happening: Happening }) {
  return (
    <div className="flex min-w-0 items-baseline gap-2">
      <span
        aria-hidden="true"
        className={classes('size-1.5 shrink-0 -translate-y-0.5 rounded-full', dots[happening.tone])}
      />
      <p className="min-w-0 break-words">
        <Target happening={happening}>{happening.words}</Target>
        {happening.detail && <span className="text-muted"> · {happening.detail}</span>}
      </p>
    </div>
  )
}

function Target({ happening: { redemption, code, order }, children }: { happening: Happening; children: ReactNode }) {
  const { project } = useParams({ from: '/$project/customers/$customer' })
  if (redemption) {
    return (
      <Link to="/$project/redemptions/$redemption" params={{ project, redemption }} className="hover:underline">
        {children}
      </Link>
    )
  }
  if (code) {
    return (
      <Link to="/$project/codes/$code" params={{ project, code }} className="hover:underline">
        {children}
      </Link>
    )
  }
  if (order) {
    return (
      <Link to="/$project/simulator" params={{ project }} search={{ order }} className="hover:underline">
        {children}
      </Link>
    )
  }
  return children
}

/** An order that was made and paid by one request is said once. */
function withoutEchoes(activities: readonly Activity[]): Activity[] {
  const paid = new Set(
    activities.filter(({ type }) => /^customer\.order\.(paid|fulfilled)$/.test(type)).map(({ group_id }) => group_id),
  )
  return activities.filter(({ type, group_id }) => type !== 'customer.order.created' || !paid.has(group_id))
}
