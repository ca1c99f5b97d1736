import { Page } from '../../ui/page.tsx'

export function CodePage() {
  return <Page title="Code">{null}</Page>
}
