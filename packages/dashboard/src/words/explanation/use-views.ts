import type { Schemas } from '../../api/client.ts'
import { useNames } from '../../api/names.ts'
import { useReads } from '../../api/queries.ts'
import { useFormat } from '../../ui/format.tsx'
import { type KnownRule, viewsOf } from './explain.ts'
import { causeOf, headlineOf } from './headline.ts'
import { referencesOf } from './references.ts'
import type { Step, StepView, Words } from './step.ts'

type ExplanationView = Schemas['ExplanationView']

/** What the page knows beside the explanation itself. */
export interface About {
  /** The name of what is explained; its code or id unless given. */
  subject?: string | undefined
  /** The customer's name. */
  customer?: string | undefined
  /** The names of the order's lines. */
  lines?: readonly string[] | undefined
  isWithoutOrder?: boolean | undefined
}

export interface Explained {
  headline: string
  /** Why it was not applied, without its name. */
  cause: string | undefined
  views: StepView[]
}

const rulesMax = 20

/** Explanations in plain words, with the names behind ids and the logic of the rules, as soon as they are read. */
export function useExplained(explanations: readonly ExplanationView[], abouts: readonly About[]): Explained[] {
  const format = useFormat()
  const steps = explanations.flatMap((explanation) => explanation.steps as Step[])
  const nameOf = useNames(referencesOf(steps))
  const ruleIds = [...new Set(steps.flatMap((step) => (step.step === 'rule' ? [step.rule_id] : [])))].slice(0, rulesMax)
  const read = useReads(
    'GET /v1/validation-rules/{validationRuleId}',
    ruleIds.map((validationRuleId) => ({ path: { validationRuleId } })),
  )
  const rules: Record<string, KnownRule> = {}
  for (const rule of read) {
    if (rule) rules[rule.id] = { name: rule.name, logic: String((rule.rules as { logic?: unknown }).logic ?? '') }
  }
  return explanations.map((explanation, index) => {
    const { subject = explanation.id, customer, lines, isWithoutOrder } = abouts[index] ?? {}
    const words: Words = {
      format,
      nameOf,
      customer,
      isWithoutOrder,
      lineOf: (line) => lines?.[line] ?? `line ${line + 1}`,
    }
    const views = viewsOf(explanation, words, rules)
    const cause = explanation.status === 'APPLICABLE' ? undefined : causeOf(explanation, views)
    return { views, cause, headline: headlineOf(explanation, views, subject, words) }
  })
}
