import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Reply } from '../../api/client.ts'
import { useProject } from '../../api/session.ts'
import { dayOf } from '../../ui/days.ts'

type Entry = Reply<'GET /v1/attention'>['data'][number]

const look = 'break-words outline-offset-2 after:absolute after:inset-0 hover:underline'

/** Leads to the place that an entry names; text alone where this version has no such place. */
export function AttentionLink({ entry, children }: { entry: Pick<Entry, 'kind' | 'link'>; children: ReactNode }) {
  const { id: project, timezone } = useProject()
  const { place, id, query = {} } = entry.link
  if (entry.kind === 'codes_running_out' && id)
    return (
      <Link to="/$project/codes" params={{ project }} search={{ campaign: id }} className={look}>
        {children}
      </Link>
    )
  if (place === 'campaign' && id)
    return (
      <Link to="/$project/redemptions" params={{ project }} search={{ campaign: id }} className={look}>
        {children}
      </Link>
    )
  if (place === 'async_action' && id)
    return (
      <Link to="/$project/data/$action" params={{ project, action: id }} className={look}>
        {children}
      </Link>
    )
  if (place === 'redemptions')
    return (
      <Link to="/$project/redemptions" params={{ project }} search={searchOf(query, timezone)} className={look}>
        {children}
      </Link>
    )
  return <span className="break-words">{children}</span>
}

/** The filters as the API names them, in the words of our address. */
function searchOf({ result, failure_code, created_after }: Record<string, string>, timezone: string) {
  return {
    ...(result && { result: result.toLowerCase() }),
    ...(failure_code && { reason: failure_code }),
    ...(created_after && { from: dayOf(created_after, timezone) }),
  }
}
