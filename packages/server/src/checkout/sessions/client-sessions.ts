import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import type { Settings } from '../../core/settings.ts'

/** Of one caller: its open sessions, and when each expires in Unix milliseconds. */
type OpenSessions = Map<string, number>

interface Counted {
  /** By caller. */
  callers: Map<string, OpenSessions>
  /** The caller of each session, by project and key. */
  owners: Map<string, string>
}

/** Remembered callers at most. */
const callersMax = 50_000

/** One node of a service has one settings object. */
const counts = new WeakMap<Settings, Counted>()

/**
 * Counts a session that a client-side request opens, or throws 429 if its caller has too many open ones: a session keeps codes from
 * everybody else. Counted in the memory of a node, like the rate limit of the client side. To repeat a decision counts once, because
 * its session has the same key.
 */
export function countClientSession(ctx: Ctx, key: string, ttlMs: number): void {
  const { settings, client, project_id } = ctx
  if (client === undefined) return
  const now = Date.parse(ctx.now)
  const { callers, owners } = countedBy(settings)
  const sessions = callers.get(client) ?? new Map<string, number>()
  const name = nameOf(project_id, key)
  let firstEnd = Number.POSITIVE_INFINITY
  for (const [other, expiresAt] of sessions) {
    if (expiresAt <= now) forget(owners, sessions, other)
    else firstEnd = Math.min(firstEnd, expiresAt)
  }
  if (!sessions.has(name) && sessions.size >= settings.client_sessions_max) throw tooManySessions(firstEnd - now)
  sessions.set(name, now + ttlMs)
  owners.set(name, client)
  // Re-inserting keeps the map in order of last use: eviction drops the caller that was idle longest.
  callers.delete(client)
  callers.set(client, sessions)
  if (callers.size > callersMax) {
    const [idle, idleSessions] = callers.entries().next().value as [string, OpenSessions]
    for (const other of idleSessions.keys()) owners.delete(other)
    callers.delete(idle)
  }
}

/** A session that a redemption has ended no longer counts. */
export function endClientSession({ settings, project_id }: Pick<Ctx, 'settings' | 'project_id'>, key: string): void {
  const { callers, owners } = countedBy(settings)
  const name = nameOf(project_id, key)
  const owner = owners.get(name)
  const sessions = owner === undefined ? undefined : callers.get(owner)
  if (sessions !== undefined) forget(owners, sessions, name)
}

function countedBy(settings: Settings): Counted {
  const counted = counts.get(settings) ?? { callers: new Map(), owners: new Map() }
  counts.set(settings, counted)
  return counted
}

const nameOf = (projectId: string, key: string): string => `${projectId} ${key}`

function forget(owners: Map<string, string>, sessions: OpenSessions, name: string): void {
  sessions.delete(name)
  owners.delete(name)
}

const tooManySessions = (waitMs: number): ApiError =>
  new ApiError(
    'too_many_requests',
    { details: 'Too many open sessions' },
    { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1_000))) },
  )
