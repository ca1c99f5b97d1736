import type { Static } from 'typebox'
import type { Ctx } from '../../core/context.ts'
import type { OauthTokenRow } from '../../core/db/tables.ts'
import { newClientToken } from '../../core/http/client-token.ts'
import { ApiError, tooManyRequests } from '../../core/http/errors.ts'
import { scopes } from '../../core/http/scopes.ts'
import { hashOf } from '../../core/http/secrets.ts'
import { randomText } from '../../core/lib/ids.ts'
import type { Token, TokenForm } from './schema.ts'
import { countLiveTokens, findIssuingKey, insertToken } from './store.ts'

/** Issues an access token to the application key of the request. */
export async function issueToken(ctx: Ctx, { grant_type = '', scope = '' }: Static<typeof TokenForm>): Promise<Token> {
  if (grant_type === '' || scope.trim() === '') throw new ApiError('missing_parameters')
  if (grant_type !== 'client_credentials') throw new ApiError('invalid_grant_type')
  const requestedScopes = [...new Set(scope.split(' ').filter((word) => word !== ''))]
  if (requestedScopes.some((word) => !scopes.has(word)))
    throw new ApiError('invalid_scope', { message: `Invalid scope: ${scope}` })

  const apiKeyId = ctx.caller.api_key?.id as `key_${string}`
  const key = await findIssuingKey(ctx, apiKeyId)
  // Authentication uses a cache: another node may have just deleted the key.
  if (key === undefined) throw new ApiError('unauthorized')
  const isClient = key.kind === 'client'
  // A page can read its key, and so can everybody else: it opens nothing but the client side.
  if (isClient && requestedScopes.some((word) => !word.startsWith('client_')))
    throw new ApiError('invalid_scope', { message: `Invalid scope: ${scope}` })

  const expiresIn = ctx.settings.oauth_token_ttl_seconds
  const expiresAt = Math.floor(Date.parse(ctx.now) / 1_000) + expiresIn
  const grantedScope = requestedScopes.join(' ')
  const granted = { scope: grantedScope, expires_at: expiresAt }
  const accessToken = isClient
    ? newClientToken(ctx.project, { app_id: key.app_id, ...granted })
    : await storedToken(ctx, apiKeyId, granted)
  return {
    access_token: accessToken,
    client_id: key.client_id,
    expires_at: expiresAt,
    expires_in: expiresIn,
    scope: grantedScope,
    token_type: 'Bearer',
  }
}

/** A new token of a server-side key, of which a project has a limited number. */
async function storedToken(
  ctx: Ctx,
  apiKeyId: OauthTokenRow['api_key_id'],
  { scope, expires_at }: { scope: string; expires_at: number },
): Promise<string> {
  const { live, first_end } = await countLiveTokens(ctx)
  if (live >= ctx.settings.oauth_max_tokens_per_project) {
    const waitMs = Date.parse(first_end as string) - Date.parse(ctx.now)
    throw tooManyRequests('oauth_tokens', waitMs, { key: 'oauth_tokens_limit_exceeded' })
  }
  const token = randomText(50)
  await insertToken(ctx, { token_hash: hashOf(token), api_key_id: apiKeyId, scope, expires_at_seconds: expires_at })
  return token
}
