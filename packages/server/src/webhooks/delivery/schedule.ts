import { type Instant, toInstant } from '../../core/lib/instant.ts'

/** Minutes from the start of the first attempt to each of the twelve retries (docs/reference/webhooks.md#retries). */
export const retryOffsets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_440] as const

/**
 * When the next attempt follows, after one that began at `at` has failed; null if that was the last. Retries that were missed, because
 * no node ran, are not made up for: the late attempt stands for all of them.
 *
 * `nextAttemptAt('…T00:00:00.000Z', '…T00:02:00.000Z')` → `…T00:04:00.000Z`
 */
export function nextAttemptAt(firstAttemptAt: Instant, at: Instant): Instant | null {
  const first = Date.parse(firstAttemptAt)
  const elapsed = Date.parse(at) - first
  const offset = retryOffsets.find((minutes) => minutes * 60_000 > elapsed)
  return offset === undefined ? null : toInstant(first + offset * 60_000)
}
