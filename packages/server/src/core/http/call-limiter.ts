import type { FastifyReply } from 'fastify'
import type { Runtime } from '../context.ts'
import type { Project } from '../db/project-row.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { CallWindow } from '../lib/call-limits.ts'
import { tooManyRequests } from './errors.ts'
import { countProjectCall, isLimited } from './project-limiter.ts'
import { newUsageWatch } from './usage-watch.ts'

/** Counts calls against the limits of docs/reference/limits.md#rate-limits. Without a configured limit it makes no query. */
export interface CallLimiter {
  /**
   * Counts one call of the project, and sets the rate limit headers; or throws 429, counts nothing, and gives the call of the client
   * (null: of none) back. Returns null when no query is needed.
   */
  countProject(
    project: Project,
    call: { bulk: boolean; client: string | null },
    reply: FastifyReply,
  ): Promise<void> | null
  /** Counts one call of a client, its network or the customer that it proved to act for, and returns true; or throws 429. */
  countClient(client: string): Awaitable<true>
  /**
   * Counts one call of a network, and returns true. When it has none left, lets the call in uncounted, since it may prove another
   * client, or throws 429 if too many of the network proved none.
   */
  countNetwork(network: string): Awaitable<boolean>
  /** To be called when a call that was let in uncounted has proved another client. */
  endDeferral(network: string): Awaitable<void>
  /** Counts a call, which was counted for one client, for another one instead; or throws 429 and leaves it as it is. */
  recount(from: string, to: string): Awaitable<true>
  /** Resolves when the usage thresholds that calls have reached are announced. */
  drain(): Promise<void>
}

export function newCallLimiter(runtime: Runtime): CallLimiter {
  const {
    settings,
    now,
    callers: { calls },
  } = runtime
  const usage = newUsageWatch(runtime)

  function countedOr429(waitMs: number): true {
    if (waitMs === 0) return true
    const { calls: callsMax, seconds } = settings.client_rate_limit as CallWindow
    throw tooManyRequests('client_calls', waitMs, {
      facts: { details: `CLIENT_RATE_LIMIT: more than ${callsMax} calls in ${seconds} s` },
    })
  }

  return {
    countProject(project, { bulk, client }, reply) {
      if (!isLimited(settings, project)) return null
      return countProjectCall(runtime, usage, { project, bulk, at: now() }, reply).catch(async (error: unknown) => {
        if (client !== null) await calls.giveBack(client)
        throw error
      })
    },
    countClient: (client) => once(calls.take(client, now()), countedOr429),
    countNetwork: (network) =>
      once(calls.takeOrDefer(network, now()), (taken) => taken !== 'deferred' && countedOr429(taken)),
    endDeferral: (network) => calls.endDeferral(network),
    recount: (from, to) => once(calls.recount(from, to, now()), countedOr429),
    drain: () => usage.drain(),
  }
}

/** Goes on at once where there is nothing to wait for: a process that serves alone counts without a promise. */
function once<T, Result>(value: Awaitable<T>, work: (value: T) => Result): Awaitable<Result> {
  return value instanceof Promise ? value.then(work) : work(value)
}
