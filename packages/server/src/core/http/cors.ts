import type { FastifyReply } from 'fastify'

/** Only client-side paths support CORS (docs/reference/http.md#cors). The caller has checked the origin. */
export function answerCors(origin: string | undefined, reply: FastifyReply): void {
  if (origin === undefined) return
  reply.headers({
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers':
      'X-Rate-Limit-Limit, X-Rate-Limit-Remaining, X-Rate-Limit-Retry, X-Rate-Limit-Type, Retry-After, X-Request-Id',
    Vary: 'Origin',
  })
}

/** Responds to a preflight. The project is unknown here, so the origin is checked on the actual request. */
export function answerPreflight(origin: string, reply: FastifyReply): void {
  reply
    .code(204)
    .headers({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Credentials': 'true',
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, OPTIONS',
      'Access-Control-Allow-Headers':
        'Accept, Authorization, Content-Type, Idempotency-Key, X-App-Id, X-App-Token, X-Client-Application-Id, X-Client-Token, ' +
        'X-Request-Id, X-Voucherify-API-Version, X-Voucherify-Channel, X-Voucherify-Double-Opt-In',
      'Access-Control-Max-Age': '600',
      Vary: 'Origin',
    })
    .send()
}
