import type { FastifyInstance, FastifyReply } from 'fastify'
import { limits } from '../lib/limits.ts'
import { unavailable } from './failures.ts'
import type { Operation } from './operation.ts'
import type { Watch } from './watch-requests.ts'

/**
 * Refuses requests that take too long. All are looked at together, once a second: a timer and a signal for each would cost more
 * than its routing. Whose answer has begun is cut off.
 */
export function limitTime(
  app: FastifyInstance,
  { in_flight }: Pick<Watch, 'in_flight'>,
  { answer_ms = limits.request_timeout_seconds * 1_000, look_ms = 1_000 } = {},
): void {
  const refused = new WeakSet<FastifyReply>()
  const looking = setInterval(() => {
    const now = performance.now()
    for (const { reply, started } of in_flight())
      if (now - started >= timeOf(reply) && !refused.has(reply)) {
        refused.add(reply)
        refuse(reply)
      }
  }, look_ms)
  looking.unref()
  app.addHook('onClose', async () => clearInterval(looking))

  /** A large file on a slow line takes longer than an answer may. */
  function timeOf({ request }: FastifyReply): number {
    const { operation } = request.routeOptions.config as { operation?: Operation }
    return operation?.download === undefined ? answer_ms : limits.download_timeout_seconds * 1_000
  }
}

function refuse(reply: FastifyReply): void {
  if (reply.raw.headersSent) reply.raw.destroy()
  else if (!reply.sent) reply.send(unavailable())
}
