import { limits } from '../../core/lib/limits.ts'

/** A webhook as far as its share of the node's attempts depends on it. */
export interface SlotUser {
  /** When each of its running attempts began, by `performance.now()`; the oldest first. */
  readonly running: ReadonlySet<{ started: number }>
  /** Whether its last attempt succeeded within a second. */
  answers_fast: boolean
}

/** Longer than this, and an attempt is slow. */
export const slowMs = 1_000

/** At this number of slow attempts, each slow webhook gets only a few more, so that one more slow webhook still finds room. */
const crowdedMin = limits.slow_attempts_max / 2
const crowdedAttemptsMax = 2

/**
 * Decides how many attempts run at once. Webhooks that answer fast may use all slots of the node. The others (slow, failing, not yet
 * tried) share half of them: a target that hangs holds its slots for the whole timeout, and must not keep a fast one waiting.
 */
export function mayStart(user: SlotUser, users: Iterable<SlotUser>, now: number): boolean {
  let total = 0
  let slow = 0
  for (const each of users) {
    total += each.running.size
    if (isSlow(each, now)) slow += each.running.size
  }
  if (total >= limits.node_attempts_max || user.running.size >= limits.webhook_attempts_max) return false
  if (!isSlow(user, now)) return true
  if (slow >= limits.slow_attempts_max) return false
  return slow < crowdedMin || user.running.size < crowdedAttemptsMax
}

export function isSlow({ answers_fast, running }: SlotUser, now: number): boolean {
  if (!answers_fast) return true
  for (const { started } of running) return now - started > slowMs
  return false
}
