import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { inBothSchemes } from './color-schemes.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The violations that axe finds on the page as it is shown now, in light and dark. */
export async function violationsOn(page: Page): Promise<string[]> {
  const found: string[] = []
  // Evaluated by the browser's debugger, which the Content-Security-Policy does not restrict.
  await page.evaluate(axe)
  await inBothSchemes(page, async (scheme) => {
    const { violations } = await page.evaluate(() =>
      (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
    )
    for (const { id, help, nodes } of violations)
      for (const { target, failureSummary } of nodes)
        found.push(`${scheme}: ${id} (${help}): ${target.join(' ')}\n  ${failureSummary?.replaceAll('\n', '\n  ')}`)
  })
  return found
}
