import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Reply } from '../../api/client.ts'
import { useProject } from '../../app/session.tsx'

type Target = Reply<'GET /v1/attention'>['data'][number]['link']

const look = 'break-words outline-offset-2 after:absolute after:inset-0 hover:underline'

/** Leads to the place that an entry names; text alone where this version has no such place. */
export function AttentionLink({ link, children }: { link: Target; children: ReactNode }) {
  const { id: project } = useProject()
  const { place, id, query = {} } = link
  switch (place) {
    case 'codes':
      return id ? (
        <Link to="/$project/codes/$code" params={{ project, code: id }} className={look}>
          {children}
        </Link>
      ) : (
        <Link to="/$project/codes" params={{ project }} search={query} className={look}>
          {children}
        </Link>
      )
    case 'customers':
      return (
        <Link to="/$project/customers" params={{ project }} search={query} className={look}>
          {children}
        </Link>
      )
    case 'campaigns':
      return (
        <Link
          to="/$project/redemptions"
          params={{ project }}
          search={{ ...query, ...(id && { campaign: id }) }}
          className={look}
        >
          {children}
        </Link>
      )
    case 'redemptions':
      return id ? (
        <Link to="/$project/redemptions/$redemption" params={{ project, redemption: id }} className={look}>
          {children}
        </Link>
      ) : (
        <Link to="/$project/redemptions" params={{ project }} search={query} className={look}>
          {children}
        </Link>
      )
    case 'data':
      return id ? (
        <Link to="/$project/data/$action" params={{ project, action: id }} className={look}>
          {children}
        </Link>
      ) : (
        <Link to="/$project/data" params={{ project }} search={query} className={look}>
          {children}
        </Link>
      )
    default:
      return <span className="break-words">{children}</span>
  }
}
