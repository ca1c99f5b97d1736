import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { KeyKind, KeyStatus, OauthTokenRow } from '../../core/db/tables.ts'
import { isAtMost } from '../../core/http/authenticate.ts'
import { isSigned, readClientToken } from '../../core/http/client-token.ts'
import { hashOf } from '../../core/http/secrets.ts'
import { toInstant } from '../../core/lib/instant.ts'

/** Counts the live tokens of the server-side keys of the project, under an advisory lock that serialises concurrent issues until commit. */
export async function countLiveTokens({
  db,
  project_id,
  now,
}: Ctx): Promise<{ live: number; first_end: string | null }> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`oauth ${project_id}`}, 0))`.execute(db)
  return db
    .selectFrom('oauth_tokens')
    .innerJoin('api_keys', 'api_keys.id', 'oauth_tokens.api_key_id')
    .where('oauth_tokens.project_id', '=', project_id)
    .where('expires_at', '>', now)
    .where('api_keys.kind', '<>', 'client')
    .select(({ fn }) => [fn.countAll<number>().as('live'), fn.min('expires_at').as('first_end')])
    .executeTakeFirstOrThrow()
}

export async function insertToken(
  { db, project_id, now }: Ctx,
  token: Pick<OauthTokenRow, 'token_hash' | 'api_key_id' | 'scope'> & { expires_at_seconds: number },
): Promise<void> {
  const { token_hash, api_key_id, scope, expires_at_seconds } = token
  const expiresAt = toInstant(expires_at_seconds * 1_000)
  await db
    .insertInto('oauth_tokens')
    .values({ token_hash, project_id, api_key_id, scope, created_at: now, expires_at: expiresAt })
    .execute()
}

/** A key, locked against deletion until this transaction ends; undefined when it does not exist. */
export async function findIssuingKey(
  { db }: Ctx,
  apiKeyId: OauthTokenRow['api_key_id'],
): Promise<{ app_id: string; client_id: string; kind: KeyKind } | undefined> {
  return db
    .selectFrom('api_keys')
    .where('id', '=', apiKeyId)
    .select(['app_id', 'client_id', 'kind'])
    .forKeyShare()
    .executeTakeFirst()
}

/** A live token with the key that it was issued to. */
interface ManagedToken {
  api_key_id: OauthTokenRow['api_key_id']
  client_id: string
  status: KeyStatus
  scope: string
  /** Unix seconds. */
  expires_at: number
  is_stored: boolean
}

/**
 * A live token that the key of the request may see and revoke: its own, and on the server side also tokens of other keys of the
 * project that may do no more than it. A page carries its key in public, so that key must not end tokens of the server side.
 */
export async function findManagedToken(ctx: Ctx, token: string): Promise<ManagedToken | undefined> {
  const { db, project_id, caller } = ctx
  const granted = await findGranted(ctx, token)
  if (granted === undefined) return undefined
  const { by, ...rest } = granted
  const key = await db
    .selectFrom('api_keys')
    .innerJoin('api_keys as asking', (join) =>
      join.on('asking.id', '=', (caller.api_key?.id ?? '') as OauthTokenRow['api_key_id']),
    )
    .where('api_keys.project_id', '=', project_id)
    .where('id' in by ? 'api_keys.id' : 'api_keys.app_id', '=', 'id' in by ? by.id : by.app_id)
    .select(['api_keys.id', 'api_keys.client_id', 'api_keys.status', 'api_keys.kind', 'api_keys.role'])
    .select(['asking.id as asking_id', 'asking.kind as asking_kind'])
    .executeTakeFirst()
  if (key === undefined || (!rest.is_stored && key.kind !== 'client')) return undefined
  const { id, client_id, status, role, asking_id, asking_kind } = key
  const mayManage = id === asking_id || (asking_kind !== 'client' && isAtMost(role, caller.role))
  return mayManage ? { api_key_id: id, client_id, status, ...rest } : undefined
}

/** What a live token of the project grants, and to which key. */
async function findGranted({ db, project_id, project, now }: Ctx, token: string) {
  const said = readClientToken(token)
  const row = await db
    .selectFrom('oauth_tokens')
    .where('token_hash', '=', hashOf(token))
    .where('project_id', '=', project_id)
    .select(['api_key_id', 'scope', 'expires_at'])
    .executeTakeFirst()
  if (said !== null) {
    const isLive = row === undefined && said.expires_at * 1_000 > Date.parse(now) && isSigned(project, token)
    const { app_id, scope, expires_at } = said
    return isLive ? { by: { app_id }, scope, expires_at, is_stored: false } : undefined
  }
  if (row === undefined || row.expires_at <= now) return undefined
  const { api_key_id: id, scope, expires_at } = row
  return { by: { id }, scope, expires_at: Date.parse(expires_at) / 1_000, is_stored: true }
}

/**
 * Revokes a live token of the project; false when another request has revoked it. One that is not stored gets a row, which opens nothing
 * and is deleted like those of other tokens that have expired.
 */
export async function revokeToken(ctx: Ctx, token: string, { is_stored, ...managed }: ManagedToken): Promise<boolean> {
  const { db, project_id, now } = ctx
  const tokenHash = hashOf(token)
  if (is_stored) {
    const { numDeletedRows } = await db
      .deleteFrom('oauth_tokens')
      .where('token_hash', '=', tokenHash)
      .where('project_id', '=', project_id)
      .executeTakeFirst()
    return numDeletedRows === 1n
  }
  const { api_key_id, expires_at } = managed
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('oauth_tokens')
    .values({
      token_hash: tokenHash,
      project_id,
      api_key_id,
      scope: '',
      created_at: now,
      expires_at: toInstant(expires_at * 1_000),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}
