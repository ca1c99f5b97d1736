import { setImmediate } from 'node:timers/promises'

/**
 * Work that waits in a table of its own, where a job for every row would cost more than the row. `look` does a bounded
 * piece of it in a transaction of its own and answers whether there may be more.
 */
export type Look = (signal: AbortSignal) => Promise<boolean>

export interface Watch {
  /** Looks now instead of at the next tick. */
  wake(): void
  /** Looks no more, and waits for the look that is going on. */
  close(): Promise<void>
}

const tickMs = 1_000

/**
 * Calls `look` at every tick, since other nodes write rows too, and as soon as it is woken; again and again while it
 * finds something to do. A look that fails is reported, once per row of failures, and tried again at the next tick.
 */
export function startWatch(look: Look, report: (problem: unknown) => void): Watch {
  const closing = new AbortController()
  let going: Promise<void> | null = null
  let isWoken = false
  let isFailing = false

  async function lookOn(): Promise<void> {
    try {
      do {
        isWoken = false
        while (!closing.signal.aborted && (await look(closing.signal))) await setImmediate() // requests first
      } while (isWoken && !closing.signal.aborted)
      isFailing = false
    } catch (error) {
      if (!isFailing) report(error)
      isFailing = true
    } finally {
      going = null
    }
  }

  function wake(): void {
    isWoken = true
    if (!closing.signal.aborted) going ??= lookOn()
  }

  const ticker = setInterval(wake, tickMs).unref()
  return {
    wake,
    async close() {
      clearInterval(ticker)
      closing.abort()
      await going
    },
  }
}
