/** A seeded random number generator (mulberry32). */
export type Chance = () => number

export function newChance(seed: number): Chance {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const between = (chance: Chance, min: number, max: number): number =>
  min + Math.floor(chance() * (max - min + 1))

export const oneOf = <T>(chance: Chance, choices: readonly T[]): T =>
  choices[between(chance, 0, choices.length - 1)] as T
