import { CampaignFilter } from '../../parts/campaign-filter.tsx'
import { CustomerFilter } from '../../parts/customer-filter.tsx'
import { TextField } from '../../ui/field.tsx'
import { FilterBar, FilterSelect, FilterText } from '../../ui/filter.tsx'
import { refusalKeys, refusalName } from '../../words/refusals.ts'
import { isFiltered, type ListSearch, resultChoices } from './list-query.ts'

interface FiltersProps {
  search: ListSearch
  onChange: (search: ListSearch) => void
  onClear: () => void
}

/** What narrows the list, all of it in the address. */
export function RedemptionFilters({ search, onChange, onClear }: FiltersProps) {
  return (
    <FilterBar onClear={isFiltered(search) ? onClear : undefined}>
      <FilterText label="Code" mono value={search.code ?? ''} onChange={(code) => onChange({ code })} />
      <FilterSelect
        label="Result"
        options={resultChoices}
        value={search.result ?? ''}
        onChange={(result) => onChange({ result, ...(result !== 'failure' && { reason: undefined }) })}
      />
      <CampaignFilter id={search.campaign} onChange={(campaign) => onChange({ campaign })} hasPromotions />
      <CustomerFilter label="Customer" id={search.customer} onChange={(customer) => onChange({ customer })} />
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
        <FilterSelect
          label="Reason"
          className="col-span-2"
          options={reasonChoices(search.reason)}
          value={search.reason ?? ''}
          onChange={(reason) => onChange({ reason })}
        />
      )}
    </FilterBar>
  )
}

function reasonChoices(chosen: string | undefined) {
  const keys = new Set([...(chosen ? [chosen] : []), ...refusalKeys()])
  return [...keys].map((key) => ({ value: key, label: refusalName(key) }))
}
