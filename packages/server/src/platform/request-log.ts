import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Operation } from '../core/http/operation.ts'
import { maskProofs } from '../core/http/tracking-id.ts'
import { loggable } from '../core/lib/log.ts'
import { decodeLetters } from '../core/lib/percent-encoding.ts'

/**
 * Logs one line for each finished request: internal failures at level error, 4xx at info, everything else at debug. With
 * `logs_all` every request of the API is logged at info; health checks and scrapes stay at debug.
 * Headers, bodies, query strings and secrets in a path are never logged.
 */
export function newRequestLog(operations: readonly Operation[], { logs_all }: { logs_all: boolean }) {
  const withoutSecrets = secretsHider(operations)
  return (request: FastifyRequest, reply: FastifyReply, ended: { status: number; seconds: number }): void => {
    const { failure, log, method, url } = request
    const { status, seconds } = ended
    // A 5xx without a failure was rejected by load shedding, which logs only when it begins (load-shedding.ts).
    const { operation, platform } = reply.routeOptions.config
    const isInfo = (status >= 400 && status < 500) || (logs_all && platform === undefined)
    const level = failure !== null ? 'error' : isInfo ? 'info' : 'debug'
    if (!isLevelWritten(log, level)) return
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

/** Whether the logger writes this level; Fastify's logger type does not declare `isLevelEnabled`. */
const isLevelWritten = (log: FastifyBaseLogger, level: string): boolean =>
  (log as Partial<Logger>).isLevelEnabled?.(level) ?? true

/**
 * Returns the path of a URL, from a secret part on replaced by `{token}`, and without what proves a customer. It compares path
 * prefixes and not the matched route: a request with the wrong method, or with an appended segment, contains the secret too.
 */
function secretsHider(operations: readonly Operation[]): (url: string) => string {
  const secretPrefixes = operations.flatMap(({ path }) => {
    const at = path.indexOf('{token}')
    return at < 0 ? [] : [path.slice(0, at)]
  })
  return (url) => {
    const path = url.split('?', 1)[0] as string
    const decoded = decodeLetters(path) // as the router does
    const secret = secretPrefixes.find((prefix) => decoded.startsWith(prefix))
    return secret === undefined ? maskProofs(path) : `${secret}{token}`
  }
}
