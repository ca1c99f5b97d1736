import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { KeyKind, OauthTokenRow } from '../../core/db/tables.ts'
import { isAtMost } from '../../core/http/authenticate.ts'
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

/**
 * A live token that the key of the request may see and revoke: its own, and on the server side also tokens of other keys of the
 * project that may do no more than it. A page carries its key in public, so that key must not end tokens of the server side.
 */
export async function findManagedToken({ db, project_id, now, caller }: Ctx, tokenHash: Buffer) {
  const token = await db
    .selectFrom('oauth_tokens')
    .innerJoin('api_keys', 'api_keys.id', 'oauth_tokens.api_key_id')
    .innerJoin('api_keys as asking', (join) =>
      join.on('asking.id', '=', (caller.api_key?.id ?? '') as OauthTokenRow['api_key_id']),
    )
    .where('token_hash', '=', tokenHash)
    .where('oauth_tokens.project_id', '=', project_id)
    .where('expires_at', '>', now)
    .select(['oauth_tokens.scope', 'oauth_tokens.expires_at', 'api_keys.client_id', 'api_keys.status'])
    .select(['api_keys.id', 'api_keys.role', 'asking.id as asking_id', 'asking.kind as asking_kind'])
    .executeTakeFirst()
  if (token === undefined || token.id === token.asking_id) return token
  return token.asking_kind !== 'client' && isAtMost(token.role, caller.role) ? token : undefined
}

/** Deletes a token of the project; false when another request has deleted it. */
export async function deleteToken({ db, project_id }: Ctx, tokenHash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('oauth_tokens')
    .where('token_hash', '=', tokenHash)
    .where('project_id', '=', project_id)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
