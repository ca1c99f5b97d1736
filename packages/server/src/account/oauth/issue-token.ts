import type { Static } from 'typebox'
import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import { scopes } from '../../core/http/scopes.ts'
import { hashOf } from '../../core/http/secrets.ts'
import { randomText } from '../../core/lib/ids.ts'
import type { Token, TokenForm } from './schema.ts'
import { countLiveTokens, findClientId, insertToken } from './store.ts'

/** Issues an access token to the application key that asks for it. */
export async function issueToken(ctx: Ctx, { grant_type = '', scope = '' }: Static<typeof TokenForm>): Promise<Token> {
  if (grant_type === '' || scope.trim() === '') throw new ApiError('missing_parameters')
  if (grant_type !== 'client_credentials') throw new ApiError('invalid_grant_type')
  const requested = [...new Set(scope.split(' ').filter((word) => word !== ''))]
  if (requested.some((word) => !scopes.has(word)))
    throw new ApiError('invalid_scope', { message: `Invalid scope: ${scope}` })

  const now_seconds = Math.floor(Date.parse(ctx.now) / 1_000)
  const { live, first_end } = await countLiveTokens(ctx)
  if (live >= ctx.settings.oauth_max_tokens_per_project) {
    const wait = Math.ceil((Date.parse(first_end as string) - Date.parse(ctx.now)) / 1_000)
    throw new ApiError('oauth_tokens_limit_exceeded', {}, { 'Retry-After': String(Math.max(1, wait)) })
  }

  const api_key_id = ctx.caller.api_key?.id as `key_${string}`
  const client_id = await findClientId(ctx, api_key_id)
  // Admission goes by memory: the key may have been deleted on another node a moment ago.
  if (client_id === undefined) throw new ApiError('unauthorized')

  const access_token = randomText(50)
  const expires_in = ctx.settings.oauth_token_ttl_seconds
  const expires_at = now_seconds + expires_in
  const granted = requested.join(' ')
  await insertToken(ctx, {
    token_hash: hashOf(access_token),
    api_key_id,
    scope: granted,
    expires_at_seconds: expires_at,
  })
  return { access_token, client_id, expires_at, expires_in, scope: granted, token_type: 'Bearer' }
}
