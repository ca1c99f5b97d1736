import { type Cause, causes, type Difference } from './compare.ts'
import type { Outcome } from './outcome.ts'

/** A difference with what is needed to look into it; no customer, no order lines. */
export interface Example {
  /** The number of the line in the log, or of the request to the proxy. */
  number: number
  path: string
  redeemables: string[]
  there: Outcome
  here: Outcome
}

export interface ShadowReport {
  compared: number
  equal: number
  /** Between 0 and 1; 1 if nothing was compared. */
  share_equal: number
  /** Other operations, or lines that are none. */
  skipped: number
  /** The proxy had no time for them. */
  dropped: number
  /** Most frequent first. */
  differences: Array<{ cause: Cause; meaning: string; detail: string; count: number; examples: Example[] }>
}

const examplesMax = 5

/** More kinds than anybody reads; further ones are counted under their cause alone. */
const kindsMax = 200

const textMax = 200
const entriesMax = 50

/** A copy whose texts and lists are short, whatever the other service sent: reports are kept for days. */
const shortened = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'string' ? inner.slice(0, textMax) : Array.isArray(inner) ? inner.slice(0, entriesMax) : inner,
    ),
  )

/** Counts what was compared, in bounded memory. */
export class Tally {
  readonly #kinds = new Map<string, ShadowReport['differences'][number]>()
  #compared = 0
  #different = 0
  readonly #onDifference: (difference: Difference, example: Example) => void
  skipped = 0
  dropped = 0

  constructor(onDifference: (difference: Difference, example: Example) => void = () => {}) {
    this.#onDifference = onDifference
  }

  add(difference: Difference | null, example: Example): void {
    this.#compared += 1
    if (difference === null) return
    this.#different += 1
    this.#onDifference(shortened(difference), shortened(example))
    const { cause, detail: found } = shortened(difference)
    const isKnown = this.#kinds.has(`${cause} ${found}`)
    const detail = isKnown || this.#kinds.size < kindsMax ? found : ''
    const name = `${cause} ${detail}`
    const kind = this.#kinds.get(name) ?? { cause, meaning: causes[cause], detail, count: 0, examples: [] }
    kind.count += 1
    if (kind.examples.length < examplesMax) kind.examples.push(shortened(example))
    this.#kinds.set(name, kind)
  }

  report(): ShadowReport {
    const [compared, equal] = [this.#compared, this.#compared - this.#different]
    return {
      compared,
      equal,
      share_equal: compared === 0 ? 1 : equal / compared,
      skipped: this.skipped,
      dropped: this.dropped,
      differences: [...this.#kinds.values()].sort((a, b) => b.count - a.count),
    }
  }
}

/** For people: each cause with its first example. */
export function reportText({ compared, equal, share_equal, skipped, dropped, differences }: ShadowReport): string {
  // Rounded down: 100 % means all.
  const percent = compared === 0 ? '' : ` (${(Math.floor(share_equal * 10_000) / 100).toFixed(2)} %)`
  const lines = [`${compared} compared, ${equal} equal${percent}, ${skipped} skipped, ${dropped} dropped.`]
  for (const { count, meaning, detail, examples } of differences) {
    lines.push('', `${String(count).padStart(7)}  ${meaning}${detail === '' ? '' : ` (${detail})`}`)
    const [first] = examples
    if (first === undefined) continue
    lines.push(`         for example ${first.number}: ${first.path} ${first.redeemables.join(', ')}`)
    lines.push(`         there ${inWords(first.there)}`, `         here  ${inWords(first.here)}`)
  }
  return `${lines.map(inOneLine).join('\n')}\n`
}

/** Callers of the shop choose codes and ids: none may look like a line of the report. */
const inOneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')

/** One line, for the output of the proxy. */
export const differenceText = ({ cause, detail }: Difference, { number, path, redeemables }: Example): string =>
  `${inOneLine(`${number}: ${causes[cause]}${detail === '' ? '' : ` (${detail})`}: ${path} ${redeemables.join(', ')}`)}\n`

function inWords(outcome: Outcome): string {
  if (outcome.kind === 'failed') return `no verdict: ${outcome.status} ${outcome.key}`
  if (outcome.kind === 'refused') return `refused: ${outcome.key}`
  const { amount, discount, total } = outcome.money
  return `valid: ${outcome.applied.join(', ')}; ${amount ?? '?'} - ${discount ?? '?'} = ${total ?? '?'}`
}
