import type { Schemas } from '../../api/client.ts'
import { Money } from '../../ui/format.tsx'
import { amountOf, isApplied, type Outcome } from './outcomes.ts'

interface TotalsProps {
  order: Schemas['CalculatedOrderView'] | undefined
  /** The amount by what was typed, where nothing was calculated. */
  typed: number | undefined
  /** Whether what applies would be taken off: one refusal may refuse all. */
  isValid: boolean
  outcomes: readonly Outcome[]
  nameOf: (outcome: Outcome) => string
}

/** Before, each discount, after. */
export function Totals({ order, typed, isValid, outcomes, nameOf }: TotalsProps) {
  const before = order?.amount ?? typed
  if (before === undefined) return null
  const applied = isValid ? outcomes.filter((outcome) => isApplied(outcome) && amountOf(outcome) > 0) : []
  const after = isValid && order?.total_amount !== undefined ? order.total_amount : before
  return (
    <dl className="space-y-1.5">
      <Row name="Before discounts" cents={before} />
      {applied.map((outcome) => (
        <Row
          key={`${outcome.object} ${outcome.id}`}
          name={nameOf(outcome)}
          cents={-amountOf(outcome)}
          isCode={outcome.object === 'voucher'}
        />
      ))}
      <div className="flex items-baseline justify-between gap-4 border-line border-t pt-2 font-semibold text-base">
        <dt>To pay</dt>
        <dd>
          <Money cents={after} />
        </dd>
      </div>
    </dl>
  )
}

function Row({ name, cents, isCode = false }: { name: string; cents: number; isCode?: boolean }) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className={isCode ? 'min-w-0 truncate font-mono' : 'min-w-0 truncate text-muted'}>{name}</dt>
      <dd className={cents < 0 ? 'text-good' : ''}>
        <Money cents={cents} />
      </dd>
    </div>
  )
}
