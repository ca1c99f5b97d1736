import { appendFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { limits } from '../../core/lib/limits.ts'
import type { Ask } from './ask.ts'
import { compareExchange } from './compare-exchange.ts'
import { type Exchange, exchangeLine, readExchange } from './log-line.ts'
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
  const [waiting, unwritten] = [newRoom(), newRoom()]
  const lines: Buffer[] = []
  let writing = Promise.resolve()
  let number = 0

  /** Also of what is not compared: the log can be replayed later, when our service has time. */
  const write = (file: string, line: Buffer): void => {
    if (!unwritten.enter(line)) {
      onError(new Error('the log is written too slowly, a line is left out'))
      return
    }
    writing = writing
      // Only the owner may read it: it has customer data.
      .then(() => appendFile(file, line, { mode: 0o600 }))
      .catch(onError)
      .finally(() => unwritten.leave(line))
  }

  const next = (): Buffer | undefined => {
    const line = lines.shift()
    if (line !== undefined) waiting.leave(line)
    return line
  }

  let working: Promise<void> | null = null

  const work = async () => {
    for (let line = next(); line !== undefined; line = next()) {
      number += 1
      try {
        const exchange = readExchange(line.toString()) as Exchange
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
      // As text, whose size is known: as objects they would take many times that.
      const line = Buffer.from(exchangeLine(exchange))
      if (log !== null) write(log, line)
      if (!waiting.enter(line)) {
        tally.dropped += 1
        return
      }
      lines.push(line)
      working ??= work()
    },
    async drain() {
      await Promise.race([working, setTimeout(limits.shadow_answer_ms, undefined, { ref: false })])
      while (next() !== undefined) tally.dropped += 1
      await writing
    },
  }
}

/** Room for lines that wait, by their number and their size. */
function newRoom(): { enter(line: Buffer): boolean; leave(line: Buffer): void } {
  let [count, bytes] = [0, 0]
  return {
    enter({ length }) {
      if (count >= limits.shadow_waiting_max || bytes + length > limits.shadow_waiting_bytes_max) return false
      count += 1
      bytes += length
      return true
    },
    leave({ length }) {
      count -= 1
      bytes -= length
    },
  }
}
