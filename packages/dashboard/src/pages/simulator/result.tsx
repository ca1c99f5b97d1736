import { sentenceOf } from '../../api/failures.ts'
import { Spinner } from '../../ui/button.tsx'
import { useFormat } from '../../ui/format.tsx'
import { Panel } from '../../ui/page.tsx'
import { Loading, Notice } from '../../ui/state.tsx'
import { useExplained } from '../../words/explanation/use-views.ts'
import { LineTable } from './line-table.tsx'
import { OutcomeList } from './outcome-list.tsx'
import { calculatedOf, isApplied, lineNames, type Outcome, outcomesOf, summaryOf, typedAmount } from './outcomes.ts'
import type { Faults } from './request.ts'
import { type Situation, sameChosen } from './situation.ts'
import { Totals } from './totals.tsx'
import type { Simulation } from './use-simulation.ts'

interface ResultProps {
  situation: Situation
  simulation: Simulation
  faults: Faults
}

/** What the situation leads to: the sentence, the totals, the reasons, line by line. */
export function Result({ situation, simulation, faults }: ResultProps) {
  const { validation, failure, isCalculating } = simulation
  const { money } = useFormat()
  const outcomes = validation ? outcomesOf(validation) : []
  const explainable = outcomes.flatMap(({ explanation }) => explanation ?? [])
  const nameOf = ({ object, id, name }: Pick<Outcome, 'object' | 'id' | 'name'>) =>
    name ?? situation.chosen.find((entry) => sameChosen(entry, { object, id }))?.name ?? id
  const order = calculatedOf(validation, outcomes)
  const names = lineNames(order, situation)
  const isWithoutOrder = situation.lines.length === 0
  const about = { customer: situation.customer?.name, lines: names, isWithoutOrder }
  const explained = useExplained(
    explainable,
    outcomes.map((outcome) => ({ ...about, subject: nameOf(outcome) })),
  )
  if (failure) {
    return (
      <Notice tone="bad" title="This cannot be calculated">
        {faults.other ?? (failure.errors.length > 0 ? 'See what is marked beside the fields.' : sentenceOf(failure))}
      </Notice>
    )
  }
  if (validation === undefined)
    return (
      <Panel flush>
        <Loading lines={5} />
      </Panel>
    )
  const applied = outcomes.filter(isApplied)
  const isValid = validation.valid
  const refusesAll = !isValid && applied.length > 0
  const headlines = explained.map(({ headline }) => headline)
  return (
    <div className="relative space-y-4" aria-busy={isCalculating}>
      {isCalculating && (
        <span className="absolute top-3 right-3 text-muted">
          <Spinner />
        </span>
      )}
      <Panel>
        <p role="status" className="break-words pr-5 font-medium text-base leading-6">
          {summaryOf(outcomes, headlines, money)}.
        </p>
        {refusesAll && (
          <p className="mt-1 text-muted">
            A checkout with all of them would be refused as a whole: this project applies all or none. Nothing would be
            taken off.
          </p>
        )}
        <div className="mt-4 empty:hidden">
          <Totals order={order} typed={typedAmount(situation)} isValid={isValid} outcomes={outcomes} nameOf={nameOf} />
        </div>
        {isWithoutOrder && <p className="mt-3 text-muted">The cart is empty: add what is bought to see amounts.</p>}
      </Panel>
      <Panel title={outcomes.length > 1 ? 'In the order of application' : 'Step by step'} flush>
        <OutcomeList outcomes={outcomes} explained={explained} nameOf={nameOf} isWithoutOrder={isWithoutOrder} />
      </Panel>
      {order && order.items.length > 0 && applied.length > 0 && (
        <Panel title="Line by line" about={isValid ? undefined : 'As it would be without the refusal.'} flush>
          <LineTable order={order} applied={applied} nameOf={nameOf} names={names} />
        </Panel>
      )}
    </div>
  )
}
