import { CampaignFilter } from '../../parts/campaign-filter.tsx'
import { CustomerFilter } from '../../parts/customer-filter.tsx'
import { FilterBar, FilterSelect, FilterText } from '../../ui/filter.tsx'
import { codeKinds } from '../../words/states.ts'

export interface CodeSearch {
  q?: string
  campaign?: string
  holder?: string
  type?: string
  state?: string
  meta?: string
}

const states = [
  { value: 'active', label: 'Active now' },
  { value: 'soon', label: 'Not yet valid' },
  { value: 'expired', label: 'Expired' },
  { value: 'off', label: 'Switched off' },
  { value: 'used', label: 'Used at least once' },
  { value: 'unused', label: 'Never used' },
]
const kinds = Object.entries(codeKinds).map(([value, label]) => ({ value, label }))

interface CodeFiltersProps {
  search: CodeSearch
  onChange: (change: CodeSearch) => void
  onClear?: (() => void) | undefined
}

export function CodeFilters({ search, onChange, onClear }: CodeFiltersProps) {
  return (
    <FilterBar onClear={onClear}>
      <FilterText
        label="Code"
        placeholder="How it begins"
        isSearch
        mono
        value={search.q ?? ''}
        onChange={(q) => onChange({ q })}
      />
      <CampaignFilter id={search.campaign} onChange={(campaign) => onChange({ campaign })} />
      <CustomerFilter label="Holder" id={search.holder} onChange={(holder) => onChange({ holder })} />
      <FilterSelect label="Kind" value={search.type ?? ''} options={kinds} onChange={(type) => onChange({ type })} />
      <FilterSelect
        label="State"
        value={search.state ?? ''}
        options={states}
        onChange={(state) => onChange({ state })}
      />
      <FilterText
        label="Metadata"
        placeholder="key = value"
        value={search.meta ?? ''}
        onChange={(meta) => onChange({ meta })}
      />
    </FilterBar>
  )
}
