import { Link, useParams } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { Count, Instant, Money } from '../../ui/format.tsx'
import { type Column, rowLink } from '../../ui/table.tsx'
import { nameOf } from '../../words/people.ts'

export function useCustomerColumns(): Column<Schemas['Customer']>[] {
  const { project = '' } = useParams({ strict: false })
  return [
    {
      id: 'name',
      header: 'Customer',
      isWide: true,
      cell: (customer) => (
        <>
          <Link
            to="/$project/customers/$customer"
            params={{ project, customer: customer.id }}
            className={rowLink}
            title={nameOf(customer)}
          >
            {nameOf(customer)}
          </Link>
          {customer.name && <span className="block truncate text-muted text-xs md:hidden">{customer.email}</span>}
        </>
      ),
    },
    {
      id: 'email',
      header: 'E-mail',
      isExtra: true,
      cell: ({ email }) => (
        <span className="block max-w-60 truncate" title={email}>
          {email ?? <span className="text-muted">–</span>}
        </span>
      ),
    },
    {
      id: 'source',
      header: 'Source id',
      isExtra: true,
      cell: ({ source_id }) => (
        <span className="block max-w-32 truncate font-mono text-muted" title={source_id ?? undefined}>
          {source_id ?? '–'}
        </span>
      ),
    },
    {
      id: 'orders',
      header: 'Orders',
      align: 'right',
      isExtra: true,
      cell: ({ summary }) => <Count value={summary.orders.total_count} />,
    },
    {
      id: 'spent',
      header: 'Order value',
      align: 'right',
      cell: ({ summary }) => <Money cents={summary.orders.total_amount} />,
    },
    {
      id: 'points',
      header: 'Points',
      align: 'right',
      isExtra: true,
      cell: ({ loyalty }) => <Count value={loyalty.points} />,
    },
    {
      id: 'since',
      header: 'Since',
      isExtra: true,
      cell: ({ created_at }) => <Instant at={created_at} withTime={false} />,
    },
  ]
}
