import { performance } from 'node:perf_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export interface Ended {
  /** 499 when the client closed the connection before the response. */
  status: number
  seconds: number
}

export interface InFlight {
  reply: FastifyReply
  /** Value of `performance.now()`. */
  started: number
}

export interface RequestWatch {
  /** Requests that have not ended. */
  in_flight(): InFlight[]
  /** Calls back when a request has ended, successfully or not. */
  onEnd(callback: (request: FastifyRequest, reply: FastifyReply, ended: Ended) => void): void
}

/** Tracks the requests in flight and notifies subscribers when they end. */
export function watchRequests(app: FastifyInstance): RequestWatch {
  /** Each request in flight occupies one slot; a Set would compute a hash per request. */
  const slots: Array<InFlight | null> = []
  const freeSlots: number[] = []
  const callbacks: Array<Parameters<RequestWatch['onEnd']>[0]> = []
  app.addHook('onRequest', (request, reply, next) => {
    const started = performance.now()
    const slot = freeSlots.pop() ?? slots.length
    slots[slot] = { reply, started }
    // Fastify does not call `onResponse` when the client disconnects.
    reply.raw.on('close', () => {
      slots[slot] = null
      freeSlots.push(slot)
      const status = reply.raw.writableEnded ? reply.raw.statusCode : 499
      const ended = { status, seconds: (performance.now() - started) / 1_000 }
      for (const callback of callbacks) callback(request, reply, ended)
    })
    next()
  })
  return {
    in_flight: () => slots.filter((slot) => slot !== null),
    onEnd: (callback) => void callbacks.push(callback),
  }
}
