import { queryOptions } from '@tanstack/react-query'
import { useParams, useRouteContext } from '@tanstack/react-router'
import { call, type Reply } from './client.ts'

export type Session = Reply<'GET /auth/session'>
export type SessionProject = Session['projects'][number]

/** Who is signed in. A sign-in, a sign-out or a 401 replaces it. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => call('GET /auth/session', {}, { signal }),
  staleTime: 60_000,
  retry: false,
})

export function useSession(): Session {
  return useRouteContext({ from: '/$project', select: ({ session }) => session })
}

/** The project in the address; undefined on the pages outside of one. */
export function useProjectId(): string | undefined {
  return useParams({ strict: false, select: ({ project }: { project?: string }) => project })
}

export function useProject(): SessionProject {
  return useRouteContext({ from: '/$project', select: ({ project }) => project })
}

const roles = { ADMIN: 3, USER: 2, USER_RESTRICTED: 1 } as const

/** Whether the person may change things here: a viewer sees everything and no button that the service would refuse. */
export function useMayChange(): boolean {
  return useProject().role in roles
}

export function useIsAdmin(): boolean {
  return useProject().role === 'ADMIN'
}
