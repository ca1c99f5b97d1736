import type { FastifyReply, FastifyRequest } from 'fastify'
import { limits } from '../lib/limits.ts'
import { networkOf } from '../lib/network.ts'
import { tooManyRequests } from './errors.ts'

/** Holds room for the body of a request until it has arrived, or throws 429 if its network has too many under way. */
export type HoldBody = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * Bounds the memory of bodies that anybody can begin and never end. Each worker counts by itself: what arrives at another one
 * takes memory there.
 */
export function newHoldBody(): HoldBody {
  const bytesOf = new Map<string, number>()
  return (request, reply) => {
    const { headers, ip, raw } = request
    const declared = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity
    const bytes = Math.min(declared, request.routeOptions.bodyLimit)
    if (!(bytes > 0)) return
    const network = networkOf(ip)
    const held = bytesOf.get(network) ?? 0
    if (held > 0 && held + bytes > limits.client_bodies_bytes_max)
      throw tooManyRequests('client_calls', 1_000, { facts: { details: 'Too many bodies are under way' } })
    bytesOf.set(network, held + bytes)
    let isHeld = true
    const release = () => {
      if (!isHeld) return
      isHeld = false
      const left = (bytesOf.get(network) as number) - bytes
      if (left > 0) bytesOf.set(network, left)
      else bytesOf.delete(network)
    }
    raw.once('end', release)
    reply.raw.once('close', release)
  }
}
