import type { Schemas } from '../../api/client.ts'
import { useRows } from '../../api/queries.ts'
import { useRedemptionColumns } from '../../parts/redemption-columns.tsx'
import { List } from '../../ui/list.tsx'
import { Panel } from '../../ui/page.tsx'
import { Nothing } from '../../ui/state.tsx'

/** Every code this customer used or tried to use. */
export function RedemptionsPanel({ customer: { id } }: { customer: Schemas['Customer'] }) {
  const list = useRows('GET /v1/redemptions', { query: { customer: id } }, ({ redemptions }) => redemptions, {
    size: 20,
  })
  const columns = useRedemptionColumns('code')
  return (
    <Panel flush>
      <List
        label="Redemptions"
        columns={columns}
        list={list}
        empty={<Nothing>No code used or tried yet.</Nothing>}
        isCounted
      />
    </Panel>
  )
}
