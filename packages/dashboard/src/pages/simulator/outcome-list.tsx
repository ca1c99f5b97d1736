import { Link } from '@tanstack/react-router'
import { useProject } from '../../api/session.ts'
import { ExplanationTree } from '../../parts/explanation.tsx'
import { Money } from '../../ui/format.tsx'
import { Tag, type Tone } from '../../ui/state.tsx'
import type { Explained } from '../../words/explanation/use-views.ts'
import { upperFirst } from '../../words/explanation/values.ts'
import { amountOf, isApplied, type Outcome } from './outcomes.ts'

const states: Record<Outcome['status'], { tone: Tone; text: string }> = {
  APPLICABLE: { tone: 'good', text: 'Applies' },
  INAPPLICABLE: { tone: 'bad', text: 'Refused' },
  SKIPPED: { tone: 'neutral', text: 'Left out' },
}

interface OutcomeListProps {
  outcomes: readonly Outcome[]
  explained: readonly Explained[]
  nameOf: (outcome: Outcome) => string
  /** Nothing was bought, so amounts say nothing. */
  isWithoutOrder: boolean
}

/** Each redeemable with what it did or why not, in the order of application. */
export function OutcomeList({ outcomes, explained, nameOf, isWithoutOrder }: OutcomeListProps) {
  return (
    <ol className="divide-y divide-line">
      {outcomes.map((outcome, index) => (
        <li key={`${outcome.object} ${outcome.id}`} className="px-4 py-3">
          <OutcomeRow
            outcome={outcome}
            explained={explained[index]}
            number={outcomes.length > 1 ? index + 1 : undefined}
            name={nameOf(outcome)}
            hasAmount={!isWithoutOrder}
          />
        </li>
      ))}
    </ol>
  )
}

interface OutcomeRowProps {
  outcome: Outcome
  explained: Explained | undefined
  number: number | undefined
  name: string
  hasAmount: boolean
}

function OutcomeRow({ outcome, explained, number, name, hasAmount }: OutcomeRowProps) {
  const { tone, text } = states[outcome.status]
  const { gift, loyalty_card } = outcome.result
  // A single step that only repeats the sentence above it.
  const isSaid = number !== undefined && wholeReasons.has(outcome.explanation?.reason?.key ?? '')
  return (
    <article aria-label={name}>
      <div className="flex items-baseline gap-2.5">
        {number !== undefined && <span className="text-muted tabular-nums">{number}.</span>}
        <h3 className="min-w-0 break-words font-medium">
          <Name outcome={outcome} name={name} />
        </h3>
        <Tag tone={tone}>{text}</Tag>
        {isApplied(outcome) && hasAmount && (
          <span className="ml-auto whitespace-nowrap tabular-nums">
            {amountOf(outcome) > 0 ? (
              <Money cents={-amountOf(outcome)} />
            ) : (
              <span className="text-muted">nothing off</span>
            )}
          </span>
        )}
      </div>
      {outcome.campaign_name && (
        <p className="truncate text-muted text-xs" title={outcome.campaign_name}>
          {outcome.campaign_name}
        </p>
      )}
      {explained && (
        <>
          {number !== undefined && explained.cause && <p className="mt-1">{upperFirst(explained.cause)}.</p>}
          {gift && (
            <p className="text-muted">
              <Money cents={gift.balance - gift.credits} /> would be left on the card.
            </p>
          )}
          {loyalty_card && <p className="text-muted">It would spend {loyalty_card.points} points.</p>}
          {!(isSaid && explained.views.length === 1) && (
            <div className="mt-2">
              <ExplanationTree explained={explained} isApplied={isApplied(outcome)} />
            </div>
          )}
        </>
      )}
    </article>
  )
}

const wholeReasons = new Set(['not_found', 'preceding_validation_failed', 'exclusion_rules_not_met', 'no_effect'])

function Name({ outcome: { object, id, result }, name }: { outcome: Outcome; name: string }) {
  const { id: project } = useProject()
  if (object !== 'voucher') return name
  const isUnknown = result.error?.key === 'not_found' && result.error.resource_type === 'voucher'
  if (isUnknown) return <span className="font-mono">{name}</span>
  return (
    <Link to="/$project/codes/$code" params={{ project, code: id }} className="font-mono hover:underline">
      {name}
    </Link>
  )
}
