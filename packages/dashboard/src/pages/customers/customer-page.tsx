import { Link, useParams } from '@tanstack/react-router'
import { useRead } from '../../api/queries.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, FailureView, Loading } from '../../ui/state.tsx'
import { CustomerView } from './customer-view.tsx'

export function CustomerPage() {
  const { project, customer } = useParams({ from: '/$project/customers/$customer' })
  const { data, error, refetch } = useRead('GET /v1/customers/{customerId}', { path: { customerId: customer } })
  if (data && !error) return <CustomerView customer={data} />
  return (
    <Page
      title="Customer"
      above={
        <Link to="/$project/customers" params={{ project }} className="hover:underline">
          Customers
        </Link>
      }
    >
      {error?.status === 404 ? (
        <Empty title="There is no such customer">The customer was deleted, or belongs to another project.</Empty>
      ) : error ? (
        <FailureView failure={error} retry={() => void refetch()} />
      ) : (
        <Loading lines={8} />
      )}
    </Page>
  )
}
