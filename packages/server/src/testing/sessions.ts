import { insertSession } from '../account/sign-in/session-store.ts'
import { assignRoles, assignToAllProjects, insertUser } from '../account/users/store.ts'
import type { Runtime } from '../core/context.ts'
import type { Role } from '../core/db/tables.ts'
import { sessionCookie } from '../core/http/cookies.ts'
import { toInstant } from '../core/lib/instant.ts'
import { uniqueName } from './app.ts'

/** A user who is signed in, and the headers of their browser on a page of the service. */
export interface TestUser {
  id: string
  email: string
  session_id: string
  headers: Record<string, string>
}

/** Creates a user with a role in each of these projects, or an owner, and signs them in. */
export async function newSignedInUser(
  { database: { db }, now, settings }: Pick<Runtime, 'database' | 'now' | 'settings'>,
  roles: Record<string, Role> | 'owner',
): Promise<TestUser> {
  const email = `${uniqueName('ann')}@shop.test`
  const at = toInstant(now())
  const user = await insertUser(db, {
    email,
    first_name: 'Ann',
    last_name: 'Lee',
    is_owner: roles === 'owner',
    created_at: at,
  })
  if (user === undefined) throw new Error(`there is a user ${email} already`)
  if (roles === 'owner') await assignToAllProjects(db, user.id)
  else await assignRoles(db, user.id, new Map(Object.entries(roles)))
  const { id, token } = await insertSession(db, user.id, { address: '127.0.0.1', user_agent: 'Test browser' }, at)
  const headers = { cookie: `${sessionCookie(settings)}=${token}`, 'sec-fetch-site': 'same-origin' }
  return { id: user.id, email, session_id: id, headers }
}
