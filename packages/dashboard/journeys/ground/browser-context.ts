import type { Browser, BrowserContext } from 'playwright-core'
import type { Shop } from './shop.ts'

/** A person's browser: nothing is stored in it yet. The address of a page may be given without the service's. */
export async function newContext(browser: Browser, shop: Pick<Shop, 'address'>): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: shop.address,
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(60_000) // something that never comes; a busy machine is slow
  return context
}
