/** Lets a few pieces of work run at once; the others wait for their turn, in the order in which they came. */
export interface Turns {
  /** Runs `work` when it is its turn. Throws without running it if too many wait. */
  take<T>(work: () => Promise<T>): Promise<T>
}

export interface TurnLimits {
  at_once_max: number
  waiting_max: number
  /** The error of work that may not even wait. */
  refusal(): Error
}

export function newTurns({ at_once_max, waiting_max, refusal }: TurnLimits): Turns {
  let running = 0
  const waiting: Array<() => void> = []
  return {
    async take(work) {
      if (running < at_once_max) running += 1
      else if (waiting.length >= waiting_max) throw refusal()
      else await new Promise<void>((resolve) => waiting.push(resolve)) // until one that ends hands over its place
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next === undefined) running -= 1
        else next()
      }
    },
  }
}
