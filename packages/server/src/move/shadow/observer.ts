import { appendFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { limits } from '../../core/lib/limits.ts'
import type { Ask } from './ask.ts'
import { compareExchange } from './compare-exchange.ts'
import { type Exchange, exchangeLine } from './log-line.ts'
import type { Tally } from './report.ts'

/** Takes exchanges that the proxy has passed through, and compares them in the background. */
export interface Observer {
  readonly tally: Tally
  /** Returns at once. Logs the exchange, and drops it if too many wait: the shop must not wait for us, nor the memory grow. */
  observe(exchange: Exchange): void
  /** Waits for those that were taken, as long as one answer may take; drops the others. */
  drain(): Promise<void>
}

interface ObserverOptions {
  ask: Ask
  tally: Tally
  /** The file to append exchanges to. */
  log: string | null
  redeem: boolean
  onError(error: Error): void
}

/** One at a time: of the machine and of our service nothing is taken that the shop needs. */
export function newObserver({ ask, tally, log, redeem, onError }: ObserverOptions): Observer {
  const waiting: Exchange[] = []
  let [unwritten, writing] = [0, Promise.resolve()]
  let number = 0

  /** Also of what is not compared: the log can be replayed later, when our service has time. */
  const write = (file: string, exchange: Exchange): void => {
    if (unwritten >= limits.shadow_waiting_max) {
      onError(new Error('the log is written too slowly, a line is left out'))
      return
    }
    unwritten += 1
    writing = writing
      // Only the owner may read it: it has customer data.
      .then(() => appendFile(file, exchangeLine(exchange), { mode: 0o600 }))
      .catch(onError)
      .finally(() => {
        unwritten -= 1
      })
  }

  let working: Promise<void> | null = null

  const work = async () => {
    for (let exchange = waiting.shift(); exchange !== undefined; exchange = waiting.shift()) {
      number += 1
      try {
        await compareExchange(exchange, number, { ask, tally, redeem, as_of: false })
      } catch (error) {
        onError(error as Error)
      }
    }
    working = null
  }
  return {
    tally,
    observe(exchange) {
      if (log !== null) write(log, exchange)
      if (waiting.length >= limits.shadow_waiting_max) {
        tally.dropped += 1
        return
      }
      waiting.push(exchange)
      working ??= work()
    },
    async drain() {
      await Promise.race([working, setTimeout(limits.shadow_answer_ms, undefined, { ref: false })])
      tally.dropped += waiting.splice(0).length
      await writing
    },
  }
}
