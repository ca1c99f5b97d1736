import { setImmediate } from 'node:timers/promises'

/**
 * Processes pending work of a table for which a job per row would cost more than the row: a bounded batch in its own
 * transaction. Returns whether there may be more.
 */
export type Look = (signal: AbortSignal) => Promise<boolean>

export interface JobWatch {
  /** Polls now instead of at the next tick. */
  wake(): void
  /** Says that this process has committed rows for the watch: with `idle_ms`, the next tick polls. */
  note(): void
  /** Stops polling and waits for the batch in progress. */
  close(): Promise<void>
}

export interface WatchOptions {
  tick_ms?: number
  /**
   * Skips ticks for so long as this process has written nothing for the watch. Whoever writes rows polls for them itself, and this is how long
   * rows wait whose node has died, and what becomes due by time.
   */
  idle_ms?: number | undefined
  /** Ends what a look has started and left running; called after the last look. */
  stop?(): Promise<void>
}

/**
 * Calls `look` at every tick (but see `idle_ms`), because other nodes write rows too, and when woken; repeatedly while it finds work. An error is
 * reported once per series of failures and retried at the next tick.
 */
export function startWatch(
  look: Look,
  report: (problem: unknown) => void,
  { tick_ms = 1_000, idle_ms = 0, stop }: WatchOptions = {},
): JobWatch {
  const closing = new AbortController()
  let polling: Promise<void> | null = null
  let isWoken = false
  let isFailing = false
  let isNoted = true
  let polledAt = -Infinity

  async function poll(): Promise<void> {
    try {
      do {
        isWoken = false
        isNoted = false
        polledAt = performance.now()
        while (!closing.signal.aborted && (await look(closing.signal))) await setImmediate() // yield to requests
      } while (isWoken && !closing.signal.aborted)
      isFailing = false
    } catch (error) {
      if (!isFailing) report(error)
      isFailing = true
      isNoted = true // what it was to look for is still there
    } finally {
      polling = null
    }
  }

  function wake(): void {
    isWoken = true
    if (!closing.signal.aborted) polling ??= poll()
  }

  function tick(): void {
    if (isNoted || performance.now() - polledAt >= idle_ms) wake()
  }

  const ticker = setInterval(tick, tick_ms).unref()
  return {
    wake,
    note() {
      isNoted = true
    },
    async close() {
      clearInterval(ticker)
      closing.abort()
      await polling
      await stop?.()
    },
  }
}
