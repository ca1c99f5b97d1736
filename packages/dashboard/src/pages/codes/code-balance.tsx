import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useRows } from '../../api/queries.ts'
import { Count, Instant, Money } from '../../ui/format.tsx'
import { List } from '../../ui/list.tsx'
import { Figure, Panel } from '../../ui/page.tsx'
import { Nothing } from '../../ui/state.tsx'
import type { Column } from '../../ui/table.tsx'
import { type LedgerLine, ledgerLine } from '../../words/ledger.ts'

/** What is on a card, and its statement: every change with what was left after it. */
export function BalancePanel({ code }: { code: Schemas['Voucher'] }) {
  const { project = '' } = useParams({ strict: false })
  const isGift = code.gift !== null
  const list = useRows('GET /v1/vouchers/{code}/transactions', { path: { code: code.id } }, ({ data }) => data, {
    size: 10,
  })
  const value = (amount: number, signed = false) =>
    isGift ? <Money cents={amount} signed={signed} /> : <Count value={amount} signed={signed} />
  const columns: Column<LedgerLine>[] = [
    { id: 'at', header: 'When', cell: ({ at }) => <Instant at={at} /> },
    {
      id: 'what',
      header: 'What happened',
      isWide: true,
      cell: ({ words, reason, redemption }) => (
        <span title={reason ?? words}>
          {redemption ? (
            <Link
              to="/$project/redemptions/$redemption"
              params={{ project, redemption }}
              className="text-accent hover:underline"
            >
              {words}
            </Link>
          ) : (
            words
          )}
          {reason && <span className="text-muted"> · {reason}</span>}
        </span>
      ),
    },
    { id: 'change', header: 'Change', align: 'right', cell: ({ change }) => value(change, true) },
    { id: 'left', header: 'Left', align: 'right', isExtra: true, cell: ({ balance }) => value(balance) },
  ]
  return (
    <Panel title={isGift ? 'Balance' : 'Points'} flush>
      <div className="grid grid-cols-2 gap-4 border-line border-b p-4 sm:grid-cols-4">
        {figuresOf(code).map(([name, amount, note]) => (
          <Figure key={name} name={name} value={value(amount)} note={note} />
        ))}
      </div>
      <List
        label="Changes of the balance"
        columns={columns}
        list={{ ...list, rows: list.rows.map(ledgerLine) }}
        empty={<Nothing>No change so far: the card has what it was made with.</Nothing>}
      />
    </Panel>
  )
}

function figuresOf({ gift, loyalty_card, redemption }: Schemas['Voucher']): [string, number, ReactNode?][] {
  if (gift) {
    return [
      ['Left', gift.balance],
      ['Loaded in all', gift.amount],
      ['Spent', redemption.redeemed_amount ?? 0],
      ['Taken off by hand', gift.subtracted_amount],
    ]
  }
  const card = loyalty_card ?? { balance: 0, points: 0 }
  const next = card.next_expiration_date
  return [
    [
      'Left',
      card.balance,
      next && (
        <>
          <Count value={card.next_expiration_points ?? 0} /> expire on <Instant at={next} withTime={false} />
        </>
      ),
    ],
    ['Pending', card.pending_points ?? 0, 'not counted yet'],
    ['Spent', redemption.redeemed_points ?? 0],
    ['Expired', card.expired_points ?? 0],
  ]
}
