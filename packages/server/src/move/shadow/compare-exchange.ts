import type { Ask } from './ask.ts'
import { differenceOf } from './compare.ts'
import type { Exchange } from './log-line.ts'
import { outcomeOf } from './outcome.ts'
import { questionOf } from './question.ts'
import type { Tally } from './report.ts'

export interface CompareOptions {
  /** Really redeem what was redeemed: for a project to throw away. */
  redeem: boolean
  /** Ask for the moment of each exchange, not for now. */
  as_of: boolean
}

/** Asks us the same as the present service was asked, and counts whether the answers differ. */
export async function compareExchange(
  exchange: Exchange,
  number: number,
  { ask, tally, ...options }: CompareOptions & { ask: Ask; tally: Tally },
): Promise<void> {
  const question = questionOf(exchange, options)
  if (question === null) {
    tally.skipped += 1
    return
  }
  const { status, answer } = await ask(question)
  const { redeemables } = question
  const [there, here] = [
    outcomeOf(exchange.status, exchange.answer, redeemables),
    outcomeOf(status, answer, redeemables),
  ]
  const example = { number, path: exchange.path, redeemables: redeemables.map(({ id }) => id), there, here }
  tally.add(differenceOf(there, here), example)
}
