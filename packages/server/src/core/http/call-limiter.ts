import type { FastifyReply } from 'fastify'
import type { Runtime } from '../context.ts'
import type { Project } from '../db/project-row.ts'
import { newAddressLimiter } from './address-limiter.ts'
import { countProjectCall, isLimited } from './project-limiter.ts'

/** Counts calls against the limits of docs/reference/limits.md#rate-limits. Without a configured limit it makes no query. */
export interface CallLimiter {
  /**
   * Counts one call of the project and, unless null, of the client address, and sets the rate limit headers; or throws 429
   * and counts nothing. Returns null when no query is needed.
   */
  countCall(
    project: Project,
    call: { bulk: boolean; client_address: string | null },
    reply: FastifyReply,
  ): Promise<void> | null
}

export function newCallLimiter(runtime: Runtime): CallLimiter {
  const { settings, now } = runtime
  const addresses = newAddressLimiter(settings.client_rate_limit)
  return {
    countCall(project, { bulk, client_address }, reply) {
      const at = now()
      if (client_address !== null) addresses.take(client_address, at)
      if (!isLimited(settings, project)) return null
      return countProjectCall(runtime, { project, bulk, at }, reply).catch((error: unknown) => {
        if (client_address !== null) addresses.giveBack(client_address, at)
        throw error
      })
    },
  }
}
