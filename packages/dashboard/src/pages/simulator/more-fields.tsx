import { ChevronRight, Plus, X } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { useFormat } from '../../ui/format.tsx'
import { newKey, type Pair, type Situation } from './situation.ts'
import type { Change } from './use-situation.ts'

interface MoreFieldsProps {
  situation: Situation
  change: Change
  errors: { at?: string | undefined; orderMetadata?: string | undefined; metadata?: string | undefined }
}

/** When it happens, what the shop says beside, and whether to look further. */
export function MoreFields({ situation, change, errors }: MoreFieldsProps) {
  const { timezone } = useFormat()
  const { at, others, orderMetadata, metadata } = situation
  const isUsed = at !== '' || orderMetadata.length > 0 || metadata.length > 0 || !others
  return (
    <Fold title="Moment, metadata, what to show" isOpen={isUsed}>
      <TextField
        label="At another moment"
        type="datetime-local"
        value={at}
        onChange={(event) => change((now) => ({ ...now, at: event.target.value }))}
        error={errors.at}
        hint={
          at === '' ? 'Empty is now.' : `On the clocks of ${timezone}. Balances and numbers of uses are those of now.`
        }
      />
      <Pairs
        title="Metadata of the order"
        pairs={orderMetadata}
        onChange={(pairs) => change((now) => ({ ...now, orderMetadata: pairs }))}
        error={errors.orderMetadata}
      />
      <Pairs
        title="Metadata of the redemption"
        pairs={metadata}
        onChange={(pairs) => change((now) => ({ ...now, metadata: pairs }))}
        error={errors.metadata}
      />
      <CheckField
        label="Show what else would qualify"
        checked={others}
        onChange={(event) => change((now) => ({ ...now, others: event.target.checked }))}
      />
    </Fold>
  )
}

/** Closed until it is wanted; what an address brings along is open, and stays so when it is emptied. */
function Fold({ title, isOpen, children }: { title: string; isOpen: boolean; children: ReactNode }) {
  const wasOpen = useRef(isOpen)
  wasOpen.current ||= isOpen
  return (
    <details className="group" open={wasOpen.current || undefined}>
      <summary className="-mx-1 flex list-none items-center gap-1.5 rounded px-1 py-0.5 text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden="true" className="size-4 transition-transform group-open:rotate-90" />
        {title}
      </summary>
      <div className="mt-3 space-y-4">{children}</div>
    </details>
  )
}

interface PairsProps {
  title: string
  pairs: Pair[]
  onChange: (pairs: Pair[]) => void
  error?: string | undefined
}

function Pairs({ title, pairs, onChange, error }: PairsProps) {
  const edit = (key: string, patch: Partial<Pair>) =>
    onChange(pairs.map((pair) => (pair.key === key ? { ...pair, ...patch } : pair)))
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium text-xs">{title}</legend>
      {pairs.map(({ key, name, value }, index) => (
        <div key={key} className="mb-1.5 grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_1.75rem] items-center gap-1.5">
          <TextField
            label={`Name ${index + 1}`}
            hidesLabel
            placeholder="Name"
            value={name}
            onChange={(event) => edit(key, { name: event.target.value })}
          />
          <TextField
            label={`Value ${index + 1}`}
            hidesLabel
            placeholder="Value"
            value={value}
            onChange={(event) => edit(key, { value: event.target.value })}
          />
          <IconButton
            label={`Remove ${name || 'this entry'}`}
            className="size-7"
            onClick={() => onChange(pairs.filter((pair) => pair.key !== key))}
          >
            <X aria-hidden="true" className="size-3.5" />
          </IconButton>
        </div>
      ))}
      <Button
        size="small"
        look="quiet"
        className="-ml-2 text-muted"
        icon={<Plus aria-hidden="true" className="size-3.5" />}
        onClick={() => onChange([...pairs, { key: newKey(), name: '', value: '' }])}
      >
        Add an entry
      </Button>
      {error && <p className="mt-1 text-bad text-xs">{error}</p>}
    </fieldset>
  )
}
