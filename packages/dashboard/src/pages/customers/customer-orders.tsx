import { Link, useParams } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useRows } from '../../api/queries.ts'
import { Instant, Money } from '../../ui/format.tsx'
import { List } from '../../ui/list.tsx'
import { Panel } from '../../ui/page.tsx'
import { Nothing, Status } from '../../ui/state.tsx'
import { type Column, rowLink } from '../../ui/table.tsx'
import { orderStates } from '../../words/states.ts'

/** The orders of a customer; each opens in the simulator, where it can be tried again. */
export function OrdersPanel({ customer: { id } }: { customer: Schemas['Customer'] }) {
  const { project } = useParams({ from: '/$project/customers/$customer' })
  const list = useRows(
    'GET /v1/orders',
    { query: { filters: { customer_id: { conditions: { $is: [id] } } } } },
    ({ orders }) => orders,
    { size: 20 },
  )
  const columns: Column<Schemas['Order']>[] = [
    {
      id: 'order',
      header: 'Order',
      cell: (order) => (
        <Link to="/$project/simulator" params={{ project }} search={{ order: order.id }} className={rowLink}>
          <span className="block max-w-40 truncate">{order.source_id ?? 'No number'}</span>
        </Link>
      ),
    },
    { id: 'when', header: 'When', isWide: true, cell: ({ created_at }) => <Instant at={created_at} /> },
    {
      id: 'state',
      header: 'State',
      cell: ({ status }) => <Status tone={orderStates[status].tone}>{orderStates[status].word}</Status>,
    },
    {
      id: 'off',
      header: 'Taken off',
      align: 'right',
      isExtra: true,
      cell: ({ total_discount_amount = 0 }) =>
        total_discount_amount === 0 ? <span className="text-muted">–</span> : <Money cents={-total_discount_amount} />,
    },
    {
      id: 'total',
      header: 'Total',
      align: 'right',
      cell: ({ total_amount, amount }) => {
        const total = total_amount ?? amount
        return total === undefined ? <span className="text-muted">–</span> : <Money cents={total} />
      },
    },
  ]
  return (
    <Panel flush>
      <List label="Orders" columns={columns} list={list} empty={<Nothing>No orders yet.</Nothing>} isCounted />
    </Panel>
  )
}
