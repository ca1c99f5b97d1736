import type { Awaitable } from '../lib/awaitable.ts'
import type { CallWindow } from '../lib/call-limits.ts'

/**
 * Counts the calls of clients: a network, or a customer that it proved to act for. A call that is not counted is told for how many
 * milliseconds none is left.
 */
export interface ClientCalls {
  /** Counts the call, and returns 0; or counts nothing, and returns the time to wait. */
  take(client: string, at: number): Awaitable<number>
  /**
   * The same for a network whose call may still prove another client: when it has none left, the call may be let in uncounted, unless
   * too many of the network proved none.
   */
  takeOrDefer(network: string, at: number): Awaitable<'deferred' | number>
  /** To be called when a deferred call has proved another client. */
  endDeferral(network: string): Awaitable<void>
  /** Removes the latest call of the client. */
  giveBack(client: string): Awaitable<void>
  /** Counts a call, which was counted for one client, for another one instead; or leaves it as it is, and returns the time to wait. */
  recount(from: string, to: string, at: number): Awaitable<number>
}

/** More than a client has: the customers behind a proxy must not lose their turn to one that proves nothing. */
const deferralsPerCall = 10

export function newClientCalls(limit: CallWindow | null): ClientCalls {
  if (limit === null)
    return { take: () => 0, takeOrDefer: () => 0, endDeferral: () => {}, giveBack: () => {}, recount: () => 0 }
  const clients = newSlidingWindow(limit)
  const deferrals = newSlidingWindow({ ...limit, calls: limit.calls * deferralsPerCall })
  return {
    take: clients.take,
    takeOrDefer(network, at) {
      if (clients.take(network, at) === 0) return 0
      const waitMs = deferrals.take(network, at)
      return waitMs === 0 ? 'deferred' : waitMs
    },
    endDeferral: deferrals.giveBack,
    giveBack: clients.giveBack,
    recount(from, to, at) {
      const waitMs = clients.take(to, at)
      if (waitMs === 0) clients.giveBack(from)
      return waitMs
    },
  }
}

/** Remembered clients at most. */
const clientsMax = 50_000

/** A sliding window per client: it protects against a single misbehaving browser, so an exact count across nodes is not needed. */
function newSlidingWindow({ calls: callsMax, seconds }: CallWindow) {
  /** By client, its calls within the window, the oldest first. */
  const callsOf = new Map<string, number[]>()

  function recentCalls(client: string, at: number): number[] {
    const calls = callsOf.get(client) ?? []
    const firstRecent = calls.findIndex((call) => call > at - seconds * 1_000)
    calls.splice(0, firstRecent === -1 ? calls.length : firstRecent)
    return calls
  }

  return {
    take(client: string, at: number): number {
      const calls = recentCalls(client, at)
      // A millisecond at least: 0 means that the call is counted.
      if (calls.length >= callsMax) return Math.max(1, (calls[0] as number) - (at - seconds * 1_000))
      calls.push(at)
      // Re-inserting keeps the map in order of last use: eviction drops the client that was idle longest.
      callsOf.delete(client)
      callsOf.set(client, calls)
      if (callsOf.size > clientsMax) callsOf.delete(callsOf.keys().next().value as string)
      return 0
    },
    giveBack: (client: string): void => void callsOf.get(client)?.pop(),
  }
}
