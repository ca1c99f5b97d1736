import type { FastifyInstance, FastifyReply } from 'fastify'
import { limits } from '../lib/limits.ts'
import { unavailable } from './failures.ts'
import type { Operation } from './operation.ts'
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

  /** A download may take longer than other responses: a large file on a slow connection. */
  function timeLimitOf({ request }: FastifyReply): number {
    const { operation } = request.routeOptions.config as { operation?: Operation }
    return operation?.download === undefined ? answer_ms : limits.download_timeout_seconds * 1_000
  }
}

function refuse(reply: FastifyReply): void {
  if (reply.raw.headersSent) reply.raw.destroy()
  else if (!reply.sent) reply.send(unavailable('request_timeout_seconds'))
}
