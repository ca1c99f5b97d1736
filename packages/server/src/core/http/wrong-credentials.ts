import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, tooManyRequests } from './errors.ts'
import type { Suspects } from './suspects.ts'

/** Slows down a network that sends wrong credentials (docs/reference/authentication.md#wrong-credentials). */
export interface WrongCredentials {
  /**
   * Checks credentials. Once a network has sent as many wrong ones as the limit allows, its refusals are delayed, longer each
   * time; while several of its checks are under way, further ones are refused with 429.
   */
  guard<T>(presented: Presented, check: () => Promise<T>): Promise<T>
}

interface Presented {
  network: string
  /** What was presented, as one text. */
  credentials: string
  /** Unix milliseconds. */
  now: number
}

/** Remembered credentials at most. */
const provenMax = 10_000
const [firstDelayMs, longestDelayMs] = [100, 2_000]

export function newWrongCredentials(suspects: Suspects): WrongCredentials {
  /** Hashes of credentials that were right the last time: who sends them does not guess. */
  const proven = new Set<string>()

  return {
    async guard({ network, credentials, now }, check) {
      const fingerprint = hash('sha256', credentials, 'base64')
      if (proven.has(fingerprint)) return recheck(fingerprint, check)
      const found = await suspects.beginCheck(network, now)
      if (found === 'refused') throw tooManyRequests('wrong_credentials', longestDelayMs)
      try {
        const identity = await check()
        proven.add(fingerprint)
        if (proven.size > provenMax) proven.delete(proven.values().next().value as string)
        return identity
      } catch (error) {
        if (isUnauthorized(error)) {
          const excess = await suspects.fail(network, now)
          // A delay that outlives the service must not keep it from stopping.
          if (found === 'slowed') await sleep(delayOf(excess), undefined, { ref: false })
        }
        throw error
      } finally {
        if (found === 'slowed') await suspects.endCheck(network)
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
}

const isUnauthorized = (error: unknown): boolean =>
  error instanceof ApiError && (error.key === 'unauthorized' || error.key === 'not_signed_in')

/** Doubles with every failure beyond the limit. */
const delayOf = (excess: number): number =>
  Math.min(firstDelayMs * 2 ** Math.min(Math.max(excess, 1) - 1, 10), longestDelayMs)
