import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Operation } from '../core/http/operation.ts'
import { loggable } from '../core/lib/log.ts'

/**
 * Writes one line for a request that has ended. Failures of ours are errors, refusals are worth reading at the usual
 * level, and what went well is for debugging. Never in it: headers, bodies, queries, and secrets in a path.
 */
export function newRequestLog(operations: readonly Operation[]) {
  const withoutSecrets = secretsHider(operations)
  return (request: FastifyRequest, reply: FastifyReply, ended: { status: number; seconds: number }): void => {
    const { failure, log, method, url } = request
    const { status, seconds } = ended
    // A 5xx without a failure was turned away on purpose; that is told once, when it begins (load-shedding.ts).
    const level = failure !== null ? 'error' : status >= 400 && status < 500 ? 'info' : 'debug'
    if (!writes(log, level)) return
    const { operation, platform } = reply.routeOptions.config
    log[level](
      {
        operation: operation?.id ?? platform ?? null,
        method,
        path: withoutSecrets(url),
        status,
        duration_ms: Math.round(seconds * 10_000) / 10,
        app_id: request.admitted?.caller.api_key?.app_id ?? null,
        ...(failure === null ? {} : { error: loggable(failure) }),
      },
      'request',
    )
  }
}

/** Whether a line of the level would be written, which Fastify's type of a logger does not tell. */
const writes = (log: FastifyBaseLogger, level: string): boolean =>
  (log as Partial<Logger>).isLevelEnabled?.(level) ?? true

/**
 * The path of a URL; where one of its parts is a secret, everything from there on is `{token}`. The beginning decides,
 * not the route that was found: a call with the wrong method, or with something appended, holds the secret too.
 */
function secretsHider(operations: readonly Operation[]): (url: string) => string {
  const beginnings = operations.flatMap(({ path }) => {
    const at = path.indexOf('{token}')
    return at < 0 ? [] : [path.slice(0, at)]
  })
  return (url) => {
    const path = url.split('?', 1)[0] as string
    const secret = beginnings.find((beginning) => path.startsWith(beginning))
    return secret === undefined ? path : `${secret}{token}`
  }
}
