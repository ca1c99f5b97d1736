import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { limits } from '../../core/lib/limits.ts'

/** Limits the attempts of a busy node, so that checkouts get the time of its event loop. */
export interface Pace {
  /** Whether one more attempt may start at this moment (`performance.now()`). */
  take(now: number): boolean
}

/** The event loop is busy if it worked for more than this share of the last window. */
const busyShare = 0.8
const windowMs = 250
/** Attempts that may start together on a busy node. */
const burst = 20

/**
 * A node whose event loop has time starts as many attempts as its slots allow. A busy one starts `limits.busy_attempts_per_second`: an
 * attempt takes time that checkouts need, and what waits is sent when the load has passed.
 */
export function newPace(
  measure: (since?: EventLoopUtilization) => EventLoopUtilization = (since) =>
    since === undefined ? performance.eventLoopUtilization() : performance.eventLoopUtilization(since),
): Pace {
  let since = measure()
  let measuredAt = Number.NEGATIVE_INFINITY
  let isBusy = false
  let tokens = burst
  let filledAt = Number.NEGATIVE_INFINITY
  return {
    take(now) {
      if (now - measuredAt >= windowMs) {
        isBusy = measure(since).utilization > busyShare
        since = measure()
        measuredAt = now
      }
      const seconds = Math.min(now - filledAt, windowMs) / 1_000
      tokens = Math.min(burst, tokens + seconds * limits.busy_attempts_per_second)
      filledAt = now
      if (!isBusy) return true
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
  }
}
