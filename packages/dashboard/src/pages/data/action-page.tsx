import { Page } from '../../ui/page.tsx'

export function ActionPage() {
  return <Page title="Action">{null}</Page>
}
