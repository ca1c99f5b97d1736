import { Page } from '../../ui/page.tsx'

export function CodesPage() {
  return <Page title="Codes">{null}</Page>
}
