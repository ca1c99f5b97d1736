import type { Awaitable } from '../lib/awaitable.ts'
import type { CallWindow } from '../lib/call-limits.ts'

/** Counts the wrong credentials of networks, and the checks under way of those that have sent too many. */
export interface Suspects {
  /** `slowed`: the network has sent as many wrong ones as it may, and its check counts as under way until `endCheck`. */
  beginCheck(network: string, now: number): Awaitable<'free' | 'slowed' | 'refused'>
  endCheck(network: string): Awaitable<void>
  /** Counts wrong credentials, and returns by how many the network is above what it may send. */
  fail(network: string, now: number): Awaitable<number>
}

/** Remembered networks at most. */
const networksMax = 50_000
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
    beginCheck(network, now) {
      const suspect = suspects.get(network)
      if (suspect === undefined || suspect.failures < failuresMax || suspect.since <= now - seconds * 1_000)
        return 'free'
      if (suspect.checks >= checksMax) return 'refused'
      suspect.checks += 1
      return 'slowed'
    },
    endCheck(network) {
      const suspect = suspects.get(network)
      // What was forgotten meanwhile counts no checks.
      if (suspect !== undefined && suspect.checks > 0) suspect.checks -= 1
    },
    fail(network, now) {
      const known = suspects.get(network)
      const isRecent = known !== undefined && known.since > now - seconds * 1_000
      const suspect = isRecent ? known : { failures: 0, since: now, checks: 0 }
      suspect.failures += 1
      // Re-inserting keeps the map in order of last use: eviction drops the network that was idle longest.
      suspects.delete(network)
      suspects.set(network, suspect)
      if (suspects.size > networksMax) suspects.delete(suspects.keys().next().value as string)
      return suspect.failures - failuresMax
    },
  }
}
