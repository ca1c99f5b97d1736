import { Page } from '../../ui/page.tsx'

export function CustomerPage() {
  return <Page title="Customer">{null}</Page>
}
