import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'

/** A session as a request names it. */
export interface NamedSession {
  /** Null: a key is generated when the session is opened. */
  key: string | null
  generated_key?: string
  /** Null: the request refers to an existing session and opens none. */
  opens: { ttl_ms: number } | null
  /** On the client side: whether its caller may open it. */
  place?: { wait_ms: number; is_opened: boolean }
}

/**
 * Runs a decision that may open the session of its request, or extend it. On the client side a session takes a place of its caller
 * before, since a decision waits for nothing: without one `openSession` refuses. What the decision does not open gives its place back.
 * To repeat a decision takes one place, because its session has the same key.
 */
export async function inClientSession<T>(ctx: Ctx, session: NamedSession | null, decide: () => Promise<T>): Promise<T> {
  const { client, project_id, callers } = ctx
  if (client === undefined || session === null || session.opens === null) return decide()
  const name = nameOf(project_id, keyOf(session))
  const { wait_ms, ticket } = await callers.sessions.take(client, name, Date.parse(ctx.now), session.opens.ttl_ms)
  const place = { wait_ms, is_opened: false }
  session.place = place
  try {
    return await decide()
  } finally {
    if (ticket > 0 && !place.is_opened) await callers.sessions.giveBack(client, name, ticket)
  }
}

/** The key of a session that a decision opens, or 429 if its caller has too many: a session keeps codes from everybody else. */
export function openSession(session: NamedSession): string {
  const { place } = session
  if (place !== undefined) {
    if (place.wait_ms > 0) throw tooManySessions(place.wait_ms)
    place.is_opened = true
  }
  return keyOf(session)
}

/** A session that a redemption has ended no longer counts. */
export async function endClientSession(
  { callers, project_id }: Pick<Ctx, 'callers' | 'project_id'>,
  key: string,
): Promise<void> {
  await callers.sessions.leave(nameOf(project_id, key))
}

/** Generated once: a decision that is repeated opens the same session. */
function keyOf(session: NamedSession): string {
  if (session.key !== null) return session.key
  session.generated_key ??= newId('session')
  return session.generated_key
}

const nameOf = (projectId: string, key: string): string => `${projectId} ${key}`

const tooManySessions = (waitMs: number): ApiError =>
  new ApiError(
    'too_many_requests',
    { details: 'Too many open sessions' },
    { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1_000))) },
  )
