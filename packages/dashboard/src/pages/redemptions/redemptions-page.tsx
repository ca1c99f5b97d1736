import { Page } from '../../ui/page.tsx'

export function RedemptionsPage() {
  return <Page title="Redemptions">{null}</Page>
}
