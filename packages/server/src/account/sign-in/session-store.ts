import { randomBytes } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Visitor } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import type { UserSessionRow } from '../../core/db/tables.ts'
import { hashOf } from '../../core/http/secrets.ts'
import { newId } from '../../core/lib/ids.ts'
import { type Instant, toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'

export type SessionRecord = Selectable<UserSessionRow>

/** A new session and its token, which only the cookie has. */
export interface NewSession {
  id: SessionRecord['id']
  token: string
  /** Whether another session ended for it. Announce it (`announceCredentialChange`). */
  ended_another: boolean
}

/** Begins a session. A user has a bounded number of them: the one that was used least recently ends. */
export async function insertSession(
  db: Db,
  userId: string,
  { address, user_agent }: Pick<Visitor, 'address' | 'user_agent'>,
  now: Instant,
): Promise<NewSession> {
  const token = randomBytes(32).toString('base64url')
  const id = newId('user_session')
  const { numAffectedRows = 0n } = await sql`
    delete from user_sessions where id in (
      select id from user_sessions where user_id = ${userId}
      order by last_used_at desc, id desc offset ${limits.user_sessions_max - 1})`.execute(db)
  await db
    .insertInto('user_sessions')
    .values({
      id,
      token_hash: hashOf(token),
      user_id: userId,
      created_at: now,
      last_used_at: now,
      expires_at: toInstant(Date.parse(now) + limits.session_days * 86_400_000),
      user_agent: storable(user_agent).slice(0, limits.session_user_agent_length_max),
      address,
    })
    .execute()
  return { id, token, ended_another: numAffectedRows > 0n }
}

/** Header values are bytes; PostgreSQL stores neither U+0000 nor half a surrogate pair. */
const storable = (text: string): string => text.replaceAll(/[^\x20-\x7e\u00a0-\u00ff]/g, '?')

/** The sessions of a user that have not ended, the one used last first. */
export async function listSessions(db: Db, userId: string, now: Instant): Promise<SessionRecord[]> {
  return db
    .selectFrom('user_sessions')
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .where('last_used_at', '>', toInstant(Date.parse(now) - limits.session_idle_hours * 3_600_000))
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .selectAll()
    .execute()
}

/** Ends a session of a user; false if they have none of this id. */
export async function deleteSession(db: Db, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('user_sessions')
    .where('user_id', '=', userId)
    .where('id', '=', id as SessionRecord['id'])
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Ends all sessions of a user. Announce it (`announceCredentialChange`): other nodes have them in their cache. */
export async function deleteSessions(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('user_sessions').where('user_id', '=', userId).execute()
}
