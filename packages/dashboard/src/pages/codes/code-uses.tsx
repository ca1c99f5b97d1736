import { Link, useParams } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useRows } from '../../api/queries.ts'
import { useRedemptionColumns } from '../../parts/redemption-columns.tsx'
import { buttonClasses } from '../../ui/button.tsx'
import { List } from '../../ui/list.tsx'
import { Panel } from '../../ui/page.tsx'
import { Nothing } from '../../ui/state.tsx'

/** Every use of a code and every refusal, the newest first. */
export function UsesPanel({ code }: { code: Schemas['Voucher'] }) {
  const { project = '' } = useParams({ strict: false })
  const list = useRows(
    'GET /v1/vouchers/{code}/redemptions',
    { path: { code: code.id } },
    ({ redemption_entries }) => redemption_entries,
    { size: 10 },
  )
  const columns = useRedemptionColumns('customer')
  return (
    <Panel
      title="Uses and refusals"
      flush
      actions={
        list.rows.length > 0 && (
          <Link
            to="/$project/redemptions"
            params={{ project }}
            search={{ code: code.code }}
            className={buttonClasses('quiet', 'small')}
          >
            All with filters
          </Link>
        )
      }
    >
      <List
        label="Uses and refusals"
        columns={columns}
        list={list}
        empty={
          <Nothing>Nobody has tried this code. Every use, and every refusal with its reason, appears here.</Nothing>
        }
      />
    </Panel>
  )
}
