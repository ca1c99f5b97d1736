import type { FastifyReply } from 'fastify'
import { isTrustedOrigin } from '../lib/trusted-origin.ts'
import type { Credentials } from './credentials.ts'
import { ApiError } from './errors.ts'

/** Only what a page calls supports CORS (docs/reference/http.md#cors). The caller has checked the origin. */
export function answerCors(origin: string | undefined, reply: FastifyReply): void {
  if (origin === undefined) return
  reply.headers({
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers':
      'X-Rate-Limit-Limit, X-Rate-Limit-Remaining, X-Rate-Limit-Retry, X-Rate-Limit-Type, Retry-After, X-Request-Id, ' +
      'Guerdon-Ignored, Guerdon-Position, Preference-Applied',
    Vary: 'Origin',
  })
}

/**
 * Responds to a preflight, which does not say which project it is for: any project must trust the origin. The actual request is
 * checked against its own project.
 */
export async function answerPreflight(
  origin: string,
  credentials: Pick<Credentials, 'trustedDomains'>,
  reply: FastifyReply,
): Promise<void> {
  if (!isTrustedOrigin(await credentials.trustedDomains(), origin))
    throw new ApiError('forbidden', { details: `Origin '${origin}' is not allowed` }, { Vary: 'Origin' })
  reply
    .code(204)
    .headers({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Credentials': 'true',
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, OPTIONS',
      'Access-Control-Allow-Headers':
        'Accept, Authorization, Content-Type, Guerdon-Position, Idempotency-Key, Prefer, X-App-Id, X-App-Token, X-Client-Application-Id, X-Client-Token, ' +
        'X-Request-Id, X-Voucherify-API-Version, X-Voucherify-Channel, X-Voucherify-Double-Opt-In',
      'Access-Control-Max-Age': '600',
      Vary: 'Origin',
    })
    .send()
}
