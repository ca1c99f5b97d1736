import type { IncomingHttpHeaders } from 'node:http'
import { sql } from 'kysely'
import type { Runtime } from '../context.ts'
import type { Db } from '../db/database.ts'
import type { Role } from '../db/tables.ts'
import { type Instant, toInstant } from '../lib/instant.ts'
import { limits } from '../lib/limits.ts'
import { networkOf } from '../lib/network.ts'
import { sessionCookie, valueOfCookie } from './cookies.ts'
import { ApiError } from './errors.ts'
import type { GateKeeper } from './gate.ts'
import type { KnownSession, KnownUser } from './known-user.ts'
import { hashOf } from './secrets.ts'

/** 43 characters of base64url: 256 bits. */
const tokenForm = /^[\w-]{43}$/

/** A request, or the parts of one that admission by a session reads. */
interface SentCookie {
  headers: IncomingHttpHeaders
  ip: string
  raw: { socket: object }
}

/**
 * The session of the cookie, or 401. Recently verified sessions come from the cache of credentials without a promise, and are forgotten on
 * every node when a session ends or a role changes (docs/decisions/0003-credential-cache.md).
 */
export function authenticateSession(
  { headers, ip, raw: { socket } }: SentCookie,
  { runtime, wrongCredentials }: Pick<GateKeeper, 'runtime' | 'wrongCredentials'>,
): KnownSession | Promise<KnownSession> {
  const token = valueOfCookie(headers.cookie, sessionCookie(runtime.settings))
  if (token === null || !tokenForm.test(token)) throw notSignedIn()
  const { credentials, database, now } = runtime
  const find = async (): Promise<KnownSession> => {
    const session = await findSession(database.db, hashOf(token))
    if (session === null) throw notSignedIn()
    return session
  }
  const presented = `session\n${token}`
  // Made-up tokens cost a statement each: who sends many is slowed down, as with keys.
  const guarded = () => wrongCredentials.guard({ network: networkOf(ip), credentials: presented, now: now() }, find)
  const session = credentials.proven(presented, guarded, socket)
  return session instanceof Promise
    ? session.then((found) => useSession(found, runtime, now()))
    : useSession(session, runtime, now())
}

/** Refuses a session that has ended, and writes down that it is used: once a minute, so that requests are not slower for it. */
function useSession(
  session: KnownSession,
  { database, log }: Runtime,
  now: number,
): KnownSession | Promise<KnownSession> {
  if (now >= Math.min(session.ends_at, idleEnd(session.used_at))) throw notSignedIn()
  if (now - session.used_at < limits.session_use_seconds * 1_000) return session
  session.used_at = now
  return recordUse(database.db, session.id, toInstant(now)).then(
    () => session,
    (error: unknown) => {
      log.warn({ err: error }, 'the last use of a session was not written')
      return session
    },
  )
}

/** When a session ends that is not used any more, in Unix milliseconds. */
export const idleEnd = (usedAt: number): number => usedAt + limits.session_idle_hours * 3_600_000

async function recordUse(db: Db, id: string, now: Instant): Promise<void> {
  // Another node may have written it: then there is nothing to do.
  await sql`update user_sessions set last_used_at = ${now} where id = ${id} and last_used_at < ${now}`.execute(db)
}

/** Roles in deleted projects were deleted with them; admission asks for the project by itself (core/http/credentials.ts). */
async function findSession(db: Db, tokenHash: Buffer): Promise<KnownSession | null> {
  const { rows } = await sql<SessionColumns>`
    select s.id, s.last_used_at, s.expires_at, u.id as user_id, u.email, u.is_owner, (
      select coalesce(jsonb_object_agg(assigned.project_id, assigned.role), '{}')
      from project_users as assigned where assigned.user_id = u.id) as roles
    from user_sessions s join users u on u.id = s.user_id
    where s.token_hash = ${tokenHash}`.execute(db)
  const [row] = rows
  if (row === undefined) return null
  const { id, user_id, email, is_owner, roles, last_used_at, expires_at } = row
  return {
    id,
    user: { id: user_id, email, is_owner, roles },
    ends_at: Date.parse(expires_at),
    used_at: Date.parse(last_used_at),
  }
}

interface SessionColumns extends Omit<KnownUser, 'id'> {
  id: string
  user_id: string
  last_used_at: Instant
  expires_at: Instant
}

/** The role of a user in a project; undefined if they have none. */
export const roleIn = ({ is_owner, roles }: KnownUser, projectId: string): Role | undefined =>
  is_owner ? 'ADMIN' : Object.hasOwn(roles, projectId) ? roles[projectId] : undefined

export const notSignedIn = (): ApiError => new ApiError('not_signed_in', { details: 'Sign in again' })
