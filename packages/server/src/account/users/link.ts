import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { InstallationCtx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import type { UserLinkPurpose } from '../../core/db/tables.ts'
import { hashOf } from '../../core/http/secrets.ts'
import { type Instant, toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import type { UserRecord } from './store.ts'

export interface UserLink {
  link: string
  expires_at: Instant
}

interface LinkMaker extends Pick<InstallationCtx, 'db' | 'now'>, Partial<Pick<InstallationCtx, 'caller'>> {
  settings: Pick<InstallationCtx['settings'], 'base_url'>
}

/**
 * Creates a one-time link by which a user sets a password; their earlier link ends. Only the hash of its token is stored. The token
 * is in the fragment of the URL, which browsers send to no server: it gets into no access log and no `Referer`.
 */
export async function newUserLink(
  { db, now, settings, caller }: LinkMaker,
  userId: UserRecord['id'],
): Promise<UserLink> {
  const token = randomBytes(32).toString('base64url')
  const expiresAt = toInstant(Date.parse(now) + limits.user_link_hours * 3_600_000)
  const maker = caller?.user
  const madeBy = maker === undefined || maker.is_owner === true ? null : maker.id
  const columns = { token_hash: hashOf(token), created_at: now, expires_at: expiresAt, made_by: madeBy }
  await db
    .insertInto('user_links')
    .values({ user_id: userId, purpose: 'set_password', mailed_at: null, ...columns })
    .onConflict((conflict) => conflict.columns(['user_id', 'purpose']).doUpdateSet(columns))
    .execute()
  return { link: `${settings.base_url}/dashboard/password#token=${token}`, expires_at: expiresAt }
}

/**
 * Whether the link of a user may be mailed now, which counts as mailed then: renewals without end must not fill their mailbox. One
 * of concurrent transactions may.
 */
export async function claimLinkMail(
  { db, now }: Pick<InstallationCtx, 'db' | 'now'>,
  userId: UserRecord['id'],
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('user_links')
    .set({ mailed_at: now })
    .where('user_id', '=', userId)
    .where('purpose', '=', 'set_password')
    .where((eb) => {
      const latest = toInstant(Date.parse(now) - limits.user_link_mail_seconds * 1_000)
      return eb.or([eb('mailed_at', 'is', null), eb('mailed_at', '<=', latest)])
    })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Ends the link of a user who gets a role in a project of which the maker of the link is not ADMIN: the maker has seen the link, and could
 * become the user in that project too. The caller has locked the user (`for update`).
 */
export async function endLinkOfOthers(db: Db, userId: string, projectId: string): Promise<void> {
  await sql`
    delete from user_links where user_id = ${userId} and made_by is not null and not exists (
      select from project_users as maker
      where maker.user_id = user_links.made_by and maker.project_id = ${projectId} and maker.role = 'ADMIN')`.execute(
    db,
  )
}

/**
 * Uses up a link: deletes it and makes its user ACTIVE, in one statement. Null if the token is unknown, used, expired, replaced by
 * a newer one or made for another purpose. Of concurrent calls with one token, one gets the user.
 */
export async function takeUserLink(
  db: Db,
  token: string,
  purpose: UserLinkPurpose,
  now: Instant,
): Promise<UserRecord | null> {
  const { rows } = await sql<UserRecord>`
    with taken as (
      delete from user_links
      where token_hash = ${hashOf(token)} and purpose = ${purpose} and expires_at > ${now}
      returning user_id)
    update users set state = 'ACTIVE' from taken where users.id = taken.user_id
    returning users.*`.execute(db)
  return rows[0] ?? null
}

/** The user of a link that works, without using it up; null if `takeUserLink` would refuse it. */
export async function findUserLink(
  db: Db,
  token: string,
  purpose: UserLinkPurpose,
  now: Instant,
): Promise<UserRecord | null> {
  const user = await db
    .selectFrom('user_links')
    .innerJoin('users', 'users.id', 'user_links.user_id')
    .where('token_hash', '=', hashOf(token))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .selectAll('users')
    .executeTakeFirst()
  return user ?? null
}
