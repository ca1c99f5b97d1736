import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectNoViolations, journey, openShop, visit } from './ground/journey.ts'
import { settled } from './ground/settled.ts'

/* The pages of /docs as a reader uses them. Like every journey, these fail on a violation of the Content-Security-Policy. */

async function open(path: string): Promise<Page> {
  const page = await visit(await openShop({ filling: 'nothing' }), null)
  await page.goto(path)
  await settled(page)
  return page
}

for (const path of ['/docs/', '/docs/vouchers', '/docs/schema-Discount', '/docs/schemas', '/docs/errors'])
  journey(`${path} is readable in light and dark`, async () => {
    await expectNoViolations(await open(path))
  })

journey('search finds operations, properties and words, and leads to the property', async () => {
  const page = await open('/docs')
  const search = page.getByRole('searchbox', { name: 'Search' })
  const first = page.locator('#found-list a').first()
  await search.fill('create a voucher')
  await first.filter({ hasText: 'POST /v1/vouchers' }).waitFor()
  for (const word of ['redeem', 'validate']) {
    await search.fill(word)
    await expect.poll(() => first.innerText()).toMatch(new RegExp(`^${word}.*Operation: POST`, 'is'))
  }
  await search.fill('starting_after_id')
  await page.locator('#found-list a', { hasText: 'List vouchers, query' }).click()
  await page.waitForURL(/\/docs\/vouchers#listVouchers\.query\.starting_after_id$/)
})

journey('search finds error keys and headers, and the operation behind a question in plain words', async () => {
  const page = await open('/docs')
  const search = page.getByRole('searchbox', { name: 'Search' })
  const first = page.locator('#found-list a').first()
  await search.fill('how to redeem a coupon')
  await first.filter({ hasText: 'POST /v1/vouchers/{code}/redemption' }).waitFor()
  await search.fill('Idempotency-Key')
  await first.filter({ hasText: 'Header: of a call' }).click()
  await page.waitForURL(/\/docs\/#header-IdempotencyKey$/)
  await search.fill('quantity_exceeded')
  await search.press('Enter')
  await page.waitForURL(/\/docs\/errors#quantity_exceeded$/)
  await page.locator('#quantity_exceeded').getByRole('link', { name: 'POST /v1/redemptions', exact: true }).click()
  await page.getByRole('heading', { name: 'Redeem stackable discounts' }).waitFor()
})

journey('search that finds nothing leads to the guides', async () => {
  const page = await open('/docs')
  const search = page.getByRole('searchbox', { name: 'Search' })
  await search.fill('tax evasion')
  await page.getByText('Nothing here is called “tax evasion”.').waitFor()
  await search.press('Enter')
  await expectNoViolations(page)
  await page.getByRole('link', { name: 'Search the guides' }).click()
  await page.waitForURL(/\/guides\/$/)
})

journey('the contents show the entry of the page, however far down they have it', async () => {
  const page = await open('/docs/management-webhooks')
  const isSeen = () =>
    page.locator('nav [aria-current]').evaluate((entry) => {
      const { bottom } = entry.getBoundingClientRect()
      return bottom < Math.min(innerHeight, (entry.closest('nav') as Element).getBoundingClientRect().bottom)
    })
  expect(await isSeen()).toBe(true)
  expect(await page.evaluate(() => scrollY)).toBe(0)
})

journey('on a phone the contents are a closed fold, also without a script', async () => {
  const page = await open('/docs/management-webhooks')
  const [fold, entry] = [page.locator('nav summary'), page.locator('nav [aria-current]')]
  expect([await fold.isVisible(), await entry.isVisible()]).toEqual([false, true])
  await page.setViewportSize({ width: 390, height: 844 })
  await fold.waitFor()
  await entry.waitFor({ state: 'hidden' })
  await fold.click()
  await entry.waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })
  await fold.waitFor({ state: 'hidden' })
  await page.route('**/*.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
  await page.reload()
  expect([await fold.isVisible(), await entry.isVisible()]).toEqual([false, true])
  await page.setViewportSize({ width: 390, height: 844 })
  expect([await fold.isVisible(), await entry.isVisible()]).toEqual([true, false])
})

for (const width of [375, 360, 320])
  journey(`on a phone ${width} px wide a page and what search finds are no wider than the window`, async () => {
    const page = await open('/docs/vouchers')
    await page.setViewportSize({ width, height: 740 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    for (const part of [
      page.getByRole('searchbox', { name: 'Search' }),
      page.getByRole('button', { name: /^(?:Dark|Light)$/ }),
    ]) {
      const { x, width: own } = (await part.boundingBox()) as { x: number; width: number }
      expect([x >= 0, x + own <= width]).toEqual([true, true])
    }
    await page.getByRole('searchbox', { name: 'Search' }).fill('starting_after_id')
    const found = page.locator('#found-list')
    await found.locator('a').first().waitFor()
    // Across the window, as the field alone is too narrow to read in.
    expect((await found.boundingBox())?.width).toBeGreaterThan(width * 0.9)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
  })

journey('search that could not be loaded is asked for again', async () => {
  const page = await open('/docs/')
  await page.route('**/search.json', (route) => route.fulfill({ body: 'Busy' }), { times: 1 })
  const search = page.getByRole('searchbox', { name: 'Search' })
  await search.fill('x')
  await page.getByText('Search is not available now').waitFor()
  await search.fill('create a voucher')
  await page.locator('#found-list a').first().filter({ hasText: 'POST /v1/vouchers' }).waitFor()
})

journey('a page works where nothing may be stored, and with an address that is not encoded well', async () => {
  const page = await open('/docs/')
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('denied', 'SecurityError')
      },
    })
  })
  await page.goto('/docs/categories#%')
  const create = page.locator('#createCategory')
  await create.getByRole('tab', { name: 'Python' }).click()
  await create.getByText('import requests').waitFor()
  await page.getByRole('button', { name: 'Dark' }).click()
  await page.getByRole('button', { name: 'Light' }).waitFor()
  await create.getByRole('button', { name: 'Copy' }).first().waitFor()
})

journey('a schema inside of another opens in place, and a link to a property unfolds what is around it', async () => {
  const page = await open('/docs/vouchers#listVouchers.query.created_at.after')
  await page.locator('[id="listVouchers.query.created_at.after"]').waitFor({ state: 'visible' })
  await page.goto('/docs/schema-Voucher')
  const reference = page.locator('details[data-page="schema-Discount"]').first()
  await reference.locator('summary').first().click()
  await reference
    .getByText(/One of \d+ forms, by type/)
    .first()
    .waitFor()
})

journey('the chosen language shows in every sample, also on the next page, and can be copied', async () => {
  const page = await open('/docs/categories')
  const create = page.locator('#createCategory')
  await create.getByRole('tab', { name: 'Python' }).click()
  await page.goto('/docs/vouchers')
  const sample = page.locator('#createVoucher').getByRole('tabpanel')
  await sample.getByText('requests.post(').waitFor()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await sample.getByRole('button', { name: 'Copy' }).click()
  await sample.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('import requests')
})
