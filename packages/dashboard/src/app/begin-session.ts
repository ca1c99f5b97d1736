import type { AnyRouter } from '@tanstack/react-router'
import { queryClient } from '../api/queries.ts'
import { type Session, sessionQuery } from './session.tsx'

/** After a sign-in: nothing that somebody else has loaded in this window stays. */
export function beginSession(session: Session): void {
  queryClient.clear()
  queryClient.setQueryData(sessionQuery.queryKey, session)
}

/** After a change of one's account: asks again who one is, and hands it to the pages, which have it from the router. */
export async function renewSession(router: AnyRouter): Promise<void> {
  await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
  await router.invalidate()
}
