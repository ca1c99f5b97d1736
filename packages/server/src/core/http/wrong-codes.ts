import type { Awaitable } from '../lib/awaitable.ts'
import type { CallWindow } from '../lib/call-limits.ts'

/**
 * Counts the different codes that clients have tried in vain. A code is counted before it is looked up, and taken back if it was
 * right: a hundred guesses at once get no further than one after another.
 */
export interface WrongCodes {
  /** Counts these codes, and returns 0; or counts nothing, and returns the time to wait. A code that is counted already may be repeated. */
  begin(client: string, codes: readonly string[], at: number): Awaitable<number>
  /** Takes back those codes that were not wrong. */
  end(client: string, codes: readonly string[], wrong: readonly string[], at: number): Awaitable<void>
}

/** A code that was wrong, or is being looked up. */
interface TriedCode {
  /** When it is forgotten: also if its request never comes to an end. */
  until: number
  lookups: number
  is_wrong: boolean
}

/** Remembered clients at most. */
const clientsMax = 50_000

export function newWrongCodes(limit: CallWindow | null): WrongCodes {
  if (limit === null) return { begin: () => 0, end: () => {} }
  const { calls: codesMax, seconds } = limit
  const triedBy = new Map<string, Map<string, TriedCode>>()
  return {
    begin(client, codes, at) {
      const tried = triedBy.get(client) ?? new Map<string, TriedCode>()
      for (const [code, { until }] of tried) if (until <= at) tried.delete(code)
      if (tried.size >= codesMax && codes.some((code) => !tried.has(code)))
        return Math.max(1, Math.min(...[...tried.values()].map(({ until }) => until)) - at)
      for (const code of codes) {
        const known = tried.get(code) ?? { until: at + seconds * 1_000, lookups: 0, is_wrong: false }
        known.lookups += 1
        tried.set(code, known)
      }
      // Re-inserting keeps the map in order of last use: eviction drops the client that was idle longest.
      triedBy.delete(client)
      triedBy.set(client, tried)
      if (triedBy.size > clientsMax) triedBy.delete(triedBy.keys().next().value as string)
      return 0
    },
    end(client, codes, wrong, at) {
      const tried = triedBy.get(client)
      for (const code of codes) {
        const known = tried?.get(code)
        // What was forgotten meanwhile is not counted.
        if (tried === undefined || known === undefined) continue
        known.lookups -= 1
        if (wrong.includes(code)) {
          known.is_wrong = true
          known.until = at + seconds * 1_000
        } else if (known.lookups <= 0 && !known.is_wrong) tried.delete(code)
      }
      if (tried?.size === 0) triedBy.delete(client)
    },
  }
}
