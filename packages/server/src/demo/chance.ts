/** A source of chance that gives the same values for the same seed, so that every demo shop is the same one. */
export interface Chance {
  /** At least 0 and less than 1. */
  next(): number
  /** A whole number of a range; both ends belong to it. */
  between(from: number, to: number): number
  /** Whether something of this probability happens. */
  isTrue(probability: number): boolean
  pick<T>(from: readonly T[]): T
  /** Picks by weight; weights need not add up to anything. */
  pickWeighted<T>(from: ReadonlyArray<readonly [item: T, weight: number]>): T
}

/** Mulberry32: 32 bits of state are enough for some hundred thousand decisions, and the sequence is the same on every platform. */
export function newChance(seed: number): Chance {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    isTrue: (probability) => next() < probability,
    pick: (from) => from[Math.floor(next() * from.length)] as (typeof from)[number],
    pickWeighted(from) {
      let rest = next() * from.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [item, weight] of from) {
        rest -= weight
        if (rest < 0) return item
      }
      return (from.at(-1) as (typeof from)[number])[0]
    },
  }
}
