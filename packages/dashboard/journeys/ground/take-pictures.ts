import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { newContext } from './browser-context.ts'
import { browserArguments, findBrowser } from './find-browser.ts'
import { picture } from './picture.ts'
import { addressOf, type PlaceName, places } from './places.ts'
import { settled } from './settled.ts'
import { startShop } from './shop.ts'
import { signIn } from './sign-in.ts'
import { watchPage } from './watch-page.ts'

// npm run pictures: takes pictures of every place, light and dark, into docs/pictures. Arguments name some of the places.

const folder = fileURLToPath(new URL('../../../../docs/pictures', import.meta.url))
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in places))
if (unknown.length > 0) throw new Error(`Unknown: ${unknown.join(', ')}. Places: ${Object.keys(places).join(', ')}.`)
const executablePath = findBrowser()
if (executablePath === null) throw new Error('No browser: set CHROME_PATH, or install chromium.')

const templates = mkdtempSync(join(tmpdir(), 'guerdon-pictures-'))
const browser = await chromium.launch({ executablePath, args: browserArguments() })
const shop = await startShop({ filling: 'full demo', templates })
try {
  const context = await newContext(browser, shop)
  await signIn(shop, context, 'OWNER')
  const page = await context.newPage()
  const watch = await watchPage(page)
  for (const name of Object.keys(places) as PlaceName[]) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    await page.goto(addressOf(shop, name))
    await settled(page)
    await picture(page, name, folder)
    process.stdout.write(`docs/pictures/${name}-light.png, docs/pictures/${name}-dark.png\n`)
  }
  const problems = await watch.problems()
  if (problems.length > 0) throw new Error(`The pages had problems:\n${problems.join('\n')}`)
} finally {
  await shop.close()
  await browser.close()
  rmSync(templates, { recursive: true, force: true, maxRetries: 5 })
}
