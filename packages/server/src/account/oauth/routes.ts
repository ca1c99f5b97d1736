import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import { operation } from '../../core/http/operation.ts'
import { announceCredentialChange } from '../credential-change.ts'
import { issueToken } from './issue-token.ts'
import { AccessTokenForm, Introspection, Token, TokenForm } from './schema.ts'
import { findManagedToken, revokeToken } from './store.ts'

export const oauth = [
  operation({
    id: 'generateOauthToken',
    method: 'POST',
    path: '/v1/oauth/token',
    summary: 'Generate an access token',
    description: 'Exchanges an application key for a short-lived access token with the requested scopes.',
    consumes: 'form',
    body: TokenForm,
    reply: Token,
    errors: ['missing_parameters', 'invalid_grant_type', 'invalid_scope', 'oauth_tokens_limit_exceeded'],
    idempotent: false,
    run: (ctx, { body }) => issueToken(ctx, body),
  }),
  operation({
    id: 'introspectOauthToken',
    method: 'POST',
    path: '/v1/oauth/introspect',
    summary: 'Introspect an access token',
    description:
      'Whether a token is valid, whom it was issued to, and what it may call. An unknown or expired token is no error: `active` is false.',
    consumes: 'form',
    body: AccessTokenForm,
    reply: Introspection,
    errors: ['missing_parameters'],
    writes: false,
    run: (ctx, { body }) => introspect(ctx, accessToken(body.access_token)),
  }),
  operation({
    id: 'revokeOauthToken',
    method: 'POST',
    path: '/v1/oauth/token/revoke',
    summary: 'Revoke an access token',
    description:
      'The token is dead for the next request. An unknown or dead token, and one that the key may not revoke, answers 404 without a body.',
    consumes: 'form',
    body: AccessTokenForm,
    reply: null,
    errors: ['missing_parameters', 'not_found'],
    idempotent: false,
    run: (ctx, { body }) => revoke(ctx, accessToken(body.access_token)),
  }),
]

function accessToken(sent: string | undefined): string {
  if (sent === undefined || sent === '') throw new ApiError('missing_parameters')
  return sent
}

async function introspect(ctx: Ctx, secret: string): Promise<Introspection> {
  const token = await findManagedToken(ctx, secret)
  if (token?.status !== 'ACTIVE') return { active: false }
  const { client_id, scope, expires_at: expiresAt } = token
  const expiresIn = expiresAt - Math.floor(Date.parse(ctx.now) / 1_000)
  return {
    access_token: secret,
    client_id,
    expires_at: expiresAt,
    expires_in: expiresIn,
    scope,
    token_type: 'Bearer',
    active: true,
  }
}

async function revoke(ctx: Ctx, secret: string): Promise<void> {
  const token = await findManagedToken(ctx, secret)
  // The same answer for a token of another key as for an unknown one: it does not tell that the token exists.
  if (token === undefined || !(await revokeToken(ctx, secret, token))) {
    const missing = new ApiError('not_found')
    missing.bodiless = true
    throw missing
  }
  await announceCredentialChange(ctx)
}
