import type { RuleStep } from '../schema/index.ts'
import { pickedLines } from './items.ts'
import type { Node, RuleRun, Truth } from './run.ts'

/** The input and result of a rule; built only when an explanation is requested. */
export function stepOf(node: Node, run: RuleRun, passed: Truth): RuleStep {
  const { picker } = node
  if (picker === null) return step(node, run, json(node.actual(run)), passed)
  const lines = pickedLines(picker, run)
  const isMet = picker.quantifier === 'any' || picker.quantifier === 'none' ? 'some' : 'every'

  /** A sub-rule reports its value on every picked line, because all sub-rules must hold on the same line. */
  const subStep = (sub: Node): RuleStep => {
    const lineResults = lines.map((line) => {
      run.line = line
      return { line: line.item.index, actual: json(sub.actual(run)), passed: sub.decide(run) === true }
    })
    return step(
      sub,
      run,
      lineResults,
      lineResults[isMet](({ passed }) => passed),
      sub.subRules.map(subStep),
    )
  }
  if (picker.is_bare) return { ...subStep(node.subRules[0] as Node), passed }
  const actual = lines.map(({ item }) => item.index)
  return step(node, run, actual, passed, node.subRules.map(subStep))
}

function step(
  { key, sent_name, property, conditions }: Node,
  { rule_id }: RuleRun,
  actual: unknown,
  passed: Truth,
  rules: RuleStep[] = [],
): RuleStep {
  const identification = { step: 'rule', rule_id, key, name: sent_name } as const
  const subject = property === null ? identification : { ...identification, property }
  const ruleStep = { ...subject, expected: conditions, actual, passed }
  return rules.length === 0 ? ruleStep : { ...ruleStep, rules }
}

const json = (value: unknown): unknown => value ?? null
