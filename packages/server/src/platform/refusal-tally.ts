import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorKey, type RateLimit, rateLimits } from '../core/http/errors.ts'

export interface Redemptions {
  /** `refused`: by a rule or a limit of the business or of the caller, 4xx; `failed`: 5xx, or the caller went away. */
  result: 'success' | 'refused' | 'failed'
  /** The error key of a refusal. */
  key?: ErrorKey
  total: number
}

/** Counts what was refused, and why. Keys and limits are closed lists, so the number of series is bounded. */
export interface RefusalTally {
  count(request: FastifyRequest, reply: FastifyReply, status: number): void
  redemptions(): Redemptions[]
  limited: Readonly<Record<RateLimit, number>>
}

export function newRefusalTally(): RefusalTally {
  // Present from the start: Prometheus sees no growth in a series that begins with 1.
  const success: Redemptions = { result: 'success', total: 0 }
  const failed: Redemptions = { result: 'failed', total: 0 }
  const refused = new Map<ErrorKey | undefined, Redemptions>()
  const limited = Object.fromEntries(rateLimits.map((limit) => [limit, 0])) as Record<RateLimit, number>

  function redemptionsOf(status: number, key: ErrorKey | undefined): Redemptions {
    if (status < 400) return success
    if (status === 499 || status >= 500) return failed
    const known = refused.get(key)
    if (known !== undefined) return known
    const fresh: Redemptions = { result: 'refused', ...(key === undefined ? {} : { key }), total: 0 }
    refused.set(key, fresh)
    return fresh
  }

  return {
    count({ refusal }, reply, status) {
      if (refusal?.limit != null) limited[refusal.limit] += 1
      const { operation } = reply.routeOptions.config
      // A stored reply is sent again for a redemption that was counted before.
      if (operation?.redeems !== true || reply.hasHeader('Idempotency-Replayed')) return
      redemptionsOf(status, refusal?.key).total += 1
    },
    redemptions: () => [success, failed, ...refused.values()],
    limited,
  }
}
