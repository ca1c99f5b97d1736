import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallWindow } from '../lib/call-limits.ts'
import { ApiError, tooManyRequests } from './errors.ts'

/** Slows down an address that sends wrong credentials (docs/reference/authentication.md#wrong-credentials). */
export interface WrongCredentials {
  /**
   * Checks credentials. Once an address has sent as many wrong ones as the limit allows, its refusals are delayed, longer each
   * time; while several of its checks are under way, further ones are refused with 429.
   */
  guard<T>(presented: Presented, check: () => Promise<T>): Promise<T>
}

interface Presented {
  address: string
  /** What was presented, as one text. */
  credentials: string
  /** Unix milliseconds. */
  now: number
}

/** Remembered addresses at most. */
const addressesMax = 50_000
const checksMax = 10
/** Remembered credentials at most. */
const provenMax = 10_000
const [firstDelayMs, longestDelayMs] = [100, 2_000]

interface Suspect {
  failures: number
  /** The first failure, in Unix milliseconds. */
  since: number
  /** Checks under way, delays included. */
  checks: number
}

/** In the memory of this node; null: no limit. */
export function newWrongCredentials(limit: CallWindow | null): WrongCredentials {
  if (limit === null) return { guard: (_presented, check) => check() }
  const { calls: failuresMax, seconds } = limit
  const suspects = new Map<string, Suspect>()
  /** Hashes of credentials that were right the last time: who sends them does not guess. */
  const proven = new Set<string>()

  return {
    async guard({ address, credentials, now }, check) {
      const fingerprint = hash('sha256', credentials, 'base64')
      if (proven.has(fingerprint)) return recheck(fingerprint, check)
      const suspect = suspects.get(address)
      const isSlowed = suspect !== undefined && suspect.failures >= failuresMax && suspect.since > now - seconds * 1_000
      if (isSlowed && suspect.checks >= checksMax) throw tooManyRequests('wrong_credentials', longestDelayMs)
      if (isSlowed) suspect.checks += 1
      try {
        const identity = await check()
        proven.add(fingerprint)
        if (proven.size > provenMax) proven.delete(proven.values().next().value as string)
        return identity
      } catch (error) {
        if (isUnauthorized(error)) {
          const { failures } = recordFailure(address, now)
          // A delay that outlives the service must not keep it from stopping.
          if (isSlowed) await sleep(delayOf(failures - failuresMax), undefined, { ref: false })
        }
        throw error
      } finally {
        if (isSlowed) suspect.checks -= 1
      }
    },
  }

  async function recheck<T>(fingerprint: string, check: () => Promise<T>): Promise<T> {
    try {
      return await check()
    } catch (error) {
      if (isUnauthorized(error)) proven.delete(fingerprint)
      throw error
    }
  }

  function recordFailure(address: string, now: number): Suspect {
    const known = suspects.get(address)
    const isRecent = known !== undefined && known.since > now - seconds * 1_000
    const suspect = isRecent ? known : { failures: 0, since: now, checks: 0 }
    suspect.failures += 1
    // Re-inserting keeps the map in order of last use: eviction drops the address that was idle longest.
    suspects.delete(address)
    suspects.set(address, suspect)
    if (suspects.size > addressesMax) suspects.delete(suspects.keys().next().value as string)
    return suspect
  }
}

const isUnauthorized = (error: unknown): boolean =>
  error instanceof ApiError && (error.key === 'unauthorized' || error.key === 'not_signed_in')

/** Doubles with every failure beyond the limit. */
const delayOf = (excess: number): number => Math.min(firstDelayMs * 2 ** Math.min(excess - 1, 10), longestDelayMs)
