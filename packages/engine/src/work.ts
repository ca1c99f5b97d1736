/**
 * Counts the work of an evaluation. Rules, discounts and orders are untrusted, and each alone is limited, but not their product:
 * 500 rules of 1,000 arguments on 500 lines. A step takes some 100 ns. Steps are counted, not milliseconds, so that the same facts
 * give the same verdict on every machine.
 */
export class WorkMeter {
  #left = stepsMax
  #leftAside = asideStepsMax

  /** Gives the next redeemable or rule a budget of its own: one that takes too many steps must not change the outcome of another. */
  restart(): void {
    this.#left = stepsMax
    this.#leftAside = asideStepsMax
  }

  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new WorkExceeded()
  }

  /**
   * Does work that only explains the verdict, on a budget of its own: the verdict must be the same with an explanation and
   * without. Null when it takes too many steps.
   */
  aside<T>(work: () => T): T | null {
    const left = this.#left
    this.#left = this.#leftAside
    try {
      return work()
    } catch (error) {
      if (error instanceof WorkExceeded) return null
      throw error
    } finally {
      this.#leftAside = Math.max(0, this.#left)
      this.#left = left
    }
  }
}

/** Thrown when an evaluation takes more than `stepsMax` steps; never leaves the engine. */
export class WorkExceeded extends Error {}

/** A cart of 500 lines with 30 redeemables takes a third of it (docs/reference/limits.md#evaluation). */
const stepsMax = 500_000
/** For the explanations of a cart of 500 lines with 30 redeemables of five rules. */
const asideStepsMax = 200_000

/** The arguments of a condition that are compared with a value one by one. */
export interface ScannedArguments {
  /** In steps. */
  readonly weight: number
  /** Characters of texts that are searched for. */
  readonly characters: number
}

/** The steps to compare a value: an array is read once; a long text is searched, at worst, for each character of each argument. */
export function comparisonSteps(value: unknown, { weight, characters }: ScannedArguments): number {
  if (typeof value === 'string')
    return 1 + weight + (value.length >> 7) + (value.length < shortText ? 0 : (value.length * characters) / 256)
  return Array.isArray(value) ? 1 + weight + value.length + textLength(value) / 128 : 1 + weight
}

const shortText = 32

const textLength = (values: readonly unknown[]): number =>
  values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0)
