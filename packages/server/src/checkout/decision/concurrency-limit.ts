import { limits } from '../../core/lib/limits.ts'

/**
 * So many trips to the database at a time, each of them for many. One that does not come back for a while, because its
 * connection is stuck or somebody holds what it wants, does not hold up the others: then one more may start.
 */
export class ConcurrencyLimit {
  readonly #maximum: number
  readonly #onSlotFree: () => void
  #inFlight = 0

  /** `onRoom` is called when a trip may have become possible: also after one that was not waited for. */
  constructor(most: number, onRoom: () => void) {
    this.#maximum = most
    this.#onSlotFree = onRoom
  }

  hasFreeSlot(): boolean {
    return this.#inFlight < this.#maximum
  }

  /** `onLeft` is called once, when it has ended or is no longer waited for. */
  async run<Result>(trip: () => Promise<Result>, onLeft: () => void = () => {}): Promise<Result> {
    let counts = true
    const leave = () => {
      if (counts) {
        this.#inFlight -= 1
        onLeft()
      }
      counts = false
      this.#onSlotFree()
    }
    this.#inFlight += 1
    const impatience = setTimeout(leave, limits.slot_timeout_ms).unref()
    try {
      return await trip()
    } finally {
      clearTimeout(impatience)
      leave()
    }
  }
}
