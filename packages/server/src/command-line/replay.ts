import { readFileSync } from 'node:fs'
import { evaluate, qualify, sentence } from '@guerdon/engine'
import { Facts, type Outcome, type Verdict } from '@guerdon/engine/schema'
import { compileValidator } from '../core/http/validation.ts'

export interface ReplayOptions {
  /** Evaluate each redeemable alone on the order, as qualifications and the validation of promotion tiers do. */
  each?: boolean | undefined
}

/** Evaluates the facts in a file again and prints the verdict. Needs neither database nor settings. */
export function replayCommand(files: readonly string[], options: ReplayOptions, say: (text: string) => void): void {
  const [file] = files
  if (file === undefined || files.length > 1) throw new Error('Usage: guerdon replay FILE [--each]')
  say(replay(readFacts(file), options))
}

/** Reads facts from a file: the facts alone, or the log line `facts` that a service writes per checkout at LOG_LEVEL=trace. */
export function readFacts(file: string): Facts {
  const content: unknown = JSON.parse(readFileSync(file, 'utf8'))
  const facts = content !== null && typeof content === 'object' && 'facts' in content ? content.facts : content
  const fault = compileValidator(Facts).firstError(facts, { root: 'Facts', required: 'must' })
  if (fault !== null) throw new Error(`${file}: ${fault}`)
  return facts as Facts
}

/** The verdict as text: a sentence with the reason for each redeemable, and the totals of the order. */
export function replay(facts: Facts, { each = false }: ReplayOptions = {}): string {
  const { valid, redeemables, order }: Verdict = each
    ? { valid: true, redeemables: qualify(facts, { explain: true }) }
    : evaluate(facts, { explain: true })
  const lines = [
    `At ${facts.now} in ${facts.timezone}:`,
    ...redeemables.map((outcome) => `  ${outcome.status.padEnd(12)}  ${reasonOf(outcome)}`),
    ...(each ? [] : [valid ? 'The request is valid.' : 'The request is not valid.']),
  ]
  if (order !== undefined) {
    const { amount, total_discount_amount, total_amount } = order
    lines.push(
      `The order: ${amount} before discounts, ${total_discount_amount} off, ${total_amount} to pay (minor units).`,
    )
  }
  return `${lines.join('\n')}\n`
}

const reasonOf = ({ explanation, object, id, ...outcome }: Outcome): string =>
  explanation === undefined
    ? `${object} ${id}: ${'reason' in outcome ? outcome.reason.message : ''}`
    : sentence(explanation)
