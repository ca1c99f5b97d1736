import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { inject, onTestFinished, test } from 'vitest'
import { atEnd } from '../../../server/src/testing/closings.ts'
import { violationsOn } from './accessibility.ts'
import { newContext } from './browser-context.ts'
import type { Filling } from './fillings.ts'
import { journeyPictures } from './picture.ts'
import { type Shop, startShop } from './shop.ts'
import { type Person, signIn } from './sign-in.ts'
import { type PageWatch, watchPage } from './watch-page.ts'

/* What journeys are written with, on top of vitest. Everything that it opens is closed when the test or its file has ended. */

const { browser: endpoint, templates } = inject('journeys')

/** A test that needs a browser; skipped where there is none, which the setup says loudly. */
export const journey = test.runIf(endpoint !== null)

const shops = new Map<Filling, Promise<Shop>>()

interface OpenOptions {
  filling?: Filling
  /** Whether no other journey of the file may see what this one changes. */
  own?: boolean
}

/** A running service with its own database, filled with the demo shop: the same one for all journeys of a file unless it shall be its `own`. */
export function openShop({ filling = 'demo', own = false }: OpenOptions = {}): Promise<Shop> {
  const existing = own ? undefined : shops.get(filling)
  if (existing !== undefined) return existing
  const shop = startShop({ filling, templates })
  if (own) onTestFinished(async () => (await shop).close())
  else {
    shops.set(filling, shop)
    atEnd(async () => {
      shops.delete(filling)
      await (await shop).close()
    })
  }
  return shop
}

let connected: Promise<Browser> | undefined
const watches = new WeakMap<Page, PageWatch>()

/**
 * Opens a page in a browser of its own, without a session. The journey fails at its end if anything went wrong on the page
 * (watch-page.ts); if it fails, there is a picture of the page.
 */
export async function visit(shop: Pick<Shop, 'address'>, path: string | null = '/dashboard/'): Promise<Page> {
  connected ??= chromium.connect(endpoint as string)
  const context = await newContext(await connected, shop)
  const page = await context.newPage()
  const watch = await watchPage(page)
  watches.set(page, watch)
  onTestFinished(async ({ task }) => {
    const problems = await watch.problems()
    if (problems.length > 0 || task.result?.state === 'fail') await keepPicture(page, task.name)
    await context.close()
    if (problems.length > 0) throw new Error(`The journey met problems:\n${problems.map(asItem).join('\n')}`)
  })
  if (path !== null) await page.goto(path)
  return page
}

async function keepPicture(page: Page, title: string): Promise<void> {
  const path = join(journeyPictures, `failed-${title.replaceAll(/\W+/g, '-').slice(0, 80)}.png`)
  await page.screenshot({ path }).then(
    () => process.stderr.write(`The page of "${title}" is in ${path}\n`),
    () => {}, // the journey has closed it
  )
}

/** Opens a page as the owner, or as a new user with a role; at no address yet if `path` is null. */
export async function signedIn(shop: Shop, person: Person, path: string | null = '/dashboard/'): Promise<Page> {
  const page = await visit(shop, null)
  await signIn(shop, page.context(), person)
  if (path !== null) await page.goto(path)
  return page
}

/** Says that the journey provokes a refusal, which would otherwise fail it. */
export function allowRefusal(page: Page, status: number, method: string, path: string | RegExp): void {
  const watch = watches.get(page)
  if (watch === undefined) throw new Error('The page was not opened by visit or signedIn')
  watch.allow(status, method, path)
}

/** Fails if axe finds a violation on the page as it is shown now, in light or dark. */
export async function expectNoViolations(page: Page): Promise<void> {
  const violations = await violationsOn(page)
  if (violations.length > 0)
    throw new Error(`${violations.length} violations on ${page.url()}:\n${violations.map(asItem).join('\n')}`)
}

const asItem = (text: string): string => `- ${text}`
