import type { Ctx } from '../../core/context.ts'
import { type ApiError, tooManyRequests } from '../../core/http/errors.ts'
import type { Settings } from '../../core/settings.ts'

/** Of one caller: its open sessions, and when each expires in Unix milliseconds. */
type OpenSessions = Map<string, number>

/** Remembered callers at most. */
const callersMax = 50_000

/** One node of a service has one settings object. */
const callersOf = new WeakMap<Settings, Map<string, OpenSessions>>()

/**
 * Counts a session that a client-side request opens, or throws 429 if its caller has too many open ones: a session keeps codes from
 * everybody else. Counted in the memory of a node, like the rate limit of the client side.
 */
export function countClientSession(ctx: Ctx, key: string, ttlMs: number): void {
  const { settings, client } = ctx
  if (client === undefined) return
  const now = Date.parse(ctx.now)
  const callers = callersOf.get(settings) ?? new Map<string, OpenSessions>()
  callersOf.set(settings, callers)
  const sessions = new Map([...(callers.get(client) ?? [])].filter(([, expiresAt]) => expiresAt > now))
  if (!sessions.has(key) && sessions.size >= settings.client_sessions_max)
    throw tooManySessions(Math.min(...sessions.values()) - now)
  sessions.set(key, now + ttlMs)
  // Re-inserting keeps the map in order of last use: eviction drops the caller that was idle longest.
  callers.delete(client)
  callers.set(client, sessions)
  if (callers.size > callersMax) callers.delete(callers.keys().next().value as string)
}

const tooManySessions = (waitMs: number): ApiError =>
  tooManyRequests('client_sessions', waitMs, { facts: { details: 'Too many open sessions' } })
