import { Link, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { Schemas } from '../api/client.ts'
import { Count, Money, useFormat } from '../ui/format.tsx'
import { type Column, rowLink } from '../ui/table.tsx'
import { whatItGives } from '../words/gives.ts'
import { type CodeStatus, statusOf, usesOf } from '../words/states.ts'
import { CodeStateView } from './code-state-view.tsx'

type Code = Schemas['Voucher']

interface CodeColumns {
  /** Where the service says more about the state than the code itself does. */
  statusOfRow?: (code: Code) => CodeStatus
  /** Beside other panels there is room for few columns. */
  isShort?: boolean
}

/** The columns of a list of codes. */
export function useCodeColumns({ statusOfRow, isShort = false }: CodeColumns = {}): Column<Code>[] {
  const { project } = useParams({ strict: false })
  const format = useFormat()
  const [now] = useState(Date.now)
  const columns = useMemo<Column<Code>[]>(
    () => [
      {
        id: 'code',
        header: 'Code',
        cell: (row) => (
          <>
            <Link
              to="/$project/codes/$code"
              params={{ project: project ?? '', code: row.code }}
              className={`${rowLink} block max-w-44 truncate font-mono md:max-w-60`}
              title={row.code}
            >
              {row.code}
            </Link>
            <span className="block max-w-44 truncate text-muted text-xs md:hidden">{whatItGives(row, format)}</span>
          </>
        ),
      },
      {
        id: 'gives',
        header: 'Gives',
        isWide: true,
        isExtra: true,
        cell: (code) => (
          <span title={whatItGives(code, format)}>
            {whatItGives(code, format)}
            {isShort && code.campaign && <span className="text-muted"> · {code.campaign}</span>}
          </span>
        ),
      },
      {
        id: 'campaign',
        header: 'Campaign',
        isExtra: true,
        cell: ({ campaign }) => (
          <span className="block max-w-44 truncate" title={campaign ?? undefined}>
            {campaign ?? <span className="text-muted">none</span>}
          </span>
        ),
      },
      {
        id: 'uses',
        header: 'Used',
        align: 'right',
        isExtra: true,
        cell: (code) => <span className="whitespace-nowrap">{usesOf(code, format.number)}</span>,
      },
      { id: 'balance', header: 'Balance', align: 'right', isExtra: true, cell: (code) => <Balance code={code} /> },
      {
        id: 'state',
        header: 'State',
        cell: (code) => <CodeStateView code={code} status={(statusOfRow ?? ((row) => statusOf(row, now)))(code)} />,
      },
    ],
    [format, now, project, statusOfRow, isShort],
  )
  return isShort ? columns.filter(({ id }) => id !== 'campaign' && id !== 'uses') : columns
}

/** What is left on a card, in its own unit. */
function Balance({ code: { gift, loyalty_card } }: { code: Pick<Code, 'gift' | 'loyalty_card'> }) {
  if (gift) return <Money cents={gift.balance} />
  if (loyalty_card)
    return (
      <span className="whitespace-nowrap">
        <Count value={loyalty_card.balance} /> pts
      </span>
    )
  return <span className="text-muted">–</span>
}
