import { readLinesAndGaps } from '../read-lines.ts'
import type { Ask } from './ask.ts'
import { type CompareOptions, compareExchange } from './compare-exchange.ts'
import { type Exchange, readExchange } from './log-line.ts'
import { type ShadowReport, Tally } from './report.ts'

/** Validations change nothing, so that several may be asked at once. */
const validationsAtOnce = 8

/** Replays a log against us. Redemptions that are really made are made one after another, in the order of the log. */
export async function replayLog(
  stream: AsyncIterable<Uint8Array>,
  ask: Ask,
  options: CompareOptions,
): Promise<ShadowReport> {
  const tally = new Tally()
  const lines = readLinesAndGaps(stream)
  let number = 0
  // What somebody has sent, such as a body nested too deep, must not cost the report of all others.
  const compare = (exchange: Exchange, ownNumber: number) =>
    compareExchange(exchange, ownNumber, { ...options, ask, tally }).catch(() => {
      tally.skipped += 1
    })
  const work = async () => {
    for (;;) {
      const next = await lines.next()
      if (next.done === true) return
      number += 1
      const ownNumber = number
      // A line that is longer than any that we write; the others count nevertheless.
      if (next.value === null) {
        tally.skipped += 1
        continue
      }
      const text = next.value.toString()
      const exchange = readExchange(text)
      if (exchange !== null) await compare(exchange, ownNumber)
      else if (text.trim() !== '') tally.skipped += 1
    }
  }
  await Promise.all(Array.from({ length: options.redeem ? 1 : validationsAtOnce }, work))
  return tally.report()
}
