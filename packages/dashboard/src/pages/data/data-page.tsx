import { Page } from '../../ui/page.tsx'

export function DataPage() {
  return <Page title="Data">{null}</Page>
}
