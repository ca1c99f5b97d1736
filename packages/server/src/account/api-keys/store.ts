import type { Selectable, Updateable } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import type { ApiKeyRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { hashOf, newSecret } from '../../core/http/secrets.ts'
import { newId, randomText } from '../../core/lib/ids.ts'
import { deleteRow, getRow, listRows } from '../../core/rows.ts'

export type ApiKeyRecord = Selectable<ApiKeyRow>

const apiKeys = { table: 'api_keys', type: 'api_key' } as const

export interface NewApiKey
  extends Pick<ApiKeyRecord, 'project_id' | 'name' | 'kind' | 'role' | 'is_primary' | 'created_at'> {
  ip_whitelist: readonly string[]
  /** Set by the operator at the first start; generated otherwise. */
  app_id?: string | null
  secret?: string | null
}

/** The row of a new key, and its secret, of which only the hash is stored. */
export function newApiKeyRow({ app_id, secret, ip_whitelist, ...columns }: NewApiKey) {
  const token = secret ?? newSecret()
  const row = {
    ...columns,
    id: newId('api_key'),
    app_id: app_id ?? newSecret(),
    secret_hash: hashOf(token),
    client_id: randomText(21),
    ip_whitelist: JSON.stringify(ip_whitelist),
    status: 'ACTIVE',
  } as const
  return { row, secret: token }
}

/** Inserts a key and returns its secret. */
export async function insertApiKey(db: Db, key: NewApiKey): Promise<{ key: ApiKeyRecord; secret: string }> {
  const { row, secret } = newApiKeyRow(key)
  return { key: await db.insertInto('api_keys').values(row).returningAll().executeTakeFirstOrThrow(), secret }
}

export const listApiKeys = (ctx: Ctx): Promise<ApiKeyRecord[]> => listRows(ctx, apiKeys)

export const getApiKey = (ctx: Ctx, id: string): Promise<ApiKeyRecord> => getRow(ctx, apiKeys, id)

/** Updates only the sent columns: renaming a key must not undo a concurrent request that blocks it. */
export async function updateApiKey(
  { db, project_id }: Ctx,
  id: ApiKeyRecord['id'],
  changes: Updateable<ApiKeyRow>,
): Promise<ApiKeyRecord> {
  const row = await db
    .updateTable('api_keys')
    .set({ id, ...changes }) // an update statement needs at least one column
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw notFound('api_key', id)
  return row
}

/** Deletes a key; the deletion cascades to its tokens. */
export const deleteApiKey = (ctx: Ctx, id: ApiKeyRecord['id']): Promise<void> => deleteRow(ctx, apiKeys, id)

/** For the command line: the keys of one project, or of all. */
export async function listAllApiKeys(db: Db, projectId: string | undefined): Promise<ApiKeyRecord[]> {
  const query = db.selectFrom('api_keys').orderBy('project_id').orderBy('created_at').selectAll()
  return (projectId === undefined ? query : query.where('project_id', '=', projectId)).execute()
}

/** For the command line: deletes a key of any project by its id or app id; false when there is none. */
export async function deleteApiKeyAnywhere(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('api_keys')
    .where((eb) => eb.or([eb('id', '=', id as ApiKeyRecord['id']), eb('app_id', '=', id)]))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
