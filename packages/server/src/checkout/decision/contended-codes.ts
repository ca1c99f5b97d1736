/** How long a code counts as contended after a conflict. */
const contendedMs = 5_000

/**
 * Codes that other nodes redeem at the same time, as a conflict showed. While batches lock the rows of such a code there are no
 * more conflicts, so the memory of it ends after a while: if the contention lasts, this costs one lost batch every few seconds.
 */
export class ContendedCodes {
  /** By code, in the order of their ends. */
  readonly #until = new Map<string, number>()

  add(code: string, now: number = performance.now()): void {
    for (const [other, until] of this.#until) {
      if (until > now) break
      this.#until.delete(other)
    }
    this.#until.delete(code)
    this.#until.set(code, now + contendedMs)
  }

  hasAny(codes: readonly string[], now: number = performance.now()): boolean {
    return this.#until.size > 0 && codes.some((code) => (this.#until.get(code) ?? 0) > now)
  }
}
