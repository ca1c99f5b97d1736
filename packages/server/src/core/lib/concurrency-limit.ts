import { limits } from './limits.ts'

/**
 * Limits the number of batches in flight. A batch that takes longer than `slot_timeout_ms`, because its connection is stuck or
 * another transaction holds a lock, gives up its slot: otherwise it would block all batches after it.
 */
export class ConcurrencyLimit {
  readonly #maximum: number
  readonly #onSlotFree: () => void
  #inFlight = 0

  /** `onSlotFree` is called whenever a slot may have become free: when a batch ends, and when it times out. */
  constructor(maximum: number, onSlotFree: () => void) {
    this.#maximum = maximum
    this.#onSlotFree = onSlotFree
  }

  hasFreeSlot(): boolean {
    return this.#inFlight < this.#maximum
  }

  /** `onRelease` is called once, when the batch gives up its slot: at its end, or at its timeout. */
  async run<Result>(batch: () => Promise<Result>, onRelease: () => void = () => {}): Promise<Result> {
    let hasSlot = true
    const release = () => {
      if (hasSlot) {
        this.#inFlight -= 1
        onRelease()
      }
      hasSlot = false
      this.#onSlotFree()
    }
    this.#inFlight += 1
    const timeout = setTimeout(release, limits.slot_timeout_ms).unref()
    try {
      return await batch()
    } finally {
      clearTimeout(timeout)
      release()
    }
  }
}
