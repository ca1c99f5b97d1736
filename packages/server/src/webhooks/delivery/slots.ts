import { limits } from '../../core/lib/limits.ts'

/** A webhook as far as its share of the node's attempts depends on it. */
export interface SlotUser {
  /** When each of its running attempts began, by `performance.now()`; the oldest first. */
  readonly running: ReadonlySet<{ started: number }>
  /** Whether it answers well within a second. */
  answers_fast: boolean
  /** Whether no attempt has ended yet, as far as this node knows. */
  is_untried: boolean
}

/** The slots of the node that are free at one moment. */
export interface FreeSlots {
  /** Takes a slot for one more attempt to a webhook. False if it must wait. */
  take(user: SlotUser): boolean
  /** Slots that are free for webhooks that answer fast, for others, and of these for those that have been tried. */
  left(): { fast: number; slow: number; tried: number }
}

/** At this number of slow attempts, each slow webhook gets only a few more, so that one more slow webhook still finds room. */
const crowdedMin = limits.slow_attempts_max / 2
const crowdedAttemptsMax = 2
/** Slow attempts to webhooks that have been tried; the rest is for the first attempt to others, which may well answer fast. */
const triedMax = limits.slow_attempts_max - limits.untried_attempts_reserved

/**
 * Decides how many attempts run at once. Webhooks that answer fast may use all slots of the node. The others (slow, failing, not yet
 * tried) share half of them: a target that hangs holds its slots for the whole timeout, and must not keep a fast one waiting. Some of
 * these are kept for webhooks that have not been tried: however many targets hang, a new one soon shows that it is fast.
 *
 * It counts the attempts of `users`, those that have any, once, and then what is taken.
 */
export function freeSlots(users: Iterable<SlotUser>, now: number): FreeSlots {
  let total = 0
  let slow = 0
  /** Attempts of those that took one: those taken may have begun meanwhile. */
  const attemptsOf = new Map<SlotUser, number>()
  for (const each of users) {
    total += each.running.size
    if (isSlow(each, now)) slow += each.running.size
  }

  function mayTake(user: SlotUser, running: number): boolean {
    if (total >= limits.node_attempts_max || running >= limits.webhook_attempts_max) return false
    if (!isSlow(user, now)) return true
    if (slow >= limits.slow_attempts_max) return false
    if (slow >= triedMax) return user.is_untried && running === 0
    return slow < crowdedMin || running < crowdedAttemptsMax
  }

  return {
    take(user) {
      const attempts = attemptsOf.get(user) ?? user.running.size
      if (!mayTake(user, attempts)) return false
      attemptsOf.set(user, attempts + 1)
      total += 1
      if (isSlow(user, now)) slow += 1
      return true
    },
    left() {
      const fast = Math.max(0, limits.node_attempts_max - total)
      const upTo = (max: number) => Math.max(0, Math.min(fast, max - slow))
      return { fast, slow: upTo(limits.slow_attempts_max), tried: upTo(triedMax) }
    },
  }
}

export function isSlow({ answers_fast, running }: SlotUser, now: number): boolean {
  if (!answers_fast) return true
  for (const { started } of running) return now - started > limits.slow_attempt_ms
  return false
}
