import type { Ask } from './ask.ts'
import { differenceOf } from './compare.ts'
import type { Exchange } from './log-line.ts'
import { outcomeOf } from './outcome.ts'
import { isObject, type Question, questionOf } from './question.ts'
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
  const [there, here] = [outcomeOf(exchange.status, exchange.answer), outcomeOf(status, answer)]
  const example = { number, path: exchange.path, redeemables: namesOf(question), there, here }
  tally.add(differenceOf(there, here), example)
}

const namesOf = ({ body }: Question): string[] => {
  const { redeemables } = body as { redeemables: unknown[] }
  return redeemables.map((entry) => (isObject(entry) ? String(entry.id) : '?'))
}
