import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { limits } from '../core/lib/limits.ts'

/**
 * Ends a connection after the answer to a request, once it is old. Connections that proxies keep open would otherwise stay with the
 * workers which were there when they were opened, and a worker that was started later would have nothing to do.
 */
export function limitConnectionAge(app: FastifyInstance): void {
  const ends = new WeakMap<Socket, number>()
  app.server.on('connection', (socket: Socket) => {
    // Not all in the same second.
    ends.set(socket, performance.now() + limits.connection_age_seconds * 1_000 * (1 + Math.random()))
  })
  app.addHook('onRequest', (request, reply, next) => {
    if (performance.now() > (ends.get(request.raw.socket) ?? Number.POSITIVE_INFINITY))
      reply.raw.setHeader('Connection', 'close')
    next()
  })
}
