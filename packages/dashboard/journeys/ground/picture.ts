import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { inBothSchemes } from './color-schemes.ts'

/** Where journeys put their pictures; git ignores it. */
export const journeyPictures = fileURLToPath(new URL('../../../../.vitest/pictures', import.meta.url))

/** Takes `<name>-light.png` and `<name>-dark.png` of what the page shows. */
export async function picture(page: Page, name: string, folder: string = journeyPictures): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await inBothSchemes(page, async (scheme) => {
    await page.screenshot({ path: join(folder, `${name}-${scheme}.png`), animations: 'disabled', caret: 'hide' })
  })
}
