import { appendFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { limits } from '../../core/lib/limits.ts'
import type { Ask } from './ask.ts'
import { compareExchange } from './compare-exchange.ts'
import { type Exchange, exchangeLine, readExchange } from './log-line.ts'
import type { Tally } from './report.ts'

/** A request and its answer as they passed through. */
export interface CopiedExchange extends Pick<Exchange, 'at' | 'method' | 'path' | 'status'> {
  request: Copied
  answer: Copied
}

/** A body that was copied and not yet read. */
export interface Copied {
  /** The body as JSON; undefined if it is none. */
  json(): Promise<unknown>
  /** Nobody needs the copy any longer. */
  release(): void
}

/** Takes exchanges that the proxy has passed through, and compares them in the background. */
export interface Observer {
  readonly tally: Tally
  /** Returns at once, and drops the exchange if too many wait: the shop must not wait for us, nor the memory grow. */
  observe(exchange: CopiedExchange): void
  /** Waits for those that were taken, as long as one answer may take; drops the others. */
  drain(): Promise<void>
}

interface ObserverOptions {
  ask: Ask
  tally: Tally
  /** The file to append exchanges to. */
  log: string | null
  redeem: boolean
  /** Told what went wrong. */
  onError(text: string): void
}

/**
 * Two steps, each with one exchange at a time: of the machine and of our service nothing is taken that the shop needs. The first one reads
 * the bodies, which as objects take many times their size, and logs the exchange; the second one compares it, if there is room left.
 */
export function newObserver({ ask, tally, log, redeem, onError }: ObserverOptions): Observer {
  const copies: CopiedExchange[] = []
  const lines = newQueue()
  let [reading, comparing]: Array<Promise<void> | null> = [null, null]
  let number = 0

  async function readCopies(): Promise<void> {
    for (let copy = copies.shift(); copy !== undefined; copy = copies.shift()) {
      const line = await lineOf(copy)
      if (line === null) tally.skipped += 1
      else {
        // Also of what is not compared: the log can be replayed later, when our service has time.
        if (log !== null) await writeLine(log, line)
        if (lines.push(line)) comparing ??= compareLines()
        else tally.dropped += 1
      }
    }
    reading = null
  }

  const writeLine = (file: string, line: Buffer): Promise<void> =>
    // Only the owner may read it: it has customer data.
    appendFile(file, line, { mode: 0o600 }).catch((error: Error) =>
      onError(`Could not write the log: ${error.message}`),
    )

  async function compareLines(): Promise<void> {
    for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
      number += 1
      try {
        const exchange = readExchange(line.toString()) as Exchange
        await compareExchange(exchange, number, { ask, tally, redeem, as_of: false })
      } catch (error) {
        onError(`Could not compare: ${(error as Error).message}`)
      }
    }
    comparing = null
  }

  return {
    tally,
    observe(exchange) {
      if (copies.length >= limits.shadow_waiting_max) {
        release(exchange)
        tally.dropped += 1
        if (log !== null) onError('The log is written too slowly, a line is left out')
        return
      }
      copies.push(exchange)
      reading ??= readCopies()
    },
    async drain() {
      const timeUp = setTimeout(limits.shadow_answer_ms, undefined, { ref: false })
      await Promise.race([reading, timeUp])
      await Promise.race([comparing, timeUp])
      tally.dropped += copies.splice(0).length
      while (lines.shift() !== undefined) tally.dropped += 1
    },
  }
}

/** The exchange as a line of the log, whose size is known; null if a body is no JSON, or nested too deep to be written. */
async function lineOf({ request, answer, ...exchange }: CopiedExchange): Promise<Buffer | null> {
  try {
    const [sent, answered] = [await request.json(), await answer.json()]
    if (sent === undefined || answered === undefined) return null
    return Buffer.from(exchangeLine({ ...exchange, request: sent, answer: answered }))
  } catch {
    return null
  } finally {
    release({ request, answer })
  }
}

function release({ request, answer }: Pick<CopiedExchange, 'request' | 'answer'>): void {
  request.release()
  answer.release()
}

/** Lines that wait, as many and as large as there is room for. */
function newQueue(): { push(line: Buffer): boolean; shift(): Buffer | undefined } {
  const lines: Buffer[] = []
  let bytes = 0
  return {
    push(line) {
      if (lines.length >= limits.shadow_waiting_max || bytes + line.length > limits.shadow_waiting_bytes_max)
        return false
      lines.push(line)
      bytes += line.length
      return true
    },
    shift() {
      const line = lines.shift()
      bytes -= line?.length ?? 0
      return line
    },
  }
}
