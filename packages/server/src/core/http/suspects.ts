import type { Awaitable } from '../lib/awaitable.ts'
import type { CallWindow } from '../lib/call-limits.ts'

/** Counts the wrong credentials of addresses, and the checks under way of those that have sent too many. */
export interface Suspects {
  /** `slowed`: the address has sent as many wrong ones as it may, and its check counts as under way until `endCheck`. */
  beginCheck(address: string, now: number): Awaitable<'free' | 'slowed' | 'refused'>
  endCheck(address: string): Awaitable<void>
  /** Counts wrong credentials, and returns by how many the address is above what it may send. */
  fail(address: string, now: number): Awaitable<number>
}

/** Remembered addresses at most. */
const addressesMax = 50_000
const checksMax = 10

interface Suspect {
  failures: number
  /** The first failure, in Unix milliseconds. */
  since: number
  /** Checks under way, delays included. */
  checks: number
}

export function newSuspects(limit: CallWindow | null): Suspects {
  if (limit === null) return { beginCheck: () => 'free', endCheck: () => {}, fail: () => 0 }
  const { calls: failuresMax, seconds } = limit
  const suspects = new Map<string, Suspect>()
  return {
    beginCheck(address, now) {
      const suspect = suspects.get(address)
      if (suspect === undefined || suspect.failures < failuresMax || suspect.since <= now - seconds * 1_000)
        return 'free'
      if (suspect.checks >= checksMax) return 'refused'
      suspect.checks += 1
      return 'slowed'
    },
    endCheck(address) {
      const suspect = suspects.get(address)
      // What was forgotten meanwhile counts no checks.
      if (suspect !== undefined && suspect.checks > 0) suspect.checks -= 1
    },
    fail(address, now) {
      const known = suspects.get(address)
      const isRecent = known !== undefined && known.since > now - seconds * 1_000
      const suspect = isRecent ? known : { failures: 0, since: now, checks: 0 }
      suspect.failures += 1
      // Re-inserting keeps the map in order of last use: eviction drops the address that was idle longest.
      suspects.delete(address)
      suspects.set(address, suspect)
      if (suspects.size > addressesMax) suspects.delete(suspects.keys().next().value as string)
      return suspect.failures - failuresMax
    },
  }
}
