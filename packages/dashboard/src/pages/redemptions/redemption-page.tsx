import { Page } from '../../ui/page.tsx'

export function RedemptionPage() {
  return <Page title="Redemption">{null}</Page>
}
