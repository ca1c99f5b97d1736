/** Plans made for a small table must be discarded soon after it grows: autovacuum updates statistics only once a minute. */
const lifetimeMs = 10_000

/** Makes a connection plan its prepared statements again, for the present size of the tables. */
export const discardPlans = 'discard plans'

/** When a connection has made the plans of its prepared statements. */
export class PlanLifetime {
  #plannedAt = performance.now()

  /** Whether the caller has to discard the plans now. */
  areOld(): boolean {
    const now = performance.now()
    if (now - this.#plannedAt <= lifetimeMs) return false
    this.#plannedAt = now
    return true
  }
}
