import type { AnyRouter } from '@tanstack/react-router'
import { ApiFailure, call } from './client.ts'
import { queryClient } from './queries.ts'
import { type Session, sessionQuery } from './session.ts'

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

/** Signs out, in every browser, and forgets what was loaded. A session that had ended already is as good. */
export async function endSession(): Promise<void> {
  try {
    await call('DELETE /auth/session', {})
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.key !== 'not_signed_in') throw error
  }
  queryClient.clear()
}
