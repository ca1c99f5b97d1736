import type { Schemas } from '../../api/client.ts'
import { useRows } from '../../api/queries.ts'
import { CustomerLink } from '../../parts/customer-name.tsx'
import { Instant } from '../../ui/format.tsx'
import { List } from '../../ui/list.tsx'
import { Panel } from '../../ui/page.tsx'
import { Nothing, Status } from '../../ui/state.tsx'
import type { Column } from '../../ui/table.tsx'
import { refusalSentence } from '../../words/refusals.ts'

type Publication = Schemas['ListedPublication']

/** To whom a code was given, and when. */
export function PublicationsPanel({ code }: { code: Schemas['Voucher'] }) {
  const list = useRows(
    'GET /v1/vouchers/{code}/publications',
    { path: { code: code.id } },
    ({ publications }) => publications,
    { size: 10 },
  )
  const columns: Column<Publication>[] = [
    { id: 'when', header: 'When', cell: ({ created_at }) => <Instant at={created_at} /> },
    {
      id: 'customer',
      header: 'Customer',
      isWide: true,
      cell: ({ customer }) =>
        customer ? <CustomerLink customer={customer} /> : <span className="text-muted">a deleted customer</span>,
    },
    {
      id: 'result',
      header: 'Outcome',
      cell: ({ result, failure_code, failure_message }) =>
        result === 'SUCCESS' ? (
          <Status tone="good">Given</Status>
        ) : (
          <span title={refusalSentence({ key: failure_code, message: failure_message })}>
            <Status tone="bad">Refused</Status>
          </span>
        ),
    },
    {
      id: 'channel',
      header: 'By',
      isExtra: true,
      cell: ({ channel }) => <span className="text-muted">{channel}</span>,
    },
  ]
  return (
    <Panel title="Who has it" flush>
      <List
        label="Publications"
        columns={columns}
        list={list}
        empty={
          <Nothing>
            Given to nobody yet. It can be used all the same, unless its conditions say otherwise; a code that was given
            is in the customer’s wallet.
          </Nothing>
        }
      />
    </Panel>
  )
}
