import { sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import type { Instant } from '../../core/lib/instant.ts'

/** The hash of the password of a user; undefined if they have none. */
export async function findPasswordHash(db: Db, userId: string): Promise<string | undefined> {
  const row = await db.selectFrom('user_passwords').where('user_id', '=', userId).select('hash').executeTakeFirst()
  return row?.hash
}

export async function upsertPassword(db: Db, userId: string, hash: string, now: Instant): Promise<void> {
  await db
    .insertInto('user_passwords')
    .values({ user_id: userId, hash, set_at: now })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ hash, set_at: now }))
    .execute()
}

/** Whether the password of a user is still the one of this hash; nobody sets another before the transaction ends. */
export async function lockPassword(db: Db, userId: string, hash: string): Promise<boolean> {
  const row = await db
    .selectFrom('user_passwords')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .select('user_id')
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** Replaces a hash by one of the same password, unless another password was set meanwhile. */
export async function replaceHash(db: Db, userId: string, { from, to }: { from: string; to: string }): Promise<void> {
  await db
    .updateTable('user_passwords')
    .set({ hash: to })
    .where('user_id', '=', userId)
    .where('hash', '=', from)
    .execute()
}

/** Whether a user has a password and a second factor that is on. */
export async function findCredentialKinds(
  db: Db,
  userId: string,
): Promise<{ has_password: boolean; has_totp: boolean }> {
  const { rows } = await sql<{ has_password: boolean; has_totp: boolean }>`
    select exists (select from user_passwords where user_id = ${userId}) as has_password,
      exists (select from user_second_factors where user_id = ${userId} and confirmed_at is not null) as has_totp`.execute(
    db,
  )
  return rows[0] as { has_password: boolean; has_totp: boolean }
}

/** The e-mail addresses of owners who can only sign in once they have a link; a few of them. */
export async function listOwnersWithoutPassword(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .leftJoin('user_passwords', 'user_passwords.user_id', 'users.id')
    .where('users.is_owner', '=', true)
    .where('user_passwords.hash', 'is', null)
    .where('users.state', '=', 'INVITED')
    .orderBy('users.created_at')
    .limit(3)
    .select('users.email')
    .execute()
  return rows.map(({ email }) => email)
}
