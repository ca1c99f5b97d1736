import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { Input } from '../../api/client.ts'
import { useRows } from '../../api/queries.ts'
import { useCodeColumns } from '../../parts/code-columns.tsx'
import { CopyCall } from '../../parts/copy-call.tsx'
import { keyAndValue } from '../../ui/filter.tsx'
import { List } from '../../ui/list.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty } from '../../ui/state.tsx'
import { CodeFilters, type CodeSearch } from './code-filters.tsx'

type ListInput = Input<'GET /v1/vouchers'>

export function CodesPage() {
  const search = useSearch({ from: '/$project/codes' })
  const { project } = useParams({ from: '/$project/codes' })
  const navigate = useNavigate()
  const [now] = useState(() => new Date().toISOString())
  const input = useMemo(() => inputOf(search, now), [search, now])
  const list = useRows('GET /v1/vouchers', input, ({ vouchers }) => vouchers)
  const columns = useCodeColumns()
  const isFiltered = Object.values(search).some(Boolean)
  const set = (change: CodeSearch) =>
    void navigate({ to: '/$project/codes', params: { project }, search: { ...search, ...change }, replace: true })
  return (
    <Page
      title="Codes"
      about="Every discount code, gift card and loyalty card: what it gives, whether it works, who has it."
      actions={<CopyCall name="GET /v1/vouchers" input={input} method="listVouchers" />}
    >
      <CodeFilters
        search={search}
        onChange={set}
        onClear={
          isFiltered ? () => void navigate({ to: '/$project/codes', params: { project }, search: {} }) : undefined
        }
      />
      <Panel flush>
        <List
          label="Codes"
          columns={columns}
          list={list}
          empty={isFiltered ? <NothingFound /> : <NoCodes />}
          isCounted
        />
      </Panel>
    </Page>
  )
}

/** The filters of the address as a query of the API. A prefix is sorted by code, so that the index of codes answers it. */
function inputOf({ q, campaign, holder, type, state, meta }: CodeSearch, now: string): ListInput & { query: object } {
  const filters: Record<string, unknown> = {}
  const condition = (field: string, operator: string, value: string) => {
    filters[field] = { conditions: { [operator]: [value] } }
  }
  if (q) condition('code', '$starts_with', q)
  if (type) condition('voucher_type', '$is', type)
  const metadata = keyAndValue(meta)
  if (metadata) condition(`metadata.${metadata.key}`, '$is', metadata.value)
  if (state === 'active' || state === 'expired') filters.active = { conditions: { [`$${state}`]: true } }
  if (state === 'off') filters.active = { conditions: { $disabled: true } }
  if (state === 'soon') condition('start_date', '$after', now)
  if (state === 'used') condition('redemption_status', '$is', 'redeemed')
  if (state === 'unused') condition('redemption_status', '$is', 'not_redeemed')
  return {
    query: {
      ...(q && { order: 'code' as const }),
      ...(campaign && { campaign_id: campaign }),
      ...(holder && { customer: holder }),
      ...(Object.keys(filters).length > 0 && { filters }),
    },
  }
}

function NothingFound() {
  return (
    <Empty title="No code fits these filters">
      A code is found by how it begins, with capital letters and small ones as they are written. Take a filter away to
      see more.
    </Empty>
  )
}

function NoCodes() {
  return (
    <Empty title="No codes yet">
      A code gives a customer a discount, the credits of a gift card or the points of a loyalty card. Codes come with
      campaigns, by import, or one by one through the API. Whatever makes them, they appear here.
    </Empty>
  )
}
