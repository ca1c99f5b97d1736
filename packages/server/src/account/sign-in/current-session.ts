import type { VisitorCtx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import { idleEnd } from '../../core/http/known-session.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { version } from '../../core/lib/version.ts'
import type { Settings } from '../../core/settings.ts'
import { getAssignedUser, type UserRecord } from '../users/store.ts'
import { findCredentialKinds } from './credentials-store.ts'
import type { CurrentSession, SignedInSession, SignInFeatures } from './schema.ts'
import type { SessionRecord } from './session-store.ts'

/** Who is signed in with a session, as `GET /auth/session` answers. */
export async function currentSession(
  { db, settings, now }: Pick<VisitorCtx, 'db' | 'settings' | 'now'>,
  { user_id, session_id, ends_at }: { user_id: string; session_id: string; ends_at: number },
): Promise<CurrentSession> {
  const user = await getAssignedUser(db, user_id as UserRecord['id'])
  const { id, email, first_name, last_name, is_owner } = user
  return {
    user: { id, email, first_name, last_name, is_owner, ...(await findCredentialKinds(db, id)) },
    projects: await listProjects(db, user),
    features: featuresOf(settings),
    session: { id: session_id, expires_at: toInstant(Math.min(ends_at, idleEnd(Date.parse(now)))) },
  }
}

/** A session of the user, as the list of sessions shows it. */
export function toSignedInSession(
  { id, created_at, last_used_at, expires_at, user_agent, address }: SessionRecord,
  currentId: string,
): SignedInSession {
  const end = Math.min(Date.parse(expires_at), idleEnd(Date.parse(last_used_at)))
  return { id, created_at, last_used_at, expires_at: toInstant(end), user_agent, address, is_current: id === currentId }
}

export const featuresOf = ({ smtp, oidc, guides }: Settings): SignInFeatures => ({
  oidc: oidc !== null,
  mail: smtp !== null,
  guides: guides === 'on',
  version,
})

async function listProjects(
  db: Db,
  { is_owner, projects: roles }: Awaited<ReturnType<typeof getAssignedUser>>,
): Promise<CurrentSession['projects']> {
  const visible = db.selectFrom('projects').where('deleted_at', 'is', null)
  const ids = Object.keys(roles) as Array<`proj_${string}`>
  if (!is_owner && ids.length === 0) return []
  const rows = await (is_owner ? visible : visible.where('id', 'in', ids))
    .orderBy('created_at')
    .orderBy('id')
    .select(['id', 'name', 'currency', 'timezone'])
    .execute()
  return rows.map((row) => ({ ...row, role: is_owner ? 'ADMIN' : (roles[row.id] ?? 'VIEWER') }))
}
