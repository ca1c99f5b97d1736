import { Link, useParams } from '@tanstack/react-router'
import type { Schemas } from '../api/client.ts'
import { Instant, useFormat } from '../ui/format.tsx'
import { Status } from '../ui/state.tsx'
import { type Column, rowLink } from '../ui/table.tsx'
import { effectOf, outcomeOf } from '../words/redemptions.ts'
import { CustomerLink } from './customer-name.tsx'

type Entry = Schemas['RedemptionEntry']

/** The columns of redemptions, with the customer on the page of a code and the code on the page of a customer. */
export function useRedemptionColumns(other: 'customer' | 'code'): Column<Entry>[] {
  const { project = '' } = useParams({ strict: false })
  const format = useFormat()
  return [
    {
      id: 'date',
      header: 'When',
      cell: (entry) => (
        <>
          <Link
            to="/$project/redemptions/$redemption"
            params={{ project, redemption: (entry.object === 'redemption_rollback' && entry.redemption) || entry.id }}
            className={`${rowLink} font-normal`}
          >
            <Instant at={entry.date} />
          </Link>
          <span className="block text-muted text-xs md:hidden">{effectOf(entry, format)}</span>
        </>
      ),
    },
    {
      id: 'outcome',
      header: 'Outcome',
      cell: (entry) => {
        const { word, tone } = outcomeOf(entry)
        return <Status tone={tone}>{word}</Status>
      },
    },
    {
      id: 'effect',
      header: 'What it gave, or why not',
      isWide: true,
      isExtra: true,
      cell: (entry) => <span title={effectOf(entry, format)}>{effectOf(entry, format)}</span>,
    },
    other === 'customer'
      ? {
          id: 'customer',
          header: 'Customer',
          isExtra: true,
          cell: ({ customer }) =>
            customer ? (
              <span className="relative z-10 block max-w-36 truncate">
                <CustomerLink customer={customer} />
              </span>
            ) : (
              <span className="text-muted">unknown</span>
            ),
        }
      : {
          id: 'code',
          header: 'Code',
          cell: ({ voucher, promotion_tier }) => (
            <span className={`block max-w-36 truncate ${voucher ? 'font-mono' : ''}`}>
              {voucher?.code ?? promotion_tier?.name ?? 'Several'}
            </span>
          ),
        },
  ]
}
