import { type Selectable, sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import type { ManagementKeyRow } from '../../core/db/tables.ts'
import type { Trx } from '../../core/db/transaction.ts'
import { hashOf, newSecret } from '../../core/http/secrets.ts'
import { newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'

/** Management keys belong to the installation; only the command line creates them (docs/reference/operator-extensions.md). */
export interface NewManagementKey {
  name: string
  app_id?: string | null
  secret?: string | null
  created_at: string
}

/** Inserts a key under an advisory lock: concurrent inserts wait until commit and then count this key, so the limit holds. */
export async function insertManagementKey(trx: Trx, { name, app_id, secret, created_at }: NewManagementKey) {
  await sql`select pg_advisory_xact_lock(hashtextextended('management keys', 0))`.execute(trx)
  const keys = await trx.selectFrom('management_keys').select('id').execute()
  if (keys.length >= limits.management_keys_max)
    throw new Error(`An installation has at most ${limits.management_keys_max} management keys; revoke one first.`)
  const token = secret ?? newSecret()
  const row = await trx
    .insertInto('management_keys')
    .values({
      id: newId('api_key'),
      name,
      app_id: app_id ?? newSecret(),
      secret_hash: hashOf(token),
      ip_whitelist: '[]',
      status: 'ACTIVE',
      created_at,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { ...row, secret: token }
}

export async function listManagementKeys(db: Db): Promise<Array<Selectable<ManagementKeyRow>>> {
  return db.selectFrom('management_keys').orderBy('created_at').selectAll().execute()
}

/** Deletes a management key by its id or app id; false when there is none. */
export async function deleteManagementKey(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('management_keys')
    .where((eb) => eb.or([eb('id', '=', id as `key_${string}`), eb('app_id', '=', id)]))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
