import { Plus } from 'lucide-react'
import type { ApiFailure, Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { useFormat } from '../../ui/format.tsx'
import { Panel } from '../../ui/page.tsx'
import { FailureView, Loading } from '../../ui/state.tsx'
import { qualifiedText } from './discount-text.ts'
import { type Chosen, sameChosen } from './situation.ts'
import { useRefusedOffers } from './use-refused-offers.ts'

type Qualified = Schemas['QualifiedRedeemable']

interface QualifyingProps {
  qualification: Schemas['Qualification'] | undefined
  /** What was asked for it. */
  question: Schemas['QualificationBody'] | undefined
  customer: string | undefined
  failure: ApiFailure | null
  isLoading: boolean
  chosen: readonly Chosen[]
  onAdd: (chosen: Chosen) => void
}

/** What this customer could use on this cart, each by itself, the best first. */
export function Qualifying(props: QualifyingProps) {
  const { qualification, question, customer, failure, isLoading, chosen, onAdd } = props
  const found = (qualification?.redeemables.data ?? []).filter(
    ({ object, id }) => object === 'campaign' || !chosen.some((entry) => sameChosen(entry, { object, id })),
  )
  const refusalOf = useRefusedOffers(found, question, customer)
  const ranked = [...found].sort((a, b) => Number(refusalOf(a) !== undefined) - Number(refusalOf(b) !== undefined))
  return (
    <Panel
      title={chosen.length > 0 ? 'What else would qualify' : 'What would qualify'}
      about="Each by itself on this cart, the best deal first; at the end those that this customer may use, but not on this cart."
      flush
    >
      {failure ? (
        <FailureView failure={failure} />
      ) : qualification === undefined ? (
        isLoading && <Loading lines={3} />
      ) : found.length === 0 ? (
        <p className="px-4 py-4 text-muted">Nothing {chosen.length > 0 ? 'else ' : ''}qualifies for this cart.</p>
      ) : (
        <ul className="divide-y divide-line">
          {ranked.map((entry) => (
            <QualifiedRow key={`${entry.object} ${entry.id}`} entry={entry} refusal={refusalOf(entry)} onAdd={onAdd} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

const kinds = {
  voucher: 'Code',
  promotion_tier: 'Promotion',
  promotion_stack: 'Promotion stack',
  campaign: 'Any code of this campaign',
}

interface QualifiedRowProps {
  entry: Qualified
  /** Why it cannot be used on this cart. */
  refusal: string | undefined
  onAdd: (chosen: Chosen) => void
}

function QualifiedRow({ entry, refusal, onAdd }: QualifiedRowProps) {
  const { id, object, name, campaign_name, order } = entry
  const format = useFormat()
  const title = name ?? (object === 'voucher' ? id : (campaign_name ?? id))
  const off = order?.total_applied_discount_amount ?? 0
  return (
    <li className="flex items-center gap-3 px-4 py-2">
      <div className="min-w-0 flex-1">
        <p className={object === 'voucher' ? 'truncate font-mono' : 'truncate'} title={title}>
          {title}
        </p>
        <p className="text-muted text-xs">
          {[kinds[object], qualifiedText(entry.result, format)].filter(Boolean).join(' · ')}
        </p>
        {refusal && <p className="text-bad text-xs">Not on this cart: {refusal}</p>}
      </div>
      <span className="shrink-0 tabular-nums">{off > 0 && !refusal ? format.money(-off).replace('-', '−') : ''}</span>
      {object === 'campaign' ? (
        <span className="w-16" />
      ) : (
        <Button
          size="small"
          className="w-16"
          icon={<Plus aria-hidden="true" className="size-3.5" />}
          aria-label={`Add ${title}`}
          onClick={() => onAdd({ object, id, ...(name && { name }) })}
        >
          Add
        </Button>
      )}
    </li>
  )
}
