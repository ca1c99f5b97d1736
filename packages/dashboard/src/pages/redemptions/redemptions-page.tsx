import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useRows } from '../../api/queries.ts'
import { useProject } from '../../api/session.ts'
import { Button, buttonClasses } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Count, Instant, Money } from '../../ui/format.tsx'
import { List } from '../../ui/list.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, Status } from '../../ui/state.tsx'
import { type Column, rowLink } from '../../ui/table.tsx'
import { refusalName } from '../../words/refusals.ts'
import {
  amountBefore,
  customerName,
  type Entry,
  isRollback,
  orderName,
  resultOf,
  stackOf,
  subjectOf,
  takenOff,
} from './entry.ts'
import { isFiltered, type ListSearch, listQuery } from './list-query.ts'
import { RedemptionFilters } from './redemption-filters.tsx'

/** Every attempt to use a code or a promotion, newest first, and what became of it. */
export function RedemptionsPage() {
  const { timezone } = useProject()
  const search = useSearch({ from: '/$project/redemptions' })
  const navigate = useNavigate({ from: '/$project/redemptions' })
  const list = useRows('GET /v1/redemptions', { query: listQuery(search, timezone) }, ({ redemptions }) => redemptions)
  const change = (next: ListSearch) => void navigate({ search: (old) => ({ ...old, ...next }), replace: true })
  const clear = () => void navigate({ search: {}, replace: true })
  return (
    <Page
      title="Redemptions"
      about="Every use of a code or a promotion, every refusal and every rollback, newest first."
    >
      <RedemptionFilters search={search} onChange={change} onClear={clear} />
      <Panel flush>
        <List
          label="Redemptions"
          columns={useColumns()}
          list={list}
          empty={<NoRows isFiltered={isFiltered(search)} onClear={clear} />}
          isCounted
        />
      </Panel>
    </Page>
  )
}

function useColumns(): Column<Entry>[] {
  const { id: project } = useProject()
  return [
    {
      id: 'what',
      header: 'Code or promotion',
      isWide: true,
      cell: (entry) => {
        const { text, isCode } = subjectOf(entry)
        return (
          <>
            <Link
              to="/$project/redemptions/$redemption"
              params={{ project, redemption: entry.id }}
              className={classes(rowLink, isCode && 'font-mono')}
              title={text}
            >
              {text}
            </Link>
            <Detail entry={entry} />
          </>
        )
      },
    },
    {
      id: 'result',
      header: 'Result',
      isExtra: true,
      cell: (entry) => {
        const { tone, text } = resultOf(entry)
        return <Status tone={tone}>{text}</Status>
      },
    },
    {
      id: 'customer',
      header: 'Customer',
      isExtra: true,
      cell: ({ customer }) => {
        const name = customerName(customer)
        return name ? (
          <span className="block max-w-44 truncate" title={name}>
            {name}
          </span>
        ) : (
          <span className="text-muted">none</span>
        )
      },
    },
    {
      id: 'order',
      header: 'Order',
      isExtra: true,
      cell: ({ order }) => (
        <span className="block max-w-28 truncate font-mono text-xs" title={order?.id}>
          {orderName(order)}
        </span>
      ),
    },
    { id: 'off', header: 'Taken off', align: 'right', cell: (entry) => <TakenOff entry={entry} /> },
    {
      id: 'amount',
      header: 'Order before',
      align: 'right',
      isExtra: true,
      cell: ({ order }) => {
        const amount = order && amountBefore(order)
        return typeof amount === 'number' ? <Money cents={amount} /> : null
      },
    },
    {
      id: 'when',
      header: 'When',
      align: 'right',
      isExtra: true,
      cell: ({ date }) => (
        <span className="text-muted">
          <Instant at={date} />
        </span>
      ),
    },
  ]
}

/** Below the code: why it was refused or rolled back, or what it is part of; on a phone also the result and when. */
function Detail({ entry }: { entry: Entry }) {
  const text = detailOf(entry)
  const { tone, text: result } = resultOf(entry)
  return (
    <span className="block truncate text-muted text-xs" title={text}>
      <span className="md:hidden">
        <Status tone={tone}>{entry.result === 'FAILURE' ? `${result}: ${text.toLowerCase()}` : result}</Status>
        {' · '}
        <Instant at={entry.date} relative />
      </span>
      <span className="max-md:hidden">{text}</span>
    </span>
  )
}

function detailOf(entry: Entry): string {
  if (entry.result === 'FAILURE') return refusalName(entry.failure_code ?? '')
  if (isRollback(entry)) return entry.reason ?? 'No reason given'
  if (stackOf(entry)) return 'Codes and promotions of one order'
  const origin = entry.voucher ? (entry.voucher.campaign ?? 'Single code') : 'Promotion'
  return entry.redemption ? `${origin}, with others` : origin
}

function TakenOff({ entry }: { entry: Entry }) {
  if (entry.result === 'FAILURE') return null
  const points = entry.loyalty_card?.points
  if (points !== undefined && points !== 0)
    return (
      <span className="whitespace-nowrap">
        <Count value={Math.abs(points)} /> points
      </span>
    )
  if (isRollback(entry)) return entry.gift ? <Money cents={Math.abs(entry.gift.amount)} /> : null
  const off = entry.gift?.amount ?? takenOff(entry)
  return off === undefined ? null : <Money cents={off} />
}

function NoRows({ isFiltered: hasFilters, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const { id: project } = useProject()
  if (hasFilters)
    return (
      <Empty title="No redemption fits these filters" action={<Button onClick={onClear}>Clear the filters</Button>}>
        A code is compared as a whole. Redemptions of codes in the bin are not listed.
      </Empty>
    )
  return (
    <Empty
      title="Nothing has been redeemed yet"
      action={
        <Link to="/$project/simulator" params={{ project }} className={buttonClasses('primary')}>
          Try a code in the simulator
        </Link>
      }
    >
      When your shop redeems a code, it appears here with its order, what it took off, and what followed. Refusals
      appear too, with the reason.
    </Empty>
  )
}
