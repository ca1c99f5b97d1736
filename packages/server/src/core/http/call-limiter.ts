import type { FastifyReply } from 'fastify'
import type { Runtime } from '../context.ts'
import type { Project } from '../db/project-row.ts'
import { newClientLimiter } from './client-limiter.ts'
import { countProjectCall, isLimited } from './project-limiter.ts'
import { newUsageWatch } from './usage-watch.ts'

/** Counts calls against the limits of docs/reference/limits.md#rate-limits. Without a configured limit it makes no query. */
export interface CallLimiter {
  /**
   * Counts one call of the project and, unless null, of the client (its address, or the customer that it proved to act for), and
   * sets the rate limit headers; or throws 429 and counts nothing. Returns null when no query is needed.
   */
  countCall(project: Project, call: { bulk: boolean; client: string | null }, reply: FastifyReply): Promise<void> | null
  /** Whether the next call of the client would be refused. */
  isFull(client: string): boolean
  /** Lets a call in that may prove another client, or throws 429 if too many of the address proved none. */
  defer(address: string): void
  /** To be called when a deferred call has proved another client. */
  endDeferral(address: string): void
  /** Counts a call, which `countCall` counted for one client, for another one instead; or throws 429 and leaves it as it is. */
  recount(from: string, to: string): void
  /** Resolves when the usage thresholds that calls have reached are announced. */
  drain(): Promise<void>
}

const deferralsPerCall = 10

export function newCallLimiter(runtime: Runtime): CallLimiter {
  const { settings, now } = runtime
  const limit = settings.client_rate_limit
  const clients = newClientLimiter(limit)
  const usage = newUsageWatch(runtime)
  // More than a client has: the customers behind a proxy must not lose their turn to one that proves nothing.
  const deferrals = newClientLimiter(limit && { ...limit, calls: limit.calls * deferralsPerCall })
  return {
    countCall(project, { bulk, client }, reply) {
      const at = now()
      if (client !== null) clients.take(client, at)
      if (!isLimited(settings, project)) return null
      return countProjectCall(runtime, usage, { project, bulk, at }, reply).catch((error: unknown) => {
        if (client !== null) clients.giveBack(client)
        throw error
      })
    },
    isFull: (client) => clients.isFull(client, now()),
    defer: (address) => deferrals.take(address, now()),
    endDeferral: (address) => deferrals.giveBack(address),
    recount(from, to) {
      clients.take(to, now())
      clients.giveBack(from)
    },
    drain: () => usage.drain(),
  }
}
