import type { FastifyInstance, FastifyReply } from 'fastify'
import { limits } from '../lib/limits.ts'
import { unavailable } from './failures.ts'
import type { Operation } from './operation.ts'

/**
 * Refuses requests that take too long. All are looked at together, once a second: a timer and a signal for each would cost more
 * than its routing. Whose answer has begun is cut off.
 */
export function limitTime(
  app: FastifyInstance,
  { answer_ms = limits.request_timeout_seconds * 1_000, look_ms = 1_000 } = {},
): void {
  const ends = new Map<FastifyReply, number>()
  app.addHook('onRequest', (request, reply, next) => {
    const { operation } = request.routeOptions.config as { operation?: Operation }
    // A large file on a slow line takes longer than an answer may.
    const ms = operation?.download === undefined ? answer_ms : limits.download_timeout_seconds * 1_000
    ends.set(reply, performance.now() + ms)
    reply.raw.once('close', () => ends.delete(reply))
    next()
  })
  const looking = setInterval(() => {
    const now = performance.now()
    for (const [reply, end] of ends) if (end <= now) refuse(reply)
  }, look_ms)
  looking.unref()
  app.addHook('onClose', async () => clearInterval(looking))

  function refuse(reply: FastifyReply): void {
    ends.delete(reply)
    if (reply.raw.headersSent) reply.raw.destroy()
    else if (!reply.sent) reply.send(unavailable())
  }
}
