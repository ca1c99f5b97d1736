import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Input } from '../../api/client.ts'
import { rowsInReply, useRead, useRows } from '../../api/queries.ts'
import { CopyCall } from '../../parts/copy-call.tsx'
import { FilterBar, FilterSelect, FilterText, keyAndValue } from '../../ui/filter.tsx'
import { List } from '../../ui/list.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, Nothing } from '../../ui/state.tsx'
import { useCustomerColumns } from './customer-columns.tsx'

interface CustomerSearch {
  q?: string
  segment?: string
  city?: string
  meta?: string
}

/** How many the search of the service finds at most. */
const mostFound = 5

export function CustomersPage() {
  const search = useSearch({ from: '/$project/customers' })
  const { project } = useParams({ from: '/$project/customers' })
  const navigate = useNavigate()
  const { q } = search
  const found = useRead('GET /v1/search', { query: { q: q ?? '', limit: mostFound } }, { enabled: !!q, keeps: true })
  const ids = q ? found.data?.customers.map(({ id }) => id) : undefined
  const input = useMemo(() => inputOf(search, ids), [search, ids])
  const isReady = !q || (ids !== undefined && ids.length > 0)
  const list = useRows('GET /v1/customers', input, ({ customers }) => customers, { enabled: isReady })
  const columns = useCustomerColumns()
  const isFiltered = Object.values(search).some(Boolean)
  const set = (change: CustomerSearch) =>
    void navigate({ to: '/$project/customers', params: { project }, search: { ...search, ...change }, replace: true })
  return (
    <Page
      title="Customers"
      about="Who buys: their codes and points, their orders, and what happened to them."
      actions={<CopyCall name="GET /v1/customers" input={input} method="listCustomers" />}
    >
      <FilterBar
        onClear={
          isFiltered ? () => void navigate({ to: '/$project/customers', params: { project }, search: {} }) : undefined
        }
      >
        <FilterText
          label="Name, e-mail or source id"
          placeholder="How it begins"
          isSearch
          value={q ?? ''}
          onChange={(text) => set({ q: text })}
          className="col-span-2"
        />
        <SegmentFilter value={search.segment ?? ''} onChange={(segment) => set({ segment })} />
        <FilterText label="City" value={search.city ?? ''} onChange={(city) => set({ city })} />
        <FilterText
          label="Metadata"
          placeholder="key = value"
          value={search.meta ?? ''}
          onChange={(meta) => set({ meta })}
        />
      </FilterBar>
      <Panel flush>
        <List
          label="Customers"
          columns={columns}
          list={isReady && !(q && found.error) ? list : rowsInReply(found, () => [])}
          empty={isFiltered ? <NothingFound /> : <NoCustomers />}
          isCounted
        />
        {q && ids?.length === mostFound && (
          <div className="border-line border-t">
            <Nothing>The first {mostFound} that begin so. Type more to find others.</Nothing>
          </div>
        )}
      </Panel>
    </Page>
  )
}

/** The search finds by the beginning of a name, an e-mail or a source id; the other filters narrow that. */
function inputOf({ segment, city, meta }: CustomerSearch, ids: string[] | undefined) {
  const filters: Record<string, unknown> = {}
  if (ids !== undefined) filters.id = { conditions: { $in: ids } }
  const metadata = keyAndValue(meta)
  if (metadata) filters[`metadata.${metadata.key}`] = { conditions: { $is: [metadata.value] } }
  const query: NonNullable<Input<'GET /v1/customers'>['query']> = {
    ...(segment && { segment_id: segment }),
    ...(city && { city }),
    ...(Object.keys(filters).length > 0 && { filters }),
  }
  return { query }
}

function SegmentFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { data } = useRead('GET /v1/segments', { query: { limit: 100 } })
  const options = (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return <FilterSelect label="Segment" value={value} options={options} onChange={onChange} />
}

function NothingFound() {
  return (
    <Empty title="No customer fits these filters">
      Customers are found by how their name, e-mail or source id begins. A city is written whole.
    </Empty>
  )
}

function NoCustomers() {
  return (
    <Empty title="No customers yet">
      A customer appears with the first order, redemption or publication that names one, by an import, or through the
      API. From then on their codes, points and orders are together on one page.
    </Empty>
  )
}
