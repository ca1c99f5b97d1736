import { Link, useParams } from '@tanstack/react-router'
import { useRead } from '../api/queries.ts'
import { nameOf } from '../words/people.ts'

/** A link to a customer of whom only the id is at hand. */
export function CustomerName({ id }: { id: string }) {
  const { data, error } = useRead('GET /v1/customers/{customerId}', { path: { customerId: id } })
  if (error?.status === 404) return <span className="text-muted">a deleted customer</span>
  return <CustomerLink customer={data ?? { id, name: '…' }} />
}

interface CustomerLinkProps {
  customer: { id: string; name?: string | null; email?: string | null; source_id?: string | null }
}

export function CustomerLink({ customer }: CustomerLinkProps) {
  const { project = '' } = useParams({ strict: false })
  return (
    <Link
      to="/$project/customers/$customer"
      params={{ project, customer: customer.id }}
      className="text-accent hover:underline"
      title={nameOf(customer)}
    >
      {nameOf(customer)}
    </Link>
  )
}
