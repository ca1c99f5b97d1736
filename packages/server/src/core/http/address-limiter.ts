import type { CallWindow } from '../lib/call-limits.ts'
import { tooManyRequests } from './errors.ts'

/** Limits the calls of a client address. */
export interface AddressLimiter {
  /** Counts the call, or throws 429 and counts nothing. */
  take(address: string, at: number): void
  /** Removes a call counted at that moment, because a limit of the project refused it. */
  giveBack(address: string, at: number): void
}

/** Remembered addresses at most. */
const addressesMax = 50_000

/**
 * A sliding window per address, in the memory of this node: it protects against a single misbehaving browser, so an exact
 * count across nodes is not needed.
 */
export function newAddressLimiter(limit: CallWindow | null): AddressLimiter {
  const callsOf = new Map<string, number[]>()
  return {
    take(address, at) {
      if (limit === null) return
      const since = at - limit.seconds * 1_000
      const recent = (callsOf.get(address) ?? []).filter((call) => call > since)
      const oldest = recent[0]
      if (recent.length >= limit.calls && oldest !== undefined) throw tooManyRequests(oldest - since)
      // Re-inserting keeps the map in order of last use: eviction drops the address that was idle longest.
      callsOf.delete(address)
      callsOf.set(address, [...recent, at])
      if (callsOf.size > addressesMax) callsOf.delete(callsOf.keys().next().value as string)
    },
    giveBack(address, at) {
      const calls = callsOf.get(address)
      const index = calls?.lastIndexOf(at) ?? -1
      if (index >= 0) calls?.splice(index, 1)
    },
  }
}
