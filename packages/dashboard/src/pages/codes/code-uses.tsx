import { Link, useParams } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useRows } from '../../api/queries.ts'
import { effectOf, outcomeOf } from '../../app/words/redemptions.ts'
import { buttonClasses } from '../../ui/button.tsx'
import { Instant, useFormat } from '../../ui/format.tsx'
import { List } from '../../ui/list.tsx'
import { Panel } from '../../ui/page.tsx'
import { Nothing, Status } from '../../ui/state.tsx'
import { type Column, rowLink } from '../../ui/table.tsx'
import { CustomerLink } from '../customers/customer-name.tsx'

type Entry = Schemas['RedemptionEntry']

/** Every use of a code and every refusal, the newest first. */
export function UsesPanel({ code }: { code: Schemas['Voucher'] }) {
  const { project = '' } = useParams({ strict: false })
  const list = useRows(
    'GET /v1/vouchers/{code}/redemptions',
    { path: { code: code.id } },
    ({ redemption_entries }) => redemption_entries,
    { size: 10 },
  )
  const columns = useEntryColumns('customer')
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

/** The columns of redemptions, with the customer on the page of a code and the code on the page of a customer. */
export function useEntryColumns(other: 'customer' | 'code'): Column<Entry>[] {
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
