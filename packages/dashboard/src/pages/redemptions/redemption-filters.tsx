import { useEffect, useState } from 'react'
import { useRead, useReader } from '../../api/queries.ts'
import { refusalKeys, refusalName } from '../../app/words/refusals.ts'
import { Button } from '../../ui/button.tsx'
import { Choose } from '../../ui/choose.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { customerName } from './entry.ts'
import { isFiltered, type ListSearch, resultChoices } from './list-query.ts'

interface FiltersProps {
  search: ListSearch
  onChange: (search: ListSearch) => void
  onClear: () => void
}

/** What narrows the list, all of it in the address. */
export function RedemptionFilters({ search, onChange, onClear }: FiltersProps) {
  return (
    <div className="mb-4 grid grid-cols-2 items-end gap-3 md:grid-cols-3 lg:grid-cols-6">
      <SelectField
        label="Result"
        options={resultChoices}
        value={search.result ?? ''}
        onChange={({ target }) =>
          onChange({ result: target.value, ...(target.value !== 'failure' && { reason: undefined }) })
        }
      />
      <CodeFilter key={search.code ?? ''} code={search.code ?? ''} onChange={(code) => onChange({ code })} />
      <CampaignFilter campaign={search.campaign} onChange={(campaign) => onChange({ campaign })} />
      <CustomerFilter customer={search.customer} onChange={(customer) => onChange({ customer })} />
      <TextField
        label="From"
        type="date"
        value={search.from ?? ''}
        max={search.to}
        onChange={({ target }) => onChange({ from: target.value })}
      />
      <TextField
        label="To"
        type="date"
        value={search.to ?? ''}
        min={search.from}
        onChange={({ target }) => onChange({ to: target.value })}
      />
      {(search.result === 'failure' || search.reason) && (
        <SelectField
          label="Reason"
          className="col-span-2"
          options={reasonChoices(search.reason)}
          value={search.reason ?? ''}
          onChange={({ target }) => onChange({ reason: target.value })}
        />
      )}
      {isFiltered(search) && (
        <div>
          <Button look="quiet" onClick={onClear}>
            Clear filters
          </Button>
        </div>
      )}
    </div>
  )
}

function reasonChoices(chosen: string | undefined) {
  const keys = new Set([...(chosen ? [chosen] : []), ...refusalKeys()])
  return [{ value: '', label: 'Any reason' }, ...[...keys].map((key) => ({ value: key, label: refusalName(key) }))]
}

const typingPauseMs = 350

/** Asks when nobody has typed for a moment. */
function CodeFilter({ code, onChange }: { code: string; onChange: (code: string) => void }) {
  const [text, setText] = useState(code)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text decides; the page passes a new closure on each render
  useEffect(() => {
    if (text.trim() === code) return
    const timer = setTimeout(() => onChange(text.trim()), typingPauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <TextField
      label="Code"
      mono
      placeholder="Any"
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  )
}

interface ChosenOne {
  id: string
  name: string
}

interface ChooseFilterProps {
  onChange: (id: string | undefined) => void
}

function CampaignFilter({ campaign, onChange }: ChooseFilterProps & { campaign: string | undefined }) {
  const read = useReader()
  const { data } = useRead(
    'GET /v1/campaigns/{campaignId}',
    { path: { campaignId: campaign ?? '' } },
    { enabled: campaign !== undefined },
  )
  const value = campaign === undefined ? null : { id: campaign, name: data?.name ?? campaign }
  return (
    <Choose<ChosenOne>
      key={value?.name ?? ''}
      label="Campaign"
      placeholder="Any"
      value={value}
      onChange={(found) => onChange(found?.id)}
      search={async (text) => (text === '' ? [] : (await read('GET /v1/search', { query: { q: text } })).campaigns)}
      keyOf={({ id }) => id}
      textOf={({ name }) => name}
    />
  )
}

function CustomerFilter({ customer, onChange }: ChooseFilterProps & { customer: string | undefined }) {
  const read = useReader()
  const { data } = useRead(
    'GET /v1/customers/{customerId}',
    { path: { customerId: customer ?? '' } },
    { enabled: customer !== undefined },
  )
  const name = data && 'id' in data ? (data.name ?? data.email ?? data.source_id ?? data.id) : undefined
  const value = customer === undefined ? null : { id: customer, name: name ?? customer }
  return (
    <Choose<ChosenOne>
      key={value?.name ?? ''}
      label="Customer"
      placeholder="Any"
      value={value}
      onChange={(found) => onChange(found?.id)}
      search={async (text) => {
        if (text === '') return []
        const { customers } = await read('GET /v1/search', { query: { q: text } })
        return customers.map((found) => ({
          id: found.id,
          name: customerName({ ...found, metadata: {}, object: 'customer' }) ?? found.id,
        }))
      }}
      keyOf={({ id }) => id}
      textOf={({ name: text }) => text}
    />
  )
}
