import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { loggable } from '../lib/log.ts'

/**
 * One line for a request that has ended. Failures of ours are errors, refusals are worth reading at the usual level, and
 * what went well is for debugging. Never in it: headers, bodies, queries, and paths that hold a secret.
 */
export function logRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  ended: { status: number; seconds: number },
): void {
  const { failure, log, method } = request
  const { status, seconds } = ended
  // A 5xx without a failure was turned away on purpose; that is told once, when it begins (load-shedding.ts).
  const level = failure !== null ? 'error' : status >= 400 && status < 500 ? 'info' : 'debug'
  if (!writes(log, level)) return
  const { operation, platform } = reply.routeOptions.config
  log[level](
    {
      operation: operation?.id ?? platform ?? null,
      method,
      path: pathOf(request),
      status,
      duration_ms: Math.round(seconds * 10_000) / 10,
      app_id: request.admitted?.caller.api_key?.app_id ?? null,
      ...(failure === null ? {} : { error: loggable(failure) }),
    },
    'request',
  )
}

/** Whether a line of the level would be written, which Fastify's type of a logger does not tell. */
const writes = (log: FastifyBaseLogger, level: string): boolean =>
  (log as Partial<Logger>).isLevelEnabled?.(level) ?? true

/** Where the address itself is the secret, the pattern must do. */
function pathOf({ url, routeOptions: { config } }: FastifyRequest): string {
  const pattern = config.operation?.path
  if (pattern?.includes('{token}')) return pattern
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
