import type { Page } from 'playwright-core'

export type Scheme = 'light' | 'dark'

/** Shows the page in light, then in dark, without motion; afterwards as it was shown before. */
export async function inBothSchemes(page: Page, look: (scheme: Scheme) => Promise<void>): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // A colour that is still changing has a contrast of its own.
    await page.evaluate(async () => {
      await document.fonts.ready
      await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {})))
    })
    await look(colorScheme)
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: 'reduce' })
}
