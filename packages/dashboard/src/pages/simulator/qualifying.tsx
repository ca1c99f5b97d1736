import { Plus } from 'lucide-react'
import type { ApiFailure, Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { useFormat } from '../../ui/format.tsx'
import { Panel } from '../../ui/page.tsx'
import { FailureView, Loading } from '../../ui/state.tsx'
import { qualifiedText } from './discount-text.ts'
import { type Chosen, sameChosen } from './situation.ts'

type Qualified = Schemas['QualifiedRedeemable']

interface QualifyingProps {
  qualification: Schemas['Qualification'] | undefined
  failure: ApiFailure | null
  isLoading: boolean
  chosen: readonly Chosen[]
  onAdd: (chosen: Chosen) => void
}

/** What this customer could use on this cart, each by itself, the best first. */
export function Qualifying({ qualification, failure, isLoading, chosen, onAdd }: QualifyingProps) {
  const found = (qualification?.redeemables.data ?? []).filter(
    ({ object, id }) => object === 'campaign' || !chosen.some((entry) => sameChosen(entry, { object, id })),
  )
  return (
    <Panel
      title={chosen.length > 0 ? 'What else would qualify' : 'What would qualify'}
      about="Each by itself on this cart, the best deal first. Limits on the number of uses are not looked at."
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
          {found.map((entry) => (
            <QualifiedRow key={`${entry.object} ${entry.id}`} entry={entry} onAdd={onAdd} />
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

function QualifiedRow({ entry, onAdd }: { entry: Qualified; onAdd: (chosen: Chosen) => void }) {
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
        <p className="truncate text-muted text-xs">
          {[kinds[object], qualifiedText(entry.result, format)].filter(Boolean).join(' · ')}
        </p>
      </div>
      <span className="shrink-0 tabular-nums">{off > 0 ? format.money(-off).replace('-', '−') : ''}</span>
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
