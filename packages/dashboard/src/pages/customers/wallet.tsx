import { useMemo } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useRead, useRows } from '../../api/queries.ts'
import { useCodeColumns } from '../../parts/code-columns.tsx'
import { List } from '../../ui/list.tsx'
import { Panel } from '../../ui/page.tsx'
import { FailureView, Loading, Nothing } from '../../ui/state.tsx'
import { LoyaltyCardPanel } from './loyalty-card-panel.tsx'

type Customer = Schemas['Customer']

/** The loyalty cards of a customer: at most one per program, so few. */
export function useLoyaltyCards(customer: string, { enabled = true }: { enabled?: boolean } = {}) {
  return useRead(
    'GET /v1/customers/{customerId}/redeemables',
    {
      path: { customerId: customer },
      query: { limit: 20, filters: { voucher_type: { conditions: { $is: ['LOYALTY_CARD'] } } } },
    },
    { enabled },
  )
}

/** What a customer holds: loyalty cards with their points, then codes and gift cards. */
export function Wallet({ customer }: { customer: Customer }) {
  const cards = useLoyaltyCards(customer.id)
  return (
    <div className="space-y-5">
      {cards.error ? (
        <FailureView failure={cards.error} retry={() => void cards.refetch()} />
      ) : cards.data === undefined ? (
        <Panel>
          <Loading lines={3} />
        </Panel>
      ) : (
        cards.data.data.map(({ id, redeemable }) => <LoyaltyCardPanel key={id} card={redeemable.voucher} />)
      )}
      <CodesPanel customer={customer} />
    </div>
  )
}

function CodesPanel({ customer: { id } }: { customer: Customer }) {
  const list = useRows(
    'GET /v1/customers/{customerId}/redeemables',
    { path: { customerId: id }, query: { filters: { voucher_type: { conditions: { $is_not: ['LOYALTY_CARD'] } } } } },
    ({ data }) => data,
    { size: 20 },
  )
  // The service knows more than the code says: whether its campaign is switched off.
  const statuses = useMemo(
    () => new Map(list.rows.map(({ redeemable }) => [redeemable.voucher.id, redeemable.status])),
    [list.rows],
  )
  const columns = useCodeColumns({ isShort: true, statusOfRow: (code) => statuses.get(code.id) ?? 'ACTIVE' })
  return (
    <Panel title="Codes and gift cards" flush>
      <List
        label="Codes and gift cards"
        columns={columns}
        list={{ ...list, rows: list.rows.map(({ redeemable }) => redeemable.voucher) }}
        empty={
          <Nothing>Holds no code. Codes that are given to a customer, by hand or by a campaign, appear here.</Nothing>
        }
      />
    </Panel>
  )
}
