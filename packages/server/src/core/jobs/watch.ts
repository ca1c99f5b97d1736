import { setImmediate } from 'node:timers/promises'

/**
 * Processes pending work of a table for which a job per row would cost more than the row: a bounded batch in its own
 * transaction. Returns whether there may be more.
 */
export type Look = (signal: AbortSignal) => Promise<boolean>

export interface JobWatch {
  /** Polls now instead of at the next tick. */
  wake(): void
  /** Stops polling and waits for the batch in progress. */
  close(): Promise<void>
}

export interface WatchOptions {
  tick_ms?: number
  /** Ends what a look has started and left running; called after the last look. */
  stop?(): Promise<void>
}

/**
 * Calls `look` at every tick, because other nodes write rows too, and when woken; repeatedly while it finds work. An error is
 * reported once per series of failures and retried at the next tick.
 */
export function startWatch(
  look: Look,
  report: (problem: unknown) => void,
  { tick_ms = 1_000, stop }: WatchOptions = {},
): JobWatch {
  const closing = new AbortController()
  let polling: Promise<void> | null = null
  let isWoken = false
  let isFailing = false

  async function poll(): Promise<void> {
    try {
      do {
        isWoken = false
        while (!closing.signal.aborted && (await look(closing.signal))) await setImmediate() // yield to requests
      } while (isWoken && !closing.signal.aborted)
      isFailing = false
    } catch (error) {
      if (!isFailing) report(error)
      isFailing = true
    } finally {
      polling = null
    }
  }

  function wake(): void {
    isWoken = true
    if (!closing.signal.aborted) polling ??= poll()
  }

  const ticker = setInterval(wake, tick_ms).unref()
  return {
    wake,
    async close() {
      clearInterval(ticker)
      closing.abort()
      await polling
      await stop?.()
    },
  }
}
