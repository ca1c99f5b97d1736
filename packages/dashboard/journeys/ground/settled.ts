import type { Page } from 'playwright-core'

/** Waits until the page has shown what it loads. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
}
