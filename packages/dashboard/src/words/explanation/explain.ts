import type { Schemas } from '../../api/client.ts'
import { checkView } from './checks.ts'
import { amountView, bundleView, formulaView, unitsView } from './effects.ts'
import { limitView } from './limits.ts'
import { type Logic, readLogic } from './logic.ts'
import { ruleView } from './rules.ts'
import type { RuleStep, Step, StepState, StepView, Words } from './step.ts'
import { plain, upperFirst } from './values.ts'

type ExplanationView = Schemas['ExplanationView']

/** What is known of a validation rule beside its steps: its name, and how its rules are joined. */
export interface KnownRule {
  name: string
  logic: string
}

/** The steps of an explanation in plain words, in their order; the rules of one validation rule together. */
export function viewsOf(
  { steps, status }: { steps: readonly (ExplanationView['steps'][number] | Step)[]; status: ExplanationView['status'] },
  words: Words,
  rules: Readonly<Record<string, KnownRule>> = {},
): StepView[] {
  const views: StepView[] = []
  const seen = new Set<string>()
  for (const step of steps as readonly Step[]) {
    if (step.step !== 'rule') {
      views.push(stepView(step, words))
    } else if (!seen.has(step.rule_id)) {
      seen.add(step.rule_id)
      const ofRule = (steps as readonly Step[]).filter(
        (other) => other.step === 'rule' && other.rule_id === step.rule_id,
      )
      views.push(groupView(ofRule as RuleStep[], rules[step.rule_id], status === 'APPLICABLE', words))
    }
  }
  return views
}

/** One step in plain words. */
function stepView(step: Step, words: Words): StepView {
  switch (step.step) {
    case 'check':
      return checkView(step, words)
    case 'limit':
      return limitView(step, words)
    case 'rule':
      return ruleView(step, words)
    case 'bundle':
      return bundleView(step, words)
    case 'formula':
      return formulaView(step, words)
    case 'amount':
      return amountView(step, words)
    case 'units':
      return unitsView(step, words)
    default:
      return { state: 'effect', text: upperFirst(plain(String((step as { step?: unknown }).step ?? 'step'))) }
  }
}

function groupView(steps: RuleStep[], rule: KnownRule | undefined, isApplied: boolean, words: Words): StepView {
  const views = new Map(steps.map((step) => [step.key, ruleView(step, words)]))
  const logic = rule && readLogic(rule.logic)
  const view = (logic && joined(logic, views)) ?? flat([...views.values()], isApplied)
  const name = rule?.name && rule.name !== unnamed ? rule.name : undefined
  return name === undefined ? view : { ...view, rule: name }
}

/** The name of a rule to which nobody gave one. */
const unnamed = 'Business Validation Rule'

const joinText = { and: 'All of these', or: 'One of these' }

function joined(logic: Logic, views: ReadonlyMap<string, StepView>): StepView | undefined {
  if ('key' in logic) return views.get(logic.key)
  const parts = logic.parts.map((part) => joined(part, views)).filter((view) => view !== undefined)
  return parts.length === 0 ? undefined : group(logic.join, parts)
}

function group(join: 'and' | 'or', parts: StepView[]): StepView {
  const states = parts.map(({ state }) => state)
  const decided: StepState = join === 'and' ? 'failed' : 'passed'
  const other: StepState = join === 'and' ? 'passed' : 'failed'
  const state = states.includes(decided) ? decided : states.includes('open') ? 'open' : other
  return { state, text: joinText[join], join, parts, because: becauseOf(parts) }
}

/** Without the rule itself it is unknown how its parts are joined: what was applied has met it. */
function flat(parts: StepView[], isApplied: boolean): StepView {
  if (parts.length === 1 && parts[0]) return parts[0]
  const view = group('and', parts)
  return { ...view, state: isApplied && view.state === 'failed' ? 'passed' : view.state }
}

/** What failed, as the rest of a sentence: the first two of several. `isCause` decides which failures count. */
export function becauseOf(
  views: readonly StepView[],
  isCause: (view: StepView) => boolean = ({ state }) => state === 'failed',
): string | undefined {
  const causes = [...new Set(views.filter(isCause).flatMap((view) => causeOfOne(view, isCause) ?? []))]
  if (causes.length === 0) return undefined
  const text = causes.slice(0, 2).join(', and ')
  return causes.length > 2 ? `${text}, and ${causes.length - 2} more` : text
}

const causeOfOne = ({ join, parts, because }: StepView, isCause: (view: StepView) => boolean) =>
  join === undefined || parts === undefined ? because : becauseOf(parts, isCause)

/** Whether a condition fails whatever the order is. */
export function failsWithAnyOrder({ state, needsOrder, join, parts = [] }: StepView): boolean {
  if (state !== 'failed') return false
  if (join === 'and') return parts.some(failsWithAnyOrder)
  return join === 'or' ? parts.every(failsWithAnyOrder) : needsOrder !== true
}
