import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { limits } from '../lib/limits.ts'
import { unavailable } from './failures.ts'
import { isPublic, type Operation } from './operation.ts'
import type { RequestWatch } from './watch-requests.ts'

/**
 * Refuses requests that exceed the time limit. One timer checks all of them once a second: a timer and an abort signal per
 * request would cost more than routing it. A response that has begun is aborted.
 */
export function limitTime(
  app: FastifyInstance,
  { in_flight }: Pick<RequestWatch, 'in_flight'>,
  { answer_ms = limits.request_timeout_seconds * 1_000, look_ms = 1_000 } = {},
): void {
  const refused = new WeakSet<FastifyReply>()
  const timer = setInterval(() => {
    const now = performance.now()
    for (const { reply, started } of in_flight())
      if (now - started >= timeLimitOf(reply) && !refused.has(reply)) {
        refused.add(reply)
        refuse(reply)
      }
  }, look_ms)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))

  function timeLimitOf({ request }: FastifyReply): number {
    if (isLateBody(request)) return Math.min(answer_ms, limits.client_body_seconds * 1_000)
    // A download may take longer than other responses: a large file on a slow connection.
    return operationOf(request)?.download === undefined ? answer_ms : limits.download_timeout_seconds * 1_000
  }
}

const operationOf = ({ routeOptions: { config } }: FastifyRequest): Operation | undefined =>
  (config as { operation?: Operation }).operation

/** Whether a body that anybody may send has not arrived yet: it takes memory until then. */
function isLateBody(request: FastifyRequest): boolean {
  const operation = operationOf(request)
  return operation !== undefined && isPublic(operation) && !request.raw.complete
}

function refuse(reply: FastifyReply): void {
  const { raw } = reply.request
  if (reply.raw.headersSent) reply.raw.destroy()
  else if (!reply.sent) {
    // Otherwise the rest of the body would be read, and kept, as long as it comes.
    if (!raw.complete) reply.header('Connection', 'close').raw.once('finish', () => raw.destroy())
    reply.send(unavailable(isLateBody(reply.request) ? 'client_body_seconds' : 'request_timeout_seconds'))
  }
}
