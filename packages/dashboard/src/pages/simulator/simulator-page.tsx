import { Page } from '../../ui/page.tsx'

export function SimulatorPage() {
  return <Page title="Simulator">{null}</Page>
}
