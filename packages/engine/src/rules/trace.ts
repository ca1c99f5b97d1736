import type { RuleStep } from '../schema/index.ts'
import { pickedLines } from './items.ts'
import type { Node, Run, Truth } from './run.ts'

/** What a rule looked at and what came out of it; built only for those who ask for an explanation. */
export function stepOf(node: Node, run: Run, passed: Truth): RuleStep {
  const { picker } = node
  if (picker === null) return step(node, run, json(node.actual(run)), passed)
  const lines = pickedLines(picker, run)
  const isMet = picker.quantifier === 'any' || picker.quantifier === 'none' ? 'some' : 'every'

  /** A sub-rule tells what it saw on every picked line, because they must all hold on the same one. */
  const subStep = (sub: Node): RuleStep => {
    const seen = lines.map((line) => {
      run.line = line
      return { line: line.item.index, actual: json(sub.actual(run)), passed: sub.decide(run) === true }
    })
    return step(
      sub,
      run,
      seen,
      seen[isMet](({ passed }) => passed),
      sub.subs.map(subStep),
    )
  }
  if (picker.is_bare) return { ...subStep(node.subs[0] as Node), passed }
  const actual = lines.map(({ item }) => item.index)
  return step(node, run, actual, passed, node.subs.map(subStep))
}

function step(
  { key, sent_name, property, conditions }: Node,
  { rule_id }: Run,
  actual: unknown,
  passed: Truth,
  rules: RuleStep[] = [],
): RuleStep {
  const about = { step: 'rule', rule_id, key, name: sent_name } as const
  const named = property === null ? about : { ...about, property }
  const judged = { ...named, expected: conditions, actual, passed }
  return rules.length === 0 ? judged : { ...judged, rules }
}

const json = (value: unknown): unknown => value ?? null
