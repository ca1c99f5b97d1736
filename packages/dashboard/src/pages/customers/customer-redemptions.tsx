import type { Schemas } from '../../api/client.ts'
import { useRows } from '../../api/queries.ts'
import { Panel } from '../../ui/page.tsx'
import { Nothing } from '../../ui/state.tsx'
import { More, Table } from '../../ui/table.tsx'
import { useEntryColumns } from '../codes/code-uses.tsx'

/** Every code this customer used or tried to use. */
export function RedemptionsPanel({ customer: { id } }: { customer: Schemas['Customer'] }) {
  const list = useRows('GET /v1/redemptions', { query: { customer: id } }, ({ redemptions }) => redemptions, {
    size: 20,
  })
  const columns = useEntryColumns('code')
  return (
    <Panel flush>
      <Table
        label="Redemptions"
        columns={columns}
        rows={list.rows}
        keyOf={(entry) => entry.id}
        isLoading={list.isLoading}
        error={list.error}
        retry={list.retry}
        empty={<Nothing>No code used or tried yet.</Nothing>}
      />
      <More shown={list.rows.length} {...list} />
    </Panel>
  )
}
