import { performance } from 'node:perf_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export interface Ended {
  /** 499 when the caller went away before there was an answer. */
  status: number
  seconds: number
}

export interface InFlight {
  reply: FastifyReply
  /** As `performance.now()` tells. */
  started: number
}

export interface Watch {
  /** Requests that have not ended. */
  in_flight(): InFlight[]
  /** Calls back when a request has ended, however it did. */
  onEnd(callback: (request: FastifyRequest, reply: FastifyReply, ended: Ended) => void): void
}

/** One look at the coming and going of requests, for all who want to know. */
export function watchRequests(app: FastifyInstance): Watch {
  /** Each has a place as long as it lasts: a set would have to work out a hash for each of them. */
  const places: Array<InFlight | null> = []
  const free: number[] = []
  const callbacks: Array<Parameters<Watch['onEnd']>[0]> = []
  app.addHook('onRequest', (request, reply, next) => {
    const started = performance.now()
    const place = free.pop() ?? places.length
    places[place] = { reply, started }
    // Fastify's own `onResponse` is not called for a caller who hangs up.
    reply.raw.on('close', () => {
      places[place] = null
      free.push(place)
      const status = reply.raw.writableEnded ? reply.raw.statusCode : 499
      const ended = { status, seconds: (performance.now() - started) / 1_000 }
      for (const callback of callbacks) callback(request, reply, ended)
    })
    next()
  })
  return {
    in_flight: () => places.filter((one) => one !== null),
    onEnd: (callback) => void callbacks.push(callback),
  }
}
