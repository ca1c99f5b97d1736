import { performance } from 'node:perf_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export interface Ended {
  /** 499 when the caller went away before there was an answer. */
  status: number
  seconds: number
}

/** Calls back when a request has ended, however it did; answers how many have not. */
export function watchRequests(
  app: FastifyInstance,
  onEnd: (request: FastifyRequest, reply: FastifyReply, ended: Ended) => void,
): () => number {
  let in_flight = 0
  app.addHook('onRequest', (request, reply, next) => {
    const started = performance.now()
    in_flight += 1
    // Fastify's own `onResponse` is not called for a caller who hangs up.
    reply.raw.on('close', () => {
      in_flight -= 1
      const status = reply.raw.writableEnded ? reply.raw.statusCode : 499
      onEnd(request, reply, { status, seconds: (performance.now() - started) / 1_000 })
    })
    next()
  })
  return () => in_flight
}
