import type { RuleStep } from '../schema/index.ts'
import { linesOf, pickedLines } from './items.ts'
import type { Node, RuleRun, Truth } from './run.ts'
import { shortened } from './shortened.ts'

/** Lines and values that a step lists; it counts the others. */
const listedMax = 50

/**
 * The input and result of a rule; built only when an explanation is requested. What it lists is bounded, because rules and orders
 * are untrusted: 500 rules would each repeat the values of 500 lines. Once the explanations have taken their steps, a rule says no
 * more than whether it passed.
 */
export function stepOf(node: Node, run: RuleRun, passed: Truth): RuleStep {
  const { work } = run.scope
  const unlisted = Math.max(1, node.needs === 'lines' ? linesOf(run).length : 1)
  return work.aside(() => listedStep(node, run, passed)) ?? step(node, run, { actual: null, unlisted }, passed)
}

function listedStep(node: Node, run: RuleRun, passed: Truth): RuleStep {
  const { picker } = node
  if (picker === null) return step(node, run, listed(node, run), passed)
  const lines = pickedLines(picker, run)
  const isMet = picker.quantifier === 'any' || picker.quantifier === 'none' ? 'some' : 'every'

  /** A sub-rule reports its value on every picked line, because all sub-rules must hold on the same line. */
  const subStep = (sub: Node): RuleStep => {
    const actual: object[] = []
    const holds = lines.map((line) => {
      run.scope.work.spend(1)
      run.line = line
      const passed = sub.decide(run) === true
      if (actual.length < listedMax)
        actual.push({ line: line.item.index, actual: shortened(sub.actual(run), run.scope.work), passed })
      return passed
    })
    const unlisted = lines.length - actual.length
    return step(sub, run, { actual, unlisted }, holds[isMet](Boolean), sub.subRules.map(subStep))
  }
  if (picker.is_bare) return { ...subStep(node.subRules[0] as Node), passed }
  const actual = lines.slice(0, listedMax).map(({ item }) => item.index)
  return step(node, run, { actual, unlisted: lines.length - actual.length }, passed, node.subRules.map(subStep))
}

interface Listed {
  actual: unknown
  unlisted: number
}

function listed(node: Node, run: RuleRun): Listed {
  const { work } = run.scope
  work.spend(node.needs === 'lines' ? linesOf(run).length : 1)
  const actual = node.actual(run)
  const unlisted = Array.isArray(actual) ? Math.max(0, actual.length - listedMax) : 0
  return { actual: shortened(unlisted > 0 ? (actual as unknown[]).slice(0, listedMax) : actual, work), unlisted }
}

function step(
  { key, sent_name, property, conditions }: Node,
  { rule_id, rule_name }: RuleRun,
  { actual, unlisted }: Listed,
  passed: Truth,
  rules: RuleStep[] = [],
): RuleStep {
  const identification = {
    step: 'rule',
    rule_id,
    ...(rule_name === undefined ? {} : { rule_name }),
    key,
    name: sent_name,
  } as const
  const subject = property === null ? identification : { ...identification, property }
  const ruleStep = { ...subject, expected: conditions, actual, ...(unlisted > 0 ? { unlisted } : {}), passed }
  return rules.length === 0 ? ruleStep : { ...ruleStep, rules }
}
