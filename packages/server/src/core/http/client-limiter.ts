import type { CallWindow } from '../lib/call-limits.ts'
import { tooManyRequests } from './errors.ts'

/** Limits the calls of a client: an address, or a customer that it proved to act for. */
export interface ClientLimiter {
  /** Counts the call, or throws 429 and counts nothing. */
  take(client: string, at: number): void
  isFull(client: string, at: number): boolean
  /** Removes the latest call of the client. */
  giveBack(client: string): void
}

/** Remembered clients at most. */
const clientsMax = 50_000

/**
 * A sliding window per client, in the memory of this node: it protects against a single misbehaving browser, so an exact
 * count across nodes is not needed.
 */
export function newClientLimiter(limit: CallWindow | null): ClientLimiter {
  if (limit === null) return { take: () => {}, isFull: () => false, giveBack: () => {} }
  const { calls: callsMax, seconds } = limit
  /** By client, its calls within the window, the oldest first. */
  const callsOf = new Map<string, number[]>()

  function recentCalls(client: string, at: number): number[] {
    const calls = callsOf.get(client) ?? []
    const firstRecent = calls.findIndex((call) => call > at - seconds * 1_000)
    calls.splice(0, firstRecent === -1 ? calls.length : firstRecent)
    return calls
  }

  return {
    take(client, at) {
      const calls = recentCalls(client, at)
      if (calls.length >= callsMax) throw tooManyRequests('client_calls', (calls[0] as number) - (at - seconds * 1_000))
      calls.push(at)
      // Re-inserting keeps the map in order of last use: eviction drops the client that was idle longest.
      callsOf.delete(client)
      callsOf.set(client, calls)
      if (callsOf.size > clientsMax) callsOf.delete(callsOf.keys().next().value as string)
    },
    isFull: (client, at) => recentCalls(client, at).length >= callsMax,
    giveBack: (client) => void callsOf.get(client)?.pop(),
  }
}
