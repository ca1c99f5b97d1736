import { useRead } from '../../api/queries.ts'
import { codeKinds } from '../../app/words/states.ts'
import { FilterBar, FilterSelect, FilterText } from '../../ui/filter.tsx'
import { ChooseCustomer } from '../customers/choose-customer.tsx'
import { ChooseCampaign } from './choose-campaign.tsx'

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
        placeholder="Find a code"
        isSearch
        value={search.q ?? ''}
        onChange={(q) => onChange({ q })}
        className="col-span-2 sm:w-48"
      />
      <CampaignFilter id={search.campaign} onChange={(campaign) => onChange({ campaign })} />
      <HolderFilter id={search.holder} onChange={(holder) => onChange({ holder })} />
      <FilterSelect
        label="Kind"
        any="Every kind"
        value={search.type ?? ''}
        options={kinds}
        onChange={(type) => onChange({ type })}
      />
      <FilterSelect
        label="State"
        any="Every state"
        value={search.state ?? ''}
        options={states}
        onChange={(state) => onChange({ state })}
      />
      <FilterText
        label="Metadata, as key = value"
        placeholder="key = value"
        value={search.meta ?? ''}
        onChange={(meta) => onChange({ meta })}
        className="sm:w-34"
      />
    </FilterBar>
  )
}

interface FilterProps {
  id: string | undefined
  onChange: (id: string | undefined) => void
}

/** The address holds an id; the field shows its name once that is known. */
function CampaignFilter({ id, onChange }: FilterProps) {
  const { data } = useRead('GET /v1/campaigns/{campaignId}', { path: { campaignId: id ?? '' } }, { enabled: !!id })
  const chosen = id && data ? { id, name: data.name } : null
  return (
    <div className="sm:w-34">
      <ChooseCampaign
        key={chosen?.id ?? id ?? ''}
        label="Campaign"
        hidesLabel
        placeholder="Every campaign"
        value={chosen}
        onChange={(campaign) => onChange(campaign?.id)}
      />
    </div>
  )
}

function HolderFilter({ id, onChange }: FilterProps) {
  const { data } = useRead('GET /v1/customers/{customerId}', { path: { customerId: id ?? '' } }, { enabled: !!id })
  const chosen = id && data ? data : null
  return (
    <div className="sm:w-34">
      <ChooseCustomer
        key={chosen?.id ?? id ?? ''}
        label="Holder"
        hidesLabel
        placeholder="Every holder"
        value={chosen}
        onChange={(customer) => onChange(customer?.id)}
      />
    </div>
  )
}
