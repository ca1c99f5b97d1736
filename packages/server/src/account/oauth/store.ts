import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { KeyKind, OauthTokenRow } from '../../core/db/tables.ts'
import { toInstant } from '../../core/lib/instant.ts'

/**
 * Counts the live tokens of the project, under an advisory lock that serialises concurrent issues until commit. Tokens of client
 * keys, which anybody can get, are counted apart: they must not use up those of the server side.
 */
export async function countLiveTokens(
  { db, project_id, now }: Ctx,
  { is_client }: { is_client: boolean },
): Promise<{ live: number; first_end: string | null }> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`oauth ${project_id}`}, 0))`.execute(db)
  return db
    .selectFrom('oauth_tokens')
    .innerJoin('api_keys', 'api_keys.id', 'oauth_tokens.api_key_id')
    .where('oauth_tokens.project_id', '=', project_id)
    .where('expires_at', '>', now)
    .where('api_keys.kind', is_client ? '=' : '<>', 'client')
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
): Promise<{ client_id: string; kind: KeyKind } | undefined> {
  return db
    .selectFrom('api_keys')
    .where('id', '=', apiKeyId)
    .select(['client_id', 'kind'])
    .forKeyShare()
    .executeTakeFirst()
}

/** A live token of the caller's project, with the client id it was issued to. */
export async function findLiveToken({ db, project_id, now }: Ctx, tokenHash: Buffer) {
  return db
    .selectFrom('oauth_tokens')
    .innerJoin('api_keys', 'api_keys.id', 'oauth_tokens.api_key_id')
    .where('token_hash', '=', tokenHash)
    .where('oauth_tokens.project_id', '=', project_id)
    .where('expires_at', '>', now)
    .where('api_keys.status', '=', 'ACTIVE')
    .select(['oauth_tokens.scope', 'oauth_tokens.expires_at', 'api_keys.client_id'])
    .executeTakeFirst()
}

/** Deletes a live token of the caller's project; false when there is none. */
export async function deleteLiveToken({ db, project_id, now }: Ctx, tokenHash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('oauth_tokens')
    .where('token_hash', '=', tokenHash)
    .where('project_id', '=', project_id)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
