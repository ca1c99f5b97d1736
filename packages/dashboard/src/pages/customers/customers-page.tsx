import { Page } from '../../ui/page.tsx'

export function CustomersPage() {
  return <Page title="Customers">{null}</Page>
}
